/* public.h - what the files *_api.c share, here and in study/: arguments that may be missing, structs
 * that may be of another version, and public types as internal ones. The enumerations of both sides
 * are the same numbers, which public.c has the compiler check. */
#ifndef TC_PRIVACY_PUBLIC_H
#define TC_PRIVACY_PUBLIC_H

#include <tacit/release.h>

#include "privacy/accountant.h"
#include "privacy/release.h"

/* Returns E_ARG from the enclosing function, with a sentence, where a pointer is missing. */
#define TC_GIVEN(pointer)                                                                          \
    do {                                                                                           \
        if (!(pointer))                                                                            \
            return tc_fail(err, TACIT_E_ARG, "%s must not be NULL", #pointer);                     \
    } while (0)

/* The same for a struct that begins with its size. */
#define TC_GIVEN_SIZED(pointer, type)                                                              \
    do {                                                                                           \
        TC_GIVEN(pointer);                                                                         \
        if ((pointer)->size != sizeof(type))                                                       \
            return tc_fail(err, TACIT_E_ARG, "%s.size must be sizeof(%s), got %zu", #pointer,      \
                           #type, (pointer)->size);                                                \
    } while (0)

/* A choice is one of 0..last; enumerations from outside can be any number. */
tacit_status tc_check_choice(const char *name, int choice, int last, tacit_error *err);

tacit_status tc_check_unit(tacit_unit unit, tacit_error *err);

/* NULL stands for "pld". */
tacit_status tc_accountant_of(const tc_accountant **out, const char *name, tacit_error *err);

/* What a ledger may be called; to be asked before a store makes one. */
tacit_status tc_public_ledger_name(const char *name, tacit_error *err);

tc_dp_event tc_event_of(const tacit_dp_event *e);
tacit_dp_event tc_event_public(const tc_dp_event *e);

#endif
