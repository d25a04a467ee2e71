/* tacit/experimental/audit.h - attacks on every mechanism of this library, and how much privacy they left.
 * In libtacit-privacy.
 *
 * EXPERIMENTAL: names, structs and results may change with every version, and no ABI is promised. A program that
 * uses this header is compiled anew for each version; the dynamic linker refuses it with any other.
 *
 * A case is a mechanism, two worst-case neighbouring data sets and the strongest distinguisher
 * known. Many runs on both give, with exact confidence bounds, an epsilon that the mechanism
 * certainly has. If that is above its claim, the claim is wrong. An audit can prove a claim wrong,
 * never right. The controls are broken on purpose: one that is not caught shows that the audit
 * itself is broken.
 *
 *     tacit_audit_opts opts = TACIT_AUDIT_OPTS;
 *     tacit_audit_result result;
 *     for (size_t i = 0; i < tacit_audit_count(); i++)
 *         if (tacit_audit_run(i, &opts, &result, &err) != TACIT_OK || !result.as_expected)
 *             return alarm();
 *
 * Functions keep nothing between calls and may be called from any thread. */
#ifndef TACIT_EXPERIMENTAL_AUDIT_H
#define TACIT_EXPERIMENTAL_AUDIT_H

#include <tacit/status.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define TACIT_AUDIT_MIN_RUNS 20000 /* with fewer, a control may escape */
#define TACIT_AUDIT_MAX_RUNS 10000000

typedef struct tacit_audit_opts {
    uint64_t runs; /* on each of the two data sets; of controls that need fewer, fewer are made */
    double confidence; /* in [0.5, 1): that the lower bounds of all cases hold at once */
    int64_t
        test_seed; /* -1: noise from the system. Else a repeatable audit, of noise NOT PRIVATE */
} tacit_audit_opts;
#define TACIT_AUDIT_OPTS                                                                           \
    {                                                                                              \
        200000, 0.95, -1                                                                           \
    }

/* Texts are static. */
typedef struct tacit_audit_result {
    const char *name;      /* "gaussian-sum" */
    const char *attack;    /* neighbours and distinguisher, one line */
    bool control;          /* must fail */
    bool pass;             /* lower <= epsilon */
    bool as_expected;      /* a mechanism that passed, or a control that failed */
    double epsilon, delta; /* the claim */
    double lower;          /* what the attack proves epsilon to be at least, at that delta */
    uint64_t runs;         /* on each data set: half choose the telling event, half count it */
} tacit_audit_result;

/* Cases are numbered 0 .. count - 1, mechanisms first. */
TACIT_API size_t tacit_audit_count(void);
TACIT_API const char *tacit_audit_name(size_t i); /* static; NULL: there is no case i */

/* Runs one case. opts NULL stands for the defaults. E_ARG: no such case, or a member out of range. */
TACIT_API tacit_status tacit_audit_run(size_t i, const tacit_audit_opts *opts,
                                       tacit_audit_result *out, tacit_error *err);

#ifdef __cplusplus
}
#endif
#endif
