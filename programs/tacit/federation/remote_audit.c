/* remote_audit.c - `tacit remote audit`: the operator's log of a coordinator, checked, as a table, CSV or JSON. */
#include "federation/remote.h"

#include "base/file.h"
#include "base/json.h"

#include <inttypes.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

typedef tc_remote_options options;

static const tc_option table[] = {
    TC_SERVER_OPTION(options, server),
    TC_SERVER_OPTIONS(options),
    TC_STRING_OPTION("seen", offsetof(options, seen), NULL,
                     "an entry that was there before, as this command says it at its end; the log "
                     "must have it",
                     .value = "NUMBER:HASH"),
    TC_STRING_OPTION("out", offsetof(options, out), NULL,
                     "where to write; it appears whole or not at all (default: standard output)",
                     .value = "FILE"),
    {.name = NULL}};

/* People read less of it than programs. */
static const char *const few[] = {"seq",    "at_ms",   "role",  "name",   "token",
                                  "action", "outcome", "study", "detail", NULL};
static const char *const all[] = {"seq",      "at_ms",   "role",  "name", "token",
                                  "action",   "outcome", "study", "of",   "detail",
                                  "previous", "hash",    NULL};

static tacit_status write_log(const json_t *log, int format, FILE *out, tacit_error *err)
{
    return tc_remote_print_rows(log, json_object_get(log, "entries"),
                                format == TC_FORMAT_TABLE ? few : all, format, out, err);
}

/* Through memory, so that the file is written in one piece. */
static tacit_status write_file(const json_t *log, int format, const char *file, tacit_error *err)
{
    char *text = NULL;
    size_t len = 0;
    FILE *f = open_memstream(&text, &len);
    if (!f)
        return tc_fail_memory(err);
    tacit_status status = write_log(log, format, f, err);
    bool failed = ferror(f) != 0;
    if ((fclose(f) != 0 || failed) && status == TACIT_OK)
        status = tc_fail_memory(err);
    if (status == TACIT_OK)
        status = tc_file_write(file, text, len, err);
    free(text);
    return status;
}

static tacit_status run(const tc_invocation *in, tacit_error *err)
{
    const options *o = in->opts;
    json_t *log;
    TC_TRY(tc_remote_send(in, &(tc_remote_request){.log = true}, &log, err));
    const json_t *head = json_object_get(log, "head");
    tacit_status status =
        o->out ? write_file(log, in->format, o->out, err) : write_log(log, in->format, stdout, err);
    if (status == TACIT_OK)
        tc_note(in->quiet,
                "tacit: the log is whole; keep its end, --seen holds a later one to it: %lld:%s",
                (long long)json_integer_value(json_object_get(head, "seq")),
                json_string_value(json_object_get(head, "hash")));
    json_decref(log);
    return status;
}

const tc_verb tc_verb_remote_audit = {
    .network = true,
    .name = "remote audit",
    .usage = "[options]",
    .summary = "the operator's log: who changed what at the coordinator, and when",
    .details = "Entries are chained by hashes, and the whole chain is checked: an entry that was\n"
               "changed or taken out is seen (10). That the end was cut off is seen with --seen.\n"
               "\n"
               "  tacit remote audit\n"
               "  tacit remote audit --format csv --out log.csv --seen 112:5c3f...",
    .options = table,
    .options_size = sizeof(options),
    .default_format = TC_FORMAT_TABLE,
    .run = run};
