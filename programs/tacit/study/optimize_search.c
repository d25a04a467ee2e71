/* optimize_search.c - see optimize_search.h.
 *
 * Nothing is written while it runs, on whatever stream: how many runs there are is a secret. */
#include "study/optimize_search.h"
#include "study/trial_rows.h"
#include "frame/frame.h"

#include "base/memory.h"

#include <tacit/experimental/search.h>

#include <math.h>
#include <string.h>

enum { SEARCH = 1 };

/* ---- options ---- */

static const char *const searches[] = {
    "distribution", "shape",           "noise-multiplier", "sampling-rate", "sampling", "rounds",
    "mechanism",    "release-epsilon", "relation",         "score-noise",   NULL};
static const char *const studies[] = {"server",         "fingerprint",  "token-file",
                                      "max-failures",   "lease-s",      "patience-s",
                                      "any-choices",    "threads",      "user",
                                      "ledger-storage", "class-floor",  "per-person",
                                      "trainer",        "ca",           "proxy",
                                      "prune",          "prune-warmup", "prune-min-trials",
                                      "prune-min-step", "prune-factor", NULL};

tacit_status tc_search_options_check(const tc_search_options *o, const tc_invocation *in,
                                     tacit_error *err)
{
    bool search = o->protect == SEARCH;
    for (const char *const *name = search ? studies : searches; *name; name++)
        if (tc_given(in, *name))
            return tc_fail(err, TACIT_E_ARG,
                           search ? "--%s is not for --protect search, which keeps no study"
                                  : "--%s is for --protect search, which is not given",
                           *name);
    return TACIT_OK;
}

static tacit_status check_run(const tc_search_options *o, const tc_invocation *in, tacit_error *err)
{
    bool gaussian = o->mechanism == 0,
         described = o->noise_multiplier > 0 || o->release_epsilon > 0;
    if (gaussian && o->release_epsilon > 0)
        return tc_fail(err, TACIT_E_ARG, "--release-epsilon does not describe a Gaussian release");
    if (!gaussian && (o->noise_multiplier > 0 || o->release_epsilon == 0))
        return tc_fail(err, TACIT_E_ARG,
                       "a Laplace or pure release is described by --release-epsilon alone");
    if (!described && o->score_noise == 0)
        return tc_fail(err, TACIT_E_ARG,
                       "say what a run releases: --noise-multiplier for its training and its "
                       "score, or --score-noise for a score that gets its noise here");
    if (!described && (tc_given(in, "rounds") || tc_given(in, "sampling-rate")))
        return tc_fail(err, TACIT_E_ARG,
                       "--rounds and --sampling-rate describe releases with --noise-multiplier, "
                       "which is not given");
    return TACIT_OK;
}

static tacit_status check_score(const tc_search_options *o, const tc_records_words *r,
                                tacit_error *err)
{
    bool moves = r->n > 0 || r->sensitivity > 0;
    if (o->score_noise == 0 && (r->range || r->sensitivity > 0))
        return tc_fail(err, TACIT_E_ARG, "--%s is for --score-noise, which is not given",
                       r->range ? "range" : "sensitivity");
    if (o->score_noise > 0 && (!r->range || !moves))
        return tc_fail(err, TACIT_E_ARG,
                       "--score-noise needs --range and either --records or --sensitivity");
    if (r->n > 0 && r->sensitivity > 0)
        return tc_fail(err, TACIT_E_ARG, "give either --records or --sensitivity, not both");
    return TACIT_OK;
}

static tacit_status check_limit(const tc_search_work *w, tacit_error *err)
{
    const tc_records_words *r = w->records;
    if (w->trials == 0)
        return tc_fail(err, TACIT_E_ARG, "--trials is needed: the mean number of runs");
    if (r->epsilon == 0)
        return tc_fail(err, TACIT_E_ARG,
                       "--epsilon is needed: what a record may spend over the whole ledger");
    if (r->delta == 0 && r->n == 0)
        return tc_fail(err, TACIT_E_ARG, "--delta is needed where --records is not given");
    return r->delta > 0 && r->n > 0 ? tacit_delta_check("--delta", r->delta, (uint64_t)r->n, err)
                                    : TACIT_OK;
}

/* A mean of n losses moves by no more than the width over n. */
static tacit_status take_score(const tc_search_options *o, const tc_records_words *r,
                               tacit_search_opts *s, tacit_error *err)
{
    tacit_records_opts declared;
    s->score_noise = o->score_noise;
    if (o->score_noise == 0)
        return TACIT_OK;
    TC_TRY(tc_records_read(r, &declared, err));
    s->low = declared.low;
    s->high = declared.high;
    s->sensitivity = r->sensitivity;
    if (r->n > 0)
        s->sensitivity = (s->high - s->low) / (double)r->n;
    return TACIT_OK;
}

