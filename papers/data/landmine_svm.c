/* landmine_svm.c - one support vector machine, by libsvm. See landmine.h. */
#include "base/error.h"
#include "papers/data/landmine_int.h"

#ifdef TACIT_LIBSVM

#include "base/memory.h"
#include "base/random.h"

#include <libsvm/svm.h>

enum { CACHE_MB = 16 };

/* Rows as libsvm takes them, each with an end mark. */
typedef struct rows {
    double label[TC_LANDMINE_ROWS], decision[TC_LANDMINE_ROWS];
    struct svm_node node[TC_LANDMINE_ROWS][TC_LANDMINE_FEATURES + 1], *row[TC_LANDMINE_ROWS];
} rows;

static void take(rows *r, const tc_landmine_half *h)
{
    for (size_t i = 0; i < h->n; i++) {
        r->label[i] = h->label[i];
        r->row[i] = r->node[i];
        for (int k = 0; k < TC_LANDMINE_FEATURES; k++)
            r->node[i][k] = (struct svm_node){k + 1, h->x[i][k]};
        r->node[i][TC_LANDMINE_FEATURES].index = -1;
    }
}

static void silent(const char *text)
{
    (void)text;
}

void tc_landmine_silence(void)
{
    svm_set_print_string_function(silent);
}

/* Of `n` rows, by a machine trained on the problem. A decision is for the label that libsvm saw first. */
static void decide(const struct svm_problem *problem, const struct svm_parameter *p, size_t n,
                   struct svm_node **row, double *decision)
{
    int labels[2] = {0};
    struct svm_model *model = svm_train(problem, p);
    svm_get_labels(model, labels);
    for (size_t i = 0; i < n; i++) {
        decision[i] = 0; /* where there is one label only, libsvm writes nothing */
        svm_predict_values(model, row[i], &decision[i]);
        decision[i] *= labels[0] == 1 ? 1 : -1;
    }
    svm_free_and_destroy_model(&model);
}

/* ---- Platt's probabilities */

enum { FOLDS = 5 };

static void shuffle(size_t *order, size_t n)
{
    const tc_public_seed seed = tc_public_seed_from(0);
    tc_stream s;
    tc_stream_public(&s, &seed, TC_FOR_FIT, 0);
    for (size_t i = 0; i < n; i++)
        order[i] = i;
    for (size_t i = n; i > 1; i--) {
        size_t j = (size_t)tc_draw_below(&s, i), t = order[i - 1];
        order[i - 1] = order[j];
        order[j] = t;
    }
}

/* Decisions of the rows order[from..to) by a machine that was trained on all others. */
static void hold_out(rows *all, const size_t *order, size_t n, size_t from, size_t to,
                     const struct svm_parameter *p)
{
    double label[TC_LANDMINE_ROWS], decision[TC_LANDMINE_ROWS];
    struct svm_node *row[TC_LANDMINE_ROWS], *held[TC_LANDMINE_ROWS];
    size_t kept = 0;
    for (size_t i = 0; i < n; i++) {
        if (i >= from && i < to) {
            held[i - from] = all->row[order[i]];
            continue;
        }
        label[kept] = all->label[order[i]];
        row[kept++] = all->row[order[i]];
    }
    struct svm_problem problem = {(int)kept, label, row};
    decide(&problem, p, to - from, held, decision);
    for (size_t i = from; i < to; i++)
        all->decision[order[i]] = decision[i - from];
}

/* Decisions of the test half become probabilities. */
static void calibrate(const tc_landmine_field *f, rows *train, rows *test,
                      const struct svm_parameter *p)
{
    size_t order[TC_LANDMINE_ROWS], n = f->train.n;
    double A, B;
    shuffle(order, n);
    for (size_t k = 0; k < FOLDS; k++)
        hold_out(train, order, n, k * n / FOLDS, (k + 1) * n / FOLDS, p);
    tc_landmine_platt(n, f->train.label, train->decision, &A, &B);
    for (size_t i = 0; i < f->test.n; i++)
        test->decision[i] = tc_landmine_probability(test->decision[i], A, B);
}

/* ---- one machine */

tacit_status tc_landmine_score(const tc_landmine_field *f, double gamma, double C, bool platt,
                               double *auc, tacit_error *err)
{
    struct svm_parameter p = {.svm_type = C_SVC,
                              .kernel_type = RBF,
                              .gamma = gamma,
                              .C = C,
                              .cache_size = CACHE_MB,
                              .eps = 1e-3,
                              .shrinking = 1};
    rows *both = tc_alloc(2, sizeof *both), *train = both, *test = both + 1;
    if (!both)
        return tc_fail_memory(err);
    take(train, &f->train);
    take(test, &f->test);
    struct svm_problem problem = {(int)f->train.n, train->label, train->row};
    decide(&problem, &p, f->test.n, test->row, test->decision);
    if (platt)
        calibrate(f, train, test, &p);
    *auc = tc_landmine_auc(f->test.n, f->test.label, test->decision);
    tc_free(both);
    return TACIT_OK;
}

#else

void tc_landmine_silence(void)
{
}

tacit_status tc_landmine_score(const tc_landmine_field *f, double gamma, double C, bool platt,
                               double *auc, tacit_error *err)
{
    (void)f;
    (void)gamma;
    (void)C;
    (void)platt;
    (void)auc;
    return tc_fail(err, TACIT_E_UNSUPPORTED,
                   "support vector machines need libsvm, which this build does not have");
}

#endif
