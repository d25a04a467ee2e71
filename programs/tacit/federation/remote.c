/* remote.c - `tacit remote`: what an operator asks of a coordinator.
 *
 * A member of the family is a method, a path and a body. The answer is JSON: it is printed as it came, or
 * as a table for people. Trials of served studies are the business of ask, tell, trials and the like. */
#include "frame/verbs.h"
#include "privacy/privacy_cli.h"
#include "study/study_ref.h"

#include "base/json.h"
#include "base/memory.h"

#include <tacit/net.h>
#include <tacit/plan.h>

#include <stddef.h>
#include <string.h>
#include <sys/stat.h>

typedef struct options {
    char *server, *token_file, *fingerprint, *out;
    int64_t uses;
    double expires_s;
    int role;
} options;

enum { ROLE_STUDY };
#define ROLES "study|viewer|curator|operator"
static const char *const roles[] = {"study", "viewer", "curator", "operator"};

static const tc_option table[] = {
    TC_SERVER_OPTION(options, server), TC_SERVER_OPTIONS(options), {.name = NULL}};
static const tc_option token_table[] = {
    TC_SERVER_OPTION(options, server),
    TC_SERVER_OPTIONS(options),
    TC_CHOICE_OPTION(
        "role", offsetof(options, role), "study", ROLES,
        "whom it is for; study: agents or clients of STUDY, the others are of no study"),
    TC_INT_OPTION("uses", offsetof(options, uses), "0", 0, TACIT_AGENTS_MOST,
                  "how many agents may join with it; 0 is one. Clients share one as they like"),
    TC_FLOAT_OPTION("expires-s", offsetof(options, expires_s), "86400", 0, 1e9,
                    "seconds for which it is valid; 0 is for ever"),
    TC_STRING_OPTION("out", offsetof(options, out), NULL,
                     "write the token there, for its owner's eyes, and not to standard output",
                     .value = "FILE"),
    {.name = NULL}};

/* ---- answers ---- */

static void put_value(tc_table *t, const json_t *value)
{
    if (json_is_string(value)) {
        tc_table_text(t, 1, json_string_value(value));
    } else if (json_is_integer(value)) {
        tc_table_integer(t, 1, json_integer_value(value));
    } else if (!json_is_null(value)) {
        char *text = tc_json_text(value);
        tc_table_text(t, 1, text ? text : "");
        tc_free(text);
    }
}

static tacit_status print_fields(const json_t *j, tc_format format, tacit_error *err)
{
    static const char *const columns[] = {"field", "value"};
    const char *key;
    json_t *value;
    tc_table *t = tc_table_new(2, columns);
    json_object_foreach((json_t *)(uintptr_t)j, key, value)
    {
        tc_table_text(t, 0, key);
        put_value(t, value);
        tc_table_end_row(t);
    }
    return tc_table_print(t, format, stdout, err);
}

static tacit_status print_names(const json_t *list, tc_format format, tacit_error *err)
{
    static const char *const columns[] = {"study"};
    tc_table *t = tc_table_new(1, columns);
    for (size_t i = 0; i < json_array_size(list); i++) {
        tc_table_text(t, 0, json_string_value(json_array_get(list, i)));
        tc_table_end_row(t);
    }
    return tc_table_print(t, format, stdout, err);
}

static tacit_status print(const json_t *j, int format, tacit_error *err)
{
    const json_t *list = json_object_get(j, "studies");
    if (format != TC_FORMAT_JSON && format != TC_FORMAT_JSONL)
        return json_is_array(list) ? print_names(list, (tc_format)format, err)
                                   : print_fields(j, (tc_format)format, err);
    char *text = tc_json_text(j);
    if (!text)
        return tc_fail_memory(err);
    printf("%s\n", text);
    tc_free(text);
    return TACIT_OK;
}

/* ---- requests ---- */

/* The coordinator, as a storage. All-zero may be closed; stays where it is while it is open. */
typedef struct coordinator {
    tc_way way;
    tacit_storage *storage;
} coordinator;

static void coordinator_close(coordinator *c)
{
    tacit_storage_close(c->storage);
    tc_way_close(&c->way);
}

static tacit_status coordinator_open(coordinator *c, const tc_invocation *in, tacit_error *err)
{
    const options *o = in->opts;
    char *url = (char *)(uintptr_t)tc_server_url(o->server); /* read alone */
    if (!url)
        return tc_fail(err, TACIT_E_ARG,
                       "which coordinator? Say --server URL, or set TACIT_SERVER");
    const tc_where where = {
        .server = url, .fingerprint = o->fingerprint, .token_file = o->token_file};
    TC_TRY(tc_way_find(&c->way, &where, &(tc_study_terms){.quiet = in->quiet}, err));
    return tacit_storage_open(&c->storage, c->way.url, &c->way.opts, err);
}

