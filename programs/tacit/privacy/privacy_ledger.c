/* privacy_ledger.c - ledgers for the verbs that read them (privacy_ledger.h). */
#include "privacy/privacy_ledger.h"
#include "study/storage.h"

#include "base/json.h"
#include "base/memory.h"

#include <tacit/user.h>

#include <math.h>
#include <stdio.h>
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
    s->not_private = tacit_ledger_not_private(l);
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

/* ---- output */

static json_t *unit_json(const tc_privacy_claims *s, size_t i)
{
    const tacit_spent *c = &s->spent[i];
    return json_pack("{s:s, s:o, s:I, s:b, s:s, s:s, s:o, s:o, s:o, s:o, s:s}", "unit",
                     tacit_unit_name(s->units[i]), "subject",
                     *c->subject ? json_string(c->subject) : json_null(), "entries",
                     (json_int_t)c->releases, "private", (int)c->is_private, "accountant",
                     s->accountant, "bound", c->accountant, "epsilon",
                     tc_privacy_number(c->epsilon), "epsilon_lower", tc_privacy_number(c->lower),
                     "epsilon_upper", tc_privacy_number(c->epsilon), "delta", json_real(c->delta),
                     "statement", s->statements[i]);
}

static json_t *status_json(const tc_privacy_claims *s)
{
    char hex[65];
    tacit_hash_text(&s->head.hash, hex);
    json_t *list = json_array();
    for (size_t i = 0; i < s->n && list; i++)
        if (json_array_append_new(list, unit_json(s, i)) != 0) {
            json_decref(list);
            return NULL;
        }
    return json_pack("{s:s, s:I, s:s, s:o, s:s*}", "ledger", s->ledger, "entries",
                     (json_int_t)s->head.seq, "head", hex, "units", list, "not_private",
                     *s->not_private ? s->not_private : NULL);
}

/* What is handed on as it is makes no entry, and is not private all the same. */
static void add_unentered(tc_table *t, const tc_privacy_claims *s, bool people)
{
    char why[256];
    tc_table_text(t, 0, tacit_unit_name(TACIT_UNIT_AGENT));
    tc_table_text(t, 1, people ? "every" : NULL);
    tc_table_integer(t, 2, 0);
    tc_table_text(t, 3, "NO");
    tc_privacy_cell(t, 4, INFINITY, tacit_epsilon_text, people);
    tc_table_text(t, 6, "none");
    snprintf(why, sizeof why, "NOT PRIVATE: %s", s->not_private);
    if (!people)
        tc_table_text(t, 7, why);
    tc_table_end_row(t);
}

static tacit_status print_table(const tc_privacy_claims *s, tc_format format, tacit_error *err)
{
    static const char *const names[] = {"unit",    "subject", "entries", "private",
                                        "epsilon", "delta",   "bound",   "statement"};
    bool people = format == TC_FORMAT_TABLE;
    tc_table *t = tc_table_new(people ? 7 : 8, names);
    for (size_t i = 0; i < s->n; i++) {
        const tacit_spent *c = &s->spent[i];
        tc_table_text(t, 0, tacit_unit_name(s->units[i]));
        tc_table_text(t, 1, *c->subject ? c->subject : people ? "every" : NULL);
        tc_table_integer(t, 2, (int64_t)c->releases);
        tc_table_text(t, 3, c->is_private ? "yes" : "NO");
        tc_privacy_cell(t, 4, c->epsilon, tacit_epsilon_text, people);
        tc_privacy_cell(t, 5, c->delta, tacit_delta_text, people);
        tc_table_text(t, 6, c->accountant);
        if (!people)
            tc_table_text(t, 7, s->statements[i]);
        tc_table_end_row(t);
    }
    if (s->n == 0 && *s->not_private)
        add_unentered(t, s, people);
    return tc_table_print(t, format, stdout, err);
}

/* Does the table leave out that the study is not private? */
static bool is_unsaid(const tc_privacy_claims *s)
{
    bool unsaid = s->n == 0;
    for (size_t i = 0; i < s->n; i++)
        unsaid = unsaid || s->spent[i].is_private;
    return unsaid && *s->not_private;
}

static void print_statements(const tc_privacy_claims *s)
{
    if (is_unsaid(s)) {
        char why[256];
        snprintf(why, sizeof why, "NOT PRIVATE: %s", s->not_private);
        putchar('\n');
        tc_privacy_paragraph(why);
    }
    for (size_t i = 0; i < s->n; i++) {
        putchar('\n');
        tc_privacy_paragraph(s->statements[i]);
    }
}

tacit_status tc_privacy_print_claims(const tc_privacy_claims *s, int format, tacit_error *err)
{
    if (format == TC_FORMAT_JSON || format == TC_FORMAT_JSONL)
        return tc_privacy_print_json(status_json(s), false, err);
    if (format == TC_FORMAT_TABLE && s->n == 0 && !*s->not_private) {
        printf("%s: nothing was released yet\n", s->ledger);
        return TACIT_OK;
    }
    TC_TRY(print_table(s, (tc_format)format, err));
    if (format == TC_FORMAT_TABLE)
        print_statements(s);
    return TACIT_OK;
}
