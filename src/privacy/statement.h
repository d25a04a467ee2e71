/* statement.h - a guarantee in words. Nobody should see an epsilon without them.
 *
 * Every statement says whose data, which two data sets are hard to tell apart, epsilon, delta, by
 * which accountant, what is not protected and, where another party draws the noise, that it is trusted. */
#ifndef TC_PRIVACY_STATEMENT_H
#define TC_PRIVACY_STATEMENT_H

#include "base/text.h"
#include "privacy/accountant.h"
#include "privacy/release.h"

/* "all that one agent contributes is replaced by zeros, ...", by unit and sampling. */
const char *tc_statement_adjacency(tacit_unit unit, tacit_dp_sampling sampling);
const char *tc_statement_not_protected(tacit_unit unit);
/* Towards whom the guarantee of a sum holds, and who is trusted with it: who adds up sees everything. */
const char *tc_statement_trust(void);

/* "every agent: epsilon 7.0547, delta 0.0029 (pld) over 40 releases. Neighbours: .... Not
 * protected: ...." And of agents the sentence of tc_statement_trust. */
void tc_statement_add(tc_text *out, const tacit_guarantee *g, uint64_t releases, tacit_unit unit,
                      tacit_dp_sampling sampling);
/* The first sentence of it, and the others: for who has more to say of the neighbours, and for tables
 * that hold many guarantees. */
void tc_statement_add_bound(tc_text *out, const tacit_guarantee *g, uint64_t releases,
                            tacit_unit unit);
void tc_statement_add_scope(tc_text *out, tacit_unit unit, tacit_dp_sampling sampling);

/* Six significant digits for the reader, rounded to the safe side: the text, read back, is no less
 * than an epsilon or a delta, and no more than a lower bound ("at least ..."). */
void tc_epsilon_text(char out[32], double epsilon); /* "infinite" if it is not a number */
void tc_delta_text(char out[32], double delta);
void tc_lower_text(char out[32], double bound);

#endif
