/* ldp_measured.c - locally private and heavy-tailed bandits on measurements [Zhou, Tan 2021, Fig. 2b, 2c,
 * 2e, 2f]: light sensors and stocks.
 *
 * An arm is a column of measurements: f is its mean, a pull one of its values at random, the kernel the
 * correlations of the columns (of the sensors: of the training part). B, R, v and c are read from the
 * data, as the paper has it: fit for an experiment, not for a promise. */
#include "base/csv.h"
#include "base/error.h"
#include "base/memory.h"
#include "papers/data/dataset.h"
#include "papers/frame/drive.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { POINTS = 20 };

/* ---- measurements */

typedef struct columns {
    size_t rows, cols, cap;
    double *x; /* by rows */
} columns;

static tacit_status take_row(const tc_csv *c, size_t first, columns *out, tacit_error *err)
{
    out->cols = c->n - first;
    if (!tc_grow((void **)&out->x, &out->cap, (out->rows + 1) * out->cols, sizeof *out->x))
        return tc_fail_memory(err);
    for (size_t k = 0; k < out->cols; k++)
        if (!tc_parse_double(c->field[first + k], &out->x[out->rows * out->cols + k]))
            return tc_csv_fail(c, first + k + 1, err, "a number is needed, got \"%.32s\"",
                               c->field[first + k]);
    out->rows++;
    return TACIT_OK;
}

/* first: columns before it are passed over. */
static tacit_status parse(tc_csv *c, size_t first, columns *out, tacit_error *err)
{
    TC_TRY(tc_csv_next(c, err));
    if (c->n <= first)
        return tc_csv_fail(c, 0, err, "there are no measurements");
    for (;;) {
        TC_TRY(tc_csv_next(c, err));
        if (c->n == 0)
            break;
        TC_TRY(take_row(c, first, out, err));
    }
    return out->rows > 1 ? TACIT_OK : tc_csv_fail(c, 0, err, "there are fewer than two rows");
}

static tacit_status read_columns(const tc_setup *s, const tc_experiment *e, const char *file,
                                 size_t first, columns *out, tacit_error *err)
{
    char *text;
    size_t len;
    tc_csv c;
    TC_TRY(tc_dataset_read(s->data, e->data, file, &text, &len, err));
    tc_csv_init(&c, text, len, file);
    tacit_status status = parse(&c, first, out, err);
    tc_csv_fini(&c);
    tc_free(text);
    return status;
}

static double mean_of(const columns *c, size_t k)
{
    double sum = 0;
    for (size_t i = 0; i < c->rows; i++)
        sum += c->x[i * c->cols + k];
    return sum / (double)c->rows;
}

static double covariance(const columns *c, size_t k, size_t m)
{
    double a = mean_of(c, k), b = mean_of(c, m), sum = 0;
    for (size_t i = 0; i < c->rows; i++)
        sum += (c->x[i * c->cols + k] - a) * (c->x[i * c->cols + m] - b);
    return sum;
}

/* ---- the objective: a row for every arm, its correlations and its measurements */

typedef struct task {
    char *objective; /* "table:FILE" */
    double B, R, v, c;
} task;

static void finish(void *prepared)
{
    task *t = prepared;
    tc_free(t->objective);
    tc_free(t);
}

static void find_moments(const columns *told, task *t)
{
    double n = (double)(told->rows * told->cols);
    t->B = -INFINITY;
    for (size_t k = 0; k < told->cols; k++) {
        double mean = mean_of(told, k);
        t->B = fmax(t->B, mean);
        for (size_t i = 0; i < told->rows; i++) {
            double y = told->x[i * told->cols + k];
            t->R = fmax(t->R, fabs(y - mean));
            t->v += y * y / n;
            t->c += (y - mean) * (y - mean) / n;
        }
    }
}

typedef struct making {
    const columns *known, *told;
} making;

