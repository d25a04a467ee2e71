/* 12_curator.c - a bank has somebody else search its loans: a curator and a modeler in one program.
 *
 *     cc 12_curator.c $(pkg-config --cflags --libs tacit) -lm
 *
 * The bank has 200 loans, each with an income and a rate, and wants to know which kind brings most. It may not show
 * them. So it releases their rows with noise, in a secret order, and answers how much single loans have brought. Whoever
 * searches sees the noisy rows and the answers, and asks 25 times. What leaves is in the bank's ledger; each row has
 * spent epsilon 20 for the noise in its row, and 5 more if it was asked about. (For a short example both are large.) */
#include <tacit/experimental/curator.h>

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

enum { LOANS = 200, COLUMNS = 2, QUESTIONS = 25 };

static double rows[LOANS][COLUMNS]; /* income, rate */

/* Made up: loans of an income near 60000 at a rate near 4 bring most. */
static double profit(size_t loan)
{
    double income = rows[loan][0] / 1e4 - 6, rate = rows[loan][1] - 4;
    return exp(-(income * income + rate * rate) / 8);
}

static void make_loans(void)
{
    for (size_t i = 0; i < LOANS; i++) {
        rows[i][0] = 1e5 * fmod(0.618034 * (double)i, 1);
        rows[i][1] = 10 * fmod(0.754878 * (double)i, 1);
    }
}

/* The curator's side. Bounds and units are public: they never come from the data. */
static tacit_status release(tacit_curator **curator, const tacit_curator_report **report,
                            tacit_error *err)
{
    static const tacit_row_column columns[COLUMNS] = {{"income", 0, 1e5, 1e4}, {"rate", 0, 10, 1}};
    tacit_row_terms terms = TACIT_ROW_TERMS;
    tacit_curator_opts opts = TACIT_CURATOR_OPTS;
    terms.name = "loans";
    terms.rows = LOANS;
    terms.dims = COLUMNS;
    terms.columns = columns;
    terms.epsilon = 20;
    terms.output_epsilon = 5;
    terms.output_bound = 1;
    opts.storage = "sqlite:///12_bank.db";
    opts.secret = "12_loans.secret";
    opts.budget = 25;
    return tacit_curator_release(curator, &opts, &terms, &rows[0][0], report, err);
}

/* One question and its answer. Between two parties the row number and the answer would be messages: tacit_row_answer_text
 * and tacit_row_answer_parse. */
static tacit_status ask_once(tacit_modeler *modeler, tacit_curator *curator, tacit_error *err)
{
    uint64_t row;
    tacit_row_answer answer;
    tacit_status status = tacit_modeler_next(modeler, &row, err);
    if (status == TACIT_OK) {
        size_t loan = tacit_curator_secret(curator)->order[row];
        status = tacit_curator_answer(curator, row, profit(loan), &answer, err);
    }
    return status == TACIT_OK ? tacit_modeler_tell(modeler, &answer, NULL, err) : status;
}

/* The modeler's side; E_BUDGET from tacit_modeler_next: all that was planned is asked. */
static tacit_status search(tacit_curator *curator, const tacit_released *released, tacit_error *err)
{
    tacit_modeler *modeler = NULL;
    tacit_trial *best = NULL;
    tacit_modeler_opts opts = TACIT_MODELER_OPTS;
    opts.trials = QUESTIONS;
    tacit_status status =
        tacit_modeler_open(&modeler, "sqlite:///12_modeler.db", released, &opts, err);
    while (status == TACIT_OK)
        status = ask_once(modeler, curator, err);
    if (status == TACIT_E_BUDGET) {
        printf("%s\n", err->msg);
        status = tacit_study_best(tacit_modeler_study(modeler), &best, err);
    }
    if (status == TACIT_OK) {
        size_t row = (size_t)best->values[0], loan = tacit_curator_secret(curator)->order[row];
        printf("row %zu is the best of them: the bank knows that it is a loan at %.1f %% for an "
               "income of %.0f\n",
               row, rows[loan][1], rows[loan][0]);
    }
    tacit_trial_free(best);
    tacit_modeler_close(modeler);
    return status;
}

int main(void)
{
    tacit_error err = {0};
    tacit_curator *curator = NULL;
    const tacit_curator_report *report = NULL;
    /* An example begins anew; a real ledger is never removed. */
    remove("12_bank.db");
    remove("12_loans.secret");
    remove("12_modeler.db");
    make_loans();
    tacit_status status = release(&curator, &report, &err);
    if (status == TACIT_OK) {
        printf("released %zu rows: %s\n\n", report->released->rows, report->released->statement);
        status = search(curator, report->released, &err);
    }
    tacit_curator_close(curator);
    if (status != TACIT_OK)
        fprintf(stderr, "%s\n", err.msg);
    return tacit_status_exit(status);
}
