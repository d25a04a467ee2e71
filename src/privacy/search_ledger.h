/* search_ledger.h - a search in the ledger of the party whose records it reads.
 *
 *   RESERVE  the price of the whole search is committed, before K is drawn and anything runs
 *   search   K runs; nothing of them is kept but the best one, in memory
 *   RELEASE  the winner is committed at no further price, and only then handed out
 *
 * A search is round 0 (the price) and 1 (the winner) of a study of its own, whose name has fresh random bits: a
 * second start of the same command is another search with a price of its own, and nothing can be taken up
 * again. For the loop of src/worker. */
#ifndef TC_PRIVACY_SEARCH_LEDGER_H
#define TC_PRIVACY_SEARCH_LEDGER_H

#include "privacy/ledger.h"
#include "privacy/search_price.h"

/* A search that was paid for. */
typedef struct tc_search_paid {
    tacit_hash study;
    tacit_dp_event event; /* a divergence at one order */
} tc_search_paid;

/* Charges every record. E_BUDGET: nothing may run. `document` is the study's canonical text; p has passed its check. */
tacit_status tc_search_reserve(tc_ledger *l, const tc_search_plan *p, double epsilon, double delta,
                               const char *document, tc_search_paid *out, tacit_error *err);

/* The score of a run as it may be compared: with noise of its own, or as it is. y NaN: the run has failed. */
tacit_status tc_search_score(const tc_search_plan *p, double y, tc_entropy *e, double *score,
                             tacit_error *err);

/* Commits the winner: `n` doubles, or none (n 0: no run had a score). *head: after its entry. */
tacit_status tc_search_release(tc_ledger *l, const tc_search_plan *p, const tc_search_paid *paid,
                               const double *winner, size_t n, const tc_entropy *e,
                               tacit_head *head, tacit_error *err);

#endif
