/* demo_truth.c - where records are protected: what a hospital's search reached, without the noise (demo_int.h).
 *
 * A hospital chooses by values that have noise, as everybody must who keeps the promise. What its choices are worth is
 * the error without noise. Only a demonstration may compute that: its patients are generated, and nobody is hurt. */
#include "demo/demo_int.h"

#include "base/memory.h"

#include <tacit/records.h>

/* ---- what was chosen ---- */

static tacit_status complete_trials(tacit_study *s, size_t n, tacit_trials **out, tacit_error *err)
{
    tacit_trial_query q = TACIT_TRIAL_QUERY;
    q.state = TACIT_TRIAL_COMPLETE;
    TC_TRY(tacit_study_trials(s, &q, out, err));
    size_t there = tacit_trials_count(*out);
    if (there == n)
        return TACIT_OK;
    tacit_trials_free(*out);
    return tc_fail(err, TACIT_E_STATE, "a search has %zu values of %zu trials", there, n);
}

tacit_status tc_demo_truth(tacit_study *s, const tc_demo_plan *plan, unsigned k, double *out,
                           tacit_error *err)
{
    const tc_check check = tc_demo_check(plan, k);
    tacit_trials *all;
    tc_patient *records;
    double smallest = 0;
    TC_TRY(complete_trials(s, plan->trials, &all, err));
    tacit_status status = tc_hospital_records(plan->seed, k, check.records, &records, err);
    for (size_t t = 0; status == TACIT_OK && t < plan->trials; t++) {
        const tacit_trial *one = tacit_trials_get(all, t);
        bool better = t == 0 || one->value < smallest;
        smallest = better ? one->value : smallest;
        const tc_settings at = tc_demo_settings(tacit_study_space(s), one->values);
        out[t] = better ? tc_hospital_trial(records, k, &check, &at) : out[t - 1];
    }
    if (status == TACIT_OK)
        tc_free(records);
    tacit_trials_free(all);
    return status;
}

/* ---- the same hospital alone ---- */

/* Its first points are those of the federation, which nobody had told it anything about. */
static tacit_status begin_alike(tacit_study *alone, const tc_demo_journal *j, tacit_error *err)
{
    tacit_trial_query q = TACIT_TRIAL_QUERY;
    tacit_trials *first;
    tacit_status status = TACIT_OK;
    q.state = TACIT_TRIAL_COMPLETE;
    TC_TRY(tacit_study_trials(j->study, &q, &first, err));
    for (size_t i = 0; status == TACIT_OK && i < j->first && i < tacit_trials_count(first); i++)
        status = tacit_study_enqueue(alone, tacit_trials_get(first, i)->values, NULL, err);
    tacit_trials_free(first);
    return status;
}

static tacit_status search(tacit_study *s, const tc_demo_plan *plan, unsigned k,
                           const tc_patient *records, tacit_error *err)
{
    const tc_check check = tc_demo_check(plan, k);
    for (size_t t = 0; t < plan->trials; t++) {
        uint64_t trial;
        double values[3]; /* lr, l2 and hidden, in some order */
        TC_TRY(tacit_study_ask(s, &trial, values, err));
        const tc_settings at = tc_demo_settings(tacit_study_space(s), values);
        TC_TRY(tacit_study_tell(s, trial, tc_hospital_trial(records, k, &check, &at), err));
    }
    return TACIT_OK;
}

/* A study of one party with a ledger of its own: real noise again, as much as in the federation. */
static tacit_status run_alone(tacit_study *s, const tc_demo_plan *plan, const tc_demo_journal *j,
                              double *out, tacit_error *err)
{
    tacit_records_opts mine = TACIT_RECORDS_OPTS;
    tc_patient *records;
    mine.records = tc_demo_check(plan, j->hospital).records;
    TC_TRY(tacit_study_protect(s, &mine, err));
    TC_TRY(begin_alike(s, j, err));
    TC_TRY(tc_hospital_records(plan->seed, j->hospital, mine.records, &records, err));
    tacit_status status = search(s, plan, j->hospital, records, err);
    tc_free(records);
    return status == TACIT_OK ? tc_demo_truth(s, plan, j->hospital, out, err) : status;
}

static tacit_status create_alone(const tc_demo_world *w, const tc_demo_journal *j,
                                 tacit_study **out, tacit_error *err)
{
    char url[320];
    tc_text document = {0};
    snprintf(url, sizeof url, "sqlite:///%s/alone-%u.db", w->folder, j->hospital);
    tacit_status status = tc_demo_document(&w->plan, true, &document, err);
    if (status == TACIT_OK)
        status = tacit_study_create(out, url, tc_text_get(&document), NULL, err);
    tc_text_fini(&document);
    return status;
}

tacit_status tc_demo_truth_alone(const tc_demo_world *w, const tc_demo_journal *j, double *out,
                                 double *noise_sd, tacit_error *err)
{
    tacit_study *s;
    TC_TRY(create_alone(w, j, &s, err));
    tacit_status status = run_alone(s, &w->plan, j, out, err);
    *noise_sd = tacit_study_noise_sd(s);
    tacit_study_close(s);
    return status;
}
