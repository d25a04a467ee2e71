/* po_measured.c - PO-GP-UCB on loans and on property [Kharkovskii, Dai, Low 2020, Fig. 2b, 2c, Tables 4 to
 * 9].
 *
 * Loans: (amount by investors, interest rate, log of annual income), maximise log(1 + return). Property:
 * (longitude, latitude), minimise the log of the price per square metre. Columns are standardised, which
 * stands in for the paper's isotropic preprocessing, centred, and scaled so that the largest norm is 25;
 * values are in units of their standard deviation. All that is read from the data: fit for an experiment,
 * not for a promise. The modeler learns its constants from what it is shown. */
#include "base/csv.h"
#include "base/error.h"
#include "base/memory.h"
#include "papers/data/dataset.h"
#include "papers/experiments/outsource.h"

#include <math.h>
#include <string.h>

enum { MOST_DIMS = 3, MOST_COLUMNS = 16, MOST_QUESTIONS = 100, POINTS = 6, QUICK_ROWS = 500 };

static const double REACH = 25;

/* ---- reading */

typedef struct table {
    size_t rows, dims, cap;
    double *x; /* rows x (dims + 1), the value last */
} table;

/* Fills dims numbers and the value from those of the named columns; false: the row does not count. */
typedef bool (*take_fn)(const double *v, double *out);

typedef struct source {
    const char *columns[MOST_COLUMNS]; /* that `take` gets, in order */
    size_t dims;
    take_fn take;
    bool maximize;
    uint64_t questions;
    double delta;
} source;

static tacit_status find_columns(const tc_csv *c, const source *s, size_t *at, tacit_error *err)
{
    for (size_t k = 0; s->columns[k]; k++) {
        at[k] = c->n;
        for (size_t i = 0; i < c->n; i++)
            if (strcmp(c->field[i], s->columns[k]) == 0)
                at[k] = i;
        if (at[k] == c->n)
            return tc_csv_fail(c, 0, err, "there is no column %s", s->columns[k]);
    }
    return TACIT_OK;
}

/* What is no number becomes NaN, which no `take` counts. */
static tacit_status take_row(const tc_csv *c, const source *s, const size_t *at, table *t,
                             tacit_error *err)
{
    double v[MOST_COLUMNS], row[MOST_DIMS + 1];
    for (size_t k = 0; s->columns[k]; k++)
        if (!tc_parse_double(c->field[at[k]], &v[k]))
            v[k] = NAN;
    if (!s->take(v, row))
        return TACIT_OK;
    size_t width = s->dims + 1;
    if (!tc_grow((void **)&t->x, &t->cap, (t->rows + 1) * width, sizeof *t->x))
        return tc_fail_memory(err);
    memcpy(t->x + t->rows++ * width, row, width * sizeof *row);
    return TACIT_OK;
}

static tacit_status parse(tc_csv *c, const source *s, table *t, tacit_error *err)
{
    size_t at[MOST_COLUMNS] = {0};
    TC_TRY(tc_csv_next(c, err));
    TC_TRY(find_columns(c, s, at, err));
    for (;;) {
        TC_TRY(tc_csv_next(c, err));
        if (c->n == 0)
            break;
        TC_TRY(take_row(c, s, at, t, err));
    }
    return t->rows > s->dims ? TACIT_OK : tc_csv_fail(c, 0, err, "there are too few rows");
}

/* ---- scaling */

static void standardise(table *t, size_t k, size_t width, bool centre)
{
    double mean = 0, square = 0, n = (double)t->rows;
    for (size_t i = 0; i < t->rows; i++)
        mean += t->x[i * width + k] / n;
    for (size_t i = 0; i < t->rows; i++)
        square += (t->x[i * width + k] - mean) * (t->x[i * width + k] - mean) / n;
    for (size_t i = 0; i < t->rows; i++)
        t->x[i * width + k] = (t->x[i * width + k] - (centre ? mean : 0)) / sqrt(square);
}

