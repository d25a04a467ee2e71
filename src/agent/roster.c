/* roster.c - see roster.h. */
#include "agent/roster.h"

#include "base/error.h"
#include "base/json.h"
#include "base/memory.h"
#include "wire/base64.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { BATCH_KEY = 32 };

/* ---- rounds ---- */

void tc_trust_rounds_fini(tc_trust_rounds *r)
{
    tc_free(r->list);
    *r = (tc_trust_rounds){0};
}

tacit_status tc_trust_rounds_of(const tc_study_plan *p, tc_trust_rounds *out, tacit_error *err)
{
    size_t cap = 0;
    tc_trust_rounds r = {0};
    uint64_t round = 0;
    tacit_status status = tc_study_plan_next_round(p, 0, &round, err);
    while (status == TACIT_OK && round != TC_NO_ROUND) {
        if (r.n == TC_ROSTER_MOST_ROUNDS)
            status = tc_fail(err, TACIT_E_ARG,
                             "a study with trustees has at most %d rounds, and \"%s\" has more",
                             TC_ROSTER_MOST_ROUNDS, p->doc->name);
        else if (!tc_grow((void **)&r.list, &cap, r.n + 1, sizeof *r.list))
            status = tc_fail_memory(err);
        if (status != TACIT_OK)
            break;
        r.list[r.n++] = round;
        status = tc_study_plan_next_round(p, round + 1, &round, err);
    }
    if (status == TACIT_OK)
        *out = r;
    else
        tc_trust_rounds_fini(&r);
    return status;
}

uint32_t tc_trust_rounds_find(const tc_trust_rounds *r, uint64_t round)
{
    uint32_t i = 0;
    while (i < r->n && r->list[i] != round)
        i++;
    return i;
}

/* ---- a roster ---- */

void tc_kept_roster_fini(tc_kept_roster *r)
{
    tc_free(r->bytes);
    tc_trust_rounds_fini(&r->rounds);
    *r = (tc_kept_roster){0};
}

static size_t batch_size(const tc_trust_roster *v)
{
    return (size_t)v->rounds * BATCH_KEY;
}

static const uint8_t *batch_of(const tc_kept_roster *r, uint32_t k)
{
    return r->bytes + r->view.n_bytes + k * batch_size(&r->view);
}

void tc_kept_roster_keys(const tc_kept_roster *r, uint64_t round, tc_box_key *out)
{
    const uint32_t at = tc_trust_rounds_find(&r->rounds, round);
    for (uint32_t k = 0; k < r->view.trustees; k++)
        out[k] = tc_trust_batch_key(batch_of(r, k), at);
}

/* Takes the bytes: roster and batches, n_roster of them the roster. */
static tacit_status check_bytes(const tc_kept_roster_party *p, tc_kept_roster *r, size_t n_roster,
                                tacit_error *err)
{
    const tc_roster_terms want = {.study = p->plan->hash,
                                  .agents = p->plan->env.agents,
                                  .trustees = p->plan->env.trustees.count,
                                  .rounds = r->rounds.n};
    TC_TRY(tc_trust_roster_read(r->bytes, n_roster, &r->view, err));
    TC_TRY(tc_trust_roster_check(&r->view, &want, err));
    TC_TRY(tc_trust_roster_own(&r->view, p->kind, p->number, &p->key, err));
    if (r->n - n_roster != want.trustees * batch_size(&r->view))
        return tc_fail(err, TACIT_E_ARG, "the round keys that come with it are not complete");
    for (uint32_t k = 0; k < want.trustees; k++)
        TC_TRY(tc_trust_roster_batch(&r->view, k, batch_of(r, k), batch_size(&r->view), err));
    r->fingerprint = tc_trust_roster_fingerprint(r->bytes, n_roster);
    r->hash = tc_trust_roster_hash(&r->view);
    return p->pinned ? tc_trust_roster_pinned(&r->fingerprint, p->pinned, err) : TACIT_OK;
}

/* What a check finds wrong is the coordinator's doing. */
static tacit_status check(const tc_kept_roster_party *p, tc_kept_roster *r, size_t n_roster,
                          tacit_error *err)
{
    tacit_error why = {0};
    tacit_status status = check_bytes(p, r, n_roster, &why);
    if (status == TACIT_E_ARG)
        return tc_fail(err, TACIT_E_STATE, "the roster of study \"%s\" is refused: %.400s",
                       p->plan->doc->name, why.msg);
    return tc_pass_on(err, status, &why);
}

/* ---- what is kept ---- */

static tc_record which(const tc_kept_roster_party *p)
{
    return (tc_record){.kind = TC_RECORD_ROSTER,
                       .key = p->plan->hash.bytes,
                       .key_size = sizeof p->plan->hash.bytes};
}

