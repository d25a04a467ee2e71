/* linear_test.c - linear constraints: how they are read, what is refused, what they leave, points that are moved inside. */
#include "space/linear.h"

#include "base/random.h"
#include "space/param.h"
#include "space/simplex.h"
#include "support/test.h"

#include <stdio.h>

static tc_space *space_of(const char *text)
{
    tacit_error err = {0};
    tc_space *s = NULL;
    assert_ok(tacit_space_from_json(&s, text, &err));
    return s;
}

static tc_space *mixed(void)
{
    return space_of(
        "{\"x\": {\"type\": \"float\", \"low\": 0, \"high\": 2},"
        "\"y\": {\"type\": \"float\", \"low\": -1, \"high\": 1},"
        "\"lr\": {\"type\": \"float\", \"low\": 1e-4, \"high\": 1, \"log\": true},"
        "\"n\": {\"type\": \"int\", \"low\": 1, \"high\": 8},"
        "\"drop\": {\"type\": \"float\", \"low\": 0, \"high\": 0.5, \"step\": 0.1},"
        "\"flag\": {\"type\": \"bool\"},"
        "\"kind\": {\"type\": \"choice\", \"choices\": [\"a\", \"b\"]},"
        "\"size\": {\"type\": \"choice\", \"choices\": [1, 2]},"
        "\"deep\": {\"type\": \"int\", \"low\": 1, \"high\": 3, \"when\": {\"kind\": \"a\"}},"
        "\"n-x\": {\"type\": \"float\", \"low\": 0, \"high\": 1},"
        "\"one\": {\"type\": \"int\", \"low\": 3, \"high\": 3}}");
}

/* ---- the text ---- */

