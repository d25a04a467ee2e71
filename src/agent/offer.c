/* offer.c - the study as the coordinator describes it, to be held against what is known of it. */
#include "agent/agent_int.h"

#include "base/error.h"
#include "base/json.h"
#include "base/log.h"
#include "base/memory.h"

#include <string.h>

void tc_offer_fini(tc_offer *o)
{
    tc_free(o->document);
    tc_free(o->points_csv);
    tc_free(o->no_place);
    *o = (tc_offer){0};
}

static tacit_status ask(const tc_asker *who, const char *path, const char *token, tc_answered *out,
                        tacit_error *err)
{
    const tc_call call = {.method = "GET", .path = path, .bearer = token};
    return who->request(who->user, &call, out, err);
}

static tacit_status get_points(const tc_asker *who, const char *token, tc_offer *out,
                               tacit_error *err)
{
    tc_answered r;
    TC_TRY(ask(who, "/points", token, &r, err));
    tacit_status status = TACIT_OK;
    if (r.status == 200) {
        out->points_csv = tc_strdup(tc_text_get(&r.text));
        status = out->points_csv ? TACIT_OK : tc_fail_memory(err);
    } else if (r.status != 404) {
        status = tc_answered_refusal(&r, "the study's points", err);
    }
    tc_answered_fini(&r);
    return status;
}

/* A coordinator shows the trials of a study that it serves, and the places of one that has agents. */
static tacit_status check_federated(const tc_asker *who, const json_t *study, tacit_error *err)
{
    if (json_object_get(study, "agents") || !json_object_get(study, "trials"))
        return TACIT_OK;
    return tc_fail(err, TACIT_E_STATE,
                   "study \"%s\" is served by its coordinator and has no agents: with a client's "
                   "token, `tacit optimize %s --server URL` runs its trials",
                   who->study, who->study);
}

static tacit_status read_offer(const tc_asker *who, const tc_answered *r, tc_offer *out,
                               tacit_error *err)
{
    const char *document = json_string_value(json_object_get(r->body, "document"));
    const char *seed = json_string_value(json_object_get(r->body, "public_seed"));
    const char *not_private = json_string_value(json_object_get(r->body, "not_private"));
    if (r->status == 401)
        return tc_fail(err, TACIT_E_NOT_FOUND, "the coordinator refuses the study: %s",
                       tc_answered_detail(r));
    if (r->status != 200)
        return tc_answered_refusal(r, "the study", err);
    TC_TRY(check_federated(who, r->body, err));
    if (!document || !seed ||
        !tc_base64_read(seed, out->offer.public_seed.bytes, sizeof out->offer.public_seed.bytes) ||
        !tc_json_whole(json_object_get(r->body, "created_ms"), &out->offer.created_ms))
        return tc_answered_strange("a study without a document, a seed or a time", err);
    out->not_private = not_private && *not_private;
    const char *no_place = json_string_value(json_object_get(r->body, "no_place"));
    out->document = tc_strdup(document);
    out->no_place = no_place ? tc_strdup(no_place) : NULL;
    return out->document && (out->no_place || !no_place) ? TACIT_OK : tc_fail_memory(err);
}

tacit_status tc_offer_get(const tc_asker *who, const char *token, tc_offer *out, tacit_error *err)
{
    tc_offer o = {0};
    tc_answered r;
    TC_TRY(ask(who, "", token, &r, err));
    tacit_status status = read_offer(who, &r, &o, err);
    tc_answered_fini(&r);
    if (status == TACIT_OK)
        status = get_points(who, token, &o, err);
    if (status != TACIT_OK) {
        tc_offer_fini(&o);
        return status;
    }
    o.offer.document = o.document;
    o.offer.points_csv = o.points_csv;
    *out = o;
    return TACIT_OK;
}

tacit_status tc_offer_plan(const tc_offer *o, tc_study_plan **out, tacit_error *err)
{
    tc_study_row row = {.document = o->document,
                        .points_csv = o->points_csv,
                        .public_seed = o->offer.public_seed,
                        .created_ms = o->offer.created_ms};
    tacit_error why = {0};
    tacit_status status = tc_study_plan_new(out, &row, &why);
    if (status == TACIT_E_ARG || status == TACIT_E_CORRUPT)
        return tc_fail(err, TACIT_E_STATE, "the coordinator's study makes no sense: %.400s",
                       why.msg);
    return tc_pass_on(err, status, &why);
}

/* Said once each time that a pause is met. */
static void say_paused(tc_agent *a, bool paused)
{
    if (paused && !a->paused)
        tc_log(TC_LOG_WARN, "study \"%s\" is paused by its operator: waiting until it goes on",
               a->name);
    a->paused = paused;
}

tacit_status tc_offer_closed(tc_agent *a, bool *out, tacit_error *err)
{
    const tc_asker who = tc_agent_asker(a);
    tc_answered r;
    TC_TRY(ask(&who, "", a->access, &r, err));
    const char *state = json_string_value(json_object_get(r.body, "state"));
    tacit_status status = r.status != 200 ? tc_answered_refusal(&r, "the study", err)
                          : !state        ? tc_answered_strange("a study without a state", err)
                                          : TACIT_OK;
    if (status == TACIT_OK && state) {
        *out = strcmp(state, "closed") == 0;
        say_paused(a, strcmp(state, "paused") == 0);
    }
    tc_answered_fini(&r);
    return status;
}
