/* token.c - bearer tokens, and the roles that they carry.
 *
 * A token is 32 random bytes in base64; the store keeps their hash, so that nobody who reads it can
 * use them. It is looked up by that hash, which also makes the comparison one of secrets that an
 * attacker cannot choose. Terms: role, study, agent, how often and how long. */
#include "coord/coord_int.h"

#include "base/error.h"
#include "base/json.h"

#include <inttypes.h>
#include <sodium.h>
#include <string.h>

static const char *const names[] = {"nobody", "viewer", "agent", "joiner", "operator"};

enum { TOKEN_BYTES = 32 };

const char *tc_role_name(tc_role r)
{
    return names[r];
}

static bool read_role(const char *name, tc_role *out)
{
    for (size_t i = TC_ROLE_VIEWER; name && i <= TC_ROLE_OPERATOR; i++)
        if (strcmp(name, names[i]) == 0) {
            *out = (tc_role)i;
            return true;
        }
    return false;
}

/* ---- making ---- */

/* Test mode: a token is a function of the seed and of what it is for. */
static void draw(const tc_coord *c, const tc_token_terms *t, uint8_t out[TOKEN_BYTES])
{
    if (!c->cfg.seeded) {
        randombytes_buf(out, TOKEN_BYTES);
        return;
    }
    uint64_t words[4] = {c->cfg.seed, (uint64_t)t->role, (uint64_t)t->study, t->agent};
    tc_ledger_hash h = tc_hash_bytes(words, sizeof words);
    memcpy(out, h.bytes, TOKEN_BYTES);
}

tacit_status tc_token_make(tc_coord *c, const tc_token_terms *t, char text[48], tc_changes *changes,
                           tacit_error *err)
{
    uint8_t bytes[TOKEN_BYTES];
    tc_random_start();
    draw(c, t, bytes);
    sodium_bin2base64(text, 48, bytes, sizeof bytes, sodium_base64_VARIANT_URLSAFE_NO_PADDING);
    sodium_memzero(bytes, sizeof bytes);
    tc_ledger_hash h = tc_hash_bytes(text, strlen(text));
    tc_key key = tc_key_hash(&h);
    json_t *j = json_pack("{s:s, s:I, s:I, s:I, s:I}", "role", names[t->role], "study",
                          (json_int_t)t->study, "agent", (json_int_t)t->agent, "uses",
                          (json_int_t)t->uses, "expires_ms", (json_int_t)t->expires_ms);
    if (!j)
        return tc_fail_memory(err);
    tc_changes_add(changes, TC_INSERT, 0, TC_RECORD_TOKEN, &key, 0, j);
    return TACIT_OK;
}

tacit_status tc_coord_operator_token(tc_coord *c, tc_text *token, bool *made, tacit_error *err)
{
    tc_changes changes = {.n = 0};
    tc_key key = tc_key_word("operator");
    char text[48];
    size_t refused = 0;
    tc_token_terms terms = {.role = TC_ROLE_OPERATOR};
    tc_changes_add(&changes, TC_INSERT, 0, TC_RECORD_SERVER, &key, 0, json_object());
    tacit_status status = tc_token_make(c, &terms, text, &changes, err);
    if (status == TACIT_OK)
        status = tc_changes_commit(c->cfg.store, &changes, &refused, err);
    tc_changes_fini(&changes);
    *made = status == TACIT_OK;
    if (*made)
        tc_text_add(token, text);
    sodium_memzero(text, sizeof text);
    return status == TACIT_E_CONFLICT && refused == 0 ? TACIT_OK : status;
}

/* ---- finding ---- */

static bool read_terms(tc_caller *w, const json_t *j)
{
    int64_t study, agent;
    if (!read_role(json_string_value(json_object_get(j, "role")), &w->role) ||
        !tc_json_whole(json_object_get(j, "study"), &study) ||
        !tc_json_whole(json_object_get(j, "agent"), &agent) || agent < 0)
        return false;
    w->study = study;
    w->agent = (uint64_t)agent;
    return true;
}

