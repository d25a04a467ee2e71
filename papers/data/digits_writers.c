/* digits_writers.c - dealing images out to hands, training and judging. See digits_writers.h. */
#include "papers/data/digits_writers.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/random.h"
#include "num/la.h"
#include "papers/data/digits_cnn.h"
#include "papers/data/digits_hand.h"

#include <math.h>

enum {
    SLANTS = 12,
    WIDTHS = 5,
    ALL = TC_WRITERS_ALL,
    SQUARE = TC_DIGIT_SIDE / TC_CNN_SIDE,
    PASSES = 20,
    OF = 5, /* so many images, TRAIN of them to train */
    TRAIN = 3
};
_Static_assert(SLANTS *WIDTHS == ALL, "every hand is somebody's");

typedef struct share {
    size_t begin, train, judge; /* rows[begin ...]: first those to train, then those to judge */
} share;

struct tc_writers {
    tc_digit_images images;
    double *x; /* of each image, TC_CNN_PIXELS */
    size_t *rows;
    share of[ALL];
};

/* ---- whose images */

static void shrink(const uint8_t *pixel, double *x)
{
    for (size_t i = 0; i < TC_DIGIT_PIXELS; i++)
        x[i / TC_DIGIT_SIDE / SQUARE * TC_CNN_SIDE + i % TC_DIGIT_SIDE / SQUARE] +=
            pixel[i] / (255.0 * SQUARE * SQUARE);
}

static void see_hands(const tc_digit_images *d, tc_dealt dealt, tc_hand *hand)
{
    tc_public_seed seed = tc_public_seed_from(0);
    tc_stream s;
    tc_stream_public(&s, &seed, TC_FOR_OBJECTIVE, 1);
    for (size_t i = 0; i < d->n; i++) {
        hand[i] = tc_hand_of(d->pixel + i * TC_DIGIT_PIXELS);
        if (dealt == TC_AT_RANDOM) {
            hand[i].slant = tc_draw_uniform(&s);
            hand[i].width = tc_draw_uniform(&s);
        }
    }
}

/* Numbers of hands become numbers of agents. */
static void renumber(size_t n, size_t *whose)
{
    tc_public_seed seed = tc_public_seed_from(0);
    tc_stream s;
    size_t order[ALL];
    tc_stream_public(&s, &seed, TC_FOR_OBJECTIVE, 0);
    tc_draw_permutation(&s, ALL, order);
    for (size_t i = 0; i < n; i++)
        whose[i] = order[whose[i]];
}

/* Those of agent a behind d->rows[begin], what is to train first. */
static tacit_status take_share(tc_writers *d, const size_t *whose, size_t a, size_t begin,
                               tacit_error *err)
{
    share *s = &d->of[a];
    *s = (share){.begin = begin};
    for (int judged = 0; judged < 2; judged++) {
        size_t of_label[TC_DIGIT_CLASSES] = {0}, *count = judged ? &s->judge : &s->train;
        for (size_t i = 0; i < d->images.n; i++)
            if (whose[i] == a && (of_label[d->images.label[i]]++ % OF >= TRAIN) == judged) {
                d->rows[begin++] = i;
                ++*count;
            }
    }
    if (s->train == 0 || s->judge == 0)
        return tc_fail(
            err, TACIT_E_ARG,
            "%zu images are too few for %d writers: one of them has %zu to train and %zu "
            "to judge on",
            d->images.n, ALL, s->train, s->judge);
    return TACIT_OK;
}

static tacit_status take_shares(tc_writers *d, const size_t *whose, tacit_error *err)
{
    size_t begin = 0;
    for (size_t a = 0; a < ALL; a++) {
        TC_TRY(take_share(d, whose, a, begin, err));
        begin += d->of[a].train + d->of[a].judge;
    }
    return TACIT_OK;
}

static tacit_status deal(tc_writers *d, tc_dealt dealt, tacit_error *err)
{
    tc_arena memory = {0};
    size_t n = d->images.n;
    tc_hand *hand = TC_TAKE(&memory, n, tc_hand);
    size_t *whose = TC_TAKE(&memory, n, size_t);
    d->x = tc_alloc(n * TC_CNN_PIXELS, sizeof *d->x);
    d->rows = tc_alloc(n, sizeof *d->rows);
    tacit_status status = memory.failed || !d->x || !d->rows ? tc_fail_memory(err) : TACIT_OK;
    if (status == TACIT_OK) {
        see_hands(&d->images, dealt, hand);
        status = tc_hand_cut(&d->images, hand, SLANTS, WIDTHS, whose, err);
    }
    if (status == TACIT_OK) {
        for (size_t i = 0; i < n; i++)
            shrink(d->images.pixel + i * TC_DIGIT_PIXELS, d->x + i * TC_CNN_PIXELS);
        renumber(n, whose);
        status = take_shares(d, whose, err);
    }
    tc_arena_fini(&memory);
    return status;
}

