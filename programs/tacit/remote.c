/* remote.c - `tacit remote`: what an operator asks of a coordinator.
 *
 * A member of the family is a row of `errands`: a method, a path and a body. The answer is JSON, and
 * is printed as it came. */
#include "base/file.h"
#include "base/json.h"
#include "base/memory.h"
#include "server_options.h"
#include "verbs.h"
#include "wire/study_doc.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

typedef struct options {
    char *server, *token_file, *fingerprint, *role;
    int64_t uses;
    double expires_s;
} options;

#define SERVER_ROWS                                                                                \
    {.name = "server",                                                                             \
     .type = TC_OPTION_STRING,                                                                     \
     .offset = offsetof(options, server),                                                          \
     .value = "URL",                                                                               \
     .help = "the coordinator (default: TACIT_SERVER)"},                                           \
        TC_SERVER_OPTIONS(options)

static const tc_option table[] = {SERVER_ROWS, {.name = NULL}};
static const tc_option token_table[] = {SERVER_ROWS,
                                        {.name = "uses",
                                         .type = TC_OPTION_INT,
                                         .offset = offsetof(options, uses),
                                         .def = "1",
                                         .min = 1,
                                         .max = TC_STUDY_AGENTS_MAX,
                                         .help = "how many agents may join with it"},
                                        {.name = "expires-s",
                                         .type = TC_OPTION_FLOAT,
                                         .offset = offsetof(options, expires_s),
                                         .def = "86400",
                                         .min = 0,
                                         .max = 1e9,
                                         .help = "seconds for which it is valid; 0 is for ever"},
                                        {.name = NULL}};

/* ---- the request ---- */

/* Exit codes of refusals are those of the same refusals here. */
static tacit_status code_of(int status)
{
    switch (status) {
    case 404:
        return TACIT_E_NOT_FOUND;
    case 409:
    case 410:
        return TACIT_E_STATE;
    default:
        return status < 500 ? TACIT_E_ARG : TACIT_E_IO;
    }
}

static tacit_status problem(int status, const tc_text *body, tacit_error *err)
{
    json_t *j = NULL;
    tacit_error why;
    const char *detail = NULL;
    if (tc_json_parse(tc_text_get(body), body->len, "answer", &j, &why) == TACIT_OK)
        detail = json_string_value(json_object_get(j, "detail"));
    tacit_status code = tc_fail(err, code_of(status), "the coordinator says %d: %s", status,
                                detail ? detail : "no reason given");
    json_decref(j);
    return code;
}

static tacit_status request(const options *o, const tc_call *call, tacit_error *err)
{
    const char *url = o->server ? o->server : getenv("TACIT_SERVER");
    tc_client *client;
    tc_text body = {0};
    char *token;
    int status = 0;
    if (!url)
        return tc_fail(err, TACIT_E_ARG,
                       "which coordinator? Say --server URL, or set TACIT_SERVER");
    TC_TRY(tc_server_token(o->token_file, true, &token, err));
    tacit_status result = tc_server_client(&client, url, o->fingerprint, err);
    if (result == TACIT_OK) {
        tc_call full = *call;
        full.bearer = token;
        result = tc_client_call(client, &full, &status, &body, err);
        tc_client_free(client);
    }
    explicit_bzero(token, strlen(token));
    tc_free(token);
    if (result == TACIT_OK && status < 300)
        printf("%s\n", tc_text_get(&body));
    else if (result == TACIT_OK)
        result = problem(status, &body, err);
    tc_text_fini(&body);
    return result;
}

static tacit_status simple(const tc_invocation *in, const char *method, const char *end,
                           tacit_error *err)
{
    tc_text path = {0};
    tc_text_addf(&path, "/v1/studies%s%s%s", in->n_args > 0 ? "/" : "",
                 in->n_args > 0 ? in->args[0] : "", end);
    tacit_status status =
        path.failed
            ? tc_fail_memory(err)
            : request(in->opts, &(tc_call){.method = method, .path = tc_text_get(&path)}, err);
    tc_text_fini(&path);
    return status;
}

/* ---- members ---- */

static tacit_status run_studies(const tc_invocation *in, tacit_error *err)
{
    return simple(in, "GET", "", err);
}

static tacit_status run_pause(const tc_invocation *in, tacit_error *err)
{
    return simple(in, "POST", ":pause", err);
}

static tacit_status run_resume(const tc_invocation *in, tacit_error *err)
{
    return simple(in, "POST", ":resume", err);
}

