/* own_space_test.c - the agent's own model in units, anchors and spaces of every kind: what must not matter, crashes,
 * trials that run, and asks that fail. */
#include "support/test.h"

#include "algo/own/own_fixture.h"

/* ---- units ---- */

/* Multiples of 2^-20 below 4: 1024 y - 512 is exact. */
static double coarse(const double *u)
{
    return floor(truth(u) * 0x1p20) * 0x1p-20;
}

static void play(kind k, size_t anchors, double factor, double shift, bool informed, size_t queries,
                 double out[][DIM])
{
    static const double how[] = {2, -0.8};
    fixture f;
    tc_heard h = hears_truth(how, 0.2);
    start(&f, k, anchors, 9);
    if (informed)
        tc_own_hear(f.own, &h);
    for (size_t i = 0; i < anchors + queries; i++) {
        double u[DIM];
        fit(&f);
        ask(&f, out[i]);
        tc_space_encode(f.space, out[i], u);
        add(&f, out[i], factor * coarse(u) + shift);
    }
    end(&f);
}

static void exact_units_give_the_same_bits(void **state)
{
    (void)state;
    for (int k = GRID; k <= BOX; k++)
        for (size_t anchors = 1; anchors < 7; anchors += 2)
            for (int informed = 0; informed < 2; informed++) {
                double plain[16][DIM] = {{0}}, other[16][DIM] = {{0}};
                play((kind)k, anchors, 1, 0, informed, 8, plain);
                play((kind)k, anchors, 1024, -512, informed, 8, other);
                assert_memory_equal(plain, other, sizeof plain);
            }
}

static void units_give_the_same_candidates(void **state)
{
    (void)state;
    for (int informed = 0; informed < 2; informed++) {
        double plain[16][DIM] = {{0}}, other[16][DIM] = {{0}};
        play(GRID, 5, 1, 0, informed, 8, plain);
        play(GRID, 5, 1000, -500, informed, 8, other);
        assert_memory_equal(plain, other, sizeof plain);
    }
}

/* ---- anchors ---- */

static const double *values_of(fixture *f)
{
    tacit_error err = {0};
    const double *z;
    assert_ok(tc_own_values(f->own, &z, &err));
    return z;
}

static void values_are_in_units_of_the_anchors(void **state)
{
    fixture f;
    double z[MOST];
    (void)state;
    start_with(&f, BOX, 6, 700);
    tc_stream stream = stream_of(701);
    observe_random(&f, 9, &stream);
    slow_standardise(&f, f.anchors, z);
    for (size_t i = 0; i < f.history.n; i++)
        assert_close(values_of(&f)[i], z[i], 1e-12);
    end(&f);
}

/* Anchors that do not differ say nothing of a scale. What comes later has one. */
static void equal_anchors_have_no_scale(void **state)
{
    (void)state;
    tacit_error err = {0};
    const double levels[] = {0, 0.1, -7, 1e30};
    for (size_t l = 0; l < 4; l++)
        for (int k = GRID; k <= BOX; k++) {
            fixture f;
            tc_stream stream = stream_of(800);
            double values[DIM];
            start(&f, (kind)k, 10, 1);
            for (size_t i = 0; i < 10; i++) {
                random_values(&f, &stream, values);
                add(&f, values, levels[l]);
            }
            fit(&f);
            ask(&f, values);
            for (size_t i = 0; i < 3; i++) {
                random_values(&f, &stream, values);
                add(&f, values, levels[l] + (levels[l] == 0 ? 1 : fabs(levels[l])) * (double)i);
                fit(&f);
                ask(&f, values);
                for (size_t j = 0; j < f.history.n; j++) {
                    assert_same_bits(values_of(&f)[j], 0);
                    assert_true(isfinite(f.own->wide.model.z[j]));
                }
            }
            assert_ok(tc_model_standardise(&f.own->wide.model, &err));
            for (size_t j = 0; j < f.history.n; j++)
                assert_true(fabs(f.own->wide.model.z[j]) < 5);
            end(&f);
        }
}

static void few_anchors_have_no_message(void **state)
{
    (void)state;
    for (size_t anchors = 1; anchors < 4; anchors++) {
        fixture f;
        start_with(&f, BOX, anchors, 900);
        assert_true((values_of(&f)[0] == 0) == (anchors < 3));
        end(&f);
    }
}

/* One anchor: it goes on, and finds something. */
static void one_anchor_is_enough_to_go_on(void **state)
{
    fixture f;
    double values[DIM];
    (void)state;
    start(&f, BOX, 1, 2);
    for (size_t i = 0; i < 20; i++)
        step(&f, values);
    assert_true(best_of(&f) > 1.7);
    end(&f);
}

/* A program says -1e30 where it crashed: among the anchors, and later. */
static void crashes_do_not_blind_it(void **state)
{
    (void)state;
    for (size_t crash = 2; crash < 9; crash += 5)
        for (int k = GRID; k <= BOX; k++) {
            fixture f;
            double values[DIM], u[DIM];
            start(&f, (kind)k, 6, 3);
            for (size_t i = 0; i < 30; i++) {
                fit(&f);
                ask(&f, values);
                tc_space_encode(f.space, values, u);
                add(&f, values, i == crash || u[0] < 0.2 ? -1e30 : truth(u));
                assert_true(isfinite(tc_own_weight(f.own, 0)));
            }
            assert_true(best_of(&f) > 1.7);
            end(&f);
        }
}

