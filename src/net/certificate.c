/* certificate.c - makes, keeps and renews the coordinator's certificate (certificate.h). */
#include "net/certificate.h"

#include "base/error.h"
#include "base/json.h"
#include "base/memory.h"
#include "base/random.h"

#include <arpa/inet.h>
#include <gnutls/abstract.h>
#include <gnutls/crypto.h>
#include <gnutls/gnutls.h>
#include <gnutls/x509.h>
#include <sodium.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#define KEY     "certificate"
#define YEARS_S ((time_t)10 * 365 * 86400)
#define RENEW_S ((time_t)365 * 86400) /* left to live */
#define PINNED  "sha256//"

static tacit_status gnutls_fail(const char *what, int rc, tacit_error *err)
{
    return tc_fail(err, TACIT_E_INTERNAL, "%s: %s", what, gnutls_strerror(rc));
}

/* ---- a certificate for a key ---- */

static int add_names(gnutls_x509_crt_t crt, const char *host)
{
    static const unsigned char loopback4[4] = {127, 0, 0, 1}, loopback6[16] = {[15] = 1};
    unsigned char bytes[16];
    int rc = gnutls_x509_crt_set_subject_alt_name(crt, GNUTLS_SAN_DNSNAME, "localhost", 9,
                                                  GNUTLS_FSAN_SET);
    if (rc >= 0)
        rc = gnutls_x509_crt_set_subject_alt_name(crt, GNUTLS_SAN_IPADDRESS, loopback4, 4,
                                                  GNUTLS_FSAN_APPEND);
    if (rc >= 0)
        rc = gnutls_x509_crt_set_subject_alt_name(crt, GNUTLS_SAN_IPADDRESS, loopback6, 16,
                                                  GNUTLS_FSAN_APPEND);
    if (rc < 0 || !*host)
        return rc;
    if (inet_pton(AF_INET, host, bytes) == 1)
        return gnutls_x509_crt_set_subject_alt_name(crt, GNUTLS_SAN_IPADDRESS, bytes, 4,
                                                    GNUTLS_FSAN_APPEND);
    if (inet_pton(AF_INET6, host, bytes) == 1)
        return gnutls_x509_crt_set_subject_alt_name(crt, GNUTLS_SAN_IPADDRESS, bytes, 16,
                                                    GNUTLS_FSAN_APPEND);
    return gnutls_x509_crt_set_subject_alt_name(crt, GNUTLS_SAN_DNSNAME, host,
                                                (unsigned)strlen(host), GNUTLS_FSAN_APPEND);
}

static int fill(gnutls_x509_crt_t crt, gnutls_x509_privkey_t key, const char *host)
{
    unsigned char serial[16];
    time_t now = time(NULL);
    tc_party_seed fresh = tc_party_seed_fresh();
    memcpy(serial, fresh.bytes, sizeof serial);
    serial[0] &= 0x7f; /* a positive number */
    int rc = gnutls_x509_crt_set_version(crt, 3);
    if (rc >= 0)
        rc = gnutls_x509_crt_set_serial(crt, serial, sizeof serial);
    if (rc >= 0)
        rc = gnutls_x509_crt_set_dn_by_oid(crt, GNUTLS_OID_X520_COMMON_NAME, 0, "tacit", 5);
    if (rc >= 0)
        rc = gnutls_x509_crt_set_activation_time(crt, now - 86400); /* clocks differ */
    if (rc >= 0)
        rc = gnutls_x509_crt_set_expiration_time(crt, now + YEARS_S);
    if (rc >= 0)
        rc = gnutls_x509_crt_set_key(crt, key);
    if (rc >= 0)
        rc = gnutls_x509_crt_set_basic_constraints(crt, 0, -1);
    if (rc >= 0)
        rc = gnutls_x509_crt_set_key_usage(crt, GNUTLS_KEY_DIGITAL_SIGNATURE);
    if (rc >= 0)
        rc = add_names(crt, host);
    if (rc >= 0)
        rc = gnutls_x509_crt_sign2(crt, crt, key, GNUTLS_DIG_SHA256, 0);
    return rc;
}

static tacit_status take_pem(gnutls_datum_t *d, char **out, tacit_error *err)
{
    *out = tc_strndup((const char *)d->data, d->size);
    gnutls_memset(d->data, 0, d->size);
    gnutls_free(d->data);
    return *out ? TACIT_OK : tc_fail_memory(err);
}

