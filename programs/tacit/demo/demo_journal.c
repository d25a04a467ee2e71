/* demo_journal.c - what a hospital's own storage says (demo_int.h).
 *
 * Read from its study, its messages and its ledger while its agent writes them. The coordinator could not tell:
 * from the vectors that it gets, values can be read up to level and unit only. */
#include "demo/demo_int.h"

#include <string.h>

/* The document may have its parameters in another order. */
tc_settings tc_demo_settings(const tacit_space *space, const double *values)
{
    tc_settings s = {0};
    for (size_t i = 0; i < tacit_space_params(space); i++) {
        const char *name = tacit_space_param_name(space, i);
        if (strcmp(name, "lr") == 0)
            s.lr = values[i];
        else if (strcmp(name, "l2") == 0)
            s.l2 = values[i];
        else
            s.hidden = (unsigned)values[i];
    }
    return s;
}

/* Those that were told since. An agent runs one trial at a time. */
static tacit_status read_trials(tc_demo_journal *j, tacit_error *err)
{
    tacit_trial_query q = TACIT_TRIAL_QUERY;
    tacit_trials *told;
    q.state = TACIT_TRIAL_COMPLETE;
    q.first = j->next;
    TC_TRY(tacit_study_trials(j->study, &q, &told, err));
    for (size_t i = 0; i < tacit_trials_count(told) && j->trials < TC_DEMO_TRIALS_MOST; i++) {
        const tacit_trial *one = tacit_trials_get(told, i);
        size_t t = j->trials++;
        bool better = t == 0 || one->value < j->best[t - 1];
        j->best[t] = better ? one->value : j->best[t - 1];
        if (better)
            j->at = tc_demo_settings(tacit_study_space(j->study), one->values);
        j->next = one->number + 1;
    }
    tacit_trials_free(told);
    return TACIT_OK;
}

static tacit_status read_ledger(tc_demo_journal *j, const char *name, tacit_error *err)
{
    const tacit_unit unit = j->records ? TACIT_UNIT_RECORD : TACIT_UNIT_AGENT;
    tacit_spent spent = TACIT_SPENT;
    tacit_ledger *l;
    TC_TRY(tacit_ledger_open(&l, j->url, name, err));
    tacit_status status = tacit_ledger_spent(l, unit, NULL, NULL, TC_DEMO_DELTA, &spent, err);
    j->epsilon = spent.epsilon;
    j->exposed = !spent.is_private;
    tacit_ledger_close(l);
    return status;
}

/* Messages that were sent, what came back, and what they cost. */
static tacit_status read_rounds(tc_demo_journal *j, tacit_error *err)
{
    tacit_traffic *t;
    const tacit_agent_round *r;
    const char *ledger = NULL;
    uint64_t charged = 0;
    TC_TRY(tacit_agent_inspect(&t, j->url, TC_DEMO_STUDY, err));
    j->messages = j->broadcasts = j->bytes = 0;
    for (size_t i = 0; (r = tacit_traffic_get(t, i)); i++) {
        j->messages += r->message != NULL;
        j->bytes += r->trustees > 0 ? r->share_bytes : r->message_size;
        j->broadcasts += r->heard;
        j->trustees = r->trustees;
        j->readers = r->readers;
        j->votes = *r->about != '\0'; /* rounds that are not all alike begin with a vote */
        ledger = r->ledger ? r->ledger : ledger;
        charged += r->ledger != NULL;
    }
    tacit_status status =
        charged != j->charged && !j->records ? read_ledger(j, ledger, err) : TACIT_OK;
    j->charged = charged;
    tacit_traffic_free(t);
    return status;
}

static tacit_status look_at(void *user, const tacit_event *e, tacit_error *err)
{
    tc_demo_journal *j = user;
    (void)err;
    const bool heard = strcmp(e->kind, "absorb") == 0 || strcmp(e->kind, "fetch") == 0;
    j->seen = e->seq;
    j->heard = j->heard || heard;
    j->first += !j->heard && strcmp(e->kind, "ask") == 0;
    j->told = j->told || strcmp(e->kind, "tell") == 0;
    j->sent = j->sent || strcmp(e->kind, "publish") == 0 || heard;
    return TACIT_OK;
}

tacit_status tc_demo_journal_read(tc_demo_journal *j, tacit_error *err)
{
    tacit_error why;
    /* Neither the file nor the study is there before the agent made it, and a file half made looks
     * damaged: then it is not there yet. */
    if (!j->study && tacit_study_open(&j->study, j->url, TC_DEMO_STUDY, NULL, &why) != TACIT_OK)
        return TACIT_OK;
    j->told = false;
    j->sent = j->charged < j->messages; /* a message is paid for after it was made */
    TC_TRY(tacit_study_events(j->study, j->seen, look_at, j, err));
    if (j->told)
        TC_TRY(read_trials(j, err));
    if (j->told &&
        j->records) /* an evaluation is paid for before it runs, a message costs nothing */
        TC_TRY(read_ledger(j, TC_DEMO_LEDGER, err));
    return j->sent ? read_rounds(j, err) : TACIT_OK;
}

void tc_demo_journal_close(tc_demo_journal *j)
{
    tacit_study_close(j->study);
    j->study = NULL;
}
