/* demo_promise.c - what is protected, from whom, and what is not (demo_int.h).
 *
 * An epsilon is printed as ledgers say that it was spent, by whom it was promised: to hospitals by the coordinator, which
 * draws the noise; to records by each hospital. */
#include "demo/demo_int.h"
#include "privacy/privacy_cli.h"

#include <tacit/plan.h>

#include <string.h>

static tacit_status print_text(tc_text *text, tacit_error *err)
{
    bool ok = !text->failed;
    if (ok)
        tc_privacy_paragraph(tc_text_get(text));
    tc_text_fini(text);
    return ok ? TACIT_OK : tc_fail_memory(err);
}

/* ---- to hospitals ---- */

/* With trustees neighbours are others, and the promise holds towards others, too: after the numbers, which are the ledger's, comes
 * what the study's plan says of them, in the place of the words about a coordinator that is trusted. */
static tacit_status add_trustees(const tc_demo_plan *plan, const char *words, tc_text *out,
                                 tacit_error *err)
{
    static const char scope[] = "Neighbours: ";
    const char *usual = strstr(words, scope), *shared;
    tacit_document *doc;
    tacit_plan *p = NULL;
    tc_text text = {0};
    TC_TRY(tc_demo_document(plan, false, &text, err));
    tacit_status status = tacit_document_parse(&doc, tc_text_get(&text), err);
    tc_text_fini(&text);
    TC_TRY(status);
    status = tacit_plan_new(&p, doc, err);
    if (status == TACIT_OK)
        status = tacit_plan_cost(p, err);
    if (status == TACIT_OK) {
        shared = strstr(tacit_plan_summarize(p)->statement, scope);
        tc_text_add_bytes(out, words, usual ? (size_t)(usual - words) : strlen(words));
        tc_text_addf(out, "%s ", shared ? shared : "");
        tc_text_add(out, tacit_plan_summarize(p)->trustees_sentence);
    }
    tacit_plan_free(p);
    tacit_document_free(doc);
    return status;
}

/* In the words of `tacit privacy plan`. Everybody takes part in every round of this study. */
static tacit_status print_statement(const tc_demo_plan *plan, const tacit_spent *spent, bool votes,
                                    tacit_error *err)
{
    tacit_status status = TACIT_OK;
    tacit_guarantee g = TACIT_GUARANTEE;
    tc_text text = {0};
    char *words;
    g.epsilon = spent->epsilon;
    g.delta = spent->delta;
    g.accountant = spent->accountant;
    TC_TRY(tacit_statement(&g, spent->releases, TACIT_UNIT_AGENT, TACIT_DP_ALL, &words, err));
    if (!spent->is_private)
        tc_text_addf(&text, "NOT PRIVATE: %s. ", spent->not_private);
    if (plan->trustees > 0)
        status = add_trustees(plan, words, &text, err);
    else
        tc_text_add(&text, words);
    tacit_text_free(words);
    if (votes)
        tc_text_add(&text, " " TC_PRIVACY_VOTE);
    if (status == TACIT_OK)
        return print_text(&text, err);
    tc_text_fini(&text);
    return status;
}

/* As a stranger would: the coordinator's ledger, checked entry by entry, and accounted for here. */
static tacit_status promise_to_hospitals(const tc_demo_world *w, bool votes, tacit_error *err)
{
    tacit_spent spent = TACIT_SPENT;
    tacit_ledger *l;
    char storage[320];
    tc_demo_storage(w, 0, storage);
    TC_TRY(tacit_ledger_open(&l, storage, TC_DEMO_STUDY, err));
    tacit_status status =
        tacit_ledger_spent(l, TACIT_UNIT_AGENT, NULL, NULL, TC_DEMO_DELTA, &spent, err);
    if (status == TACIT_OK)
        status = print_statement(&w->plan, &spent, votes, err);
    tacit_ledger_close(l);
    return status;
}

/* ---- to records ---- */

double tc_demo_most_paid(const tc_demo_journal *all, size_t hospitals)
{
    double epsilon = 0;
    for (size_t i = 0; i < hospitals; i++)
        epsilon = all[i].epsilon > epsilon ? all[i].epsilon : epsilon;
    return epsilon;
}

static void add_numbers(const tc_demo_plan *plan, tc_text *out)
{
    size_t least = SIZE_MAX, most = 0;
    for (unsigned k = 1; k <= plan->hospitals; k++) {
        size_t n = tc_hospital_checked(k);
        least = n < least ? n : least;
        most = n > most ? n : most;
    }
    tc_text_addf(out, "of which a hospital has %zu to %zu", least, most);
}

/* The same neighbours as in the agent's own statement (study/record_guard.c), in plain words. */
static tacit_status promise_to_records(const tc_demo_plan *plan, const tc_demo_journal *all,
                                       tacit_error *err)
{
    tc_text is = {0}, from = {0}, not = {0};
    char epsilon[32];
    tacit_epsilon_text(epsilon, tc_demo_most_paid(all, plan->hospitals));
    for (size_t i = 0; i < plan->hospitals; i++)
        if (all[i].exposed)
            tc_text_addf(&is, "NOT PRIVATE: hospital %u says so of its own ledger. ",
                         all[i].hospital);
    tc_text_add(&is, "Protected: every single validation record, ");
    add_numbers(plan, &is);
    tc_text_addf(&is,
                 ". Put any other record in its place, and whatever the %zu evaluations of its "
                 "hospital let out is as likely as before up to a factor of exp(epsilon) and an "
                 "extra probability of delta: epsilon %s, delta %g, for all of them together, by "
                 "the hospital's own ledger.",
                 plan->trials, epsilon, TC_DEMO_DELTA);
    TC_TRY(print_text(&is, err));
    tc_text_add(&from, "From whom: everybody, the coordinator and the other hospitals included. "
                       "Points, messages and results follow from values that have noise already.");
    putchar('\n');
    TC_TRY(print_text(&from, err));
    tc_text_add(
        &not, "Not protected: that a hospital takes part, and how many validation records it has; "
              "its training records, for the training here is not private; how long an "
              "evaluation takes. A patient with several records, in one hospital or in several, "
              "is protected less. Whoever acts on values without noise voids the promise.");
    putchar('\n');
    return print_text(&not, err);
}

tacit_status tc_demo_print_promise(const tc_demo_world *w, const tc_demo_journal *all,
                                   tacit_error *err)
{
    return w->plan.records ? promise_to_records(&w->plan, all, err)
                           : promise_to_hospitals(w, all[0].votes, err);
}
