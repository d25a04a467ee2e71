/* token.c - bearer tokens, and the roles that they carry.
 *
 * A token is 32 random bytes in base64; the store keeps their hash, so that nobody who reads it can
 * use them. It is looked up by that hash, which also makes the comparison one of secrets that an
 * attacker cannot choose. Terms: role, study, agent, how often and how long. */
#include "coord/token.h"
#include "coord/coord_int.h"
#include "coord/request.h"

#include "base/error.h"
#include "base/json.h"
#include "wire/signature.h"

#include <inttypes.h>
#include <sodium.h>
#include <string.h>

static const char *const names[TC_ROLES] = {"nobody",   "viewer", "agent",  "joiner",
                                            "operator", "client", "curator"};

enum { TOKEN_BYTES = 32, GRACE_MS = 3600 * 1000 };

const char *tc_role_name(tc_role r)
{
    return names[r];
}

static bool read_role(const char *name, tc_role *out)
{
    for (size_t i = TC_ROLE_VIEWER; name && i < TC_ROLES; i++)
        if (strcmp(name, names[i]) == 0) {
            *out = (tc_role)i;
            return true;
        }
    return false;
}

/* ---- making ---- */

static void write_text(const uint8_t bytes[TOKEN_BYTES], char text[48])
{
    sodium_bin2base64(text, 48, bytes, TOKEN_BYTES, sodium_base64_VARIANT_URLSAFE_NO_PADDING);
}

static tc_key key_of(const char *text)
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
        tc_key key = key_of(text);
        TC_TRY(tc_record_read(c->cfg.store, 0, TC_RECORD_TOKEN, &key, &there, &version, err));
        json_decref(there);
    }
    return TACIT_OK;
}

static tacit_status draw(const tc_coord *c, char text[48], tacit_error *err)
{
    if (c->cfg.seeded)
        return draw_seeded(c, text, err);
    tc_party_seed fresh = tc_party_seed_fresh();
    write_text(fresh.bytes, text);
    sodium_memzero(&fresh, sizeof fresh);
    return TACIT_OK;
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
    return j;
}

tacit_status tc_token_make(tc_coord *c, const tc_token_terms *t, char text[48], tc_changes *changes,
                           tacit_error *err)
{
    TC_TRY(draw(c, text, err));
    tc_key key = key_of(text);
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
    char text[48];
    tc_token_terms terms = {.role = TC_ROLE_OPERATOR};
    if (first)
        tc_changes_add(&changes, TC_INSERT, 0, TC_RECORD_SERVER, &key, 0, json_object());
    tacit_status status = tc_token_make(c, &terms, text, &changes, err);
    status = tc_changes_end(c->cfg.store, &changes, status, refused, err);
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
    if (!read_role(json_string_value(json_object_get(j, "role")), &w->role) ||
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
    return w->role == TC_ROLE_JOINER && uses <= 0 && tc_coord_is_past(c, spent_ms + GRACE_MS);
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

/* ---- requests ---- */

/* Stores a new token of these terms. */
static tacit_status store_token(tc_coord *c, tc_token_terms *t, double expires_s, char text[48],
                                tacit_error *err)
{
    tc_changes changes = {.n = 0};
    if (expires_s > 0)
        t->expires_ms = tc_coord_now(c) + (int64_t)(expires_s * 1000);
    tacit_status status = tc_token_make(c, t, text, &changes, err);
    return tc_changes_end(c->cfg.store, &changes, status, NULL, err);
}

static tacit_status make_and_answer(tc_request_context *a, tc_token_terms *t, tacit_error *err)
{
    char text[48];
    TC_TRY(store_token(a->coord, t, tc_request_real(a, "expires_s"), text, err));
    return tc_answer_json(a, 201,
                          json_pack("{s:s, s:s, s:I, s:I}", "token", text, "role", names[t->role],
                                    "uses", (json_int_t)t->uses, "expires_ms",
                                    (json_int_t)t->expires_ms),
                          err);
}

/* {"role": "viewer", "expires_s": 3600} */
tacit_status tc_tokens_make(tc_request_context *a, tacit_error *err)
{
    tc_token_terms t = {0};
    (void)read_role(tc_request_text(a, "role"), &t.role);
    return make_and_answer(a, &t, err);
}

/* {"token": "..."}: it is valid no longer. */
tacit_status tc_tokens_withdraw(tc_request_context *a, tacit_error *err)
{
    json_t *there;
    uint64_t version;
    tc_changes changes = {.n = 0};
    tc_key key = key_of(tc_request_text(a, "token"));
    TC_TRY(tc_record_read(a->coord->cfg.store, 0, TC_RECORD_TOKEN, &key, &there, &version, err));
    json_decref(there);
    if (version == 0)
        return tc_fail(err, TACIT_E_NOT_FOUND, "there is no such token");
    tc_changes_add(&changes, TC_ERASE, 0, TC_RECORD_TOKEN, &key, version, NULL);
    TC_TRY(tc_changes_end(a->coord->cfg.store, &changes, TACIT_OK, NULL, err));
    return tc_answer_json(a, 200, json_pack("{s:b}", "withdrawn", 1), err);
}

/* Any number of workers share a client's token. */
static tacit_status study_terms(const tc_request_context *a, const tc_open_study *d,
                                tc_token_terms *out, tacit_error *err)
{
    *out = (tc_token_terms){.role = d->plan ? TC_ROLE_JOINER : TC_ROLE_CLIENT, .open = d};
    if (d->plan)
        out->uses = (uint64_t)tc_request_whole(a, "uses");
    else if (json_object_get(a->body, "uses"))
        return tc_fail(err, TACIT_E_ARG,
                       "uses is for tokens with which agents join; study \"%s\" is a served one",
                       d->name);
    return TACIT_OK;
}

/* {"uses": 1, "expires_s": 86400} */
tacit_status tc_join_tokens_make(tc_request_context *a, tacit_error *err)
{
    tc_open_study *d;
    tc_token_terms t;
    TC_TRY(tc_request_study(a, &d, err));
    TC_TRY(study_terms(a, d, &t, err));
    return make_and_answer(a, &t, err);
}

static tacit_status check_uses(const tc_open_study *d, uint64_t uses, tacit_error *err)
{
    if (d->plan && uses == 0)
        return tc_fail(
            err, TACIT_E_ARG,
            "uses must be at least 1: so many agents may join study \"%s\" with the token",
            d->name);
    if (!d->plan && uses > 0)
        return tc_fail(
            err, TACIT_E_ARG,
            "uses must be 0: study \"%s\" is a served one, and its clients share the token",
            d->name);
    return TACIT_OK;
}

tacit_status tc_coord_invite(tc_coord *c, const char *study, uint64_t uses, double expires_s,
                             tc_text *token, tacit_error *err)
{
    tc_open_study *d;
    char text[48];
    TC_TRY(tc_open_study_get(c, study, &d, err));
    tc_token_terms t = {.role = d->plan ? TC_ROLE_JOINER : TC_ROLE_CLIENT, .open = d, .uses = uses};
    tacit_status status = check_uses(d, uses, err);
    if (status == TACIT_OK)
        status = store_token(c, &t, expires_s, text, err);
    tc_open_study_unref(c, d);
    if (status != TACIT_OK)
        return status;
    tc_text_add(token, text);
    sodium_memzero(text, sizeof text);
    return token->failed ? tc_fail_memory(err) : TACIT_OK;
}
