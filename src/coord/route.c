/* route.c - the table of routes, and which of them a path is of.
 *
 * The one place where a route, who may use it and what it does are written; the description for
 * programs (/openapi.json) is made of the same table. */
#include "coord/request.h"

#include "base/error.h"
#include "base/json.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define MAY(role) (1U << TC_ROLE_##role)
#define READ      (MAY(OPERATOR) | MAY(VIEWER))
#define AGENT     (READ | MAY(AGENT))
#define CLIENT    (MAY(CLIENT) | MAY(OPERATOR))
#define JOINERS   (MAY(JOINER) | MAY(TRUSTEE_JOINER))
#define STUDY     "/v1/studies/{study}"

/* clang-format off */
const tc_route tc_routes[] = {
    /* the process */
    {"GET", "/healthz", .status = 200, .text = "text/plain", .pace = TC_PACE_AT_ONCE, .handle = tc_health_live, .summary = "Is the process up?"},
    {"GET", "/readyz", .status = 200, .text = "text/plain", .pace = TC_PACE_PROBE, .handle = tc_health_ready, .summary = "Can it read and write its store?"},
    {"GET", "/metrics", READ, .status = 200, .text = "text/plain", .handle = tc_health_metrics, .summary = "Counters, as Prometheus reads them"},
    {"GET", "/openapi.json", .status = 200, .text = "application/json", .pace = TC_PACE_AT_ONCE, .handle = tc_openapi_get, .summary = "This description"},

    /* studies */
    {"GET", "/v1/studies", READ, .query = tc_query_page, .status = 200, .gives = &tc_shape_study_list,
     .handle = tc_studies_list, .summary = "Names of studies, in order of creation"},
    {"POST", "/v1/studies", MAY(OPERATOR), TC_BODY_STUDY, .takes = &tc_shape_new_study, .status = 201, .gives = &tc_shape_study,
     .once = true, .pace = TC_PACE_STUDY, .handle = tc_studies_create, .summary = "Creates a study from its document"},
    {"GET", STUDY, AGENT | JOINERS | MAY(TRUSTEE) | MAY(CLIENT), .status = 200, .gives = &tc_shape_study,
     .pace = TC_PACE_STUDY, .handle = tc_studies_show, .summary = "Document, public seed, options in force, state"},
    {"DELETE", STUDY, MAY(OPERATOR), .status = 200, .gives = &tc_shape_erased,
     .handle = tc_studies_erase, .summary = "Erases a study; its ledger stays"},
    {"GET", STUDY "/points", AGENT | JOINERS | MAY(TRUSTEE) | MAY(CLIENT), .status = 200, .text = "text/csv",
     .pace = TC_PACE_STUDY, .handle = tc_studies_points, .summary = "The points of a finite space, as CSV"},
    {"POST", STUDY ":pause", MAY(OPERATOR), .status = 200, .gives = &tc_shape_state,
     .handle = tc_studies_pause, .summary = "Takes no messages until it is resumed"},
    {"POST", STUDY ":resume", MAY(OPERATOR), .status = 200, .gives = &tc_shape_state,
     .handle = tc_studies_resume, .summary = "Goes on after a pause"},
    {"POST", STUDY ":close", MAY(OPERATOR), .status = 200, .gives = &tc_shape_state,
     .handle = tc_studies_close, .summary = "Takes no messages any more"},
    {"POST", STUDY ":expire", MAY(OPERATOR), TC_BODY_SMALL, .takes = &tc_shape_expire, .status = 200, .gives = &tc_shape_expires,
     .handle = tc_studies_expire, .summary = "Closes by itself at a time"},

    /* tokens and the roster */
    {"POST", "/v1/tokens", MAY(OPERATOR), TC_BODY_SMALL, .takes = &tc_shape_new_token, .status = 201, .gives = &tc_shape_token,
     .once = true, .handle = tc_tokens_make, .summary = "A token for a viewer, an operator or a curator"},
    {"POST", "/v1/tokens:withdraw", MAY(OPERATOR), TC_BODY_SMALL, .takes = &tc_shape_withdraw, .status = 200, .gives = &tc_shape_withdrawn,
     .handle = tc_tokens_withdraw, .summary = "Ends a token"},
    {"POST", "/v1/tokens:replace", MAY(OPERATOR), TC_BODY_SMALL, .takes = &tc_shape_replace, .status = 201, .gives = &tc_shape_token,
     .once = true, .handle = tc_tokens_replace, .summary = "Another token in place of one, which ends at once or after a grace period"},
    {"GET", "/v1/tokens", MAY(OPERATOR), .query = tc_query_page, .status = 200, .gives = &tc_shape_token_list,
     .handle = tc_tokens_list, .summary = "Which tokens there are, without their texts"},
    {"GET", "/v1/audit", MAY(OPERATOR), .query = tc_query_numbers, .status = 200, .gives = &tc_shape_audit,
     .handle = tc_audit_get, .summary = "The operator's log: who changed what, and when"},
    {"POST", STUDY "/tokens", MAY(OPERATOR), TC_BODY_SMALL, .takes = &tc_shape_study_token, .status = 201, .gives = &tc_shape_token,
     .once = true, .handle = tc_join_tokens_make, .summary = "A token with which agents or trustees join, or with which clients ask and tell"},
    {"GET", STUDY "/agents", MAY(OPERATOR), .query = tc_query_numbers, .status = 200, .gives = &tc_shape_agent_list,
     .handle = tc_roster_list, .summary = "Who is on the roster"},
    {"POST", STUDY "/agents", MAY(JOINER), TC_BODY_SMALL, .takes = &tc_shape_enrol, .status = 201, .gives = &tc_shape_access,
     .also_status = 200, .also_gives = &tc_shape_access,
     .once = true, .again = true, .handle = tc_roster_enrol, .summary = "Takes a place on the roster; 200: it had one, and gets a new token"},
    {"POST", STUDY "/agents/{agent}:rotate", MAY(AGENT), TC_BODY_SMALL, .takes = &tc_shape_rotate, .status = 200, .gives = &tc_shape_access,
     .once = true, .again = true, .handle = tc_roster_rotate, .summary = "Changes an agent's key"},
    {"POST", STUDY "/agents/{agent}:revoke", MAY(OPERATOR), .status = 200, .gives = &tc_shape_revoked,
     .handle = tc_roster_revoke, .summary = "Ends an agent's access; nobody waits for it any more"},
    {"POST", STUDY "/agents/{agent}:withdraw", MAY(AGENT), TC_BODY_SMALL, .takes = &tc_shape_leave, .status = 200, .gives = &tc_shape_revoked,
     .handle = tc_roster_withdraw, .summary = "Ends an agent's own access, and takes its message out of the open round"},
    {"POST", STUDY "/agents/{agent}:readmit", MAY(OPERATOR), TC_BODY_SMALL, .takes = &tc_shape_readmit, .status = 201, .gives = &tc_shape_token,
     .once = true, .handle = tc_roster_readmit, .summary = "A join token with which a revoked or withdrawn agent takes its place again"},

    /* trustees */
    {"POST", STUDY "/trustees", MAY(TRUSTEE_JOINER), TC_BODY_MESSAGE, .takes = &tc_shape_enrol_trustee, .status = 201, .gives = &tc_shape_trustee_access,
     .also_status = 200, .also_gives = &tc_shape_trustee_access,
     .once = true, .again = true, .handle = tc_trustees_enrol, .summary = "Takes a place among the trustees; 200: it had one, and gets a new token"},
    {"GET", STUDY "/trustees", MAY(OPERATOR), .query = tc_query_numbers, .status = 200, .gives = &tc_shape_trustee_list,
     .handle = tc_trustees_list, .summary = "The trustees, and what they have done so far"},
    {"POST", STUDY "/trustees/{trustee}:revoke", MAY(OPERATOR), .status = 200, .gives = &tc_shape_trustee_revoked,
     .handle = tc_trustees_revoke, .summary = "Ends a trustee's access; it counts as absent"},
    {"GET", STUDY "/roster", AGENT | MAY(TRUSTEE), .query = tc_query_wait, .status = 200, .gives = &tc_shape_fixed_roster,
     .also_status = 202, .also_gives = &tc_shape_missing,
     .handle = tc_fixed_roster_get, .summary = "The keys of all parties of a study with trustees; 202: some are missing yet"},
    {"GET", STUDY "/duty", MAY(TRUSTEE), .query = tc_query_wait, .status = 200, .gives = &tc_shape_duty,
     .also_status = 202, .also_gives = &tc_shape_phase,
     .handle = tc_trustees_duty, .summary = "What a trustee has to do next; 202: nothing now"},

    /* rounds */
    {"POST", STUDY "/rounds/{round}/messages", MAY(AGENT), TC_BODY_MESSAGE, .takes = &tc_shape_new_message, .status = 202, .gives = &tc_shape_accepted,
     .also_status = 200, .also_gives = &tc_shape_accepted,
     .handle = tc_message_post, .summary = "A contribution to a round; 200: it was there already"},
    {"GET", STUDY "/rounds/{round}/messages/{agent}", MAY(AGENT), .query = tc_query_wait, .status = 200, .gives = &tc_shape_relayed,
     .also_status = 202, .also_gives = &tc_shape_phase,
     .handle = tc_message_get, .summary = "A message that a relay hands on; 202: not yet"},
    {"POST", STUDY "/rounds/{round}/noise", MAY(TRUSTEE), TC_BODY_MESSAGE, .takes = &tc_shape_new_noise, .status = 202, .gives = &tc_shape_dealt,
     .also_status = 200, .also_gives = &tc_shape_dealt,
     .handle = tc_noise_post, .summary = "Noise that a trustee deals for a round; 200: it was there already"},
    {"GET", STUDY "/rounds/{round}/shares", MAY(TRUSTEE), .query = tc_query_shares, .status = 200, .gives = &tc_shape_shares,
     .also_status = 202, .also_gives = &tc_shape_phase,
     .handle = tc_shares_get, .summary = "The set of a round, and the boxes for the trustee that asks; 202: not yet"},
    {"POST", STUDY "/rounds/{round}/answers", MAY(TRUSTEE), TC_BODY_MESSAGE, .takes = &tc_shape_new_answer, .status = 202, .gives = &tc_shape_dealt,
     .also_status = 200, .also_gives = &tc_shape_dealt,
     .handle = tc_trustee_answer_post, .summary = "What a trustee adds up for a round, or why it does not; 200: it was there already"},
    {"GET", STUDY "/rounds/{round}/broadcast", AGENT, .query = tc_query_wait, .status = 200, .gives = &tc_shape_broadcast,
     .also_status = 202, .also_gives = &tc_shape_phase,
     .handle = tc_broadcast_get, .summary = "What a round ended with; 202: not yet"},
    {"GET", STUDY "/privacy", AGENT, .query = tc_query_ledger, .status = 200, .gives = &tc_shape_privacy,
     .handle = tc_privacy_get, .summary = "The ledger"},
    {"GET", STUDY "/evidence", MAY(OPERATOR), .query = tc_query_page, .status = 200, .gives = &tc_shape_evidence_list,
     .handle = tc_evidence_list, .summary = "Agents that signed two messages for one place"},

    /* events */
    {"GET", "/v1/events", AGENT | MAY(CLIENT), .query = tc_query_events, .status = 200, .text = "text/event-stream",
     .handle = tc_events_get, .summary = "What happens, as it happens"},

    /* served studies */
    {"POST", STUDY "/trials:suggest", CLIENT, TC_BODY_SMALL, .takes = &tc_shape_suggest, .status = 200, .gives = &tc_shape_suggested,
     .pace = TC_PACE_ASK, .handle = tc_served_suggest, .summary = "Trials for a worker: what it has unfinished, then new ones"},
    {"POST", STUDY "/trials/{trial}:complete", CLIENT, TC_BODY_POINT, .takes = &tc_shape_complete, .status = 200, .gives = &tc_shape_trial_state,
     .pace = TC_PACE_STUDY, .handle = tc_served_complete, .summary = "What came of a trial"},
    {"POST", STUDY "/trials/{trial}:report", CLIENT, TC_BODY_POINT, .takes = &tc_shape_report, .status = 200, .gives = &tc_shape_verdict,
     .pace = TC_PACE_STUDY, .handle = tc_served_report, .summary = "An intermediate value of a trial; should the trial be ended?"},
    {"POST", STUDY "/trials/{trial}:heartbeat", CLIENT, TC_BODY_SMALL, .takes = &tc_shape_heartbeat, .status = 200, .gives = &tc_shape_lease,
     .pace = TC_PACE_STUDY, .handle = tc_served_heartbeat, .summary = "More time for a worker"},
    {"POST", STUDY "/trials/{trial}:release", MAY(OPERATOR), .status = 200, .gives = &tc_shape_trial_state,
     .pace = TC_PACE_STUDY, .handle = tc_served_requeue, .summary = "Takes a trial back, whatever its lease"},
    {"POST", STUDY "/trials", CLIENT, TC_BODY_POINT, .takes = &tc_shape_enqueue, .status = 201, .gives = &tc_shape_trial_state,
     .once = true, .pace = TC_PACE_STUDY, .handle = tc_served_enqueue, .summary = "A point to be tried before others"},
    {"DELETE", STUDY "/trials/{trial}", MAY(OPERATOR), .status = 200, .gives = &tc_shape_trial_state,
     .pace = TC_PACE_STUDY, .handle = tc_served_delete_trial, .summary = "Deletes a failed trial: it is in no list and no count any more"},
    {"GET", STUDY "/trials", READ | MAY(CLIENT), .query = tc_query_trials, .status = 200, .gives = &tc_shape_trial_list,
     .pace = TC_PACE_STUDY, .handle = tc_served_list, .summary = "Its trials, in order"},
    {"GET", STUDY "/best", READ | MAY(CLIENT), .status = 200, .gives = &tc_shape_trial,
     .pace = TC_PACE_STUDY, .handle = tc_served_best, .summary = "The best trial so far"},
    {"GET", STUDY "/front", READ | MAY(CLIENT), .status = 200, .gives = &tc_shape_trial_list,
     .pace = TC_PACE_STUDY, .handle = tc_served_front, .summary = "Of several objectives: the feasible trials that no other dominates"},
    {"GET", STUDY "/recommendation", AGENT | MAY(CLIENT), .query = tc_query_recommend, .status = 200, .gives = &tc_shape_recommendation,
     .pace = TC_PACE_STUDY, .handle = tc_recommendation_get, .summary = "The trial to take; of a federated study the common configuration that its releases support"},
    {"POST", "/v1/studies:outsource", MAY(CURATOR) | MAY(OPERATOR), TC_BODY_STUDY, .takes = &tc_shape_outsource, .status = 201, .gives = &tc_shape_outsourced,
     .also_status = 200, .also_gives = &tc_shape_outsourced,
     .once = true, .again = true, .pace = TC_PACE_STUDY, .handle = tc_outsource_post, .summary = "A study over released rows; 200: it was there, and a new token replaces the former"},
    {.method = NULL},
};
/* clang-format on */

