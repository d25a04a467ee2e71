/* simulated_run.c - a federated study in one process, for tests that hold processes against it.
 *
 *   simulated_run value AGENT X     the objective of an agent: what its trials are told
 *   simulated_run study FILE SEED   runs the study of a document to its end and prints, one a line,
 *                                   "trial AGENT NUMBER X VALUE" and "release ROUND HASH"
 *
 * The same function computes values here and, as the program that agents run, there: bits are the same. */
#include "base/error.h"
#include "base/json.h"
#include "base/memory.h"
#include "base/text.h"
#include "frame/blas_kernel.h"
#include "sim/federation.h"
#include "study/study_plan.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Arithmetic alone: no library decides about its bits. */
static double objective(void *user, uint64_t agent, uint64_t trial, const double *values)
{
    double x = values[0], away = x - 0.05 * (double)agent;
    (void)user;
    (void)trial;
    return x * (1 - x) * (3 - 7 * x) - 0.3 * away * away;
}

static tacit_status print_value(const char *agent, const char *x, tacit_error *err)
{
    unsigned long long number;
    double value;
    char text[32];
    if (!tc_parse_u64(agent, &number) || !tc_parse_double(x, &value))
        return tc_fail(err, TACIT_E_ARG, "AGENT and X must be numbers, got %s and %s", agent, x);
    tc_double_text(text, objective(NULL, number, 0, &value));
    printf("%s\n", text);
    return TACIT_OK;
}

/* ---- a study ---- */

typedef struct run {
    tc_study_plan *plan;
    tc_store *store;
    tc_ledger *ledger;
    tc_federation *federation;
} run;

static tacit_status read_plan(run *r, const char *file, uint64_t seed, tacit_error *err)
{
    tc_study_doc *doc;
    TC_TRY(tc_study_doc_read(&doc, file, err));
    tacit_status status = tc_study_calibrate(doc, err); /* as the coordinator does */
    char *text = status == TACIT_OK ? tc_study_doc_text(doc) : NULL;
    tc_study_doc_free(doc);
    TC_TRY(status);
    tc_study_row row = {
        .document = text, .public_seed = tc_public_seed_from(seed), .created_ms = 1};
    status = text ? tc_study_plan_new(&r->plan, &row, err) : tc_fail_memory(err);
    tc_free(text);
    return status;
}

static tacit_status begin(run *r, uint64_t seed, tacit_error *err)
{
    const tc_study_plan *p = r->plan;
    tc_ledger_io io;
    TC_TRY(tc_store_open(&r->store, "memory:", true, err));
    TC_TRY(tc_store_ledger(r->store, "s", true, &io, err));
    TC_TRY(tc_ledger_open(&r->ledger, "s", &io, err));
    tc_federation_config cfg = {.algorithm = p->doc->algorithm,
                                .options = p->options,
                                .space = p->doc->space,
                                .maximize = p->doc->maximize,
                                .agents = p->env.agents,
                                .trustees = p->env.trustees,
                                .seed = seed,
                                .budget = p->env.budget,
                                .objective = objective,
                                .ledger = r->ledger,
                                .limit = p->limited ? &p->limit : NULL,
                                .study = p->hash};
    return tc_federation_new(&r->federation, &cfg, err);
}

static void print_trials(const run *r)
{
    char x[32], y[32];
    for (uint64_t i = 0; i < r->plan->env.agents; i++) {
        const tc_optimizer *o = tc_federation_agent(r->federation, i);
        for (uint64_t t = 0; t < tc_optimizer_trials(o); t++) {
            tc_double_text(x, tc_optimizer_trial(o, t)->values[0]);
            tc_double_text(y, tc_optimizer_trial(o, t)->value);
            printf("trial %" PRIu64 " %" PRIu64 " %s %s\n", i, t, x, y);
        }
    }
}

static void print_releases(const run *r)
{
    for (uint64_t i = 1; i <= tc_ledger_get_head(r->ledger).seq; i++) {
        const tc_ledger_entry *e = tc_ledger_get(r->ledger, i, NULL);
        printf("release %" PRIu64 " ", e->round);
        for (size_t k = 0; k < sizeof e->release.bytes; k++)
            printf("%02x", e->release.bytes[k]);
        printf("\n");
    }
}

static tacit_status print_study(run *r, const char *file, const char *seed, tacit_error *err)
{
    unsigned long long number;
    if (!tc_parse_u64(seed, &number))
        return tc_fail(err, TACIT_E_ARG, "SEED must be a number, got %s", seed);
    TC_TRY(read_plan(r, file, number, err));
    TC_TRY(begin(r, number, err));
    for (uint64_t t = 0; t < r->plan->env.budget; t++)
        TC_TRY(tc_federation_step(r->federation, err));
    print_trials(r);
    print_releases(r);
    return TACIT_OK;
}

static void end(run *r)
{
    tc_federation_free(r->federation);
    tc_ledger_close(r->ledger);
    tc_store_close(r->store);
    tc_study_plan_free(r->plan);
}

int main(int argc, char **argv)
{
    run r = {0};
    tacit_error err = {0};
    tacit_status status = TACIT_E_ARG;
    (void)tc_choose_blas_kernel(); /* as the program does, whose bits these are */
    if (argc == 4 && strcmp(argv[1], "value") == 0)
        status = print_value(argv[2], argv[3], &err);
    else if (argc == 4 && strcmp(argv[1], "study") == 0)
        status = print_study(&r, argv[2], argv[3], &err);
    else
        (void)tc_fail(&err, TACIT_E_ARG, "usage: simulated_run value AGENT X | study FILE SEED");
    end(&r);
    if (status != TACIT_OK)
        fprintf(stderr, "simulated_run: %s\n", err.msg);
    return status == TACIT_OK ? 0 : 1;
}