static void one_text_for_one_constraint(void **state)
{
    static const struct {
        const char *given, *canonical;
    } texts[] = {
        {"x + 2*y <= 3", "x + 2*y <= 3"},
        {"  x+2 * y<=3 ", "x + 2*y <= 3"},
        {"y*2 + x <= 3", "x + 2*y <= 3"},
        {"x <= 3 - 2*y", "x + 2*y <= 3"},
        {"3 >= x + y + y", "x + 2*y <= 3"},
        {"x <= y+1.5", "x - y <= 1.5"},
        {"y >= x - 1", "x - y <= 1"},
        {"-x >= -1", "x <= 1"},
        {"-y + 1e0 >= 0.5*x*1", "0.5*x + y <= 1"},
        {"n*-.5 >= -2.5e0", "0.5*n <= 2.5"},
        {"n-x <= 0.5", "n-x <= 0.5"},      /* a name with a dash ... */
        {"n - x >= 0.5", "x - n <= -0.5"}, /* ... and a difference */
        {"x-1 <= 0", "x <= 1"},
        {"n-drop <= 7", "n - drop <= 7"},
        {"flag + lr <= 1.5", "lr + flag <= 1.5"},
        {"x + one <= 4", "x + one <= 4"},
        {"x + y - y <= 1", "x <= 1"},
        {"2*3*x <= 5 + 1", "6*x <= 6"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        tacit_error err = {0};
        tc_space *s = mixed();
        assert_ok(tc_space_add_linear(s, texts[i].given, &err));
        assert_string_equal(s->linear[0].text, texts[i].canonical);
        tc_linear again;
        assert_ok(tc_linear_parse(s, s->linear[0].text, &again, &err));
        assert_string_equal(again.text, texts[i].canonical);
        tc_space_free(s);
    }
}

static void what_is_refused(void **state)
{
    static const struct {
        const char *text, *message;
    } texts[] = {
        {"", "the constraint \"\": a number or a name is missing at the end"},
        {"x + <= 3", "the constraint \"x + <= 3\": a number or a name must stand before \"<= 3\""},
        {"x + 3", "the constraint \"x + 3\": it must have <= or >="},
        {"x => 3", "the constraint \"x => 3\": it must have <= or >=: write >=, not =>"},
        {"x =< 3", "it must have <= or >=: write <=, not =<"},
        {"x \u2264 3", "it must have <= or >=: write <=, not \u2264"},
        {"x \u2265 3", "it must have <= or >=: write >=, not \u2265"},
        {"x/2 <= 3", "the constraint \"x/2 <= 3\": it must have no division: write 0.5*x"},
        {"x - 3*n / 4 <= 3", "it must have no division: write 0.75*n"},
        {"3 <= x / 0", "it must have no division: write a number times a parameter, as in 0.5*x"},
        {"3/x <= 1", "it must have no division: write a number times a parameter, as in 0.5*x"},
        {"x <= 3 / 2", "it must have no division: write 1.5"},
        {"x < 3", "the constraint \"x < 3\": it must have <= or >=, and not < alone"},
        {"x = 1",
         "it must have <= or >=, and not =: leave one parameter of an equality out of the space, "
         "compute it from the others where it is used, and give its bounds as constraints "
         "on these"},
        {"x == 1", "and not =: leave one parameter"},
        {"0 <= x <= 1", "it must have one <= or >=: write two constraints"},
        {"x * y <= 1", "x times y is not linear"},
        {"x % 2 <= 1", "+, -, *, <= or >= must stand before \"% 2 <= 1\""},
        {"(x) <= 1", "a number or a name must stand before \"(x) <= 1\""},
        {"2x <= 1", "+, -, *, <= or >= must stand before \"x <= 1\""},
        {"z <= 1", "there is no parameter \"z\""},
        {"x.y <= 1", "there is no parameter \"x.y\""},
        {"kind <= 1", "kind is a choice, and constraints are on floats, ints and bools"},
        {"size <= 1", "size is a choice, and constraints are on floats, ints and bools"},
        {"deep <= 2",
         "deep has a condition, and constraints are on parameters that are always active"},
        {"1 <= 2", "it constrains no parameter"},
        {"x - x <= 2", "it constrains no parameter"},
        {"1e999*x <= 1", "\"1e999\" is not a finite number of at most 63 digits"},
        {"1e308*10*x <= 1", "its numbers are too large"},
        {"1..5*x <= 1", "\"1..5\" is not a finite number"},
        {"1e308*n <= 1e308", "its numbers are too large"},
        {"x >= 3", "no point of the space satisfies it together with the constraints before it"},
        {"x + y <= -1", "it leaves almost no room: less than a millionth of the ranges; leave one "
                        "parameter of an equality out of the space, and compute it from the others "
                        "where it is used"},
        {"x >= 2", "it leaves almost no room"},
        {"one <= 2", "no point of the space"},
        {"2*flag >= 0.5 + 2*flag - 0*x - 1", "it constrains no parameter"},
    };
    (void)state;
    tc_space *s = mixed();
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        tacit_error err = {0};
        assert_fails(tc_space_add_linear(s, texts[i].text, &err), TACIT_E_ARG, texts[i].message);
        assert_int_equal(s->n_linear, 0);
        assert_null(s->room);
    }
    tc_space_free(s);
}

static void what_goes_together(void **state)
{
    tacit_error err = {0};
    (void)state;
    tc_space *s = mixed();
    assert_ok(tc_space_add_linear(s, "x + y <= 1", &err));
    assert_fails(tc_space_add_linear(s, "y + x <= 1", &err), TACIT_E_ARG, "it is given twice");
    assert_fails(tc_space_add_linear(s, "x + y >= 1", &err), TACIT_E_ARG,
                 "the constraint \"x + y >= 1\": it leaves almost no room");
    assert_fails(tc_space_add_linear(s, "x + y >= 1.5", &err), TACIT_E_ARG,
                 "no point of the space");
    assert_int_equal(s->n_linear, 1);
    assert_ok(tc_space_add_linear(s, "x + y >= 0.999", &err)); /* a slab */
    assert_fails(tc_space_set_when(s, "x", "kind", 1, (size_t[]){0}, &err), TACIT_E_ARG,
                 "space.x must not have a condition, because it is in a linear constraint");
    tc_space_free(s);
}

