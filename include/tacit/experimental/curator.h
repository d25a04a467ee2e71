/* tacit/experimental/curator.h - outsourced optimization: a curator who has the rows, a modeler who searches them.
 * In libtacit; of a coordinator at https: also libtacit-net.
 *
 * EXPERIMENTAL: names, structs and results may change with every version, and no ABI is promised. A program that
 * uses this header is compiled anew for each version; the dynamic linker refuses it with any other.
 *
 * The curator has records and may not show them. It releases a copy of their rows with noise, in a secret order, and
 * answers questions about rows by number. The modeler sees the noisy rows and the answers, and chooses the next
 * row by po-gp-ucb, which knows the noise. docs/outsourcing.md says what is promised, and what is not.
 *
 *     curator                                        modeler
 *     tacit_curator_release(&c, ...)   -- rows -->   tacit_modeler_open(&m, ...)
 *                                      <-- row --    tacit_modeler_next(m, &row, ...)
 *     tacit_curator_answer(c, row, ...) - value ->   tacit_modeler_tell(m, &answer, ...)
 *
 * Every release and every answer is in the curator's ledger before it leaves. The same release or the same
 * question again gives the same numbers and spends nothing, also after a crash. What a call refuses spends nothing and
 * leaves no file behind.
 *
 * A handle serves one thread at a time. Pointers passed in are borrowed for the call, unless it says otherwise. Out-pointers
 * are set on success only. A `char **` ends with tacit_text_free (tacit/status.h). `err` may be NULL. */
#ifndef TACIT_EXPERIMENTAL_CURATOR_H
#define TACIT_EXPERIMENTAL_CURATOR_H

#include <tacit/ledger.h>
#include <tacit/release.h>
#include <tacit/status.h>
#include <tacit/study.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- on which terms rows are released. All of it is public: whoever gets the release gets these. */

typedef enum tacit_row_mode {
    TACIT_ROW_SOUND = 0, /* noise in every coordinate, rows in a secret order */
    TACIT_ROW_PAPER = 1  /* the projection of PO-GP-UCB as printed: NOT PRIVATE, for comparison */
} tacit_row_mode;

#define TACIT_ROW_RANK_MAX 1000 /* directions of a projection */

typedef struct tc_row_column {
    const char *name;
    double low, high; /* public bounds, never read from the data; paper mode: unused */
    double unit;      /* > 0: what counts as a distance of 1 */
} tacit_row_column;

typedef struct tc_row_terms {
    const char *name; /* of the release and of the modeler's study. Another one: another release */
    tacit_row_mode mode;
    size_t rows, dims;
    const tacit_row_column *columns; /* dims */
    double epsilon;                  /* in [1e-5, 1024], for rows that move by the radius */
    double delta;  /* of Gaussian noise, below 1/rows; 0: Laplace noise. Paper mode needs one */
    double radius; /* > 0: how far a neighbour's row may move, in units of the columns */
    tacit_rows_noise noise;
    /* Sound: rows are projected to so many public directions first; 0: they are not. Paper: columns of its projection. */
    size_t rank;
    uint64_t projection_seed; /* sound: of the public directions */
    bool maximize;            /* which values the modeler is to look for */
    double output_epsilon; /* of every answer, beside the release; 0: answers leave as they are */
    double output_bound;   /* C: private answers are clamped to [-C, C] */
} tacit_row_terms;
#define TACIT_ROW_TERMS                                                                            \
    {                                                                                              \
        NULL, TACIT_ROW_SOUND, 0, 0, NULL, 0, 0, 1, TACIT_ROWS_AUTO, 0, 0, true, 0, 0              \
    }

/* ---- what passes between the two: a release, questions (row numbers from 0) and answers */

typedef struct tc_released {
    const char *name;
    const char *mode; /* "sound", "paper" */
    bool maximize;
    /* Of this release, as it left: what the ledger had before it counts, what came later does not. */
    bool is_private;
    const char *not_private; /* why not; NULL where is_private */
    double epsilon, delta;   /* where is_private */
    const char *statement;   /* what is promised, in words */
    double input_sd;         /* of the noise in a value of a row */
    double output_sd;        /* and in an answer */
    tacit_hash release;      /* of the exact bytes that the ledger has */
    const char *ledger;
    tacit_head head; /* of the ledger, after the release's entry */
    size_t n_source; /* columns of the data; paper mode: 0 */
    const tacit_row_column *source;
    double radius; /* by which a neighbour's row moves, in units of these */
    size_t rows, cols;
    char *const *columns; /* cols: names */
    double step;    /* values are whole multiples of it; 0: doubles as they are; NaN: rounded */
    double *values; /* rows x cols, by rows */
} tacit_released;

