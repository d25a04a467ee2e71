/* ledger_handle.h - a ledger of a storage as a handle of tacit/ledger.h. For src/study and src/worker.
 *
 * The handle, and everything that can be asked of it, is in libtacit-privacy, which knows no storage. Storages are
 * in libtacit: what opens one there passes it on, with the way to close it. */
#ifndef TC_PRIVACY_LEDGER_HANDLE_H
#define TC_PRIVACY_LEDGER_HANDLE_H

#include <tacit/ledger.h>

#include "privacy/ledger.h"

/* Reads and checks the ledger. Owns `storage` from now on: tacit_ledger_close, or a failure here, closes it. */
tacit_status tc_ledger_handle(tacit_ledger **out, const char *name, const tc_ledger_io *io,
                              void *storage, void (*close)(void *storage), tacit_error *err);

/* Says why the study of the ledger's name is not private: tacit_ledger_not_private. "" is nothing. */
tacit_status tc_ledger_handle_set_not_private(tacit_ledger *l, const char *why, tacit_error *err);

tc_ledger *tc_ledger_of(tacit_ledger *l); /* what is behind a handle; borrowed */

#endif
