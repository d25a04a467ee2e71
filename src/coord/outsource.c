/* outsource.c - a curator sends the rows that it has released, and has them searched here: a study over
 * them, as `tacit model next` makes it (wire/released_study.h), and a client's token with which to ask for
 * rows and tell answers. README.md, "Served studies".
 *
 * A curator's token is for one study. It is written down before the study is made, and both are found
 * again by whoever repeats the request after a crash. However often it is repeated, one client's token of it
 * is valid, the last: of a curator its own token says which, of an operator a record of the study. */
#include "coord/audited.h"
#include "coord/coord_int.h"
#include "coord/request.h"

#include "base/error.h"
#include "wire/released_study.h"
#include "wire/signature.h"

#include <sodium.h>
#include <string.h>

#define CLAIMED "outsourced" /* in a curator's token: the name of its study ... */
#define MADE    "made"       /* ... that it was there ... */
#define CLIENT  "client"     /* ... and which client's token it was given last: its hash */

/* ---- the study ---- */

static tacit_status make_document(const tc_request_context *a, tc_study_doc **out, tacit_error *err)
{
    tc_released_plan p = {.name = tc_request_text(a, "name"),
                          .trials = (uint64_t)tc_request_whole(a, "trials"),
                          .seed = (uint64_t)tc_request_whole(a, "seed"),
                          .options = json_object_get(a->body, "options")};
    TC_TRY(tc_study_name_check(p.name, err));
    return tc_released_study_from_json(out, json_object_get(a->body, "released"), &p, err);
}

static tacit_status compare(const tc_study_row *row, const tc_study_doc *given, tacit_error *err)
{
    tc_study_doc *stored;
    tacit_status status = tc_study_doc_restore(&stored, row->document, row->points_csv, err);
    if (status != TACIT_OK)
        return tc_study_row_fault(row, status, err);
    status = tc_study_doc_same(stored, given, err);
    if (status == TACIT_OK && stored->trials != given->trials)
        status = tc_fail(err, TACIT_E_STATE, "trials differ: the study has %llu, not %llu",
                         (unsigned long long)stored->trials, (unsigned long long)given->trials);
    tc_study_doc_free(stored);
    return status;
}

/* *there: the very study is stored. E_STATE: one of its name that is not the same. */
static tacit_status find_same(tc_coord *c, const tc_study_doc *doc, bool *there, tacit_error *err)
{
    tc_study_row row;
    tacit_error why;
    tacit_status status = tc_store_study_get(c->cfg.store, doc->name, &row, &why);
    *there = status == TACIT_OK;
    if (status == TACIT_E_NOT_FOUND)
        return TACIT_OK;
    if (status != TACIT_OK)
        return tc_pass_on(err, status, &why);
    status = compare(&row, doc, &why);
    tc_study_row_fini(&row);
    return status == TACIT_OK
               ? status
               : tc_fail(err, status, "there is another study \"%s\": %.300s", doc->name, why.msg);
}

/* ---- the curator's token ---- */

static void change_token(tc_request_context *a, tc_changes *changes, json_t *record)
{
    tc_key key = tc_key_hash(&a->caller.token);
    tc_changes_add(changes, TC_REPLACE, 0, TC_RECORD_TOKEN, &key, a->caller.version, record);
}

/* The record with one more field; NULL: no memory. */
static json_t *with(const json_t *record, const char *name, json_t *value)
{
    json_t *j = json_copy((json_t *)record);
    if (j && json_object_set(j, name, value) == 0) {
        json_decref(value);
        return j;
    }
    json_decref(j);
    json_decref(value);
    return NULL;
}

static tacit_status write_claim(tc_request_context *a, const char *name, tacit_error *err)
{
    tc_changes changes = {.n = 0};
    json_t *record = with(a->caller.record, CLAIMED, json_string(name));
    if (!record)
        return tc_fail_memory(err);
    change_token(a, &changes, json_incref(record));
    tacit_status status = tc_changes_end(a->coord->cfg.store, &changes, TACIT_OK, NULL, err);
    if (status != TACIT_OK) {
        json_decref(record);
        return status;
    }
    json_decref(a->caller.record);
    a->caller.record = record;
    a->caller.version++;
    return TACIT_OK;
}

/* `there`: the study is stored already. */
static tacit_status claim(tc_request_context *a, const char *name, bool there, tacit_error *err)
{
    const char *claimed = json_string_value(json_object_get(a->caller.record, CLAIMED));
    if (a->caller.role != TC_ROLE_CURATOR)
        return TACIT_OK;
    if (claimed && strcmp(claimed, name) != 0)
        return tc_refuse(a, 403, TACIT_E_ARG, err,
                         "the token is for one release, and study \"%s\" was made of it", claimed);
    if (!claimed && there)
        return tc_fail(err, TACIT_E_STATE, "there is a study \"%s\" already", name);
    if (!there && json_object_get(a->caller.record, MADE))
        return tc_fail(err, TACIT_E_STATE, "study \"%s\" was made of the release and is erased",
                       name);
    return claimed ? TACIT_OK : write_claim(a, name, err);
}

/* ---- the answer ---- */

