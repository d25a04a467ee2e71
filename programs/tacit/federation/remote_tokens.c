/* remote_tokens.c - `tacit remote token|tokens|replace|withdraw|readmit`: tokens of a coordinator, and those with which a
 * revoked agent comes back. A token is named by a file that has it, or by its id. */
#include "federation/remote.h"

#include "base/file.h"
#include "base/json.h"
#include "base/memory.h"
#include "base/text.h"

#include <tacit/plan.h>

#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

typedef tc_remote_options options;

enum { ROLE_STUDY, ROLE_TRUSTEE, ID = 16 };
#define ROLES "study|trustee|viewer|curator|operator"
static const char *const roles[] = {"study", "trustee", "viewer", "curator", "operator"};

#define OUT                                                                                        \
    TC_STRING_OPTION("out", offsetof(options, out), NULL,                                          \
                     "write the token there, for its owner's eyes, and not to standard output",    \
                     .value = "FILE")
#define EXPIRES                                                                                    \
    TC_FLOAT_OPTION("expires-s", offsetof(options, expires_s), "86400", 0, 1e9,                    \
                    "seconds for which it is valid; 0 is for ever")
#define GRACE                                                                                      \
    TC_FLOAT_OPTION("grace-s", offsetof(options, grace_s), "0", 0, 1e9,                            \
                    "seconds for which the old one goes on; 0: it ends at once")

static const tc_option list_table[] = {
    TC_SERVER_OPTION(options, server), TC_SERVER_OPTIONS(options), {.name = NULL}};
static const tc_option token_table[] = {
    TC_SERVER_OPTION(options, server),
    TC_SERVER_OPTIONS(options),
    TC_CHOICE_OPTION(
        "role", offsetof(options, role), "study", ROLES,
        "whom it is for; study: agents or clients of STUDY; trustee: its trustees; the others "
        "are of no study"),
    TC_STRING_OPTION("name", offsetof(options, name), NULL,
                     "whose it is, for lists and the operator's log: letters, digits and ._@+-",
                     .value = "NAME"),
    TC_INT_OPTION("uses", offsetof(options, uses), "0", 0, TACIT_AGENTS_MOST,
                  "how many agents or trustees may join with it; 0 is one. Clients share one as "
                  "they like"),
    EXPIRES,
    OUT,
    {.name = NULL}};
static const tc_option replace_table[] = {
    TC_SERVER_OPTION(options, server),
    TC_SERVER_OPTIONS(options),
    GRACE,
    TC_FLOAT_OPTION("expires-s", offsetof(options, expires_s), "0", 0, 1e9,
                    "seconds until the new one ends; 0 is for ever (default: when the old one "
                    "would have)"),
    OUT,
    {.name = NULL}};
static const tc_option withdraw_table[] = {
    TC_SERVER_OPTION(options, server), TC_SERVER_OPTIONS(options), GRACE, {.name = NULL}};
static const tc_option readmit_table[] = {
    TC_SERVER_OPTION(options, server), TC_SERVER_OPTIONS(options), EXPIRES, OUT, {.name = NULL}};

/* ---- a token that is shown once ---- */

/* A token that is overwritten stays valid, and nobody can withdraw it any more. */
static tacit_status check_out(const options *o, tacit_error *err)
{
    struct stat there;
    if (!o->out)
        return TACIT_OK;
    if (stat(o->out, &there) != 0 || !S_ISREG(there.st_mode))
        return tc_file_writable(o->out, err);
    return tc_fail(err, TACIT_E_STATE,
                   "%s is there already: a token in it would be lost and stay valid; say another "
                   "file, or withdraw it first and remove the file",
                   o->out);
}

/* Into its file, and out of what is printed. */
static tacit_status put_away(const options *o, json_t *answer, tacit_error *err)
{
    const char *token = json_string_value(json_object_get(answer, "token"));
    if (!token)
        return tc_fail(err, TACIT_E_IO, "the coordinator's answer makes no sense: it has no token");
    const char *id = json_string_value(json_object_get(answer, "id"));
    tacit_error why = {0};
    tacit_status status = tc_secret_write(o->out, token, &why);
    if (status != TACIT_OK)
        return tc_fail(
            err, status,
            "%s: nobody has the token, which is valid; `tacit remote withdraw %s` ends it", why.msg,
            id ? id : "ID");
    json_object_del(answer, "token");
    return TACIT_OK;
}

