/* tree_options.h - options of the bandits that are algorithms too: each has a table as a bandit, and
 * one with the range of rewards before it as an algorithm (tree_optimizer.c, tree_federated.c). */
#ifndef TC_ALGO_TREE_TREE_OPTIONS_H
#define TC_ALGO_TREE_TREE_OPTIONS_H

#include "algo/tree/tree.h"
#include "base/options.h"

/* The rows children, nu and rho of a struct `owner` at offset `at`. */
#define TC_PARTITION_OPTION_ROWS(at, owner)                                                        \
    TC_INT_OPTION("children", (at) + offsetof(owner, children), "2", 2, TC_CHILDREN_MAX,           \
                  "parts into which a cell is split", .value = "K"),                               \
        TC_FLOAT_OPTION("nu", (at) + offsetof(owner, nu), "1", 0, 1000,                            \
                        "rewards of a cell of depth h differ by nu rho^h or less",                 \
                        .min_open = true),                                                         \
        TC_FLOAT_OPTION("rho", (at) + offsetof(owner, rho), "0.5", 0.01, 0.99,                     \
                        "rewards of a cell of depth h differ by nu rho^h or less")

typedef struct tc_hct_options {
    int64_t children;
    double nu, rho, c, delta;
} tc_hct_options;

#define TC_HCT_OPTION_ROWS(at)                                                                     \
    TC_PARTITION_OPTION_ROWS(at, tc_hct_options),                                                  \
        TC_FLOAT_OPTION("c", (at) + offsetof(tc_hct_options, c), "0.1", 0, 1000,                   \
                        "factor of the confidence width; the theorem needs 2 sqrt(1/(1 - rho))",   \
                        .min_open = true),                                                         \
        TC_FLOAT_OPTION("delta", (at) + offsetof(tc_hct_options, delta), "0.01", 0, 1,             \
                        "probability that a bound fails", .min_open = true)

typedef struct tc_hoo_options {
    int64_t children;
    double nu, rho;
} tc_hoo_options;

#define TC_HOO_OPTION_ROWS(at) TC_PARTITION_OPTION_ROWS(at, tc_hoo_options)

typedef struct tc_blin_options {
    double samples, margin, zoom;
} tc_blin_options;

#define TC_BLIN_OPTION_ROWS(at)                                                                    \
    TC_FLOAT_OPTION("samples", (at) + offsetof(tc_blin_options, samples), "0.75", 0, 1000,         \
                    "a cube of edge r is pulled samples ln T / r^2 times; the theorem has 16",     \
                    .min_open = true),                                                             \
        TC_FLOAT_OPTION("margin", (at) + offsetof(tc_blin_options, margin), "0.25", 0, 1000,       \
                        "a cube of edge r is dropped margin r below the best; the theorem has 4",  \
                        .min_open = true),                                                         \
        TC_FLOAT_OPTION("zoom", (at) + offsetof(tc_blin_options, zoom), "0", 0, 1,                 \
                        "zooming dimension of the objective")

typedef struct tc_pne_options {
    int64_t children;
    double nu, rho, c, c1, delta; /* delta 0: 1/M */
    double gap;                   /* Delta; pf-pne only */
    int64_t transition;           /* H_0; 0: from Delta; pf-pne only */
    int rule;                     /* tc_pne_rule; pf-pne only */
} tc_pne_options;

#define TC_PNE_OPTION_ROWS(at)                                                                     \
    TC_PARTITION_OPTION_ROWS(at, tc_pne_options),                                                  \
        TC_FLOAT_OPTION("c", (at) + offsetof(tc_pne_options, c), "0.1", 0, 1000,                   \
                        "factor of the confidence width; the theorem needs 2", .min_open = true),  \
        TC_FLOAT_OPTION("c1", (at) + offsetof(tc_pne_options, c1), "1", 0, 1e6,                    \
                        "factor of T in the confidence width; the theorem needs (2 M^2)^(1/8)",    \
                        .min_open = true),                                                         \
        TC_FLOAT_OPTION("delta", (at) + offsetof(tc_pne_options, delta), "0", 0, 1,                \
                        "probability that a bound fails; 0: 1/M")

#define TC_PF_PNE_OPTION_ROWS(at)                                                                  \
    TC_PNE_OPTION_ROWS(at),                                                                        \
        TC_FLOAT_OPTION(                                                                           \
            "gap", (at) + offsetof(tc_pne_options, gap), "0.01", 0, 1,                             \
            "Delta: how far the optimum of the mean may be from a client's, in reward",            \
            .min_open = true),                                                                     \
        TC_INT_OPTION(                                                                             \
            "transition", (at) + offsetof(tc_pne_options, transition), "0", 0, TC_DEPTH_MAX,       \
            "the last shared depth H0; 0: the first with nu rho^h <= Delta", .value = "H"),        \
        TC_CHOICE_OPTION(                                                                          \
            "rule", (at) + offsetof(tc_pne_options, rule), "sound", "sound|paper",                 \
            "sound: global means are lowered by Delta before they eliminate; paper: as printed")

typedef struct tc_fed_hct_options {
    tc_hct_options hct;
    double caution;
    int64_t borrow;
} tc_fed_hct_options;

#define TC_FED_HCT_OPTION_ROWS(at)                                                                 \
    TC_HCT_OPTION_ROWS((at) + offsetof(tc_fed_hct_options, hct)),                                  \
        TC_FLOAT_OPTION("caution", (at) + offsetof(tc_fed_hct_options, caution), "1", 0, 100,      \
                        "standard errors that are added to the difference between clients"),       \
        TC_INT_OPTION("borrow", (at) + offsetof(tc_fed_hct_options, borrow), "1000000000", 0, 1e9, \
                      "pseudo-samples that a node takes from other clients at most; 0: none",      \
                      .value = "N")

#endif
