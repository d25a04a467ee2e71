/* answering.c - a trustee answers for the set of a round: once, whatever happens.
 *
 * The set says which dealings are to be added up. It is checked, each box is opened with the key that its sender has on the
 * roster, and the shares are added, by the agents' groups. Then, in one set of changes, the answer is kept and the
 * secret of the round's key goes; the answer leaves after that. So nobody can have two sets of one round answered, the
 * difference of which would be one agent's share; and from then on nobody can open the boxes of the round again.
 *
 * What breaks a rule is refused with a sentence that has no share in it. A refusal binds nobody: another, correct set for a round
 * that was not answered is answered. */
#include "trustee/trustee_int.h"

#include "base/error.h"
#include "base/json.h"
#include "base/memory.h"
#include "wire/trust_answer.h"
#include "wire/trust_set.h"

#include <inttypes.h>
#include <sodium.h>
#include <stdio.h>
#include <string.h>

/* ---- rounds that were answered: hash of the set, bytes of the set, answer ---- */

typedef struct duty_head {
    tacit_hash set;
    uint64_t n_set;
} duty_head;

static tc_record record_of(const tc_round_key *k)
{
    return (tc_record){.kind = TC_RECORD_DUTY, .key = k->bytes, .key_size = sizeof k->bytes};
}

void tc_duty_fini(tc_duty *d)
{
    tc_free(d->answer);
    *d = (tc_duty){.answered = false};
}

tacit_status tc_duty_find(tc_trustee *t, uint64_t round, tc_duty *out, tacit_error *err)
{
    const tc_round_key k = tc_round_key_of(&t->of, round);
    const tc_record w = record_of(&k);
    tc_record got;
    duty_head head;
    *out = (tc_duty){.answered = false};
    TC_TRY(tc_store_record_find(t->cfg.store, &w, &got, err));
    if (got.version == 0)
        return TACIT_OK;
    uint8_t *bytes = (uint8_t *)got.value;
    bool whole = got.size >= sizeof head;
    if (whole)
        memcpy(&head, bytes, sizeof head);
    whole = whole && head.n_set <= got.size - sizeof head;
    if (!whole) {
        tc_free(bytes);
        return tc_fail(err, TACIT_E_CORRUPT, "the storage is damaged: a trustee's answer");
    }
    out->n = got.size - sizeof head - head.n_set;
    memmove(bytes, bytes + sizeof head + head.n_set, out->n);
    *out = (tc_duty){true, head.set, bytes, out->n};
    return TACIT_OK;
}

static tacit_status note_any(void *user, const tc_record *r, tacit_error *err)
{
    (void)r, (void)err;
    *(bool *)user = true;
    return TACIT_OK;
}

/* One record at most: each has a whole set in it. */
tacit_status tc_duty_is_past(tc_trustee *t, uint64_t round, bool *out, tacit_error *err)
{
    tc_record_range from = {.kind = TC_RECORD_DUTY,
                            .prefix = t->of.bytes,
                            .prefix_size = sizeof t->of.bytes,
                            .most = 1};
    tc_round_key before;
    *out = false;
    if (round > 0) {
        before = tc_round_key_of(&t->of, round - 1);
        from.after = before.bytes;
        from.after_size = sizeof before.bytes;
    }
    return tc_store_record_scan(t->cfg.store, &from, note_any, out, err);
}

static void add_duty(tc_text *out, const tc_trust_set *set, const tacit_hash *hash)
{
    const duty_head head = {.set = *hash, .n_set = set->n_bytes};
    tc_text_add_bytes(out, &head, sizeof head);
    tc_text_add_bytes(out, set->bytes, set->n_bytes);
}

/* ---- refusing ---- */

tacit_status tc_trustee_refuse(tc_trustee *t, uint64_t round, const tacit_error *why,
                               tacit_trustee_event_kind kind, tacit_error *err)
{
    enum { SENTENCE_MOST = 400 };
    char sentence[SENTENCE_MOST + 1];
    bool taken;
    snprintf(sentence, sizeof sentence, "%.*s", SENTENCE_MOST, why->msg);
    if (t->said && t->said_round == round)
        return TACIT_OK;
    tc_trustee_emit(t, &(tacit_trustee_event){.kind = kind, .round = round, .text = sentence});
    const tc_trustee_post post = {.round = round,
                                  .what = "answers",
                                  .field = "refusal",
                                  .purpose = TC_SIGN_REFUSAL,
                                  .text = sentence};
    TC_TRY(tc_trustee_send(t, &post, &taken, err));
    t->said = true;
    t->said_round = round;
    return TACIT_OK;
}