static tacit_status take_run(const tc_search_options *o, tacit_dp_event *event,
                             tacit_search_opts *s, tacit_error *err)
{
    tacit_dp_sampling sampling;
    TC_TRY(tc_privacy_sampling(o->sampling_rate, o->sampling, TACIT_UNIT_AGENT, 0, &sampling, err));
    *event = (tacit_dp_event){(tacit_dp_mechanism)o->mechanism,
                              o->mechanism == 0 ? o->noise_multiplier : o->release_epsilon,
                              sampling, o->sampling_rate, (uint64_t)o->rounds};
    s->events = event;
    s->n_events = event->parameter > 0;
    s->replacing = o->relation == 1;
    return TACIT_OK;
}

static tacit_status take_options(const tc_search_options *o, const tc_search_work *w,
                                 const tc_invocation *in, tacit_dp_event *event,
                                 tacit_search_opts *s, tacit_error *err)
{
    bool poisson = o->distribution == TACIT_REPEATS_POISSON;
    if (poisson && tc_given(in, "shape"))
        return tc_fail(err, TACIT_E_ARG, "--shape is for --distribution negative-binomial");
    TC_TRY(check_limit(w, err));
    TC_TRY(check_run(o, in, err));
    TC_TRY(check_score(o, w->records, err));
    TC_TRY(take_run(o, event, s, err));
    TC_TRY(take_score(o, w->records, s, err));
    s->repeats = (tacit_repeats){sizeof s->repeats, (tacit_repeats_kind)o->distribution,
                                 (double)w->trials, poisson ? 0 : o->shape};
    s->command = in->command;
    s->jobs = (uint64_t)w->jobs;
    s->timeout_ms = w->timeout_ms;
    s->epsilon = w->records->epsilon;
    s->delta =
        w->records->delta > 0 ? w->records->delta : tacit_delta_default((uint64_t)w->records->n);
    s->stop = tc_stop_at_interrupt;
    return TACIT_OK;
}

/* ---- the outcome ---- */

typedef struct outcome {
    const tacit_space *space;
    const char *ledger;
    tacit_search_winner winner;
    tacit_guarantee cost;
    char *statement;
    double *values;
} outcome;

static json_t *outcome_json(const outcome *w)
{
    return json_pack("{s:s, s:I, s:f, s:f, s:s}", "ledger", w->ledger, "entry",
                     (json_int_t)w->winner.entry, "epsilon", w->cost.epsilon, "delta",
                     w->cost.delta, "statement", w->statement);
}

static tacit_status print_outcome(const outcome *w, int format, tacit_error *err)
{
    TC_TRY(tc_winner_print(w->space, w->winner.found ? w->values : NULL, w->winner.score,
                           outcome_json(w), format, stdout, err));
    if (format == TC_FORMAT_TABLE) {
        putchar('\n');
        tc_privacy_paragraph(w->statement);
    }
    return TACIT_OK;
}

/* ---- the search ---- */

static tacit_status search(const tacit_document *d, tacit_search_opts *s, const tc_search_work *w,
                           const tc_invocation *in, tacit_error *err)
{
    outcome found = {.space = tacit_document_space(d),
                     .ledger = w->records->ledger,
                     .winner = TACIT_SEARCH_WINNER,
                     .cost = TACIT_GUARANTEE};
    char epsilon[32], delta[32];
    TC_TRY(tacit_search_cost(d, s, &found.cost, err));
    TC_TRY(tacit_search_statement(d, s, &found.statement, err));
    tacit_epsilon_text(epsilon, found.cost.epsilon);
    tacit_delta_text(delta, found.cost.delta);
    found.values = tc_alloc(tacit_space_params(found.space) + 1, sizeof *found.values);
    tacit_status status = found.values
                              ? tacit_ledger_create(&s->ledger, tc_storage_url(w->where->storage),
                                                    w->records->ledger, err)
                              : tc_fail_memory(err);
    if (status == TACIT_OK) {
        tc_note(in->quiet,
                "the search costs epsilon %s at delta %s, charged to ledger %s before it "
                "starts; nothing is shown until it ends",
                epsilon, delta, w->records->ledger);
        status = tacit_search_run(d, s, found.values, &found.winner, err);
    }
    tacit_ledger_close(s->ledger);
    if (status == TACIT_OK)
        status = print_outcome(&found, in->format, err);
    tc_free(found.values);
    tacit_text_free(found.statement);
    return status;
}

tacit_status tc_search_work_do(const tc_search_options *o, const tc_search_work *w,
                               const tc_invocation *in, tacit_error *err)
{
    tacit_search_opts s = TACIT_SEARCH_OPTS;
    tacit_dp_event event;
    tacit_document *d;
    TC_TRY(take_options(o, w, in, &event, &s, err));
    if (!tc_is_document(in->args[0]))
        return tc_fail(
            err, TACIT_E_ARG,
            "--protect search needs the document itself, got the name \"%s\": it keeps no "
            "study",
            in->args[0]);
    TC_TRY(tacit_document_read(&d, in->args[0], err));
    tacit_status status = search(d, &s, w, in, err);
    tacit_document_free(d);
    return status;
}
