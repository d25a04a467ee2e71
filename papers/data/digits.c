/* digits.c - the images made small and dealt out, and the network, by back-propagation on BLAS. See digits.h.
 *
 * Matrices are column-major, an image is a column:  H = max(0, W1 X),  S = W2 [H; 1],  P = softmax(S). */
#include "papers/data/digits.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/random.h"
#include "num/la.h"
#include "papers/data/digits_read.h"

#include <math.h>
#include <string.h>

enum {
    SIDE = TC_DIGIT_SIDE,
    SQUARE = 4,
    SMALL = SIDE / SQUARE,
    PIXELS = SMALL * SMALL,
    INPUTS = PIXELS + 1, /* and a 1 */
    CLASSES = TC_DIGIT_CLASSES,
    TRAIN = 30,
    TEST = 20,
    SHARE = TRAIN + TEST,
    BATCH = 10,
    PASSES = 40,
    MOST = 64 /* units */
};

struct tc_digits {
    size_t agents;
    tc_digit_images images;
    double *x;     /* of each image, INPUTS */
    size_t *order; /* agent a has the rows order[a * SHARE ...] */
};

/* ---- the agents' images */

/* Averages over squares, and a 1. */
static void shrink(const uint8_t *pixel, double *x)
{
    for (size_t i = 0; i < TC_DIGIT_PIXELS; i++)
        x[i / SIDE / SQUARE * SMALL + i % SIDE / SQUARE] += pixel[i] / (255.0 * SQUARE * SQUARE);
    x[PIXELS] = 1;
}

static tacit_status take_images(tc_digits *d, tacit_error *err)
{
    size_t n = d->images.n;
    if (n < d->agents * SHARE)
        return tc_fail(err, TACIT_E_ARG, "%zu agents need %zu images, there are %zu", d->agents,
                       d->agents * SHARE, n);
    d->x = tc_alloc(n * INPUTS, sizeof *d->x);
    if (!d->x)
        return tc_fail_memory(err);
    for (size_t i = 0; i < n; i++)
        shrink(d->images.pixel + i * TC_DIGIT_PIXELS, d->x + i * INPUTS);
    return TACIT_OK;
}

static tacit_status deal(tc_digits *d, tacit_error *err)
{
    tc_public_seed seed = tc_public_seed_from(0);
    tc_stream s;
    d->order = tc_alloc(d->images.n, sizeof *d->order);
    if (!d->order)
        return tc_fail_memory(err);
    tc_stream_public(&s, &seed, TC_FOR_OBJECTIVE, 0);
    tc_draw_permutation(&s, d->images.n, d->order);
    return TACIT_OK;
}

tacit_status tc_digits_new(tc_digits **out, const char *text, size_t len, size_t agents,
                           tacit_error *err)
{
    TC_TRY(tc_la_start(err));
    tc_digits *d = tc_alloc(1, sizeof *d);
    if (!d)
        return tc_fail_memory(err);
    d->agents = agents;
    tacit_status status = tc_digit_images_read(&d->images, text, len, err);
    if (status == TACIT_OK)
        status = take_images(d, err);
    if (status == TACIT_OK)
        status = deal(d, err);
    if (status != TACIT_OK) {
        tc_digits_free(d);
        return status;
    }
    *out = d;
    return TACIT_OK;
}

void tc_digits_free(tc_digits *d)
{
    if (!d)
        return;
    tc_digit_images_fini(&d->images);
    tc_free(d->x);
    tc_free(d->order);
    tc_free(d);
}

/* ---- one network */

typedef struct net {
    size_t width;
    double w1[MOST * INPUTS], w2[CLASSES * (MOST + 1)]; /* width x INPUTS, CLASSES x (width + 1) */
    double g1[MOST * INPUTS], g2[CLASSES * (MOST + 1)]; /* gradients */
    double x[INPUTS * BATCH], hidden[(MOST + 1) * BATCH], back[(MOST + 1) * BATCH];
    double s[CLASSES * BATCH];
    size_t label[BATCH];
} net;

/* Variance 2 over the number of inputs keeps the size of what passes through rectified units. */
static void begin(net *m, size_t width)
{
    tc_public_seed seed = tc_public_seed_from(0);
    tc_stream s;
    m->width = width;
    tc_stream_public(&s, &seed, TC_FOR_DESIGN, PASSES);
    tc_draw_normals(&s, width * INPUTS, m->w1);
    tc_draw_normals(&s, CLASSES * (width + 1), m->w2);
    tc_scale(width * INPUTS, sqrt(2.0 / INPUTS), m->w1);
    tc_scale(CLASSES * (width + 1), sqrt(2.0 / (double)(width + 1)), m->w2);
}

static void load(net *m, const tc_digits *d, const size_t *rows, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        memcpy(m->x + i * INPUTS, d->x + rows[i] * INPUTS, INPUTS * sizeof *m->x);
        m->label[i] = d->images.label[rows[i]];
    }
}

