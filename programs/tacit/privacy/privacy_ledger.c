/* privacy_ledger.c - ledgers for the verbs that read them (privacy_ledger.h). */
#include "privacy/privacy_ledger.h"
#include "study/storage.h"

#include "base/json.h"
#include "base/memory.h"

#include <tacit/user.h>

#include <string.h>
#include <sys/stat.h>

enum { AUTO };

/* ---- opening */

static bool is_file(const char *word)
{
    size_t n = strlen(word);
    return strchr(word, '/') || (n > 5 && strcmp(word + n - 5, ".json") == 0);
}

static tacit_status from_file(const char *file, tacit_ledger **out, tacit_error *err)
{
    json_t *j = NULL;
    struct stat about;
    if (stat(file, &about) == 0 && S_ISDIR(about.st_mode))
        return tc_fail(err, TACIT_E_ARG,
                       "\"%s\" is a folder; a ledger is a name in the storage or an exported file",
                       file);
    TC_TRY(tc_json_read_file(file, &j, err)); /* names file and line of what is no JSON */
    char *text = tc_json_text(j);
    json_decref(j);
    if (!text)
        return tc_fail_memory(err);
    tacit_status status = tacit_ledger_import(out, text, err);
    if (status != TACIT_OK)
        tc_fail_in(err, "%s", file);
    tc_free(text);
    return status;
}

/* Replies of users are in a ledger of their own (<tacit/user.h>), unless a storage is named. */
static const char *storage_of(const char *storage, const char *name, char **own)
{
    bool replies = !storage && strcmp(name, TACIT_USER_LEDGER) == 0;
    return replies && tacit_user_ledger(own, NULL) == TACIT_OK ? *own : tc_storage_url(storage);
}

tacit_status tc_privacy_check_name(const char *name, tacit_error *err)
{
    return *name ? TACIT_OK : tc_fail(err, TACIT_E_ARG, "the name of a ledger must not be empty");
}

tacit_status tc_privacy_ledger(tacit_ledger **out, const char *name, const char *storage,
                               tacit_error *err)
{
    char *own = NULL;
    if (is_file(name))
        return from_file(name, out, err);
    tacit_status status = tacit_ledger_open(out, storage_of(storage, name, &own), name, err);
    tacit_text_free(own);
    return status;
}

/* ---- what every unit has spent */

void tc_privacy_claims_fini(tc_privacy_claims *s)
{
    for (size_t i = 0; i < TC_PRIVACY_KINDS; i++)
        tacit_text_free(s->statements[i]);
}

static tacit_status has_unit(const tacit_ledger *l, uint64_t entries, tacit_unit unit, bool *out,
                             tacit_error *err)
{
    *out = false;
    for (uint64_t seq = 1; seq <= entries && !*out; seq++) {
        tacit_ledger_entry e = TACIT_LEDGER_ENTRY;
        TC_TRY(tacit_ledger_get(l, seq, &e, err));
        *out = e.unit == unit;
    }
    return TACIT_OK;
}

tacit_status tc_privacy_ask_all(tc_privacy_claims *s, tacit_ledger *l, int chosen, double delta,
                                tacit_error *err)
{
    const char *accountant = chosen == AUTO ? NULL : tacit_accountants()[chosen - 1];
    s->ledger = tacit_ledger_name(l);
    s->accountant = accountant ? accountant : "auto";
    TC_TRY(tacit_ledger_head(l, &s->head, err));
    for (tacit_unit unit = TACIT_UNIT_AGENT; unit <= TACIT_UNIT_RECORD; unit++) {
        bool there;
        TC_TRY(has_unit(l, s->head.seq, unit, &there, err));
        if (!there)
            continue;
        s->units[s->n] = unit;
        s->spent[s->n] = (tacit_spent)TACIT_SPENT;
        TC_TRY(tacit_ledger_spent(l, unit, NULL, accountant, delta, &s->spent[s->n], err));
        TC_TRY(tacit_ledger_statement(l, unit, NULL, accountant, delta, &s->statements[s->n], err));
        s->n++;
    }
    return TACIT_OK;
}
