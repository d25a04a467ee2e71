/* statement.h - a guarantee in words, for whoever puts several together; <tacit/privacy.h> has the whole of them.
 *
 * Every statement says whose data, which two data sets are hard to tell apart, epsilon, delta, by
 * which accountant, what is not protected and, where other parties draw the noise, who of them is trusted with what. */
#ifndef TC_PRIVACY_STATEMENT_H
#define TC_PRIVACY_STATEMENT_H

#include "base/text.h"
#include "privacy/accountant.h"
#include "privacy/release.h"
#include "privacy/trustees.h"

/* "all that one agent contributes is replaced by zeros, ...", by unit and sampling. */
const char *tc_statement_adjacency(tacit_unit unit, tacit_dp_sampling sampling);
/* By a relation that is stated; USUAL: that of the unit. */
const char *tc_statement_related(tacit_unit unit, tacit_relation relation);
const char *tc_statement_not_protected(tacit_unit unit);

/* "every agent: epsilon 7.0547, delta 0.0029 (pld) over 40 releases. Neighbours: .... Not
 * protected: ...." And of agents the sentence of tacit_statement_trust. */
void tc_statement_add(tc_text *out, const tacit_guarantee *g, uint64_t releases, tacit_unit unit,
                      tacit_dp_sampling sampling);
/* The first sentence of it, and the others: for who has more to say of the neighbours, and for tables
 * that hold many guarantees. */
void tc_statement_add_bound(tc_text *out, const tacit_guarantee *g, uint64_t releases,
                            tacit_unit unit);
/* By a relation that is stated. */
void tc_statement_add_related(tc_text *out, tacit_unit unit, tacit_relation relation);
void tc_statement_add_scope(tc_text *out, tacit_unit unit, tacit_dp_sampling sampling);
/* The others, of the rounds of a federation, where a row is a reward of an agent. Trustees of no count: there are none. */
void tc_statement_add_round_scope(tc_text *out, tacit_unit unit, tacit_dp_sampling sampling,
                                  const tc_trustees *t);
/* Towards whom: the sentence of tacit_statement_trust; with trustees against whom, under which assumptions, and what is left
 * where more of them collude. */
void tc_statement_add_trust(tc_text *out, const tc_trustees *t);
/* The statement about the best of K runs: g is for all of them, r has passed its check. */
void tc_statement_add_best_of(tc_text *out, const tacit_guarantee *g, const tacit_repeats *r);

#endif