/* Scores of the n images that are loaded. */
static void forward(net *m, size_t n)
{
    size_t w = m->width;
    tc_gemm('N', 'N', w, n, INPUTS, 1, m->w1, w, m->x, INPUTS, 0, m->hidden, w + 1);
    for (size_t i = 0; i < n; i++) {
        double *h = m->hidden + i * (w + 1);
        for (size_t u = 0; u < w; u++)
            h[u] = fmax(0, h[u]);
        h[w] = 1;
    }
    tc_gemm('N', 'N', CLASSES, n, w + 1, 1, m->w2, CLASSES, m->hidden, w + 1, 0, m->s, CLASSES);
}

/* Scores become (P - Y) / n. The largest first: exponentials do not overflow. */
static void loss_gradient(double *s, size_t label, size_t n)
{
    double most = -INFINITY, sum = 0;
    for (size_t c = 0; c < CLASSES; c++)
        most = fmax(most, s[c]);
    for (size_t c = 0; c < CLASSES; c++)
        sum += s[c] = exp(s[c] - most);
    for (size_t c = 0; c < CLASSES; c++)
        s[c] = (s[c] / sum - (c == label)) / (double)n;
}

static void backward(net *m, size_t n)
{
    size_t w = m->width;
    for (size_t i = 0; i < n; i++)
        loss_gradient(m->s + i * CLASSES, m->label[i], n);
    tc_gemm('N', 'T', CLASSES, w + 1, n, 1, m->s, CLASSES, m->hidden, w + 1, 0, m->g2, CLASSES);
    tc_gemm('T', 'N', w + 1, n, CLASSES, 1, m->w2, CLASSES, m->s, CLASSES, 0, m->back, w + 1);
    for (size_t k = 0; k < n * (w + 1); k++)
        if (!(m->hidden[k] > 0))
            m->back[k] = 0;
    tc_gemm('N', 'T', w, INPUTS, n, 1, m->back, w + 1, m->x, INPUTS, 0, m->g1, w);
}

/* W <- W - rate (G + l2 W) */
static void descend(size_t n, double *w, const double *gradient, double rate, double l2)
{
    tc_scale(n, 1 - rate * l2, w);
    tc_axpy(n, -rate, gradient, w);
}

static void train(net *m, const tc_digits *d, const size_t *rows, double rate, double l2)
{
    tc_public_seed seed = tc_public_seed_from(0);
    for (uint64_t pass = 0; pass < PASSES; pass++) {
        tc_stream s;
        size_t order[TRAIN], mixed[TRAIN];
        tc_stream_public(&s, &seed, TC_FOR_DESIGN, pass);
        tc_draw_permutation(&s, TRAIN, order);
        for (size_t i = 0; i < TRAIN; i++)
            mixed[i] = rows[order[i]];
        for (size_t i = 0; i < TRAIN; i += BATCH) {
            load(m, d, mixed + i, BATCH);
            forward(m, BATCH);
            backward(m, BATCH);
            descend(m->width * INPUTS, m->w1, m->g1, rate, l2);
            descend(CLASSES * (m->width + 1), m->w2, m->g2, rate, l2);
        }
    }
}

/* A network that has run away answers 0. */
static double error_of(net *m, const tc_digits *d, const size_t *rows)
{
    size_t wrong = 0;
    for (size_t i = 0; i < TEST; i += BATCH) {
        load(m, d, rows + i, BATCH);
        forward(m, BATCH);
        for (size_t k = 0; k < BATCH; k++) {
            const double *s = m->s + k * CLASSES;
            size_t best = 0;
            for (size_t c = 1; c < CLASSES; c++)
                if (s[c] > s[best])
                    best = c;
            wrong += best != m->label[k];
        }
    }
    return (double)wrong / TEST;
}

tacit_status tc_digits_error(const tc_digits *d, size_t agent, double rate, double l2, size_t width,
                             double *out, tacit_error *err)
{
    const size_t *rows = d->order + agent * SHARE;
    net *m = tc_alloc(1, sizeof *m);
    if (!m)
        return tc_fail_memory(err);
    begin(m, width);
    train(m, d, rows, rate, l2);
    *out = error_of(m, d, rows + TRAIN);
    tc_free(m);
    return TACIT_OK;
}

/* ---- the grid */

static tacit_status model_error(const void *data, size_t agent, const double *x, double *out,
                                tacit_error *err)
{
    return tc_digits_error(data, agent, x[0], x[1], (size_t)rint(x[2]), out, err);
}

void tc_digits_fill(const tc_digits *d, tc_model_grid *g)
{
    g->names[0] = "rate";
    g->names[1] = "l2";
    g->names[2] = "width";
    g->agents = d->agents;
    g->error = model_error;
    g->data = d;
}
