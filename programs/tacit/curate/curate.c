/* curate.c - `tacit curate`: the family, and what its verbs share. */
#include "curate/curate_answer.h"

#include "base/file.h"
#include "base/memory.h"
#include <tacit/privacy.h>
#include "study/storage.h"
#include "frame/verbs.h"

#include <string.h>

/* Pure composition holds at any delta; accountants ask for one. */
static const double ANY_DELTA = 1e-9;

char *tc_secret_path(const char *option, const char *data)
{
    tc_text path = {0};
    tc_text_add(&path, option ? option : data);
    tc_text_add(&path, option ? "" : ".secret");
    char *text = tc_text_take(&path);
    tc_text_fini(&path);
    return text;
}

tacit_status tc_curator_ledger_open(tc_curator_ledger *l, const char *storage, const char *name,
                                    bool create, tacit_error *err)
{
    tc_ledger_io io;
    const char *url = tc_storage_url(storage);
    if (strncmp(url, "memory:", 7) == 0)
        return tc_fail(err, TACIT_E_ARG,
                       "storage \"memory:\" does not last, so nobody would know what was spent: a "
                       "curator needs sqlite:///FILE or postgresql://HOST/DATABASE");
    if (!l->store)
        TC_TRY(tc_store_open(&l->store, url, create, err));
    TC_TRY(tc_store_ledger(l->store, name, create, &io, err));
    return tc_ledger_open(&l->ledger, name, &io, err);
}

void tc_curator_ledger_close(tc_curator_ledger *l)
{
    tc_ledger_close(l->ledger);
    tc_store_close(l->store);
    *l = (tc_curator_ledger){0};
}

void tc_curator_noise_init(tc_curator_noise *n, int64_t seed, uint64_t step)
{
    tc_noise_init(&n->noise);
    n->entropy = tc_entropy_of(&n->noise);
    if (seed < 0)
        return;
    tc_test_noise_init(&n->seeded, (uint64_t)seed, step);
    n->entropy = tc_entropy_of_test(&n->seeded);
}

void tc_curator_noise_fini(tc_curator_noise *n)
{
    tc_noise_fini(&n->noise);
}

/* ---- budgets */

static bool any_gaussian(const tc_ledger *l)
{
    uint64_t n = l ? tc_ledger_get_head(l).seq : 0;
    for (uint64_t seq = 1; seq <= n; seq++) {
        const tc_ledger_entry *e = tc_ledger_get(l, seq, NULL);
        if (e->unit == TACIT_UNIT_ROW && e->event.mechanism == TACIT_DP_GAUSSIAN)
            return true;
    }
    return false;
}

/* Is all that was charged to every row the release of these terms, if anything was? Answers, which are
 * charged to single rows, are part of its terms. */
static tacit_status is_alone(const tc_ledger *l, const tc_row_terms *t, bool *out, tacit_error *err)
{
    tacit_hash study;
    uint64_t n = l ? tc_ledger_get_head(l).seq : 0;
    TC_TRY(tc_row_terms_hash(t, &study, err));
    *out = true;
    for (uint64_t seq = 1; seq <= n; seq++) {
        const tc_ledger_entry *e = tc_ledger_get(l, seq, NULL);
        if (e->unit == TACIT_UNIT_ROW && !*e->subject && !tc_ledger_hash_same(&e->study, &study))
            *out = false;
    }
    return TACIT_OK;
}

/* The accountant that fits the noise. Pure epsilons add up, whoever chose them and when. One release
 * with a delta, and its answers, were planned together, and any accountant may add them up. Where
 * there are other releases, this one may have been chosen in view of them: that needs the filter. */
tacit_status tc_curate_budget(tc_ledger_budget *b, double epsilon, const tc_row_terms *t,
                              const tc_ledger *l, const tc_ledger_budget **out, tacit_error *err)
{
    tc_row_cost cost;
    bool alone;
    *out = NULL;
    if (epsilon == 0)
        return TACIT_OK;
    TC_TRY(tc_row_cost_of(t, &cost, err));
    TC_TRY(is_alone(l, t, &alone, err));
    bool pure = cost.delta == 0 && !any_gaussian(l);
    if (!pure && t->delta == 0)
        return tc_fail(err, TACIT_E_ARG,
                       "--budget needs --delta: ledger \"%s\" has releases with Gaussian noise",
                       tc_ledger_name(l));
    *b = (tc_ledger_budget){.epsilon = epsilon,
                            .delta = pure ? ANY_DELTA : t->delta,
                            .accountant = pure    ? &tc_accountant_pure
                                          : alone ? &tc_accountant_pld
                                                  : NULL};
    *out = b;
    return TACIT_OK;
}

tacit_status tc_curate_over_budget(const tc_ledger_budget *b, const tc_ledger *l, double asked,
                                   tacit_error *err)
{
    char spent[32], more[32];
    tc_ledger_claim claim;
    if (b->accountant)
        return TACIT_E_BUDGET; /* which has said so already */
    TC_TRY(tc_ledger_guarantee(l, TACIT_UNIT_ROW, NULL, b->delta, NULL, &claim, err));
    tacit_epsilon_text(spent, claim.bound.epsilon);
    tacit_epsilon_text(more, asked);
    return tc_fail(err, TACIT_E_BUDGET,
                   "the privacy budget of every row (epsilon %g, delta %g) does not allow this "
                   "release: spent %s, asked %s; what may have been chosen in view of earlier "
                   "releases is added up by a filter, to more than planned releases have",
                   b->epsilon, b->delta, spent, more);
}

/* ---- writing */

tacit_status tc_curate_write(const char *file, char *text, tacit_error *err)
{
    tc_text line = {0};
    if (!text)
        return tc_fail_memory(err);
    tc_text_addf(&line, "%s\n", text);
    tc_free(text);
    tacit_status st = line.failed ? tc_fail_memory(err) : TACIT_OK;
    if (st == TACIT_OK && file)
        st = tc_file_write(file, line.data, line.len, err);
    else if (st == TACIT_OK)
        fputs(line.data, stdout);
    tc_text_fini(&line);
    return st;
}

static const tc_verb *const family[] = {&tc_verb_curate_release, &tc_verb_curate_answer,
                                        &tc_verb_curate_perturb, &tc_verb_curate_publish, NULL};

static tacit_status run(const tc_invocation *in, tacit_error *err)
{
    (void)in;
    return tc_fail(err, TACIT_E_ARG,
                   "tacit curate needs a second word: release, answer, perturb, publish");
}

const tc_verb tc_verb_curate = {
    .name = "curate",
    .usage = "VERB [options]",
    .summary = "the side that has the data: release rows, answer about them, perturb a reward",
    .details =
        "The curator decides what may leave. What it released, and at what price, is in its\n"
        "ledger; tacit privacy status reads it. The other side is tacit model.",
    .family = family,
    .run = run,
};
