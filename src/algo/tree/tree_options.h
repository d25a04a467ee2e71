/* tree_options.h - options of the bandits that are algorithms too: each has a table as a bandit, and
 * one with the range of rewards before it as an algorithm (tree_optimizer.c, tree_federated.c). */
#ifndef TC_ALGO_TREE_TREE_OPTIONS_H
#define TC_ALGO_TREE_TREE_OPTIONS_H

#include "algo/tree/tree.h"
#include "base/options.h"

/* The rows children, nu and rho of a struct `owner` at offset `at`. */
#define TC_PARTITION_OPTION_ROWS(at, owner)                                                        \
    {.name = "children",                                                                           \
     .type = TC_OPTION_INT,                                                                        \
     .offset = (at) + offsetof(owner, children),                                                   \
     .def = "2",                                                                                   \
     .min = 2,                                                                                     \
     .max = TC_CHILDREN_MAX,                                                                       \
     .help = "parts into which a cell is split",                                                   \
     .value = "K"},                                                                                \
        {.name = "nu",                                                                             \
         .type = TC_OPTION_FLOAT,                                                                  \
         .offset = (at) + offsetof(owner, nu),                                                     \
         .def = "1",                                                                               \
         .max = 1000,                                                                              \
         .min_open = true,                                                                         \
         .help = "rewards of a cell of depth h differ by nu rho^h or less"},                       \
    {                                                                                              \
        .name = "rho", .type = TC_OPTION_FLOAT, .offset = (at) + offsetof(owner, rho),             \
        .def = "0.5", .min = 0.01, .max = 0.99,                                                    \
        .help = "rewards of a cell of depth h differ by nu rho^h or less"                          \
    }

typedef struct tc_hct_options {
    int64_t children;
    double nu, rho, c, delta;
} tc_hct_options;

#define TC_HCT_OPTION_ROWS(at)                                                                     \
    TC_PARTITION_OPTION_ROWS(at, tc_hct_options),                                                  \
        {.name = "c",                                                                              \
         .type = TC_OPTION_FLOAT,                                                                  \
         .offset = (at) + offsetof(tc_hct_options, c),                                             \
         .def = "0.1",                                                                             \
         .max = 1000,                                                                              \
         .min_open = true,                                                                         \
         .help = "factor of the confidence width; the theorem needs 2 sqrt(1/(1 - rho))"},         \
    {                                                                                              \
        .name = "delta", .type = TC_OPTION_FLOAT,                                                  \
        .offset = (at) + offsetof(tc_hct_options, delta), .def = "0.01", .max = 1,                 \
        .min_open = true, .help = "probability that a bound fails"                                 \
    }

typedef struct tc_hoo_options {
    int64_t children;
    double nu, rho;
} tc_hoo_options;

#define TC_HOO_OPTION_ROWS(at) TC_PARTITION_OPTION_ROWS(at, tc_hoo_options)

typedef struct tc_blin_options {
    double samples, margin, zoom;
} tc_blin_options;

#define TC_BLIN_OPTION_ROWS(at)                                                                    \
    {.name = "samples",                                                                            \
     .type = TC_OPTION_FLOAT,                                                                      \
     .offset = (at) + offsetof(tc_blin_options, samples),                                          \
     .def = "0.75",                                                                                \
     .max = 1000,                                                                                  \
     .min_open = true,                                                                             \
     .help = "a cube of edge r is pulled samples ln T / r^2 times; the theorem has 16"},           \
        {.name = "margin",                                                                         \
         .type = TC_OPTION_FLOAT,                                                                  \
         .offset = (at) + offsetof(tc_blin_options, margin),                                       \
         .def = "0.25",                                                                            \
         .max = 1000,                                                                              \
         .min_open = true,                                                                         \
         .help = "a cube of edge r is dropped margin r below the best; the theorem has 4"},        \
    {                                                                                              \
        .name = "zoom", .type = TC_OPTION_FLOAT, .offset = (at) + offsetof(tc_blin_options, zoom), \
        .def = "0", .max = 1, .help = "zooming dimension of the objective"                         \
    }

