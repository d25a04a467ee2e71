/* shared_open.c - the release of a round from the answers of its trustees.
 *
 * Nothing of what is opened is kept but the release that the ledger takes. A trustee whose sums do not fit those of the others
 * is named where answers are left over to tell: in the log, and in the operator's list, once for a round. */
#include "coord/coord_int.h"
#include "coord/shared_round.h"

#include "base/error.h"
#include "base/json.h"
#include "base/log.h"
#include "base/memory.h"
#include "wire/trust_answer.h"

#include <inttypes.h>
#include <string.h>

enum { ATTEMPTS = 32 };

/* ---- those that were wrong ---- */

/* Once for a round: the receipt says whether it was counted. */
static tacit_status try_note(tc_coord *c, const tc_open_study *d, uint64_t round, uint32_t place,
                             tacit_error *err)
{
    tc_key key = tc_key_numbers(round, place);
    tc_changes changes = {.n = 0};
    tc_trustee_row t;
    json_t *j;
    uint64_t version;
    TC_TRY(tc_record_read(c->cfg.store, d->id, TC_RECORD_TRUSTEE_RECEIPT, &key, &j, &version, err));
    bool noted = !j || json_is_true(json_object_get(j, "wrong"));
    tacit_status status = noted ? TACIT_OK : tc_trustee_get(c, d->id, place, &t, err);
    if (noted || status != TACIT_OK || json_object_set_new(j, "wrong", json_true()) != 0) {
        json_decref(j);
        return noted || status != TACIT_OK ? status : tc_fail_memory(err);
    }
    t.wrong++;
    tc_changes_add(&changes, TC_REPLACE, d->id, TC_RECORD_TRUSTEE_RECEIPT, &key, version, j);
    tc_trustee_change(&changes, d->id, place, &t);
    return tc_changes_end(c->cfg.store, &changes, TACIT_OK, NULL, err);
}

static tacit_status note_liars(tc_coord *c, const tc_open_study *d, uint64_t round, uint32_t liars,
                               tacit_error *err)
{
    for (uint32_t k = 0; k < TC_TRUSTEES_MOST; k++) {
        tacit_status status = liars >> k & 1 ? TACIT_E_CONFLICT : TACIT_OK;
        if (liars >> k & 1)
            tc_log(TC_LOG_WARN,
                   "study \"%s\", round %" PRIu64 ": the sums of trustee %u do not fit those of "
                   "the others and are left out: it added up wrongly, or was dealt a share that "
                   "is none",
                   d->name, round, (unsigned)k);
        for (int i = 0; status == TACIT_E_CONFLICT && i < ATTEMPTS; i++)
            status = try_note(c, d, round, k, err);
        TC_TRY(status);
    }
    return TACIT_OK;
}

/* ---- answers ---- */

/* words of each trustee, one after the other. */
typedef struct answers {
    const tc_open_study *open;
    uint64_t round;
    tacit_hash set;
    uint32_t words;
    uint64_t *all;
    const uint64_t *of[TC_TRUSTEES_MOST]; /* NULL: it has not answered */
} answers;

static tacit_status take_answer(void *user, const tc_record *r, tacit_error *err)
{
    answers *s = user;
    const uint64_t place = tc_key_at(r->key, 1);
    const tc_trust_answer want = {.epoch = TC_ROSTER_EPOCH,
                                  .round = s->round,
                                  .trustee = (uint32_t)place,
                                  .set = s->set,
                                  .words = s->words};
    tacit_error why;
    if (place >= s->open->plan->env.trustees.count ||
        tc_trust_answer_read(&want, r->value, r->size, s->all + place * s->words, &why) != TACIT_OK)
        return tc_fail(err, TACIT_E_CORRUPT,
                       "the storage is damaged: the answer of trustee %" PRIu64
                       " for round %" PRIu64,
                       place, s->round);
    s->of[place] = s->all + place * s->words;
    return TACIT_OK;
}

static tacit_status read_answers(tc_coord *c, answers *s, tacit_error *err)
{
    tc_key key = tc_key_number(s->round);
    tc_record_range range = {.study = s->open->id,
                             .kind = TC_RECORD_SHARE_SUM,
                             .prefix = key.bytes,
                             .prefix_size = key.n};
    tc_stored_set set;
    TC_TRY(tc_stored_set_get(c, s->open, s->round, &set, err));
    s->set = set.hash;
    tc_stored_set_fini(&set);
    return tc_store_record_scan(c->cfg.store, &range, take_answer, s, err);
}

/* ---- opening ---- */

static tacit_status open_sums(tc_coord *c, answers *s, int64_t *sums, tacit_error *err)
{
    const tc_trustees *t = &s->open->plan->env.trustees;
    const tc_share_opening found = tc_share_open(t, s->of, s->words, sums);
    if (found.finding == TC_SHARE_TOO_FEW || found.finding == TC_SHARE_INCONSISTENT)
        return tc_fail(err, TACIT_E_STATE,
                       "the answers for round %" PRIu64
                       " do not fit together: a trustee or an agent sent wrong shares",
                       s->round);
    if (found.spare == 0)
        tc_log(TC_LOG_INFO,
               "study \"%s\", round %" PRIu64
               ": %u trustees have answered, and no more: nothing is left over to check them with",
               s->open->name, s->round, (unsigned)t->degree + 1);
    return note_liars(c, s->open, s->round,
                      found.finding == TC_SHARE_LIARS ? found.liars : UINT32_C(0), err);
}

tacit_status tc_shared_open(tc_coord *c, tc_open_study *d, uint64_t round, tc_release **out,
                            tacit_error *err)
{
    tc_shared_plan plan;
    TC_TRY(tc_shared_round_plan(d, round, &plan, err));
    const size_t words = plan.groups * plan.width, all = words * plan.trustees.count;
    answers s = {.open = d, .round = round, .words = (uint32_t)words};
    int64_t *sums = tc_alloc(words, sizeof *sums);
    s.all = tc_alloc(all, sizeof *s.all);
    tacit_status status = sums && s.all ? read_answers(c, &s, err) : tc_fail_memory(err);
    if (status == TACIT_OK)
        status = open_sums(c, &s, sums, err);
    if (status == TACIT_OK)
        status = tc_shared_release(&plan, sums, c->cfg.seeded, out, err);
    if (sums)
        explicit_bzero(sums, words * sizeof *sums);
    if (s.all)
        explicit_bzero(s.all, all * sizeof *s.all);
    tc_free(sums);
    tc_free(s.all);
    return status;
}
