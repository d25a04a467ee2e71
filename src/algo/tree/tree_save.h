/* tree_save.h - the state of a bandit's client as whole numbers, and back.
 *
 * What save and load (bandit.h) of hct.c, hoo.c, blin.c, pne_save.c and fed_hct_save.c are
 * made of. A state holds what cannot be computed: bounds, widths and targets are found again from
 * samples and options, by the code that found them first, so that a state that was loaded is the
 * state that was saved, bit for bit. Nothing that is read is trusted: a number out of its
 * range makes the whole state bad, and the reader says so at the end. */
#ifndef TC_ALGO_TREE_TREE_SAVE_H
#define TC_ALGO_TREE_TREE_SAVE_H

#include "algo/tree/phase.h"

/* More samples than this, each of reward 2, would not fit into a sum. */
#define TC_SAMPLES_MOST (INT64_MAX / (2 * TC_REWARD_ONE))

/* ---- writing ---- */

/* As the numbers of its bits. */
tacit_status tc_save_double(tc_numbers *out, double v, tacit_error *err);
/* Shape, samples and sums; not the bounds, nor pseudo-samples. */
tacit_status tc_save_tree(tc_numbers *out, const tc_tree *t, tacit_error *err);
tacit_status tc_save_phase(tc_numbers *out, const tc_phase_nodes *s, tacit_error *err);

/* ---- reading ---- */

typedef struct tc_saved {
    const int64_t *v;
    size_t left;
    bool bad; /* sticky: too short, or out of range */
} tc_saved;

/* The first number must be `version`. */
tc_saved tc_saved_begin(const tc_numbers *saved, int64_t version);
/* The next number, which must be in [low, high]; `low` where the state is bad. */
int64_t tc_saved_take(tc_saved *s, int64_t low, int64_t high);
/* Not NaN; 0 where the state is bad. */
double tc_saved_double(tc_saved *s);
/* A number of samples and then their sum, which they must allow. */
void tc_saved_samples(tc_saved *s, uint64_t *n, int64_t *sum);
/* Replaces the nodes of the tree; U and B are left to the caller. */
tacit_status tc_saved_tree(tc_saved *s, tc_tree *t, tacit_error *err);
/* Cells of depth `depth`, rising, in place of what the list has. */
tacit_status tc_saved_phase(tc_saved *s, unsigned k, uint32_t depth, tc_phase_nodes *out,
                            tacit_error *err);
/* E_CORRUPT unless everything was read and good. */
tacit_status tc_saved_end(const tc_saved *s, const char *bandit, tacit_error *err);

#endif
