/* linear_proposals_test.c - no proposal of any algorithm violates a linear constraint.
 *
 * Every algorithm that is registered makes 200 proposals and more: on random spaces of every type of parameter, with constraints
 * that cut as they come; on a simplex, which is a few millionths of its cube; and in a slab, which is a thousandth
 * thick and as long as its cube. Constraints are evaluated by the test's own sum. */
#include "support/test.h"

#include "algo/optimizer.h"
#include "base/text.h"
#include "space/linear.h"

#include <stdio.h>

enum { SPACES = 8, TRIALS = 25, LONG = 40 };

/* ---- spaces ---- */

static void add_param(tc_space *s, tc_stream *r, size_t i)
{
    tacit_error err = {0};
    char name[24];
    snprintf(name, sizeof name, "p%zu", i);
    const double low = round(100 * tc_draw_normal(r)) / 10, width = exp(2 * tc_draw_normal(r));
    switch (tc_draw_below(r, 7)) {
    case 0:
        assert_ok(tc_space_add_bool(s, name, &err));
        break;
    case 1:
        assert_ok(tc_space_add_int(s, name, floor(low),
                                   floor(low) + 1 + (double)tc_draw_below(r, 30), 1, false, &err));
        break;
    case 2:
        assert_ok(tc_space_add_float(s, name, 1e-4, 1, 0, true, &err));
        break;
    case 3:
        assert_ok(tc_space_add_float(s, name, 0, 1, 0.125, false, &err));
        break;
    case 4:
        assert_ok(tc_space_add_int(s, name, 1, 1000, 1, true, &err));
        break;
    default:
        assert_ok(tc_space_add_float(s, name, low, low + width, 0, false, &err));
    }
}

/* Through a random point of the middle. */
static void add_constraint(tc_space *s, tc_stream *r)
{
    char text[1000];
    int len = 0;
    double bound = 0;
    for (size_t i = 0; i < s->n_params; i++) {
        const tc_param *p = &s->params[i];
        const double f = tc_draw_below(r, 3) == 0
                             ? 0
                             : tc_draw_normal(r) / (p->high - p->low + (p->high == p->low));
        bound += f * (p->low + (p->high - p->low) * (0.2 + 0.6 * tc_draw_uniform(r)));
        len +=
            snprintf(text + len, sizeof text - (size_t)len, "%s%.17g*p%zu", i ? " + " : "", f, i);
    }
    snprintf(text + len, sizeof text - (size_t)len, " %s %.17g",
             tc_draw_below(r, 2) ? "<=" : ">=", bound);
    (void)tc_space_add_linear(s, text, NULL); /* may leave no room beside the others */
}

static tc_space *random_space(uint64_t number)
{
    tacit_error err = {0};
    tc_space *s = NULL;
    tc_stream r;
    tc_public_seed seed = tc_public_seed_from(11);
    tc_stream_public(&r, &seed, TC_FOR_DESIGN, number);
    assert_ok(tc_space_new(&s, &err));
    const size_t n = 2 + tc_draw_below(&r, 5);
    for (size_t i = 0; i < n; i++)
        add_param(s, &r, i);
    while (s->n_linear < 2)
        add_constraint(s, &r);
    return s;
}

/* p0 + ... <= most, in so many dimensions: most^n / n! of the cube. */
static tc_space *simplex(size_t n, const char *relation)
{
    tacit_error err = {0};
    tc_space *s = NULL;
    tc_text text = {0};
    assert_ok(tc_space_new(&s, &err));
    for (size_t i = 0; i < n; i++) {
        char name[24];
        snprintf(name, sizeof name, "p%zu", i);
        assert_ok(tc_space_add_float(s, name, 0, 1, 0, false, &err));
        tc_text_addf(&text, "%s%s", i ? " + " : "", name);
    }
    tc_text_add(&text, relation);
    assert_ok(tc_space_add_linear(s, tc_text_get(&text), &err));
    tc_text_fini(&text);
    return s;
}

