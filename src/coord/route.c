/* route.c - the table of routes, and which of them a path is of.
 *
 * The one place where a route, who may use it and what it does are written; the description for
 * programs (/openapi.json) is made of the same table. */
#include "coord/coord_int.h"

#include "base/error.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define MAY(role) (1U << TC_ROLE_##role)
#define ALL_READ  (MAY(OPERATOR) | MAY(VIEWER) | MAY(AGENT) | MAY(JOINER))

/* clang-format off */
const tc_route tc_routes[] = {
    {"GET",    "/healthz",                                          0,                           TC_BODY_NONE,    tc_health_live,    "Is the process up?"},
    {"GET",    "/readyz",                                           0,                           TC_BODY_NONE,    tc_health_ready,   "Can it read its store?"},
    {"GET",    "/metrics",                                          MAY(OPERATOR) | MAY(VIEWER), TC_BODY_NONE,    tc_health_metrics, "Counters, as Prometheus reads them"},
    {"GET",    "/v1/studies",                                       MAY(OPERATOR) | MAY(VIEWER), TC_BODY_NONE,    tc_studies_list,   "Names of studies, in order of creation"},
    {"POST",   "/v1/studies",                                       MAY(OPERATOR),               TC_BODY_STUDY,   tc_studies_create, "Creates a study from its document"},
    {"GET",    "/v1/studies/{study}",                               ALL_READ,                    TC_BODY_NONE,    tc_studies_show,   "Document, public seed, options in force, state"},
    {"DELETE", "/v1/studies/{study}",                               MAY(OPERATOR),               TC_BODY_NONE,    tc_studies_erase,  "Erases a study; its ledger stays"},
    {"GET",    "/v1/studies/{study}/points",                        ALL_READ,                    TC_BODY_NONE,    tc_studies_points, "The points of a finite space, as CSV"},
    {"POST",   "/v1/studies/{study}:pause",                         MAY(OPERATOR),               TC_BODY_NONE,    tc_studies_pause,  "Takes no messages until it is resumed"},
    {"POST",   "/v1/studies/{study}:resume",                        MAY(OPERATOR),               TC_BODY_NONE,    tc_studies_resume, "Goes on after a pause"},
    {"POST",   "/v1/studies/{study}:close",                         MAY(OPERATOR),               TC_BODY_NONE,    tc_studies_close,  "Takes no messages any more"},
    {"POST",   "/v1/tokens",                                        MAY(OPERATOR),               TC_BODY_SMALL,   tc_tokens_make,    "A token for a viewer or an operator"},
    {"POST",   "/v1/tokens:withdraw",                               MAY(OPERATOR),               TC_BODY_SMALL,   tc_tokens_withdraw, "Ends a token"},
    {"POST",   "/v1/studies/{study}/tokens",                        MAY(OPERATOR),               TC_BODY_SMALL,   tc_join_tokens_make, "A token with which agents join"},
    {"POST",   "/v1/studies/{study}/agents",                        MAY(JOINER),                 TC_BODY_SMALL,   tc_roster_enrol,   "Takes a place on the roster"},
    {"POST",   "/v1/studies/{study}/agents/{agent}:rotate",         MAY(AGENT),                  TC_BODY_SMALL,   tc_roster_rotate,  "Changes an agent's key"},
    {"POST",   "/v1/studies/{study}/agents/{agent}:revoke",         MAY(OPERATOR),               TC_BODY_NONE,    tc_roster_revoke,  "Ends an agent's access for good"},
    {"POST",   "/v1/studies/{study}/rounds/{round}/messages",       MAY(AGENT),                  TC_BODY_MESSAGE, tc_message_post,   "A contribution to a round"},
    {"GET",    "/v1/studies/{study}/rounds/{round}/messages/{agent}", MAY(AGENT),                TC_BODY_NONE,    tc_message_get,    "A message that a relay hands on"},
    {"GET",    "/v1/studies/{study}/rounds/{round}/broadcast",      MAY(AGENT) | MAY(VIEWER) | MAY(OPERATOR), TC_BODY_NONE,    tc_broadcast_get, "What a round ended with"},
    {"GET",    "/v1/studies/{study}/privacy",                       MAY(AGENT) | MAY(VIEWER) | MAY(OPERATOR), TC_BODY_NONE,    tc_privacy_get, "The ledger"},
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

tacit_status tc_ask_number(const tc_ask *a, size_t i, const char *what, uint64_t *out,
                           tacit_error *err)
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
