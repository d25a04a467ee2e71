/* digits_cnn.c - the network, by back-propagation. See digits_cnn.h.
 *
 * Matrices are column-major. What a place sees is a column of X, the places of an image side by side:
 *
 *     H = max(0, F X),   S = W H + c 1',   P = softmax(S)
 *
 * where H is read first as filters x places, then, the same memory, as one column per image. */
#include "papers/data/digits_cnn.h"

#include "base/random.h"
#include "num/la.h"

#include <math.h>
#include <string.h>

enum {
    SEEN = TC_CNN_SEEN,
    PLACES = TC_CNN_PLACES,
    FILTERS = TC_CNN_FILTERS,
    HIDDEN = TC_CNN_HIDDEN,
    CLASSES = TC_CNN_CLASSES,
    TOP = FILTERS * SEEN, /* where W begins among the weights */
    CONSTANTS = TOP + CLASSES * HIDDEN
};

/* Variance 2 over the number of inputs keeps the size of what passes through rectified units. */
void tc_cnn_begin(tc_cnn *m)
{
    tc_public_seed seed = tc_public_seed_from(0);
    tc_stream s;
    tc_stream_public(&s, &seed, TC_FOR_DESIGN, 0);
    tc_draw_normals(&s, CONSTANTS, m->w);
    tc_scale(TOP, sqrt(2.0 / SEEN), m->w);
    tc_scale(CLASSES * HIDDEN, sqrt(2.0 / HIDDEN), m->w + TOP);
    memset(m->w + CONSTANTS, 0, CLASSES * sizeof *m->w);
}

/* What each place sees. */
static void look(const double *image, double *x)
{
    for (size_t p = 0; p < PLACES; p++, x += SEEN) {
        const double *corner =
            image + (p / TC_CNN_ROW * TC_CNN_SIDE + p % TC_CNN_ROW) * TC_CNN_STEP;
        for (size_t r = 0; r < TC_CNN_REACH; r++)
            memcpy(x + r * TC_CNN_REACH, corner + r * TC_CNN_SIDE, TC_CNN_REACH * sizeof *x);
        x[SEEN - 1] = 1;
    }
}

static void forward(tc_cnn *m, const tc_cnn_batch *b)
{
    for (size_t i = 0; i < b->n; i++) {
        look(b->image[i], m->seen + i * SEEN * PLACES);
        memcpy(m->score + i * CLASSES, m->w + CONSTANTS, CLASSES * sizeof *m->score);
    }
    tc_gemm('N', 'N', FILTERS, PLACES * b->n, SEEN, 1, m->w, FILTERS, m->seen, SEEN, 0, m->hidden,
            FILTERS);
    for (size_t k = 0; k < HIDDEN * b->n; k++)
        m->hidden[k] = fmax(0, m->hidden[k]);
    tc_gemm('N', 'N', CLASSES, b->n, HIDDEN, 1, m->w + TOP, CLASSES, m->hidden, HIDDEN, 1, m->score,
            CLASSES);
}

/* Scores become P - Y. The largest first: exponentials do not overflow. */
static double cross_entropy(double *s, size_t label)
{
    double most = -INFINITY, sum = 0, right = s[label];
    for (size_t c = 0; c < CLASSES; c++)
        most = fmax(most, s[c]);
    for (size_t c = 0; c < CLASSES; c++)
        sum += s[c] = exp(s[c] - most);
    for (size_t c = 0; c < CLASSES; c++)
        s[c] = s[c] / sum - (c == label);
    return most + log(sum) - right;
}

static void backward(tc_cnn *m, size_t n)
{
    double *constants = m->gradient + CONSTANTS, share = 1 / (double)n;
    memset(constants, 0, CLASSES * sizeof *constants);
    for (size_t i = 0; i < n; i++)
        tc_axpy(CLASSES, share, m->score + i * CLASSES, constants);
    tc_gemm('N', 'T', CLASSES, HIDDEN, n, share, m->score, CLASSES, m->hidden, HIDDEN, 0,
            m->gradient + TOP, CLASSES);
    tc_gemm('T', 'N', HIDDEN, n, CLASSES, share, m->w + TOP, CLASSES, m->score, CLASSES, 0, m->back,
            HIDDEN);
    for (size_t k = 0; k < HIDDEN * n; k++)
        if (!(m->hidden[k] > 0))
            m->back[k] = 0;
    tc_gemm('N', 'T', FILTERS, SEEN, PLACES * n, 1, m->back, FILTERS, m->seen, SEEN, 0, m->gradient,
            FILTERS);
}

double tc_cnn_loss(tc_cnn *m, const tc_cnn_batch *b)
{
    double sum = 0;
    forward(m, b);
    for (size_t i = 0; i < b->n; i++)
        sum += cross_entropy(m->score + i * CLASSES, b->label[i]);
    backward(m, b->n);
    return sum / (double)b->n;
}

void tc_cnn_descend(tc_cnn *m, double rate, double l2)
{
    tc_scale(TC_CNN_WEIGHTS, 1 - rate * l2, m->w);
    tc_axpy(TC_CNN_WEIGHTS, -rate, m->gradient, m->w);
}

size_t tc_cnn_wrong(tc_cnn *m, const tc_cnn_batch *b)
{
    size_t wrong = 0;
    forward(m, b);
    for (size_t i = 0; i < b->n; i++) {
        const double *s = m->score + i * CLASSES;
        size_t best = 0;
        for (size_t c = 1; c < CLASSES; c++)
            if (s[c] > s[best])
                best = c;
        wrong += best != b->label[i];
    }
    return wrong;
}
