/* blin.c - batched Lipschitz narrowing [Feng, Huang, Wang 2022], with the sequence of edges ACE.
 *
 * A batch pulls every active cube of edge r ceil(samples ln T / r^2) times and drops those whose mean
 * is more than `margin` r below the best; what is left is cut into the cubes of the next edge. The
 * edges are 2^-j for j the partial sums of
 *
 *     c_1 = (z + 1) / ((d + 2)(z + 2)) log2(T / log2 T),   c_(i+1) = c_i (d + 1 - z) / (d + 2)
 *
 * rounded down and up, z the zooming dimension. The theorem has samples 16 and margin 4; the
 * defaults are those of the authors' experiments. What the budget has left after the last batch goes to
 * the active cubes in turn. A cube of edge 2^-j is a cell of depth j d. */
#include "algo/tree/tree_options.h"
#include "algo/tree/tree_save.h"

#include "base/error.h"

#include <math.h>

enum { UNKNOWN_BUDGET = 1000000, EDGES_MAX = TC_DEPTH_MAX };

typedef struct blin {
    const tc_blin_options *o;
    size_t dim;
    double T;
    unsigned edges[EDGES_MAX]; /* the exponents j, rising */
    size_t n_edges, batch;
    tc_phase_nodes nodes, spare;
    size_t at;
    uint64_t target; /* samples of each; 0: the batches are done */
} blin;

/* ---- the schedule ---- */

static void add_edge(blin *b, double j, double most)
{
    j = fmin(fmax(j, 1), most);
    if (b->n_edges < EDGES_MAX && (b->n_edges == 0 || j > b->edges[b->n_edges - 1]))
        b->edges[b->n_edges++] = (unsigned)j;
}

static void plan(blin *b)
{
    double d = (double)b->dim, z = b->o->zoom, ratio = (d + 1 - z) / (d + 2);
    double most = fmax(floor(TC_DEPTH_MAX / d), 1);
    double step = (z + 1) / ((d + 2) * (z + 2)) * log2(b->T / log2(b->T)), sum = 0;
    double batches = ceil(log2(log2(b->T)) / -log2(ratio)) + 1;
    for (double i = 0; i < batches; i++, step *= ratio) {
        sum += step;
        add_edge(b, floor(sum), most);
        add_edge(b, ceil(sum), most);
    }
}

static double edge(const blin *b)
{
    return exp2(-(double)b->edges[b->batch]);
}

static void begin_batch(blin *b)
{
    double r = edge(b), samples = ceil(b->o->samples * log(b->T) / (r * r));
    b->at = 0;
    b->target = samples < 1 ? 1 : samples < 0x1p62 ? (uint64_t)samples : UINT64_C(1) << 62;
}

/* Cuts all nodes along every axis, `times` times. */
static tacit_status cut(blin *b, unsigned times, tacit_error *err)
{
    for (size_t i = 0; i < times * b->dim; i++) {
        TC_TRY(tc_phase_children(&b->nodes, 2, &b->spare, err));
        tc_phase_nodes old = b->nodes;
        b->nodes = b->spare;
        b->spare = old;
    }
    return TACIT_OK;
}

static tacit_status init(void *c, const tc_bandit_env *env, const void *opts, tacit_error *err)
{
    blin *b = c;
    b->o = opts;
    b->dim = env->dim;
    b->T = env->budget > 4 ? (double)env->budget : env->budget ? 4 : UNKNOWN_BUDGET;
    plan(b);
    if (b->edges[0] * b->dim > 24)
        return tc_fail(
            err, TACIT_E_ARG,
            "blin would begin with 2^%zu cubes in dimension %zu; at most 2^24 are allowed",
            b->edges[0] * b->dim, b->dim);
    TC_TRY(tc_phase_add(&b->nodes, (tc_phase_node){0}, err));
    TC_TRY(cut(b, b->edges[0], err));
    begin_batch(b);
    return TACIT_OK;
}

static void fini(void *c)
{
    blin *b = c;
    tc_phase_fini(&b->nodes);
    tc_phase_fini(&b->spare);
}

static void ask(const void *c, tc_pulls *out)
{
    const blin *b = c;
    *out = (tc_pulls){b->at, b->target ? b->target - b->nodes.v[b->at].n : 1};
}

static void next(const void *c, tc_pulls *p)
{
    const blin *b = c;
    size_t i = p->arm + 1;
    while (i < b->nodes.n && b->nodes.v[i].n >= b->target) /* none, once the last batch is over */
        i++;
    *p = i < b->nodes.n ? (tc_pulls){i, b->target - b->nodes.v[i].n} : (tc_pulls){0};
}

