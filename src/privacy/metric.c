/* metric.c - see metric.h.
 *
 * AUC: let P have p positive and N have q negative records, and let r be the AUC without the record that is replaced.
 * Within its class the record is one of p (or q) terms of a mean: 1/p. From positive to negative it takes
 * at most (1 - r)/p and then r/(q + 1), or adds r/p and then (1 - r)/(q + 1): a weighted mean of 1/p and 1/(q + 1).
 * With at least m of either class in both neighbours that is 1/m at most. */
#include "privacy/metric.h"

#include "base/error.h"
#include "base/text.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

static const tc_metric metrics[] = {
    {"mean", TC_METRIC_MEAN, true, 0, "a mean of losses, each clipped to range"},
    {"error", TC_METRIC_MEAN, false, 1, "the share of records that are classified wrongly"},
    {"accuracy", TC_METRIC_MEAN, false, 1, "the share of records that are classified rightly"},
    {"brier", TC_METRIC_MEAN, false, 1, "a mean of (p - y)^2, y 0 or 1"},
    {"log-loss", TC_METRIC_MEAN, false, 0, "a mean of -ln p, p clipped to [p_min, 1]"},
    {"auc", TC_METRIC_AUC, false, 1, "the area under the ROC curve, with a floor on both classes"},
    {"f1", TC_METRIC_REFUSE, true, 0, "one record may move F1 by far more than 1/n"},
    {"rmse", TC_METRIC_REFUSE, true, 0,
     "one record may move a root by far more than the mean below it"},
    {"cross-validation", TC_METRIC_REFUSE, true, 0,
     "each record also trains the models of all other folds"},
    {"early-stopping", TC_METRIC_REFUSE, true, 0,
     "the records choose when training ends, and are then scored with"},
    {"preprocessing", TC_METRIC_REFUSE, true, 0,
     "each record also moves the scales or imputed values of all others"}};
enum { METRICS = sizeof metrics / sizeof *metrics };

const tc_metric *tc_metric_find(const char *name)
{
    for (size_t i = 0; i < METRICS; i++)
        if (strcmp(metrics[i].name, name) == 0)
            return &metrics[i];
    return NULL;
}

tacit_status tc_metric_get(const tc_metric **out, const char *field, const char *name,
                           tacit_error *err)
{
    tc_text names = {0};
    *out = tc_metric_find(name);
    if (*out)
        return TACIT_OK;
    for (size_t i = 0; i < METRICS; i++)
        tc_text_addf(&names, "%s%s", i > 0 ? ", " : "", metrics[i].name);
    tacit_status status = tc_fail(err, TACIT_E_ARG, "%s must be one of %s, got \"%.60s\"", field,
                                  tc_text_get(&names), name);
    tc_text_fini(&names);
    return status;
}

/* The number of records then only says how small delta must be. */
static tacit_status given(const tc_metric_terms *t, double *out, tacit_error *err)
{
    if (t->class_floor > 0 || t->per_person > 0)
        return tc_fail(err, TACIT_E_ARG,
                       "sensitivity is given in place of class_floor and per_person: it must have "
                       "them in it");
    if (!(t->sensitivity > 0 && isfinite(t->sensitivity)))
        return tc_fail(err, TACIT_E_ARG, "sensitivity must be a number > 0, got %g",
                       t->sensitivity);
    *out = t->sensitivity;
    return TACIT_OK;
}

/* By how many records the metric is divided. */
static tacit_status divisor(const tc_metric *m, const tc_metric_terms *t, uint64_t *out,
                            tacit_error *err)
{
    bool auc = m->rule == TC_METRIC_AUC;
    if (auc != (t->class_floor > 0))
        return tc_fail(err, TACIT_E_ARG,
                       auc ? "class_floor is missing: the metric auc needs a "
                             "public number of records that either class has at "
                             "least, whatever record is replaced"
                           : "class_floor is for the metric auc alone");
    if (auc && t->records > 0 && t->records / 2 < t->class_floor)
        return tc_fail(err, TACIT_E_ARG,
                       "class_floor must be at most half of the %" PRIu64 " records, got %" PRIu64,
                       t->records, t->class_floor);
    if (!auc && t->records == 0)
        return tc_fail(err, TACIT_E_ARG,
                       "records is missing: say how many validation records there are, or give "
                       "the sensitivity of the metric");
    *out = auc ? t->class_floor : t->records;
    return TACIT_OK;
}

tacit_status tc_metric_sensitivity(const tc_metric *m, const tc_metric_terms *t, double *out,
                                   tacit_error *err)
{
    uint64_t n;
    uint64_t per = t->per_person > 0 ? t->per_person : 1;
    if (t->sensitivity != 0)
        return given(t, out, err);
    if (m->rule == TC_METRIC_REFUSE)
        return tc_fail(err, TACIT_E_ARG,
                       "the metric %s has no sensitivity of range / records: %s. Give one by "
                       "itself, or use another metric",
                       m->name, m->is);
    TC_TRY(divisor(m, t, &n, err));
    if (per > n)
        return tc_fail(err, TACIT_E_ARG,
                       "per_person must be at most the %" PRIu64 " records, got %" PRIu64, n, per);
    /* The mechanism rounds up by a whole step, which covers the last digits of this. */
    *out = (t->high - t->low) * (double)per / (double)n;
    return TACIT_OK;
}
