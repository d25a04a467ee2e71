/* ledger_entry.c - the bytes of an entry, and the hashes of a ledger.
 *
 * One entry has one encoding, so a hash of the bytes is a hash of the entry. In this order, all
 * numbers little-endian, doubles by their IEEE 754 bits:
 *
 *   u64 seq   hash study   u64 round   u8 unit   text subject
 *   u8 mechanism kind   f64 parameter (0 for NonPrivate)   u8 sampling   f64 sampling rate
 *   u64 count   f64 distance   text mechanism   text adjacency
 *   u8 is_private   text not_private   u64 rows   u64 cols   f64 offset   f64 step
 *   hash release   hash previous   u8 relation
 *
 * The relation stands there only if it is another one than the rest of the entry means without it
 * (relation.h), so that entries of before it could be stated are what they were.
 * A text is its length as u32, its bytes, and a zero byte that is not counted. A hash is BLAKE2b
 * with 32 bytes of output over a domain string, its final zero byte included, and the data. The
 * layout is part of the stored format and never changes; another one gets another domain. */
#include "privacy/ledger_int.h"

#include "base/bytes.h"
#include "base/error.h"
#include "base/random.h"
#include "base/utf8.h"

#include <inttypes.h>
#include <math.h>
#include <sodium.h>
#include <string.h>

/* ---- hashes */

static tacit_hash hash_of(const char *domain, const void *data, size_t size)
{
    tacit_hash h;
    crypto_generichash_state state;
    tc_random_start();
    crypto_generichash_init(&state, NULL, 0, sizeof h.bytes);
    crypto_generichash_update(&state, (const uint8_t *)domain, strlen(domain) + 1);
    crypto_generichash_update(&state, data, size);
    crypto_generichash_final(&state, h.bytes, sizeof h.bytes);
    return h;
}

tacit_hash tc_ledger_study_hash(const char *document)
{
    return hash_of("tacit study 1", document, strlen(document));
}

tacit_hash tc_ledger_release_hash(const uint8_t *bytes, size_t size)
{
    return hash_of("tacit release 1", bytes, size);
}

tacit_hash tc_ledger_entry_hash(const uint8_t *bytes, size_t size)
{
    return hash_of("tacit ledger entry 2", bytes, size);
}

tacit_head tc_ledger_genesis(const char *name)
{
    return (tacit_head){.hash = hash_of("tacit ledger 1", name, strlen(name))};
}

bool tc_ledger_hash_same(const tacit_hash *a, const tacit_hash *b)
{
    return memcmp(a->bytes, b->bytes, sizeof a->bytes) == 0;
}

/* ---- what an entry may hold */

/* So that the size of a release in bytes is a number. */
#define MOST_VALUES (UINT64_C(1) << 60)

static bool plain_text(const char *s)
{
    for (; *s; s++)
        if ((unsigned char)*s < 0x20 || *s == 0x7f)
            return false;
    return true;
}

static tacit_status check_text(const char *what, const char *s, size_t most, tacit_error *err)
{
    if (strlen(s) > most)
        return tc_fail(err, TACIT_E_ARG, "%s must have at most %zu bytes, got %zu", what, most,
                       strlen(s));
    if (!tc_utf8_valid(s) || !plain_text(s))
        return tc_fail(err, TACIT_E_ARG, "%s must be UTF-8 without control characters", what);
    return TACIT_OK;
}

tacit_status tc_ledger_check_name(const char *what, const char *name, tacit_error *err)
{
    if (!*name)
        return tc_fail(err, TACIT_E_ARG, "%s must not be empty", what);
    return check_text(what, name, TC_LEDGER_MAX_NAME, err);
}

tacit_status tc_ledger_check_text(const char *what, const char *text, tacit_error *err)
{
    return check_text(what, text, TC_LEDGER_MAX_TEXT, err);
}

static tacit_status check_texts(const tc_ledger_entry *e, tacit_error *err)
{
    TC_TRY(tc_ledger_check_name("mechanism", e->mechanism, err));
    TC_TRY(tc_ledger_check_text("adjacency", e->adjacency, err));
    TC_TRY(tc_ledger_check_text("not_private", e->not_private, err));
    if (e->is_private != (*e->not_private == 0))
        return tc_fail(err, TACIT_E_ARG,
                       "not_private must say why if, and only if, the release is not private");
    return TACIT_OK;
}

