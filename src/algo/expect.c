/* expect.c - see expect.h. */
#include "algo/expect.h"

#include "base/error.h"

#include <inttypes.h>

/* A tenth less regret is the least that is called a gain, and its interval must end well below 1: there are several
 * iterations, and one interval of forty lies below 1 by chance. */
#define GAIN 0.9
#define SURE 0.95

tacit_status tc_expect_find(const tc_algorithm *a, const tc_env *env, const void *opts,
                            tc_expect *out, bool *known, tacit_error *err)
{
    *known = a->expect != NULL;
    return a->expect ? a->expect(env, opts, out, err) : TACIT_OK;
}

bool tc_expect_gains(const tc_expect_ratio *r)
{
    return r->ratio <= GAIN && r->high <= SURE;
}

static bool gains(const tc_expect *e)
{
    for (size_t i = 0; i < e->n; i++)
        if (tc_expect_gains(&e->at[i]))
            return true;
    return false;
}

/* ---- a sentence ---- */

static void add_ratio(const tc_expect *e, size_t i, tc_text *out)
{
    const tc_expect_ratio *r = &e->at[i];
    tc_text_addf(out, "%s%.2g (%.2g to %.2g) after %" PRIu64, i == 0 ? "" : ", ", r->ratio, r->low,
                 r->high, e->iteration[i]);
    if (i == 0)
        tc_text_addf(out, " iteration%s", e->iteration[i] == 1 ? "" : "s");
}

void tc_expect_add_sentence(const tc_expect *e, uint64_t agents, double epsilon, tc_text *out)
{
    if (e->none) {
        tc_text_addf(out, "What to expect of this study is not known: %s.", e->none);
        return;
    }
    tc_text_addf(out, "%" PRIu64 " agents ", agents);
    if (epsilon > 0)
        tc_text_addf(out, "at epsilon %g", epsilon);
    else
        tc_text_add(out, "with this noise");
    if (!gains(e)) {
        tc_text_add(out,
                    ": simulations of random smooth functions, even with agents that are alike, "
                    "show no gain over working alone.");
        return;
    }
    tc_text_add(out, ": in simulations of random smooth functions and agents that are alike, an "
                     "agent's regret is this share of its regret when working alone: ");
    for (size_t i = 0; i < e->n; i++)
        add_ratio(e, i, out);
    tc_text_add(out, ".");
}

/* ---- JSON ---- */

static json_t *ratios_json(const tc_expect *e)
{
    json_t *list = json_array();
    for (size_t i = 0; list && i < e->n; i++) {
        const tc_expect_ratio *r = &e->at[i];
        json_t *one = json_pack("{s:I, s:f, s:f, s:f}", "iteration", (json_int_t)e->iteration[i],
                                "ratio", r->ratio, "low", r->low, "high", r->high);
        if (json_array_append_new(list, one) != 0) {
            json_decref(list);
            return NULL;
        }
    }
    return list;
}

json_t *tc_expect_json(const tc_expect *e, uint64_t agents, double epsilon)
{
    tc_text sentence = {0};
    tc_expect_add_sentence(e, agents, epsilon, &sentence);
    json_t *j = sentence.failed ? NULL
                : e->none       ? json_pack("{s:n, s:s, s:n, s:[], s:s}", "gain", "reason", e->none,
                                            "left_open", "ratios", "sentence", tc_text_get(&sentence))
                          : json_pack("{s:b, s:n, s:f, s:o, s:s}", "gain", (int)gains(e), "reason",
                                      "left_open", e->left_open, "ratios", ratios_json(e),
                                      "sentence", tc_text_get(&sentence));
    tc_text_fini(&sentence);
    return j;
}
