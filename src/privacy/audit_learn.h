/* audit_learn.h - the linear score that separates what was seen in two worlds best: for the audit, and for tests that play an attacker.
 *
 * Begin with zeros and `features`; add what was seen in both worlds; end once; then score what was not learned from. */
#ifndef TC_PRIVACY_AUDIT_LEARN_H
#define TC_PRIVACY_AUDIT_LEARN_H

#include <stddef.h>

/* The most coordinates that it may be learned from. */
#define TC_AUDIT_FEATURES 32

typedef struct tc_audit_learner {
    size_t features;
    double count[2];
    double mean[2][TC_AUDIT_FEATURES];
    double spread[TC_AUDIT_FEATURES * TC_AUDIT_FEATURES]; /* sum of products about the means */
    double weight[TC_AUDIT_FEATURES];                     /* after the end */
} tc_audit_learner;
void tc_audit_learn_add(tc_audit_learner *l, int world, const double *x);
void tc_audit_learn_end(tc_audit_learner *l);
double tc_audit_learn_score(const tc_audit_learner *l, const double *x);

#endif
