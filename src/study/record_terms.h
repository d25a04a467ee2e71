/* record_terms.h - what a party declared about its records, kept in a store: the same at every start of a study.
 *
 * Noise, sensitivity, number of evaluations, the cap of a trainer and the ledger that pays are fixed with the first start. A second ledger, or
 * another number of records, would make the promise of neither true. Kept beside the study, or at home where the study is at a
 * coordinator. For record_guard.c. */
#ifndef TC_STUDY_RECORD_TERMS_H
#define TC_STUDY_RECORD_TERMS_H

#include "privacy/ledger.h"
#include "study/store.h"

/* Keeps the text under `place`, once. E_CONFLICT: another one is kept, and both are in the sentence. */
tacit_status tc_record_terms_keep(tc_store *store, const tacit_hash *place, const char *study,
                                  const char *text, tacit_error *err);

#endif
