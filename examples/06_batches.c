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

static tacit_status run_trial(tacit_study *s, unsigned *seed, uint64_t *pulls)
{
    tacit_batch batch = {0};
    uint64_t trial;
    double x;
    *pulls = 0;
    tacit_status status = tacit_study_ask_batch(s, 1000000, &trial, &x, pulls);
    for (uint64_t i = 0; status == TACIT_OK && i < *pulls; i++)
        status = tacit_study_add_pull(s, &batch, pull(x, seed));
    return status == TACIT_OK ? tacit_study_tell_batch(s, trial, &batch) : status;
}

int main(void)
{
    tacit_error err = {0};
    tacit_study *s = NULL;
    tacit_status status = tacit_study_create(&s, "memory:", document, &err);
    if (status != TACIT_OK) {
        fprintf(stderr, "%s\n", err.msg);
        return 1;
    }
    unsigned seed = 1;
    double x = 0, mean = 0;
    uint64_t pulls, total = 0, trials = 0;
    for (; status == TACIT_OK && total < 20000; total += pulls)
        status = run_trial(s, &seed, &pulls);
    if (status == TACIT_OK)
        status = tacit_study_best(s, NULL, &x, &mean);
    if (status == TACIT_OK)
        status = tacit_study_trials(s, &trials);
    if (status == TACIT_OK)
        printf("%d pulls in %d trials, best mean %.3f at x = %.3f\n", (int)total, (int)trials, mean,
               x);
    else
        fprintf(stderr, "%s\n", tacit_study_errmsg(s));
    tacit_study_close(s);
    return status != TACIT_OK;
}
