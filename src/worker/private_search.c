/* private_search.c - the loop of a private search, see <tacit/experimental/search.h>: pay, draw K, run, release the winner.
 *
 * What must not be known outside stays in this struct: K, how many runs are left, and every run but the best. */
#include <tacit/experimental/search.h>

#include "algo/single/design.h"
#include "base/api.h"
#include "base/memory.h"
#include "privacy/ledger_handle.h"
#include "privacy/repeats.h"
#include "privacy/search_ledger.h"
#include "worker/evaluator.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

enum { TICK_MS = 250, JOBS_MOST = 1024 };

typedef struct run {
    bool used;
    uint64_t id; /* random: it names the run to its program, and decides between equal scores */
    double *values;
} run;

typedef struct search {
    const tacit_document *document;
    tacit_search_opts opts;
    tc_search_plan plan;
    tacit_worker_opts worker; /* what an evaluator reads */
    tc_evaluator *evaluator;
    tc_arena memory;
    tc_noise noise;
    tc_entropy entropy;
    size_t n; /* parameters */
    run *runs;
    size_t running;
    uint64_t left;
    double *place; /* scratch of n */
    bool found;
    uint64_t best_id;
    double *best; /* n values and the score */
} search;

static TC_SIZED(sized_opts, tacit_search_opts, user, user);

/* ---- what is asked for ---- */

static tacit_status check_document(const tacit_document *d, tacit_error *err)
{
    if (tacit_document_agents(d) > 0)
        return tc_fail(err, TACIT_E_ARG,
                       "a search is of one party, and study %s is of a federation",
                       tacit_document_name(d));
    if (tacit_document_outcomes(d) > 1)
        return tc_fail(err, TACIT_E_ARG,
                       "a search has one score, and study %s has %zu outcomes of a trial",
                       tacit_document_name(d), tacit_document_outcomes(d));
    if (strcmp(tacit_document_algorithm(d), "random") == 0)
        return TACIT_OK;
    return tc_fail(err, TACIT_E_ARG,
                   "a search draws its points at random, independently of each other: the "
                   "document's algorithm must be \"random\", got \"%s\"",
                   tacit_document_algorithm(d));
}

static tacit_status check_score(const tacit_search_opts *o, tacit_error *err)
{
    if (!(o->score_noise >= 0))
        return tc_fail(err, TACIT_E_ARG, "score_noise must be 0 or more, got %g", o->score_noise);
    if (o->score_noise == 0 && (o->low != 0 || o->high != 0 || o->sensitivity != 0))
        return tc_fail(
            err, TACIT_E_ARG,
            "low, high and sensitivity are for noise on the score, and score_noise is 0");
    return TACIT_OK;
}

static tacit_status take_plan(search *s, const tacit_document *document,
                              const tacit_search_opts *opts, tacit_error *err)
{
    tacit_search_opts *o = &s->opts;
    TC_GIVEN(document);
    TC_TRY(tc_sized_take(&sized_opts, o, opts, "opts", err));
    if (o->n_events > 0)
        TC_GIVEN(o->events);
    TC_TRY(check_document(document, err));
    TC_TRY(check_score(o, err));
    s->document = document;
    s->n = tacit_space_params(tacit_document_space(document));
    s->plan = (tc_search_plan){.repeats = o->repeats,
                               .events = o->events,
                               .n = o->n_events,
                               .replacing = o->replacing,
                               .noised = o->score_noise > 0};
    if (s->plan.noised)
        s->plan.score =
            (tc_value_plan){.low = o->low,
                            .high = o->high,
                            .failed = tacit_document_maximizes(document) ? o->low : o->high,
                            .sensitivity = o->sensitivity,
                            .z = o->score_noise};
    return tc_search_plan_check(&s->plan, err);
}

static tacit_status check_evaluation(const tacit_search_opts *o, tacit_error *err)
{
    if (!o->evaluate == !o->command)
        return tc_fail(err, TACIT_E_ARG,
                       "give either a function (evaluate) or a program (command)");
    if (o->jobs > JOBS_MOST)
        return tc_fail(err, TACIT_E_ARG, "jobs must be at most %d, got %" PRIu64, JOBS_MOST,
                       o->jobs);
    if (o->timeout_ms < 0)
        return tc_fail(err, TACIT_E_ARG, "timeout_ms must be 0 or more, got %" PRId64,
                       o->timeout_ms);
    if (o->timeout_ms > 0 && o->evaluate)
        return tc_fail(err, TACIT_E_ARG,
                       "timeout_ms is for programs: a function cannot be ended from outside");
    return TACIT_OK;
}

