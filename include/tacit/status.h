/* tacit/status.h - how calls report failure.
 *
 * Every call that can fail returns a tacit_status. Constructors also fill a
 * caller-owned tacit_error; handles keep the message of their last failure.
 * Nothing is printed, nothing is global. The list below is the only place
 * where a status is declared: the enum, its name, its sentence and the exit
 * code of the `tacit` program all come from it. Codes 5 and 7 may pass by
 * themselves: the same call may succeed later. */
#ifndef TACIT_STATUS_H
#define TACIT_STATUS_H

#if defined(__GNUC__)
#define TACIT_API               __attribute__((visibility("default")))
#define TACIT_PRINTF(fmt, args) __attribute__((format(printf, fmt, args)))
#define TACIT_MUST_CHECK        __attribute__((warn_unused_result))
#else
#define TACIT_API
#define TACIT_PRINTF(fmt, args)
#define TACIT_MUST_CHECK
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* X(name, exit code of the program, meaning) */
#define TACIT_STATUS_LIST(X)                                                                       \
    X(OK, 0, "success")                                                                            \
    X(E_INTERNAL, 1, "a defect in tacit")                                                          \
    X(E_ARG, 2, "bad input: an argument, option, document or file")                                \
    X(E_NOT_FOUND, 3, "no such study, trial or file")                                              \
    X(E_STATE, 4, "not possible in the present state")                                             \
    X(E_CONFLICT, 4, "somebody else was first")                                                    \
    X(E_IO, 5, "the storage, a file or the network could not be reached, read or written")         \
    X(E_CORRUPT, 10, "the storage is damaged or not one of tacit's")                               \
    X(E_BUSY, 5, "the storage stayed locked by another process")                                   \
    X(E_NUMERIC, 6, "a computation broke down")                                                    \
    X(E_MEMORY, 7, "out of memory")                                                                \
    X(E_UNSUPPORTED, 8, "not supported by this algorithm, store or build")                         \
    X(E_BUDGET, 9, "the budget of trials or of privacy is spent")                                  \
    X(E_CANCELLED, 130, "interrupted")

typedef enum tacit_status {
#define TACIT_STATUS_ENUM(name, exit_code, text) TACIT_##name,
    TACIT_STATUS_LIST(TACIT_STATUS_ENUM)
#undef TACIT_STATUS_ENUM
} tacit_status;

/* One sentence about a failure: which field, what was given, what is allowed.
 * Caller-owned; a call that succeeds leaves it untouched. */
typedef struct tacit_error {
    tacit_status code;
    char msg[508];
} tacit_error;

TACIT_API const char *tacit_status_name(tacit_status status); /* "E_ARG" */
TACIT_API const char *tacit_status_text(tacit_status status); /* the meaning */
TACIT_API int tacit_status_exit(tacit_status status);         /* process exit code */

#ifdef __cplusplus
}
#endif
#endif
