/* by_program.c - trials evaluated by a program (evaluator.h): the runner behind the table of an evaluator. */
#include "worker/evaluator.h"

#include "base/error.h"
#include "base/memory.h"

typedef struct by_program {
    tc_evaluator base;
    tc_runner *runner;
} by_program;

static tc_runner *runner_of(tc_evaluator *e)
{
    return ((by_program *)e)->runner;
}

static tacit_status start(tc_evaluator *e, uint64_t trial, const double *values, tacit_error *err)
{
    return tc_runner_start(runner_of(e), trial, values, err);
}

static tacit_status wait_for(tc_evaluator *e, int64_t wait_ms, tc_job_result *out, bool *done,
                             tacit_error *err)
{
    return tc_runner_wait(runner_of(e), wait_ms, out, done, err);
}

static void stop(tc_evaluator *e)
{
    tc_runner_stop(runner_of(e), TC_RUNNER_GRACE_MS);
}

static void end(tc_evaluator *e)
{
    tc_runner_free(runner_of(e));
    tc_free(e);
}

static void silence(tc_evaluator *e)
{
    tc_runner_silence(runner_of(e));
}

static void hear_errors(tc_evaluator *e)
{
    tc_runner_hear_errors(runner_of(e));
}

static void set_check(tc_evaluator *e, tc_runner_check check)
{
    tc_runner_set_check(runner_of(e), check);
}

static void set_listener(tc_evaluator *e, tc_runner_listener listener)
{
    tc_runner_set_listener(runner_of(e), listener);
}

_Static_assert((int)TC_JOB_OUTCOMES_MOST == TACIT_OBJECTIVES_MOST + TACIT_CONSTRAINTS_MOST,
               "a job has room for all outcomes");

/* Names live as long as the document. */
static tacit_status name_outcomes(by_program *p, const tacit_document *document, tacit_error *err)
{
    const char *names[TC_JOB_OUTCOMES_MOST];
    size_t n = tacit_document_outcomes(document);
    if (n == 1)
        return TACIT_OK;
    for (size_t i = 0; i < n; i++) {
        tacit_outcome of = TACIT_OUTCOME;
        TC_TRY(tacit_document_outcome(document, i, &of, err));
        names[i] = of.name;
    }
    tc_runner_set_outcomes(p->runner, names, n);
    return TACIT_OK;
}

tacit_status tc_evaluator_program(tc_evaluator **out, const tacit_document *document,
                                  const tacit_worker_opts *opts, bool foreign, tacit_error *err)
{
    by_program *p = tc_alloc(1, sizeof *p);
    if (!p)
        return tc_fail_memory(err);
    p->base = (tc_evaluator){.start = start,
                             .wait = wait_for,
                             .stop = stop,
                             .free = end,
                             .silence = silence,
                             .hear_errors = hear_errors,
                             .set_check = set_check,
                             .set_listener = set_listener};
    tacit_status status = tc_runner_new(&p->runner, tacit_document_space(document), opts->command,
                                        (size_t)opts->jobs, opts->timeout_ms, err);
    if (status == TACIT_OK && foreign && !opts->any_choices)
        status = tc_runner_check_foreign(p->runner, err);
    if (status != TACIT_OK) {
        end(&p->base);
        return status;
    }
    tc_runner_set_variable(p->runner, "TACIT_STUDY", tacit_document_name(document));
    status = name_outcomes(p, document, err);
    if (status != TACIT_OK) {
        end(&p->base);
        return status;
    }
    *out = &p->base;
    return TACIT_OK;
}