/* ---- paths ---- */

/* A word of a path ends at a slash or, before a verb, at a colon. */
static size_t word_length(const char *p)
{
    return strcspn(p, "/:");
}

static bool take_word(const char **path, char out[128])
{
    size_t n = word_length(*path);
    if (n == 0 || n >= 128)
        return false;
    memcpy(out, *path, n);
    out[n] = 0;
    *path += n;
    return true;
}

/* Does the path fit the pattern? Fills the words that stand for {...}. */
bool tc_route_fits(const char *pattern, const char *path, char words[TC_WORDS_MOST][128])
{
    size_t n = 0;
    while (*pattern && *path) {
        if (*pattern == '{') {
            if (n == TC_WORDS_MOST || !take_word(&path, words[n++]))
                return false;
            pattern = strchr(pattern, '}') + 1;
        } else if (*pattern++ != *path++) {
            return false;
        }
    }
    return !*pattern && !*path;
}

tc_pace tc_coord_pace(const char *method, const char *path)
{
    char words[TC_WORDS_MOST][128];
    const tc_route *r = tc_routes;
    while (r->method && !(strcmp(r->method, method) == 0 && tc_route_fits(r->path, path, words)))
        r++;
    return r->method ? r->pace : TC_PACE_QUICK;
}

/* ---- bodies ---- */