static void no_lease(void *loop)
{
    (void)loop;
}

/* Everything that can fail for a reason of the caller's does so here, before anything is paid for. */
static tacit_status prepare(search *s, tacit_error *err)
{
    const tacit_search_opts *o = &s->opts;
    TC_TRY(check_evaluation(o, err));
    tacit_worker_opts worker = TACIT_WORKER_OPTS;
    worker.evaluate = o->evaluate;
    worker.command = o->command;
    worker.jobs = o->jobs ? o->jobs : 1;
    worker.timeout_ms = o->timeout_ms;
    worker.user = o->user;
    s->worker = worker;
    TC_TRY(o->command ? tc_evaluator_program(&s->evaluator, s->document, &s->worker, false, err)
                      : tc_evaluator_function(&s->evaluator, s->document, &s->worker, err));
    s->evaluator->tick = no_lease;
    if (s->evaluator->silence)
        s->evaluator->silence(s->evaluator);
    s->runs = TC_TAKE(&s->memory, worker.jobs, run);
    double *values = TC_TAKE(&s->memory, worker.jobs * s->n, double);
    s->place = TC_TAKE(&s->memory, s->n, double);
    s->best = TC_TAKE(&s->memory, s->n + 1, double);
    if (s->memory.failed)
        return tc_fail_memory(err);
    for (size_t i = 0; i < worker.jobs; i++)
        s->runs[i].values = values + i * s->n;
    return TACIT_OK;
}

/* ---- runs ---- */

static uint64_t draw_bits(search *s)
{
    return s->entropy.u64(s->entropy.ctx) >> 11;
}

static run *find_run(search *s, bool used, uint64_t id)
{
    for (size_t i = 0; i < s->worker.jobs; i++)
        if (s->runs[i].used == used && (!used || s->runs[i].id == id))
            return &s->runs[i];
    return NULL;
}

static tacit_status start_run(search *s, tacit_error *err)
{
    run *r = find_run(s, false, 0);
    do
        r->id = draw_bits(s);
    while (find_run(s, true, r->id));
    for (size_t i = 0; i < s->n; i++)
        s->place[i] = ldexp((double)draw_bits(s), -53);
    tc_design_values(tacit_document_space(s->document), s->place, r->values);
    TC_TRY(s->evaluator->start(s->evaluator, r->id, r->values, err));
    r->used = true;
    s->left--;
    s->running++;
    return TACIT_OK;
}

/* Runs are ordered by their score, and by their number where scores are equal: an order of outcomes, whatever came first. */
static bool is_better(const search *s, double score, uint64_t id)
{
    double best = s->best[s->n];
    if (!s->found || score == best)
        return !s->found || id > s->best_id;
    return tacit_document_maximizes(s->document) ? score > best : score < best;
}

static tacit_status end_run(search *s, const tc_job_result *result, tacit_error *err)
{
    run *r = find_run(s, true, result->trial);
    double score;
    TC_TRY(tc_search_score(&s->plan, result->ok ? result->value : (double)NAN, &s->entropy, &score,
                           err));
    if (!isnan(score) && is_better(s, score, r->id)) {
        memcpy(s->best, r->values, s->n * sizeof *s->best);
        s->best[s->n] = score;
        s->best_id = r->id;
        s->found = true;
    }
    r->used = false;
    s->running--;
    return TACIT_OK;
}

static tacit_status stopped(tacit_error *err)
{
    return tc_fail(
        err, TACIT_E_CANCELLED,
        "the search was stopped: it is paid for, has no winner, and cannot be continued");
}

static tacit_status run_all(search *s, tacit_error *err)
{
    while (s->left > 0 || s->running > 0) {
        tc_job_result result;
        bool done;
        if (s->opts.stop && s->opts.stop(s->opts.user))
            return stopped(err);
        while (s->left > 0 && s->running < s->worker.jobs)
            TC_TRY(start_run(s, err));
        tacit_status status = s->evaluator->wait(s->evaluator, TICK_MS, &result, &done, err);
        if (status == TACIT_E_CANCELLED)
            return stopped(err);
        TC_TRY(status);
        if (done)
            TC_TRY(end_run(s, &result, err));
    }
    return TACIT_OK;
}