/* ---- spaces of every kind ---- */

static double mixed_truth(const fixture *f, const double *values)
{
    double u[8];
    tc_space_encode(f->space, values, u);
    return -pow(values[0] - 0.6, 2) - pow((values[1] - 5) / 8, 2) -
           pow(log10(values[2]) / 5 + 0.6, 2) - (values[3] == 1 ? 0 : 0.3);
}

static void mixed_spaces_work(void **state)
{
    static const double how[] = {0, 0};
    (void)state;
    for (int informed = 0; informed < 2; informed++) {
        fixture f;
        tc_heard h = hears_truth(how, 0.5);
        double values[4];
        start(&f, MIXED, 6, 4);
        if (informed)
            tc_own_hear(f.own, &h);
        for (size_t i = 0; i < 35; i++) {
            fit(&f);
            ask(&f, values);
            assert_true(values[1] == floor(values[1]) && values[1] >= 1 && values[1] <= 8);
            assert_true(values[2] >= 1e-5 && values[2] <= 1);
            assert_true(values[3] == 0 || values[3] == 1 || values[3] == 2);
            add(&f, values, mixed_truth(&f, values));
        }
        assert_true(best_of(&f) > -0.05);
        end(&f);
    }
}

/* Agents of one study begin at different points. */
static void initial_points_are_the_agents_own(void **state)
{
    fixture a, b, c;
    double x[DIM], y[DIM], z[DIM];
    (void)state;
    start(&a, BOX, 5, 1);
    start(&b, BOX, 5, 1);
    start(&c, BOX, 5, 2);
    ask(&a, x);
    ask(&b, y);
    ask(&c, z);
    assert_memory_equal(x, y, sizeof x);
    assert_true(x[0] != z[0]);
    end(&a);
    end(&b);
    end(&c);
}

/* A fit that no factor can be made of is an error, and the next fit goes on. */
static void a_failed_ask_leaves_it_whole(void **state)
{
    static const double how[] = {2, -0.8};
    (void)state;
    for (int k = GRID; k <= BOX; k++) {
        fixture f;
        tacit_error err = {0};
        tc_heard h = hears_truth(how, 0);
        double before[DIM], after[DIM];
        tc_stream stream = stream_of(1000);
        start(&f, (kind)k, 8, 1);
        observe_random(&f, 8, &stream);
        set_hyper(&f);
        tc_own_hear(f.own, &h);
        ask(&f, before);
        char text[128];
        snprintf(text, sizeof text,
                 "{\"n\":8,\"scale\":[1e-320,1e-320],\"variance\":1e308,\"noise\":1e-300}");
        assert_ok(tc_own_fitted(f.own, text, &err));
        tc_own_ask(f.own, 8, after, &err); /* whatever it says */
        set_hyper(&f);
        ask(&f, after);
        assert_memory_equal(before, after, f.space->n_params * sizeof *before);
        end(&f);
    }
}

/* ---- trials that run ---- */

static void running_trials_spread(void **state)
{
    static const double how[] = {0.9, -0.3};
    (void)state;
    for (int k = GRID; k <= BOX; k++)
        for (int informed = 0; informed < 2; informed++) {
            fixture f;
            tc_heard h = hears_truth(how, 0.1);
            tc_stream stream = stream_of(200);
            double asked[6][DIM], u[6][DIM], again[DIM], widest = 0;
            start(&f, (kind)k, 5, 1);
            observe_random(&f, 8, &stream);
            set_hyper(&f);
            if (informed)
                tc_own_hear(f.own, &h);
            for (size_t i = 0; i < 6; i++) {
                ask(&f, asked[i]);
                tc_space_encode(f.space, asked[i], u[i]);
                for (size_t j = 0; j < i; j++) {
                    double gap = hypot(u[i][0] - u[j][0], u[i][1] - u[j][1]);
                    assert_true(gap > 5e-4);
                    widest = fmax(widest, gap);
                }
                take(&f, asked[i]);
            }
            assert_true(widest > 0.05);
            while (f.history.n_taken > 0)
                tc_history_untake(&f.history, 0);
            ask(&f, again); /* nothing of it is left */
            assert_memory_equal(again, asked[0], f.space->n_params * sizeof *again);
            end(&f);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(exact_units_give_the_same_bits),
        cmocka_unit_test(units_give_the_same_candidates),
        cmocka_unit_test(values_are_in_units_of_the_anchors),
        cmocka_unit_test(equal_anchors_have_no_scale),
        cmocka_unit_test(few_anchors_have_no_message),
        cmocka_unit_test(one_anchor_is_enough_to_go_on),
        cmocka_unit_test(crashes_do_not_blind_it),
        cmocka_unit_test(mixed_spaces_work),
        cmocka_unit_test(initial_points_are_the_agents_own),
        cmocka_unit_test(a_failed_ask_leaves_it_whole),
        cmocka_unit_test(running_trials_spread),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