static tacit_status send_for_token(const tc_invocation *in, const tc_remote_request *q,
                                   tacit_error *err)
{
    const options *o = in->opts;
    json_t *answer;
    TC_TRY(tc_remote_send(in, q, &answer, err));
    tacit_status status = o->out ? put_away(o, answer, err) : TACIT_OK;
    if (status == TACIT_OK)
        status = tc_remote_print(answer, in->format, err);
    json_decref(answer);
    return status;
}

/* Takes the body. */
static tacit_status post(const tc_invocation *in, const char *study, const char *path, json_t *body,
                         bool token, tacit_error *err)
{
    char *text = tc_json_text(body);
    json_decref(body);
    if (!text)
        return tc_fail_memory(err);
    const tc_remote_request q = {.method = "POST", .study = study, .path = path, .body = text};
    tacit_status status = token ? send_for_token(in, &q, err) : tc_remote_do(in, &q, err);
    explicit_bzero(text, strlen(text));
    tc_free(text);
    return status;
}

/* ---- token ---- */

static tacit_status check_token(const tc_invocation *in, tacit_error *err)
{
    const options *o = in->opts;
    bool study = o->role == ROLE_STUDY || o->role == ROLE_TRUSTEE;
    if (study && in->n_args == 0)
        return tc_fail(err, TACIT_E_ARG,
                       "for which study? Name it, or say --role viewer, curator or operator");
    if (!study && in->n_args > 0)
        return tc_fail(err, TACIT_E_ARG, "a token of a %s is of no study: leave out \"%.80s\"",
                       roles[o->role], in->args[0]);
    if (!study && o->uses > 0)
        return tc_fail(err, TACIT_E_ARG, "--uses is for agents and trustees that join a study");
    return check_out(o, err);
}

static void set(json_t *j, const char *key, json_t *value)
{
    (void)json_object_set_new(j, key, value); /* j NULL: no memory, which tc_json_text says */
}

static tacit_status run_token(const tc_invocation *in, tacit_error *err)
{
    const options *o = in->opts;
    bool study = in->n_args > 0;
    TC_TRY(check_token(in, err));
    json_t *j = json_pack("{s:f}", "expires_s", o->expires_s);
    if (o->role != ROLE_STUDY)
        set(j, "role", json_string(roles[o->role]));
    if (o->name)
        set(j, "name", json_string(o->name));
    if (o->uses > 0)
        set(j, "uses", json_integer(o->uses));
    return post(in, study ? in->args[0] : NULL, study ? "/tokens" : "/v1/tokens", j, true, err);
}

const tc_verb tc_verb_remote_token = {
    .network = true,
    .name = "remote token",
    .usage = "[STUDY] [options]",
    .summary =
        "a token: for agents, trustees or clients of a study, for viewers, curators or operators",
    .details =
        "For a federated STUDY it lets agents join, and with --role trustee trustees. For a "
        "served\n"
        "one it is a client's: whoever has it takes trials of this study and tells their values,\n"
        "and any number may share it. A curator may upload one release (tacit curate publish), a\n"
        "viewer looks at all studies.\n"
        "\n"
        "  tacit remote token landmine --uses 29 --out join.txt\n"
        "  tacit remote token landmine --role trustee --uses 5 --out trustees.txt\n"
        "  tacit remote token branin --expires-s 0 --out client.txt\n"
        "  tacit remote token --role viewer --name alice --out alice.txt",
    .options = token_table,
    .options_size = sizeof(options),
    .min_args = 0,
    .max_args = 1,
    .default_format = TC_FORMAT_JSON,
    .run = run_token};

/* ---- tokens ---- */

static tacit_status run_tokens(const tc_invocation *in, tacit_error *err)
{
    static const char *const columns[] = {"id",   "role",       "name", "study",
                                          "uses", "expires_ms", NULL};
    return tc_remote_list(in, &(tc_remote_request){.path = "/v1/tokens"}, "tokens", columns, err);
}

const tc_verb tc_verb_remote_tokens = {
    .network = true,
    .name = "remote tokens",
    .usage = "[options]",
    .summary = "which tokens there are, by their ids; those of agents are on rosters",
    .details = "Nobody can show a token again. Its id ends or replaces it.\n"
               "\n"
               "  tacit remote tokens",
    .options = list_table,
    .options_size = sizeof(options),
    .default_format = TC_FORMAT_TABLE,
    .run = run_tokens};

