/* tacit/status.h - how calls report failure, and how structs may grow.
 *
 * Every call that can fail returns a tacit_status and takes a tacit_error last, which may be NULL. A call that
 * fails writes one sentence into it and leaves its outputs as they were. Nothing is printed, nothing is global.
 * Another pointer that is NULL is E_ARG, unless the call says what NULL means. A call that returns no status does nothing
 * with NULL in place of what it is about, and returns NULL, 0 or false.
 * The list below is the only place where a status is declared: the enum, its name, its sentence and the exit
 * code of the `tacit` program all come from it. Exit codes 5 and 7 may pass by themselves: the same call may
 * succeed later.
 *
 * A struct that may get further members begins with `size`, its sizeof as the caller saw it; begin it with its
 * macro, which sets that. The library takes any size from the first version on. Members that a caller of an
 * earlier version does not have count as 0, and 0 means what was done before there was such a member. Members that
 * this library does not know must be 0: else E_UNSUPPORTED. Of a struct that it fills in, it writes what both know,
 * leaves `size` as it is and sets the rest to 0. A struct that it makes itself has the size that it knows: look
 * before you read a member that came later. Structs without `size` stay as they are, and so do the numbers of
 * enumerations. */
#ifndef TACIT_STATUS_H
#define TACIT_STATUS_H

#if defined(__GNUC__)
#define TACIT_API               __attribute__((visibility("default")))
#define TACIT_PRINTF(fmt, args) __attribute__((format(printf, fmt, args)))
#else
#define TACIT_API
#define TACIT_PRINTF(fmt, args)
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* X(name, number, exit code of the program, meaning). Numbers are never changed or used again. */
#define TACIT_STATUS_LIST(X)                                                                       \
    X(OK, 0, 0, "success")                                                                         \
    X(E_INTERNAL, 1, 1, "a defect in tacit")                                                       \
    X(E_ARG, 2, 2, "bad input: an argument, option, document or file")                             \
    X(E_NOT_FOUND, 3, 3, "no such study, trial or file")                                           \
    X(E_STATE, 4, 4, "not possible in the present state")                                          \
    X(E_CONFLICT, 5, 4, "somebody else was first")                                                 \
    X(E_IO, 6, 5, "the storage, a file or the network could not be reached, read or written")      \
    X(E_CORRUPT, 7, 10, "the storage is damaged or not one of tacit's")                            \
    X(E_BUSY, 8, 5, "the storage stayed locked by another process")                                \
    X(E_NUMERIC, 9, 6, "a computation broke down")                                                 \
    X(E_MEMORY, 10, 7, "out of memory")                                                            \
    X(E_UNSUPPORTED, 11, 8, "not supported by this algorithm, store or build")                     \
    X(E_BUDGET, 12, 9, "the budget of trials or of privacy is spent")                              \
    X(E_CANCELLED, 13, 130, "interrupted")

typedef enum tacit_status {
#define TACIT_STATUS_ENUM(name, number, exit_code, text) TACIT_##name = number,
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

/* Ends a text that a call has handed out in a `char **`. */
TACIT_API void tacit_text_free(char *text); /* NULL is allowed */

#ifdef __cplusplus
}
#endif
#endif
