/* erase.c - `tacit erase`: the end of a study in a storage, or at a coordinator. */
#include "study/study_ref.h"
#include "frame/verbs.h"

#include <tacit/study.h>

#include <stddef.h>

typedef struct options {
    tc_where where;
} options;

static const tc_option table[] = {TC_WHERE_OPTIONS(options), {.name = NULL}};

static tacit_status run(const tc_invocation *in, tacit_error *err)
{
    const options *o = in->opts;
    const tc_study_terms terms = {.threads = 1, .quiet = in->quiet};
    tacit_storage *storage;
    tc_way way = {0};
    TC_TRY(tc_way_find(&way, &o->where, &terms, err));
    tacit_status status = tacit_storage_open(&storage, way.url, &way.opts, err);
    if (status == TACIT_OK) {
        status = tacit_storage_erase(storage, in->args[0], err);
        tacit_storage_close(storage);
    }
    if (status == TACIT_OK)
        tc_note(in->quiet,
                "study %s is erased; ledgers keep what it spent, and backups what they have of it",
                in->args[0]);
    tc_way_close(&way);
    return status;
}

const tc_verb tc_verb_erase = {
    .name = "erase",
    .usage = "STUDY [options]",
    .summary = "erase a study: its journal, its values, its keys; ledgers stay",
    .details =
        "Of a SQLite file the bytes are overwritten; of PostgreSQL see docs/operations.md. Ledger\n"
        "entries stay: without them what was released would count for nothing. An agent's storage\n"
        "also loses its key and its token, and takes no part in that very study again; withdraw\n"
        "first (tacit agent --withdraw). Backups are files of yours: remove them, too.\n"
        "\n"
        "  tacit erase branin\n"
        "  tacit erase landmine --storage sqlite:///tacit-agent.db",
    .options = table,
    .options_size = sizeof(options),
    .min_args = 1,
    .max_args = 1,
    .secrets = true,
    .run = run};