static void scale(table *t)
{
    size_t width = t->dims + 1;
    double most = 0;
    for (size_t k = 0; k < width; k++)
        standardise(t, k, width, k < t->dims);
    for (size_t i = 0; i < t->rows; i++) {
        double norm = 0;
        for (size_t k = 0; k < t->dims; k++)
            norm += t->x[i * width + k] * t->x[i * width + k];
        most = fmax(most, norm);
    }
    for (size_t i = 0; i < t->rows; i++)
        for (size_t k = 0; k < t->dims; k++)
            t->x[i * width + k] *= REACH / sqrt(most);
}

/* ---- the objective */

typedef struct making {
    const source *s;
    const char *text, *what;
    size_t len;
    bool quick;
} making;

/* Quick: about QUICK_ROWS of them, evenly. */
static void write_rows(const table *t, bool quick, tc_text *out)
{
    size_t width = t->dims + 1, stride = quick ? 1 + t->rows / QUICK_ROWS : 1;
    for (size_t k = 0; k < t->dims; k++)
        tc_text_addf(out, "x%zu,", k + 1);
    tc_text_add(out, "value\n");
    for (size_t i = 0; i < t->rows; i += stride)
        for (size_t k = 0; k < width; k++)
            tc_text_addf(out, "%.9g%s", t->x[i * width + k], k + 1 < width ? "," : "\n");
}

static tacit_status make(void *user, tc_text *out, tacit_error *err)
{
    const making *m = user;
    table t = {.dims = m->s->dims};
    tc_csv c;
    tc_csv_init(&c, m->text, m->len, m->what);
    tacit_status status = parse(&c, m->s, &t, err);
    tc_csv_fini(&c);
    if (status == TACIT_OK) {
        scale(&t);
        write_rows(&t, m->quick, out);
    }
    tc_free(t.x);
    return status;
}

static tacit_status get_table(const tc_setup *s, const tc_experiment *e, making *m,
                              char **objective, tacit_error *err)
{
    tc_text key = {0};
    char digest[TC_DIGEST + 1];
    tc_digest(m->text, m->len, digest);
    tc_text_addf(&key, "%s 1 quick %d data %s", e->data, s->quick, digest);
    return tc_cache_table(s, e->data, &key, make, m, objective, err);
}

static tacit_status prepare(const tc_setup *s, const tc_experiment *e, const source *of, void **out,
                            tacit_error *err)
{
    char *text, *objective;
    size_t len;
    TC_TRY(tc_dataset_read(s->data, e->data, e->files[0], &text, &len, err));
    making m = {.s = of, .text = text, .what = e->files[0], .len = len, .quick = s->quick};
    tacit_status status = get_table(s, e, &m, &objective, err);
    tc_free(text);
    TC_TRY(status);
    *out = objective;
    return TACIT_OK;
}

/* ---- cells */

typedef struct plan {
    const source *of;
    double log_epsilon;
    bool plain; /* the modeler sees the rows themselves */
    bool
        moved; /* epsilon is such that the branch is where the paper has it: on these rows it is not */
} plan;

/* The paper's tables have their branch behind this point. */
enum { LAST_BEFORE = 3 };

static tc_outsource_task task_of(const tc_arm_run *c, const plan *p)
{
    return (tc_outsource_task){.objective = c->prepared,
                               .words = p->of->maximize ? NULL : "table-goal=minimize",
                               .unit = 1,
                               .epsilon = p->plain ? 0 : exp(p->log_epsilon),
                               .delta = p->of->delta,
                               .questions = p->of->questions};
}

static tacit_status run_curve(const tc_arm_run *c, tacit_error *err)
{
    tc_outsource_task t = task_of(c, c->arm->set);
    t.rank = 15;
    return tc_outsource(c, &t, c->y, err);
}

/* Row noise knows no r: its one number stands at every point. */
static tacit_status run_table(const tc_arm_run *c, tacit_error *err)
{
    double curve[MOST_QUESTIONS];
    const plan *p = c->arm->set;
    tc_outsource_task t = task_of(c, p);
    if (p->moved)
        TC_TRY(tc_outsource_branch(&t, (size_t)c->x[LAST_BEFORE], (size_t)c->x[LAST_BEFORE + 1],
                                   &t.epsilon, err));
    for (size_t i = 0; i < c->n; i++) {
        t.rank = (size_t)c->x[i];
        if (i == 0 || c->arm->mode == TC_ARM_PAPER)
            TC_TRY(tc_outsource(c, &t, curve, err));
        c->y[i] = curve[p->of->questions - 1];
    }
    return TACIT_OK;
}

