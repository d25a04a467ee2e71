/* records_options.h - "--records N" and its like on a command line: what a party declares to a study that protects validation
 * records (<tacit/records.h>). For optimize.c, ask.c, tell.c and federation/agent.c. */
#ifndef TC_PROGRAM_RECORDS_OPTIONS_H
#define TC_PROGRAM_RECORDS_OPTIONS_H

#include "frame/cli.h"

#include <tacit/records.h>

/* Of an option struct: `tc_records_words records`. */
typedef struct tc_records_words {
    int64_t n, class_floor, per_person;
    char *range, *trainer;
    double sensitivity;
    char *ledger;
    double epsilon, delta;
} tc_records_words;

/* What all have. */
#define TC_RECORDS_OPTIONS(type)                                                                   \
    TC_INT_OPTION("records", offsetof(type, records.n), "0", 0, 1e15,                              \
                  "studies that protect records: how many validation records this party has; "     \
                  "public",                                                                        \
                  .value = "N"),                                                                   \
        TC_STRING_OPTION("range", offsetof(type, records.range), NULL,                             \
                         "the range of each record's loss, within the document's",                 \
                         .value = "LOW:HIGH"),                                                     \
        TC_FLOAT_OPTION("sensitivity", offsetof(type, records.sensitivity), "0", 0, 1e300,         \
                        "in place of --records: by how much one record moves the metric at most"), \
        TC_INT_OPTION("class-floor", offsetof(type, records.class_floor), "0", 0, 1e15,            \
                      "metric auc: records that either class has at least", .value = "M"),         \
        TC_INT_OPTION("per-person", offsetof(type, records.per_person), "0", 0, 1e15,              \
                      "records that one person has at most, which are protected together; 0: one", \
                      .value = "M"),                                                               \
        TC_STRING_OPTION("trainer", offsetof(type, records.trainer), NULL,                         \
                         "what the private trainer of one trial costs at most, charged with "      \
                         "every trial: an event of dp_accounting, as "                             \
                         "{\"dp_event\": \"Gaussian\", \"noise_multiplier\": 5}, where one "       \
                         "training record is added or removed; needs --epsilon and --delta",       \
                         .value = "JSON")

/* What those have besides who have no ledger yet. */
#define TC_RECORDS_LEDGER_OPTIONS(type)                                                            \
    TC_STRING_OPTION(                                                                              \
        "ledger", offsetof(type, records.ledger), "records",                                       \
        "with --records: the ledger of these records; studies on the same ones share "             \
        "it",                                                                                      \
        .value = "NAME"),                                                                          \
        TC_FLOAT_OPTION("epsilon", offsetof(type, records.epsilon), "0", 0, 1e6,                   \
                        "with --records: what that ledger may spend over all its studies; 0: the " \
                        "promise of this study, with no other beside it"),                         \
        TC_FLOAT_OPTION("delta", offsetof(type, records.delta), "0", 0, 1, "of --epsilon")

/* Was anything declared? */
bool tc_records_given(const tc_records_words *w);
/* E_ARG: a range that is none. */
tacit_status tc_records_read(const tc_records_words *w, tacit_records_opts *out, tacit_error *err);
/* E_ARG: records are declared where none are protected, or not declared where they are; or what is wrong with
 * them. Before a storage is touched. */
tacit_status tc_records_check(const tacit_document *doc, const tc_records_words *w,
                              tacit_error *err);
/* Declares them to an open study, if it protects records, and says what that means. */
tacit_status tc_records_declare(tacit_study *s, const tc_records_words *w,
                                const char *ledger_storage, bool quiet, tacit_error *err);

#endif
