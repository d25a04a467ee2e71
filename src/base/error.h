/* error.h - filling a tacit_error, and passing a failure up.
 *
 * Anything that can fail ends in `tacit_error *err`, which may be NULL. */
#ifndef TC_BASE_ERROR_H
#define TC_BASE_ERROR_H

#include <tacit/status.h>

/* Writes the sentence into err (if given) and returns `code`. */
tacit_status tc_fail(tacit_error *err, tacit_status code, const char *fmt, ...) TACIT_PRINTF(3, 4);

/* A word that is not one of `names` (NULL-terminated): the sentence, then the
 * nearest name if one is near, then all: `...; did you mean "beta"? Options: alpha, beta`.
 * `label` stands for "Options". */
tacit_status tc_fail_unknown(tacit_error *err, tacit_status code, const char *word,
                             const char *const *names, const char *label, const char *fmt, ...)
    TACIT_PRINTF(6, 7);

/* Puts "where: " before the sentence that err already holds; returns its code.
 * A NULL err holds no code: then E_INTERNAL. */
tacit_status tc_fail_in(tacit_error *err, const char *fmt, ...) TACIT_PRINTF(2, 3);

/* Passes on what an inner call said into an error of its own: where `status` is a failure, err gets the sentence of `why`.
 * Returns `status`. For callers that look at a failure first, and keep quiet about some. */
tacit_status tc_pass_on(tacit_error *err, tacit_status status, const tacit_error *why);

/* E_ARG, "<what> must be in <range>, got <number>", with as many digits as tell the number apart
 * from all others: 1.0000001 is never said to be 1. */
tacit_status tc_fail_range(tacit_error *err, const char *what, const char *range, double got);

/* The one sentence for a failed allocation. */
tacit_status tc_fail_memory(tacit_error *err);

/* A failure is never TACIT_OK, and compilers and analysers should see that at the call: they then
 * know that out-values are set wherever a call succeeded. */
static inline tacit_status tc_failed(tacit_status code, tacit_status same)
{
    (void)same;
    return code;
}
#define tc_fail(err, code, ...) tc_failed((code), tc_fail((err), (code), __VA_ARGS__))
#define tc_fail_memory(err)     tc_failed(TACIT_E_MEMORY, tc_fail_memory(err))
#define tc_fail_range(err, what, range, got)                                                       \
    tc_failed(TACIT_E_ARG, tc_fail_range((err), (what), (range), (got)))

/* Returns from the enclosing function unless `call` succeeds. */
#define TC_TRY(call)                                                                               \
    do {                                                                                           \
        tacit_status tc_try_status = (call);                                                       \
        if (tc_try_status != TACIT_OK)                                                             \
            return tc_try_status;                                                                  \
    } while (0)

#endif