/* ---- the two data sets */

/* funded_amnt_inv, funded_amnt, int_rate, annual_inc, policy, total_pymnt, roi */
static bool take_loan(const double *v, double *out)
{
    if (!(v[4] == 1 && v[3] > 0 && v[0] > 0 && v[0] >= 0.9 * v[1] && v[5] > 0 && v[6] > -1))
        return false;
    out[0] = v[0];
    out[1] = v[2];
    out[2] = log(v[3]);
    out[3] = log1p(v[6]);
    return true;
}

static bool take_house(const double *v, double *out)
{
    if (!(isfinite(v[0]) && isfinite(v[1]) && v[2] > 0))
        return false;
    out[0] = v[0];
    out[1] = v[1];
    out[2] = log(v[2]);
    return true;
}

static const source loans = {
    {"funded_amnt_inv", "funded_amnt", "int_rate", "annual_inc", "policy", "total_pymnt", "roi"},
    3,
    take_loan,
    true,
    50,
    1e-5};
static const source houses = {
    {"longitude", "latitude", "price_per_m2"}, 2, take_house, false, 100, 1e-4};

static const char *const loan_files[] = {"loans.csv", NULL};
static const char *const house_files[] = {"kingcounty_2004.csv", NULL};

#define LOAN_WORDS  "36,294 loans, 3 columns, T = 50, delta = 1e-5; paper mode is NOT PRIVATE"
#define HOUSE_WORDS "2004 houses, 2 columns, T = 100, delta = 1e-4; paper mode is NOT PRIVATE"
#define SCALES                                                                                     \
    "columns standardised; scales are read from the data, so that no epsilon here is a promise"
#define LOAN_STAND  "the filter and the return of the paper are not given; " SCALES
#define HOUSE_STAND "houses of King County in place of Singapore's; " SCALES

