/* repair.h - a journal that cannot be read becomes one that can, with every told value that is left.
 *
 * For repair_api.c. Nobody else may use the study meanwhile: what another process has in memory of
 * it would not be what is stored. Ledgers are not touched: what was spent stays spent. */
#ifndef TC_STUDY_REPAIR_H
#define TC_STUDY_REPAIR_H

#include <tacit/study.h>

#include "study/store.h"

/* Where the repair says what it found, and keeps the journal as it was. */
typedef struct tc_repair_io {
    void *user;
    /* One event as it is stored, whatever is wrong with it; in order, before anything is changed. */
    tacit_status (*keep)(void *user, const tc_event_row *e, bool whole, tacit_error *err);
    /* All of them were kept: it is on disk when this returns. Only if there is something to mend. */
    tacit_status (*kept)(void *user, tacit_error *err);
    /* One line about what was lost or put in. */
    tacit_status (*say)(void *user, const char *line, tacit_error *err);
} tc_repair_io;

/* E_CORRUPT: the study's document itself is damaged. E_UNSUPPORTED: it is a party's of a federation, whose
 * messages must not be made a second time; what there is was kept. E_CONFLICT: somebody appended meanwhile. */
tacit_status tc_study_repair(tc_store *store, const char *name, const tc_repair_io *io,
                             tacit_repair_info *out, tacit_error *err);

#endif
