/* dp_report.c - reading and checking what a private trainer reports (dp_report.h). */
#include "privacy/dp_report.h"

#include "base/error.h"
#include "base/json.h"
#include "base/memory.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DEEPEST = 16, PATH = 256 };

typedef struct report {
    tacit_dp_event *events;
    size_t n, room;
    tacit_error *err;
} report;

/* Where in the document, and how often what is found there happens. */
typedef struct place {
    char path[PATH];
    uint64_t count;
    int depth;
} place;

static tacit_status read_event(report *r, const json_t *j, const place *at);

/* ---- names */

static const char *const known[] = {"Gaussian",     "Laplace",  "RandomizedResponse",
                                    "NonPrivate",   "NoOp",     "PoissonSampled",
                                    "SelfComposed", "Composed", NULL};

/* The name without its ending DpEvent. E_ARG: there is none, or it is not a text. */
static tacit_status name_of(report *r, const json_t *j, const place *at, char out[64])
{
    const char *name = NULL, *key = json_object_get(j, "dp_event") ? "dp_event" : "class_name";
    if (!json_is_object(j))
        return tc_fail(r->err, TACIT_E_ARG, "%s must be an object, got %s", at->path,
                       tc_json_kind(j));
    if (!json_object_get(j, key))
        return tc_fail(r->err, TACIT_E_ARG, "%s.dp_event is missing; it names the event", at->path);
    TC_TRY(tc_json_string(j, at->path, key, &name, r->err));
    size_t n = strlen(name);
    if (n > 7 && strcmp(name + n - 7, "DpEvent") == 0)
        n -= 7;
    for (size_t i = 0; known[i]; i++)
        if (strlen(known[i]) == n && strncmp(known[i], name, n) == 0) {
            snprintf(out, 64, "%s", known[i]);
            return TACIT_OK;
        }
    return tc_fail_unknown(r->err, TACIT_E_ARG, name, known, "Events",
                           "%s: the event \"%.60s\" has no price here", at->path, name);
}

static tacit_status go_down(report *r, place *down, const place *at, const char *key, size_t index)
{
    *down = *at;
    size_t used = strlen(at->path);
    if (index == SIZE_MAX)
        snprintf(down->path + used, PATH - used, ".%s", key);
    else
        snprintf(down->path + used, PATH - used, ".%s[%zu]", key, index);
    if (++down->depth <= DEEPEST)
        return TACIT_OK;
    return tc_fail(r->err, TACIT_E_ARG, "%s is deeper than %d events", at->path, DEEPEST);
}

/* ---- mechanisms */

static tacit_status add(report *r, const tacit_dp_event *e, const place *at)
{
    size_t i = 0;
    while (i < r->n && !tc_dp_event_same_kind(&r->events[i], e))
        i++;
    if (i == r->room)
        return tc_fail(r->err, TACIT_E_ARG, "%s: there are more than %zu different events",
                       at->path, r->room);
    tacit_dp_event sum = *e;
    sum.count += i < r->n ? r->events[i].count : 0; /* each at most 1e15 */
    if (tc_dp_event_check(&sum, r->err) != TACIT_OK)
        return tc_fail_in(r->err, "%s", at->path);
    r->events[i] = sum;
    r->n += i == r->n;
    return TACIT_OK;
}

/* As dp_event.c reads it: under the short name, without what else a named tuple has. */
static tacit_status read_mechanism(report *r, const json_t *j, const place *at, const char *name,
                                   double rate)
{
    json_t *plain = json_copy((json_t *)j);
    tacit_dp_event e = {.count = 0};
    if (!plain || json_object_set_new(plain, "dp_event", json_string(name)) != 0) {
        json_decref(plain);
        return tc_fail_memory(r->err);
    }
    json_object_del(plain, "class_name");
    json_object_del(plain, "module_name");
    tacit_status status = tc_dp_event_from_json(&e, plain, r->err);
    json_decref(plain);
    if (status != TACIT_OK)
        return tc_fail_in(r->err, "%s", at->path);
    e.sampling = rate < 1 ? TACIT_DP_POISSON : TACIT_DP_ALL;
    e.sampling_rate = rate;
    e.count = at->count;
    return e.count > 0 ? add(r, &e, at) : TACIT_OK;
}

