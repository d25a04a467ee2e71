/* own_ask.c - what the next point costs an agent of dp-fts-de with own=gp, alone and with a broadcast, beside gp-ei.
 *
 * Each is told the same values at the same random points. Prints the median processor time of an ask with n observations, one
 * of which is new; an ask that comes first after a fit, and the fit, are left out. One thread. The broadcast says little;
 * "trusted" is the model by itself (algo/own), which hears about the objective and believes it.
 *
 *     bench_own_ask [asks, 15] */
#include "algo/history.h"
#include "algo/optimizer.h"
#include "algo/own/own.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/memory.h"
#include "num/la.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { AGENTS = 50, INITIAL = 10, FEATURES = 100, MOST = 1000 };

typedef struct who {
    const char *name, *algorithm;
    bool federated, hears;
} who;

static const who all[] = {{"gp-ei", "gp-ei", false, false},
                          {"own=gp, alone", "dp-fts-de", true, false},
                          {"own=gp, heard", "dp-fts-de", true, true}};

typedef struct place {
    const char *name;
    tc_space *space;
} place;

static tacit_status make_candidates(place *p, tacit_error *err)
{
    const size_t sides[] = {10, 10, 10};
    const double low[] = {0, 0, 0}, high[] = {1, 1, 1};
    tc_domain *d = NULL;
    p->name = "1000 candidates";
    TC_TRY(tc_domain_grid(&d, 3, sides, low, high, err));
    return tc_space_from_domain(&p->space, d, err);
}

static tacit_status make_box(place *p, tacit_error *err)
{
    const char *const names[] = {"a", "b", "c", "d", "e", "f"};
    p->name = "6-dimensional box";
    TC_TRY(tc_space_new(&p->space, err));
    for (size_t i = 0; i < 6; i++)
        TC_TRY(tc_space_add_float(p->space, names[i], 0, 1, 0, false, err));
    return TACIT_OK;
}

static double objective(const tc_space *s, const double *values)
{
    double u[6], y = 0;
    tc_space_encode(s, values, u);
    for (size_t d = 0; d < s->dim; d++)
        y -= (u[d] - 0.3 - 0.1 * (double)d) * (u[d] - 0.3 - 0.1 * (double)d) + 0.1 * sin(9 * u[d]);
    return y;
}

static tacit_status make(tc_optimizer **out, const who *w, const tc_space *s, tacit_error *err)
{
    tc_optimizer_config cfg = {.space = s,
                               .maximize = true,
                               .public_seed = tc_public_seed_from(1),
                               .party_seed = tc_party_seed_from(2),
                               .agents = w->federated ? AGENTS : 0};
    TC_TRY(tc_algorithm_get(&cfg.algorithm, w->algorithm, err));
    json_t *options =
        w->federated
            ? json_pack("{s:s, s:s, s:i, s:i, s:i, s:s, s:f, s:s}", "own", "gp", "init", "domain",
                        "regions", 1, "initial", INITIAL, "features", FEATURES, "releases", "first",
                        "noise_multiplier", 0.1, "broadcast", w->hears ? "normal" : "none")
            : json_pack("{s:i}", "init", INITIAL);
    cfg.options = options;
    tacit_status status = options ? tc_optimizer_new(out, &cfg, err) : tc_fail_memory(err);
    json_decref(options);
    return status;
}

/* The round of a federation, if one is due: a broadcast that says little. */
static tacit_status pass_round(tc_optimizer *o, tacit_error *err)
{
    uint8_t bytes[8 * FEATURES] = {0};
    tc_event e;
    tc_need need;
    TC_TRY(tc_optimizer_need(o, &need, err));
    if (!(need.may & TC_NEED_PUBLISH))
        return TACIT_OK;
    TC_TRY(tc_optimizer_publish(o, 0, &e, err));
    TC_TRY(tc_optimizer_apply(o, &e, err));
    for (size_t j = 0; j < FEATURES; j++)
        bytes[8 * j + 1] = (uint8_t)(17 * j);
    TC_TRY(tc_optimizer_absorb(o, need.round, bytes, sizeof bytes, 0, &e, err));
    return tc_optimizer_apply(o, &e, err);
}

/* One trial: fits that are due, then the ask, whose time is *ns; 0: a fit came before it. */
static tacit_status run_trial(tc_optimizer *o, bool federated, tc_stream *s, uint64_t *ns,
                              tacit_error *err)
{
    const tc_space *space = tc_optimizer_space(o);
    tc_ask_request req = {0};
    double values[6] = {0};
    tc_event e;
    bool fits = false;
    if (federated)
        TC_TRY(pass_round(o, err));
    for (;;) {
        uint64_t begin = tc_clock_thread_ns();
        TC_TRY(tc_optimizer_next(o, &req, &e, err));
        *ns = fits ? 0 : tc_clock_thread_ns() - begin;
        TC_TRY(tc_optimizer_apply(o, &e, err));
        if (e.kind == TC_EVENT_ASK)
            break;
        fits = true;
    }
    for (size_t p = 0; p < space->n_params; p++)
        values[p] = space->domain ? (double)tc_draw_below(s, space->domain->n) : tc_draw_uniform(s);
    TC_TRY(tc_optimizer_tell(o, e.trial, values, objective(space, values), 0, &e, err));
    return tc_optimizer_apply(o, &e, err);
}

