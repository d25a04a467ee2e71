/* serve.c - a curator and a coordinator as two parties (<tacit/experimental/curator.h>).
 *
 * What reaches the coordinator is the release, and answers that went through the curator's ledger
 * (answer.c): nothing that the two files of docs/outsourcing.md would not have held. */
#include "curator/curator_int.h"

#include "base/api.h"
#include "base/error.h"
#include "base/json.h"
#include "space/domain.h"
#include "study/handle.h"
#include "wire/released_study.h"

#include <math.h>
#include <string.h>

/* ---- publishing */

static tacit_status make_body(const tacit_released *r, const char *name,
                              const tacit_modeler_opts *o, char **out, tacit_error *err)
{
    json_t *options;
    TC_TRY(tc_modeler_options(o, &options, err));
    json_t *j = json_pack(
        "{s:s, s:o, s:I, s:o}", "name", name ? name : r->name, "released", tc_released_json(r),
        "trials", (json_int_t)(o->trials > 0 ? o->trials : TC_RELEASED_TRIALS), "options", options);
    bool ok = j && (o->seed == 0 ||
                    json_object_set_new(j, "seed", json_integer((json_int_t)o->seed)) == 0);
    *out = ok ? tc_json_text(j) : NULL;
    json_decref(j);
    return *out ? TACIT_OK : tc_fail_memory(err);
}

static tacit_status take_published(const json_t *answer, tacit_published *out, tacit_error *err)
{
    const char *name = json_string_value(json_object_get(answer, "name"));
    const char *token = json_string_value(json_object_get(answer, "token"));
    if (!name || !token)
        return tc_fail(err, TACIT_E_IO,
                       "the coordinator's answer makes no sense: no name or no token");
    tacit_published made = {tc_strdup(name), tc_strdup(token)};
    if (made.study && made.token) {
        *out = made;
        return TACIT_OK;
    }
    tc_free(made.study);
    tc_free(made.token);
    return tc_fail_memory(err);
}

tacit_status tacit_released_publish(const tacit_released *r, tacit_storage *coordinator,
                                    const char *name, const tacit_modeler_opts *opts,
                                    tacit_published *out, tacit_error *err)
{
    static const tacit_modeler_opts usual = TACIT_MODELER_OPTS;
    tacit_error unwanted;
    char *body = NULL;
    json_t *answer;
    err = err ? err : &unwanted;
    TC_GIVEN(r);
    TC_GIVEN(coordinator);
    TC_GIVEN(out);
    if (!coordinator->ops->outsource)
        return tc_fail(err, TACIT_E_UNSUPPORTED,
                       "a release is published at a coordinator, https://HOST:PORT; in a storage "
                       "of this process tacit_modeler_open searches it");
    TC_TRY(make_body(r, name, opts ? opts : &usual, &body, err));
    tacit_status status = coordinator->ops->outsource(coordinator, body, &answer, err);
    tc_free(body);
    TC_TRY(status);
    status = take_published(answer, out, err);
    json_decref(answer);
    return status;
}

/* ---- answering */

/* Started again under this name, the curator gets the row back that it had. A row takes as long as it
 * takes: nobody else could answer. */
static const char WORKER[] = "curator";
enum { LEASE_MS = 86400 * 1000 };

static tacit_status check_study(tacit_curator *c, tacit_study *study, tacit_error *err)
{
    const tc_study_doc *doc = tacit_study_document(study);
    if (strcmp(doc->algorithm->name, TC_RELEASED_ALGORITHM) != 0 || !doc->space->domain)
        return tc_fail(err, TACIT_E_STATE, "study %s does not search released rows", doc->name);
    return tc_curator_check_rows(c, doc->space->domain, err);
}

/* The next question; *asked false: there is none left. */
static tacit_status next_question(tacit_study *study, uint64_t *trial, uint64_t *row, bool *asked,
                                  tacit_error *err)
{
    tacit_ask_opts q = TACIT_ASK_OPTS;
    tacit_trials *got = NULL;
    q.count = 1;
    q.worker = WORKER;
    q.lease_ms = LEASE_MS;
    tacit_status status = tacit_study_ask_many(study, &q, &got, err);
    *asked = status == TACIT_OK;
    if (*asked) {
        *trial = tacit_trials_get(got, 0)->number;
        *row = (uint64_t)tacit_trials_get(got, 0)->values[0];
    }
    tacit_trials_free(got);
    return status == TACIT_E_BUDGET ? TACIT_OK : status;
}

/* A value may be expensive: it is asked for only if the ledger has no answer about this row yet. */
static tacit_status answer(tacit_curator *c, uint64_t row, const tacit_curator_service *s,
                           tacit_row_answer *out, tacit_error *err)
{
    double value = NAN;
    tacit_status status = tacit_curator_recall(c, row, out, err);
    if (status != TACIT_E_NOT_FOUND)
        return status;
    TC_TRY(s->value(s->user, row, &value, err));
    return tacit_curator_answer(c, row, value, out, err);
}

static tacit_status report(tacit_study *study, uint64_t trial, const tacit_row_answer *a,
                           tacit_error *err)
{
    return isnan(a->value) ? tacit_study_fail(study, trial, TC_ROW_WITHOUT_VALUE, err)
                           : tacit_study_tell(study, trial, a->value, err);
}

tacit_status tacit_curator_serve(tacit_curator *c, tacit_study *study,
                                 const tacit_curator_service *service, tacit_error *err)
{
    TC_GIVEN(c);
    TC_GIVEN(study);
    TC_GIVEN(service);
    TC_GIVEN(service->value);
    TC_TRY(check_study(c, study, err));
    /* No more than were planned when it began, whatever the coordinator says later. */
    uint64_t most = tacit_document_trials(tacit_study_document(study)), trial, row;
    for (uint64_t answered = 0; answered < most; answered++) {
        tacit_row_answer a;
        bool asked;
        if (service->stop && service->stop(service->user))
            return tc_fail(err, TACIT_E_CANCELLED, "interrupted; the same command goes on");
        TC_TRY(next_question(study, &trial, &row, &asked, err));
        if (!asked)
            return TACIT_OK;
        TC_TRY(answer(c, row, service, &a, err));
        TC_TRY(report(study, trial, &a, err));
        if (service->answered)
            service->answered(service->user, &a);
    }
    return TACIT_OK;
}
