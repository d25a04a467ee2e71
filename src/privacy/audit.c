/* audit.c - the list of cases, and running one of them (<tacit/experimental/audit.h>). */
#include "privacy/audit_int.h"

#include "privacy/accountant.h"

#include "base/api.h"
#include "base/error.h"
#include "base/memory.h"

#include <math.h>

/* One line for each mechanism, then one for each control. */
static const tc_audit_case *const cases[] = {
    &tc_audit_sum,
    &tc_audit_sum_homes,
    &tc_audit_sum_vote,
    &tc_audit_sum_sampled,
    &tc_audit_laplace_vector,
    &tc_audit_record_sum,
    &tc_audit_record_oversize,
    &tc_audit_value,
    &tc_audit_value_failed,
    &tc_audit_laplace_rows,
    &tc_audit_gaussian_rows,
    &tc_audit_rows_order,
    &tc_audit_one_bit,
    &tc_audit_piecewise,
    &tc_audit_laplace_reply,
    &tc_control_transform,
    &tc_control_weights,
    &tc_control_float_laplace,
    &tc_control_empty,
    &tc_control_quorum,
    &tc_control_hash,
    &tc_control_value,
};

enum { COUNT = sizeof cases / sizeof *cases };
enum { LEARNING_RUNS = 20000 }; /* of each world at most, before those that count */

size_t tacit_audit_count(void)
{
    return COUNT;
}

const char *tacit_audit_name(size_t i)
{
    return i < COUNT ? cases[i]->name : NULL;
}

/* ---- claims */

static bool is_pure(const tacit_dp_event *e)
{
    return e->mechanism == TACIT_DP_LAPLACE || e->mechanism == TACIT_DP_PURE;
}

tacit_status tc_audit_claim_event(const tacit_dp_event *e, double delta, tc_audit_claim *out,
                                  tacit_error *err)
{
    tacit_guarantee g;
    const tc_accountant *a = is_pure(e) ? &tc_accountant_pure : &tc_accountant_pld;
    TC_TRY(tc_account(a, e, 1, delta, &g, err));
    *out = (tc_audit_claim){.epsilon = g.epsilon, .delta = is_pure(e) ? 0 : delta};
    return TACIT_OK;
}

tacit_status tc_audit_claim_of(const tc_release *r, uint64_t rounds, double delta,
                               tc_audit_claim *out, tacit_error *err)
{
    tacit_dp_event e = tc_release_get(r)->event;
    e.count *= rounds;
    TC_TRY(tc_audit_claim_event(&e, delta, out, err));
    out->delta += (double)rounds * tc_release_slack(r, out->epsilon);
    return TACIT_OK;
}

tacit_status tc_audit_sum_up(const tc_sum_plan *plan, size_t first, size_t n, const int64_t *v,
                             size_t stride, tc_entropy *e, tc_release **out, tacit_error *err)
{
    tc_sum *sum;
    TC_TRY(tc_sum_open(&sum, plan, e, err));
    tacit_status status = TACIT_OK;
    for (size_t i = 0; i < n && status == TACIT_OK; i++)
        status = tc_sum_fold(sum, first + i, v + i * stride, err);
    if (status == TACIT_OK)
        status = tc_sum_close(sum, out, err);
    tc_sum_free(sum);
    return status;
}

/* ---- running a case */

/* Entropy of the operating system, or a seeded stream. */
typedef struct source {
    tc_noise noise;
    tc_test_noise test;
    tc_entropy entropy;
} source;

static void source_start(source *s, const tacit_audit_opts *o, uint64_t step)
{
    tc_noise_init(&s->noise);
    tc_test_noise_init(&s->test, (uint64_t)o->test_seed, step);
    s->entropy = o->test_seed >= 0 ? tc_entropy_of_test(&s->test) : tc_entropy_of(&s->noise);
}

static void source_end(source *s)
{
    tc_noise_fini(&s->noise);
}

/* Memory for one case. */
typedef struct bench {
    tc_arena arena;
    void *state;
    source *source;
    tc_audit_learner *learner;
    tc_audit_scores scores[2]; /* the case's own, and the learned one */
} bench;

static tacit_status bench_init(bench *b, const tc_audit_case *c, size_t runs, tacit_error *err)
{
    *b = (bench){0};
    b->state = tc_arena_take(&b->arena, 1, c->state_size);
    b->source = TC_TAKE(&b->arena, 1, source);
    b->learner = TC_TAKE(&b->arena, 1, tc_audit_learner);
    for (size_t kind = 0; kind < (c->features > 0 ? 2 : 1); kind++)
        for (int world = 0; world < 2; world++)
            b->scores[kind].of[world] = TC_TAKE(&b->arena, runs, double);
    if (b->arena.failed)
        return tc_fail_memory(err);
    b->learner->features = c->features;
    return TACIT_OK;
}

