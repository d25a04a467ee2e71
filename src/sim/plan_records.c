/* plan_records.c - --unit record: noise goes into every value, for single records, and nothing else has to be paid.
 * See plan.h and record_noise.h. */
#include "base/error.h"
#include "base/memory.h"
#include "sim/curated.h"
#include "sim/plan.h"

/* -- what is given ------------------------------------------------------------------------- */

/* An option that does not go with it, as given; NULL: none is. */
static const char *stranger(const tc_contest *a)
{
    const tacit_simulation_plan *o = a->o;
    return o->pulls > 0                           ? "pulls"
           : o->past > 0                          ? "past"
           : o->known                             ? "warm"
           : o->reply != TC_PLAN_NO_REPLY         ? "reply"
           : tc_is_modeler(a->algorithm)          ? "algorithm po-gp-ucb"
           : o->trustees > 0                      ? "trustees"
           : a->doc && a->doc->trustees.count > 0 ? "trustees of the document"
           : a->doc && a->doc->epsilon > 0        ? "epsilon of the document"
                                                  : NULL;
}

static tacit_status check_there(const tc_contest *a, tacit_error *err)
{
    const tacit_simulation_plan *o = a->o;
    const char *missing = !o->records       ? "records N: how many validation records agents have"
                          : !o->range       ? "range LOW:HIGH: the bounds of each record's loss"
                          : o->epsilon == 0 ? "epsilon E: what all evaluations may cost together"
                                            : NULL;
    return missing ? tc_fail(err, TACIT_E_ARG, "--unit record needs --%s", missing) : TACIT_OK;
}

tacit_status tc_plan_check_records(const tc_contest *a, tacit_error *err)
{
    const tacit_simulation_plan *o = a->o;
    if (o->unit != TACIT_PLAN_UNIT_RECORD && (o->records || o->range))
        return tc_fail(err, TACIT_E_ARG, "--%s is for --unit record",
                       o->records ? "records" : "range");
    if (o->unit != TACIT_PLAN_UNIT_RECORD)
        return TACIT_OK;
    if (stranger(a))
        return tc_fail(err, TACIT_E_ARG, "--unit record does not go with --%s", stranger(a));
    return check_there(a, err);
}

/* Replies of users are noise of their own; trees take rewards, and count them. */
static tacit_status check_algorithm(const tc_contender *c, tacit_error *err)
{
    const tc_algorithm *a = c->algorithm;
    if (!a->curator && !a->optimizer->batch)
        return TACIT_OK;
    return tc_fail(err, TACIT_E_ARG,
                   "--unit record is for algorithms that are told values, and %s is told %s",
                   a->name, a->curator ? "replies" : "rewards");
}

/* -- options ------------------------------------------------------------------------------- */

tacit_status tc_plan_records_options(tc_contender *c, tacit_error *err)
{
    if (!c->records && !c->open)
        return TACIT_OK;
    TC_TRY(check_algorithm(c, err));
    if (json_number_value(json_object_get(c->given, "noise_multiplier")) > 0)
        return tc_fail(err, TACIT_E_ARG,
                       "--unit record and --set noise_multiplier must not both be given: messages "
                       "are made of values with noise, and get no more");
    return tc_algorithm_free_messages(c->algorithm, c->given, c->given, err);
}

/* -- noise --------------------------------------------------------------------------------- */

tacit_status tc_plan_records_noise(const tc_contest *a, tc_contender *c, bool maximize,
                                   uint64_t evaluations, tacit_error *err)
{
    if (!c->records)
        return TACIT_OK;
    const tc_record_terms terms = {.records = a->o->records,
                                   .range = a->o->range,
                                   .maximize = tc_value_units_maximize(&c->sim.units, maximize),
                                   .epsilon = a->o->epsilon,
                                   .delta = a->o->delta > 0 ? a->o->delta : TC_RECORD_DELTA,
                                   .evaluations = evaluations};
    TC_TRY(tc_record_noise_init(&c->noise, &terms, err));
    c->sim.records = &c->noise;
    return TACIT_OK;
}
