/* curate.h - what the verbs of the family `tacit curate` share. */
#ifndef TC_PROGRAM_CURATE_H
#define TC_PROGRAM_CURATE_H

#include "frame/cli.h"
#include "study/store.h"
#include "wire/row_secret.h"

#include <limits.h>

extern const tc_verb tc_verb_curate_release;
extern const tc_verb tc_verb_curate_answer;
extern const tc_verb tc_verb_curate_perturb;

/* ---- a CSV file with a header (curate_data.c) */

typedef struct tc_data {
    size_t n, dims;
    char **names; /* dims: the columns that are released */
    double *x;    /* n x dims, by rows */
    double *y;    /* n: of the value column; NaN where it is empty. NULL: there is none */
    tc_arena memory;
} tc_data;

/* columns: "a,b,c"; NULL: all but the value column. value: its name; NULL: "value" if there is one. */
tacit_status tc_data_read(tc_data *out, const char *file, const char *columns, const char *value,
                          tacit_error *err);
void tc_data_fini(tc_data *d);
/* Of the columns that are released, as they are: tells whether the file is the one of a release. */
tacit_hash tc_data_hash(const tc_data *d);

/* ---- a program that knows the value of a record (curate_evaluate.c) */

/* How the program gets the fields of the record. */
typedef enum tc_fields { TC_FIELDS_ARGS, TC_FIELDS_ENV, TC_FIELDS_STDIN } tc_fields;
#define TC_FIELDS_CHOICES  "args|env|stdin"
#define TC_RECORD_VARIABLE "TACIT_RECORD"

typedef struct tc_evaluation {
    const char *data; /* the CSV file */
    size_t record;    /* of it, from 0 */
    uint64_t row;     /* of the release: {trial} */
    char *const
        *command; /* NULL-terminated; with TC_FIELDS_ARGS {name} is the field of that column */
    tc_fields fields;
    int64_t timeout_ms; /* 0: none */
} tc_evaluation;

typedef struct tc_evaluated {
    double value;     /* NaN: the program gave none */
    char reason[256]; /* why, for the curator's eyes */
    bool exposed;     /* fields stood on the command line */
} tc_evaluated;

/* E_ARG, E_NOT_FOUND: the command is no good, whatever the record. */
tacit_status tc_curate_evaluate(const tc_evaluation *e, tc_evaluated *out, tacit_error *err);

/* ---- files (curate_files.c) */

typedef struct tc_curate_file {
    const char *what; /* "--out": names it in the sentence */
    const char *path; /* NULL: there is none */
} tc_curate_file;

/* E_ARG: two of them are one, however they are spelled; they need not be there. */
tacit_status tc_curate_distinct(const tc_curate_file *files, size_t n, tacit_error *err);
/* E_ARG: the file is there, and what it holds could not be had again: a secret file, a storage. */
tacit_status tc_curate_spare(const char *path, tacit_error *err);

/* The files that the storage of this option consists of. Returns how many; 0: it has none. */
enum { TC_STORAGE_FILES = 4 };
size_t tc_storage_files(const char *option, char out[TC_STORAGE_FILES][PATH_MAX]);
/* Tells one storage from another. */
tacit_hash tc_storage_hash(const char *option);

/* ---- where things are (curate.c) */

/* The file beside the data that keeps the order. Caller: tc_free. NULL: no memory. */
char *tc_secret_path(const char *option, const char *data);

typedef struct tc_curator_ledger {
    tc_store *store;
    tc_ledger *ledger;
} tc_curator_ledger;

/* All-zero may be closed. create: makes storage and ledger where they are absent. E_ARG: a storage
 * that ends with the process, and with it what was spent. */
tacit_status tc_curator_ledger_open(tc_curator_ledger *l, const char *storage, const char *name,
                                    bool create, tacit_error *err);
void tc_curator_ledger_close(tc_curator_ledger *l);

/* Noise from the system, or, where a seed is given, from that: NOT PRIVATE. */
typedef struct tc_curator_noise {
    tc_noise noise;
    tc_test_noise seeded;
    tc_entropy entropy;
} tc_curator_noise;
void tc_curator_noise_init(tc_curator_noise *n, int64_t seed, uint64_t step);
void tc_curator_noise_fini(tc_curator_noise *n);

/* char *storage, *ledger; int64_t seed; double budget, delta */
#define TC_CURATE_SEED_OPTION(type)                                                                \
    {                                                                                              \
        "seed", TC_OPTION_INT, offsetof(type, seed), "-1",                                         \
            .min = -1, .max = 0x1p53,                                                              \
            .help = "test mode: noise from this seed, NOT PRIVATE; -1: from the system"            \
    }
#define TC_CURATE_BUDGET_OPTION(type)                                                              \
    {                                                                                              \
        "budget", TC_OPTION_FLOAT, offsetof(type, budget), "0",                                    \
            .min = 0, .max = 1e6,                                                                  \
            .help = "most epsilon that one row may spend over the whole ledger; 0: no limit"       \
    }

/* The budget of the option for releases and answers on these terms; *out is b, or NULL where there is
 * none. l NULL: nothing was released yet. E_ARG: noise with a delta needs one for the budget. */
tacit_status tc_curate_budget(tc_ledger_budget *b, double epsilon, const tc_row_terms *t,
                              const tc_ledger *l, const tc_ledger_budget **out, tacit_error *err);
/* After a refusal (E_BUDGET) in other units than epsilon: the sentence in epsilon. asked: what was
 * asked for, by itself. */
tacit_status tc_curate_over_budget(const tc_ledger_budget *b, const tc_ledger *l, double asked,
                                   tacit_error *err);

/* A file for others to read, or standard output where there is none. Takes text, ends it. */
tacit_status tc_curate_write(const char *file, char *text, tacit_error *err);

#endif
