/* token.c - bearer tokens, and the roles that they carry.
 *
 * A token is 32 random bytes in base64; the store keeps their hash, so that nobody who reads it can
 * use them. It is looked up by that hash, which also makes the comparison one of secrets that an
 * attacker cannot choose. Terms: role, study, agent, how often and how long. What requests do with
 * them is in token_api.c. */
#include "coord/token.h"
#include "coord/audited.h"
#include "coord/coord_int.h"

#include "base/error.h"
#include "base/json.h"
#include "wire/signature.h"

#include <inttypes.h>
#include <sodium.h>
#include <string.h>

static const char *const names[TC_ROLES] = {"nobody",  "viewer",   "agent",
                                            "joiner",  "operator", "client",
                                            "curator", "trustee",  "trustee-joiner"};

enum { TOKEN_BYTES = 32, GRACE_MS = 3600 * 1000 };

const char *tc_role_name(tc_role r)
{
    return names[r];
}

bool tc_role_joins(tc_role r)
{
    return r == TC_ROLE_JOINER || r == TC_ROLE_TRUSTEE_JOINER;
}

bool tc_role_read(const char *name, tc_role *out)
{
    for (size_t i = TC_ROLE_VIEWER; name && i < TC_ROLES; i++)
        if (strcmp(name, names[i]) == 0) {
            *out = (tc_role)i;
            return true;
        }
    return false;
}

/* ---- making ---- */

void tc_token_id(const tacit_hash *token, char out[TC_TOKEN_ID])
{
    sodium_bin2hex(out, TC_TOKEN_ID, token->bytes, TC_TOKEN_ID_BYTES);
}

static void write_text(const uint8_t bytes[TOKEN_BYTES], char text[48])
{
    sodium_bin2base64(text, 48, bytes, TOKEN_BYTES, sodium_base64_VARIANT_URLSAFE_NO_PADDING);
}

tc_key tc_token_key(const char *text)
{
    tacit_hash h = tc_hash_bytes(text, strlen(text));
    return tc_key_hash(&h);
}

/* Test mode: the first of a sequence that the seed gives and that is not in use. */
static tacit_status draw_seeded(const tc_coord *c, char text[48], tacit_error *err)
{
    tc_record_range all = {.kind = TC_RECORD_TOKEN};
    uint64_t words[2] = {c->cfg.seed, 0}, version = 1;
    TC_TRY(tc_store_record_count(c->cfg.store, &all, &words[1], err));
    for (; version > 0; words[1]++) {
        tacit_hash h = tc_hash_bytes(words, sizeof words);
        json_t *there;
        write_text(h.bytes, text);
        tc_key key = tc_token_key(text);
        TC_TRY(tc_record_read(c->cfg.store, 0, TC_RECORD_TOKEN, &key, &there, &version, err));
        json_decref(there);
    }
    return TACIT_OK;
}

tacit_status tc_token_draw(const tc_coord *c, char text[48], tacit_error *err)
{
    if (c->cfg.seeded)
        return draw_seeded(c, text, err);
    tc_party_seed fresh = tc_party_seed_fresh();
    write_text(fresh.bytes, text);
    sodium_memzero(&fresh, sizeof fresh);
    return TACIT_OK;
}

/* What few tokens have. Takes j; NULL: no memory. */
static json_t *add_terms(json_t *j, const tc_token_terms *t)
{
    bool added = j && (!t->open || json_object_set_new(j, "in", json_string(t->open->name)) == 0) &&
                 (!t->name || json_object_set_new(j, "name", json_string(t->name)) == 0) &&
                 (!t->place || json_object_set_new(j, "place", json_true()) == 0);
    if (added)
        return j;
    json_decref(j);
    return NULL;
}

static json_t *terms_json(const tc_token_terms *t)
{
    tc_text of = {0};
    if (t->open)
        tc_base64_add(&of, t->open->hash.bytes, sizeof t->open->hash.bytes);
    json_t *j = json_pack("{s:s, s:I, s:s, s:I, s:I, s:I}", "role", names[t->role], "study",
                          (json_int_t)(t->open ? t->open->id : 0), "of", tc_text_get(&of), "agent",
                          (json_int_t)t->agent, "uses", (json_int_t)t->uses, "expires_ms",
                          (json_int_t)t->expires_ms);
    tc_text_fini(&of);
    return add_terms(j, t);
}

tacit_status tc_token_make(tc_coord *c, const tc_token_terms *t, char text[48], tc_changes *changes,
                           tacit_error *err)
{
    TC_TRY(tc_token_draw(c, text, err));
    tc_key key = tc_token_key(text);
    json_t *j = terms_json(t);
    if (!j)
        return tc_fail_memory(err);
    tc_changes_add(changes, TC_INSERT, 0, TC_RECORD_TOKEN, &key, 0, j);
    return TACIT_OK;
}

