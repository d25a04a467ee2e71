/* import.c - `tacit import`: earlier results from a file (import_rows.h) into a storage. */
#include "study/import_rows.h"
#include "study/study_ref.h"
#include "frame/verbs.h"

#include <stddef.h>

typedef struct options {
    char *storage;
} options;

static const tc_option table[] = {TC_STORAGE_OPTION(options), {.name = NULL}};

static tacit_status print(const tc_import_rows *m, int format, tacit_error *err)
{
    static const char *const names[] = {"imported", "skipped"};
    tc_table *t = tc_table_new(2, names);
    tc_table_integer(t, 0, (int64_t)m->n);
    tc_table_integer(t, 1, (int64_t)m->skipped);
    tc_table_end_row(t);
    return tc_table_print(t, (tc_format)(format == TC_FORMAT_JSON ? TC_FORMAT_JSONL : format),
                          stdout, err);
}

/* A document's space is known before its study exists, so bad rows create nothing. */
static tacit_status import_file(tc_study_ref *r, tc_import_rows *m, const tc_invocation *in,
                                tacit_error *err)
{
    const options *o = in->opts;
    const char *server;
    /* Into a storage only, also where TACIT_SERVER is set. */
    const tc_where where = {.storage = (char *)tc_storage_url(o->storage)};
    const tc_study_terms terms = {.create = true, .threads = 1, .quiet = in->quiet};
    TC_TRY(tc_where_server(&where, &server, err));
    if (server) /* before a document's study is made there */
        return tc_fail(err, TACIT_E_UNSUPPORTED,
                       "a coordinator takes no earlier results: import them into its storage");
    TC_TRY(tc_study_ref_name(r, in->args[0], err));
    if (r->given)
        TC_TRY(tc_import_read(m, r->given, in->args[1], in->quiet, err));
    TC_TRY(tc_study_ref_open(r, in->args[0], &where, &terms, err));
    if (!r->given)
        TC_TRY(tc_import_read(m, tacit_study_document(r->study), in->args[1], in->quiet, err));
    TC_TRY(tacit_study_import_outcomes(r->study, m->n, m->values, m->y, err));
    return print(m, in->format, err);
}

static tacit_status run(const tc_invocation *in, tacit_error *err)
{
    tc_study_ref r = {0};
    tc_import_rows rows = {0};
    tacit_status status = import_file(&r, &rows, in, err);
    tc_import_fini(&rows);
    tc_study_ref_close(&r);
    return status;
}

const tc_verb tc_verb_import = {
    .name = "import",
    .usage = "STUDY FILE [options]",
    .summary = "add earlier results to a study, from a CSV or JSON file",
    .details =
        "FILE is CSV, unless it ends in .json or .jsonl. The header names the columns: one\n"
        "per parameter (x, or params_x as Optuna and tacit export write it), \"value\", and\n"
        "perhaps \"state\"; others are passed over. Several outcomes have a column each (latency,\n"
        "or outcomes_latency as tacit export writes it).\n"
        "Rows whose state is not COMPLETE, those of pruned trials among them, are skipped and\n"
        "counted, and intermediate values are not read (tacit backup keeps all). One bad row,\n"
        "and nothing is imported. A study document as STUDY creates the study if need be.\n"
        "Of a study with ldp-* the values are private replies, never rewards.\n"
        "JSON is what tacit export writes: an array of trials, or one on each line of .jsonl,\n"
        "of which \"state\", \"value\" or \"outcomes\", and \"params\" are read.\n"
        "\n"
        "  tacit import study.json earlier.csv\n"
        "  tacit import study.json earlier.json",
    .options = table,
    .options_size = sizeof(options),
    .min_args = 2,
    .max_args = 2,
    .run = run};
