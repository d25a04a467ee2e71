/* siblings.c - the next events of many optimizers of one algorithm: agents of a simulation, whose choices have
 * work in common (tc_optimizer_ops.ask_many). */
#include "algo/optimizer_int.h"

#include "base/error.h"

enum { TOGETHER = 32 }; /* optimizers that are asked in one go */

/* Those whose next event is a trial that the algorithm has to choose. */
typedef struct choosing {
    size_t n;
    tc_optimizer *o[TOGETHER];
    tc_event *out[TOGETHER];
    void *state[TOGETHER];
    uint64_t trial[TOGETHER];
    double *values[TOGETHER];
} choosing;

static void add(choosing *c, tc_optimizer *o, tc_event *out)
{
    c->o[c->n] = o;
    c->out[c->n] = out;
    c->state[c->n] = o->state;
    c->trial[c->n] = o->n_trials;
    c->values[c->n++] = o->values;
}

static tacit_status choose(const choosing *c, const tc_ask_request *req, tacit_error *err)
{
    if (c->n == 0)
        return TACIT_OK;
    TC_TRY(c->o[0]->algorithm->optimizer->ask_many(c->state, c->trial, c->values, c->n, err));
    for (size_t i = 0; i < c->n; i++)
        TC_TRY(tc_next_chosen(c->o[i], req, 1, c->out[i], err));
    return TACIT_OK;
}

/* At most TOGETHER of them. Where one fails before it can be asked, those before it are asked all
 * the same: one of them may fail too, and then it is the first. */
static tacit_status next_some(tc_optimizer *const *o, size_t n, const tc_ask_request *req,
                              tc_event *out, tacit_error *err)
{
    choosing c = {.n = 0};
    tacit_error later;
    tacit_status status = TACIT_OK;
    for (size_t i = 0; i < n && status == TACIT_OK; i++) {
        bool fresh;
        status = tc_next_known(o[i], req, &out[i], &fresh, &later);
        if (status == TACIT_OK && fresh)
            add(&c, o[i], &out[i]);
    }
    TC_TRY(choose(&c, req, err));
    if (status != TACIT_OK && err)
        *err = later;
    return status;
}

static bool have_work_in_common(const tc_optimizer *first, const tc_ask_request *req)
{
    return first->algorithm->optimizer->ask_many && !tc_optimizer_wants_batch(first, req);
}

tacit_status tc_optimizer_next_many(tc_optimizer *const *o, size_t n, const tc_ask_request *req,
                                    tc_event *out, tacit_error *err)
{
    if (n > 0 && !have_work_in_common(o[0], req)) {
        for (size_t i = 0; i < n; i++)
            TC_TRY(tc_optimizer_next(o[i], req, &out[i], err));
        return TACIT_OK;
    }
    for (size_t i = 0; i < n; i += TOGETHER)
        TC_TRY(next_some(o + i, n - i < TOGETHER ? n - i : TOGETHER, req, out + i, err));
    return TACIT_OK;
}
