/* 14_records.c - validation records stay protected: every value gets noise before anything else sees it.
 *
 *     cc 14_records.c $(pkg-config --cflags --libs tacit) -lm -o records
 *
 * A party tunes a model by itself and promises epsilon 1 to each of its 1200 validation records, over all 20 evaluations. Study and ledger are
 * in records-example.db: started again, the program finds the study finished, and nothing more can be spent on these records. */
#include <tacit/records.h>
#include <tacit/worker.h>

#include <stdio.h>

static const char document[] =
    "{\"name\": \"ward\", \"direction\": \"minimize\", \"trials\": 20,"
    " \"space\": {\"rate\": {\"type\": \"float\", \"low\": 1e-4, \"high\": 1, \"log\": true}},"
    " \"privacy\": {\"unit\": \"record\", \"epsilon\": 1, \"delta\": 1e-5, \"metric\": \"error\"}}";

/* The share of wrong answers over the validation records: each one counts 0 or 1, so one record moves it by 1/1200. */
static tacit_status error_rate(void *user, uint64_t trial, const double *p, double *value,
                               tacit_error *err)
{
    int wrong = 0;
    (void)user;
    (void)trial;
    (void)err;
    for (int record = 0; record < 1200; record++) {
        double hard = (record * 7919 % 1200) / 1200.0;
        double off = p[0] > 0.02 ? p[0] - 0.02 : 0.02 - p[0];
        wrong += hard < 0.1 + (off > 0.5 ? 0.5 : off);
    }
    *value = wrong / 1200.0;
    return TACIT_OK;
}

static tacit_status tune(tacit_study *study, tacit_error *err)
{
    tacit_records_opts mine = TACIT_RECORDS_OPTS;
    tacit_worker_opts work = TACIT_WORKER_OPTS;
    tacit_trial *best = NULL;
    char *promise = NULL;
    mine.records = 1200;
    work.evaluate = error_rate;
    tacit_status status = tacit_study_protect(study, &mine, err);
    if (status == TACIT_OK)
        status = tacit_study_protection(study, &promise, err);
    if (status == TACIT_OK)
        printf("%s\n\n", promise);
    if (status == TACIT_OK)
        status = tacit_worker_run(study, &work, NULL, err);
    if (status == TACIT_OK)
        status = tacit_study_best(study, &best, err);
    if (status == TACIT_OK)
        printf("rate %.4g, with an error of %.3f and noise of %.3f\n", best->values[0], best->value,
               tacit_study_noise_sd(study));
    tacit_trial_free(best);
    tacit_text_free(promise);
    return status;
}

int main(void)
{
    tacit_error err = {0};
    tacit_study *study = NULL;
    tacit_status status =
        tacit_study_create(&study, "sqlite:///records-example.db", document, NULL, &err);
    if (status == TACIT_OK)
        status = tune(study, &err);
    if (status != TACIT_OK)
        fprintf(stderr, "%s\n", err.msg);
    tacit_study_close(study);
    return status == TACIT_OK ? 0 : 1;
}