static int ascending(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

static void print_median(const place *p, size_t n, const char *name, size_t asks, uint64_t *times)
{
    qsort(times, asks, sizeof *times, ascending);
    printf("%-18s %5zu  %-14s %8.3f ms\n", p->name, n, name, (double)times[asks / 2] * 1e-6);
    fflush(stdout);
}

/* Up to n observations, and then until there are `asks` times. */
static tacit_status measure(const who *w, const place *p, size_t n, size_t asks, tacit_error *err)
{
    tc_optimizer *o = NULL;
    tc_stream s;
    tc_public_seed seed = tc_public_seed_from(3);
    uint64_t times[MOST], ns;
    tc_stream_public(&s, &seed, TC_FOR_RUN, 0);
    TC_TRY(make(&o, w, p->space, err));
    tacit_status status = TACIT_OK;
    for (size_t i = 0; i < n && status == TACIT_OK; i++)
        status = run_trial(o, w->federated, &s, &ns, err);
    for (size_t i = 0; i < asks && status == TACIT_OK;) {
        status = run_trial(o, w->federated, &s, &ns, err);
        if (ns > 0)
            times[i++] = ns;
    }
    tc_optimizer_free(o);
    TC_TRY(status);
    print_median(p, n, w->name, asks, times);
    return TACIT_OK;
}

/* ---- the model by itself ---- */

/* About the objective in standardised units, with some waves. */
static double heard_at(const void *ctx, const double *u, double *grad)
{
    const size_t dim = *(const size_t *)ctx;
    double y = 0.5;
    for (size_t d = 0; d < dim; d++) {
        const double step = u[d] - 0.3 - 0.1 * (double)d;
        y -= 5 * (step * step + 0.1 * sin(9 * u[d])) + 0.3 * sin(4 * u[d]);
        if (grad)
            grad[d] = -5 * (2 * step + 0.9 * cos(9 * u[d])) - 1.2 * cos(4 * u[d]);
    }
    return y;
}

static void heard_many(const void *ctx, size_t m, const double *X, size_t ldx, double *out)
{
    const size_t dim = *(const size_t *)ctx;
    for (size_t i = 0; i < m; i++) {
        double u[6];
        for (size_t d = 0; d < dim; d++)
            u[d] = X[i + d * ldx];
        out[i] = heard_at(ctx, u, NULL);
    }
}

static tacit_status fit_if_due(tc_own *o, bool *fitted, tacit_error *err)
{
    tc_text text = {0};
    *fitted = tc_own_fit_due(o);
    if (!*fitted)
        return TACIT_OK;
    tacit_status status = tc_own_fit(o, &text, err);
    if (status == TACIT_OK)
        status = tc_own_fitted(o, tc_text_get(&text), err);
    tc_text_fini(&text);
    return status;
}

static tacit_status measure_own(tc_own *o, tc_history *h, const place *p, size_t n, size_t asks,
                                tacit_error *err)
{
    tc_stream s;
    tc_public_seed seed = tc_public_seed_from(3);
    uint64_t times[MOST];
    double least = 1;
    tc_stream_public(&s, &seed, TC_FOR_RUN, 0);
    for (size_t i = 0; i < asks;) {
        const tc_space *space = p->space;
        double values[6];
        bool fitted;
        TC_TRY(fit_if_due(o, &fitted, err));
        uint64_t begin = tc_clock_thread_ns();
        TC_TRY(tc_own_ask(o, h->n, values, err));
        if (!fitted && h->n >= n)
            times[i++] = tc_clock_thread_ns() - begin;
        if (h->n >= n)
            least = fmin(least, tc_own_weight(o, TC_OWN_TRUSTED));
        for (size_t v = 0; v < space->n_params; v++)
            values[v] =
                space->domain ? (double)tc_draw_below(&s, space->domain->n) : tc_draw_uniform(&s);
        TC_TRY(tc_history_reserve(h, err));
        tc_history_observe(h, space, values, objective(space, values));
    }
    if (least == 0)
        return tc_fail(err, TACIT_E_STATE, "at n = %zu the model that trusts does not count", n);
    print_median(p, n, "own, trusted", asks, times);
    return TACIT_OK;
}

static tacit_status measure_trusted(const place *p, size_t n, size_t asks, tacit_error *err)
{
    tc_history history;
    tc_own *o = NULL;
    TC_TRY(tc_history_init(&history, p->space, err));
    tc_env env = {.space = p->space,
                  .history = &history,
                  .public_seed = tc_public_seed_from(1),
                  .party_seed = tc_party_seed_from(2),
                  .agents = AGENTS};
    tc_heard h = {.many = heard_many, .at = heard_at, .ctx = &p->space->dim, .error = 0.1};
    tacit_status status = tc_own_new(&o, &env, INITIAL, err);
    if (status == TACIT_OK) {
        tc_own_hear(o, &h);
        status = measure_own(o, &history, p, n, asks, err);
    }
    tc_own_free(o);
    tc_history_fini(&history);
    return status;
}

static tacit_status run(size_t asks, tacit_error *err)
{
    const size_t sizes[] = {60, 200};
    place places[2] = {0};
    TC_TRY(make_candidates(&places[0], err));
    TC_TRY(make_box(&places[1], err));
    for (size_t i = 0; i < 2; i++) {
        for (size_t n = 0; n < 2; n++) {
            for (size_t w = 0; w < sizeof all / sizeof *all; w++)
                TC_TRY(measure(&all[w], &places[i], sizes[n], asks, err));
            TC_TRY(measure_trusted(&places[i], sizes[n], asks, err));
        }
        tc_space_free(places[i].space);
    }
    return TACIT_OK;
}

int main(int argc, char **argv)
{
    size_t asks = argc > 1 ? strtoull(argv[1], NULL, 10) : 15;
    tacit_error err = {0};
    printf("# tacit: %s, one thread; median of %zu asks\n", tc_la_library(), asks);
    if (asks < 1 || asks > MOST || run(asks, &err) != TACIT_OK) {
        fprintf(stderr, "bench_own_ask: %s\n", err.msg[0] ? err.msg : "asks must be in 1..1000");
        return 1;
    }
    return 0;
}