/* Between the levels there is room, and on them there is none. */
static void steps_may_leave_no_point(void **state)
{
    tacit_error err = {0};
    (void)state;
    tc_space *s = mixed();
    assert_ok(tc_space_add_linear(s, "n >= 2.2", &err));
    assert_fails(tc_space_add_linear(s, "n <= 2.8", &err), TACIT_E_ARG,
                 "no point of the space was found that satisfies it and has the steps of the "
                 "parameters");
    assert_ok(tc_space_add_linear(s, "n - 10*drop + x <= 1.15", &err)); /* n = 3: drop >= 0.2 */
    for (size_t i = 0; i < s->room->n; i++)
        assert_ok(tc_param_check(&s->params[s->room->param[i]], s->room->values[i], &err));
    tc_space_free(s);
}

static void there_are_at_most_64(void **state)
{
    tacit_error err = {0};
    char text[64];
    (void)state;
    tc_space *s = mixed();
    for (int i = 0; i < TC_LINEAR_MAX; i++) {
        snprintf(text, sizeof text, "x + y <= %d", 5 + i);
        assert_ok(tc_space_add_linear(s, text, &err));
    }
    assert_fails(tc_space_add_linear(s, "x <= 1", &err), TACIT_E_ARG,
                 "a space must have at most 64 constraints");
    tc_space_free(s);
}

/* ---- points ---- */

static void points_that_violate_are_refused(void **state)
{
    tacit_error err = {0};
    (void)state;
    tc_space *s = space_of("{\"x\": {\"type\": \"float\", \"low\": 0, \"high\": 1},"
                           "\"y\": {\"type\": \"float\", \"low\": 0, \"high\": 1}}");
    assert_ok(tc_space_add_linear(s, "x + y <= 0.3", &err));
    assert_ok(tc_space_add_linear(s, "x >= 2*y - 0.1", &err));
    assert_ok(tc_space_check(s, (double[]){0.2, 0.1}, &err)); /* 0.30000000000000004 */
    assert_fails(tc_space_check(s, (double[]){0.2, 0.1000001}, &err), TACIT_E_ARG,
                 "the point violates the constraint x + y <= 0.3: its left side is 0.3000001");
    assert_fails(tc_space_check(s, (double[]){0, 0.1}, &err), TACIT_E_ARG,
                 "the point violates the constraint x - 2*y >= -0.1: its left side is -0.2");
    tc_space *copy = NULL;
    assert_ok(tc_space_copy(&copy, s, &err));
    assert_int_equal(copy->n_linear, 2);
    assert_fails(tc_space_check(copy, (double[]){0, 0.1}, &err), TACIT_E_ARG, "x - 2*y >= -0.1");
    assert_memory_equal(copy->room->deepest, s->room->deepest, 2 * sizeof(double));
    tc_space_free(copy);
    tc_space_free(s);
}

static void candidates_that_violate_are_refused(void **state)
{
    tacit_error err = {0};
    tc_space *s = NULL;
    tc_domain *grid = NULL;
    (void)state;
    assert_ok(tc_domain_grid(&grid, 2, (size_t[]){3, 3}, (double[]){0, 0}, (double[]){1, 1}, &err));
    assert_ok(tc_space_from_domain(&s, grid, &err));
    char text[100];
    snprintf(text, sizeof text, "%s + %s <= 1.75", grid->names[0], grid->names[1]);
    assert_fails(tc_space_add_linear(s, text, &err), TACIT_E_ARG,
                 "candidate 8 violates it: leave the candidates that do out of the file");
    assert_fails(tc_space_add_linear(s, "point <= 3", &err), TACIT_E_ARG,
                 "there is no column \"point\"");
    snprintf(text, sizeof text, "%s + %s <= 2", grid->names[0], grid->names[1]);
    assert_ok(tc_space_add_linear(s, text, &err));
    tc_space *copy = NULL;
    assert_ok(tc_space_copy(&copy, s, &err));
    assert_string_equal(copy->linear[0].text, text);
    tc_space_free(copy);
    tc_space_free(s);
}

/* ---- moving inside ---- */