/* `first`: only if there was none before; then the mark that says so is among the changes. */
static tacit_status make_operator(tc_coord *c, bool first, tc_text *token, size_t *refused,
                                  tacit_error *err)
{
    tc_changes changes = {.n = 0};
    tc_key key = tc_key_word("operator");
    char text[48] = "", id[TC_TOKEN_ID];
    tc_token_terms terms = {.role = TC_ROLE_OPERATOR};
    if (first)
        tc_changes_add(&changes, TC_INSERT, 0, TC_RECORD_SERVER, &key, 0, json_object());
    tacit_status status = tc_token_make(c, &terms, text, &changes, err);
    tacit_hash hash = tc_hash_bytes(text, strlen(text));
    tc_token_id(&hash, id);
    const tc_act act = tc_act_of("token.make", NULL, "operator %s", id);
    status = tc_changes_log(c, NULL, &changes, status, &act, refused, err);
    if (status == TACIT_OK)
        tc_text_add(token, text);
    sodium_memzero(text, sizeof text);
    return status;
}

tacit_status tc_coord_operator_token(tc_coord *c, tc_text *token, bool *made, tacit_error *err)
{
    size_t refused = 1;
    tacit_status status = make_operator(c, true, token, &refused, err);
    *made = status == TACIT_OK;
    return status == TACIT_E_CONFLICT && refused == 0 ? TACIT_OK : status;
}

tacit_status tc_coord_new_operator_token(tc_coord *c, tc_text *token, tacit_error *err)
{
    bool made;
    TC_TRY(tc_coord_operator_token(c, token, &made, err));
    return made ? TACIT_OK : make_operator(c, false, token, NULL, err);
}

/* ---- finding ---- */

static bool read_terms(tc_caller *w, int64_t *expires_ms, const json_t *j)
{
    int64_t study, agent;
    const char *of = json_string_value(json_object_get(j, "of"));
    if (!tc_role_read(json_string_value(json_object_get(j, "role")), &w->role) ||
        !tc_json_whole(json_object_get(j, "expires_ms"), expires_ms) ||
        !tc_json_whole(json_object_get(j, "study"), &study) ||
        !tc_json_whole(json_object_get(j, "agent"), &agent) || agent < 0)
        return false;
    if (study != 0 && !(of && tc_base64_read(of, w->of.bytes, sizeof w->of.bytes)))
        return false;
    w->study = study;
    w->agent = (uint64_t)agent;
    return true;
}

/* An agent that enrolled with the last use of a token may have lost the answer, and must read the study to ask
 * again. */
static bool exhausted(const tc_coord *c, const tc_caller *w)
{
    int64_t uses = 0, spent_ms = 0;
    (void)tc_json_whole(json_object_get(w->record, "uses"), &uses);
    (void)tc_json_whole(json_object_get(w->record, "spent_ms"), &spent_ms);
    if (w->role == TC_ROLE_AGENT) /* its agent has another by now, and may have lost that answer */
        return json_is_true(json_object_get(w->record, "ended"));
    return tc_role_joins(w->role) && uses <= 0 && tc_coord_is_past(c, spent_ms + GRACE_MS);
}

tacit_status tc_caller_find(tc_coord *c, const char *bearer, tc_caller *out, tacit_error *err)
{
    tc_caller w = {.role = TC_ROLE_NOBODY};
    int64_t expires_ms = 0;
    if (!bearer) {
        *out = w;
        return TACIT_OK;
    }
    w.token = tc_hash_bytes(bearer, strlen(bearer));
    tc_key key = tc_key_hash(&w.token);
    TC_TRY(tc_record_read(c->cfg.store, 0, TC_RECORD_TOKEN, &key, &w.record, &w.version, err));
    bool readable = !w.record || read_terms(&w, &expires_ms, w.record);
    bool over = expires_ms > 0 && tc_coord_now(c) >= expires_ms;
    if (w.record && readable && !over) {
        w.exhausted = exhausted(c, &w);
        *out = w;
        return TACIT_OK;
    }
    bool doubtful = w.record && readable && !tc_coord_is_sure(c);
    json_decref(w.record);
    if (doubtful)
        return tc_fail(err, TACIT_E_BUSY, "the coordinator is not sure of the time yet");
    return readable ? tc_fail(err, TACIT_E_ARG, "the token is not valid")
                    : tc_fail(err, TACIT_E_CORRUPT,
                              "the storage is damaged: the record of a token cannot be read");
}

void tc_caller_fini(tc_caller *w)
{
    json_decref(w->record);
    w->record = NULL;
}
