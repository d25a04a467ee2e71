/* erase.h - the end of a study in a party's own storage (erase.c). Called by study_local.c and by agents. */
#ifndef TC_STUDY_ERASE_H
#define TC_STUDY_ERASE_H

#include "study/store.h"

/* The study, its journal and its records; of an agent's also its key, its token and what it noted of rounds. Ledgers stay. E_BUSY: its agent
 * is at work. */
tacit_status tc_study_erase(tc_store *s, const char *name, tacit_error *err);

/* Did an agent of this storage take part in the very study, and was it erased since? */
tacit_status tc_study_was_erased(tc_store *s, const tacit_hash *study, bool *out, tacit_error *err);

#endif