/* ---- which one ---- */

static bool is_id(const char *word)
{
    return strlen(word) == ID && strspn(word, "0123456789abcdef") == ID && access(word, F_OK) != 0;
}

/* The file has the token, so that it is in no list of processes. */
static tacit_status name_token(json_t *body, const char *word, tacit_error *err)
{
    char *text;
    if (is_id(word)) {
        set(body, "id", json_string(word));
        return TACIT_OK;
    }
    TC_TRY(tc_server_token(word, true, &text, err));
    set(body, "token", json_string(text));
    explicit_bzero(text, strlen(text));
    tc_free(text);
    return TACIT_OK;
}

/* What it is to be named by, and for how long it goes on. */
static tacit_status begin(const tc_invocation *in, json_t **out, tacit_error *err)
{
    const options *o = in->opts;
    json_t *j = json_pack("{s:f}", "grace_s", o->grace_s);
    tacit_status status = in->n_args > 0 ? name_token(j, in->args[0], err) : TACIT_OK;
    if (status == TACIT_OK)
        *out = j;
    else
        json_decref(j);
    return status;
}

/* ---- replace ---- */

static tacit_status run_replace(const tc_invocation *in, tacit_error *err)
{
    const options *o = in->opts;
    json_t *j;
    TC_TRY(check_out(o, err));
    TC_TRY(begin(in, &j, err));
    if (tc_given(in, "expires-s"))
        set(j, "expires_s", json_real(o->expires_s));
    return post(in, NULL, "/v1/tokens:replace", j, true, err);
}

const tc_verb tc_verb_remote_replace = {
    .network = true,
    .name = "remote replace",
    .usage = "[FILE|ID] [options]",
    .summary = "another token in place of one; without FILE and ID in place of this operator's",
    .details = "It has the role, the name, the study and the uses of the old one, which ends at\n"
               "once or after --grace-s. Join tokens and curators' have no grace: what is left of\n"
               "them passes to the new one. Agents replace their own: tacit agent --new-key.\n"
               "\n"
               "  tacit remote replace --grace-s 3600 --out operator-2.txt\n"
               "  tacit remote replace 3f2a9c01b2c4d5e6 --out alice-2.txt",
    .options = replace_table,
    .options_size = sizeof(options),
    .max_args = 1,
    .default_format = TC_FORMAT_JSON,
    .run = run_replace};

/* ---- withdraw ---- */

static tacit_status run_withdraw(const tc_invocation *in, tacit_error *err)
{
    json_t *j;
    TC_TRY(begin(in, &j, err));
    return post(in, NULL, "/v1/tokens:withdraw", j, false, err);
}

const tc_verb tc_verb_remote_withdraw = {
    .network = true,
    .name = "remote withdraw",
    .usage = "FILE|ID [options]",
    .summary = "end a token; FILE has it, or ID names it",
    .details = "  tacit remote withdraw join.txt\n"
               "  tacit remote withdraw 3f2a9c01b2c4d5e6 --grace-s 600",
    .options = withdraw_table,
    .options_size = sizeof(options),
    .min_args = 1,
    .max_args = 1,
    .default_format = TC_FORMAT_TABLE,
    .run = run_withdraw};

/* ---- readmit ---- */

static tacit_status run_readmit(const tc_invocation *in, tacit_error *err)
{
    const options *o = in->opts;
    tc_text path = {0};
    TC_TRY(check_out(o, err));
    tc_text_addf(&path, "/agents/%s:readmit", in->args[1]);
    tacit_status status = path.failed
                              ? tc_fail_memory(err)
                              : post(in, in->args[0], tc_text_get(&path),
                                     json_pack("{s:f}", "expires_s", o->expires_s), true, err);
    tc_text_fini(&path);
    return status;
}

const tc_verb tc_verb_remote_readmit = {
    .network = true,
    .name = "remote readmit",
    .usage = "STUDY AGENT [options]",
    .summary = "a join token with which a revoked or withdrawn agent takes its place again",
    .details = "Its party may come back with another key, from another machine. For rounds that\n"
               "the agent answered before it has answered: nothing of it counts twice.\n"
               "\n"
               "  tacit remote readmit landmine 3 --out join-3.txt",
    .options = readmit_table,
    .options_size = sizeof(options),
    .min_args = 2,
    .max_args = 2,
    .default_format = TC_FORMAT_JSON,
    .run = run_readmit};