/* A random space of up to 8 parameters of every type with up to 4 constraints through random points. */
static tc_space *random_space(tc_stream *r)
{
    tacit_error err = {0};
    tc_space *s = NULL;
    assert_ok(tc_space_new(&s, &err));
    const size_t n = 2 + tc_draw_below(r, 7);
    for (size_t i = 0; i < n; i++) {
        char name[24];
        snprintf(name, sizeof name, "p%zu", i);
        const double low = 10 * tc_draw_normal(r), width = exp(3 * tc_draw_normal(r));
        const uint64_t kind = tc_draw_below(r, 6);
        if (kind == 0)
            assert_ok(tc_space_add_bool(s, name, &err));
        else if (kind == 1)
            assert_ok(tc_space_add_int(s, name, floor(low),
                                       floor(low) + 1 + (double)tc_draw_below(r, 30), 1, false,
                                       &err));
        else if (kind == 2)
            assert_ok(tc_space_add_float(s, name, 1e-4, 1, 0, true, &err));
        else if (kind == 3)
            assert_ok(tc_space_add_float(s, name, 0, 1, 0.125, false, &err));
        else
            assert_ok(tc_space_add_float(s, name, low, low + width, 0, false, &err));
    }
    const size_t m = 1 + tc_draw_below(r, 4);
    for (size_t k = 0; k < m; k++) {
        char text[1000];
        int len = 0;
        double bound = 0;
        for (size_t i = 0; i < n; i++) {
            const tc_param *p = &s->params[i];
            const double f = tc_draw_below(r, 3) == 0 ? 0 : tc_draw_normal(r) / (p->high - p->low);
            bound += f * (p->low + (p->high - p->low) * (0.2 + 0.6 * tc_draw_uniform(r)));
            len += snprintf(text + len, sizeof text - (size_t)len, "%s%.17g*p%zu", i ? " + " : "",
                            f, i);
        }
        snprintf(text + len, sizeof text - (size_t)len, " <= %.17g", bound);
        (void)tc_space_add_linear(s, text, NULL); /* some leave no room: refused */
    }
    return s;
}

/* By another way than the code's: in long double, and allowing what decimal steps lose. */
static bool satisfies(const tc_space *s, const double *values)
{
    for (size_t k = 0; k < s->n_linear; k++) {
        long double sum = 0, size = fabsl((long double)s->linear[k].bound);
        for (size_t t = 0; t < s->linear[k].n_terms; t++) {
            const tc_term *term = &s->linear[k].terms[t];
            long double part = (long double)term->factor * values[term->column];
            sum += part;
            size += fabsl(part);
        }
        long double over =
            s->linear[k].at_least ? s->linear[k].bound - sum : sum - s->linear[k].bound;
        if (over > 1.1e-12L * size)
            return false;
    }
    return true;
}

static void whatever_is_decoded_is_inside(void **state)
{
    tacit_error err = {0};
    tc_stream r;
    tc_public_seed seed = tc_public_seed_from(3);
    size_t constrained = 0, moved = 0;
    (void)state;
    tc_stream_public(&r, &seed, TC_FOR_DESIGN, 0);
    for (int i = 0; i < 300; i++) {
        tc_space *s = random_space(&r);
        constrained += s->n_linear > 0;
        for (int k = 0; k < 40; k++) {
            double u[16], values[16], again[16];
            for (size_t d = 0; d < s->dim; d++)
                u[d] = tc_draw_uniform(&r);
            moved += !tc_space_decode_box(s, u, values);
            tc_space_decode(s, u, values);
            assert_ok(tc_space_check(s, values, &err));
            assert_true(satisfies(s, values));
            tc_space_round(s, u); /* a point that is inside stays where it is */
            tc_space_decode(s, u, again);
            for (size_t p = 0; p < s->n_params; p++)
                assert_close(again[p], values[p], 1e-9 * (1 + fabs(values[p])));
        }
        tc_space_free(s);
    }
    assert_true(constrained > 200 && moved > 1000);
}