static tacit_status issue(gnutls_x509_privkey_t key, const char *host, char **pem, tacit_error *err)
{
    gnutls_x509_crt_t crt;
    gnutls_datum_t text = {0};
    int rc = gnutls_x509_crt_init(&crt);
    if (rc < 0)
        return gnutls_fail("a certificate cannot be made", rc, err);
    rc = fill(crt, key, host);
    if (rc >= 0)
        rc = gnutls_x509_crt_export2(crt, GNUTLS_X509_FMT_PEM, &text);
    gnutls_x509_crt_deinit(crt);
    return rc < 0 ? gnutls_fail("a certificate cannot be made", rc, err)
                  : take_pem(&text, pem, err);
}

/* ---- keys ---- */

static tacit_status make_key(gnutls_x509_privkey_t *out, char **pem, tacit_error *err)
{
    gnutls_datum_t text = {0};
    int rc = gnutls_x509_privkey_init(out);
    if (rc < 0)
        return gnutls_fail("a key cannot be made", rc, err);
    rc = gnutls_x509_privkey_generate(*out, GNUTLS_PK_ECDSA,
                                      GNUTLS_CURVE_TO_BITS(GNUTLS_ECC_CURVE_SECP256R1), 0);
    if (rc >= 0)
        rc = gnutls_x509_privkey_export2(*out, GNUTLS_X509_FMT_PEM, &text);
    tacit_status status =
        rc < 0 ? gnutls_fail("a key cannot be made", rc, err) : take_pem(&text, pem, err);
    if (status != TACIT_OK)
        gnutls_x509_privkey_deinit(*out);
    return status;
}

static tacit_status read_key(gnutls_x509_privkey_t *out, const char *pem, tacit_error *err)
{
    gnutls_datum_t text = {(unsigned char *)pem, (unsigned)strlen(pem)};
    int rc = gnutls_x509_privkey_init(out);
    if (rc < 0)
        return gnutls_fail("the coordinator's key cannot be read", rc, err);
    rc = gnutls_x509_privkey_import(*out, &text, GNUTLS_X509_FMT_PEM);
    if (rc >= 0)
        return TACIT_OK;
    gnutls_x509_privkey_deinit(*out);
    return tc_fail(err, TACIT_E_CORRUPT, "the storage is damaged: the coordinator's key: %s",
                   gnutls_strerror(rc));
}

/* The hash of the SubjectPublicKeyInfo, as `curl --pinnedpubkey` expects it. */
static int hash_public(gnutls_pubkey_t public, unsigned char out[32])
{
    gnutls_datum_t der = {0};
    int rc = gnutls_pubkey_export2(public, GNUTLS_X509_FMT_DER, &der);
    if (rc < 0)
        return rc;
    rc = gnutls_hash_fast(GNUTLS_DIG_SHA256, der.data, der.size, out);
    gnutls_free(der.data);
    return rc;
}

static tacit_status fingerprint(const char *cert_pem, char out[64], tacit_error *err)
{
    gnutls_datum_t text = {(unsigned char *)cert_pem, (unsigned)strlen(cert_pem)};
    gnutls_x509_crt_t crt;
    gnutls_pubkey_t public;
    unsigned char hash[32];
    int rc = gnutls_x509_crt_init(&crt);
    if (rc < 0)
        return gnutls_fail("the certificate cannot be read", rc, err);
    rc = gnutls_pubkey_init(&public);
    if (rc >= 0) {
        rc = gnutls_x509_crt_import(crt, &text, GNUTLS_X509_FMT_PEM);
        if (rc >= 0)
            rc = gnutls_pubkey_import_x509(public, crt, 0);
        if (rc >= 0)
            rc = hash_public(public, hash);
        gnutls_pubkey_deinit(public);
    }
    gnutls_x509_crt_deinit(crt);
    if (rc < 0)
        return gnutls_fail("the certificate cannot be read", rc, err);
    memcpy(out, PINNED, sizeof PINNED);
    sodium_bin2base64(out + sizeof PINNED - 1, 64 - sizeof PINNED + 1, hash, sizeof hash,
                      sodium_base64_VARIANT_ORIGINAL);
    return TACIT_OK;
}

