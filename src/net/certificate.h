/* certificate.h - the key and the certificate with which a coordinator proves who it is.
 *
 * Made at the first start, kept in the store (so that several processes on one database are one
 * coordinator) and signed by itself: agents pin the fingerprint of the public key, which they are given
 * together with their join token. A renewed certificate has the same key, so pins stay. */
#ifndef TC_NET_CERTIFICATE_H
#define TC_NET_CERTIFICATE_H

#include "study/store.h"

typedef struct tc_certificate {
    char *key_pem, *cert_pem; /* end with tc_certificate_fini */
    /* "sha256//" and the base64 of SHA-256 of the public key (its SubjectPublicKeyInfo). */
    char fingerprint[64];
} tc_certificate;

/* Loads it, or makes one for `host` (a name or an address) besides localhost. */
tacit_status tc_certificate_get(tc_store *s, const char *host, tc_certificate *out,
                                tacit_error *err);
void tc_certificate_fini(tc_certificate *c); /* erases the key */

#endif