static tacit_status load(const tc_kept_roster_party *p, tc_kept_roster *out, tacit_error *err)
{
    tc_record w = which(p), got;
    TC_TRY(tc_store_record_find(p->store, &w, &got, err));
    if (got.version == 0)
        return TACIT_OK;
    out->bytes = (uint8_t *)got.value;
    out->n = got.size;
    const size_t n_roster = tc_trust_roster_size(p->plan->env.agents, p->plan->env.trustees.count);
    if (n_roster == 0 || n_roster > out->n)
        return tc_fail(err, TACIT_E_CORRUPT, "the storage is damaged: the roster of a study");
    return check(p, out, n_roster, err);
}

static tacit_status has_changed(const tc_kept_roster_party *p, const tc_kept_roster *kept,
                                const tc_kept_roster *found, tacit_error *err)
{
    return tc_fail(err, TACIT_E_STATE,
                   "the roster of study \"%s\" has changed: it was %s, and the coordinator gives "
                   "%s now",
                   p->plan->doc->name, kept->fingerprint.text, found->fingerprint.text);
}

/* ---- what a coordinator says ---- */

static tacit_status add_bytes(const json_t *j, tc_text *out, tacit_error *err)
{
    const char *text = json_string_value(j);
    uint8_t *bytes;
    size_t n;
    if (!text)
        return tc_answered_strange("a roster without its bytes", err);
    TC_TRY(tc_answered_release(text, &bytes, &n, err));
    tc_text_add_bytes(out, bytes, n);
    tc_free(bytes);
    return out->failed ? tc_fail_memory(err) : TACIT_OK;
}

/* {"roster": bytes, "round_keys": [batch of trustee 0, ...]} */
static tacit_status read_answer(const tc_kept_roster_party *p, const tc_answered *a,
                                tc_kept_roster *out, tacit_error *err)
{
    const json_t *batches = json_object_get(a->body, "round_keys");
    tc_text all = {0};
    if (a->status != 200)
        return tc_answered_refusal(a, "the roster", err);
    tacit_status status = add_bytes(json_object_get(a->body, "roster"), &all, err);
    const size_t n_roster = all.len;
    for (size_t k = 0; k < json_array_size(batches) && status == TACIT_OK; k++)
        status = add_bytes(json_array_get(batches, k), &all, err);
    out->n = all.len;
    out->bytes = (uint8_t *)tc_text_take(&all);
    if (status == TACIT_OK && !out->bytes)
        status = tc_fail_memory(err);
    return status == TACIT_OK ? check(p, out, n_roster, err) : status;
}

static tacit_status ask(const tc_kept_roster_party *p, tc_answered *out, tacit_error *err)
{
    char path[64];
    snprintf(path, sizeof path, "/roster?wait=%ld", p->wait_s);
    const tc_call call = {
        .method = "GET", .path = path, .bearer = p->token, .timeout_s = 30, .wait_s = p->wait_s};
    return p->who.request(p->who.user, &call, out, err);
}

/* The first one is kept, and another one is none. */
static tacit_status keep_or_compare(const tc_kept_roster_party *p, tc_kept_roster *kept,
                                    tc_kept_roster *found, tacit_error *err)
{
    tc_record w = which(p);
    if (tc_kept_roster_is_there(kept) &&
        strcmp(kept->fingerprint.text, found->fingerprint.text) != 0)
        return has_changed(p, kept, found, err);
    if (tc_kept_roster_is_there(kept))
        return TACIT_OK;
    TC_TRY(tc_store_record_keep(p->store, &w, 0, found->bytes, found->n, err));
    tc_kept_roster_fini(kept); /* it has the study's rounds */
    *kept = *found;
    *found = (tc_kept_roster){0};
    return TACIT_OK;
}

static tacit_status get(const tc_kept_roster_party *p, tc_kept_roster *kept, tacit_error *err)
{
    tc_kept_roster found = {0};
    tc_answered r;
    TC_TRY(tc_trust_rounds_of(p->plan, &kept->rounds, err));
    TC_TRY(load(p, kept, err));
    TC_TRY(ask(p, &r, err));
    tacit_status status = TACIT_OK;
    if (r.status != 202) { /* it is fixed: 202 where agents or trustees have not enrolled yet */
        status = tc_trust_rounds_of(p->plan, &found.rounds, err);
        if (status == TACIT_OK)
            status = read_answer(p, &r, &found, err);
        if (status == TACIT_OK)
            status = keep_or_compare(p, kept, &found, err);
        tc_kept_roster_fini(&found);
    }
    tc_answered_fini(&r);
    return status;
}

tacit_status tc_kept_roster_get(const tc_kept_roster_party *p, tc_kept_roster *out,
                                tacit_error *err)
{
    tc_kept_roster kept = {0};
    tacit_status status = get(p, &kept, err);
    if (status == TACIT_OK && tc_kept_roster_is_there(&kept))
        *out = kept;
    else
        tc_kept_roster_fini(&kept);
    return status;
}
