/* privacy_ledger.h - what the verbs on ledgers share: opening one, and what every kind of unit has spent. */
#ifndef TC_PROGRAM_PRIVACY_LEDGER_H
#define TC_PROGRAM_PRIVACY_LEDGER_H

#include "privacy/privacy_cli.h"

#include <tacit/ledger.h>

/* Of an option `accountant`: that of tc_ledger_guarantee without one, then those of tacit_accountants. */
#define TC_LEDGER_ACCOUNTANTS "auto|pld|rdp|moments|gaussian|pure"

/* E_ARG: it is empty. */
tacit_status tc_privacy_check_name(const char *name, tacit_error *err);
/* A name in the storage (NULL: the usual one; the ledger of a user's replies has its own), or an exported file.
 * End *out with tacit_ledger_close. */
tacit_status tc_privacy_ledger(tacit_ledger **out, const char *name, const char *storage,
                               tacit_error *err);

enum { TC_PRIVACY_KINDS = 4 };

/* The worst-off unit of each kind that the ledger has. End with tc_privacy_claims_fini. */
typedef struct tc_privacy_claims {
    const char *ledger, *accountant; /* as asked for: "auto" */
    const char *not_private;         /* of the study of that name: tacit_ledger_not_private */
    tacit_head head;
    size_t n;
    tacit_unit units[TC_PRIVACY_KINDS];
    tacit_spent spent[TC_PRIVACY_KINDS];
    char *statements[TC_PRIVACY_KINDS];
} tc_privacy_claims;
void tc_privacy_claims_fini(tc_privacy_claims *s);
/* accountant: the number of a choice of TC_LEDGER_ACCOUNTANTS. */
tacit_status tc_privacy_ask_all(tc_privacy_claims *s, tacit_ledger *l, int accountant, double delta,
                                tacit_error *err);
/* The claims as a table with their statements, CSV or JSON. */
tacit_status tc_privacy_print_claims(const tc_privacy_claims *s, int format, tacit_error *err);

#endif