static tacit_status make(void *user, tc_text *out, tacit_error *err)
{
    const making *m = user;
    size_t arms = m->known->cols;
    for (size_t k = 0; k < arms; k++)
        tc_text_addf(out, "%sk_%zu", k ? "," : "", k + 1);
    for (size_t i = 0; i < m->told->rows; i++)
        tc_text_addf(out, ",value_%zu", i + 1);
    for (size_t a = 0; a < arms; a++) {
        for (size_t k = 0; k < arms; k++) {
            double norm = covariance(m->known, a, a) * covariance(m->known, k, k);
            tc_text_add(out, k ? "," : "\n");
            tc_text_add_double(out, a == k ? 1 : covariance(m->known, a, k) / sqrt(norm));
        }
        for (size_t i = 0; i < m->told->rows; i++) {
            tc_text_add(out, ",");
            tc_text_add_double(out, m->told->x[i * m->told->cols + a]);
        }
    }
    tc_text_add(out, "\n");
    return out->failed ? tc_fail_memory(err) : TACIT_OK;
}

static tacit_status get_table(const tc_setup *s, const tc_experiment *e, making *m, task *t,
                              tacit_error *err)
{
    tc_text key = {0};
    tc_text_addf(&key, "%s 1", e->data);
    tacit_status status = tc_dataset_identity(e, s->data, &key, err);
    if (status == TACIT_OK)
        return tc_cache_table(s, e->data, &key, make, m, &t->objective, err);
    tc_text_fini(&key);
    return status;
}

/* told: the file of which rewards are drawn; known: the one with the correlations. */
static tacit_status read_task(const tc_setup *s, const tc_experiment *e, size_t first, task *t,
                              tacit_error *err)
{
    columns known = {0}, told = {0};
    making m = {&known, &told};
    tacit_status status = read_columns(s, e, e->files[0], first, &known, err);
    if (status == TACIT_OK)
        status = read_columns(s, e, e->files[e->files[1] ? 1 : 0], first, &told, err);
    if (status == TACIT_OK && known.cols != told.cols)
        status = tc_fail(err, TACIT_E_ARG, "%s: the files have %zu and %zu columns", e->data,
                         known.cols, told.cols);
    if (status == TACIT_OK) {
        find_moments(&told, t);
        status = get_table(s, e, &m, t, err);
    }
    tc_free(known.x);
    tc_free(told.x);
    return status;
}

static tacit_status prepare(const tc_setup *s, const tc_experiment *e, size_t first, void **out,
                            tacit_error *err)
{
    task *t = tc_alloc(1, sizeof *t);
    if (!t)
        return tc_fail_memory(err);
    tacit_status status = read_task(s, e, first, t, err);
    if (status != TACIT_OK) {
        finish(t);
        return status;
    }
    *out = t;
    return TACIT_OK;
}

/* ---- cells */

static tacit_status run_onebit(const tc_arm_run *c, const task *of, tc_single_task *t,
                               tacit_error *err)
{
    tc_reply reply;
    char options[128];
    double reach = of->B + of->R;
    TC_TRY(tc_reply_init(&reply, TACIT_REPLY_ONE_BIT, 1, -reach, reach, err));
    snprintf(options, sizeof options, "noise=%.17g,variance=%.17g,standardize=false",
             reply.sd * reply.sd, reach * reach / 4);
    t->reply = &reply;
    t->options = options;
    return tc_drive_single_points(c, t, err);
}

static tacit_status run(const tc_arm_run *c, tacit_error *err)
{
    const task *of = c->prepared;
    char options[128] = "";
    tc_single_task t = {.objective = of->objective,
                        .words = "table-columns=replicates",
                        .options = options,
                        .trials = (uint64_t)c->x[c->n - 1],
                        .cumulative = true};
    const char *a = c->arm->algorithm;
    if (strcmp(a, "gp-ucb") == 0)
        return run_onebit(c, of, &t, err);
    if (strncmp(a, "ldp-", 4) == 0)
        snprintf(options, sizeof options, "bound=%.17g,noise_bound=%.17g", of->B, of->R);
    else if (strcmp(a, "moma-gp-ucb") == 0)
        snprintf(options, sizeof options, "bound=%.17g,noise_moment=%.17g", of->B, of->c);
    else if (strcmp(a, "random") != 0)
        snprintf(options, sizeof options, "bound=%.17g,reward_moment=%.17g", of->B, of->v);
    return tc_drive_single_points(c, &t, err);
}

#define PAIR(id, text, algorithm, own)                                                             \
    {id, text, TC_ARM_PAPER, algorithm, own ",scale=practical"},                                   \
    {                                                                                              \
        id "-theory", text, TC_ARM_DEFAULT, algorithm, own                                         \
    }
