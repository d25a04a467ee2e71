/* search_price.c - the divergence of one run, for a replaced record, and of the best of K (search_price.h).
 *
 * A record that is replaced is one that is removed and another one that is added: a group of two (group.h). */
#include "privacy/search_price.h"

#include "privacy/best_of.h"
#include "privacy/rdp.h"

#include "base/error.h"
#include "base/json.h"
#include "base/memory.h"

#include <math.h>

/* ---- checks */

static tacit_status check_event(const tc_search_plan *p, const tacit_dp_event *e, tacit_error *err)
{
    TC_TRY(tc_dp_event_check(e, err));
    if (e->mechanism == TACIT_DP_NONPRIVATE)
        return tc_fail(err, TACIT_E_ARG, "a run without protection has no price");
    if (p->replacing && e->sampling == TACIT_DP_POISSON && e->sampling_rate < 1)
        return tc_fail(err, TACIT_E_UNSUPPORTED,
                       "Poisson sampling is accounted where records are added or removed: describe "
                       "the run so, and it is charged for one that is replaced");
    if (!p->replacing && e->mechanism == TACIT_DP_RENYI)
        return tc_fail(err, TACIT_E_UNSUPPORTED,
                       "a divergence at one order must be that of replaced records");
    return TACIT_OK;
}

tacit_status tc_search_plan_check(const tc_search_plan *p, tacit_error *err)
{
    tc_value_scale scale;
    bool costs = p->noised;
    TC_TRY(tc_repeats_check(&p->repeats, err));
    if (!(p->repeats.mean <= TC_SEARCH_MAX_MEAN))
        return tc_fail_range(err, "mean", "[1, 1e6]", p->repeats.mean);
    if (p->n > TC_SEARCH_MAX_EVENTS)
        return tc_fail(err, TACIT_E_ARG, "a run has at most %d kinds of releases, got %zu",
                       TC_SEARCH_MAX_EVENTS, p->n);
    for (size_t i = 0; i < p->n; i++) {
        TC_TRY(check_event(p, &p->events[i], err));
        costs = costs || p->events[i].count > 0;
    }
    if (!costs)
        return tc_fail(err, TACIT_E_ARG,
                       "a run that costs nothing is not private: say what it releases, or let its "
                       "score get noise here");
    return p->noised ? tc_value_plan_scale(&p->score, &scale, err) : TACIT_OK;
}

/* ---- one run */

static double of_event(const tc_search_plan *p, const tacit_dp_event *e, int order)
{
    if (p->replacing || e->sampling == TACIT_DP_FIXED_SIZE)
        return tc_rdp_of(e, order);
    tacit_dp_event replaced = tc_dp_event_replaced(e);
    return tc_rdp_of(&replaced, order);
}

static double of_run(const tc_search_plan *p, int order)
{
    double sum = 0;
    for (size_t i = 0; i < p->n; i++)
        if (p->events[i].count > 0)
            sum += tc_up((double)p->events[i].count * of_event(p, &p->events[i], order), 4);
    if (p->noised) {
        tacit_dp_event score = {.mechanism = TACIT_DP_GAUSSIAN,
                                .parameter = p->score.z,
                                .sampling = TACIT_DP_ALL,
                                .sampling_rate = 1};
        sum += tc_rdp_of(&score, order);
    }
    return tc_up(sum, (double)p->n + 2);
}

/* ---- the best of K */

enum { MOST_ORDERS = 80 };
_Static_assert(MOST_ORDERS <= (int)TC_BEST_OF_ORDERS, "tc_best_of_rdp has room for them");

/* Divergences of one run: order 1, which is no larger than at 2, and the integers of the grid. */
typedef struct curve {
    size_t n;
    double orders[MOST_ORDERS], run[MOST_ORDERS];
} curve;

static void add_order(curve *c, const tc_search_plan *p, int order)
{
    c->orders[c->n] = order;
    c->run[c->n++] = of_run(p, order < 2 ? 2 : order);
}

static curve curve_of(const tc_search_plan *p)
{
    static const int large[] = {80, 128, 256, 512, 1024};
    curve c = {0};
    for (int order = 1; order <= 64; order++)
        add_order(&c, p, order);
    for (size_t i = 0; i < sizeof large / sizeof *large; i++)
        add_order(&c, p, large[i]);
    return c;
}

/* A divergence of higher order bounds that of a lower one, and may have the better bound. */
double tc_search_divergence(const tc_search_plan *p, int order)
{
    double best[MOST_ORDERS], least = INFINITY;
    curve c = curve_of(p);
    add_order(&c, p, order);
    tc_best_of_rdp(&p->repeats, c.n, c.orders, c.run, best);
    for (size_t i = 0; i < c.n; i++)
        if (c.orders[i] >= order)
            least = fmin(least, best[i]);
    return least;
}

tacit_status tc_search_cost(const tc_search_plan *p, double delta, tacit_guarantee *out,
                            tacit_error *err)
{
    double best[MOST_ORDERS];
    if (!(delta > 0 && delta < 1))
        return tc_fail_range(err, "delta", "(0, 1)", delta);
    curve c = curve_of(p);
    tacit_guarantee g = {
        .size = out->size, .epsilon = INFINITY, .delta = delta, .accountant = "rdp"};
    tc_best_of_rdp(&p->repeats, c.n, c.orders, c.run, best);
    for (size_t i = 1; i < c.n; i++) {
        double epsilon = tc_rdp_epsilon(best[i], c.orders[i], delta);
        if (epsilon < g.epsilon) {
            g.epsilon = epsilon;
            g.order = c.orders[i];
        }
    }
    *out = g;
    return TACIT_OK;
}

/* ---- in words */

static void add_number(tc_text *out, const char *before, double v)
{
    char text[32];
    tc_double_text(text, v);
    tc_text_addf(out, "%s%s", before, text);
}

static void add_events(const tc_search_plan *p, tc_text *out)
{
    for (size_t i = 0; i < p->n; i++) {
        json_t *j = tc_dp_event_json(&p->events[i]);
        char *text = tc_json_text(j);
        json_decref(j);
        tc_text_addf(out, "%s%s", i > 0 ? ", " : "", text ? text : "");
        out->failed = out->failed || !text;
        tc_free(text);
    }
    if (p->n > 0)
        tc_text_add(out, p->replacing ? " (records replaced)" : " (records added or removed)");
}

void tc_search_describe(const tc_search_plan *p, tc_text *out)
{
    bool poisson = p->repeats.kind == TACIT_REPEATS_POISSON;
    tc_text_add(out, "one record is replaced by another; the best of K runs, K ");
    tc_text_add(out, poisson ? "Poisson" : "truncated negative binomial");
    add_number(out, " with mean ", p->repeats.mean);
    if (!poisson)
        add_number(out, " and shape ", p->repeats.shape);
    tc_text_add(out, "; one run: ");
    add_events(p, out);
    if (p->noised) {
        add_number(out,
                   p->n > 0 ? ", and its score with Gaussian noise of "
                            : "its score with Gaussian noise of ",
                   p->score.z);
        add_number(out, " times ", p->score.sensitivity);
        tc_text_add(out, ", by which a replaced record moves it at most");
    }
}