static bool is_mechanism(const char *name)
{
    return strcmp(name, "Gaussian") == 0 || strcmp(name, "Laplace") == 0 ||
           strcmp(name, "RandomizedResponse") == 0 || strcmp(name, "NonPrivate") == 0;
}

/* ---- what is around them */

static tacit_status read_sampled(report *r, const json_t *j, const place *at)
{
    static const char *const fields[] = {"dp_event", "class_name",           "module_name",
                                         "event",    "sampling_probability", NULL};
    const json_t *inner = json_object_get(j, "event");
    char name[64];
    double rate = 0;
    place down;
    TC_TRY(tc_json_only(j, at->path, fields, r->err));
    TC_TRY(tc_json_number(j, at->path, "sampling_probability", &rate, r->err));
    if (!(rate > 0 && rate <= 1))
        return tc_fail(r->err, TACIT_E_ARG, "%s.sampling_probability must be in (0, 1], got %g",
                       at->path, rate);
    TC_TRY(go_down(r, &down, at, "event", SIZE_MAX));
    TC_TRY(name_of(r, inner, &down, name));
    if (is_mechanism(name))
        return read_mechanism(r, inner, &down, name, rate);
    if (strcmp(name, "NoOp") == 0 || rate == 1)
        return read_event(r, inner, &down);
    return tc_fail(r->err, TACIT_E_ARG,
                   "%s: a sample of %s has no price here; sample each mechanism by itself",
                   down.path, name);
}

static tacit_status read_repeated(report *r, const json_t *j, const place *at)
{
    static const char *const fields[] = {"dp_event", "class_name", "module_name",
                                         "event",    "count",      NULL};
    int64_t count = -1;
    place down;
    TC_TRY(tc_json_only(j, at->path, fields, r->err));
    TC_TRY(tc_json_int_or(j, at->path, "count", 0, (int64_t)1e15, &count, r->err));
    if (count < 0)
        return tc_fail(r->err, TACIT_E_ARG, "%s.count is missing; it must be a whole number",
                       at->path);
    TC_TRY(go_down(r, &down, at, "event", SIZE_MAX));
    if ((double)at->count * (double)count > 1e15)
        return tc_fail(r->err, TACIT_E_ARG, "%s: events are repeated more than 1e15 times",
                       at->path);
    down.count = at->count * (uint64_t)count;
    return read_event(r, json_object_get(j, "event"), &down);
}

static tacit_status read_list(report *r, const json_t *j, const place *at)
{
    static const char *const fields[] = {"dp_event", "class_name", "module_name", "events", NULL};
    const json_t *list = json_object_get(j, "events");
    place down;
    TC_TRY(tc_json_only(j, at->path, fields, r->err));
    if (!json_is_array(list))
        return tc_fail(r->err, TACIT_E_ARG, "%s.events must be an array, got %s", at->path,
                       tc_json_kind(list));
    for (size_t i = 0; i < json_array_size(list); i++) {
        TC_TRY(go_down(r, &down, at, "events", i));
        TC_TRY(read_event(r, json_array_get(list, i), &down));
    }
    return TACIT_OK;
}

static tacit_status read_event(report *r, const json_t *j, const place *at)
{
    static const char *const fields[] = {"dp_event", "class_name", "module_name", NULL};
    char name[64];
    TC_TRY(name_of(r, j, at, name));
    if (strcmp(name, "SelfComposed") == 0)
        return read_repeated(r, j, at);
    if (strcmp(name, "Composed") == 0)
        return read_list(r, j, at);
    if (strcmp(name, "PoissonSampled") == 0)
        return read_sampled(r, j, at);
    if (strcmp(name, "NoOp") == 0)
        return tc_json_only(j, at->path, fields, r->err);
    return read_mechanism(r, j, at, name, 1);
}