static const tc_arm private_arms[] = {
    {"random", "uniform play", TC_ARM_BOTH, "random"},
    PAIR("tgp", "LDP-TGP-UCB", "ldp-tgp", "kernel=given,epsilon=1"),
    PAIR("ata", "LDP-ATA-GP-UCB", "ldp-ata", "kernel=given,epsilon=1"),
    PAIR("moma", "LDP-MoMA-GP-UCB", "ldp-moma", "kernel=given,epsilon=1"),
    {"onebit", "gp-ucb, one-bit replies (tacit)", TC_ARM_DEFAULT, "gp-ucb",
     "fit=false,kernel=given"},
};
static const tc_arm heavy_arms[] = {
    {"random", "uniform play", TC_ARM_BOTH, "random"},
    PAIR("tgp", "TGP-UCB", "tgp-ucb", "kernel=given"),
    PAIR("ata", "ATA-GP-UCB", "ata-gp-ucb", "kernel=given"),
    PAIR("moma", "MoMA-GP-UCB", "moma-gp-ucb", "kernel=given"),
};
static const size_t shown[] = {1, 9, 19};

#define ORDER                                                                                      \
    {"MoMA has less regret than TGP", TC_BELOW, {"moma", 19}, {"tgp", 19}},                        \
    {                                                                                              \
        "MoMA has less regret than ATA", TC_BELOW, {"moma", 19},                                   \
        {                                                                                          \
            "ata", 19                                                                              \
        }                                                                                          \
    }
static const tc_statement private_says[] = {
    ORDER,
    {"tacit's one-bit replies have less regret than MoMA", TC_BELOW, {"onebit", 19}, {"moma", 19}},
    {NULL}};
static const tc_statement heavy_says[] = {ORDER, {NULL}};

static const char *const sensor_files[] = {"train.csv", "test.csv", NULL};
static const char *const stock_files[] = {"adjclose29.csv", NULL};

#define FIG2(id, name_, figure_, setting_, folder_, files_, first_, kind)                          \
    static tacit_status prepare_##id(const tc_setup *s, void **out, tacit_error *err)              \
    {                                                                                              \
        return prepare(s, &tc_experiment_ldp_##id, first_, out, err);                              \
    }                                                                                              \
    const tc_experiment tc_experiment_ldp_##id = {                                                 \
        .name = name_,                                                                             \
        .paper = "ldp",                                                                            \
        .figure = figure_,                                                                         \
        .claim = "MoMA tends to have the smallest cumulative regret",                              \
        .setting = setting_,                                                                       \
        .stand_in = "T and epsilon are not in the paper; bounds are read from the data, so that "  \
                    "no epsilon here is a promise",                                                \
        .version = 1,                                                                              \
        .data = folder_,                                                                           \
        .files = files_,                                                                           \
        .runs = 20,                                                                                \
        .quick_runs = 2,                                                                           \
        .seconds = 8,                                                                              \
        .quick_seconds = 1,                                                                        \
        TC_ARMS(kind##_arms),                                                                      \
        .x = {.label = "trials", .n = POINTS, .step = 500, .quick_step = 25},                      \
        .y_label = "cumulative regret",                                                            \
        TC_SHOWN(shown),                                                                           \
        .prepare = prepare_##id,                                                                   \
        .finish = finish,                                                                          \
        .run = run,                                                                                \
        .statements = kind##_says,                                                                 \
    }

extern const tc_experiment tc_experiment_ldp_sensors, tc_experiment_ldp_stocks,
    tc_experiment_ldp_heavy_sensors, tc_experiment_ldp_heavy_stocks;

FIG2(sensors, "ldp-fig2b-sensors", "Fig. 2b (light sensors)",
     "41 sensors, kernel of their correlations, epsilon = 1 for each reply", "lightsensor",
     sensor_files, 0, private);
FIG2(stocks, "ldp-fig2c-stocks", "Fig. 2c (stocks)",
     "29 stocks, kernel of their correlations, epsilon = 1 for each reply", "stocks", stock_files,
     1, private);
FIG2(heavy_sensors, "ldp-fig2e-sensors", "Fig. 2e (light sensors)",
     "41 sensors, kernel of their correlations; NOT PRIVATE", "lightsensor", sensor_files, 0,
     heavy);
FIG2(heavy_stocks, "ldp-fig2f-stocks", "Fig. 2f (stocks)",
     "29 stocks, kernel of their correlations; NOT PRIVATE", "stocks", stock_files, 1, heavy);
