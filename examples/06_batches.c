/* 06_batches.c - a noisy function, pulled 20,000 times: a trial for each point, not for each pull.
 *
 * blin asks for a point and how often it wants it. What is told are sums, so a journal of a
 * billion pulls is as short as one of a thousand. */
#include <tacit/study.h>

#include <math.h>
#include <stdio.h>

static const char document[] =
    "{ \"name\": \"batches\", \"direction\": \"maximize\", \"trials\": 20000, \"seed\": 1,"
    "  \"space\": { \"x\": { \"type\": \"float\", \"low\": 0, \"high\": 1 } },"
    "  \"algorithm\": { \"name\": \"blin\", \"low\": -0.5, \"high\": 1.5 } }";

/* A coin that shows 1 more often the nearer x is to 0.7. */
static double pull(double x, unsigned *seed)
{
    *seed = *seed * 1664525u + 1013904223u;
    return *seed / 4294967296.0 < 1 - fabs(x - 0.7) ? 1 : 0;
}

/* Pulls as often as the study wants, and tells the sums. */
static tacit_status run_trial(tacit_study *s, unsigned *seed, uint64_t *pulls, tacit_error *err)
{
    tacit_ask_opts ask = TACIT_ASK_OPTS;
    tacit_report told = TACIT_REPORT;
    tacit_trials *got;
    ask.pulls = 1000000;
    told.kind = TACIT_REPORT_BATCH;
    tacit_status status = tacit_study_ask_many(s, &ask, &got, err);
    if (status != TACIT_OK)
        return status;
    const tacit_trial *trial = tacit_trials_get(got, 0);
    *pulls = trial->pulls;
    for (uint64_t i = 0; status == TACIT_OK && i < *pulls; i++)
        status = tacit_study_add_pull(s, &told.batch, pull(trial->values[0], seed), err);
    if (status == TACIT_OK)
        status = tacit_study_report(s, trial->number, &told, err);
    tacit_trials_free(got);
    return status;
}

static tacit_status show(tacit_study *s, uint64_t total, tacit_error *err)
{
    tacit_study_summary sum = TACIT_STUDY_SUMMARY;
    tacit_trial *best;
    tacit_status status = tacit_study_summarize(s, &sum, err);
    if (status == TACIT_OK)
        status = tacit_study_best(s, &best, err);
    if (status != TACIT_OK)
        return status;
    printf("%d pulls in %d trials, best mean %.3f at x = %.3f\n", (int)total, (int)sum.complete,
           best->value, best->values[0]);
    tacit_trial_free(best);
    return TACIT_OK;
}

int main(void)
{
    tacit_error err = {0};
    tacit_study *s = NULL;
    unsigned seed = 1;
    uint64_t pulls = 0, total = 0;
    tacit_status status = tacit_study_create(&s, "memory:", document, NULL, &err);
    for (; status == TACIT_OK && total < 20000; total += pulls)
        status = run_trial(s, &seed, &pulls, &err);
    if (status == TACIT_OK)
        status = show(s, total, &err);
    if (status != TACIT_OK)
        fprintf(stderr, "%s\n", err.msg);
    tacit_study_close(s);
    return status != TACIT_OK;
}
