/* privacy_status.c - `tacit privacy status`: what a ledger has spent, and for whom.
 *
 * A ledger is opened by its name in a storage, or read from a file that --export has written:
 * a stranger checks that file, every hash in it, and gets the same numbers. */
#include "privacy/privacy_cli.h"
#include "study/storage.h"
#include "study/user_ledger.h"

#include "base/file.h"
#include "base/json.h"
#include "base/memory.h"

#include <sodium.h>
#include <stddef.h>
#include <string.h>
#include <sys/stat.h>

#define ACCOUNTANTS "auto|pld|rdp|moments|gaussian|pure"

typedef struct status_opts {
    char *storage, *export;
    double delta;
    int64_t agents;
    int accountant;
} status_opts;

static const tc_option options[] = {
    TC_STORAGE_OPTION(status_opts),
    TC_DELTA_OPTION(status_opts),
    TC_AGENTS_OPTION(status_opts),
    {"accountant", TC_OPTION_CHOICE, offsetof(status_opts, accountant), "auto",
     .choices = ACCOUNTANTS,
     .help = "by which bound; auto: pld for one study, a filter for several"},
    {"export", TC_OPTION_STRING, offsetof(status_opts, export), .value = "FILE",
     .help = "also write all entries to this file, for anybody to check"},
    {.name = NULL}};

/* ---- opening */

static bool is_file(const char *word)
{
    size_t n = strlen(word);
    return strchr(word, '/') || (n > 5 && strcmp(word + n - 5, ".json") == 0);
}

static tacit_status from_file(const char *file, tc_ledger **out, tacit_error *err)
{
    json_t *j = NULL;
    struct stat about;
    if (stat(file, &about) == 0 && S_ISDIR(about.st_mode))
        return tc_fail(err, TACIT_E_ARG,
                       "\"%s\" is a folder; a ledger is a name in the storage or an exported file",
                       file);
    TC_TRY(tc_json_read_file(file, &j, err));
    tacit_status status = tc_ledger_from_json(out, j, err);
    if (status != TACIT_OK)
        tc_fail_in(err, "%s", file);
    json_decref(j);
    return status;
}

static tacit_status from_store(const char *name, tc_store *store, tc_ledger **out, tacit_error *err)
{
    tc_ledger_io io;
    TC_TRY(tc_store_ledger(store, name, false, &io, err));
    return tc_ledger_open(out, name, &io, err);
}

/* Replies of users are in a ledger of their own (user_ledger.h), unless a storage is named. */
static const char *storage_of(const status_opts *o, const char *name, char own[PATH_MAX])
{
    bool replies = !o->storage && strcmp(name, TC_REPLIES_LEDGER) == 0;
    return replies && tc_user_ledger_exists(own) ? own : tc_storage_url(o->storage);
}

/* ---- what every unit has spent */

enum { UNITS = 3 };

typedef struct status {
    const tc_ledger *ledger;
    const char *accountant;
    size_t n;
    tc_ledger_claim claims[UNITS];
    tc_text statements[UNITS];
} status;

static void status_fini(status *s)
{
    for (size_t i = 0; i < UNITS; i++)
        tc_text_fini(&s->statements[i]);
}

/* Whoever wrote such an entry: no accountant here has a bound for it. */
static tacit_status check_sampling(const tc_ledger *l, tacit_error *err)
{
    uint64_t n = tc_ledger_get_head(l).seq;
    for (uint64_t seq = 1; seq <= n; seq++) {
        const tc_ledger_entry *e = tc_ledger_get(l, seq, NULL);
        tacit_status st = tc_privacy_unit_check(e->unit, e->event.sampling_rate, err);
        if (st != TACIT_OK) {
            tc_fail_in(err, "no guarantee: ledger entry %llu", (unsigned long long)seq);
            return st;
        }
    }
    return TACIT_OK;
}

static tacit_status ask_all(status *s, const tc_accountant *a, double delta, tacit_error *err)
{
    s->accountant = a ? a->name : "auto";
    TC_TRY(check_sampling(s->ledger, err));
    for (int unit = TACIT_UNIT_AGENT; unit <= TACIT_UNIT_USER; unit++) {
        tc_ledger_claim *c = &s->claims[s->n];
        if (!tc_ledger_has_unit(s->ledger, (tacit_unit)unit))
            continue;
        TC_TRY(tc_ledger_guarantee(s->ledger, (tacit_unit)unit, NULL, delta, a, c, err));
        tc_ledger_statement(s->ledger, c, &s->statements[s->n]);
        if (s->statements[s->n++].failed)
            return tc_fail_memory(err);
    }
    return TACIT_OK;
}

/* ---- output */

static json_t *claim_json(const status *s, size_t i)
{
    const tc_ledger_claim *c = &s->claims[i];
    return json_pack(
        "{s:s, s:o, s:I, s:b, s:s, s:s, s:o, s:o, s:o, s:o, s:s}", "unit",
        tc_privacy_unit_name(c->unit), "subject",
        *c->subject ? json_string(c->subject) : json_null(), "entries", (json_int_t)c->entries,
        "private", (int)c->is_private, "accountant", s->accountant, "bound", c->bound.accountant,
        "epsilon", tc_privacy_number(c->bound.epsilon), "epsilon_lower",
        tc_privacy_number(c->bound.lower), "epsilon_upper", tc_privacy_number(c->bound.epsilon),
        "delta", json_real(c->bound.delta), "statement", tc_text_get(&s->statements[i]));
}