#define MEASURED(id, of)                                                                           \
    extern const tc_experiment tc_experiment_##id;                                                 \
    static tacit_status prepare_##id(const tc_setup *s, void **out, tacit_error *err)              \
    {                                                                                              \
        return prepare(s, &tc_experiment_##id, &(of), out, err);                                   \
    }

/* ---- Fig. 2b and 2c */

#define CURVES(id, from, a, b, c, name_a, name_b, name_c)                                          \
    static const plan id##_plain = {.of = &(from), .plain = true},                                 \
                      id##_a = {.of = &(from), .log_epsilon = (a)},                                \
                      id##_b = {.of = &(from), .log_epsilon = (b)},                                \
                      id##_c = {.of = &(from), .log_epsilon = (c)};                                \
    static const tc_arm id##_arms[] = {                                                            \
        {"non-private", "GP-UCB, non-private", TC_ARM_BOTH, "po-gp-ucb", .set = &id##_plain},      \
        {"large-paper", "epsilon = " name_a, TC_ARM_PAPER, "po-gp-ucb", .set = &id##_a},           \
        {"large-rows", "epsilon = " name_a, TC_ARM_DEFAULT, "po-gp-ucb", .set = &id##_a},          \
        {"middle-paper", "epsilon = " name_b, TC_ARM_PAPER, "po-gp-ucb", .set = &id##_b},          \
        {"middle-rows", "epsilon = " name_b, TC_ARM_DEFAULT, "po-gp-ucb", .set = &id##_b},         \
        {"small-paper", "epsilon = " name_c, TC_ARM_PAPER, "po-gp-ucb", .set = &id##_c},           \
        {"small-rows", "epsilon = " name_c, TC_ARM_DEFAULT, "po-gp-ucb", .set = &id##_c},          \
    };                                                                                             \
    MEASURED(id, from)

#define CURVE_SAYS(last)                                                                           \
    {                                                                                              \
        {"the largest epsilon is no worse than non-private GP-UCB",                                \
         TC_NO_WORSE,                                                                              \
         {"large-paper", last},                                                                    \
         {"non-private", last}},                                                                   \
            {"a smaller epsilon costs regret (paper mode, largest before smallest)",               \
             TC_BELOW,                                                                             \
             {"large-paper", last},                                                                \
             {"small-paper", last}},                                                               \
            {"row noise is better than the projection at the smallest epsilon",                    \
             TC_BELOW,                                                                             \
             {"small-rows", last},                                                                 \
             {"small-paper", last}},                                                               \
        {                                                                                          \
            NULL                                                                                   \
        }                                                                                          \
    }

CURVES(po_fig2b, loans, 2.9, 2, 1, "e^2.9", "e^2", "e")
CURVES(po_fig2c, houses, 2.8, 1, 0.5, "e^2.8", "e", "e^0.5")
static const tc_statement fig2b_says[] = CURVE_SAYS(49);
static const tc_statement fig2c_says[] = CURVE_SAYS(99);
static const size_t fig2b_shown[] = {9, 49}, fig2c_shown[] = {9, 99};

#define FIG2(id, name_, figure_, claim_, words_, stand_, folder_, files_, n_, seconds_, says_,     \
             shown_)                                                                               \
    const tc_experiment tc_experiment_##id = {                                                     \
        .name = name_,                                                                             \
        .paper = "po-gp-ucb",                                                                      \
        .figure = figure_,                                                                         \
        .claim = claim_,                                                                           \
        .setting = words_,                                                                         \
        .stand_in = stand_,                                                                        \
        .version = 1,                                                                              \
        .data = folder_,                                                                           \
        .files = files_,                                                                           \
        .runs = 50,                                                                                \
        .quick_runs = 2,                                                                           \
        .seconds = seconds_,                                                                       \
        .quick_seconds = 0.5,                                                                      \
        TC_ARMS(id##_arms),                                                                        \
        .x = {.label = "questions", .n = n_, .step = 1},                                           \
        .y_label = "simple regret (sd of the values)",                                             \
        TC_SHOWN(shown_),                                                                          \
        .prepare = prepare_##id,                                                                   \
        .finish = tc_free,                                                                         \
        .run = run_curve,                                                                          \
        .statements = says_,                                                                       \
    }

FIG2(po_fig2b, "po-fig2b-loans", "Fig. 2b (loans), r = 15",
     "regret 0.003, 0.019 and 0.05 above non-private GP-UCB", LOAN_WORDS, LOAN_STAND, "loans",
     loan_files, 50, 8, fig2b_says, fig2b_shown);
FIG2(po_fig2c, "po-fig2c-property", "Fig. 2c (property), r = 15",
     "regret 0.051, 0.017 and 0.082 above non-private GP-UCB", HOUSE_WORDS, HOUSE_STAND,
     "property_kingcounty", house_files, 100, 2, fig2c_says, fig2c_shown);

/* ---- Tables 4 to 9 */

#define UNREACHED "; at the printed epsilon no r of these rows reaches the branch"
#define LINE      "PO-GP-UCB"
#define MOVED     "PO-GP-UCB, a smaller epsilon with the branch behind the fourth r"
static const double ranks1[POINTS] = {3, 6, 8, 10, 15, 20};
static const double ranks2[POINTS] = {3, 9, 12, 15, 20, 30};
static const double ranks3[POINTS] = {5, 10, 15, 20, 30, 50};
static const tc_statement table_says[] = {
    {"at the printed epsilon, where no r reaches the branch, the fourth r is better than the "
     "smallest",
     TC_BELOW,
     {"paper", LAST_BEFORE},
     {"paper", 0}},
    {"with the branch moved, the largest r before it is better than the smallest",
     TC_BELOW,
     {"moved", LAST_BEFORE},
     {"moved", 0}},
    {"with the branch moved, regret rises past it",
     TC_BELOW,
     {"moved", LAST_BEFORE},
     {"moved", LAST_BEFORE + 1}},
    {NULL}};

#define SIX(a, b, c, d, e, f)                                                                      \
    {                                                                                              \
        {LINE, 0, a, 5e-4}, {LINE, 1, b, 5e-4}, {LINE, 2, c, 5e-4}, {LINE, 3, d, 5e-4},            \
            {LINE, 4, e, 5e-4}, {LINE, 5, f, 5e-4},                                                \
        {                                                                                          \
            NULL                                                                                   \
        }                                                                                          \
    }
#define TABLE(id, from, e, name_, figure_, words_, stand_, folder_, files_, ranks, seconds_, ...)  \
    static const plan id##_plan = {.of = &(from), .log_epsilon = (e)};                             \
    static const plan id##_moved = {.of = &(from), .moved = true};                                 \
    static const tc_arm id##_arms[] = {                                                            \
        {"paper", LINE, TC_ARM_PAPER, "po-gp-ucb", .set = &id##_plan},                             \
        {"moved", MOVED, TC_ARM_PAPER, "po-gp-ucb", .set = &id##_moved},                           \
        {"rows", LINE, TC_ARM_DEFAULT, "po-gp-ucb", .set = &id##_plan},                            \
    };                                                                                             \
    static const tc_printed id##_printed[] = SIX(__VA_ARGS__);                                     \
    MEASURED(id, from)                                                                             \
    const tc_experiment tc_experiment_##id = {                                                     \
        .name = name_,                                                                             \
        .paper = "po-gp-ucb",                                                                      \
        .figure = figure_,                                                                         \
        .claim = "the largest r before the branch is best",                                        \
        .setting = words_,                                                                         \
        .stand_in = stand_ UNREACHED,                                                              \
        .version = 2,                                                                              \
        .data = folder_,                                                                           \
        .files = files_,                                                                           \
        .runs = 50,                                                                                \
        .quick_runs = 2,                                                                           \
        .seconds = seconds_,                                                                       \
        .quick_seconds = 0.5,                                                                      \
        TC_ARMS(id##_arms),                                                                        \
        .x = {.label = "r", .n = POINTS, .at = ranks},                                             \
        .y_label = "simple regret (sd of the values)",                                             \
        .prepare = prepare_##id,                                                                   \
        .finish = tc_free,                                                                         \
        .run = run_table,                                                                          \
        .printed = id##_printed,                                                                   \
        .statements = table_says,                                                                  \
    }

#define LOAN_TABLE(id, e, name_, figure_, ranks, ...)                                              \
    TABLE(id, loans, e, name_, figure_, LOAN_WORDS, LOAN_STAND, "loans", loan_files, ranks, 8,     \
          __VA_ARGS__)
#define HOUSE_TABLE(id, e, name_, figure_, ranks, ...)                                             \
    TABLE(id, houses, e, name_, figure_, HOUSE_WORDS, HOUSE_STAND, "property_kingcounty",          \
          house_files, ranks, 2, __VA_ARGS__)

LOAN_TABLE(po_table4, 2.7, "po-table4-loans", "Table 4: epsilon = e^2.7", ranks1, 0.083, 0.088,
           0.078, 0.069, 0.081, 0.076);
LOAN_TABLE(po_table5, 2.9, "po-table5-loans", "Table 5: epsilon = e^2.9", ranks2, 0.091, 0.076,
           0.078, 0.077, 0.1, 0.096);
LOAN_TABLE(po_table6, 3.1, "po-table6-loans", "Table 6: epsilon = e^3.1", ranks3, 0.097, 0.091,
           0.069, 0.084, 0.104, 0.127);
HOUSE_TABLE(po_table7, 2.6, "po-table7-property", "Table 7: epsilon = e^2.6", ranks1, 0.682, 0.516,
            0.495, 0.485, 0.485, 0.493);
HOUSE_TABLE(po_table8, 2.8, "po-table8-property", "Table 8: epsilon = e^2.8", ranks2, 0.567, 0.553,
            0.479, 0.453, 0.493, 0.52);
HOUSE_TABLE(po_table9, 3, "po-table9-property", "Table 9: epsilon = e^3", ranks3, 0.591, 0.523,
            0.486, 0.482, 0.489, 0.488);
