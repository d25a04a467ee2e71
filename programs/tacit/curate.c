/* curate.c - `tacit curate`: the family, and what its verbs share. */
#include "curate_int.h"

#include "base/file.h"
#include "base/memory.h"
#include "storage.h"
#include "verbs.h"

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
    if (!l->store)
        TC_TRY(tc_store_open(&l->store, tc_storage_url(storage), create, err));
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

/* Pure epsilons add up, whoever chose them and when; what has a delta needs the filter. */
const tc_ledger_budget *tc_curate_budget(tc_ledger_budget *b, double epsilon, const tc_row_terms *t)
{
    bool pure = t->delta == 0 || t->noise == TC_ROWS_LAPLACE;
    *b = (tc_ledger_budget){.epsilon = epsilon,
                            .delta = pure ? ANY_DELTA : t->delta,
                            .accountant = pure ? &tc_accountant_pure : NULL};
    return epsilon > 0 ? b : NULL;
}

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
                                        &tc_verb_curate_perturb, NULL};

static tacit_status run(const tc_invocation *in, tacit_error *err)
{
    (void)in;
    return tc_fail(err, TACIT_E_ARG, "tacit curate needs a second word: release, answer, perturb");
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
