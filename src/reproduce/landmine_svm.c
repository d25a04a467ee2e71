/* landmine_svm.c - one support vector machine, by libsvm. See landmine.h. */
#include "base/error.h"
#include "reproduce/landmine_int.h"

#ifdef TACIT_LIBSVM

#include "base/memory.h"

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

/* A decision is for the label that libsvm saw first. */
static void decide(const tc_landmine_field *f, rows *train, rows *test,
                   const struct svm_parameter *p)
{
    struct svm_problem problem = {(int)f->train.n, train->label, train->row};
    int labels[2] = {0};
    struct svm_model *model = svm_train(&problem, p);
    svm_get_labels(model, labels);
    for (size_t i = 0; i < f->test.n; i++) {
        svm_predict_values(model, test->row[i], &test->decision[i]);
        test->decision[i] *= labels[0] == 1 ? 1 : -1;
    }
    svm_free_and_destroy_model(&model);
}

tacit_status tc_landmine_score(const tc_landmine_field *f, double gamma, double C, double *auc,
                               tacit_error *err)
{
    struct svm_parameter p = {.svm_type = C_SVC,
                              .kernel_type = RBF,
                              .gamma = gamma,
                              .C = C,
                              .cache_size = CACHE_MB,
                              .eps = 1e-3,
                              .shrinking = 1};
    rows *both = tc_alloc(2, sizeof *both);
    if (!both)
        return tc_fail_memory(err);
    take(&both[0], &f->train);
    take(&both[1], &f->test);
    decide(f, &both[0], &both[1], &p);
    *auc = tc_landmine_auc(f->test.n, f->test.label, both[1].decision);
    tc_free(both);
    return TACIT_OK;
}

#else

void tc_landmine_silence(void)
{
}

tacit_status tc_landmine_score(const tc_landmine_field *f, double gamma, double C, double *auc,
                               tacit_error *err)
{
    (void)f;
    (void)gamma;
    (void)C;
    (void)auc;
    return tc_fail(err, TACIT_E_UNSUPPORTED,
                   "support vector machines need libsvm, which this build does not have");
}

#endif