static tacit_status run_close(const tc_invocation *in, tacit_error *err)
{
    return simple(in, "POST", ":close", err);
}

static tacit_status run_delete(const tc_invocation *in, tacit_error *err)
{
    return simple(in, "DELETE", "", err);
}

static tacit_status run_privacy(const tc_invocation *in, tacit_error *err)
{
    return simple(in, "GET", "/privacy", err);
}

/* The points of a finite space travel with the document. */
static json_t *creation(const tc_study_doc *doc)
{
    char *text = tc_study_doc_text(doc);
    char *csv = doc->space->domain ? tc_domain_csv(doc->space->domain) : NULL;
    json_t *document = text ? json_loads(text, 0, NULL) : NULL;
    json_t *j = document ? json_pack("{s:o}", "document", document) : NULL;
    bool ok = j && (!doc->space->domain || csv);
    if (ok && csv)
        ok = json_object_set_new(j, "points_csv", json_string(csv)) == 0;
    tc_free(text);
    tc_free(csv);
    if (ok)
        return j;
    json_decref(j);
    return NULL;
}

static tacit_status run_create(const tc_invocation *in, tacit_error *err)
{
    tc_study_doc *doc;
    TC_TRY(tc_study_doc_read(&doc, in->args[0], err));
    json_t *j = creation(doc);
    tc_study_doc_free(doc);
    char *text = tc_json_text(j);
    json_decref(j);
    if (!text)
        return tc_fail_memory(err);
    tc_call call = {.method = "POST", .path = "/v1/studies", .body = text, .n_body = strlen(text)};
    tacit_status status = request(in->opts, &call, err);
    tc_free(text);
    return status;
}

static tacit_status run_token(const tc_invocation *in, tacit_error *err)
{
    const options *o = in->opts;
    tc_text path = {0}, body = {0};
    tc_text_addf(&path, "/v1/studies/%s/tokens", in->args[0]);
    tc_text_addf(&body, "{\"uses\": %lld, \"expires_s\": %.17g}", (long long)o->uses, o->expires_s);
    tc_call call = {.method = "POST",
                    .path = tc_text_get(&path),
                    .body = tc_text_get(&body),
                    .n_body = body.len};
    tacit_status status = path.failed || body.failed ? tc_fail_memory(err) : request(o, &call, err);
    tc_text_fini(&path);
    tc_text_fini(&body);
    return status;
}

/* The file has the token, so that it is in no list of processes. */
static tacit_status run_withdraw(const tc_invocation *in, tacit_error *err)
{
    char *text;
    tc_text body = {0};
    TC_TRY(tc_server_token(in->args[0], true, &text, err));
    json_t *j = json_pack("{s:s}", "token", text);
    char *json = tc_json_text(j);
    json_decref(j);
    explicit_bzero(text, strlen(text));
    tc_free(text);
    if (json)
        tc_text_add(&body, json);
    tc_free(json);
    tc_call call = {.method = "POST",
                    .path = "/v1/tokens:withdraw",
                    .body = tc_text_get(&body),
                    .n_body = body.len};
    tacit_status status =
        !json || body.failed ? tc_fail_memory(err) : request(in->opts, &call, err);
    tc_text_fini(&body);
    return status;
}

static tacit_status run_revoke(const tc_invocation *in, tacit_error *err)
{
    tc_text path = {0};
    tc_text_addf(&path, "/v1/studies/%s/agents/%s:revoke", in->args[0], in->args[1]);
    tacit_status status =
        path.failed
            ? tc_fail_memory(err)
            : request(in->opts, &(tc_call){.method = "POST", .path = tc_text_get(&path)}, err);
    tc_text_fini(&path);
    return status;
}

static const tc_verb create = {.name = "remote create",
                               .usage = "STUDY.json [options]",
                               .summary = "make a federated study from its document",
                               .details = "  tacit remote create landmine.json --server "
                                          "https://tacit.example:8443 --token-file op.txt",
                               .options = table,
                               .options_size = sizeof(options),
                               .min_args = 1,
                               .max_args = 1,
                               .default_format = TC_FORMAT_JSON,
                               .run = run_create};

static const tc_verb studies = {.name = "remote studies",
                                .usage = "[options]",
                                .summary = "list the coordinator's studies",
                                .details = "  tacit remote studies",
                                .options = table,
                                .options_size = sizeof(options),
                                .min_args = 0,
                                .max_args = 0,
                                .default_format = TC_FORMAT_JSON,
                                .run = run_studies};

