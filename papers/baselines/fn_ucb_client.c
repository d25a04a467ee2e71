/* fn_ucb_client.c - a client of federated neural UCB [Dai et al. 2023, algorithm 1].
 *
 * With g(x) the gradient of the network at theta_0, every client keeps, over its own pulls,
 *
 *     W = sum g(x) * g(x)     B = sum y g(x)     V = lambda + W,
 *
 * diagonals alone, and a network theta that it trains on its own rewards. It pulls the arm of the
 * largest (1 - alpha_t) UCB^a + alpha_t UCB^b:
 *
 *     UCB^a = g' thetabar + nu sqrt(lambda) |g|_{1/Vbar},  Vbar = lambda + W, thetabar = B / Vbar
 *             with W and B of all clients as of the last round, and of its own pulls up to now
 *     UCB^b = f(x; mean theta) + nu_net sqrt(lambda) |g|_{mean 1/V}
 *             with the means over all clients as of the last round.
 *
 * alpha_t grows linearly from 0 to 1 over the first `trust` pulls, as in the authors' code. From there
 * on nothing that decides changes between rounds: the rest of the pulls is asked for at once.
 *
 * Departures from the paper. Its trigger of a round looks at single clients' determinants; rounds in
 * lockstep are held when the number of pulls has grown by `growth`, a public moment. The network counts
 * as f(x; theta) - f(x; theta_0), zero before there are data; in the paper symmetric weights do that.
 * Inputs are places on a sphere (see draw). The step down the loss
 *
 *     sum_i n_i/t (f(x_i; theta) - mean y_i)^2 + lambda/t |theta - theta_0|^2
 *
 * over the pulled arms is rate / max |g|^2, which a linear model would not overshoot in any dimension.
 * nu is 1 where the authors have 0.1 for rewards of sd 0.01: with that, and rewards of sd 0.06, it
 * never left its first arms on rastrigin in ten dimensions. */
#include "papers/baselines/fn_ucb.h"

#include "papers/baselines/random_arms.h"
#include "base/error.h"
#include "num/la.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#define UNIT ((double)TC_REWARD_ONE)

/* ---- UCB ---- */

/* out = |g|_{d} of every arm, d a diagonal. */
static void widths(const tc_fn_client *c, const double *d, double *out)
{
    tc_gemv('N', c->n_arms, c->p, 1, c->G2, c->n_arms, d, 0, out);
    for (size_t i = 0; i < c->n_arms; i++)
        out[i] = sqrt(fmax(out[i], 0));
}

/* c->bound = UCB^a. */
static void bound_by_features(tc_fn_client *c)
{
    double nu = c->o->nu * sqrt(c->o->lambda);
    for (size_t k = 0; k < c->p; k++) {
        double W = c->all[TC_FN_W][k] + c->own[TC_FN_W][k] - c->sent_W[k];
        double B = c->all[TC_FN_B][k] + c->own[TC_FN_B][k] - c->sent_B[k];
        c->a[k] = 1 / (c->o->lambda + fmax(W, 0));
        c->b[k] = B * c->a[k];
    }
    tc_gemv('N', c->n_arms, c->p, 1, c->G, c->n_arms, c->b, 0, c->mu);
    widths(c, c->a, c->bound);
    for (size_t i = 0; i < c->n_arms; i++)
        c->bound[i] = c->mu[i] + nu * c->bound[i];
}

/* c->net_bound = UCB^b; after every round. */
static void bound_by_network(tc_fn_client *c)
{
    double nu = c->o->nu_net * sqrt(c->o->lambda);
    tc_fn_net_values(&c->net, c->all[TC_FN_THETA], c->n_arms, c->X, c->H, c->f);
    widths(c, c->all[TC_FN_INVERSE], c->net_bound);
    for (size_t i = 0; i < c->n_arms; i++)
        c->net_bound[i] = c->f[i] - c->f0[i] + nu * c->net_bound[i];
}

/* Ties: the first. */
static void choose(tc_fn_client *c)
{
    double alpha = c->o->trust ? fmin((double)c->t / (double)c->o->trust, 1) : 1;
    size_t best = 0;
    if (alpha < 1)
        bound_by_features(c);
    for (size_t i = 0; i < c->n_arms; i++)
        c->bound[i] =
            alpha < 1 ? (1 - alpha) * c->bound[i] + alpha * c->net_bound[i] : c->net_bound[i];
    for (size_t i = 1; i < c->n_arms; i++)
        if (c->bound[i] > c->bound[best])
            best = i;
    c->next = (tc_pulls){best, alpha < 1 ? 1 : c->due - c->t};
}

