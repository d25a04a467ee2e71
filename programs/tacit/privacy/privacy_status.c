/* privacy_status.c - `tacit privacy status`: what a ledger has spent, and for whom.
 *
 * A ledger is opened by its name in a storage, or read from a file that --export has written:
 * a stranger checks that file, every hash in it, and gets the same numbers. */
#include "privacy/privacy_ledger.h"
#include "study/storage.h"

#include "base/file.h"
#include "base/json.h"

#include <string.h>

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
     .choices = TC_LEDGER_ACCOUNTANTS,
     .help = "by which bound; auto: pld for one study, a filter for several"},
    {"export", TC_OPTION_STRING, offsetof(status_opts, export), .value = "FILE",
     .help = "also write all entries to this file, for anybody to check"},
    {.name = NULL}};

static tacit_status write_export(tacit_ledger *l, const char *file, tacit_error *err)
{
    char *text;
    TC_TRY(tacit_ledger_export(l, &text, err));
    tacit_status status = tc_file_write_secret(file, text, strlen(text), err);
    tacit_text_free(text);
    return status;
}

static tacit_status show(const tc_invocation *in, tacit_ledger *l, double delta, tacit_error *err)
{
    const status_opts *o = in->opts;
    tc_privacy_claims s = {0};
    tacit_status status = tc_privacy_ask_all(&s, l, o->accountant, delta, err);
    if (status == TACIT_OK && o->export)
        status = write_export(l, o->export, err);
    if (status == TACIT_OK)
        status = tc_privacy_print_claims(&s, in->format, err);
    tc_privacy_claims_fini(&s);
    return status;
}

static tacit_status run(const tc_invocation *in, tacit_error *err)
{
    const status_opts *o = in->opts;
    double delta = 0;
    tacit_ledger *l = NULL;
    TC_TRY(tc_privacy_check_name(in->args[0], err));
    TC_TRY(tc_privacy_delta(o->delta, o->agents, in->quiet, &delta, err));
    tacit_status status = tc_privacy_ledger(&l, in->args[0], o->storage, err);
    if (status == TACIT_OK)
        status = show(in, l, delta, err);
    tacit_ledger_close(l);
    return status;
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
