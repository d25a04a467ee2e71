/* backup.c - `tacit backup`: a store at one moment, as a file that `tacit restore` takes. */
#include "base/clock.h"
#include "study/storage.h"
#include "study/copy.h"
#include "frame/verbs.h"

#include <stddef.h>

typedef struct options {
    char *storage;
} options;

static const tc_option table[] = {TC_STORAGE_OPTION(options), {.name = NULL}};

static tacit_status count_study(void *user, const tc_study_row *row, tacit_error *err)
{
    (void)row;
    (void)err;
    ++*(size_t *)user;
    return TACIT_OK;
}

/* Of what is in the file, not of what is in the store by now. */
static tacit_status say(const tc_invocation *in, const char *file, tacit_error *err)
{
    char time[32];
    tc_store *backup;
    size_t studies = 0;
    int64_t made_ms;
    TC_TRY(tc_backup_open(&backup, file, err));
    tacit_status st = tc_store_study_list(backup, count_study, &studies, err);
    if (st == TACIT_OK)
        st = tc_backup_time(backup, &made_ms, err);
    tc_store_close(backup);
    TC_TRY(st);
    tc_clock_iso(time, made_ms);
    tc_note(in->quiet, "%zu %s as of %s in %s: keep it like a key", studies,
            studies == 1 ? "study" : "studies", time, file);
    return TACIT_OK;
}

static tacit_status run(const tc_invocation *in, tacit_error *err)
{
    const options *o = in->opts;
    tc_store *store;
    TC_TRY(tc_store_open(&store, tc_storage_url(o->storage), false, err));
    tacit_status st = tc_backup_write(store, in->args[0], tc_clock_unix_ms(), err);
    tc_store_close(store);
    return st == TACIT_OK ? say(in, in->args[0], err) : st;
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
        "to sums are left out; agents send them again.\n"
        "\n"
        "  tacit backup --storage sqlite:////srv/tacit.db /backup/tacit-2026-11-15.db\n"
        "  tacit backup --storage postgresql:///tacit /backup/tacit-2026-11-15.db",
    .options = table,
    .options_size = sizeof(options),
    .min_args = 1,
    .max_args = 1,
    .secrets = true,
    .run = run};