static tacit_status check_reading(const tc_ledger_entry *e, tacit_error *err)
{
    if (e->rows > MOST_VALUES || e->cols > MOST_VALUES / (e->rows > 0 ? e->rows : 1))
        return tc_fail(err, TACIT_E_ARG, "rows x cols must be at most 2^60");
    if (!isfinite(e->offset))
        return tc_fail(err, TACIT_E_ARG, "offset must be finite, got %g", e->offset);
    if (!(e->step > 0 && isfinite(e->step)))
        return tc_fail(err, TACIT_E_ARG, "step must be finite and > 0, got %g", e->step);
    return TACIT_OK;
}

/* The ledger charges one unit only for what the release says is about one; of a file by a stranger
 * this much can be told. */
static tacit_status check_subject(const tc_ledger_entry *e, tacit_error *err)
{
    TC_TRY(check_text("subject", e->subject, TC_LEDGER_MAX_NAME, err));
    if (*e->subject && (e->rows > 1 || strcmp(e->mechanism, "gaussian-sum") == 0))
        return tc_fail(err, TACIT_E_ARG,
                       "subject must be empty, got \"%s\": %s of %" PRIu64 " x %" PRIu64
                       " values concerns every %s",
                       e->subject, e->mechanism, e->rows, e->cols, tacit_unit_name(e->unit));
    return TACIT_OK;
}

static tacit_status check_entry(const tc_ledger_entry *e, tacit_error *err)
{
    if (e->seq == 0 || e->seq > TC_LEDGER_MAX_ROUND)
        return tc_fail(err, TACIT_E_ARG, "seq must be in 1..2^63-1");
    if (e->round > TC_LEDGER_MAX_ROUND)
        return tc_fail(err, TACIT_E_ARG, "round must be below 2^63");
    if ((unsigned)e->unit > TC_UNIT_LAST)
        return tc_fail(err, TACIT_E_ARG, "unit must be " TC_UNIT_NAMES);
    if ((unsigned)e->relation > TC_RELATION_LAST)
        return tc_fail(err, TACIT_E_ARG, "relation must be one of the four kinds, got %d",
                       (int)e->relation);
    TC_TRY(tc_dp_event_check(&e->event, err));
    if (e->is_private && e->event.mechanism == TACIT_DP_NONPRIVATE)
        return tc_fail(err, TACIT_E_ARG, "the event NonPrivate cannot be stamped private");
    if (!(e->distance >= 0 && isfinite(e->distance)))
        return tc_fail(err, TACIT_E_ARG, "distance must be finite and >= 0, got %g", e->distance);
    TC_TRY(check_texts(e, err));
    TC_TRY(check_reading(e, err));
    return check_subject(e, err);
}

/* ---- writing */

static void put_u8(tc_text *t, unsigned v)
{
    uint8_t byte = (uint8_t)v;
    tc_text_add_bytes(t, &byte, 1);
}

static void put_word(tc_text *t, uint64_t v, size_t bytes)
{
    uint8_t word[8];
    tc_put_le(word, v, bytes);
    tc_text_add_bytes(t, word, bytes);
}

static void put_double(tc_text *t, double v)
{
    uint64_t bits;
    v += 0.0; /* one zero */
    memcpy(&bits, &v, sizeof bits);
    put_word(t, bits, 8);
}

static void put_text(tc_text *t, const char *s)
{
    put_word(t, strlen(s), 4);
    tc_text_add_bytes(t, s, strlen(s) + 1);
}

static void put_hash(tc_text *t, const tacit_hash *h)
{
    tc_text_add_bytes(t, h->bytes, sizeof h->bytes);
}

static void put_event(tc_text *t, const tacit_dp_event *e)
{
    put_u8(t, e->mechanism);
    put_double(t, e->mechanism == TACIT_DP_NONPRIVATE ? 0 : e->parameter);
    put_u8(t, e->sampling);
    put_double(t, e->sampling_rate);
    put_word(t, e->count, 8);
}

tacit_relation tc_ledger_relation(const tc_ledger_entry *e)
{
    return e->relation != TACIT_RELATION_USUAL
               ? e->relation
               : tc_relation_usual(e->unit, e->event.sampling, e->mechanism);
}

static void put_relation(tc_text *t, const tc_ledger_entry *e)
{
    tacit_relation stated = tc_ledger_relation(e);
    if (stated != tc_relation_usual(e->unit, e->event.sampling, e->mechanism))
        put_u8(t, stated);
}