tacit_status tc_dp_report_parse(const json_t *j, tacit_dp_event *events, size_t room, size_t *n,
                                tacit_error *err)
{
    report r = {events, 0, room, err};
    place at = {.path = "dp_event", .count = 1};
    TC_TRY(read_event(&r, j, &at));
    *n = r.n;
    return TACIT_OK;
}

/* ---- a cap */

static bool is_group(const tacit_dp_event *e)
{
    return e->sampling == TACIT_DP_POISSON_REPLACED;
}

/* How much of `e` there is to be afraid of: less noise, more epsilon. */
static double strength(const tacit_dp_event *e)
{
    return e->mechanism == TACIT_DP_GAUSSIAN ? 1 / e->parameter : e->parameter;
}

static bool covers(const tacit_dp_event *cap, const tacit_dp_event *e)
{
    bool fixed = e->sampling == TACIT_DP_FIXED_SIZE || cap->sampling == TACIT_DP_FIXED_SIZE;
    bool alike =
        is_group(cap) == is_group(e) &&
        (!fixed || (cap->sampling == e->sampling && cap->sampling_rate == e->sampling_rate));
    if (cap->mechanism != e->mechanism || !alike || e->sampling_rate > cap->sampling_rate)
        return false;
    if (e->mechanism == TACIT_DP_NONPRIVATE)
        return true;
    return e->mechanism == TACIT_DP_GAUSSIAN ? e->parameter >= cap->parameter
                                             : e->parameter <= cap->parameter;
}

/* The weakest event of the cap that still covers e: stronger ones are kept for what needs them. */
static tacit_dp_event *weakest(tacit_dp_event *left, size_t caps, const tacit_dp_event *e)
{
    tacit_dp_event *best = NULL;
    for (size_t i = 0; i < caps; i++)
        if (left[i].count > 0 && covers(&left[i], e) &&
            (!best || strength(&left[i]) < strength(best)))
            best = &left[i];
    return best;
}

static int strongest_first(const void *a, const void *b)
{
    double x = strength(a), y = strength(b);
    return (x < y) - (x > y);
}

static tacit_status refuse(const tacit_dp_event *e, uint64_t uncovered, tacit_error *err)
{
    static const char *const names[] = {"Gaussian", "Laplace", "RandomizedResponse", "NonPrivate"};
    return tc_fail(
        err, TACIT_E_BUDGET,
        "dp_event reports %" PRIu64 " times %s(%.9g) at sampling rate %.9g, of which the cap "
        "has no room for %" PRIu64
        ": the cap that was fixed beforehand needs the same mechanism with no more noise, "
        "no lower rate and no smaller count",
        e->count, names[e->mechanism], e->parameter, e->sampling_rate, uncovered);
}

static tacit_status assign(tacit_dp_event *asked, size_t n, tacit_dp_event *left, size_t caps,
                           tacit_error *err)
{
    qsort(asked, n, sizeof *asked, strongest_first);
    for (size_t i = 0; i < n; i++) {
        uint64_t rest = asked[i].count;
        tacit_dp_event *from;
        while (rest > 0 && (from = weakest(left, caps, &asked[i])) != NULL) {
            uint64_t taken = rest < from->count ? rest : from->count;
            from->count -= taken;
            rest -= taken;
        }
        if (rest > 0)
            return refuse(&asked[i], rest, err);
    }
    return TACIT_OK;
}

tacit_status tc_dp_report_within(const tacit_dp_event *reported, size_t n,
                                 const tacit_dp_event *cap, size_t caps, tacit_error *err)
{
    tacit_dp_event *both = tc_alloc(n + caps + 1, sizeof *both);
    if (!both)
        return tc_fail_memory(err);
    for (size_t i = 0; i < n + caps; i++)
        both[i] = i < n ? reported[i] : cap[i - n];
    tacit_status status = assign(both, n, both + n, caps, err);
    tc_free(both);
    return status;
}
