/* tacit/net.h - what libtacit-net adds to libtacit.
 *
 * libtacit knows no network. A program that uses studies of a coordinator links libtacit-net and calls
 * tacit_net_register once; from then on storages of study.h may be "https://HOST:PORT". */
#ifndef TACIT_NET_H
#define TACIT_NET_H

#include <tacit/build.h>
#include <tacit/status.h>
#include <tacit/study.h>

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Makes "https:" a scheme of storages, and "http:" to this machine itself. May be called again, and from
 * any thread. */
TACIT_API void tacit_net_register(void);

/* ---- the operator's requests */

/* Sends a request to a coordinator and returns its answer, JSON, which ends with tacit_text_free. st: the
 * coordinator, as tacit_storage_open opens it with the token of whoever asks. `path` follows "/v1/studies/NAME" of the
 * study; without one (NULL) it is all of it. body: JSON, or NULL. What an operator asks for:
 *
 *   GET   study ""                     document, state, and the roster and round or the trials of a study
 *   GET   study "/privacy"             its ledger (tacit_ledger_import reads it)
 *   POST  study ":pause", ":resume", ":close"
 *   POST  study "/tokens"              {"uses": 3, "expires_s": 86400}: a token for agents or clients
 *   GET   study "/agents"              the roster
 *   POST  study "/agents/3:revoke"     ends an agent's access
 *   POST  study "/agents/3:readmit"    {}: a join token with which it takes its place again
 *   POST  study "/tokens"              {"role": "trustee", "uses": 5}: a token for trustees
 *   GET   study "/trustees"            the trustees, and what each has done
 *   POST  study "/trustees/2:revoke"   ends a trustee's access: it counts as absent
 *   GET   NULL  "/v1/tokens"           which tokens there are, by their ids
 *   POST  NULL  "/v1/tokens"           {"role": "viewer", "name": "alice"}: a token of no study; also "curator", "operator"
 *   POST  NULL  "/v1/tokens:replace"   {"id": "...", "grace_s": 600}: another token in place of one
 *   POST  NULL  "/v1/tokens:withdraw"  {"token": "..."} or {"id": "..."}
 *
 * Others are in src/coord/README.md; studies are listed, erased and requeued by study.h. A GET is sent again while nobody answers;
 * others are sent once: they may have been carried out. E_ARG: no study has such a name. E_UNSUPPORTED: the storage is no
 * coordinator's. A refusal is a failure, with the code that the same refusal has elsewhere. */
TACIT_API tacit_status tacit_net_call(tacit_storage *st, const char *method, const char *study,
                                      const char *path, const char *body, char **answer,
                                      tacit_error *err);
/* Makes a study of the document; it may be a federated one, which tacit_study_create_in cannot open. */
TACIT_API tacit_status tacit_net_create(tacit_storage *st, const tacit_document *document,
                                        char **answer, tacit_error *err);

/* The operator's log of a coordinator: who changed what, and when. JSON, {"entries": [...], "head": {"seq": 12, "hash": "..."}}, which
 * ends with tacit_text_free; src/coord/README.md has the members. All of it is read, and its chain of hashes is checked. seen (may be
 * NULL): "12:HASH", an earlier head: the log must have that entry. E_CORRUPT: an entry is missing, or is another one. */
TACIT_API tacit_status tacit_net_audit(tacit_storage *st, const char *seen, char **log,
                                       tacit_error *err);

/* ---- this build */

/* False where tacit was built without the network (-DTACIT_NETWORK=OFF): what needs it is then E_UNSUPPORTED. */
TACIT_API bool tacit_net_is_built(void);
/* As tacit_build_parts: "gnutls", "microhttpd", "curl". */
TACIT_API void tacit_net_parts(tacit_build_visit visit, void *user);

#ifdef __cplusplus
}
#endif
#endif