/* ---- proposals ---- */

static bool satisfies(const tc_space *s, const double *values)
{
    for (size_t k = 0; k < s->n_linear; k++) {
        const tc_linear *c = &s->linear[k];
        long double sum = 0, size = fabsl((long double)c->bound);
        for (size_t t = 0; t < c->n_terms; t++) {
            const long double part = (long double)c->terms[t].factor * values[c->terms[t].column];
            sum += part;
            size += fabsl(part);
        }
        if ((c->at_least ? c->bound - sum : sum - c->bound) > 1.1e-12L * size)
            return false;
    }
    return true;
}

/* Best at a corner that the constraints cut off, so that searches press against them; some noise. */
static double objective(const tc_space *s, const double *values, int trial)
{
    double u[64], sum = 0;
    assert_true(s->dim <= 64);
    tc_space_encode(s, values, u);
    for (size_t d = 0; d < s->dim; d++)
        sum += (u[d] - 0.9) * (u[d] - 0.9) * (double)(d + 1);
    return sum + 0.05 * sin(1e3 * trial);
}

static void apply(tc_optimizer *o, const tc_event *e)
{
    tacit_error err = {0};
    assert_ok(tc_optimizer_apply(o, e, &err));
}

static uint64_t ask(tc_optimizer *o)
{
    tacit_error err = {0};
    tc_event e;
    do {
        assert_ok(tc_optimizer_next(o, &(tc_ask_request){.now_ms = 1000}, &e, &err));
        apply(o, &e);
    } while (e.kind != TC_EVENT_ASK);
    return e.trial;
}

/* Every fifth trial stays open: others are asked around it. */
static void propose(const tc_algorithm *a, const tc_space *s, int trials)
{
    tacit_error err = {0};
    tc_optimizer *o = NULL;
    tc_optimizer_config cfg = {.algorithm = a,
                               .space = s,
                               .public_seed = tc_public_seed_from(7),
                               .party_seed = tc_party_seed_from(7),
                               .budget = (uint64_t)trials};
    assert_ok(tc_optimizer_new(&o, &cfg, &err));
    for (int i = 0; i < trials; i++) {
        uint64_t t = ask(o);
        const double *values = tc_optimizer_trial(o, t)->values;
        tc_event e;
        if (!satisfies(s, values) || tc_space_check(s, values, &err) != TACIT_OK)
            fail_msg("%s, trial %d: %s", a->name, i, err.msg);
        if (i % 5 == 4)
            continue;
        assert_ok(tc_optimizer_tell(o, t, NULL, objective(s, values, i), 2000, &e, &err));
        apply(o, &e);
    }
    tc_optimizer_free(o);
}

static void on_random_spaces(void **state)
{
    (void)state;
    for (uint64_t number = 0; number < SPACES; number++) {
        tc_space *s = random_space(number);
        for (size_t i = 0; tc_algorithms()[i]; i++)
            propose(tc_algorithms()[i], s, TRIALS);
        tc_space_free(s);
    }
}

/* 0.9^10 / 10! < 1e-7. */
static void in_a_simplex(void **state)
{
    (void)state;
    tc_space *s = simplex(10, " <= 0.9");
    for (size_t i = 0; tc_algorithms()[i]; i++)
        propose(tc_algorithms()[i], s, LONG);
    tc_space_free(s);
}

static void in_a_slab(void **state)
{
    tacit_error err = {0};
    (void)state;
    tc_space *s = simplex(3, " <= 1");
    assert_ok(tc_space_add_linear(s, "p0 + p1 + p2 >= 0.999", &err));
    for (size_t i = 0; tc_algorithms()[i]; i++)
        propose(tc_algorithms()[i], s, LONG);
    tc_space_free(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(on_random_spaces),
        cmocka_unit_test(in_a_simplex),
        cmocka_unit_test(in_a_slab),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