/* Another set for a round that was answered is evidence: of a coordinator that lies, or that was restored from a backup. The first ones
 * are enough: who makes up sets would otherwise fill this trustee's disk with them. */
static tacit_status keep_evidence(tc_trustee *t, const tc_trust_set *set, const tacit_hash *hash,
                                  tacit_error *err)
{
    enum { TELLS_APART = 16, EVIDENCE_MOST = 16 };
    uint8_t key[sizeof(tc_round_key) + TELLS_APART];
    const tc_round_key k = tc_round_key_of(&t->of, set->round);
    const tc_record_range all = {
        .kind = TC_RECORD_EVIDENCE, .prefix = t->of.bytes, .prefix_size = sizeof t->of.bytes};
    tc_text value = {0};
    tc_record got;
    uint64_t n;
    memcpy(key, k.bytes, sizeof k.bytes);
    memcpy(key + sizeof k.bytes, hash->bytes, TELLS_APART);
    const tc_record w = {.kind = TC_RECORD_EVIDENCE, .key = key, .key_size = sizeof key};
    TC_TRY(tc_store_record_find(t->cfg.store, &w, &got, err));
    tc_free((void *)got.value);
    TC_TRY(tc_store_record_count(t->cfg.store, &all, &n, err));
    if (got.version > 0 || n >= EVIDENCE_MOST)
        return TACIT_OK;
    add_duty(&value, set, hash);
    tacit_status status =
        value.failed ? tc_fail_memory(err)
                     : tc_store_record_keep(t->cfg.store, &w, 0, value.data, value.len, err);
    tc_text_fini(&value);
    return status;
}

/* ---- the pages of boxes ---- */

enum { OTHERS_MOST = 8 }; /* of agents and trustees that a sentence names beside the first */

/* What a set asks for, while it is added up. */
typedef struct adding {
    tc_trustee *t;
    const tc_trust_set *set;
    tc_shared_plan plan;
    tc_box_secret secret;
    uint64_t *sums; /* groups x width */
    size_t done;    /* boxes that were looked at: agents first, then dealers */
    uint8_t *share;
    size_t bad;                    /* of these: boxes that are none; then nothing leaves */
    tacit_error first;             /* what is wrong with the first of them */
    char others[OTHERS_MOST * 24]; /* whose the others are */
} adding;

static void adding_fini(adding *a)
{
    const size_t n = a->plan.groups * a->plan.width;
    sodium_memzero(&a->secret, sizeof a->secret);
    if (a->sums)
        sodium_memzero(a->sums, n * sizeof *a->sums);
    if (a->share)
        sodium_memzero(a->share, n * sizeof(uint64_t) + TC_SHARE_SEED);
    tc_free(a->sums);
    tc_free(a->share);
}

static bool is_agent(const adding *a)
{
    return a->done < a->set->agents;
}

static size_t words_of(const adding *a)
{
    return is_agent(a) ? a->plan.width : a->plan.groups * a->plan.width;
}

/* E_ARG: what is wrong with the next box. */
static tacit_status open_next(adding *a, const uint8_t *box, size_t n, tacit_error *err)
{
    const tc_trustee *t = a->t;
    const bool agent = is_agent(a);
    const size_t i = agent ? a->done : a->done - a->set->agents, words = words_of(a);
    const tc_dealer_kind kind = agent ? TC_DEALER_AGENT : TC_DEALER_TRUSTEE;
    const tc_dealing_head head = tc_trust_set_head(a->set, kind, i, (uint32_t)words);
    const tc_public_key sender =
        agent ? tc_trust_roster_agent(&t->roster.view, head.number)
              : tc_trust_roster_trustee(&t->roster.view, (uint32_t)head.number);
    const size_t group = agent ? head.number % a->plan.groups : 0;
    TC_TRY(tc_dealing_open(&a->plan.trustees, &t->roster.hash, &head, &sender, (uint32_t)t->place,
                           &a->secret, box, n, a->share, err));
    tacit_status status = tc_share_add(&a->plan.trustees, (uint32_t)t->place, a->share, words,
                                       a->sums + group * a->plan.width, err);
    if (status == TACIT_E_ARG)
        return tc_fail_in(err, "the share of %s %" PRIu64, agent ? "agent" : "trustee",
                          head.number);
    return status;
}

