/* trustee.c - opening and closing a trustee (trustee.h), its requests, and what it says. */
#include "trustee/trustee_int.h"

#include "base/error.h"
#include "base/memory.h"

#include <inttypes.h>
#include <sodium.h>
#include <stdio.h>
#include <string.h>

/* ---- requests ---- */

tacit_status tc_trustee_request(tc_trustee *t, const tc_call *call, tc_answered *out,
                                tacit_error *err)
{
    return tc_answered_get(&t->cfg.transport, t->name, call, out, err);
}

static void make_body(const tc_trustee_post *p, tc_text *out)
{
    json_t *text = p->text ? json_string(p->text) : tc_base64_json(p->bytes, p->n);
    json_t *j = text ? json_pack("{s:o}", p->field, text) : NULL;
    char *body = j ? json_dumps(j, JSON_COMPACT) : NULL;
    json_decref(j);
    out->failed |= !body;
    if (body)
        tc_text_add(out, body);
    tc_free(body);
}

static void sign(const tc_trustee *t, const tc_trustee_post *p, tc_text *out)
{
    const tc_signed what = {.purpose = p->purpose,
                            .study = t->of,
                            .round = p->round,
                            .body = p->text ? p->text : p->bytes,
                            .n_body = p->text ? strlen(p->text) : p->n};
    tc_signature s;
    tc_sign(&t->secret_key, &what, &s);
    tc_base64_add(out, s.bytes, sizeof s.bytes);
}

/* A round that has gone on meanwhile, and a study that is paused, are no failure. */
static tacit_status take_receipt(const tc_trustee_post *p, const tc_answered *r, bool *taken,
                                 tacit_error *err)
{
    char what[64];
    *taken = r->status == 200 || r->status == 202;
    if (*taken || r->status == 409 || r->status == 410)
        return TACIT_OK;
    snprintf(what, sizeof what, "the %s of round %" PRIu64, p->field, p->round);
    return tc_answered_refusal(r, what, err);
}

tacit_status tc_trustee_send(tc_trustee *t, const tc_trustee_post *p, bool *taken, tacit_error *err)
{
    char path[64];
    tc_text body = {0}, signature = {0};
    tc_answered r;
    make_body(p, &body);
    sign(t, p, &signature);
    snprintf(path, sizeof path, "/rounds/%" PRIu64 "/%s", p->round, p->what);
    const tc_call call = {.method = "POST",
                          .path = path,
                          .bearer = t->access,
                          .signature = tc_text_get(&signature),
                          .body = tc_text_get(&body),
                          .n_body = body.len};
    tacit_status status = body.failed || signature.failed ? tc_fail_memory(err)
                                                          : tc_trustee_request(t, &call, &r, err);
    tc_text_fini(&body);
    tc_text_fini(&signature);
    TC_TRY(status);
    status = take_receipt(p, &r, taken, err);
    tc_answered_fini(&r);
    return status;
}

/* ---- what it says ---- */

void tc_trustee_emit(tc_trustee *t, const tacit_trustee_event *e)
{
    tacit_trustee_event whole = *e;
    whole.size = sizeof whole;
    if (e->kind != TACIT_TRUSTEE_WAITS)
        t->waits[0] = '\0';
    if (t->cfg.listen)
        t->cfg.listen(t->cfg.listener, &whole);
}

void tc_trustee_emit_waits(tc_trustee *t, const char *what)
{
    if (strcmp(t->waits, what) == 0)
        return;
    snprintf(t->waits, sizeof t->waits, "%s", what);
    tc_trustee_emit(t, &(tacit_trustee_event){.kind = TACIT_TRUSTEE_WAITS, .text = what});
}

/* ---- opening ---- */

static tacit_status request(void *user, const tc_call *call, tc_answered *out, tacit_error *err)
{
    return tc_trustee_request(user, call, out, err);
}

/* Releases of a study that is no test would not say that this noise is known. */
static tacit_status check_secrecy(const tc_trustee *t, const tc_offer *o, tacit_error *err)
{
    if (!t->cfg.seeded || o->not_private)
        return TACIT_OK;
    return tc_fail(
        err, TACIT_E_STATE,
        "study \"%s\" is no test: secrets and noise of its trustees must not come from a "
        "seed",
        t->name);
}

static tacit_status make_plan(tc_trustee *t, tacit_error *err)
{
    const tc_asker who = {request, t, t->name};
    tc_offer o;
    tacit_error why = {0};
    const char *token = *t->access ? t->access : t->cfg.join_token;
    tacit_status status = tc_offer_get(&who, token, &o, &why);
    if (status == TACIT_E_NOT_FOUND && *t->access && t->cfg.join_token) {
        t->forgotten = true;
        t->access[0] =
            '\0'; /* forgotten by a coordinator that was restored: to be enrolled again */
        status = tc_offer_get(&who, t->cfg.join_token, &o, &why);
    }
    if (status == TACIT_E_NOT_FOUND)
        return tc_fail(err, TACIT_E_STATE, "%s", why.msg);
    TC_TRY(tc_pass_on(err, status, &why));
    status = check_secrecy(t, &o, err);
    if (status == TACIT_OK)
        status = tc_offer_plan(&o, &t->plan, err);
    tc_offer_fini(&o);
    return status;
}