const char *tc_request_text(const tc_request_context *a, const char *field)
{
    return json_string_value(json_object_get(a->body, field));
}

int64_t tc_request_whole(const tc_request_context *a, const char *field)
{
    int64_t v = (int64_t)tc_shape_field(a->route->takes, field)->otherwise;
    (void)tc_json_whole(json_object_get(a->body, field), &v);
    return v;
}

double tc_request_real(const tc_request_context *a, const char *field)
{
    const json_t *j = json_object_get(a->body, field);
    return j ? json_number_value(j) : tc_shape_field(a->route->takes, field)->otherwise;
}

/* ---- numbers ---- */

tacit_status tc_request_number(const tc_request_context *a, size_t i, const char *what,
                               uint64_t *out, tacit_error *err)
{
    unsigned long long v;
    if (!tc_parse_u64(a->words[i], &v) || v > TC_LEDGER_MAX_ROUND)
        return tc_fail(err, TACIT_E_ARG, "%s must be a whole number, got \"%s\"", what,
                       a->words[i]);
    *out = v;
    return TACIT_OK;
}

/* ---- queries ---- */

/* The value of name in "a=1&b=2"; NULL: not there. */
static const char *find_value(const char *query, const char *name, size_t *len)
{
    size_t n = strlen(name);
    for (const char *p = query; p && *p; p = strchr(p, '&') ? strchr(p, '&') + 1 : NULL)
        if (strncmp(p, name, n) == 0 && p[n] == '=') {
            *len = strcspn(p + n + 1, "&");
            return p + n + 1;
        }
    return NULL;
}

tacit_status tc_query_text(const char *query, const char *name, char *out, size_t size,
                           tacit_error *err)
{
    size_t len;
    const char *value = find_value(query, name, &len);
    if (!value)
        return TACIT_OK;
    if (len >= size || memchr(value, '%', len))
        return tc_fail(err, TACIT_E_ARG, "%s is not a name that can be", name);
    memcpy(out, value, len);
    out[len] = 0;
    return TACIT_OK;
}

tacit_status tc_query_number(const char *query, const char *name, uint64_t low, uint64_t high,
                             uint64_t *out, tacit_error *err)
{
    char text[32] = "";
    unsigned long long v;
    TC_TRY(tc_query_text(query, name, text, sizeof text, err));
    if (!*text)
        return TACIT_OK;
    if (!tc_parse_u64(text, &v) || v < low || v > high)
        return tc_fail(err, TACIT_E_ARG,
                       "%s must be a whole number from %" PRIu64 " to %" PRIu64 ", got \"%s\"",
                       name, low, high, text);
    *out = v;
    return TACIT_OK;
}