/* All of them are named, and not the first alone: for an operator who ends the access of those who sent them. */
static void note_bad(adding *a, const tacit_error *why)
{
    const bool agent = is_agent(a);
    const size_t i = agent ? a->done : a->done - a->set->agents, n = strlen(a->others);
    const tc_set_entry e = agent ? tc_trust_set_agent(a->set, i) : tc_trust_set_dealer(a->set, i);
    if (a->bad == 0)
        a->first = *why;
    else if (a->bad <= OTHERS_MOST)
        snprintf(a->others + n, sizeof a->others - n, "%s%s %" PRIu64, n > 0 ? ", " : "",
                 agent ? "agent" : "trustee", e.number);
    a->bad++;
}

/* E_ARG: some are bad, and nothing leaves of what was added up. */
static tacit_status check_bad(const adding *a, tacit_error *err)
{
    if (a->bad == 0)
        return TACIT_OK;
    if (a->bad == 1)
        return tc_fail(err, TACIT_E_ARG, "%s", a->first.msg);
    return tc_fail(err, TACIT_E_ARG, "%.200s; nor can boxes of %zu more be added up: %s%s",
                   a->first.msg, a->bad - 1, a->others, a->bad - 1 > OTHERS_MOST ? ", ..." : "");
}

static tacit_status open_boxes(adding *a, const uint8_t *bytes, size_t n, tacit_error *err)
{
    const size_t all = a->set->agents + a->set->dealers;
    while (n > 0) {
        const size_t size = a->done < all ? tc_dealing_box_size(&a->plan.trustees,
                                                                (uint32_t)a->t->place, words_of(a))
                                          : SIZE_MAX;
        if (size > n)
            return tc_fail(err, TACIT_E_ARG,
                           "the boxes are not those of the set: %zu bytes are left "
                           "over after %zu of %zu boxes",
                           n, a->done, all);
        tacit_error why = {0};
        const tacit_status status = open_next(a, bytes, size, &why);
        if (status == TACIT_E_ARG)
            note_bad(a, &why);
        else
            TC_TRY(tc_pass_on(err, status, &why));
        a->done++;
        bytes += size;
        n -= size;
    }
    return TACIT_OK;
}

/* *next: after= of the next page; *more false: this was the last. */
static tacit_status take_page(adding *a, const tc_answered *r, bool *more, tacit_error *err)
{
    const char *text = json_string_value(json_object_get(r->body, "boxes"));
    const size_t before = a->done;
    uint8_t *bytes;
    size_t n;
    int64_t next;
    if (!text)
        return tc_answered_strange("shares without boxes", err);
    TC_TRY(tc_answered_release(text, &bytes, &n, err));
    tacit_status status = open_boxes(a, bytes, n, err);
    tc_free(bytes);
    TC_TRY(status);
    *more = tc_json_whole(json_object_get(r->body, "next"), &next);
    if (*more && (a->done == before || (uint64_t)next != a->done))
        return tc_answered_strange("a page of shares that does not say where the next one begins",
                                   err);
    return TACIT_OK;
}

static tacit_status ask_page(tc_trustee *t, uint64_t round, size_t after, long wait_s,
                             tc_answered *out, tacit_error *err)
{
    char path[96];
    snprintf(path, sizeof path, "/rounds/%" PRIu64 "/shares?wait=%ld&after=%zu", round, wait_s,
             after);
    const tc_call call = {
        .method = "GET", .path = path, .bearer = t->access, .timeout_s = 60, .wait_s = wait_s};
    return tc_trustee_request(t, &call, out, err);
}