/* From the file or the text that a curator has sent; `what` names its source in errors. End with tacit_released_free.
 * E_ARG: it is none, a field is wrong, or its rows have another hash than the release. */
TACIT_API tacit_status tacit_released_read(tacit_released **out, const char *file,
                                           tacit_error *err);
TACIT_API tacit_status tacit_released_parse(tacit_released **out, const char *text, size_t len,
                                            const char *what, tacit_error *err);
TACIT_API void tacit_released_free(tacit_released *r); /* NULL is allowed */
/* As JSON. The same release is the same text, whenever it is written. */
TACIT_API tacit_status tacit_released_text(const tacit_released *r, char **out, tacit_error *err);

typedef struct tacit_row_answer {
    char name[65]; /* of the release */
    tacit_hash release;
    uint64_t row;
    double value; /* NaN: the row has none */
    double sd;    /* of the noise in it */
    bool is_private;
    bool again; /* given before, so nothing was spent; not of an answer that was read */
} tacit_row_answer;

TACIT_API tacit_status tacit_row_answer_read(tacit_row_answer *out, const char *file,
                                             tacit_error *err);
TACIT_API tacit_status tacit_row_answer_parse(tacit_row_answer *out, const char *text, size_t len,
                                              const char *what, tacit_error *err);
TACIT_API tacit_status tacit_row_answer_text(const tacit_row_answer *a, char **out,
                                             tacit_error *err);

/* ---- the curator */

typedef struct tacit_curator tacit_curator; /* end with tacit_curator_close */

typedef struct tacit_curator_opts {
    /* Required: URL of the curator's ledgers. "memory:" is refused: it forgets what was spent. */
    const char *storage;
    /* Required: the file that keeps the order of the rows, for its owner alone. Whoever has it and the release knows
     * which row is which. */
    const char *secret;
    double budget;     /* most epsilon that one row may spend over the whole ledger; 0: no limit */
    int64_t test_seed; /* -1: noise from the system. Else from this: repeatable, NOT PRIVATE */
    /* Of a release: */
    const char *ledger; /* one for each data set; NULL: the name of the release */
    /* Where the values of records are: kept in the secret file, for whoever answers. May be NULL. */
    const char *value_column;
    /* A file that all who release this data set name here, such as the data itself: one releases at a time, others
     * wait for half a minute (E_BUSY). NULL: the folder of the secret file. */
    const char *lock;
    /* What a person may want to know: that somebody else has the lock. NULL: nothing is said. */
    void (*note)(void *user, const char *text);
    void *user;
} tacit_curator_opts;
#define TACIT_CURATOR_OPTS                                                                         \
    {                                                                                              \
        NULL, NULL, 0, -1, NULL, NULL, NULL, NULL, NULL                                            \
    }

/* What came of a release. It ends with the curator. */
typedef struct tacit_curator_report {
    const tacit_released *released; /* for the modeler */
    const char *mechanism;          /* "laplace-rows", "gaussian-rows", "none" */
    bool again;                     /* released before: nothing was spent */
    /* Of the whole ledger, now; for the curator. */
    uint64_t entries;
    bool is_private;
    double epsilon, delta; /* where is_private */
    const char *statement;
    /* Paper mode: the smallest singular value, its threshold, and whether the rows were raised to it. */
    double sigma_min, omega;
    bool raised;
} tacit_curator_report;

/* Releases x, terms->rows x terms->dims, by rows. The order is on disk, then the ledger has the entry and the exact
 * bytes; whoever is killed in between releases again. E_ARG: a term or an option is wrong, and which. E_BUDGET: the
 * budget does not allow it. E_STATE: the secret file belongs to another release, or x is not what was released on
 * these terms. The handle then answers, as one that was opened. */
TACIT_API tacit_status tacit_curator_release(tacit_curator **out, const tacit_curator_opts *opts,
                                             const tacit_row_terms *terms, const double *x,
                                             const tacit_curator_report **report, tacit_error *err);
/* Comes back to the release whose order the secret file keeps. E_NOT_FOUND: there is no such file. */
TACIT_API tacit_status tacit_curator_open(tacit_curator **out, const tacit_curator_opts *opts,
                                          tacit_error *err);
