/* certificate.h - the key and the certificate with which a coordinator proves who it is.
 *
 * Made at the first start, kept in the store (so that several processes on one database are one
 * coordinator) and signed by itself: agents pin the fingerprint of the public key, which they are given
 * together with their join token. A renewed certificate has the same key, so pins stay.
 *
 * A change of the key has two steps. First another key is made and announced: everybody who speaks with the key of now hears the
 * fingerprint of the next one, and believes it because the key of now vouches for it (client.h). Then, at a later start, the next key
 * takes its place. Both are one record, which each step replaces in one transaction with its entry in the operator's log: a process may be killed at
 * any moment, and both steps can be repeated. */
#ifndef TC_NET_CERTIFICATE_H
#define TC_NET_CERTIFICATE_H

#include "study/store.h"

#define TC_FINGERPRINT 64

typedef struct tc_certificate {
    char *key_pem, *cert_pem;           /* end with tc_certificate_fini */
    char *next_key_pem, *next_cert_pem; /* NULL: no other key is announced */
    /* "sha256//" and the base64 of SHA-256 of the public key (its SubjectPublicKeyInfo). */
    char fingerprint[TC_FINGERPRINT];
    char next[TC_FINGERPRINT];   /* of the key that is announced; "": none is */
    char before[TC_FINGERPRINT]; /* of the key before the last change; "": there was none */
} tc_certificate;

typedef enum tc_key_step { TC_KEY_STAYS, TC_KEY_ANNOUNCE, TC_KEY_CHANGE } tc_key_step;

/* Loads it, or makes one for `host` (a name or an address) besides localhost. */
tacit_status tc_certificate_get(tc_store *s, const char *host, tc_certificate *out,
                                tacit_error *err);
/* The same, and the step first. One that has been taken already is not taken again. at_ms: for the operator's log.
 * E_STATE: there is no key to change to. */
tacit_status tc_certificate_step(tc_store *s, const char *host, tc_key_step step, int64_t at_ms,
                                 tc_certificate *out, tacit_error *err);
void tc_certificate_fini(tc_certificate *c); /* erases the keys */

#endif
