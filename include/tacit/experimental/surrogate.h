/* tacit/experimental/surrogate.h - a model of a study: what it takes the objective to be, and which parameters matter.
 * In libtacit.
 *
 *     tacit_surrogate *model;
 *     tacit_importances *list;
 *     tacit_surrogate_new(&model, study, &err);
 *     tacit_surrogate_importances(model, &list, &err);
 *     for (size_t i = 0; i < tacit_importances_count(list); i++)
 *         printf("%s %g\n", tacit_importances_get(list, i)->name, tacit_importances_get(list, i)->total);
 *     tacit_importances_free(list);
 *     tacit_surrogate_free(model);
 *
 * EXPERIMENTAL: names, structs and results may change with every version, and no ABI is promised. A program that
 * uses this header is compiled anew for each version; the dynamic linker refuses it with any other.
 *
 * The model is a Gaussian process (Matern 5/2, a length-scale for each coordinate, noise that is learned) over all complete
 * trials of the study, whatever algorithm chose them. It is fitted by the caller, afresh, and nothing of it is kept: the same
 * trials give the same model. A study at a coordinator is read from there.
 *
 * Privacy. It is computed from the values that the study has. Where these are private replies or carry noise, the
 * model is post-processing of what was released already and costs nothing. An agent's own storage has the values
 * of its party in the clear, and so a model of them is as secret as they are. */
#ifndef TACIT_EXPERIMENTAL_SURROGATE_H
#define TACIT_EXPERIMENTAL_SURROGATE_H

#include <tacit/status.h>
#include <tacit/study.h>

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct tacit_surrogate
    tacit_surrogate; /* end with tacit_surrogate_free; one thread at a time */

/* Reads the complete trials, of more than 1024 as many that are evenly spaced, and fits. The study stays open as long as the model is used. E_STATE: there are
 * too few (two for each parameter and two more, 6 at least and 30 at most). */
TACIT_API tacit_status tacit_surrogate_new(tacit_surrogate **out, tacit_study *study,
                                           tacit_error *err);
/* The same of another outcome than the first objective: its number in the document (tacit_document_outcome). E_ARG: there is
 * none of this number. */
TACIT_API tacit_status tacit_surrogate_new_of(tacit_surrogate **out, tacit_study *study,
                                              size_t outcome, tacit_error *err);
TACIT_API void tacit_surrogate_free(tacit_surrogate *m); /* NULL is allowed */

/* The mean of the objective, or of that outcome, at n points, one after another, and its standard deviation, without the
 * noise of a single value; sd may be NULL. E_ARG: a point is not in the space. */
TACIT_API tacit_status tacit_surrogate_predict(tacit_surrogate *m, size_t n, const double *points,
                                               double *mean, double *sd, tacit_error *err);

/* Sobol' indices of one parameter, which are shares of the variance of the objective over the space; the library makes it. */
typedef struct tacit_importance {
    size_t size;
    const char *name; /* of the parameter */
    double first;     /* what the parameter does by itself */
    double first_low, first_high;
    double total; /* and together with others: 0 means that it does nothing */
    double total_low, total_high;
} tacit_importance;
typedef struct tacit_importances tacit_importances; /* end with tacit_importances_free */

/* One for each parameter, the largest total first. The parameters vary independently and evenly over their
 * ranges, on a log scale where the space has one; a choice counts as one parameter. `first` and `total` are those of the
 * model's mean, and low and high hold nine of ten functions that the model takes to be possible. Where there are few
 * trials, the mean may lie outside: it is smoother than what it is the mean of. E_UNSUPPORTED: the study
 * chooses among the candidates of a file. */
TACIT_API tacit_status tacit_surrogate_importances(tacit_surrogate *m, tacit_importances **out,
                                                   tacit_error *err);
TACIT_API size_t tacit_importances_count(const tacit_importances *list);
TACIT_API const tacit_importance *tacit_importances_get(const tacit_importances *list,
                                                        size_t i); /* NULL: none */
TACIT_API void tacit_importances_free(tacit_importances *list);    /* NULL is allowed */

#ifdef __cplusplus
}
#endif
#endif