/* first: the page that came with the set. */
static tacit_status add_up(adding *a, const tc_answered *first, tacit_error *err)
{
    bool more;
    TC_TRY(take_page(a, first, &more, err));
    while (more) {
        tc_answered r;
        TC_TRY(ask_page(a->t, a->set->round, a->done, 0, &r, err));
        tacit_status status = r.status == 200
                                  ? take_page(a, &r, &more, err)
                                  : tc_answered_refusal(&r, "the next page of shares", err);
        tc_answered_fini(&r);
        TC_TRY(status);
    }
    const size_t all = a->set->agents + a->set->dealers;
    return a->done == all
               ? check_bad(a, err)
               : tc_fail(err, TACIT_E_ARG, "%zu of the %zu boxes of the set are withheld",
                         all - a->done, all);
}

/* ---- the answer ---- */

/* Once: the answer is kept and the secret of the round goes, or neither. Then those of earlier rounds, and what the store's files
 * have of them. */
static tacit_status keep_answer(adding *a, const tacit_hash *hash, const uint8_t *answer, size_t n,
                                tacit_error *err)
{
    tc_trustee *t = a->t;
    const tc_round_key k = tc_round_key_of(&t->of, a->set->round);
    tc_text value = {0};
    add_duty(&value, a->set, hash);
    tc_text_add_bytes(&value, answer, n);
    tc_change c[2] = {{.what = TC_INSERT, .record = record_of(&k)},
                      {.what = TC_ERASE, .record = record_of(&k)}};
    c[0].record.value = value.data;
    c[0].record.size = value.len;
    c[1].record.kind = TC_RECORD_ROUND_SECRET;
    c[1].record.version = 1;
    tacit_status status =
        value.failed ? tc_fail_memory(err) : tc_store_change(t->cfg.store, c, 2, NULL, err);
    tc_text_fini(&value);
    return status;
}

static tacit_status make_answer(adding *a, const tacit_hash *hash, tc_duty *out, tacit_error *err)
{
    const size_t words = a->plan.groups * a->plan.width;
    const tc_trust_answer head = {.epoch = a->set->epoch,
                                  .round = a->set->round,
                                  .trustee = (uint32_t)a->t->place,
                                  .set = *hash,
                                  .words = (uint32_t)words};
    const size_t n = tc_trust_answer_size(words);
    uint8_t *bytes = tc_alloc(n, 1);
    if (!bytes)
        return tc_fail_memory(err);
    tc_trust_answer_write(&head, a->sums, bytes);
    tacit_status status = keep_answer(a, hash, bytes, n, err);
    if (status == TACIT_OK)
        *out = (tc_duty){true, *hash, bytes, n};
    else
        tc_free(bytes);
    return status;
}

static tacit_status prepare(adding *a, tacit_error *err)
{
    const tc_study_plan *p = a->t->plan;
    bool there;
    TC_TRY(p->doc->algorithm->aggregator->shared(&p->env, p->opts, a->set->round, &a->plan, err));
    const size_t n = a->plan.groups * a->plan.width;
    a->sums = tc_alloc(n, sizeof *a->sums);
    a->share = tc_alloc(n * sizeof(uint64_t) + TC_SHARE_SEED, 1);
    if (!a->sums || !a->share)
        return tc_fail_memory(err);
    TC_TRY(tc_trustee_secret(a->t, a->set->round, &a->secret, &there, err));
    return there ? TACIT_OK
                 : tc_fail(err, TACIT_E_ARG,
                           "its key of this round is gone: a later round was answered");
}

/* E_ARG: the set, or one of its boxes, breaks a rule. */
static tacit_status answer_set(tc_trustee *t, uint64_t round, const tc_trust_set *set,
                               const tc_answered *first, tc_duty *out, tacit_error *err)
{
    const tc_set_terms want = {.epoch = t->roster.view.epoch,
                               .round = round,
                               .agents = t->plan->env.agents,
                               .trustees = t->plan->env.trustees};
    const tacit_hash hash = tc_trust_set_hash(set, &t->of);
    adding a = {.t = t, .set = set};
    TC_TRY(tc_trust_set_check(set, &want, err));
    tacit_status status = prepare(&a, err);
    if (status == TACIT_OK)
        status = add_up(&a, first, err);
    if (status == TACIT_OK)
        status = make_answer(&a, &hash, out, err);
    adding_fini(&a);
    return status;
}