/* ---- the network ---- */

/* The arms with pulls, side by side: inputs, targets and weights. Returns how many. */
static size_t gather(tc_fn_client *c, double *y, double *weight)
{
    size_t n = 0, at = 0;
    for (size_t i = 0; i < c->n_arms; i++)
        n += c->n[i] > 0;
    for (size_t i = 0; i < c->n_arms; i++) {
        if (!(c->n[i] > 0))
            continue;
        for (size_t d = 0; d <= c->net.dim; d++)
            c->pulled[at + d * n] = c->X[i + d * c->n_arms];
        y[at] = c->mean[i] + c->f0[i];
        weight[at++] = c->n[i] / (double)c->t;
    }
    return n;
}

static void train(tc_fn_client *c)
{
    double *y = c->mu, *weight = c->bound;
    tc_fn_loss loss = {.n = gather(c, y, weight),
                       .X = c->pulled,
                       .y = y,
                       .weight = weight,
                       .centre = c->theta0,
                       .decay = c->o->lambda / (double)c->t};
    for (int64_t s = 0; s < c->o->steps; s++) {
        tc_fn_net_slope(&c->net, c->own[TC_FN_THETA], &loss, c->H, c->f, c->a);
        tc_axpy(c->p, -c->rate, c->a, c->own[TC_FN_THETA]);
    }
}

/* ---- pulls ---- */

static void add_pulls(tc_fn_client *c, size_t arm, double n, double sum)
{
    c->n[arm] += n;
    c->mean[arm] += (sum - n * c->mean[arm]) / c->n[arm];
    for (size_t k = 0; k < c->p; k++) {
        c->own[TC_FN_W][k] += n * c->G2[arm + k * c->n_arms];
        c->own[TC_FN_B][k] += sum * c->G[arm + k * c->n_arms];
        c->own[TC_FN_INVERSE][k] = 1 / (c->o->lambda + c->own[TC_FN_W][k]);
    }
}

void tc_fn_client_tell(tc_fn_client *c, const tc_pulled *p)
{
    add_pulls(c, p->arm, (double)p->n, (double)p->sum / UNIT);
    c->t += p->n;
    if (c->t < c->due) {
        choose(c);
        return;
    }
    train(c);
    c->next = (tc_pulls){0};
}

/* ---- rounds ---- */

tacit_status tc_fn_client_publish(const tc_fn_client *c, tc_numbers *out, tacit_error *err)
{
    double most = (double)c->most;
    for (size_t part = 0; part < TC_FN_PARTS; part++)
        for (size_t k = 0; k < c->p; k++) {
            double v = fmin(fmax(rint(c->own[part][k] * UNIT), -most), most);
            TC_TRY(tc_numbers_add(out, (int64_t)v, err));
        }
    return TACIT_OK;
}

static void go_on(tc_fn_client *c)
{
    c->due = c->t + (uint64_t)ceil(fmax((double)c->t * c->o->growth, 1));
    bound_by_network(c);
    choose(c);
}

tacit_status tc_fn_client_absorb(tc_fn_client *c, const tc_numbers *m, tacit_error *err)
{
    if (m->n != 1 + TC_FN_PARTS * c->p || m->v[0] < 1)
        return tc_fail(err, TACIT_E_CORRUPT,
                       "a broadcast has a number of clients and %zu sums, not %zu numbers",
                       TC_FN_PARTS * c->p, m->n);
    double clients = (double)m->v[0];
    for (size_t part = 0; part < TC_FN_PARTS; part++) {
        double of = part == TC_FN_THETA || part == TC_FN_INVERSE ? clients : 1;
        for (size_t k = 0; k < c->p; k++)
            c->all[part][k] = (double)m->v[1 + part * c->p + k] / (of * UNIT);
    }
    memcpy(c->sent_W, c->own[TC_FN_W], c->p * sizeof *c->sent_W);
    memcpy(c->sent_B, c->own[TC_FN_B], c->p * sizeof *c->sent_B);
    go_on(c);
    return TACIT_OK;
}

void tc_fn_client_skip(tc_fn_client *c)
{
    go_on(c);
}

/* ---- birth ---- */

