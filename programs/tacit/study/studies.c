/* studies.c - `tacit studies`: what a storage holds, or a coordinator. */
#include "study/study_ref.h"
#include "frame/verbs.h"

#include <inttypes.h>
#include <math.h>
#include <stddef.h>

typedef struct options {
    tc_where where;
    char *repair, *keep;
} options;

static const tc_option table[] = {
    TC_WHERE_OPTIONS(options),
    {.name = "repair",
     .type = TC_OPTION_STRING,
     .offset = offsetof(options, repair),
     .help = "mend this study's journal in a storage that nobody else uses; keeps told values",
     .value = "STUDY"},
    {.name = "keep",
     .type = TC_OPTION_STRING,
     .offset = offsetof(options, keep),
     .help = "with --repair: where the damaged journal is kept (default STUDY-damaged.jsonl)",
     .value = "FILE"},
    {.name = NULL}};

/* name, then what a row says of it; the last two where some study has more outcomes than one value. */
enum { COLUMNS = 10, WITH_OUTCOMES = 12 };
static tc_table *new_table(bool outcomes)
{
    static const char *const columns[WITH_OUTCOMES] = {
        "name",    "algorithm", "direction", "complete",   "failed",   "pruned",
        "running", "planned",   "best",      "best_trial", "feasible", "front"};
    return tc_table_new(outcomes ? WITH_OUTCOMES : COLUMNS, columns);
}

static bool any_outcomes(const tacit_studies *all)
{
    bool any = false;
    for (size_t i = 0; i < tacit_studies_count(all); i++) {
        const tacit_study_summary *s = tacit_studies_get(all, i);
        any |= s->objectives > 1 || s->feasible != s->complete;
    }
    return any;
}

static void put_count(tc_table *t, size_t column, uint64_t n)
{
    if (n != TACIT_UNKNOWN)
        tc_table_integer(t, column, (int64_t)n);
}

static void put_study(tc_table *t, const tacit_study_summary *s, bool outcomes)
{
    tc_table_text(t, 0, s->name);
    tc_table_text(t, 1, s->algorithm);
    char several[32];
    snprintf(several, sizeof several, "%" PRIu64 " objectives", s->objectives);
    tc_table_text(t, 2, s->objectives > 1 ? several : s->direction);
    put_count(t, 3, s->complete);
    put_count(t, 4, s->failed);
    put_count(t, 5, s->pruned);
    put_count(t, 6, s->running);
    put_count(t, 7, s->planned);
    if (!isnan(s->best))
        tc_table_number(t, 8, s->best);
    put_count(t, 9, s->best_trial);
    if (outcomes)
        put_count(t, 10, s->feasible);
    if (outcomes && s->objectives > 1)
        put_count(t, 11, s->front);
    tc_table_end_row(t);
}

static tacit_status get_list(const tc_where *where, bool quiet, tacit_studies **out,
                             tacit_error *err)
{
    tc_way way;
    tacit_storage *storage;
    const tc_study_terms terms = {.threads = 1, .quiet = quiet};
    tacit_status status = tc_way_find(&way, where, &terms, err);
    if (status == TACIT_OK)
        status = tacit_storage_open(&storage, way.url, &way.opts, err);
    if (status == TACIT_OK) {
        status = tacit_storage_list(storage, TACIT_LIST_SUMMARIES, out, err);
        tacit_storage_close(storage);
    }
    tc_way_close(&way);
    return status;
}

static tacit_status list(const tc_invocation *in, tacit_error *err)
{
    const options *o = in->opts;
    tacit_studies *all;
    TC_TRY(get_list(&o->where, in->quiet, &all, err));
    const bool outcomes = any_outcomes(all);
    tc_table *t = new_table(outcomes);
    for (size_t i = 0; i < tacit_studies_count(all); i++)
        put_study(t, tacit_studies_get(all, i), outcomes);
    tacit_studies_free(all);
    return tc_table_print(t, (tc_format)in->format, stdout, err);
}

/* ---- repair ---- */

static void print_line(void *user, const char *line)
{
    (void)user;
    printf("%s\n", line);
}

static tacit_status repair(const options *o, tacit_error *err)
{
    tacit_repair_opts opts = TACIT_REPAIR_OPTS;
    tacit_repair_info done = TACIT_REPAIR_INFO;
    opts.keep = o->keep;
    opts.say = print_line;
    TC_TRY(tacit_storage_repair(tc_storage_url(o->where.storage), o->repair, &opts, &done, err));
    if (done.damaged)
        printf("study %s is mended: %" PRIu64 " events kept, %" PRIu64 " lost\n", o->repair,
               done.kept, done.lost);
    else
        printf("study %s is whole: there is nothing to repair\n", o->repair);
    return TACIT_OK;
}

static tacit_status run(const tc_invocation *in, tacit_error *err)
{
    const options *o = in->opts;
    const char *url;
    TC_TRY(tc_where_server(&o->where, &url, err));
    if (o->keep && !o->repair)
        return tc_fail(err, TACIT_E_ARG, "--keep goes with --repair STUDY");
    if (o->repair && url)
        return tc_fail(
            err, TACIT_E_ARG,
            "--repair mends a storage, not a coordinator's study: stop the coordinator and "
            "run it with --storage");
    if (o->repair)
        return repair(o, err);
    return list(in, err);
}

const tc_verb tc_verb_studies = {
    .name = "studies",
    .usage = "[options]",
    .summary = "list the studies of a storage or a coordinator, with their best values",
    .details =
        "With --repair it mends one study whose journal cannot be read: a byte has changed,\n"
        "events are gone, or one tells of a trial that does not exist. Events that can be read\n"
        "are kept, and all told values whose point is known. It prints what was lost, a line\n"
        "each, and keeps the damaged journal in a file. Stop every program that uses the\n"
        "storage first. Privacy ledgers are not touched.\n"
        "\n"
        "  tacit studies\n"
        "  tacit studies --repair branin --storage sqlite:////srv/tacit.db\n"
        "  tacit studies --storage sqlite:////srv/tacit.db --format json\n"
        "  tacit studies --server https://tacit.example:8443 --token-file viewer.txt",
    .options = table,
    .options_size = sizeof(options),
    .run = run};