tacit_status tc_writers_new(tc_writers **out, const char *text, size_t len, tc_dealt dealt,
                            tacit_error *err)
{
    TC_TRY(tc_la_start(err));
    tc_writers *d = tc_alloc(1, sizeof *d);
    if (!d)
        return tc_fail_memory(err);
    tacit_status status = tc_digit_images_read(&d->images, text, len, err);
    if (status == TACIT_OK && d->images.n == 0)
        status = tc_fail(err, TACIT_E_ARG, "there are no images");
    if (status == TACIT_OK)
        status = deal(d, dealt, err);
    if (status != TACIT_OK) {
        tc_writers_free(d);
        return status;
    }
    *out = d;
    return TACIT_OK;
}

void tc_writers_free(tc_writers *d)
{
    if (!d)
        return;
    tc_digit_images_fini(&d->images);
    tc_free(d->x);
    tc_free(d->rows);
    tc_free(d);
}

/* ---- one network */

static void load(const tc_writers *d, const size_t *rows, size_t n, tc_cnn_batch *b)
{
    b->n = n;
    for (size_t i = 0; i < n; i++) {
        b->image[i] = d->x + rows[i] * TC_CNN_PIXELS;
        b->label[i] = d->images.label[rows[i]];
    }
}

static size_t at_most(size_t n, size_t most)
{
    return n < most ? n : most;
}

/* order, mixed: scratch of s->train. */
static void train(tc_cnn *m, const tc_writers *d, const share *s, double rate, double l2,
                  size_t batch, size_t *order, size_t *mixed)
{
    tc_public_seed seed = tc_public_seed_from(0);
    tc_cnn_batch b;
    for (uint64_t pass = 0; pass < PASSES; pass++) {
        tc_stream stream;
        tc_stream_public(&stream, &seed, TC_FOR_DESIGN, 1 + pass);
        tc_draw_permutation(&stream, s->train, order);
        for (size_t i = 0; i < s->train; i++)
            mixed[i] = d->rows[s->begin + order[i]];
        for (size_t i = 0; i < s->train; i += batch) {
            load(d, mixed + i, at_most(s->train - i, batch), &b);
            (void)tc_cnn_loss(m, &b);
            tc_cnn_descend(m, rate, l2);
        }
    }
}

static double judge(tc_cnn *m, const tc_writers *d, const share *s)
{
    size_t wrong = 0;
    tc_cnn_batch b;
    for (size_t i = 0; i < s->judge; i += TC_CNN_BATCH) {
        load(d, d->rows + s->begin + s->train + i, at_most(s->judge - i, TC_CNN_BATCH), &b);
        wrong += tc_cnn_wrong(m, &b);
    }
    return (double)wrong / (double)s->judge;
}

/* The agent's network; caller: tc_free. */
static tacit_status trained(tc_cnn **out, const tc_writers *d, size_t agent, double rate, double l2,
                            size_t batch, tacit_error *err)
{
    const share *s = &d->of[agent];
    tc_cnn *m = tc_alloc(1, sizeof *m);
    size_t *scratch = tc_alloc(2 * s->train, sizeof *scratch);
    if (!m || !scratch) {
        tc_free(m);
        tc_free(scratch);
        return tc_fail_memory(err);
    }
    tc_cnn_begin(m);
    train(m, d, s, rate, l2, batch, scratch, scratch + s->train);
    tc_free(scratch);
    *out = m;
    return TACIT_OK;
}

tacit_status tc_writers_errors(const tc_writers *d, size_t agent, double rate, double l2,
                               size_t batch, size_t n, double *errors, tacit_error *err)
{
    tc_cnn *m;
    TC_TRY(trained(&m, d, agent, rate, l2, batch, err));
    for (size_t a = 0; a < n; a++)
        errors[a] = judge(m, d, &d->of[a]);
    tc_free(m);
    return TACIT_OK;
}

tacit_status tc_writers_error(const tc_writers *d, size_t agent, double rate, double l2,
                              size_t batch, double *out, tacit_error *err)
{
    tc_cnn *m;
    TC_TRY(trained(&m, d, agent, rate, l2, batch, err));
    *out = judge(m, d, &d->of[agent]);
    tc_free(m);
    return TACIT_OK;
}

/* ---- the grid */

static tacit_status model_error(const void *data, size_t agent, const double *x, double *out,
                                tacit_error *err)
{
    return tc_writers_error(data, agent, x[0], x[1], (size_t)rint(x[2]), out, err);
}

void tc_writers_fill(const tc_writers *d, tc_model_grid *g)
{
    g->names[0] = "rate";
    g->names[1] = "l2";
    g->names[2] = "batch";
    g->agents = ALL;
    g->error = model_error;
    g->data = d;
}