/* A request, as of tacit_net_call; or the document of a study to be made. */
typedef struct request {
    const char *method, *study, *path, *body;
    const tacit_document *create;
} request;

static tacit_status send(const tc_invocation *in, const request *q, json_t **out, tacit_error *err)
{
    coordinator c = {0};
    char *answer = NULL;
    tacit_status status = coordinator_open(&c, in, err);
    if (status == TACIT_OK && q->create)
        status = tacit_net_create(c.storage, q->create, &answer, err);
    else if (status == TACIT_OK)
        status = tacit_net_call(c.storage, q->method, q->study, q->path, q->body, &answer, err);
    coordinator_close(&c);
    if (status == TACIT_OK)
        status = tc_json_parse(answer, strlen(answer), "the answer", out, err);
    tacit_text_free(answer);
    return status;
}

static tacit_status send_and_print(const tc_invocation *in, const request *q, tacit_error *err)
{
    json_t *answer;
    TC_TRY(send(in, q, &answer, err));
    tacit_status status = print(answer, in->format, err);
    json_decref(answer);
    return status;
}

/* Of the study that the command line names. */
static tacit_status simple(const tc_invocation *in, const char *method, const char *path,
                           tacit_error *err)
{
    return send_and_print(in, &(request){.method = method, .study = in->args[0], .path = path},
                          err);
}

/* ---- members ---- */

static tacit_status run_studies(const tc_invocation *in, tacit_error *err)
{
    return send_and_print(in, &(request){.method = "GET", .path = "/v1/studies?limit=1000"}, err);
}

/* The coordinator sends the document as the text that was agreed on, to the byte; people and programs that look want
 * what it says. */
static tacit_status unfold_document(json_t *study, tacit_error *err)
{
    json_t *document;
    const char *text = json_string_value(json_object_get(study, "document"));
    if (!text)
        return TACIT_OK;
    TC_TRY(tc_json_parse(text, strlen(text), "the document", &document, err));
    return json_object_set_new(study, "document", document) == 0 ? TACIT_OK : tc_fail_memory(err);
}

