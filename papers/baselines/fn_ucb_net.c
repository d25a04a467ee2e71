/* fn_ucb_net.c - values and gradients of the network. See fn_ucb_net.h. */
#include "papers/baselines/fn_ucb_net.h"

#include "num/la.h"

#include <math.h>

size_t tc_fn_net_params(const tc_fn_net *net)
{
    return net->width * (net->dim + 2) + 1;
}

/* Where v begins in theta; c is behind it. */
static size_t outer(const tc_fn_net *net)
{
    return net->width * (net->dim + 1);
}

static double norm(const tc_fn_net *net)
{
    return 1 / sqrt((double)net->width);
}

/* H = max(X w, 0). A unit that is 0 has the gradient 0. */
static void activate(const tc_fn_net *net, const double *theta, size_t n, const double *X,
                     double *H)
{
    size_t in = net->dim + 1;
    tc_gemm('N', 'N', n, net->width, in, 1, X, n, theta, in, 0, H, n);
    for (size_t i = 0; i < n * net->width; i++)
        H[i] = fmax(H[i], 0);
}

void tc_fn_net_values(const tc_fn_net *net, const double *theta, size_t n, const double *X,
                      double *H, double *f)
{
    const double *v = theta + outer(net);
    activate(net, theta, n, X, H);
    for (size_t i = 0; i < n; i++)
        f[i] = v[net->width];
    tc_gemv('N', n, net->width, norm(net), H, n, v, 1, f);
}

void tc_fn_net_gradients(const tc_fn_net *net, const double *theta, size_t n, const double *X,
                         double *H, double *G)
{
    size_t in = net->dim + 1, at = outer(net);
    const double *v = theta + at;
    activate(net, theta, n, X, H);
    for (size_t j = 0; j < net->width; j++) {
        const double *h = H + j * n;
        for (size_t d = 0; d < in; d++)
            for (size_t i = 0; i < n; i++)
                G[i + (j * in + d) * n] = h[i] > 0 ? norm(net) * v[j] * X[i + d * n] : 0;
        for (size_t i = 0; i < n; i++)
            G[i + (at + j) * n] = norm(net) * h[i];
    }
    for (size_t i = 0; i < n; i++)
        G[i + (at + net->width) * n] = 1;
}

/* r_i = weight_i (f_i - y_i) in place of f; returns sum_i weight_i (f_i - y_i)^2. */
static double residuals(const tc_fn_loss *loss, double *f)
{
    double squares = 0;
    for (size_t i = 0; i < loss->n; i++) {
        double gap = f[i] - loss->y[i];
        f[i] = loss->weight[i] * gap;
        squares += f[i] * gap;
    }
    return squares;
}

/* grad of the squares: back through the layers, H becoming r_i m^(-1/2) v_j [h_ij > 0]. */
static void propagate(const tc_fn_net *net, const double *theta, const tc_fn_loss *loss,
                      const double *r, double *H, double *grad)
{
    size_t n = loss->n, in = net->dim + 1, at = outer(net);
    const double *v = theta + at;
    double total = 0;
    tc_gemv('T', n, net->width, norm(net), H, n, r, 0, grad + at);
    for (size_t j = 0; j < net->width; j++)
        for (size_t i = 0; i < n; i++)
            H[i + j * n] = H[i + j * n] > 0 ? norm(net) * v[j] * r[i] : 0;
    tc_gemm('T', 'N', in, net->width, n, 1, loss->X, n, H, n, 0, grad, in);
    for (size_t i = 0; i < n; i++)
        total += r[i];
    grad[at + net->width] = total;
}

double tc_fn_net_slope(const tc_fn_net *net, const double *theta, const tc_fn_loss *loss, double *H,
                       double *f, double *grad)
{
    size_t p = tc_fn_net_params(net);
    tc_fn_net_values(net, theta, loss->n, loss->X, H, f);
    double twice = residuals(loss, f);
    propagate(net, theta, loss, f, H, grad);
    for (size_t k = 0; k < p; k++) {
        double away = theta[k] - loss->centre[k];
        grad[k] += loss->decay * away;
        twice += loss->decay * away * away;
    }
    return twice / 2;
}