tacit_status tc_ledger_entry_encode(const tc_ledger_entry *e, uint8_t **bytes, size_t *size,
                                    tacit_error *err)
{
    TC_TRY(check_entry(e, err));
    tc_text t = {0};
    put_word(&t, e->seq, 8);
    put_hash(&t, &e->study);
    put_word(&t, e->round, 8);
    put_u8(&t, e->unit);
    put_text(&t, e->subject);
    put_event(&t, &e->event);
    put_double(&t, e->distance);
    put_text(&t, e->mechanism);
    put_text(&t, e->adjacency);
    put_u8(&t, e->is_private);
    put_text(&t, e->not_private);
    put_word(&t, e->rows, 8);
    put_word(&t, e->cols, 8);
    put_double(&t, e->offset);
    put_double(&t, e->step);
    put_hash(&t, &e->release);
    put_hash(&t, &e->previous);
    put_relation(&t, e);
    size_t length = t.len;
    char *made = tc_text_take(&t);
    if (!made)
        return tc_fail_memory(err);
    *bytes = (uint8_t *)made;
    *size = length;
    return TACIT_OK;
}

/* ---- reading */

/* What is left to read. `bad` is sticky; values read after it are zero. */
typedef struct reader {
    const uint8_t *at;
    size_t left;
    bool bad;
} reader;

static const uint8_t *get_bytes(reader *r, size_t n)
{
    if (r->bad || n > r->left) {
        r->bad = true;
        return NULL;
    }
    const uint8_t *p = r->at;
    r->at += n;
    r->left -= n;
    return p;
}

static uint64_t get_word(reader *r, size_t bytes)
{
    const uint8_t *p = get_bytes(r, bytes);
    return p ? tc_get_le(p, bytes) : 0;
}

static double get_double(reader *r)
{
    uint64_t bits = get_word(r, 8);
    double v;
    r->bad = r->bad || bits == UINT64_C(1) << 63; /* one zero */
    memcpy(&v, &bits, sizeof v);
    return v;
}

static const char *get_text(reader *r)
{
    size_t n = (size_t)get_word(r, 4);
    const char *p = (const char *)get_bytes(r, n + 1);
    if (!p || memchr(p, 0, n + 1) != p + n) {
        r->bad = true;
        return "";
    }
    return p;
}

static tacit_hash get_hash(reader *r)
{
    tacit_hash h = {0};
    const uint8_t *p = get_bytes(r, sizeof h.bytes);
    if (p)
        memcpy(h.bytes, p, sizeof h.bytes);
    return h;
}

static tacit_dp_event get_event(reader *r)
{
    tacit_dp_event e;
    e.mechanism = (tacit_dp_mechanism)get_word(r, 1);
    e.parameter = get_double(r);
    e.sampling = (tacit_dp_sampling)get_word(r, 1);
    e.sampling_rate = get_double(r);
    e.count = get_word(r, 8);
    return e;
}

static tc_ledger_entry get_entry(reader *r)
{
    tc_ledger_entry e = {.seq = get_word(r, 8)};
    e.study = get_hash(r);
    e.round = get_word(r, 8);
    e.unit = (tacit_unit)get_word(r, 1);
    e.subject = get_text(r);
    e.event = get_event(r);
    e.distance = get_double(r);
    e.mechanism = get_text(r);
    e.adjacency = get_text(r);
    uint64_t stamp = get_word(r, 1);
    e.is_private = stamp == 1;
    e.not_private = get_text(r);
    e.rows = get_word(r, 8);
    e.cols = get_word(r, 8);
    e.offset = get_double(r);
    e.step = get_double(r);
    e.release = get_hash(r);
    e.previous = get_hash(r);
    e.relation = r->left > 0 ? (tacit_relation)get_word(r, 1) : TACIT_RELATION_USUAL;
    r->bad = r->bad || stamp > 1 || r->left > 0;
    return e;
}

/* Each entry has one form: bytes that say the same in another one would have another hash. */
static tacit_status check_form(const tc_ledger_entry *e, const uint8_t *bytes, size_t size,
                               tacit_error *err)
{
    uint8_t *again;
    size_t n;
    TC_TRY(tc_ledger_entry_encode(e, &again, &n, err));
    bool same = n == size && memcmp(again, bytes, n) == 0;
    tc_free(again);
    return same ? TACIT_OK : tc_fail(err, TACIT_E_CORRUPT, "it is not an entry");
}

tacit_status tc_ledger_entry_decode(tc_ledger_entry *out, const uint8_t *bytes, size_t size,
                                    tacit_error *err)
{
    reader r = {bytes, size, false};
    tc_ledger_entry e = get_entry(&r);
    tacit_error why;
    if (r.bad)
        return tc_fail(err, TACIT_E_CORRUPT, "it is not an entry");
    if (check_entry(&e, &why) != TACIT_OK)
        return tc_pass_on(err, TACIT_E_CORRUPT, &why);
    TC_TRY(check_form(&e, bytes, size, err));
    *out = e;
    return TACIT_OK;
}