static const tc_verb show = {.name = "remote show",
                             .usage = "STUDY [options]",
                             .summary = "a study: document, roster, present round",
                             .details = "  tacit remote show landmine",
                             .options = table,
                             .options_size = sizeof(options),
                             .min_args = 1,
                             .max_args = 1,
                             .default_format = TC_FORMAT_JSON,
                             .run = run_studies};

static const tc_verb token = {.name = "remote token",
                              .usage = "STUDY [options]",
                              .summary = "a token with which agents join a study",
                              .details = "  tacit remote token landmine --uses 29",
                              .options = token_table,
                              .options_size = sizeof(options),
                              .min_args = 1,
                              .max_args = 1,
                              .default_format = TC_FORMAT_JSON,
                              .run = run_token};

static const tc_verb privacy = {.name = "remote privacy",
                                .usage = "STUDY [options]",
                                .summary =
                                    "a study's ledger: all that was released, and what it cost",
                                .details = "  tacit remote privacy landmine",
                                .options = table,
                                .options_size = sizeof(options),
                                .min_args = 1,
                                .max_args = 1,
                                .default_format = TC_FORMAT_JSON,
                                .run = run_privacy};

static const tc_verb pause = {.name = "remote pause",
                              .usage = "STUDY [options]",
                              .summary = "take no messages until it is resumed",
                              .details = "  tacit remote pause landmine",
                              .options = table,
                              .options_size = sizeof(options),
                              .min_args = 1,
                              .max_args = 1,
                              .default_format = TC_FORMAT_JSON,
                              .run = run_pause};

static const tc_verb resume = {.name = "remote resume",
                               .usage = "STUDY [options]",
                               .summary = "go on after a pause",
                               .details = "  tacit remote resume landmine",
                               .options = table,
                               .options_size = sizeof(options),
                               .min_args = 1,
                               .max_args = 1,
                               .default_format = TC_FORMAT_JSON,
                               .run = run_resume};

static const tc_verb end = {.name = "remote close",
                            .usage = "STUDY [options]",
                            .summary = "take no messages any more",
                            .details = "  tacit remote close landmine",
                            .options = table,
                            .options_size = sizeof(options),
                            .min_args = 1,
                            .max_args = 1,
                            .default_format = TC_FORMAT_JSON,
                            .run = run_close};

static const tc_verb erase = {.name = "remote delete",
                              .usage = "STUDY [options]",
                              .summary = "erase a study; its ledger stays",
                              .details = "  tacit remote delete landmine",
                              .options = table,
                              .options_size = sizeof(options),
                              .min_args = 1,
                              .max_args = 1,
                              .default_format = TC_FORMAT_JSON,
                              .run = run_delete};

static const tc_verb withdraw = {.name = "remote withdraw",
                                 .usage = "FILE [options]",
                                 .summary = "end a token; FILE has it",
                                 .details = "  tacit remote withdraw join.txt",
                                 .options = table,
                                 .options_size = sizeof(options),
                                 .min_args = 1,
                                 .max_args = 1,
                                 .default_format = TC_FORMAT_JSON,
                                 .run = run_withdraw};

static const tc_verb revoke = {.name = "remote revoke",
                               .usage = "STUDY AGENT [options]",
                               .summary = "end an agent's access for good, and wait for it no more",
                               .details = "  tacit remote revoke landmine 3",
                               .options = table,
                               .options_size = sizeof(options),
                               .min_args = 2,
                               .max_args = 2,
                               .default_format = TC_FORMAT_JSON,
                               .run = run_revoke};

static tacit_status run_family(const tc_invocation *in, tacit_error *err)
{
    (void)in;
    return tc_fail(err, TACIT_E_ARG, "remote needs a second word; tacit remote --help lists them");
}

static const tc_verb *const members[] = {&create, &studies, &show,  &token,    &privacy, &pause,
                                         &resume, &end,     &erase, &withdraw, &revoke,  NULL};

const tc_verb tc_verb_remote = {
    .name = "remote",
    .usage = "create|studies|show|token|withdraw|revoke|privacy|pause|resume|close|delete [STUDY] "
             "[options]",
    .summary = "what an operator asks of a coordinator",
    .details =
        "TACIT_SERVER, TACIT_TOKEN_FILE and TACIT_FINGERPRINT stand for the options of the same\n"
        "meaning. Answers are JSON.",
    .family = members,
    .run = run_family};