/* Without steps the point that is found is the nearest: no random point inside is nearer. */
static void the_nearest_point_is_found(void **state)
{
    tacit_error err = {0};
    tc_stream r;
    tc_public_seed seed = tc_public_seed_from(4);
    (void)state;
    tc_stream_public(&r, &seed, TC_FOR_DESIGN, 0);
    tc_space *s = space_of("{\"a\": {\"type\": \"float\", \"low\": 0, \"high\": 1},"
                           "\"b\": {\"type\": \"float\", \"low\": 0, \"high\": 1},"
                           "\"c\": {\"type\": \"float\", \"low\": 0, \"high\": 1}}");
    assert_ok(tc_space_add_linear(s, "a + b + c <= 1", &err));
    assert_ok(tc_space_add_linear(s, "a >= 2*b - 0.2", &err));
    for (int k = 0; k < 200; k++) {
        double u[3], at[3], other[3];
        for (int d = 0; d < 3; d++)
            u[d] = tc_draw_uniform(&r);
        tc_space_decode(s, u, at);
        double least = hypot(hypot(at[0] - u[0], at[1] - u[1]), at[2] - u[2]);
        for (int j = 0; j < 2000; j++) {
            for (int d = 0; d < 3; d++)
                other[d] = tc_draw_uniform(&r);
            if (satisfies(s, other))
                assert_true(hypot(hypot(other[0] - u[0], other[1] - u[1]), other[2] - u[2]) >
                            least - 1e-7);
        }
    }
    tc_space_free(s);
}

/* The largest ball, known by hand: of a triangle its inscribed circle. */
static void the_deepest_point_is_the_centre_of_the_largest_ball(void **state)
{
    tacit_error err = {0};
    (void)state;
    tc_space *s = space_of("{\"a\": {\"type\": \"float\", \"low\": 0, \"high\": 1},"
                           "\"b\": {\"type\": \"float\", \"low\": 0, \"high\": 1}}");
    assert_ok(tc_space_add_linear(s, "a + b <= 1", &err));
    const double radius = 1 - sqrt(0.5);
    assert_close(s->room->deepest[0], radius, 1e-12);
    assert_close(s->room->deepest[1], radius, 1e-12);
    assert_ok(tc_space_add_linear(s, "a + b >= 0.5", &err));
    for (size_t k = 0; k < s->room->n_ends; k++)
        assert_true(satisfies(s, s->room->ends + 2 * k));
    tc_space_free(s);
}

/* Values and slopes as finite differences have them. */
static void slopes_are_those_of_the_excess(void **state)
{
    tacit_error err = {0};
    (void)state;
    tc_space *s = mixed();
    assert_ok(tc_space_add_linear(s, "x + 2*y - lr <= 1", &err));
    assert_ok(tc_space_add_linear(s, "lr + 0.1*n + 0.2*flag >= 0.3", &err));
    double u[16], excess[2], ahead[2], slopes[2 * 16];
    for (size_t d = 0; d < s->dim; d++)
        u[d] = 0.3 + 0.04 * (double)d;
    tc_linear_excess(s, u, excess, slopes);
    for (size_t d = 0; d < s->dim; d++) {
        if (!tc_space_continuous(s, d))
            continue;
        u[d] += 1e-6;
        tc_linear_excess(s, u, ahead, NULL);
        u[d] -= 1e-6;
        for (size_t k = 0; k < 2; k++)
            assert_close((ahead[k] - excess[k]) / 1e-6, slopes[k * s->dim + d], 1e-4);
    }
    tc_space_free(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_text_for_one_constraint),
        cmocka_unit_test(what_is_refused),
        cmocka_unit_test(what_goes_together),
        cmocka_unit_test(steps_may_leave_no_point),
        cmocka_unit_test(there_are_at_most_64),
        cmocka_unit_test(points_that_violate_are_refused),
        cmocka_unit_test(candidates_that_violate_are_refused),
        cmocka_unit_test(whatever_is_decoded_is_inside),
        cmocka_unit_test(the_nearest_point_is_found),
        cmocka_unit_test(the_deepest_point_is_the_centre_of_the_largest_ball),
        cmocka_unit_test(slopes_are_those_of_the_excess),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
