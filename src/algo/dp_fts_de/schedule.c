/* schedule.c - which rounds release, and how likely a query follows the broadcast.
 *
 * Both are public and fixed before any data are seen: a schedule that reacted to releases would
 * need another accountant. Algorithm 2 has 1 - p_t = 1/sqrt(t) or 1/t, so that the first query is
 * the broadcast's; p1 > 0, which Theorem 1 asks for, scales that down. */
#include "algo/dp_fts_de/dp_fts_de.h"

#include "base/error.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static tacit_status refuse(const char *text, tacit_error *err)
{
    return tc_fail(
        err, TACIT_E_ARG,
        "releases must be auto, all, first, or rounds in ascending order as in 0,1,4, got "
        "\"%s\"",
        text);
}

static size_t count_items(const char *text)
{
    size_t n = 1;
    for (; *text; text++)
        n += *text == ',';
    return n;
}

static tacit_status parse_list(tc_dp_fts_de_releases *r, const char *text, tacit_error *err)
{
    const char *at = text;
    r->rounds = tc_alloc(count_items(text), sizeof *r->rounds);
    if (!r->rounds)
        return tc_fail_memory(err);
    for (;; at++) {
        char *end = NULL; /* stays so where no digit begins an item */
        unsigned long long round = isdigit((unsigned char)*at) ? strtoull(at, &end, 10) : 0;
        bool ascends = r->n == 0 || round > r->rounds[r->n - 1];
        if (!end || !ascends || round > INT64_MAX || (*end && *end != ','))
            return refuse(text, err);
        r->rounds[r->n++] = round;
        if (!*end)
            return TACIT_OK;
        at = end;
    }
}

tacit_status tc_dp_fts_de_releases_init(tc_dp_fts_de_releases *r, const char *text,
                                        tacit_error *err)
{
    *r = (tc_dp_fts_de_releases){.all = strcmp(text, "all") == 0 || strcmp(text, "auto") == 0};
    if (r->all)
        return TACIT_OK;
    tacit_status status = parse_list(r, strcmp(text, "first") == 0 ? "0" : text, err);
    if (status != TACIT_OK)
        tc_dp_fts_de_releases_fini(r);
    return status;
}

void tc_dp_fts_de_releases_fini(tc_dp_fts_de_releases *r)
{
    tc_free(r->rounds);
    *r = (tc_dp_fts_de_releases){0};
}

uint64_t tc_dp_fts_de_releases_next(const tc_dp_fts_de_releases *r, uint64_t from)
{
    for (size_t i = 0; i < r->n; i++)
        if (r->rounds[i] >= from)
            return r->rounds[i];
    return r->all ? from : TC_DP_FTS_DE_NEVER;
}

uint64_t tc_dp_fts_de_next_round(const tc_dp_fts_de_options *o, const tc_dp_fts_de_releases *r,
                                 uint64_t from)
{
    if (!tc_dp_fts_de_votes(o))
        return tc_dp_fts_de_releases_next(r, from);
    uint64_t release = from > 0 ? tc_dp_fts_de_releases_next(r, from - 1) : 0;
    return from == 0 ? 0 : release == TC_DP_FTS_DE_NEVER ? TC_DP_FTS_DE_NEVER : release + 1;
}

uint64_t tc_dp_fts_de_release_of(const tc_dp_fts_de_options *o, uint64_t round)
{
    return tc_dp_fts_de_votes(o) ? round - 1 : round;
}

double tc_dp_fts_de_follow(const tc_dp_fts_de_options *o, uint64_t t)
{
    double fall = o->schedule == TC_DP_FTS_DE_SQRT ? 1 / sqrt((double)t) : 1 / (double)t;
    return (1 - o->p1) * fall;
}