static void narrow(blin *b)
{
    double best = -INFINITY, margin = b->o->margin * edge(b);
    for (size_t i = 0; i < b->nodes.n; i++) {
        tc_phase_node *v = &b->nodes.v[i];
        v->mean = (double)v->sum / ((double)v->n * (double)TC_REWARD_ONE);
        best = fmax(best, v->mean);
    }
    size_t left = 0;
    for (size_t i = 0; i < b->nodes.n; i++)
        if (!(best - b->nodes.v[i].mean > margin))
            b->nodes.v[left++] = b->nodes.v[i];
    b->nodes.n = left;
}

/* A batch of more cubes than there are pulls in all is not begun. */
static tacit_status end_batch(blin *b, tacit_error *err)
{
    narrow(b);
    b->at = b->target = 0;
    if (b->batch + 1 == b->n_edges)
        return TACIT_OK;
    unsigned times = b->edges[b->batch + 1] - b->edges[b->batch];
    if (ldexp((double)b->nodes.n, (int)(times * b->dim)) > b->T) {
        b->n_edges = b->batch + 1;
        return TACIT_OK;
    }
    TC_TRY(cut(b, times, err));
    b->batch++;
    begin_batch(b);
    return TACIT_OK;
}

static tacit_status tell(void *c, const tc_pulled *p, tacit_error *err)
{
    blin *b = c;
    tc_phase_node *v = &b->nodes.v[p->arm];
    v->n += p->n;
    v->sum += p->sum;
    if (b->target == 0) {
        b->at = (b->at + 1) % b->nodes.n;
        return TACIT_OK;
    }
    while (b->at < b->nodes.n && b->nodes.v[b->at].n >= b->target)
        b->at++;
    return b->at == b->nodes.n ? end_batch(b, err) : TACIT_OK;
}

/* ---- saved ---- */

enum { VERSION = 1 };

static tacit_status save(const void *c, tc_numbers *out, tacit_error *err)
{
    const blin *b = c;
    TC_TRY(tc_numbers_add(out, VERSION, err));
    TC_TRY(tc_numbers_add(out, (int64_t)b->batch, err));
    TC_TRY(tc_numbers_add(out, b->target == 0, err));
    TC_TRY(tc_numbers_add(out, (int64_t)b->at, err));
    return tc_save_phase(out, &b->nodes, err);
}

static tacit_status load(void *c, const tc_numbers *saved, const tc_numbers *broadcast,
                         tacit_error *err)
{
    (void)broadcast;
    blin *b = c;
    tc_saved s = tc_saved_begin(saved, VERSION);
    b->batch = (size_t)tc_saved_take(&s, 0, (int64_t)b->n_edges - 1);
    bool done = tc_saved_take(&s, 0, 1) != 0;
    int64_t at = tc_saved_take(&s, 0, INT64_MAX);
    TC_TRY(tc_saved_phase(&s, 2, (uint32_t)(b->edges[b->batch] * b->dim), &b->nodes, err));
    s.bad |= at >= (int64_t)b->nodes.n;
    begin_batch(b);
    b->at = (size_t)at;
    if (done)
        b->target = 0;
    /* a cube that has its pulls would have been passed */
    s.bad = s.bad || (!done && b->nodes.v[at].n >= b->target);
    return tc_saved_end(&s, "blin", err);
}

static tc_cell cell(const void *c, size_t arm, unsigned *k)
{
    const blin *b = c;
    *k = 2;
    return (tc_cell){(uint32_t)(b->edges[b->batch] * b->dim), b->nodes.v[arm].cell};
}

static void point(const void *c, size_t arm, double *u)
{
    unsigned k;
    tc_cell_centre(cell(c, arm, &k), 2, ((const blin *)c)->dim, u);
}

static size_t arm_of(const void *c, const double *u)
{
    const blin *b = c;
    tc_cell at = tc_cell_of(u, (uint32_t)(b->edges[b->batch] * b->dim), 2, b->dim);
    const tc_phase_node *v = tc_phase_find(&b->nodes, at.index);
    return v ? (size_t)(v - b->nodes.v) : TC_NO_ARM;
}

static const tc_option options[] = {TC_BLIN_OPTION_ROWS(0), {.name = NULL}};

const tc_bandit tc_bandit_blin = {
    .name = "blin",
    .summary = "batched Lipschitz narrowing: ever smaller cubes in few batches",
    .source = "Feng, Huang, Wang (2022)",
    .options = options,
    .options_size = sizeof(tc_blin_options),
    .client_size = sizeof(blin),
    .init = init,
    .fini = fini,
    .ask = ask,
    .next = next,
    .cell = cell,
    .point = point,
    .arm_of = arm_of,
    .tell = tell,
    .save = save,
    .load = load,
};
