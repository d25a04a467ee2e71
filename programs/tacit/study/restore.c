/* restore.c - `tacit restore`: a backup becomes a storage that may be served. */
#include "base/clock.h"
#include "study/storage.h"
#include "frame/verbs.h"

#include <tacit/coordinator.h>

#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

typedef struct options {
    char *storage, *released;
} options;

static const tc_option table[] = {
    TC_STORAGE_OPTION(options),
    {"assume-released", TC_OPTION_STRING, offsetof(options, released), .def = "all", .value = "N",
     .help = "rounds of each study that may have been released since the backup: they are charged "
             "and not released again; all is as many as are planned; unknown stamps NOT PRIVATE as "
             "well, for studies that were made anew under their name"},
    {.name = NULL}};

static tacit_status parse_released(const char *text, uint64_t *out, tacit_error *err)
{
    char *end;
    *out = TACIT_RELEASED_ALL;
    if (strcmp(text, "all") == 0 || strcmp(text, "unknown") == 0)
        return TACIT_OK;
    errno = 0;
    *out = strtoull(text, &end, 10);
    bool whole = *text >= '0' && *text <= '9' && !*end && errno == 0 && *out < UINT64_C(1) << 53;
    return whole ? TACIT_OK
                 : tc_fail(err, TACIT_E_ARG,
                           "--assume-released must be a whole number, all or unknown, got \"%s\"",
                           text);
}

typedef struct outcome {
    tc_table *table;
    uint64_t charged;
} outcome;

static tacit_status take_ledger(void *user, const tacit_restored_ledger *l, tacit_error *err)
{
    outcome *o = user;
    (void)err;
    o->charged += l->charged;
    tc_table_text(o->table, 0, l->name);
    tc_table_integer(o->table, 1, (int64_t)l->entries);
    tc_table_integer(o->table, 2, (int64_t)l->charged);
    if (l->next != TACIT_NO_ROUND)
        tc_table_integer(o->table, 3, (int64_t)l->next);
    tc_table_text(o->table, 4, l->not_private ? "NOT PRIVATE any more" : "counted");
    tc_table_end_row(o->table);
    return TACIT_OK;
}

static void say(const outcome *o, const tacit_restore_opts *opts, int64_t made_ms, bool quiet)
{
    char time[32];
    tc_clock_iso(time, made_ms);
    tc_note(quiet, "restored from a backup of %s", time);
    if (o->charged > 0)
        tc_note(quiet,
                "rounds that may have been released since are charged and void; agents that have "
                "heard of one that is not among them will refuse");
    if (opts->released == TACIT_RELEASED_ALL && !opts->unknown)
        tc_note(quiet,
                "\"counted\" assumes that no study was erased and made again under its name since; "
                "else restore with --assume-released unknown");
    tc_note(
        quiet,
        "tokens that were withdrawn, agents that were revoked and keys that were replaced since "
        "the backup are valid again, and join tokens have their uses again: look them through");
    tc_note(quiet, "agents that enrolled since are not known any more: they enrol again with "
                   "their key, given a join token");
}

static tacit_status run(const tc_invocation *in, tacit_error *err)
{
    static const char *const columns[] = {"ledger", "entries", "charged", "next round", "spend"};
    const options *o = in->opts;
    tacit_restore_opts opts = TACIT_RESTORE_OPTS;
    int64_t made_ms = 0;
    TC_TRY(parse_released(o->released, &opts.released, err));
    outcome out = {.table = tc_table_new(5, columns)};
    opts.unknown = strcmp(o->released, "unknown") == 0;
    opts.visit = take_ledger;
    opts.user = &out;
    tacit_status status =
        tacit_storage_restore(tc_storage_url(o->storage), in->args[0], &opts, &made_ms, err);
    if (status != TACIT_OK) {
        tc_table_free(out.table);
        return status;
    }
    say(&out, &opts, made_ms, in->quiet);
    return tc_table_print(out.table, (tc_format)in->format, stdout, err);
}

const tc_verb tc_verb_restore = {
    .name = "restore",
    .usage = "FILE [options]",
    .summary = "make a storage of what tacit backup wrote",
    .details =
        "The storage must be a new one. Everything is checked before anything is written, and all "
        "of it is\n"
        "written or nothing. What a coordinator released after the backup is not in it, but was "
        "spent: the next\n"
        "rounds of each federated study, --assume-released of them, are charged to its ledger and "
        "never\n"
        "released again. Where nobody knows how many there were, leave it at all: the study then "
        "has no rounds\n"
        "left, and its agents go on by themselves. That counts everything, unless a study was "
        "erased\n"
        "and made again under its name since: unknown stamps all ledgers NOT PRIVATE. Agents who "
        "saw\n"
        "a newer ledger stop and say why; tacit agent --accept-restored goes on.\n"
        "\n"
        "  tacit restore /backup/tacit-2026-11-15.db --storage sqlite:////srv/tacit.db\n"
        "  tacit restore tacit.db --storage postgresql:///tacit --assume-released 0",
    .options = table,
    .options_size = sizeof(options),
    .min_args = 1,
    .max_args = 1,
    .secrets = true,
    .run = run};
