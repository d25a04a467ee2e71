/* digits_cnn_test.c - the network beside a slow one, its gradient beside differences, and that it learns. */
#include "papers/data/digits_cnn.h"

#include "base/memory.h"
#include "base/random.h"
#include "support/test.h"

#include <math.h>

enum { IMAGES = 5 };

typedef struct fixture {
    tc_cnn net;
    double pixel[IMAGES][TC_CNN_PIXELS];
    tc_cnn_batch batch;
} fixture;

static int setup(void **state)
{
    fixture *f = tc_alloc(1, sizeof *f);
    tc_public_seed seed = tc_public_seed_from(9);
    tc_stream s;
    assert_non_null(f);
    tc_cnn_begin(&f->net);
    tc_stream_public(&s, &seed, TC_FOR_OBJECTIVE, 0);
    f->batch.n = IMAGES;
    for (size_t i = 0; i < IMAGES; i++) {
        for (size_t p = 0; p < TC_CNN_PIXELS; p++)
            f->pixel[i][p] = tc_draw_uniform(&s);
        f->batch.image[i] = f->pixel[i];
        f->batch.label[i] = (uint8_t)(3 * i % 10);
    }
    *state = f;
    return 0;
}

static int teardown(void **state)
{
    tc_free(*state);
    return 0;
}

/* ---- a slow network, from the definition */

static double filtered(const double *w, const double *image, size_t f, size_t row, size_t column)
{
    double sum = w[f + TC_CNN_FILTERS * (TC_CNN_SEEN - 1)];
    for (size_t r = 0; r < TC_CNN_REACH; r++)
        for (size_t c = 0; c < TC_CNN_REACH; c++)
            sum += w[f + TC_CNN_FILTERS * (r * TC_CNN_REACH + c)] *
                   image[(2 * row + r) * TC_CNN_SIDE + 2 * column + c];
    return sum > 0 ? sum : 0;
}

static void slow_scores(const double *w, const double *image, double *score)
{
    const double *top = w + TC_CNN_FILTERS * TC_CNN_SEEN,
                 *constants = top + TC_CNN_CLASSES * TC_CNN_HIDDEN;
    for (size_t k = 0; k < TC_CNN_CLASSES; k++)
        score[k] = constants[k];
    for (size_t row = 0; row < 5; row++)
        for (size_t column = 0; column < 5; column++)
            for (size_t f = 0; f < TC_CNN_FILTERS; f++) {
                double h = filtered(w, image, f, row, column);
                size_t unit = (row * 5 + column) * TC_CNN_FILTERS + f;
                for (size_t k = 0; k < TC_CNN_CLASSES; k++)
                    score[k] += top[k + TC_CNN_CLASSES * unit] * h;
            }
}

static double slow_loss(const double *w, const tc_cnn_batch *b)
{
    double sum = 0;
    for (size_t i = 0; i < b->n; i++) {
        double score[TC_CNN_CLASSES], total = 0;
        slow_scores(w, b->image[i], score);
        for (size_t k = 0; k < TC_CNN_CLASSES; k++)
            total += exp(score[k]);
        sum += log(total) - score[b->label[i]];
    }
    return sum / (double)b->n;
}

static void the_loss_is_that_of_the_slow_network(void **state)
{
    fixture *f = *state;
    assert_int_equal(TC_CNN_WEIGHTS, 2218);
    assert_close(tc_cnn_loss(&f->net, &f->batch), slow_loss(f->net.w, &f->batch), 1e-12);
}

static void the_gradient_is_that_of_differences(void **state)
{
    fixture *f = *state;
    const double h = 1e-6;
    static double w[TC_CNN_WEIGHTS];
    size_t moved = 0;
    (void)tc_cnn_loss(&f->net, &f->batch);
    memcpy(w, f->net.w, sizeof w);
    for (size_t k = 0; k < TC_CNN_WEIGHTS; k++) {
        w[k] = f->net.w[k] + h;
        double up = slow_loss(w, &f->batch);
        w[k] = f->net.w[k] - h;
        double down = slow_loss(w, &f->batch);
        w[k] = f->net.w[k];
        assert_close(f->net.gradient[k], (up - down) / (2 * h), 1e-7);
        moved += fabs(f->net.gradient[k]) > 1e-6;
    }
    assert_true(moved > TC_CNN_WEIGHTS / 2);
}

static void a_step_goes_down_the_gradient_and_shrinks(void **state)
{
    fixture *f = *state;
    static double before[TC_CNN_WEIGHTS];
    double loss = tc_cnn_loss(&f->net, &f->batch);
    memcpy(before, f->net.w, sizeof before);
    tc_cnn_descend(&f->net, 0.01, 0.5);
    for (size_t k = 0; k < TC_CNN_WEIGHTS; k++)
        assert_close(f->net.w[k], before[k] - 0.01 * (f->net.gradient[k] + 0.5 * before[k]), 1e-14);
    assert_true(tc_cnn_loss(&f->net, &f->batch) < loss);
}

static void it_learns_by_heart(void **state)
{
    fixture *f = *state;
    for (int step = 0; step < 200; step++) {
        (void)tc_cnn_loss(&f->net, &f->batch);
        tc_cnn_descend(&f->net, 0.1, 0);
    }
    assert_int_equal(tc_cnn_wrong(&f->net, &f->batch), 0);
    for (size_t i = 0; i < IMAGES; i++)
        f->batch.label[i] = (uint8_t)(f->batch.label[i] ^ 1);
    assert_int_equal(tc_cnn_wrong(&f->net, &f->batch), IMAGES);
}

static void one_that_has_run_away_answers_0(void **state)
{
    fixture *f = *state;
    for (size_t k = 0; k < TC_CNN_WEIGHTS; k++)
        f->net.w[k] = NAN;
    assert_int_equal(tc_cnn_wrong(&f->net, &f->batch), IMAGES - 1); /* the first is a 0 */
}

static void it_begins_the_same_every_time(void **state)
{
    fixture *f = *state;
    tc_cnn *again = tc_alloc(1, sizeof *again);
    assert_non_null(again);
    tc_cnn_begin(again);
    assert_memory_equal(again->w, f->net.w, sizeof again->w);
    tc_free(again);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(the_loss_is_that_of_the_slow_network, setup, teardown),
        cmocka_unit_test_setup_teardown(the_gradient_is_that_of_differences, setup, teardown),
        cmocka_unit_test_setup_teardown(a_step_goes_down_the_gradient_and_shrinks, setup, teardown),
        cmocka_unit_test_setup_teardown(it_learns_by_heart, setup, teardown),
        cmocka_unit_test_setup_teardown(one_that_has_run_away_answers_0, setup, teardown),
        cmocka_unit_test_setup_teardown(it_begins_the_same_every_time, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
