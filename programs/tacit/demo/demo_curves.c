/* demo_curves.c - the hospitals' best log-losses, together and alone, trial by trial (demo_int.h). */
#include "demo/demo_int.h"

#include "base/memory.h"
#include "base/pool.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

tacit_status tc_demo_curves_init(tc_demo_curves *c, const tc_demo_plan *plan, tacit_error *err)
{
    const size_t n = plan->hospitals * plan->trials;
    *c = (tc_demo_curves){
        .hospitals = plan->hospitals, .trials = plan->trials, .records = plan->records};
    c->together = tc_alloc(n, sizeof *c->together);
    c->alone = tc_alloc(n, sizeof *c->alone);
    return c->together && c->alone ? TACIT_OK : tc_fail_memory(err);
}

void tc_demo_curves_fini(tc_demo_curves *c)
{
    tc_free(c->together);
    tc_free(c->alone);
    *c = (tc_demo_curves){0};
}

static int by_size(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Between the two neighbours, as most programs do. */
static double quantile(const double *sorted, size_t n, double p)
{
    double at = p * (double)(n - 1), whole = floor(at);
    size_t i = (size_t)whole;
    double next = i + 1 < n ? sorted[i + 1] : sorted[i];
    return sorted[i] + (at - whole) * (next - sorted[i]);
}

/* The drops of all hospitals on one side. */
static void add_drops(const tc_demo_curves *c, size_t t, int side, tc_demo_moment *out)
{
    const double *best = side == 0 ? c->together : c->alone;
    double drops[TC_HOSPITALS_MOST], sum = 0;
    for (size_t i = 0; i < c->hospitals; i++) {
        const double *own = best + i * c->trials;
        drops[i] = own[c->start - 1] - own[t];
        sum += drops[i];
    }
    qsort(drops, c->hospitals, sizeof *drops, by_size);
    out->drop[side].mean = sum / (double)c->hospitals;
    out->drop[side].low = quantile(drops, c->hospitals, 0.25);
    out->drop[side].high = quantile(drops, c->hospitals, 0.75);
}

tc_demo_moment tc_demo_moment_at(const tc_demo_curves *c, size_t t)
{
    tc_demo_moment m = {0};
    for (size_t i = 0; i < c->hospitals; i++) {
        double a = c->together[i * c->trials + t], b = c->alone[i * c->trials + t];
        m.together += a / (double)c->hospitals;
        m.alone += b / (double)c->hospitals;
        m.ahead += a < b;
        m.behind += a > b;
    }
    for (int side = 0; side < 2; side++)
        add_drops(c, t, side, &m);
    return m;
}

const char *tc_demo_metric(const tc_demo_curves *c)
{
    return c->records ? "true error" : "log-loss";
}

void tc_demo_curves_csv(const tc_demo_curves *c, tc_text *out)
{
    tc_text_add(out, "hospital,trial,together,alone\n");
    for (size_t i = 0; i < c->hospitals; i++)
        for (size_t t = 0; t < c->trials; t++)
            tc_text_addf(out, "%zu,%zu,%.17g,%.17g\n", i + 1, t + 1, c->together[i * c->trials + t],
                         c->alone[i * c->trials + t]);
}

/* ---- each hospital alone ---- */

typedef struct hospital {
    const tc_demo_journal *j;
    tc_check check;
    tc_patient *records;
} hospital;

static tacit_status train(void *user, uint64_t trial, const double *values, double *value,
                          tacit_error *err)
{
    const hospital *h = user;
    tc_settings s = tc_demo_settings(tacit_study_space(h->j->study), values);
    (void)trial;
    (void)err;
    *value = tc_hospital_trial(h->records, h->j->hospital, &h->check, &s);
    return TACIT_OK;
}

/* best[0..n): the smallest value after each trial. */
static tacit_status run_alone(const tc_demo_plan *plan, const tc_demo_journal *j, double *best,
                              size_t *start, tacit_error *err)
{
    const size_t n = plan->trials;
    hospital h = {.j = j, .check = tc_demo_check(plan, j->hospital)};
    TC_TRY(tc_hospital_records(plan->seed, j->hospital, h.check.records, &h.records, err));
    tacit_status status = tacit_agent_alone(j->url, TC_DEMO_STUDY, train, &h, n, best, start, err);
    tc_free(h.records);
    for (size_t t = 1; status == TACIT_OK && t < n; t++)
        best[t] = fmin(best[t], best[t - 1]);
    return status;
}

typedef struct job {
    tc_demo_curves *curves;
    const tc_demo_world *world;
    const tc_demo_journal *all;
    size_t start[TC_HOSPITALS_MOST];
    tacit_status status[TC_HOSPITALS_MOST];
    tacit_error why[TC_HOSPITALS_MOST];
} job;

/* The first points are the same in both; their noise is not. */
static tacit_status find_truth(const job *b, size_t i, tacit_error *err)
{
    const tc_demo_journal *j = &b->all[i];
    const size_t from = i * b->curves->trials;
    TC_TRY(tc_demo_truth(j->study, &b->world->plan, j->hospital, b->curves->together + from, err));
    return tc_demo_truth_alone(b->world, j, b->curves->alone + from, &b->curves->noise_sd[i], err);
}

static tacit_status compare_one(job *b, size_t i, tacit_error *err)
{
    const tc_demo_journal *j = &b->all[i];
    size_t n = b->curves->trials;
    if (j->trials != n)
        return tc_fail(err, TACIT_E_STATE, "hospital %u has %zu values of %zu trials", j->hospital,
                       j->trials, n);
    b->start[i] = j->heard ? j->first : 0;
    memcpy(b->curves->together + i * n, j->best, n * sizeof *j->best);
    if (b->curves->records)
        TC_TRY(find_truth(b, i, err));
    else
        TC_TRY(run_alone(&b->world->plan, j, b->curves->alone + i * n, &b->start[i], err));
    if (b->start[i] == 0)
        return tc_fail(err, TACIT_E_STATE, "hospital %u heard nothing of the others", j->hospital);
    return TACIT_OK;
}

static void run_one(void *ctx, size_t i)
{
    job *b = ctx;
    b->status[i] = compare_one(b, i, &b->why[i]);
}

tacit_status tc_demo_compare(tc_demo_curves *c, const tc_demo_world *w, const tc_demo_journal *all,
                             tacit_error *err)
{
    job b = {.curves = c, .world = w, .all = all};
    tc_pool *pool;
    TC_TRY(tc_pool_new(&pool, 0, err));
    tc_pool_for(pool, c->hospitals, run_one, &b);
    tc_pool_free(pool);
    for (size_t i = 0; i < c->hospitals; i++)
        if (b.status[i] != TACIT_OK)
            return tc_fail(err, b.status[i], "%s", b.why[i].msg);
    c->start = b.start[0];
    return TACIT_OK;
}
