/* 05_private_sum.c - a network of clinics publishes private sums under a budget.
 *
 *     cc 05_private_sum.c $(pkg-config --cflags --libs tacit)
 *
 * Three clinics have a vector of two numbers each. Their sum leaves every week, with noise that
 * hides each clinic, until the budget of epsilon 2 is spent. The ledger, a SQLite file, decides
 * that; it keeps what has left, and exports itself for anybody to check. */
#include <tacit/ledger.h>

#include <stdio.h>

enum { CLINICS = 3, WIDTH = 2 };

static const double data[CLINICS][WIDTH] = {{0.9, 0.1}, {0.2, -0.4}, {-0.3, 0.8}};

/* The noise is drawn when the sum is opened, before a vector is read. */
static tacit_status make_sum(const tacit_sum_plan *plan, tacit_release **out, tacit_error *err)
{
    tacit_sum *sum = NULL;
    tacit_status status = tacit_sum_open(&sum, plan, err);
    for (size_t i = 0; status == TACIT_OK && i < CLINICS; i++)
        status = tacit_sum_fold(sum, i, data[i], err);
    if (status == TACIT_OK)
        status = tacit_sum_close(sum, out, err);
    tacit_sum_free(sum); /* NULL is allowed, in all functions of this name */
    return status;
}

/* What leaves is what the ledger has stored. Were this program killed here and started again, the
 * week would have the same numbers: the values come from the receipt, not from the release. */
static tacit_status publish(tacit_ledger *ledger, const tacit_sum_plan *plan,
                            const tacit_budget *budget, uint64_t week, tacit_error *err)
{
    tacit_release *release = NULL;
    tacit_receipt *receipt = NULL;
    tacit_charge charge = TACIT_CHARGE;
    charge.study = "weekly sums";
    charge.round = week;
    double values[WIDTH];
    tacit_status status = make_sum(plan, &release, err);
    if (status == TACIT_OK)
        status = tacit_ledger_release(ledger, budget, &charge, release, &receipt, err);
    if (status == TACIT_OK)
        status = tacit_release_decode(release, tacit_receipt_bytes(receipt),
                                      tacit_receipt_size(receipt), values, err);
    if (status == TACIT_OK)
        printf("week %d: %8.3f %8.3f\n", (int)week, values[0], values[1]);
    tacit_receipt_free(receipt);
    tacit_release_free(release);
    return status;
}

static tacit_status report(tacit_ledger *ledger, double delta, tacit_error *err)
{
    char *text = NULL, *json = NULL;
    tacit_status status =
        tacit_ledger_statement(ledger, TACIT_UNIT_AGENT, NULL, NULL, delta, &text, err);
    if (status == TACIT_OK)
        status = tacit_ledger_export(ledger, &json, err);
    if (status == TACIT_OK)
        printf("\n%s\n\nFor anybody to check: %.60s...\n", text, json);
    tacit_text_free(text);
    tacit_text_free(json);
    return status;
}

/* Until the ledger refuses: three weeks at noise multiplier 4 cost 1.93, a fourth would make 2.26. So
 * few clinics drown in that noise; privacy wants crowds. */
static tacit_status run(tacit_ledger *ledger, tacit_error *err)
{
    tacit_sum_plan plan = TACIT_SUM_PLAN;
    plan.agents = CLINICS;
    plan.width = WIDTH;
    plan.clip_norm = 1;
    plan.noise_multiplier = 4;

    tacit_budget budget = TACIT_BUDGET;
    budget.epsilon = 2;
    budget.delta = 1e-6;
    budget.accountant = "pld";

    tacit_status status = TACIT_OK;
    for (uint64_t week = 1; status == TACIT_OK; week++)
        status = publish(ledger, &plan, &budget, week, err);
    if (status != TACIT_E_BUDGET)
        return status;
    printf("refused: %s\n", err->msg);
    return report(ledger, budget.delta, err);
}

int main(void)
{
    tacit_error err = {0};
    tacit_ledger *ledger = NULL;
    remove("05_private_sum.db"); /* an example begins anew; a real ledger is never removed */
    tacit_status status =
        tacit_ledger_create(&ledger, "sqlite:///05_private_sum.db", "clinics", &err);
    if (status == TACIT_OK)
        status = run(ledger, &err);
    tacit_ledger_close(ledger);
    if (status != TACIT_OK)
        fprintf(stderr, "%s\n", err.msg);
    return tacit_status_exit(status);
}
