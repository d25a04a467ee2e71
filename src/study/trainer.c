/* trainer.c - see trainer.h. */
#include "study/trainer.h"

#include "base/error.h"
#include "base/json.h"
#include "privacy/dp_report.h"
#include "privacy/statement.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define MOST_EVENTS UINT64_C(1000000000000000) /* as dp_event.c has it */

/* ---- what is declared ---- */

static tacit_status check_cap(const tc_trainer *t, tacit_error *err)
{
    for (size_t i = 0; i < t->n; i++)
        if (t->cap[i].mechanism == TACIT_DP_NONPRIVATE)
            return tc_fail(err, TACIT_E_ARG,
                           "trainer must be private, and NonPrivate is among its events");
    if (t->n > 0)
        return TACIT_OK;
    return tc_fail(err, TACIT_E_ARG,
                   "trainer costs nothing: where models see no protected record, declare none");
}

tacit_status tc_trainer_parse(tc_trainer *out, const char *json, tacit_error *err)
{
    tc_trainer t = {.n = 0};
    json_t *j = NULL;
    if (json) {
        TC_TRY(tc_json_parse(json, strlen(json), "trainer", &j, err));
        tacit_status status = tc_dp_report_parse(j, t.cap, TC_RECORD_EVENTS, &t.n, err);
        json_decref(j);
        if (status != TACIT_OK)
            return tc_fail_in(err, "trainer");
        TC_TRY(check_cap(&t, err));
    }
    *out = t;
    return TACIT_OK;
}

/* ---- what it costs ---- */

static tacit_status times(tacit_dp_event *e, uint64_t n, tacit_error *err)
{
    if (n > 0 && e->count > MOST_EVENTS / n)
        return tc_fail(err, TACIT_E_ARG,
                       "trainer has %" PRIu64 " events in each of %" PRIu64
                       " trials, which must be at most 1e15 together",
                       e->count, n);
    e->count *= n;
    return TACIT_OK;
}

tacit_status tc_trainer_plan_of(const tc_trainer *t, const tc_value_plan *v, uint64_t values,
                                const uint64_t *trained, tc_trainer_plan *out, tacit_error *err)
{
    tc_value_scale scale;
    tc_trainer_plan p = {.n = 0};
    if (t->n > 0 && v->per_person > 1)
        return tc_fail(err, TACIT_E_ARG,
                       "trainer and per_person %" PRIu64
                       " do not go together: what a trainer costs several records of one person is "
                       "not proved here",
                       v->per_person);
    TC_TRY(tc_value_plan_scale(v, &scale, err));
    p.distance = (double)values * scale.distance;
    p.events[p.n] = scale.event;
    p.events[p.n++].count = values;
    for (size_t i = 0; i < t->n; i++, p.n++) {
        p.events[p.n] = tc_dp_event_replaced(&t->cap[i]);
        TC_TRY(times(&p.events[p.n], trained ? trained[i] : values, err));
    }
    *out = p;
    return TACIT_OK;
}

tacit_status tc_trainer_check_limit(const tc_trainer *t, const tc_study_doc *doc,
                                    const tc_trainer_plan *all, double epsilon, double delta,
                                    tacit_error *err)
{
    tacit_guarantee g;
    char total[32], own[32];
    double at = epsilon > 0 ? delta : doc->delta;
    if (t->n == 0)
        return TACIT_OK;
    TC_TRY(tc_ledger_cost(&tc_accountant_pld, all->events, all->n, all->distance, at, &g, err));
    tacit_epsilon_text(total, g.epsilon);
    tacit_epsilon_text(own, epsilon > 0 ? epsilon : doc->epsilon);
    if (epsilon > 0 && g.epsilon > epsilon)
        return tc_fail(err, TACIT_E_BUDGET,
                       "study \"%s\" with its trainer costs every record epsilon %s at delta %g "
                       "over %" PRIu64 " trials, and the ledger may spend epsilon %s",
                       doc->name, total, at, doc->trials, own);
    if (epsilon > 0)
        return TACIT_OK;
    return tc_fail(err, TACIT_E_ARG,
                   "study \"%s\" promises epsilon %s for its values, and with this trainer costs "
                   "every record epsilon %s at delta %g over %" PRIu64
                   " trials: give the ledger a limit for all of it (epsilon and delta)",
                   doc->name, own, total, at, doc->trials);
}

/* ---- what is reported ---- */

bool tc_trainer_accepts(const tc_trainer *t, const json_t *said, char *reason, size_t size)
{
    tacit_dp_event done[TC_RECORD_EVENTS];
    size_t n = 0;
    tacit_error err = {0};
    const json_t *event = said ? json_object_get(said, "dp_event") : NULL;
    if (t->n == 0)
        return true;
    if (!event) {
        snprintf(reason, size, "no \"dp_event\" on the last line, and a trainer was declared");
        return false;
    }
    tacit_status status = tc_dp_report_parse(event, done, TC_RECORD_EVENTS, &n, &err);
    if (status == TACIT_OK)
        status = tc_dp_report_within(done, n, t->cap, t->n, &err);
    if (status != TACIT_OK)
        snprintf(reason, size, "%s", err.msg);
    return status == TACIT_OK;
}