static json_t *status_json(const status *s)
{
    char hex[2 * TC_LEDGER_HASH_BYTES + 1];
    tacit_head head = tc_ledger_get_head(s->ledger);
    sodium_bin2hex(hex, sizeof hex, head.hash.bytes, sizeof head.hash.bytes);
    json_t *list = json_array();
    for (size_t i = 0; i < s->n && list; i++)
        if (json_array_append_new(list, claim_json(s, i)) != 0) {
            json_decref(list);
            return NULL;
        }
    return json_pack("{s:s, s:I, s:s, s:o}", "ledger", tc_ledger_name(s->ledger), "entries",
                     (json_int_t)head.seq, "head", hex, "units", list);
}

static tacit_status print_table(const status *s, tc_format format, tacit_error *err)
{
    static const char *const names[] = {"unit",    "subject", "entries", "private",
                                        "epsilon", "delta",   "bound",   "statement"};
    bool people = format == TC_FORMAT_TABLE;
    tc_table *t = tc_table_new(people ? 7 : 8, names);
    for (size_t i = 0; i < s->n; i++) {
        const tc_ledger_claim *c = &s->claims[i];
        tc_table_text(t, 0, tc_privacy_unit_name(c->unit));
        tc_table_text(t, 1, *c->subject ? c->subject : people ? "every" : NULL);
        tc_table_integer(t, 2, (int64_t)c->entries);
        tc_table_text(t, 3, c->is_private ? "yes" : "NO");
        tc_privacy_cell(t, 4, c->bound.epsilon, tc_epsilon_text, people);
        tc_privacy_cell(t, 5, c->bound.delta, tc_delta_text, people);
        tc_table_text(t, 6, c->bound.accountant);
        if (!people)
            tc_table_text(t, 7, tc_text_get(&s->statements[i]));
        tc_table_end_row(t);
    }
    return tc_table_print(t, format, stdout, err);
}

static tacit_status print(const status *s, int format, tacit_error *err)
{
    if (format == TC_FORMAT_JSON || format == TC_FORMAT_JSONL)
        return tc_privacy_print_json(status_json(s), false, err);
    if (format == TC_FORMAT_TABLE && s->n == 0) {
        printf("%s: nothing was released yet\n", tc_ledger_name(s->ledger));
        return TACIT_OK;
    }
    TC_TRY(print_table(s, (tc_format)format, err));
    for (size_t i = 0; i < s->n && format == TC_FORMAT_TABLE; i++) {
        putchar('\n');
        tc_privacy_paragraph(tc_text_get(&s->statements[i]));
    }
    return TACIT_OK;
}

static tacit_status write_export(const tc_ledger *l, const char *file, tacit_error *err)
{
    json_t *j = tc_ledger_json(l);
    char *text = tc_json_text(j);
    json_decref(j);
    if (!text)
        return tc_fail_memory(err);
    tacit_status st = tc_file_write_secret(file, text, strlen(text), err);
    tc_free(text);
    return st;
}

static tacit_status show(const tc_invocation *in, const tc_ledger *l, double delta,
                         tacit_error *err)
{
    static const tc_accountant *const by_option[] = {NULL,
                                                     &tc_accountant_pld,
                                                     &tc_accountant_rdp,
                                                     &tc_accountant_moments,
                                                     &tc_accountant_gaussian,
                                                     &tc_accountant_pure};
    const status_opts *o = in->opts;
    status s = {.ledger = l};
    tacit_status st = ask_all(&s, by_option[o->accountant], delta, err);
    if (st == TACIT_OK && o->export)
        st = write_export(l, o->export, err);
    if (st == TACIT_OK)
        st = print(&s, in->format, err);
    status_fini(&s);
    return st;
}

static tacit_status run(const tc_invocation *in, tacit_error *err)
{
    const status_opts *o = in->opts;
    const char *name = in->args[0];
    char own[PATH_MAX];
    double delta = 0;
    tc_store *store = NULL;
    tc_ledger *l = NULL;
    if (!*name)
        return tc_fail(err, TACIT_E_ARG, "the name of a ledger must not be empty");
    TC_TRY(tc_privacy_delta(o->delta, o->agents, in->quiet, &delta, err));
    tacit_status st;
    if (is_file(name)) {
        st = from_file(name, &l, err);
    } else {
        st = tc_store_open(&store, storage_of(o, name, own), false, err);
        if (st == TACIT_OK)
            st = from_store(name, store, &l, err);
    }
    if (st == TACIT_OK)
        st = show(in, l, delta, err);
    tc_ledger_close(l);
    tc_store_close(store);
    return st;
}

const tc_verb tc_verb_privacy_status = {
    .name = "privacy status",
    .usage = "LEDGER [options]",
    .summary = "what a ledger has spent, and for whom",
    .details =
        "LEDGER is the name of a ledger in the storage, or a file that --export has written.\n"
        "Without --storage, replies is the user's own ledger (tacit curate perturb), if any.\n"
        "The whole chain is read and checked first; a damaged ledger is refused, and the\n"
        "entry named. Then, for each kind of unit (agent, row, user), the table says what the\n"
        "worst-off one has spent over all releases.\n"
        "\n"
        "The releases of one study were planned by its document: pld adds them up. A later\n"
        "study may have been chosen in view of earlier releases, so a filter adds up those of\n"
        "several studies (gdp-filter, rdp-filter). With --accountant you say yourself that all\n"
        "of them were planned before the first release; the statement repeats it.\n"
        "\n"
        "An exported file holds public values only, with the events in the words of google's\n"
        "dp_accounting, so that anybody can compute the numbers again.\n"
        "\n"
        "  tacit privacy status landmine --agents 29\n"
        "  tacit privacy status replies --delta 1e-9\n"
        "  tacit privacy status landmine --delta 1e-5 --export ledger.json\n"
        "  tacit privacy status ./ledger.json --delta 1e-5 --format json",
    .options = options,
    .options_size = sizeof(status_opts),
    .min_args = 1,
    .max_args = 1,
    .run = run,
};
