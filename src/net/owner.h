/* owner.h - whose a storage is: a coordinator's, an agent's or a trustee's.
 *
 * Coordinators and agents keep studies under their names, and whoever coordinates could delete an agent's journal; agents and
 * trustees keep what they deal under the same name. So a storage serves one of them. Called by agent_api.c, trustee_api.c and
 * coordinator_api.c, before they write. */
#ifndef TC_NET_OWNER_H
#define TC_NET_OWNER_H

#include "study/store.h"

/* From now on the storage is a coordinator's. E_STATE: it is an agent's or a trustee's. */
tacit_status tc_owner_coordinator(tc_store *store, tacit_error *err);
/* E_STATE: the storage is a coordinator's or a trustee's. Writes nothing: an agent's storage is known by the key of its place. */
tacit_status tc_owner_agent(tc_store *store, tacit_error *err);
/* E_STATE: the storage is a coordinator's or an agent's. The same for a trustee, whose storage is known by its key. */
tacit_status tc_owner_trustee(tc_store *store, tacit_error *err);

#endif