/* `former`: the hash of the client's token that was given before, in base64; NULL: none was. It ends. */
static tacit_status end_former(tc_request_context *a, const char *former, tc_changes *changes,
                               tacit_error *err)
{
    tacit_hash hash;
    json_t *there;
    uint64_t version;
    if (!former || !tc_base64_read(former, hash.bytes, sizeof hash.bytes))
        return TACIT_OK;
    tc_key key = tc_key_hash(&hash);
    TC_TRY(tc_record_read(a->coord->cfg.store, 0, TC_RECORD_TOKEN, &key, &there, &version, err));
    json_decref(there);
    if (version > 0) /* else it was withdrawn */
        tc_changes_add(changes, TC_ERASE, 0, TC_RECORD_TOKEN, &key, version, NULL);
    return TACIT_OK;
}

/* Its hash in base64; NULL: no memory. */
static json_t *hash_json(const char client[48])
{
    tacit_hash h = tc_hash_bytes(client, strlen(client));
    tc_text hash = {0};
    tc_base64_add(&hash, h.bytes, sizeof h.bytes);
    json_t *j = hash.failed ? NULL : json_string(tc_text_get(&hash));
    tc_text_fini(&hash);
    return j;
}

/* Says in the curator's token that the study was there, and which client's token is the last. */
static tacit_status note_for_curator(tc_request_context *a, const char client[48],
                                     tc_changes *changes, tacit_error *err)
{
    const char *former = json_string_value(json_object_get(a->caller.record, CLIENT));
    json_t *made = with(a->caller.record, MADE, json_true());
    json_t *record = made ? with(made, CLIENT, hash_json(client)) : NULL;
    json_decref(made);
    change_token(a, changes, record);
    return end_former(a, former, changes, err);
}

/* An operator's token is for all studies: of each its records say which client's is the last. */
static tacit_status note_for_operator(tc_request_context *a, const tc_open_study *d,
                                      const char client[48], tc_changes *changes, tacit_error *err)
{
    tc_key key = tc_key_word(CLIENT);
    json_t *was;
    uint64_t version;
    memcpy(key.bytes + key.n, a->caller.token.bytes, sizeof a->caller.token.bytes);
    key.n += sizeof a->caller.token.bytes;
    TC_TRY(tc_record_read(a->coord->cfg.store, d->id, TC_RECORD_STATE, &key, &was, &version, err));
    tc_changes_add(changes, version > 0 ? TC_REPLACE : TC_INSERT, d->id, TC_RECORD_STATE, &key,
                   version, json_pack("{s:o}", CLIENT, hash_json(client)));
    tacit_status status =
        end_former(a, json_string_value(json_object_get(was, CLIENT)), changes, err);
    json_decref(was);
    return status;
}

/* The client's token, the end of the former one and the note of it: all or none. */
static tacit_status try_token(tc_request_context *a, const tc_open_study *d, char text[48],
                              tacit_error *err)
{
    tc_changes changes = {.n = 0};
    tc_token_terms t = {.role = TC_ROLE_CLIENT, .open = d};
    tacit_status status = tc_token_make(a->coord, &t, text, &changes, err);
    if (status == TACIT_OK)
        status = a->caller.role == TC_ROLE_CURATOR ? note_for_curator(a, text, &changes, err)
                                                   : note_for_operator(a, d, text, &changes, err);
    const tc_act act = tc_act_of("token.make", d, "client, for released rows");
    return tc_changes_log(a->coord, &a->caller, &changes, status, &act, NULL, err);
}

/* An operator may ask twice at once; of two the last has the token that is valid. */
static tacit_status make_token(tc_request_context *a, const tc_open_study *d, char text[48],
                               tacit_error *err)
{
    enum { ATTEMPTS = 16 };
    tacit_status status = TACIT_E_CONFLICT;
    bool may = true;
    for (int i = 0; status == TACIT_E_CONFLICT && may && i < ATTEMPTS; i++) {
        status = try_token(a, d, text, err);
        may = a->caller.role == TC_ROLE_OPERATOR;
    }
    return status;
}

static tacit_status answer(tc_request_context *a, const char *name, int http, tacit_error *err)
{
    tc_open_study *d;
    char text[48];
    TC_TRY(tc_open_study_get(a->coord, name, &d, err));
    tacit_status status = make_token(a, d, text, err);
    tc_open_study_unref(a->coord, d);
    TC_TRY(status);
    status = tc_answer_json(a, http, json_pack("{s:s, s:s}", "name", name, "token", text), err);
    sodium_memzero(text, sizeof text);
    return status;
}

static tacit_status outsource(tc_request_context *a, tc_study_doc *doc, tacit_error *err)
{
    bool there;
    TC_TRY(find_same(a->coord, doc, &there, err));
    TC_TRY(claim(a, doc->name, there, err));
    if (!there)
        TC_TRY(tc_studies_put(a->coord, &a->caller, doc, err));
    return answer(a, doc->name, there ? 200 : 201, err);
}

tacit_status tc_outsource_post(tc_request_context *a, tacit_error *err)
{
    tc_study_doc *doc;
    TC_TRY(make_document(a, &doc, err));
    tacit_status status = outsource(a, doc, err);
    tc_study_doc_free(doc);
    return status;
}
