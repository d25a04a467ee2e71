/* weights.c - an urn of agents: drawing without replacement from fixed weights.
 *
 * A used message is removed from P_N and P_N is renormalised (section 3.1). What is stored is who is
 * out, not who is left: with equal weights an urn of a million agents takes no more room
 * or time than one of ten. Weights are integers, so that sums and differences are exact. Given ones
 * are read once for all agents of a process: N agents with sums of their own would take N^2 room. */
#include "algo/fts/weights.h"

#include "base/error.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

enum { WEIGHT_BITS = 31, ITEM_SIZE = 64 };

static size_t count_items(const char *text)
{
    size_t n = 1;
    for (; *text; text++)
        n += *text == ',';
    return n;
}

/* The number before the next comma or the end; *text is moved past it. */
static bool next_weight(const char **text, double *out)
{
    char item[ITEM_SIZE];
    size_t n = strcspn(*text, ",");
    if (n >= sizeof item)
        return false;
    memcpy(item, *text, n);
    item[n] = '\0';
    *text += n + ((*text)[n] == ',');
    return tc_parse_double(item, out) && *out >= 0;
}

static bool largest_weight(const char *text, uint64_t agents, double *largest)
{
    *largest = 0;
    if (count_items(text) != agents)
        return false;
    for (uint64_t i = 0; i < agents; i++) {
        double w;
        if (!next_weight(&text, &w))
            return false;
        *largest = fmax(*largest, w);
    }
    return *largest > 0;
}

/* The weight as a whole number of units of largest / 2^31; a weight that is not zero stays so. */
static uint64_t whole(double w, double largest)
{
    uint64_t units = (uint64_t)ldexp(w / largest, WEIGHT_BITS);
    return units > 0 || w == 0 ? units : 1;
}

static tacit_status parse_given(tc_fts_urn *u, const char *text, tacit_error *err)
{
    double largest, w = 0;
    if (!largest_weight(text, u->agents, &largest))
        return tc_fail(err, TACIT_E_ARG,
                       "given must be %" PRIu64
                       " weights, one for each agent, none below 0 and not "
                       "all 0, separated by commas; got \"%.200s\"",
                       u->agents, text);
    u->given = tc_alloc(1, sizeof *u->given + (u->agents + 1) * sizeof *u->given->before);
    if (!u->given)
        return tc_fail_memory(err);
    u->given->users = 1;
    uint64_t *before = u->given->before;
    for (uint64_t i = 0; i < u->agents; i++) {
        next_weight(&text, &w);
        before[i + 1] = before[i] + whole(w, largest);
    }
    return TACIT_OK;
}

tacit_status tc_fts_urn_init(tc_fts_urn *u, uint64_t agents, const char *given,
                             const tc_fts_urn *sibling, tacit_error *err)
{
    *u = (tc_fts_urn){.agents = agents};
    if (!given)
        return TACIT_OK;
    if (!sibling || !sibling->given || sibling->agents != agents)
        return parse_given(u, given, err);
    u->given = sibling->given;
    u->given->users++;
    return TACIT_OK;
}

void tc_fts_urn_fini(tc_fts_urn *u)
{
    if (u->given && --u->given->users == 0)
        tc_free(u->given);
    tc_free(u->out);
    *u = (tc_fts_urn){0};
}

/* Weight of the agents before `agent`, whether they are out or not. */
static uint64_t before(const tc_fts_urn *u, uint64_t agent)
{
    return u->given ? u->given->before[agent] : agent;
}

/* How many of those that are out come before `agent`. */
static size_t rank_out(const tc_fts_urn *u, uint64_t agent)
{
    size_t low = 0, high = u->n;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (u->out[middle].agent < agent)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Weight of the agents before `agent` that are within. */
static uint64_t within(const tc_fts_urn *u, uint64_t agent)
{
    size_t k = rank_out(u, agent);
    return before(u, agent) - (k > 0 ? u->out[k - 1].through : 0);
}

tacit_status tc_fts_urn_reserve(tc_fts_urn *u, tacit_error *err)
{
    return tc_grow((void **)&u->out, &u->cap, u->n + 1, sizeof *u->out) ? TACIT_OK
                                                                        : tc_fail_memory(err);
}

void tc_fts_urn_remove(tc_fts_urn *u, uint64_t agent)
{
    size_t k = rank_out(u, agent);
    if (k < u->n && u->out[k].agent == agent)
        return;
    memmove(u->out + k + 1, u->out + k, (u->n - k) * sizeof *u->out);
    u->out[k].agent = agent;
    u->n++;
    uint64_t sum = k > 0 ? u->out[k - 1].through : 0;
    for (; k < u->n; k++) {
        sum += before(u, u->out[k].agent + 1) - before(u, u->out[k].agent);
        u->out[k].through = sum;
    }
}

void tc_fts_urn_refill(tc_fts_urn *u)
{
    u->n = 0;
}

uint64_t tc_fts_urn_left(const tc_fts_urn *u)
{
    return within(u, u->agents);
}

double tc_fts_urn_weight(const tc_fts_urn *u, uint64_t agent)
{
    return (double)(before(u, agent + 1) - before(u, agent));
}

uint64_t tc_fts_urn_pick(const tc_fts_urn *u, uint64_t ticket)
{
    uint64_t low = 0, high = u->agents - 1;
    while (low < high) {
        uint64_t middle = low + (high - low) / 2;
        if (within(u, middle + 1) > ticket)
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}