static tacit_status run_show(const tc_invocation *in, tacit_error *err)
{
    json_t *answer;
    const request q = {.method = "GET", .study = in->args[0], .path = ""};
    TC_TRY(send(in, &q, &answer, err));
    tacit_status status = unfold_document(answer, err);
    if (status == TACIT_OK)
        status = print(answer, in->format, err);
    json_decref(answer);
    return status;
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

/* ---- creating ---- */

/* What to expect of the study also goes into the answer. */
static tacit_status advise(const tc_invocation *in, const tacit_document *doc, json_t *answer,
                           tacit_error *err)
{
    tacit_plan *p;
    json_t *expect = NULL;
    TC_TRY(tacit_plan_new(&p, doc, err));
    const tacit_plan_summary *s = tacit_plan_summarize(p);
    tacit_status status = TACIT_OK;
    tc_delta_warn(s->delta, tacit_document_agents(doc), in->quiet);
    if (s->lengthscale > 0)
        tc_note(in->quiet, "tacit: %s", s->lengthscale_sentence);
    if (s->expect)
        status = tc_json_parse(s->expect, strlen(s->expect), "expect", &expect, err);
    if (expect) {
        tc_note(in->quiet, "tacit: %s", s->expect_sentence);
        (void)json_object_set_new(answer, "expect", expect);
    }
    tacit_plan_free(p);
    return status;
}

/* What was refused needs neither warning nor advice. */
static tacit_status create_study(const tc_invocation *in, const tacit_document *doc,
                                 tacit_error *err)
{
    json_t *answer;
    TC_TRY(send(in, &(request){.create = doc}, &answer, err));
    if (tacit_document_agents(doc) > 0) {
        tacit_error why = {0}; /* the study is there: that nobody can advise is no failure */
        if (advise(in, doc, answer, &why) != TACIT_OK)
            tc_note(in->quiet, "tacit: what to expect of this study is not known: %s", why.msg);
    }
    tacit_status status = print(answer, in->format, err);
    json_decref(answer);
    return status;
}

static tacit_status run_create(const tc_invocation *in, tacit_error *err)
{
    tacit_document *doc;
    TC_TRY(tacit_document_read(&doc, in->args[0], err));
    tacit_status status = create_study(in, doc, err);
    tacit_document_free(doc);
    return status;
}

/* ---- tokens ---- */

/* A token that is overwritten stays valid, and nobody can withdraw it any more. */
static tacit_status check_out(const options *o, tacit_error *err)
{
    struct stat there;
    if (!o->out || stat(o->out, &there) != 0 || !S_ISREG(there.st_mode))
        return TACIT_OK;
    return tc_fail(err, TACIT_E_STATE,
                   "%s is there already: a token in it would be lost and stay valid; say another "
                   "file, or withdraw it first and remove the file",
                   o->out);
}

static tacit_status check_token(const tc_invocation *in, tacit_error *err)
{
    const options *o = in->opts;
    bool study = o->role == ROLE_STUDY;
    if (study && in->n_args == 0)
        return tc_fail(err, TACIT_E_ARG,
                       "for which study? Name it, or say --role viewer, curator or operator");
    if (!study && in->n_args > 0)
        return tc_fail(err, TACIT_E_ARG, "a token of a %s is of no study: leave out \"%.80s\"",
                       roles[o->role], in->args[0]);
    if (!study && o->uses > 0)
        return tc_fail(err, TACIT_E_ARG, "--uses is for agents that join a study");
    return check_out(o, err);
}

static void write_terms(const options *o, tc_text *body)
{
    tc_text_addf(body, "{\"expires_s\": %.17g", o->expires_s);
    if (o->role != ROLE_STUDY)
        tc_text_addf(body, ", \"role\": \"%s\"", roles[o->role]);
    if (o->uses > 0)
        tc_text_addf(body, ", \"uses\": %lld", (long long)o->uses);
    tc_text_add(body, "}");
}

static tacit_status request_token(const tc_invocation *in, json_t **out, tacit_error *err)
{
    tc_text body = {0};
    bool study = in->n_args > 0;
    write_terms(in->opts, &body);
    const request q = {.method = "POST",
                       .study = study ? in->args[0] : NULL,
                       .path = study ? "/tokens" : "/v1/tokens",
                       .body = tc_text_get(&body)};
    tacit_status status = body.failed ? tc_fail_memory(err) : send(in, &q, out, err);
    tc_text_fini(&body);
    return status;
}

/* Into its file, and out of what is printed. */
static tacit_status put_away(const options *o, json_t *answer, tacit_error *err)
{
    const char *token = json_string_value(json_object_get(answer, "token"));
    if (!token)
        return tc_fail(err, TACIT_E_IO, "the coordinator's answer makes no sense: it has no token");
    TC_TRY(tc_secret_write(o->out, token, err));
    json_object_del(answer, "token");
    return TACIT_OK;
}

static tacit_status run_token(const tc_invocation *in, tacit_error *err)
{
    const options *o = in->opts;
    json_t *answer;
    TC_TRY(check_token(in, err));
    TC_TRY(request_token(in, &answer, err));
    tacit_status status = o->out ? put_away(o, answer, err) : TACIT_OK;
    if (status == TACIT_OK)
        status = print(answer, in->format, err);
    json_decref(answer);
    return status;
}

/* The file has the token, so that it is in no list of processes. */
static tacit_status run_withdraw(const tc_invocation *in, tacit_error *err)
{
    char *text;
    TC_TRY(tc_server_token(in->args[0], true, &text, err));
    json_t *j = json_pack("{s:s}", "token", text);
    char *json = tc_json_text(j);
    json_decref(j);
    explicit_bzero(text, strlen(text));
    tc_free(text);
    if (!json)
        return tc_fail_memory(err);
    tacit_status status = send_and_print(
        in, &(request){.method = "POST", .path = "/v1/tokens:withdraw", .body = json}, err);
    explicit_bzero(json, strlen(json));
    tc_free(json);
    return status;
}

/* POST to what a number of the study's names. */
static tacit_status post_numbered(const tc_invocation *in, const char *what, const char *number,
                                  const char *doing, tacit_error *err)
{
    tc_text path = {0};
    tc_text_addf(&path, "/%s/%s:%s", what, number, doing);
    tacit_status status =
        path.failed ? tc_fail_memory(err) : simple(in, "POST", tc_text_get(&path), err);
    tc_text_fini(&path);
    return status;
}

static tacit_status run_revoke(const tc_invocation *in, tacit_error *err)
{
    return post_numbered(in, "agents", in->args[1], "revoke", err);
}

/* For a worker that is gone, or hangs: its lease need not end first. The same again is nothing. */
static tacit_status run_release(const tc_invocation *in, tacit_error *err)
{
    unsigned long long trial;
    char number[32];
    if (!tc_parse_u64(in->args[1], &trial))
        return tc_fail(err, TACIT_E_ARG, "TRIAL must be the number of a trial, got \"%.40s\"",
                       in->args[1]);
    snprintf(number, sizeof number, "%llu", trial);
    return post_numbered(in, "trials", number, "release", err);
}

/* ---- the family ---- */

#define MEMBER(id, word, words, least, most, format, what, how, doing)                             \
    static const tc_verb id = {.name = "remote " word,                                             \
                               .network = true,                                                    \
                               .usage = words " [options]",                                        \
                               .summary = what,                                                    \
                               .details = how,                                                     \
                               .options = table,                                                   \
                               .options_size = sizeof(options),                                    \
                               .min_args = least,                                                  \
                               .max_args = most,                                                   \
                               .default_format = format,                                           \
                               .run = doing}

MEMBER(
    create, "create", "STUDY.json", 1, 1, TC_FORMAT_JSON,
    "make a study from its document: federated, or served where it has no federation",
    "Of a federated study, standard error and \"expect\" in the answer say what it may gain at\n"
    "best over agents that work alone; tacit privacy plan STUDY.json says it beforehand.\n"
    "\n"
    "  tacit remote create landmine.json --server https://tacit.example:8443 --token-file op.txt",
    run_create);
MEMBER(studies, "studies", "", 0, 0, TC_FORMAT_TABLE, "list the coordinator's studies",
       "`tacit studies --server URL` also says how they stand.\n"
       "\n"
       "  tacit remote studies",
       run_studies);
MEMBER(show, "show", "STUDY", 1, 1, TC_FORMAT_JSON,
       "a study: document, state, and its roster and round or its trials",
       "  tacit remote show landmine\n  tacit remote show landmine --format table", run_show);
MEMBER(privacy, "privacy", "STUDY", 1, 1, TC_FORMAT_JSON,
       "a study's ledger: all that was released, and what it cost",
       "  tacit remote privacy landmine", run_privacy);
MEMBER(pause_, "pause", "STUDY", 1, 1, TC_FORMAT_TABLE,
       "take no messages and give out no trials until it is resumed",
       "Values of trials that run are still welcome.\n"
       "\n"
       "  tacit remote pause landmine",
       run_pause);
MEMBER(resume, "resume", "STUDY", 1, 1, TC_FORMAT_TABLE, "go on after a pause",
       "  tacit remote resume landmine", run_resume);
MEMBER(end, "close", "STUDY", 1, 1, TC_FORMAT_TABLE, "take no messages and no values any more",
       "  tacit remote close landmine", run_close);
MEMBER(erase, "delete", "STUDY", 1, 1, TC_FORMAT_TABLE, "erase a study; its ledger stays",
       "  tacit remote delete landmine", run_delete);
MEMBER(withdraw, "withdraw", "FILE", 1, 1, TC_FORMAT_TABLE, "end a token; FILE has it",
       "  tacit remote withdraw join.txt", run_withdraw);
MEMBER(revoke, "revoke", "STUDY AGENT", 2, 2, TC_FORMAT_TABLE,
       "end an agent's access for good, and wait for it no more",
       "  tacit remote revoke landmine 3", run_revoke);

MEMBER(release, "release", "STUDY TRIAL", 2, 2, TC_FORMAT_TABLE,
       "take a RUNNING trial of a served study back: the next who asks gets it",
       "For a worker that is gone or hangs, whatever its lease. It is STALE until then; a value\n"
       "that comes after all is still welcome, unless another was faster.\n"
       "\n"
       "  tacit trials branin --server https://tacit.example:8443 --format csv | grep RUNNING\n"
       "  tacit remote release branin 17",
       run_release);

static const tc_verb token = {
    .network = true,
    .name = "remote token",
    .usage = "[STUDY] [options]",
    .summary = "a token: for agents or clients of a study, for viewers, curators or operators",
    .details =
        "For a federated STUDY it lets agents join. For a served one it is a client's: whoever "
        "has\n"
        "it takes trials of this study and tells their values, and any number may share it. A\n"
        "curator may upload one release (tacit curate publish), a viewer looks at all studies.\n"
        "\n"
        "  tacit remote token landmine --uses 29\n"
        "  tacit remote token branin --expires-s 0 --out client.txt\n"
        "  tacit remote token --role curator --out curator.txt",
    .options = token_table,
    .options_size = sizeof(options),
    .min_args = 0,
    .max_args = 1,
    .default_format = TC_FORMAT_JSON,
    .run = run_token};

static tacit_status run_family(const tc_invocation *in, tacit_error *err)
{
    (void)in;
    return tc_fail(err, TACIT_E_ARG, "remote needs a second word; tacit remote --help lists them");
}

static const tc_verb *const members[] = {&create, &studies, &show, &token, &privacy,
                                         &pause_, &resume,  &end,  &erase, &withdraw,
                                         &revoke, &release, NULL};

const tc_verb tc_verb_remote = {
    .name = "remote",
    .usage = "create|studies|show|token|withdraw|revoke|release|privacy|pause|resume|close|delete "
             "[STUDY] "
             "[options]",
    .summary = "what an operator asks of a coordinator",
    .details =
        "TACIT_SERVER, TACIT_TOKEN_FILE and TACIT_FINGERPRINT stand for the options of the same\n"
        "meaning. Answers for programs to read are JSON, others tables, unless --format says\n"
        "otherwise. Trials of a served study: tacit ask, tell, trials, best, export, optimize.",
    .family = members,
    .run = run_family};
