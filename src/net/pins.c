/* pins.c - reads, compares and keeps fingerprints (pins.h). */
#include "net/pins.h"

#include "base/error.h"
#include "base/json.h"
#include "base/memory.h"
#include "wire/signature.h"

#include <string.h>

enum { PIN = 8 + 44 };

static bool is_one(const char *text, size_t n)
{
    char digits[PIN + 1];
    uint8_t hash[32];
    if (n != PIN || strncmp(text, TC_PIN, strlen(TC_PIN)) != 0)
        return false;
    memcpy(digits, text, PIN);
    digits[PIN] = 0;
    return tc_base64_read(digits + strlen(TC_PIN), hash, sizeof hash);
}

bool tc_pin_is_one(const char *text)
{
    return is_one(text, strlen(text));
}

/* The one that begins at `at`, and how long it is. NULL: there is none. */
static const char *next_pin(const char *at, size_t *n)
{
    *n = at ? strcspn(at, ";") : 0;
    return at;
}

static const char *behind(const char *at, size_t n)
{
    return at[n] ? at + n + 1 : NULL;
}

tacit_status tc_pin_check_roster(const char *text, tacit_error *err)
{
    if (!text || tc_pin_is_one(text))
        return TACIT_OK;
    return tc_fail(err, TACIT_E_ARG,
                   "roster must be a fingerprint, " TC_PIN " and 44 characters, got \"%.80s\"",
                   text);
}

tacit_status tc_pins_check(const char *text, tacit_error *err)
{
    size_t n;
    for (const char *p = next_pin(text, &n); p; p = next_pin(behind(p, n), &n))
        if (!is_one(p, n))
            return tc_fail(err, TACIT_E_ARG,
                           "a fingerprint is sha256// and 44 characters, as `tacit serve` prints "
                           "it, and several have ; between them, got \"%.*s\"",
                           (int)(n < 80 ? n : 80), p);
    return TACIT_OK;
}

bool tc_pins_have(const char *pins, const char *one)
{
    size_t n;
    for (const char *p = next_pin(pins, &n); p; p = next_pin(behind(p, n), &n))
        if (n == strlen(one) && strncmp(p, one, n) == 0)
            return true;
    return false;
}

/* ---- keeping ---- */

#define WORD "pins "

typedef struct place {
    char key[sizeof WORD - 1 + sizeof(tacit_hash)];
} place;

static tc_record record_of(place *at, const char *given)
{
    tacit_hash hash = tc_hash_bytes(given, strlen(given));
    memcpy(at->key, WORD, sizeof WORD - 1);
    memcpy(at->key + sizeof WORD - 1, hash.bytes, sizeof hash.bytes);
    return (tc_record){.kind = TC_RECORD_SERVER, .key = at->key, .key_size = sizeof at->key};
}

static tacit_status read_pins(const tc_record *r, char **now, char **next, tacit_error *err)
{
    json_t *j;
    TC_TRY(tc_json_parse(r->value, r->size, "pins", &j, err));
    const char *of_now = json_string_value(json_object_get(j, "now"));
    const char *of_next = json_string_value(json_object_get(j, "next"));
    bool sound = of_now && tc_pins_check(of_now, NULL) == TACIT_OK &&
                 (!json_object_get(j, "next") || (of_next && tc_pin_is_one(of_next)));
    char *a = sound ? tc_strdup(of_now) : NULL;
    char *b = sound && of_next ? tc_strdup(of_next) : NULL;
    json_decref(j);
    if (!sound)
        return tc_fail(err, TACIT_E_CORRUPT,
                       "the storage is damaged: the fingerprints of the coordinator");
    if (!a || (of_next && !b)) {
        tc_free(a);
        tc_free(b);
        return tc_fail_memory(err);
    }
    *now = a;
    *next = b;
    return TACIT_OK;
}

tacit_status tc_pins_load(tc_store *s, const char *given, char **now, char **next, tacit_error *err)
{
    place at;
    tc_record which = record_of(&at, given), got;
    *now = *next = NULL;
    TC_TRY(tc_store_record_find(s, &which, &got, err));
    tacit_status status = got.version > 0 ? read_pins(&got, now, next, err) : TACIT_OK;
    tc_free((void *)got.value);
    return status;
}

tacit_status tc_pins_store(tc_store *s, const char *given, const tc_pins *pins, tacit_error *err)
{
    place at;
    tc_record which = record_of(&at, given), got;
    TC_TRY(tc_store_record_find(s, &which, &got, err));
    tc_free((void *)got.value);
    json_t *j = json_pack("{s:s, s:s*}", "now", pins->now, "next", pins->next);
    char *text = tc_json_text(j);
    json_decref(j);
    if (!text)
        return tc_fail_memory(err);
    tacit_error why = {0};
    tacit_status status = tc_store_record_keep(s, &which, got.version, text, strlen(text), &why);
    tc_free(text);
    return status == TACIT_E_CONFLICT ? TACIT_OK : tc_pass_on(err, status, &why);
}
