/* tacit/algorithms.h - which algorithms there are, and their options. In libtacit.
 *
 *     tacit_algorithms *list;
 *     const tacit_algorithm *a;
 *     tacit_algorithms_new(&list, NULL, &err);
 *     for (size_t i = 0; (a = tacit_algorithms_get(list, i)); i++)
 *         printf("%s: %s\n", a->name, a->summary);
 *     tacit_algorithms_free(list);
 *
 * The options of an algorithm stand beside its name in a study document (document.h), or in
 * tacit_optimizer_opts.options. A list does not change; any number of threads may read it. Structs and texts
 * are the list's own. */
#ifndef TACIT_ALGORITHMS_H
#define TACIT_ALGORITHMS_H

#include <tacit/status.h>

#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum tacit_option_type {
    TACIT_OPTION_FLOAT = 1,
    TACIT_OPTION_INT = 2,
    TACIT_OPTION_BOOL = 3,
    TACIT_OPTION_CHOICE = 4, /* one of `choices` */
    TACIT_OPTION_STRING = 5
} tacit_option_type;

/* The library makes it. */
typedef struct tacit_option {
    size_t size;
    const char *name;
    const char *summary; /* one line */
    const char *initial; /* the default as text; NULL: none */
    const char *range;   /* in words: "number in (0, 1]" */
    tacit_option_type type;
    bool limited;        /* low and high hold, both included unless `range` says otherwise */
    double low, high;    /* FLOAT and INT, where limited */
    const char *choices; /* "a|b|c"; NULL: not a CHOICE */
} tacit_option;

/* The library makes it. */
typedef struct tacit_algorithm {
    size_t size;
    const char *name;    /* "gp-ei" */
    const char *summary; /* one line */
    const char *source;  /* the paper it follows */
    bool federated;      /* for many parties: its studies need a "federation" */
    bool takes_replies;  /* of local privacy (ldp-*): told private replies, never rewards */
} tacit_algorithm;

typedef struct tacit_algorithms tacit_algorithms; /* end with tacit_algorithms_free */

/* The one of this name, or all (NULL). E_ARG: there is none, and which there are. */
TACIT_API tacit_status tacit_algorithms_new(tacit_algorithms **out, const char *name,
                                            tacit_error *err);
/* NULL: there are no more. */
TACIT_API const tacit_algorithm *tacit_algorithms_get(const tacit_algorithms *list, size_t i);
/* Option k of algorithm i. NULL: there are no more. */
TACIT_API const tacit_option *tacit_algorithms_option(const tacit_algorithms *list, size_t i,
                                                      size_t k);
TACIT_API void tacit_algorithms_free(tacit_algorithms *list); /* NULL is allowed */

#ifdef __cplusplus
}
#endif
#endif
