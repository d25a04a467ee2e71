/* fn_ucb_net.h - a network of one hidden layer, and its gradients. For fn_ucb.c.
 *
 *     f(x; theta) = m^(-1/2) sum_j v_j max(w_j' (x, 1), 0) + c
 *
 * theta is w (a column of dim + 1 for each of the m units), then v, then c. Points come as a matrix X,
 * n x (dim + 1) column-major, whose last column is 1. Nothing here allocates or draws. */
#ifndef TC_PAPERS_FN_UCB_NET_H
#define TC_PAPERS_FN_UCB_NET_H

#include <stddef.h>

typedef struct tc_fn_net {
    size_t dim, width; /* m = width */
} tc_fn_net;

size_t tc_fn_net_params(const tc_fn_net *net); /* p: the length of theta */

/* f: n; H: n x width, scratch. */
void tc_fn_net_values(const tc_fn_net *net, const double *theta, size_t n, const double *X,
                      double *H, double *f);
/* G: n x p, row i the gradient of f(x_i) in theta; at a kink that of its left side. */
void tc_fn_net_gradients(const tc_fn_net *net, const double *theta, size_t n, const double *X,
                         double *H, double *G);

/* The loss (sum_i weight_i (f_i - y_i)^2 + decay |theta - centre|^2) / 2. */
typedef struct tc_fn_loss {
    size_t n;
    const double *X, *y, *weight; /* n */
    const double *centre;         /* p */
    double decay;
} tc_fn_loss;

/* grad: p. H: n x width and f: n, scratch; f keeps weight_i (f_i - y_i). Returns the loss. */
double tc_fn_net_slope(const tc_fn_net *net, const double *theta, const tc_fn_loss *loss, double *H,
                       double *f, double *grad);

#endif