static bool expired(const tc_coord *c, const json_t *j)
{
    int64_t until = 0;
    return !tc_json_whole(json_object_get(j, "expires_ms"), &until) ||
           (until > 0 && tc_coord_now(c) >= until);
}

tacit_status tc_caller_find(tc_coord *c, const char *bearer, tc_caller *out, tacit_error *err)
{
    tc_caller w = {.role = TC_ROLE_NOBODY};
    if (!bearer) {
        *out = w;
        return TACIT_OK;
    }
    w.token = tc_hash_bytes(bearer, strlen(bearer));
    tc_key key = tc_key_hash(&w.token);
    TC_TRY(tc_record_read(c->cfg.store, 0, TC_RECORD_TOKEN, &key, &w.record, &w.version, err));
    if (w.record && !expired(c, w.record) && read_terms(&w, w.record)) {
        *out = w;
        return TACIT_OK;
    }
    json_decref(w.record);
    return tc_fail(err, TACIT_E_ARG, "the token is not valid");
}

void tc_caller_fini(tc_caller *w)
{
    json_decref(w->record);
    w->record = NULL;
}

/* ---- requests ---- */

static tacit_status check_expiry(double s, tacit_error *err)
{
    if (s >= 0 && s <= 1e9)
        return TACIT_OK;
    return tc_fail(err, TACIT_E_ARG, "expires_s must be a number in [0, 1e9], got %g", s);
}

static tacit_status make_and_answer(tc_ask *a, tc_token_terms *t, double expires_s,
                                    tacit_error *err)
{
    tc_changes changes = {.n = 0};
    char text[48];
    if (expires_s > 0)
        t->expires_ms = tc_coord_now(a->coord) + (int64_t)(expires_s * 1000);
    tacit_status status = tc_token_make(a->coord, t, text, &changes, err);
    if (status == TACIT_OK)
        status = tc_changes_commit(a->coord->cfg.store, &changes, NULL, err);
    tc_changes_fini(&changes);
    TC_TRY(status);
    return tc_answer(a, 201,
                     json_pack("{s:s, s:s, s:I, s:I}", "token", text, "role", names[t->role],
                               "uses", (json_int_t)t->uses, "expires_ms",
                               (json_int_t)t->expires_ms),
                     err);
}

/* {"role": "viewer", "expires_s": 3600} */
tacit_status tc_tokens_make(tc_ask *a, tacit_error *err)
{
    static const char *const allowed[] = {"role", "expires_s", NULL};
    tc_token_terms t = {0};
    const char *role;
    double expires_s = 0;
    TC_TRY(tc_json_only(a->body, "", allowed, err));
    TC_TRY(tc_json_string(a->body, "", "role", &role, err));
    TC_TRY(tc_json_number_or(a->body, "", "expires_s", &expires_s, err));
    TC_TRY(check_expiry(expires_s, err));
    if (!read_role(role, &t.role) || t.role == TC_ROLE_AGENT || t.role == TC_ROLE_JOINER)
        return tc_fail(err, TACIT_E_ARG, "role must be \"viewer\" or \"operator\", got \"%s\"",
                       role);
    return make_and_answer(a, &t, expires_s, err);
}

/* {"uses": 1, "expires_s": 86400} */
tacit_status tc_join_tokens_make(tc_ask *a, tacit_error *err)
{
    static const char *const allowed[] = {"uses", "expires_s", NULL};
    int64_t uses = 1;
    double expires_s = 0;
    tc_desk *d;
    TC_TRY(tc_json_only(a->body, "", allowed, err));
    TC_TRY(tc_json_int_or(a->body, "", "uses", 1, TC_STUDY_AGENTS_MAX, &uses, err));
    TC_TRY(tc_json_number_or(a->body, "", "expires_s", &expires_s, err));
    TC_TRY(check_expiry(expires_s, err));
    TC_TRY(tc_desk_get(a->coord, a->words[0], &d, err));
    tc_token_terms t = {.role = TC_ROLE_JOINER, .study = d->id, .uses = (uint64_t)uses};
    tc_desk_release(a->coord, d);
    return make_and_answer(a, &t, expires_s, err);
}