TACIT_API void tacit_curator_close(tacit_curator *c); /* NULL is allowed */

/* What the secret file has. It ends with the curator. */
typedef struct tc_row_secret {
    const char *ledger;
    tacit_hash storage; /* of where that ledger is: the same name elsewhere is another ledger */
    const char *value_column; /* NULL: there is none */
    tacit_row_terms terms;
    tacit_hash release;
    tacit_hash data;     /* of the values that were released, before the noise */
    const size_t *order; /* terms.rows: row i of the release is record order[i] of the data */
} tacit_row_secret;
TACIT_API const tacit_row_secret *tacit_curator_secret(const tacit_curator *c);
/* E_STATE: these are not the rows that were released. */
TACIT_API tacit_status tacit_curator_check_data(const tacit_curator *c, size_t rows,
                                                const double *x, tacit_error *err);

/* The answer about a row. `value` is that of its record; NaN: it has none, which is answered, too, or the modeler would
 * wait for ever: as NaN where values leave as they are, else as the middle of the bounds, with noise. An answer that was
 * given before is given again, whatever the value is now. E_BUDGET. E_STATE: the storage has not the ledger that the release
 * was charged to. */
TACIT_API tacit_status tacit_curator_answer(tacit_curator *c, uint64_t row, double value,
                                            tacit_row_answer *out, tacit_error *err);
/* The answer that was given before. E_NOT_FOUND: none was. Ask this first where a value is expensive. */
TACIT_API tacit_status tacit_curator_recall(tacit_curator *c, uint64_t row, tacit_row_answer *out,
                                            tacit_error *err);

/* ---- the value of a record, from a program
 *
 * The program prints it, as in `tacit optimize`: the last number on its last line. What depends on the record must not
 * decide whether there is an answer, or who asks would learn it: what is wrong with the command for every record
 * is refused, and from then on whatever goes wrong is a value that the record does not have. */

typedef enum tacit_row_fields {
    TACIT_ROW_ARGS =
        0, /* {name} in an argument becomes the field of that name; all users of the machine see it */
    TACIT_ROW_ENV = 1,  /* the record is a JSON object in TACIT_RECORD */
    TACIT_ROW_STDIN = 2 /* or on standard input */
} tacit_row_fields;

typedef struct tacit_row_program {
    char *const *command; /* NULL-terminated; {trial} is the row */
    tacit_row_fields fields;
    int64_t timeout_ms; /* 0: none */
    /* Asked several times a second; true: the program is ended, and the call is E_CANCELLED. NULL: never. */
    bool (*stop)(void *user);
    void *user;
} tacit_row_program;

typedef struct tacit_row_record {
    size_t n;
    char *const *names;
    char *const *fields; /* as text; NULL: this record has none of that name */
} tacit_row_record;

typedef struct tacit_row_value {
    double value;     /* NaN: the program gave none */
    char reason[256]; /* why, for the curator's eyes */
    bool exposed;     /* fields stood on the command line */
} tacit_row_value;

/* E_ARG, E_NOT_FOUND: the command is no good, whatever the record. */
TACIT_API tacit_status tacit_row_evaluate(const tacit_row_program *p, uint64_t row,
                                          const tacit_row_record *record, tacit_row_value *out,
                                          tacit_error *err);

/* ---- the modeler */

typedef struct tacit_modeler tacit_modeler; /* end with tacit_modeler_close */

typedef struct tacit_modeler_opts {
    uint64_t trials; /* questions planned in all; 0: as before, or 100 for a new state */
    uint64_t seed;   /* of the first rows, for a new state */
    size_t n_options;
    const char *const
        *options;    /* of po-gp-ucb: "fit=false". n_options 0: as before, or the defaults */
    int32_t threads; /* as in tacit_storage_opts */
} tacit_modeler_opts;
#define TACIT_MODELER_OPTS                                                                         \
    {                                                                                              \
        0, 0, 0, NULL, 0                                                                           \
    }

/* The modeler's state is a study of the release's name in a storage of its own, which is made if it is not there. It
 * may be killed at any moment. opts NULL: the defaults. E_STATE: the state is of another release, or has other options. */
TACIT_API tacit_status tacit_modeler_open(tacit_modeler **out, const char *storage,
                                          const tacit_released *released,
                                          const tacit_modeler_opts *opts, tacit_error *err);
TACIT_API void tacit_modeler_close(tacit_modeler *m); /* NULL is allowed */
/* The row to ask about next: one that was asked and not answered yet, or else a new one. E_BUDGET: all rows are
 * answered, or as many as were planned; the sentence says which. */