/* Is there enough life left in it? */
static bool lives(const char *cert_pem)
{
    gnutls_datum_t text = {(unsigned char *)cert_pem, (unsigned)strlen(cert_pem)};
    gnutls_x509_crt_t crt;
    if (gnutls_x509_crt_init(&crt) < 0)
        return false;
    bool ok = gnutls_x509_crt_import(crt, &text, GNUTLS_X509_FMT_PEM) >= 0 &&
              gnutls_x509_crt_get_expiration_time(crt) - time(NULL) > RENEW_S;
    gnutls_x509_crt_deinit(crt);
    return ok;
}

/* ---- keeping ---- */

static tc_record which(void)
{
    return (tc_record){.kind = TC_RECORD_SERVER, .key = KEY, .key_size = sizeof KEY - 1};
}

/* Replaces the record of this version; 0: there is none yet. E_CONFLICT: another process did. */
static tacit_status keep(tc_store *s, const tc_certificate *c, uint64_t version, tacit_error *err)
{
    json_t *j = json_pack("{s:s, s:s}", "key", c->key_pem, "certificate", c->cert_pem);
    char *text = tc_json_text(j);
    json_decref(j);
    if (!text)
        return tc_fail_memory(err);
    tc_record w = which();
    tacit_status status = tc_store_record_keep(s, &w, version, text, strlen(text), err);
    sodium_memzero(text, strlen(text));
    tc_free(text);
    return status;
}

static tacit_status read_record(const tc_record *r, tc_certificate *out, tacit_error *err)
{
    json_t *j;
    TC_TRY(tc_json_parse(r->value, r->size, "certificate", &j, err));
    const char *key = json_string_value(json_object_get(j, "key"));
    const char *cert = json_string_value(json_object_get(j, "certificate"));
    out->key_pem = key ? tc_strdup(key) : NULL;
    out->cert_pem = cert ? tc_strdup(cert) : NULL;
    json_decref(j);
    if (!key || !cert)
        return tc_fail(err, TACIT_E_CORRUPT,
                       "the storage is damaged: the coordinator's certificate");
    return out->key_pem && out->cert_pem ? TACIT_OK : tc_fail_memory(err);
}

static tacit_status make(tc_store *s, const char *host, tc_certificate *c, tacit_error *err)
{
    gnutls_x509_privkey_t key;
    TC_TRY(make_key(&key, &c->key_pem, err));
    tacit_status status = issue(key, host, &c->cert_pem, err);
    gnutls_x509_privkey_deinit(key);
    return status == TACIT_OK ? keep(s, c, 0, err) : status;
}

static tacit_status renew(tc_store *s, const char *host, tc_certificate *c, uint64_t version,
                          tacit_error *err)
{
    gnutls_x509_privkey_t key;
    TC_TRY(read_key(&key, c->key_pem, err));
    tc_free(c->cert_pem);
    c->cert_pem = NULL;
    tacit_status status = issue(key, host, &c->cert_pem, err);
    gnutls_x509_privkey_deinit(key);
    return status == TACIT_OK ? keep(s, c, version, err) : status;
}

static tacit_status load(tc_store *s, const char *host, tc_certificate *c, tacit_error *err)
{
    tc_record r, w = which();
    TC_TRY(tc_store_record_find(s, &w, &r, err));
    if (r.version == 0)
        return make(s, host, c, err);
    tacit_status status = read_record(&r, c, err);
    sodium_memzero((void *)r.value, r.size);
    tc_free((void *)r.value);
    if (status == TACIT_OK && !lives(c->cert_pem))
        status = renew(s, host, c, r.version, err);
    return status;
}

tacit_status tc_certificate_get(tc_store *s, const char *host, tc_certificate *out,
                                tacit_error *err)
{
    tc_certificate c = {0};
    tacit_error why = {0};
    tc_random_start();
    tacit_status status = load(s, host, &c, &why);
    if (status == TACIT_E_CONFLICT) { /* another process was first: its certificate is ours */
        tc_certificate_fini(&c);
        status = load(s, host, &c, &why);
    }
    if (status == TACIT_OK)
        status = fingerprint(c.cert_pem, c.fingerprint, &why);
    if (status != TACIT_OK) {
        tc_certificate_fini(&c);
        return tc_pass_on(err, status, &why);
    }
    *out = c;
    return TACIT_OK;
}

void tc_certificate_fini(tc_certificate *c)
{
    if (c->key_pem)
        sodium_memzero(c->key_pem, strlen(c->key_pem));
    tc_free(c->key_pem);
    tc_free(c->cert_pem);
    *c = (tc_certificate){0};
}