static tacit_status check_plan(tc_trustee *t, tacit_error *err)
{
    const tc_study_doc *d = t->plan->doc;
    if (strcmp(d->name, t->cfg.study) != 0)
        return tc_fail(err, TACIT_E_STATE,
                       "study \"%s\" was asked for, and the coordinator describes \"%s\"",
                       t->cfg.study, d->name);
    if (t->plan->env.trustees.count == 0)
        return tc_fail(err, TACIT_E_STATE,
                       "study \"%s\" has no trustees: its coordinator adds up the messages",
                       d->name);
    if (t->has_key && !tc_ledger_hash_same(&t->of, &t->plan->hash))
        return tc_fail(err, TACIT_E_STATE,
                       "the storage is a trustee's of another study \"%s\": this one needs a "
                       "storage of its own",
                       d->name);
    return tc_trust_rounds_of(t->plan, &t->rounds, err);
}

static tacit_status count_one(void *user, const tc_record *r, tacit_error *err)
{
    (void)r;
    (void)err;
    ++*(uint64_t *)user;
    return TACIT_OK;
}

/* Backups leave the keys of rounds out. What has none, and has not answered for the last round, was restored from one. */
static tacit_status check_whole(tc_trustee *t, tacit_error *err)
{
    const tc_record_range keys = {.kind = TC_RECORD_ROUND_SECRET,
                                  .prefix = t->of.bytes,
                                  .prefix_size = sizeof t->of.bytes,
                                  .most = 1};
    uint64_t n = 0;
    bool past = false;
    TC_TRY(tc_store_record_scan(t->cfg.store, &keys, count_one, &n, err));
    if (n > 0 || t->ended || t->rounds.n == 0)
        return TACIT_OK;
    TC_TRY(tc_duty_is_past(t, t->rounds.list[t->rounds.n - 1], &past, err));
    if (past)
        return TACIT_OK;
    return tc_fail(err, TACIT_E_STATE,
                   "this storage was restored from a backup, which leaves the keys of rounds out: "
                   "this trustee answers nothing more in study \"%s\", and counts as one of the %u "
                   "that may work with the coordinator",
                   t->name, t->plan->env.trustees.colluding);
}

static tacit_status look(tc_trustee *t, tacit_error *err)
{
    t->name = tc_strdup(t->cfg.study);
    if (!t->name)
        return tc_fail_memory(err);
    if (t->cfg.store)
        TC_TRY(tc_trustee_identity_load(t, err));
    if (!*t->access && !t->cfg.join_token)
        return tc_fail(err, TACIT_E_ARG,
                       "a join token is needed to become a trustee of study \"%s\"", t->name);
    TC_TRY(make_plan(t, err));
    return check_plan(t, err);
}

tacit_status tc_trustee_preview(const tc_trustee_config *cfg, tacit_error *err)
{
    tc_trustee *t = tc_alloc(1, sizeof *t);
    if (!t)
        return tc_fail_memory(err);
    t->cfg = *cfg;
    tacit_status status = look(t, err);
    tc_trustee_close(t);
    return status;
}

static tacit_status start(tc_trustee *t, tacit_error *err)
{
    TC_TRY(look(t, err));
    if (t->has_key)
        TC_TRY(check_whole(t, err));
    return *t->access ? TACIT_OK : tc_trustee_identity_enrol(t, err);
}

tacit_status tc_trustee_open(tc_trustee **out, const tc_trustee_config *cfg, tacit_error *err)
{
    tc_trustee *t = tc_alloc(1, sizeof *t);
    if (!t)
        return tc_fail_memory(err);
    t->cfg = *cfg;
    tacit_status status = start(t, err);
    if (status == TACIT_OK)
        *out = t;
    else
        tc_trustee_close(t);
    return status;
}

void tc_trustee_close(tc_trustee *t)
{
    if (!t)
        return;
    tc_kept_roster_fini(&t->roster);
    tc_trust_rounds_fini(&t->rounds);
    tc_study_plan_free(t->plan);
    tc_free(t->name);
    sodium_memzero(t, sizeof *t);
    tc_free(t);
}

/* ---- */

uint64_t tc_trustee_place(const tc_trustee *t)
{
    return t->place;
}

const char *tc_trustee_roster(const tc_trustee *t)
{
    return t->roster.fingerprint.text;
}

static tacit_status count(tc_trustee *t, tc_record_kind kind, uint64_t *out, tacit_error *err)
{
    const tc_record_range all = {
        .kind = kind, .prefix = t->of.bytes, .prefix_size = sizeof t->of.bytes};
    return tc_store_record_count(t->cfg.store, &all, out, err);
}

tacit_status tc_trustee_count(tc_trustee *t, tc_trustee_done *out, tacit_error *err)
{
    *out = (tc_trustee_done){.rounds = t->rounds.n};
    TC_TRY(count(t, TC_RECORD_DUTY, &out->answered, err));
    return count(t, TC_RECORD_EVIDENCE, &out->conflicts, err);
}