/* ---- the search ---- */

static tacit_status pay(search *s, tc_search_paid *paid, tacit_error *err)
{
    char *text;
    TC_TRY(tacit_document_text(s->document, &text, err));
    tacit_status status = tc_search_reserve(tc_ledger_of(s->opts.ledger), &s->plan, s->opts.epsilon,
                                            s->opts.delta, text, paid, err);
    tacit_text_free(text);
    return status;
}

static tacit_status search_and_release(search *s, tacit_search_winner *out, tacit_error *err)
{
    tc_search_paid paid;
    tacit_head head;
    TC_TRY(prepare(s, err));
    TC_TRY(pay(s, &paid, err));
    tc_entropy_fresh(&s->entropy);
    s->left = tc_repeats_draw(&s->plan.repeats, &s->entropy);
    TC_TRY(run_all(s, err));
    TC_TRY(tc_search_release(tc_ledger_of(s->opts.ledger), &s->plan, &paid, s->best,
                             s->found ? s->n + 1 : 0, &s->entropy, &head, err));
    *out = (tacit_search_winner){.entry = head.seq, .score = s->best[s->n], .found = s->found};
    return TACIT_OK;
}

static void finish(search *s)
{
    if (s->evaluator)
        s->evaluator->free(s->evaluator);
    tc_noise_fini(&s->noise);
    tc_arena_fini(&s->memory);
}

tacit_status tacit_search_run(const tacit_document *document, const tacit_search_opts *opts,
                              double *values, tacit_search_winner *out, tacit_error *err)
{
    search s = {0};
    tacit_search_winner won;
    TC_TRY(take_plan(&s, document, opts, err));
    TC_GIVEN(values);
    TC_GIVEN(out);
    if (!s.opts.ledger)
        return tc_fail(err, TACIT_E_ARG, "ledger must not be NULL: a search is paid for");
    tc_noise_init(&s.noise);
    s.entropy = tc_entropy_of(&s.noise);
    tacit_status status = search_and_release(&s, &won, err);
    if (status == TACIT_OK) {
        won.size = out->size;
        *out = won;
        if (won.found)
            memcpy(values, s.best, s.n * sizeof *values);
    }
    finish(&s);
    return status;
}

/* ---- its price ---- */

tacit_status tacit_search_cost(const tacit_document *document, const tacit_search_opts *opts,
                               tacit_guarantee *out, tacit_error *err)
{
    search s = {0};
    TC_TRY(take_plan(&s, document, opts, err));
    TC_GIVEN(out);
    return tc_search_cost(&s.plan, s.opts.delta, out, err);
}

static void add_promise(const search *s, const tacit_guarantee *g, tc_text *out)
{
    char epsilon[32], delta[32];
    tacit_epsilon_text(epsilon, g->epsilon);
    tacit_delta_text(delta, g->delta);
    tc_text_addf(out,
                 "Record-level privacy: epsilon %s, delta %s (rdp; Papernot and Steinke 2022), for "
                 "the one outcome of the whole search. Neighbours: ",
                 epsilon, delta);
    tc_search_describe(&s->plan, out);
    tc_text_add(out, ".");
}

tacit_status tacit_search_statement(const tacit_document *document, const tacit_search_opts *opts,
                                    char **text, tacit_error *err)
{
    search s = {0};
    tacit_guarantee g = TACIT_GUARANTEE;
    tc_text words = {0};
    TC_TRY(take_plan(&s, document, opts, err));
    TC_GIVEN(text);
    TC_TRY(tc_search_cost(&s.plan, s.opts.delta, &g, err));
    add_promise(&s, &g, &words);
    tc_text_add(&words,
                " It holds if every run releases what is described here and nothing else, also "
                "when it fails, and if the program keeps nothing of a run.");
    if (s.plan.noised)
        tc_text_add(&words,
                    " That one record moves a score by no more is the program's to see to: each "
                    "record's loss is clipped in it.");
    tc_text_add(
        &words,
        " Not protected: from whoever sees how long the search takes, or sees its processes "
        "or files, since that tells the number of runs and more; and the space, the "
        "number of records and the terms of the search, which are public. Scores seen by other "
        "means, a search that is stopped in view of them, and another search cost extra.");
    return tc_text_hand_out(&words, text, err);
}