static tacit_status look_once(const tc_audit_case *c, bench *b, int world, tc_audit_look *look,
                              tacit_error *err)
{
    TC_TRY(c->run(b->state, world, &b->source->entropy, look, err));
    if (isnan(look->score))
        return tc_fail(err, TACIT_E_NUMERIC, "a run gave a score that is no number");
    return TACIT_OK;
}

/* Runs of their own, whose scores do not count. */
static tacit_status learn(const tc_audit_case *c, bench *b, size_t runs, tacit_error *err)
{
    tc_audit_look look = {0};
    size_t enough = runs / 2 < LEARNING_RUNS ? runs / 2 : LEARNING_RUNS;
    for (size_t i = 0; i < enough && c->features > 0; i++)
        for (int world = 0; world < 2; world++) {
            TC_TRY(look_once(c, b, world, &look, err));
            tc_audit_learn_add(b->learner, world, look.x);
        }
    tc_audit_learn_end(b->learner);
    return TACIT_OK;
}

/* Worlds take turns, so that nothing that drifts can tell them apart. */
static tacit_status collect(const tc_audit_case *c, bench *b, size_t runs, tacit_error *err)
{
    tc_audit_look look = {0};
    for (size_t i = 0; i < runs; i++)
        for (int world = 0; world < 2; world++) {
            TC_TRY(look_once(c, b, world, &look, err));
            b->scores[0].of[world][i] = look.score;
            if (c->features > 0)
                b->scores[1].of[world][i] = tc_audit_learn_score(b->learner, look.x);
        }
    return TACIT_OK;
}

static tacit_status run_case(const tc_audit_case *c, bench *b, size_t runs, double alpha,
                             tacit_audit_result *out, tacit_error *err)
{
    tc_audit_claim claim = {0};
    TC_TRY(c->open(b->state, c->setting, &claim, &b->source->entropy, err));
    TC_TRY(learn(c, b, runs, err));
    TC_TRY(collect(c, b, runs, err));
    double lower = tc_audit_bound(b->scores, c->features > 0 ? 2 : 1, runs, claim.delta, alpha);
    *out = (tacit_audit_result){.name = c->name,
                                .attack = c->attack,
                                .control = c->control,
                                .epsilon = claim.epsilon,
                                .delta = claim.delta,
                                .lower = lower,
                                .runs = runs,
                                .pass = lower <= claim.epsilon};
    out->as_expected = out->pass != out->control;
    return TACIT_OK;
}

tacit_status tc_audit_case_run(const tc_audit_case *c, const tacit_audit_opts *o, double alpha,
                               uint64_t step, tacit_audit_result *out, tacit_error *err)
{
    size_t runs = (size_t)(c->most_runs > 0 && c->most_runs < o->runs ? c->most_runs : o->runs);
    bench b;
    tacit_status status = bench_init(&b, c, runs, err);
    if (status == TACIT_OK) {
        source_start(b.source, o, step);
        status = run_case(c, &b, runs, alpha, out, err);
        source_end(b.source);
        if (status != TACIT_OK)
            tc_fail_in(err, "audit of %s", c->name);
    }
    tc_arena_fini(&b.arena);
    return status;
}

tacit_status tacit_audit_run(size_t i, const tacit_audit_opts *opts, tacit_audit_result *out,
                             tacit_error *err)
{
    static const tacit_audit_opts usual = TACIT_AUDIT_OPTS;
    const tacit_audit_opts *o = opts ? opts : &usual;
    TC_GIVEN(out);
    if (i >= COUNT)
        return tc_fail(err, TACIT_E_ARG, "the audit has cases 0 to %d, got %zu", COUNT - 1, i);
    if (o->runs < TACIT_AUDIT_MIN_RUNS || o->runs > TACIT_AUDIT_MAX_RUNS)
        return tc_fail(err, TACIT_E_ARG, "an audit needs %d to %d runs, got %llu",
                       TACIT_AUDIT_MIN_RUNS, TACIT_AUDIT_MAX_RUNS, (unsigned long long)o->runs);
    if (!(o->confidence >= 0.5 && o->confidence < 1))
        return tc_fail_range(err, "the confidence", "[0.5, 1)", o->confidence);
    return tc_audit_case_run(cases[i], o, (1 - o->confidence) / COUNT, i, out, err);
}