typedef struct tc_pne_options {
    int64_t children;
    double nu, rho, c, c1, delta; /* delta 0: 1/M */
    double gap;                   /* Delta; pf-pne only */
    int64_t transition;           /* H_0; 0: from Delta; pf-pne only */
    int rule;                     /* tc_pne_rule; pf-pne only */
} tc_pne_options;

#define TC_PNE_OPTION_ROWS(at)                                                                     \
    TC_PARTITION_OPTION_ROWS(at, tc_pne_options),                                                  \
        {.name = "c",                                                                              \
         .type = TC_OPTION_FLOAT,                                                                  \
         .offset = (at) + offsetof(tc_pne_options, c),                                             \
         .def = "0.1",                                                                             \
         .max = 1000,                                                                              \
         .min_open = true,                                                                         \
         .help = "factor of the confidence width; the theorem needs 2"},                           \
        {.name = "c1",                                                                             \
         .type = TC_OPTION_FLOAT,                                                                  \
         .offset = (at) + offsetof(tc_pne_options, c1),                                            \
         .def = "1",                                                                               \
         .max = 1e6,                                                                               \
         .min_open = true,                                                                         \
         .help = "factor of T in the confidence width; the theorem needs (2 M^2)^(1/8)"},          \
    {                                                                                              \
        .name = "delta", .type = TC_OPTION_FLOAT,                                                  \
        .offset = (at) + offsetof(tc_pne_options, delta), .def = "0", .max = 1,                    \
        .help = "probability that a bound fails; 0: 1/M"                                           \
    }

#define TC_PF_PNE_OPTION_ROWS(at)                                                                  \
    TC_PNE_OPTION_ROWS(at),                                                                        \
        {.name = "gap",                                                                            \
         .type = TC_OPTION_FLOAT,                                                                  \
         .offset = (at) + offsetof(tc_pne_options, gap),                                           \
         .def = "0.01",                                                                            \
         .max = 1,                                                                                 \
         .min_open = true,                                                                         \
         .help = "Delta: how far the optimum of the mean may be from a client's, in reward"},      \
        {.name = "transition",                                                                     \
         .type = TC_OPTION_INT,                                                                    \
         .offset = (at) + offsetof(tc_pne_options, transition),                                    \
         .def = "0",                                                                               \
         .max = TC_DEPTH_MAX,                                                                      \
         .help = "the last shared depth H0; 0: the first with nu rho^h <= Delta",                  \
         .value = "H"},                                                                            \
    {                                                                                              \
        .name = "rule", .type = TC_OPTION_CHOICE, .offset = (at) + offsetof(tc_pne_options, rule), \
        .def = "sound", .choices = "sound|paper",                                                  \
        .help =                                                                                    \
            "sound: global means are lowered by Delta before they eliminate; paper: as printed"    \
    }

typedef struct tc_fed_hct_options {
    tc_hct_options hct;
    double caution;
    int64_t borrow;
} tc_fed_hct_options;

#define TC_FED_HCT_OPTION_ROWS(at)                                                                 \
    TC_HCT_OPTION_ROWS((at) + offsetof(tc_fed_hct_options, hct)),                                  \
        {.name = "caution",                                                                        \
         .type = TC_OPTION_FLOAT,                                                                  \
         .offset = (at) + offsetof(tc_fed_hct_options, caution),                                   \
         .def = "1",                                                                               \
         .max = 100,                                                                               \
         .help = "standard errors that are added to the difference between clients"},              \
    {                                                                                              \
        .name = "borrow", .type = TC_OPTION_INT,                                                   \
        .offset = (at) + offsetof(tc_fed_hct_options, borrow), .def = "1000000000", .max = 1e9,    \
        .help = "pseudo-samples that a node takes from other clients at most; 0: none",            \
        .value = "N"                                                                               \
    }

#endif
