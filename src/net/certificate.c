/* certificate.c - makes, keeps and renews the coordinator's certificate (certificate.h). */
#include "net/certificate.h"

#include "base/error.h"
#include "base/json.h"
#include "base/log.h"
#include "base/memory.h"
#include "base/random.h"
#include "study/audit.h"

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

static tacit_status fingerprint(const char *cert_pem, char out[TC_FINGERPRINT], tacit_error *err)
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
    sodium_bin2base64(out + sizeof PINNED - 1, TC_FINGERPRINT - sizeof PINNED + 1, hash,
                      sizeof hash, sodium_base64_VARIANT_ORIGINAL);
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

/* NULL: no memory. */
static char *record_text(const tc_certificate *c)
{
    json_t *j = json_pack("{s:s, s:s}", "key", c->key_pem, "certificate", c->cert_pem);
    bool ok = j != NULL;
    if (ok && c->next_key_pem)
        ok = json_object_set_new(j, "next",
                                 json_pack("{s:s, s:s}", "key", c->next_key_pem, "certificate",
                                           c->next_cert_pem)) == 0;
    if (ok && *c->before)
        ok = json_object_set_new(j, "before", json_string(c->before)) == 0;
    char *text = ok ? tc_json_text(j) : NULL;
    json_decref(j);
    return text;
}

static void erase_text(char *text)
{
    if (text)
        sodium_memzero(text, strlen(text));
    tc_free(text);
}

/* Replaces the record of this version; 0: there is none yet. E_CONFLICT: another process did. `entry` may be NULL. */
static tacit_status keep(tc_store *s, const tc_certificate *c, uint64_t version,
                         const tc_audit_entry *entry, tacit_error *err)
{
    char *text = record_text(c);
    if (!text)
        return tc_fail_memory(err);
    tc_record w = which();
    tc_change change = {.what = version > 0 ? TC_REPLACE : TC_INSERT, .record = w};
    change.record.value = text;
    change.record.size = strlen(text);
    change.record.version = version;
    tacit_status status = entry ? tc_audit_change(s, &change, 1, entry, NULL, err)
                                : tc_store_record_keep(s, &w, version, text, strlen(text), err);
    erase_text(text);
    return status;
}

/* *out: a copy for tc_free; NULL where there is no such text. */
static bool take_text(const json_t *j, const char *name, char **out)
{
    const char *text = json_string_value(json_object_get(j, name));
    *out = text ? tc_strdup(text) : NULL;
    return !text || *out;
}

static tacit_status read_record(const tc_record *r, tc_certificate *out, tacit_error *err)
{
    json_t *j;
    TC_TRY(tc_json_parse(r->value, r->size, "certificate", &j, err));
    const json_t *next = json_object_get(j, "next");
    const char *before = json_string_value(json_object_get(j, "before"));
    bool copied = take_text(j, "key", &out->key_pem) &&
                  take_text(j, "certificate", &out->cert_pem) &&
                  take_text(next, "key", &out->next_key_pem) &&
                  take_text(next, "certificate", &out->next_cert_pem);
    snprintf(out->before, sizeof out->before, "%s", before ? before : "");
    json_decref(j);
    if (!copied)
        return tc_fail_memory(err);
    return out->key_pem && out->cert_pem && !out->next_key_pem == !out->next_cert_pem
               ? TACIT_OK
               : tc_fail(err, TACIT_E_CORRUPT,
                         "the storage is damaged: the coordinator's certificate");
}

/* A new key, and its certificate. */
static tacit_status make(const char *host, char **key_pem, char **cert_pem, tacit_error *err)
{
    gnutls_x509_privkey_t key;
    TC_TRY(make_key(&key, key_pem, err));
    tacit_status status = issue(key, host, cert_pem, err);
    gnutls_x509_privkey_deinit(key);
    return status;
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
    return status == TACIT_OK ? keep(s, c, version, NULL, err) : status;
}

/* ---- changing the key ---- */

static tc_audit_entry entry_of(const char *action, const char *detail, int64_t at_ms)
{
    return (tc_audit_entry){.at_ms = at_ms,
                            .role = "storage",
                            .token = "",
                            .name = "",
                            .action = action,
                            .outcome = "done",
                            .study = "",
                            .of = "",
                            .detail = detail};
}

