/* demo_journal.c - what a hospital's own storage says (demo_int.h).
 *
 * Read from its journal and its ledger while its agent writes them. The coordinator could not tell:
 * from the vectors that it gets, values can be read up to level and unit only. */
#include "demo/demo_int.h"

#include "base/memory.h"
#include "study/study_plan.h"
#include "wire/event_json.h"

#include <string.h>

/* The document may have its parameters in another order. */
tc_settings tc_demo_settings(const tc_space *space, const double *values)
{
    tc_settings s = {0};
    for (size_t i = 0; i < space->n_params; i++) {
        const char *name = space->params[i].name;
        if (strcmp(name, "lr") == 0)
            s.lr = values[i];
        else if (strcmp(name, "l2") == 0)
            s.l2 = values[i];
        else
            s.hidden = (unsigned)values[i];
    }
    return s;
}

static void take_value(tc_demo_journal *j, double value)
{
    size_t t = j->trials++;
    bool better = t == 0 || value < j->best[t - 1];
    j->best[t] = better ? value : j->best[t - 1];
    if (better)
        j->at = j->asked;
}

/* An agent runs one trial at a time, so a tell is of the ask before it. */
static void take(tc_demo_journal *j, const tc_event *e)
{
    switch (e->kind) {
    case TC_EVENT_ASK:
        j->asked = tc_demo_settings(j->doc->space, e->values);
        break;
    case TC_EVENT_TELL:
        if (e->state == TC_TRIAL_COMPLETE && j->trials < TC_DEMO_TRIALS_MOST)
            take_value(j, e->value);
        break;
    case TC_EVENT_PUBLISH:
        j->messages++;
        j->bytes += e->n_bytes;
        break;
    case TC_EVENT_ABSORB:
        j->broadcasts++;
        break;
    default:
        break;
    }
}

static tacit_status look_at(void *user, const tc_event_row *row, tacit_error *err)
{
    tc_demo_journal *j = user;
    tc_arena scratch = {0};
    tc_event e = {.kind = row->kind, .trial = row->trial, .seq = row->seq};
    tacit_status status = tc_event_decode(j->doc->space, row->body, &scratch, &e, err);
    if (status == TACIT_OK)
        take(j, &e);
    j->seen = row->seq;
    tc_arena_fini(&scratch);
    return status;
}

/* ---- its ledger ---- */

static tacit_status account(tc_demo_journal *j, tc_ledger *l, tacit_error *err)
{
    tc_ledger_claim claim;
    uint64_t n = tc_ledger_get_head(l).seq;
    if (n == j->charged)
        return TACIT_OK;
    TC_TRY(tc_ledger_guarantee(l, TACIT_UNIT_AGENT, NULL, TC_DEMO_DELTA, NULL, &claim, err));
    j->charged = n;
    j->epsilon = claim.bound.epsilon;
    return TACIT_OK;
}

static tacit_status read_ledger(tc_demo_journal *j, tacit_error *err)
{
    tc_ledger_io io;
    tc_ledger *l;
    tacit_error why;
    tacit_status status = tc_store_ledger(j->store, "agent", false, &io, &why);
    if (status == TACIT_E_NOT_FOUND)
        return TACIT_OK;
    if (status != TACIT_OK)
        return tc_fail(err, status, "%s", why.msg);
    TC_TRY(tc_ledger_open(&l, "agent", &io, err));
    status = account(j, l, err);
    tc_ledger_close(l);
    return status;
}

/* ---- */

/* Neither the file nor the study is there before the agent made it, and a file half made looks
 * damaged: then it is not there yet. */
static bool is_there(tc_demo_journal *j)
{
    tacit_error why;
    tc_study_row row;
    if (j->doc)
        return true;
    if (!j->store && tc_store_open(&j->store, j->url, false, &why) != TACIT_OK)
        return false;
    if (tc_store_study_get(j->store, TC_DEMO_STUDY, &row, &why) != TACIT_OK)
        return false;
    j->study = row.id;
    tacit_status status = tc_study_doc_restore(&j->doc, row.document, row.points_csv, &why);
    tc_study_row_fini(&row);
    return status == TACIT_OK;
}

tacit_status tc_demo_journal_read(tc_demo_journal *j, tacit_error *err)
{
    uint64_t messages = j->messages;
    if (!is_there(j))
        return TACIT_OK;
    TC_TRY(tc_store_scan(j->store, j->study, j->seen, look_at, j, err));
    bool paying = j->messages != messages || j->charged < j->messages;
    return paying ? read_ledger(j, err) : TACIT_OK;
}

tacit_status tc_demo_votes(const tc_demo_journal *j, bool *out, tacit_error *err)
{
    tc_study_row row;
    tc_study_plan *plan;
    TC_TRY(tc_store_study_get(j->store, TC_DEMO_STUDY, &row, err));
    tacit_status status = tc_study_plan_new(&plan, &row, err);
    tc_study_row_fini(&row);
    TC_TRY(status);
    *out =
        *tc_study_plan_about(plan, 0) != '\0'; /* rounds that are not all alike begin with a vote */
    tc_study_plan_free(plan);
    return TACIT_OK;
}

void tc_demo_journal_close(tc_demo_journal *j)
{
    tc_store_close(j->store);
    tc_study_doc_free(j->doc);
    j->store = NULL;
    j->doc = NULL;
}
