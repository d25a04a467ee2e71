/* backup.h - backups: a store at one moment as a SQLite file of its own, and the way back.
 *
 * A backup leaves out what must not outlive its round: contributions to sums, which are secret and
 * which an agent sends again, and answers that were kept for a retry. It holds seeds, keys and tokens'
 * hashes: it is as secret as the store. What a restored ledger has forgotten is coord/'s business
 * (coord.h: tc_coord_restore); coord/restore_api.c does both. */
#ifndef TC_STUDY_BACKUP_H
#define TC_STUDY_BACKUP_H

#include "study/store.h"

/* Writes `file` from what is in the store at this moment, whoever uses it: under another name first,
 * on disk, then renamed. For its owner alone (mode 0600). E_CONFLICT: there is such a file. E_CORRUPT: the entries
 * of a ledger do not end at its head. */
tacit_status tc_backup_write(tc_store *from, const char *file, int64_t now_ms, tacit_error *err);

/* For reading. tc_store_open refuses a backup: whoever serves one as it is counts nothing of what was
 * released since, and releases it again. */
tacit_status tc_backup_open(tc_store **out, const char *file, tacit_error *err);
/* E_STATE: this store is a backup. */
tacit_status tc_backup_refuse(tc_store *s, tacit_error *err);

/* When this backup was made. E_ARG: the store is not a backup. */
tacit_status tc_backup_time(tc_store *backup, int64_t *time_ms, tacit_error *err);

/* Reads everything that can be checked: the chain and the releases of every ledger, every document,
 * that journals have no gap. E_CORRUPT says what is wrong, and where. */
tacit_status tc_backup_check(tc_store *backup, tacit_error *err);

/* From a backup (or from what was made of one) into an empty store, all or nothing. as_backup: it
 * stays one, with its time; else it becomes a store like any other. */
tacit_status tc_backup_copy(tc_store *to, tc_store *from, bool as_backup, tacit_error *err);

#endif