/* What was answered before, for the same set; *conflict: it was for another one. */
static tacit_status answer_again(tc_trustee *t, const tc_trust_set *set, tc_duty *duty,
                                 bool *conflict, tacit_error *err)
{
    const tacit_hash hash = tc_trust_set_hash(set, &t->of);
    *conflict = !tc_ledger_hash_same(&hash, &duty->set);
    return *conflict ? keep_evidence(t, set, &hash, err) : TACIT_OK;
}

static tacit_status send_answer(tc_trustee *t, uint64_t round, const tc_trust_set *set,
                                const tc_duty *duty, tc_trustee_next *next, tacit_error *err)
{
    const tc_trustee_post post = {.round = round,
                                  .what = "answers",
                                  .field = "answer",
                                  .purpose = TC_SIGN_ANSWER,
                                  .bytes = duty->answer,
                                  .n = duty->n};
    bool taken;
    /* Before it leaves: what the store's files have of this key, and keys of rounds that are over. */
    TC_TRY(tc_trustee_secrets_drop(t, round, err));
    TC_TRY(tc_trustee_send(t, &post, &taken, err));
    *next = taken ? TC_TRUSTEE_AGAIN : TC_TRUSTEE_WAIT;
    if (taken)
        tc_trustee_emit(t, &(tacit_trustee_event){.kind = TACIT_TRUSTEE_ANSWERED,
                                                  .round = round,
                                                  .agents = set->agents});
    return TACIT_OK;
}

static tacit_status take_set(tc_trustee *t, uint64_t round, const tc_answered *r, uint8_t *bytes,
                             size_t n, tc_trustee_next *next, tacit_error *err)
{
    tc_trust_set set = {.n_bytes = 0};
    tacit_error why = {0};
    tc_duty duty;
    bool conflict = false;
    TC_TRY(tc_duty_find(t, round, &duty, err));
    tacit_status status = tc_trust_set_read(bytes, n, &set, &why);
    if (status == TACIT_OK)
        status = duty.answered ? answer_again(t, &set, &duty, &conflict, &why)
                               : answer_set(t, round, &set, r, &duty, &why);
    if (conflict)
        status =
            tc_fail(&why, TACIT_E_ARG, "it has answered for another set of round %" PRIu64, round);
    *next = TC_TRUSTEE_WAIT;
    if (status == TACIT_E_ARG)
        status = tc_trustee_refuse(t, round, &why,
                                   conflict ? TACIT_TRUSTEE_CONFLICT : TACIT_TRUSTEE_REFUSED, err);
    else if (status != TACIT_OK)
        status = tc_pass_on(err, status, &why);
    else
        status = send_answer(t, round, &set, &duty, next, err);
    tc_duty_fini(&duty);
    return status;
}

static tacit_status take_first(tc_trustee *t, uint64_t round, const tc_answered *r,
                               tc_trustee_next *next, tacit_error *err)
{
    const char *text = json_string_value(json_object_get(r->body, "set"));
    uint8_t *bytes;
    size_t n;
    if (!text)
        return tc_answered_strange("shares without their set", err);
    TC_TRY(tc_answered_release(text, &bytes, &n, err));
    tacit_status status = take_set(t, round, r, bytes, n, next, err);
    tc_free(bytes);
    return status;
}

tacit_status tc_trustee_answer(tc_trustee *t, uint64_t round, long wait_s, tc_trustee_next *next,
                               tacit_error *err)
{
    tc_answered r;
    TC_TRY(ask_page(t, round, 0, wait_s, &r, err));
    *next = TC_TRUSTEE_WAIT;
    tacit_status status = TACIT_OK;
    if (r.status == 200)
        status = take_first(t, round, &r, next, err);
    else if (r.status == 202)
        tc_trustee_emit_waits(t, "the set of the round is not fixed yet");
    else if (r.status != 409 && r.status != 410) /* over meanwhile */
        status = tc_answered_refusal(&r, "the shares of a round", err);
    tc_answered_fini(&r);
    return status;
}
