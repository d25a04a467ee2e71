/* public.h - what the files *_api.c share, here and in study/: enumerations and names that come from
 * outside. */
#ifndef TC_PRIVACY_PUBLIC_H
#define TC_PRIVACY_PUBLIC_H

#include <tacit/release.h>

#include "base/api.h"
#include "privacy/accountant.h"
#include "privacy/release.h"

extern const tc_sized tc_sized_cost; /* tacit_cost */

/* A choice is one of 0..last; enumerations from outside can be any number. */
tacit_status tc_check_choice(const char *name, int choice, int last, tacit_error *err);

tacit_status tc_check_unit(tacit_unit unit, tacit_error *err);

/* NULL stands for "pld". */
tacit_status tc_accountant_of(const tc_accountant **out, const char *name, tacit_error *err);

/* What a ledger may be called; to be asked before a store makes one. */
tacit_status tc_public_ledger_name(const char *name, tacit_error *err);

#endif
