/* curate_publish.c - `tacit curate publish`: a coordinator in the modeler's place. */
#include "curate/curate.h"
#include "study/study_ref.h"

#include "base/file.h"

#include <string.h>

typedef struct publish_opts {
    char *name, *out_token;
    char *server, *fingerprint, *token_file, *ca, *proxy;
    int64_t trials, seed;
} publish_opts;

static const tc_option publish_options[] = {
    {"out-token", TC_OPTION_STRING, offsetof(publish_opts, out_token), .value = "FILE",
     .help = "where the client's token is written, for its owner's eyes; required"},
    {"name", TC_OPTION_STRING, offsetof(publish_opts, name), .value = "NAME",
     .help = "of the study that is made (default: the name of the release)"},
    {"trials", TC_OPTION_INT, offsetof(publish_opts, trials), "100", .min = 1, .max = 1e9,
     .help = "questions planned, after which there is none"},
    {"seed", TC_OPTION_INT, offsetof(publish_opts, seed), "0", .min = 0, .max = 0x1p53,
     .help = "of the first rows"},
    TC_SERVER_OPTION(publish_opts, server),
    TC_SERVER_OPTIONS(publish_opts),
    {.name = NULL}};

static tacit_status check_publish(const tc_invocation *in, tacit_error *err)
{
    const publish_opts *o = in->opts;
    const tc_curate_file files[] = {
        {"RELEASED", in->args[0]}, {"--out-token", o->out_token}, {"--token-file", o->token_file}};
    if (!o->out_token)
        return tc_fail(err, TACIT_E_ARG,
                       "--out-token FILE is needed: where the client's token is kept");
    TC_TRY(tc_curate_distinct(files, 3, "memory:", err));
    return tc_file_writable(o->out_token, err);
}

static tacit_status print_published(const tc_invocation *in, const char *study, tacit_error *err)
{
    static const char *const columns[] = {"study", "trials", "token_file"};
    const publish_opts *o = in->opts;
    tc_table *t = tc_table_new(3, columns);
    tc_table_text(t, 0, study);
    tc_table_integer(t, 1, o->trials);
    tc_table_text(t, 2, o->out_token);
    tc_table_end_row(t);
    return tc_table_print(t, (tc_format)in->format, stdout, err);
}

static tacit_status send_released(const tc_invocation *in, const tacit_released *r,
                                  const tc_way *way, tacit_error *err)
{
    const publish_opts *o = in->opts;
    const tacit_modeler_opts plan = {.trials = (uint64_t)o->trials,
                                     .seed = (uint64_t)o->seed,
                                     .n_options = in->n_sets,
                                     .options = (const char *const *)in->sets};
    tacit_storage *coordinator = NULL;
    tacit_published made;
    TC_TRY(tacit_storage_open(&coordinator, way->url, &way->opts, err));
    tacit_status status = tacit_released_publish(r, coordinator, o->name, &plan, &made, err);
    tacit_storage_close(coordinator);
    TC_TRY(status);
    status = tc_secret_write(o->out_token, made.token, err);
    if (status == TACIT_OK)
        status = print_published(in, made.study, err);
    explicit_bzero(made.token, strlen(made.token));
    tacit_text_free(made.token);
    tacit_text_free(made.study);
    return status;
}

/* Only what reads as a release leaves: no mistyped name sends the secret file. */
static tacit_status run_publish(const tc_invocation *in, tacit_error *err)
{
    const publish_opts *o = in->opts;
    const tc_where where = {.server =
                                o->server ? o->server : (char *)(uintptr_t)tc_server_url(NULL),
                            .fingerprint = o->fingerprint,
                            .ca = o->ca,
                            .proxy = o->proxy,
                            .token_file = o->token_file};
    tacit_released *r = NULL;
    tc_way way = {0};
    TC_TRY(check_publish(in, err));
    if (!where.server)
        return tc_fail(err, TACIT_E_ARG,
                       "which coordinator? Say --server URL, or set TACIT_SERVER");
    tacit_status status = tacit_released_read(&r, in->args[0], err);
    if (status == TACIT_OK)
        status = tc_way_find(&way, &where, &(tc_study_terms){.quiet = in->quiet}, err);
    if (status == TACIT_OK)
        status = send_released(in, r, &way, err);
    tc_way_close(&way);
    tacit_released_free(r);
    return status;
}

const tc_verb tc_verb_curate_publish = {
    .name = "curate publish",
    .usage = "RELEASED.json --out-token FILE [options]",
    .summary = "send a release to a coordinator, which then asks about its rows",
    .details =
        "The coordinator makes a study over the released rows, as tacit model next would, and "
        "gives\n"
        "a client's token with which tacit curate answer --server takes its questions. The token\n"
        "for this verb is a curator's (tacit remote token --role curator), good for one release, "
        "or\n"
        "an operator's. The same command again gives a fresh client's token in the place of the\n"
        "former. --set has options of po-gp-ucb. A file that is no release is not sent.\n"
        "\n"
        "  tacit curate publish released.json --server https://tacit.example:8443 \\\n"
        "      --fingerprint sha256//... --token-file curator.txt --out-token client.txt --trials "
        "60",
    .options = publish_options,
    .options_size = sizeof(publish_opts),
    .min_args = 1,
    .max_args = 1,
    .takes_sets = true,
    .sets_help = "an option of po-gp-ucb; may be repeated",
    .secrets = true,
    .run = run_publish};