tc_fn_net tc_fn_net_of(const tc_bandit_env *env, const tc_fn_options *o)
{
    return (tc_fn_net){.dim = 2 * env->dim, .width = (size_t)o->width};
}

int64_t tc_fn_most(const tc_bandit_env *env)
{
    return (INT64_C(1) << 62) / (int64_t)env->clients;
}

static void take_memory(tc_fn_client *c)
{
    size_t n = c->n_arms, p = c->p;
    double **by_arm[] = {&c->f0, &c->mean, &c->n, &c->net_bound, &c->bound, &c->f, &c->mu};
    double **by_weight[] = {&c->theta0, &c->sent_W, &c->sent_B, &c->a, &c->b};
    for (size_t i = 0; i < sizeof by_arm / sizeof *by_arm; i++)
        *by_arm[i] = TC_TAKE(&c->memory, n, double);
    for (size_t i = 0; i < sizeof by_weight / sizeof *by_weight; i++)
        *by_weight[i] = TC_TAKE(&c->memory, p, double);
    for (size_t i = 0; i < TC_FN_PARTS; i++) {
        c->own[i] = TC_TAKE(&c->memory, p, double);
        c->all[i] = TC_TAKE(&c->memory, p, double);
    }
    c->points = TC_TAKE(&c->memory, n * c->dim, double);
    c->X = TC_TAKE(&c->memory, n * (c->net.dim + 1), double);
    c->pulled = TC_TAKE(&c->memory, n * (c->net.dim + 1), double);
    c->G = TC_TAKE(&c->memory, n * p, double);
    c->G2 = TC_TAKE(&c->memory, n * p, double);
    c->H = TC_TAKE(&c->memory, n * c->net.width, double);
}

/* A coordinate becomes a place on a half circle: all inputs have length 1, as those of the paper, and
 * no arm has a wide bound for its length alone. */
static void draw(tc_fn_client *c, const tc_bandit_env *env)
{
    double share = 1 / sqrt((double)c->dim);
    tc_stream s;
    tc_random_arms_draw(env, c->n_arms, c->points);
    for (size_t i = 0; i < c->n_arms; i++) {
        for (size_t d = 0; d < c->dim; d++) {
            double angle = M_PI * c->points[i * c->dim + d];
            c->X[i + 2 * d * c->n_arms] = share * cos(angle);
            c->X[i + (2 * d + 1) * c->n_arms] = share * sin(angle);
        }
        c->X[i + c->net.dim * c->n_arms] = 1;
    }
    tc_stream_public(&s, &env->seed, TC_FOR_FEATURES, 0);
    tc_draw_normals(&s, c->p, c->theta0);
}

/* Everything that is known of theta_0, and the step that no arm can make too long. */
static void linearise(tc_fn_client *c)
{
    double longest = 0;
    tc_fn_net_values(&c->net, c->theta0, c->n_arms, c->X, c->H, c->f0);
    tc_fn_net_gradients(&c->net, c->theta0, c->n_arms, c->X, c->H, c->G);
    for (size_t i = 0; i < c->n_arms * c->p; i++)
        c->G2[i] = c->G[i] * c->G[i];
    for (size_t k = 0; k < c->p; k++)
        c->a[k] = 1;
    widths(c, c->a, c->f);
    for (size_t i = 0; i < c->n_arms; i++)
        longest = fmax(longest, c->f[i]);
    c->rate = c->o->rate / (longest * longest);
}

tacit_status tc_fn_client_init(tc_fn_client *c, const tc_bandit_env *env, const tc_fn_options *o,
                               tacit_error *err)
{
    TC_TRY(tc_la_start(err));
    c->o = o;
    c->net = tc_fn_net_of(env, o);
    c->dim = env->dim;
    c->n_arms = tc_random_arms_count(env->dim, o->arms);
    c->p = tc_fn_net_params(&c->net);
    c->most = tc_fn_most(env);
    take_memory(c);
    if (c->memory.failed)
        return tc_fail_memory(err);
    draw(c, env);
    linearise(c);
    for (size_t k = 0; k < c->p; k++) {
        c->own[TC_FN_THETA][k] = c->all[TC_FN_THETA][k] = c->theta0[k];
        c->own[TC_FN_INVERSE][k] = c->all[TC_FN_INVERSE][k] = 1 / o->lambda;
    }
    go_on(c);
    return TACIT_OK;
}
