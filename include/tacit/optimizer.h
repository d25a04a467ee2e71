/* tacit/optimizer.h - ask for a point to try, tell what came of it. In memory; see study.h for
 * studies that outlive the process.
 *
 *     tacit_optimizer_opts opts = TACIT_OPTIMIZER_OPTS;
 *     opts.direction = TACIT_MINIMIZE;
 *     if (tacit_optimizer_new(&o, space, &opts, &err) != TACIT_OK)
 *         return fail(&err);
 *     for (int i = 0; i < 40; i++)
 *         if (tacit_optimizer_ask(o, &trial, x, &err) != TACIT_OK ||
 *             tacit_optimizer_tell(o, trial, loss(x), &err) != TACIT_OK)
 *             return fail(&err);
 *
 * A handle serves one thread at a time. Pointers passed in are borrowed for the call; whatever has
 * to outlive it is copied. Outputs are written on success only. `err` may be NULL; another pointer
 * that is missing is E_ARG. A point is one double per parameter of the space (a choice: its index). */
#ifndef TACIT_OPTIMIZER_H
#define TACIT_OPTIMIZER_H

#include <tacit/space.h>
#include <tacit/status.h>

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct tacit_optimizer tacit_optimizer; /* end with tacit_optimizer_free */

/* Never guessed: 0 is refused. */
typedef enum tacit_direction { TACIT_MINIMIZE = 1, TACIT_MAXIMIZE = 2 } tacit_direction;

typedef struct tacit_optimizer_opts {
    size_t size;               /* sizeof of this struct as the caller saw it */
    tacit_direction direction; /* required */
    const char *algorithm;     /* "gp-ei", ...: <tacit/algorithms.h> lists them */
    const char *options;       /* JSON object: "{\"kernel\": \"se\"}"; NULL for defaults */
    uint64_t seed;             /* repeatable asks on one build; never feeds privacy noise */
    uint64_t budget;           /* planned trials; 0 if unknown */
    /* Several objectives: the directions of those after the first, up to 3 of them. Algorithms gp-ei, random and sobol; of
     * others E_UNSUPPORTED. NULL, 0: one objective. */
    const tacit_direction *others;
    size_t n_others;
} tacit_optimizer_opts;
#define TACIT_OPTIMIZER_OPTS                                                                       \
    {                                                                                              \
        sizeof(tacit_optimizer_opts), (tacit_direction)0, "gp-ei", NULL, 0, 0, NULL, 0             \
    }

/* Makes an optimizer over `space`, which is copied. E_ARG names what is wrong. */
TACIT_API tacit_status tacit_optimizer_new(tacit_optimizer **out, const tacit_space *space,
                                           const tacit_optimizer_opts *opts, tacit_error *err);
TACIT_API void tacit_optimizer_free(tacit_optimizer *o); /* NULL is allowed */

/* Writes the next point and its trial number (from 0). Any number may be open at once. */
TACIT_API tacit_status tacit_optimizer_ask(tacit_optimizer *o, uint64_t *trial, double *values,
                                           tacit_error *err);
/* Reports the value of a trial. E_NOT_FOUND: never asked. E_STATE: told already. E_ARG: not finite. */
TACIT_API tacit_status tacit_optimizer_tell(tacit_optimizer *o, uint64_t trial, double value,
                                            tacit_error *err);
/* The same, for a point other than the one asked for. E_ARG: it is not in the space. */
TACIT_API tacit_status tacit_optimizer_tell_at(tacit_optimizer *o, uint64_t trial,
                                               const double *values, double value,
                                               tacit_error *err);
/* The same with several objectives, where the two above are E_ARG: the value of each, the first one first. values NULL: the
 * point that was asked for. */
TACIT_API tacit_status tacit_optimizer_tell_outcomes(tacit_optimizer *o, uint64_t trial,
                                                     const double *values, const double *outcomes,
                                                     tacit_error *err);
/* The evaluation failed: the point will not be asked again. reason may be NULL. */
TACIT_API tacit_status tacit_optimizer_fail(tacit_optimizer *o, uint64_t trial, const char *reason,
                                            tacit_error *err);
/* Adds the value at a point of your own, which was not asked for: an earlier result, say. It becomes a
 * trial like any other, of the number *trial (which may be NULL), and counts as one of opts.budget.
 * E_ARG: the point is not in the space, or the value not finite. */
TACIT_API tacit_status tacit_optimizer_add(tacit_optimizer *o, const double *values, double value,
                                           uint64_t *trial, tacit_error *err);

/* The same with several objectives, where tacit_optimizer_add is E_ARG: the value of each. */
TACIT_API tacit_status tacit_optimizer_add_outcomes(tacit_optimizer *o, const double *values,
                                                    const double *outcomes, uint64_t *trial,
                                                    tacit_error *err);

/* The best trial so far; trial, values and value may be NULL. E_STATE: none is complete. E_UNSUPPORTED: there are several
 * objectives, and so no best trial. */
TACIT_API tacit_status tacit_optimizer_best(const tacit_optimizer *o, uint64_t *trial,
                                            double *values, double *value, tacit_error *err);

#ifdef __cplusplus
}
#endif
#endif
