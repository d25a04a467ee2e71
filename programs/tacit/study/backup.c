/* backup.c - `tacit backup`: a store at one moment, as a file that `tacit restore` takes. */
#include "base/clock.h"
#include "study/study_ref.h"
#include "frame/verbs.h"

#include <tacit/study.h>

#include <inttypes.h>
#include <stddef.h>

typedef struct options {
    char *storage;
} options;

static const tc_option table[] = {TC_STORAGE_OPTION(options), {.name = NULL}};

static tacit_status run(const tc_invocation *in, tacit_error *err)
{
    const options *o = in->opts;
    tacit_storage *storage;
    const char *server;
    const tc_where where = {.storage = (char *)tc_storage_url(o->storage)};
    tacit_backup_info made = TACIT_BACKUP_INFO;
    char time[32];
    TC_TRY(tc_where_server(&where, &server, err));
    if (server)
        return tc_fail(err, TACIT_E_UNSUPPORTED,
                       "a coordinator's storage is backed up where it is: name it, not %s", server);
    TC_TRY(tacit_storage_open(&storage, where.storage, NULL, err));
    tacit_status status = tacit_storage_backup(storage, in->args[0], &made, err);
    tacit_storage_close(storage);
    TC_TRY(status);
    tc_clock_iso(time, made.made_ms);
    tc_note(in->quiet, "%" PRIu64 " %s as of %s in %s: keep it like a key", made.studies,
            made.studies == 1 ? "study" : "studies", time, in->args[0]);
    return TACIT_OK;
}

const tc_verb tc_verb_backup = {
    .name = "backup",
    .usage = "FILE [options]",
    .summary = "copy a storage as it is at this moment into a file, while it is used",
    .details =
        "The file is a SQLite file for its owner alone (mode 0600), whatever the storage is. It "
        "appears\n"
        "whole or not at all, and replaces nothing. It holds keys and seeds: treat it as a key. "
        "Contributions\n"
        "to sums are left out; agents send them again. So are the keys of a trustee's rounds: a "
        "trustee\n"
        "that is restored answers nothing more in its study.\n"
        "\n"
        "  tacit backup --storage sqlite:////srv/tacit.db /backup/tacit-2026-11-15.db\n"
        "  tacit backup --storage postgresql:///tacit /backup/tacit-2026-11-15.db",
    .options = table,
    .options_size = sizeof(options),
    .min_args = 1,
    .max_args = 1,
    .secrets = true,
    .run = run};
