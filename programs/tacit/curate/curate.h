/* curate.h - what the verbs of the family `tacit curate` share: the files that a command line names.
 *
 * What a curator does is <tacit/experimental/curator.h>. */
#ifndef TC_PROGRAM_CURATE_H
#define TC_PROGRAM_CURATE_H

#include "frame/cli.h"

#include <tacit/experimental/curator.h>

#include "base/memory.h"

#include <limits.h>
#include <stddef.h>

extern const tc_verb tc_verb_curate_release;
extern const tc_verb tc_verb_curate_answer;
extern const tc_verb tc_verb_curate_perturb;
extern const tc_verb tc_verb_curate_publish;

/* ---- a CSV file with a header (curate_data.c) */

typedef struct tc_data {
    size_t n, dims;
    const char **names; /* dims: the columns that are released */
    double *x;          /* n x dims, by rows */
    double *y;          /* n: of the value column; NaN where it is empty. NULL: there is none */
    tc_arena memory;
} tc_data;

/* columns: "a,b,c"; NULL: all but the value column. value: its name; NULL: "value" if there is one. */
tacit_status tc_data_read(tc_data *out, const char *file, const char *columns, const char *value,
                          tacit_error *err);
void tc_data_fini(tc_data *d);

/* One record as text: its columns, and "record", its number from 1, unless a column has that name. number: from 0.
 * What is read lives in `memory`. */
tacit_status tc_data_record(const char *file, size_t number, tc_arena *memory,
                            tacit_row_record *out, tacit_error *err);

/* ---- files (curate_files.c) */

typedef struct tc_curate_file {
    const char *what; /* "--out": names it in the sentence */
    const char *path; /* NULL: there is none */
} tc_curate_file;

/* E_ARG: two of them, or one and a file of the storage, are the same, however they are spelled; they need not be
 * there. storage: the option. */
tacit_status tc_curate_distinct(const tc_curate_file *files, size_t n, const char *storage,
                                tacit_error *err);
/* E_ARG: the file is there, and what it holds could not be had again: a secret file, a storage. */
tacit_status tc_curate_spare(const char *path, tacit_error *err);

/* The file beside the data that keeps the order. Caller: tc_free. NULL: no memory. */
char *tc_secret_path(const char *option, const char *data);
/* A file for others to read, or standard output where there is none. Takes text, ends it. */
tacit_status tc_curate_write(const char *file, char *text, tacit_error *err);

/* int64_t seed; double budget */
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

#endif
