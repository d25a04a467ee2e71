/* curate_remote.c - a curator and a coordinator as two parties: `tacit curate publish`, and the loop of
 * `tacit curate answer --server`.
 *
 * What reaches the coordinator is the released file, and answers that went through the curator's ledger
 * (curate_answer.h): nothing that the two files of docs/outsourcing.md would not have held. */
#include "curate/curate_answer.h"
#include "federation/link.h"
#include "simulate/simulate.h"

#include "base/file.h"
#include "base/json.h"
#include "base/memory.h"
#include "wire/released_json.h"
#include "wire/released_study.h"

#include <inttypes.h>
#include <math.h>
#include <stddef.h>
#include <string.h>

/* ---- publishing */

typedef struct publish_opts {
    char *name, *out_token;
    char *server, *fingerprint, *token_file;
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

static const double PATIENCE_S = 10;
enum { RELEASED_BYTES = 256 << 20 }; /* as any JSON file */

static tacit_status make_options(const tc_invocation *in, json_t **out, tacit_error *err)
{
    json_t *j = json_object();
    const tc_algorithm *a = tc_algorithm_find(TC_RELEASED_ALGORITHM);
    tacit_status st = j ? tc_simulate_take(a, j, in->n_sets, in->sets, err) : tc_fail_memory(err);
    if (st == TACIT_OK)
        *out = j;
    else
        json_decref(j);
    return st;
}

/* Only what reads as a release leaves: no mistyped name sends the secret file. */
static tacit_status parse_released(const char *text, size_t len, const char *file, json_t **out,
                                   char name[65], tacit_error *err)
{
    tc_released *r;
    TC_TRY(tc_released_decode(&r, text, len, file, err));
    snprintf(name, 65, "%s", r->name);
    tc_released_free(r);
    return tc_json_parse(text, len, file, out, err);
}

/* Read once: what is checked is what leaves. */
static tacit_status read_released(const char *file, json_t **out, char name[65], tacit_error *err)
{
    char *text;
    size_t len;
    TC_TRY(tc_file_read(file, RELEASED_BYTES, &text, &len, err));
    tacit_status st = parse_released(text, len, file, out, name, err);
    tc_free(text);
    return st;
}

/* Takes both. NULL: no memory. */
static char *body_text(const publish_opts *o, const char *name, json_t *released, json_t *options)
{
    json_t *j = json_pack("{s:s, s:o, s:I, s:o}", "name", name, "released", released, "trials",
                          (json_int_t)o->trials, "options", options);
    bool ok = j && (o->seed == 0 || json_object_set_new(j, "seed", json_integer(o->seed)) == 0);
    char *text = ok ? tc_json_text(j) : NULL;
    json_decref(j);
    return text;
}

static tacit_status make_body(const tc_invocation *in, char **out, tacit_error *err)
{
    const publish_opts *o = in->opts;
    json_t *released, *options;
    char name[65];
    TC_TRY(make_options(in, &options, err));
    tacit_status st = read_released(in->args[0], &released, name, err);
    if (st != TACIT_OK) {
        json_decref(options);
        return st;
    }
    *out = body_text(o, o->name ? o->name : name, released, options);
    return *out ? TACIT_OK : tc_fail_memory(err);
}

static tacit_status send_body(const tc_invocation *in, const char *body, json_t **out,
                              tacit_error *err)
{
    const publish_opts *o = in->opts;
    tc_link l = {0};
    tc_call call = {
        .method = "POST", .path = "/v1/studies:outsource", .body = body, .n_body = strlen(body)};
    tacit_status st =
        tc_link_open(&l, o->server, o->fingerprint, o->token_file, PATIENCE_S, in->quiet, err);
    if (st == TACIT_OK)
        st = tc_remote_call(&l.cfg, &call, false, out, err);
    tc_link_close(&l);
    return st;
}

static tacit_status take_published(const tc_invocation *in, const json_t *answer, tacit_error *err)
{
    static const char *const columns[] = {"study", "trials", "token_file"};
    const publish_opts *o = in->opts;
    const char *name = json_string_value(json_object_get(answer, "name"));
    const char *token = json_string_value(json_object_get(answer, "token"));
    if (!name || !token)
        return tc_fail(err, TACIT_E_IO,
                       "the coordinator's answer makes no sense: no name or no token");
    TC_TRY(tc_secret_write(o->out_token, token, err));
    tc_table *t = tc_table_new(3, columns);
    tc_table_text(t, 0, name);
    tc_table_integer(t, 1, o->trials);
    tc_table_text(t, 2, o->out_token);
    tc_table_end_row(t);
    return tc_table_print(t, (tc_format)in->format, stdout, err);
}

static tacit_status check_publish(const tc_invocation *in, tacit_error *err)
{
    const publish_opts *o = in->opts;
    const tc_curate_file files[] = {
        {"RELEASED", in->args[0]}, {"--out-token", o->out_token}, {"--token-file", o->token_file}};
    if (!o->out_token)
        return tc_fail(err, TACIT_E_ARG,
                       "--out-token FILE is needed: where the client's token is kept");
    TC_TRY(tc_curate_distinct(files, 3, err));
    return tc_file_writable(o->out_token, err);
}

static tacit_status run_publish(const tc_invocation *in, tacit_error *err)
{
    char *body;
    json_t *answer;
    TC_TRY(check_publish(in, err));
    TC_TRY(make_body(in, &body, err));
    tacit_status st = send_body(in, body, &answer, err);
    tc_free(body);
    TC_TRY(st);
    st = take_published(in, answer, err);
    json_decref(answer);
    return st;
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

/* ---- answering */

/* Started again under this name, the curator gets the row back that it had. A row takes as long as it
 * takes: nobody else could answer. */
static const char WORKER[] = "curator";
static const double LEASE_S = 86400;

static const char NO_VALUE[] = "the curator has no value for this row";

typedef struct service {
    tc_answering *answering;
    const tc_invocation *in;
    tc_link link;
    tc_remote *study;
    uint64_t answered;
    bool said; /* that values leave NOT PRIVATE */
    tc_progress *progress;
} service;

static tacit_status open_study(service *s, tacit_error *err)
{
    const tc_answering *a = s->answering;
    const tc_answer_opts *o = a->o;
    TC_TRY(tc_link_open(&s->link, o->server, o->fingerprint, o->token_file, o->patience_s, a->quiet,
                        err));
    s->link.cfg.study = o->study ? o->study : a->secret.terms.name;
    TC_TRY(tc_remote_open(&s->study, &s->link.cfg, err));
    const tc_study_doc *doc = tc_remote_document(s->study);
    if (strcmp(doc->algorithm->name, TC_RELEASED_ALGORITHM) != 0 || !doc->space->domain)
        return tc_fail(err, TACIT_E_STATE, "study %s does not search released rows", doc->name);
    return tc_answering_is_of(s->answering, doc->space->domain, err);
}

/* The next question; *asked false: there is none left. */
static tacit_status next_question(service *s, uint64_t *trial, uint64_t *row, bool *asked,
                                  tacit_error *err)
{
    const tc_remote_request q = {.worker = WORKER, .lease_s = LEASE_S, .count = 1};
    tc_trial_list got = {0};
    tacit_error why = {0};
    tacit_status st = tc_remote_suggest(s->study, &q, &got, &why);
    *asked = st == TACIT_OK;
    if (st == TACIT_OK) {
        *trial = got.list[0].number;
        *row = (uint64_t)got.list[0].values[0];
    }
    tc_trial_list_fini(&got);
    return st == TACIT_OK || st == TACIT_E_BUDGET ? TACIT_OK : tc_fail(err, st, "%s", why.msg);
}

static void say(service *s, uint64_t row, const tc_row_answer *a)
{
    char note[64];
    if (!a->is_private && !s->said)
        tc_note(s->in->quiet, "tacit: values of rows leave NOT PRIVATE");
    s->said = s->said || !a->is_private;
    snprintf(note, sizeof note, "row %" PRIu64, row);
    tc_progress_update(s->progress, ++s->answered, note);
}

static tacit_status answer_one(service *s, uint64_t trial, uint64_t row, tacit_error *err)
{
    tc_row_answer a;
    TC_TRY(tc_answering_row(s->answering, row, NULL, &a, err));
    bool none = isnan(a.value);
    tacit_report r = {.kind = none ? TACIT_REPORT_FAILED : TACIT_REPORT_VALUE,
                      .value = a.value,
                      .reason = NO_VALUE};
    TC_TRY(tc_remote_complete(s->study, trial, &r, err));
    say(s, row, &a);
    return TACIT_OK;
}

/* No more than were planned when it began, whatever the coordinator says later. */
static tacit_status answer_all(service *s, tacit_error *err)
{
    uint64_t most = tc_remote_document(s->study)->trials, trial, row;
    for (bool asked = true; asked && s->answered < most;) {
        if (tc_interrupted())
            return tc_fail(err, TACIT_E_CANCELLED, "interrupted; the same command goes on");
        TC_TRY(next_question(s, &trial, &row, &asked, err));
        if (asked)
            TC_TRY(answer_one(s, trial, row, err));
    }
    return TACIT_OK;
}

static tacit_status print_end(service *s, tacit_error *err)
{
    static const char *const columns[] = {"study", "answered", "best_row", "best_value"};
    tc_trial_list best = {0};
    tacit_status st = tc_remote_best(s->study, &best, err);
    if (st == TACIT_OK) {
        tc_table *t = tc_table_new(4, columns);
        tc_table_text(t, 0, s->link.cfg.study);
        tc_table_integer(t, 1, (int64_t)s->answered);
        if (best.n > 0) {
            tc_table_integer(t, 2, (int64_t)best.list[0].values[0]);
            tc_table_number(t, 3, best.list[0].value);
        }
        tc_table_end_row(t);
        st = tc_table_print(t, (tc_format)s->in->format, stdout, err);
    }
    tc_trial_list_fini(&best);
    return st;
}

tacit_status tc_curate_serve(tc_answering *a, const tc_invocation *in, tacit_error *err)
{
    service s = {.answering = a, .in = in};
    tacit_status st = open_study(&s, err);
    if (st == TACIT_OK) {
        s.progress =
            tc_progress_start(s.link.cfg.study, tc_remote_document(s.study)->trials, in->quiet);
        st = answer_all(&s, err);
        tc_progress_end(s.progress);
    }
    if (st == TACIT_OK)
        st = print_end(&s, err);
    tc_remote_close(s.study);
    tc_link_close(&s.link);
    return st;
}