static tacit_status announce(tc_store *s, const char *host, tc_certificate *c, uint64_t version,
                             int64_t at_ms, tacit_error *err)
{
    if (c->next_key_pem)
        return TACIT_OK;
    TC_TRY(make(host, &c->next_key_pem, &c->next_cert_pem, err));
    TC_TRY(fingerprint(c->next_cert_pem, c->next, err));
    const tc_audit_entry entry = entry_of("key.announce", c->next, at_ms);
    return keep(s, c, version, &entry, err);
}

static tacit_status change(tc_store *s, tc_certificate *c, uint64_t version, int64_t at_ms,
                           tacit_error *err)
{
    char detail[2 * TC_FINGERPRINT + 16];
    /* This step, repeated: after a crash, or by a service that starts again. */
    if (!c->next_key_pem && *c->before) {
        tc_log(TC_LOG_WARN,
               "no other key is announced: the key stays the one that took the place of %s",
               c->before);
        return TACIT_OK;
    }
    if (!c->next_key_pem)
        return tc_fail(err, TACIT_E_STATE,
                       "no other key is announced: `tacit serve --announce-key` comes first, and "
                       "the change when agents have had time to hear of it");
    TC_TRY(fingerprint(c->cert_pem, c->before, err));
    TC_TRY(fingerprint(c->next_cert_pem, c->next, err));
    snprintf(detail, sizeof detail, "%s replaced by %s", c->before, c->next);
    erase_text(c->key_pem);
    tc_free(c->cert_pem);
    c->key_pem = c->next_key_pem;
    c->cert_pem = c->next_cert_pem;
    c->next_key_pem = c->next_cert_pem = NULL;
    c->next[0] = 0;
    const tc_audit_entry entry = entry_of("key.change", detail, at_ms);
    return keep(s, c, version, &entry, err);
}

/* ---- all of it ---- */

typedef struct order {
    const char *host;
    tc_key_step step;
    int64_t at_ms;
} order;

static tacit_status load_record(tc_store *s, const char *host, tc_certificate *c, uint64_t *version,
                                tacit_error *err)
{
    tc_record r, w = which();
    TC_TRY(tc_store_record_find(s, &w, &r, err));
    *version = r.version;
    if (r.version == 0) {
        TC_TRY(make(host, &c->key_pem, &c->cert_pem, err));
        *version = 1;
        return keep(s, c, 0, NULL, err);
    }
    tacit_status status = read_record(&r, c, err);
    sodium_memzero((void *)r.value, r.size);
    tc_free((void *)r.value);
    return status;
}

static tacit_status load(tc_store *s, const order *o, tc_certificate *c, tacit_error *err)
{
    uint64_t version;
    TC_TRY(load_record(s, o->host, c, &version, err));
    if (o->step == TC_KEY_ANNOUNCE)
        TC_TRY(announce(s, o->host, c, version, o->at_ms, err));
    if (o->step == TC_KEY_CHANGE)
        TC_TRY(change(s, c, version, o->at_ms, err));
    if (o->step == TC_KEY_STAYS && !lives(c->cert_pem))
        TC_TRY(renew(s, o->host, c, version, err));
    TC_TRY(fingerprint(c->cert_pem, c->fingerprint, err));
    return c->next_cert_pem ? fingerprint(c->next_cert_pem, c->next, err) : TACIT_OK;
}

tacit_status tc_certificate_step(tc_store *s, const char *host, tc_key_step step, int64_t at_ms,
                                 tc_certificate *out, tacit_error *err)
{
    const order o = {.host = host, .step = step, .at_ms = at_ms};
    tc_certificate c = {0};
    tacit_error why = {0};
    tc_random_start();
    tacit_status status = load(s, &o, &c, &why);
    if (status == TACIT_E_CONFLICT) { /* another process was first: what it did is ours */
        tc_certificate_fini(&c);
        status = load(s, &o, &c, &why);
    }
    if (status != TACIT_OK) {
        tc_certificate_fini(&c);
        return tc_pass_on(err, status, &why);
    }
    *out = c;
    return TACIT_OK;
}

tacit_status tc_certificate_get(tc_store *s, const char *host, tc_certificate *out,
                                tacit_error *err)
{
    return tc_certificate_step(s, host, TC_KEY_STAYS, 0, out, err);
}

void tc_certificate_fini(tc_certificate *c)
{
    erase_text(c->key_pem);
    tc_free(c->cert_pem);
    erase_text(c->next_key_pem);
    tc_free(c->next_cert_pem);
    *c = (tc_certificate){0};
}
