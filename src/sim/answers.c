/* answers.c - replies of simulated users, and what they would cost. See answers.h. */
#include "sim/answers.h"

#include "base/error.h"
#include "base/memory.h"
#include "privacy/statement.h"

#include <math.h>
#include <string.h>

static bool has_curator(const tc_algorithm *a)
{
    return a->curator && a->curator->reply;
}

static tacit_status read_options(tc_answers *a, const json_t *options, tacit_error *err)
{
    const tc_algorithm *algorithm = a->algorithm;
    a->opts = tc_alloc(1, algorithm->options_size + 1);
    if (!a->opts)
        return tc_fail_memory(err);
    TC_TRY(tc_options_defaults(algorithm->options, a->opts, err));
    if (!options)
        return TACIT_OK;
    return tc_options_set_json(algorithm->options, a->opts, algorithm->name, options, "name", err);
}

tacit_status tc_answers_init(tc_answers *a, const tc_algorithm *algorithm, const json_t *options,
                             const tc_reply *reply, tacit_error *err)
{
    tc_answers made = {.algorithm = algorithm, .reply = reply};
    if (has_curator(algorithm) && reply)
        return tc_fail(err, TACIT_E_ARG,
                       "%s is told replies by its own options; another reply cannot be given",
                       algorithm->name);
    tacit_status status = has_curator(algorithm) ? read_options(&made, options, err) : TACIT_OK;
    if (status != TACIT_OK) {
        tc_answers_fini(&made);
        return status;
    }
    *a = made;
    return TACIT_OK;
}

void tc_answers_fini(tc_answers *a)
{
    if (a->opts)
        tc_options_fini(a->algorithm->options, a->opts);
    tc_free(a->opts);
    memset(a, 0, sizeof *a);
}

bool tc_answers_perturbed(const tc_answers *a)
{
    return a->opts || a->reply;
}

static tacit_status draw(const tc_answers *a, uint64_t seed, uint64_t trial, double y,
                         tc_release **out, tacit_error *err)
{
    tc_test_noise noise;
    tc_test_noise_init(&noise, seed, trial);
    tc_entropy entropy = tc_entropy_of_test(&noise);
    if (a->reply)
        return tc_reply_release(out, a->reply, y, &entropy, err);
    return a->algorithm->curator->reply(a->opts, y, &entropy, out, err);
}

tacit_status tc_answers_tell(const tc_answers *a, uint64_t seed, uint64_t trial, double *y,
                             tacit_error *err)
{
    tc_release *release = NULL;
    if (!tc_answers_perturbed(a))
        return TACIT_OK;
    TC_TRY(draw(a, seed, trial, *y, &release, err));
    *y = tc_release_value(release, 0);
    tc_release_free(release);
    return TACIT_OK;
}

/* ---- cost ---- */

/* Every reply has the same cost, so that of any one is it; its parameter is epsilon where the
 * mechanism is pure. */
tacit_status tc_answers_cost(const tc_answers *a, tc_answer_cost *out, tacit_error *err)
{
    tc_release *release = NULL;
    if (!tc_answers_perturbed(a))
        return tc_fail(err, TACIT_E_STATE, "nothing is perturbed in this simulation");
    TC_TRY(draw(a, 0, 0, 0, &release, err));
    const tc_release_view *v = tc_release_get(release);
    bool pure = v->event.mechanism == TACIT_DP_LAPLACE || v->event.mechanism == TACIT_DP_PURE;
    *out = (tc_answer_cost){.mechanism = v->mechanism,
                            .epsilon = pure ? v->event.parameter : INFINITY,
                            .sd = v->noise_sd};
    tc_release_free(release);
    return TACIT_OK;
}

void tc_answer_cost_statement(const tc_answer_cost *c, tc_text *out)
{
    char epsilon[32];
    tacit_epsilon_text(epsilon, c->epsilon);
    tc_text_addf(out,
                 "every user: epsilon %s, delta 0 for each reply (%s); m replies of one user cost "
                 "m times as much. ",
                 epsilon, c->mechanism);
    tc_statement_add_scope(out, TACIT_UNIT_USER, TACIT_DP_ALL);
}