TACIT_API tacit_status tacit_modeler_next(tacit_modeler *m, uint64_t *row, tacit_error *err);
/* Takes an answer in. *known (may be NULL): it was told before, and nothing happened. E_ARG: it is about another
 * release, or about a row that was never asked. */
TACIT_API tacit_status tacit_modeler_tell(tacit_modeler *m, const tacit_row_answer *a, bool *known,
                                          tacit_error *err);
/* The state, with its trials and the best of them; ends with the modeler. */
TACIT_API tacit_study *tacit_modeler_study(tacit_modeler *m);

/* ---- a coordinator in the modeler's place
 *
 * It does what a modeler does, and gets what the two would have exchanged. */

typedef struct tacit_published {
    char *study; /* its name; end both with tacit_text_free */
    char *token; /* a client's, with which the curator opens the study and answers */
} tacit_published;
/* Sends a release to a coordinator, which makes a study over its rows; `name` NULL: of the release's name. Takes a
 * curator's token, good for one release, or an operator's. The same again gives a new client's token in the place of
 * the former. trials 0: 100. E_UNSUPPORTED: a storage of this process, where tacit_modeler_open does the same. */
TACIT_API tacit_status tacit_released_publish(const tacit_released *r, tacit_storage *coordinator,
                                              const char *name, const tacit_modeler_opts *opts,
                                              tacit_published *out, tacit_error *err);

typedef struct tacit_curator_service {
    /* The value of the record behind a row that was not answered before; NaN: it has none. A failure ends the
     * service. */
    tacit_status (*value)(void *user, uint64_t row, double *value, tacit_error *err);
    void (*answered)(void *user, const tacit_row_answer *a); /* after each; may be NULL */
    bool (*stop)(void *user); /* between answers; true: E_CANCELLED. NULL: never */
    void *user;
} tacit_curator_service;
/* Answers what a study at a coordinator asks, until it has asked all that was planned when this began. E_STATE: the study does
 * not search the rows of this release. Killed and started again it goes on: an answer that was lost on its way is
 * given again from the ledger. */
TACIT_API tacit_status tacit_curator_serve(tacit_curator *c, tacit_study *study,
                                           const tacit_curator_service *service, tacit_error *err);

/* ---- a reward of a user
 *
 * The curator of one number: local privacy, for whoever has no study at hand. Where there is one, tacit/user.h has the same
 * on the terms of its document. */

typedef struct tacit_perturb_opts {
    const char *name;  /* required: the user, who is charged */
    const char *study; /* required: a public name of who asks */
    tacit_reply_kind reply;
    double epsilon;   /* of one reply */
    double low, high; /* public bounds, to which rewards are clamped */
    /* Cap: replies that this user may give in all, over all studies of the ledger. The first reply sets it, later ones
     * can only lower it. */
    uint64_t answers;
    const char *ledger; /* its name; NULL: TACIT_USER_LEDGER */
    /* Where that is; NULL: in the user's own folder (tacit/user.h), where it is found from everywhere. */
    const char *storage;
    int64_t
        test_seed; /* -1: the above. Else replies from this seed, beside any ledger: NOT PRIVATE */
    void (*note)(void *user, const char *text); /* as in tacit_user_opts */
    void *user;
} tacit_perturb_opts;
#define TACIT_PERTURB_OPTS                                                                         \
    {                                                                                              \
        NULL, NULL, TACIT_REPLY_AUTO, 0, 0, 0, 1, NULL, NULL, -1, NULL, NULL                       \
    }

typedef struct tacit_perturbed {
    const char *mechanism; /* static */
    bool is_private;
    uint64_t again; /* replies that were given before: nothing was spent for them */
    /* Not with a seed: what the user has spent with these, over all studies of the ledger. */
    double epsilon;
    char *statement; /* end with tacit_text_free; NULL with a seed */
} tacit_perturbed;

/* Replies to `count` questions, numbered from `first`, about one reward; NaN: the evaluation failed, which is a reply like
 * any other. The same study, user and number get the same reply. All or nothing: E_BUDGET, not all of them are within the
 * cap. E_CONFLICT: one was answered on other terms. */
TACIT_API tacit_status tacit_perturb(const tacit_perturb_opts *opts, double reward, uint64_t first,
                                     size_t count, double *replies, tacit_perturbed *out,
                                     tacit_error *err);

#ifdef __cplusplus
}
#endif
#endif
