/* demo_world.c - a coordinator and its agents, as processes in a temporary folder (demo_int.h).
 *
 * Nothing here is special to the demonstration: the processes are `tacit serve` and `tacit agent`, the
 * requests those of `tacit remote`. All secrets are in the folder, which only its owner can read. */
#include "demo/demo_int.h"

#include "base/file.h"
#include "base/json.h"
#include "base/memory.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The study of README.md. Nothing is said of what log-losses look like, and the algorithm has its defaults. */
static const char document[] =
    "{ \"name\": \"" TC_DEMO_STUDY "\", \"direction\": \"minimize\", \"trials\": %zu,\n"
    "  \"space\": { \"lr\": { \"type\": \"float\", \"low\": 1e-4, \"high\": 1, \"log\": true },\n"
    "             \"l2\": { \"type\": \"float\", \"low\": 1e-5, \"high\": 10, \"log\": true },\n"
    "             \"hidden\": { \"type\": \"int\", \"low\": 2, \"high\": 32, \"log\": true } },\n"
    "  \"algorithm\": { \"name\": \"dp-fts-de\" },\n"
    "  \"federation\": { \"agents\": %u, \"deadline_s\": 600 },\n"
    "  \"privacy\": { \"epsilon\": %.15g, \"delta\": 1e-5 } }\n";

/* ---- the folder ---- */

static tacit_status make_folder(tc_demo_world *w, tacit_error *err)
{
    const char *parent = getenv("TMPDIR");
    char path[sizeof w->folder];
    int n =
        snprintf(path, sizeof path, "%s/tacit-demo-XXXXXX", parent && *parent ? parent : "/tmp");
    if (n < 0 || (size_t)n >= sizeof path)
        return tc_fail(err, TACIT_E_ARG, "the path of TMPDIR is too long");
    if (!mkdtemp(path))
        return tc_fail(err, TACIT_E_IO, "a folder like %s could not be made: %s", path,
                       strerror(errno));
    memcpy(w->folder, path, sizeof path);
    return TACIT_OK;
}

static void erase_folder(const char *folder)
{
    DIR *d = opendir(folder);
    for (struct dirent *e; d && (e = readdir(d));)
        unlinkat(dirfd(d), e->d_name, 0);
    if (d)
        closedir(d);
    rmdir(folder);
}

void tc_demo_storage(const tc_demo_world *w, unsigned k, char out[320])
{
    if (k == 0)
        snprintf(out, 320, "sqlite:///%s/coordinator.db", w->folder);
    else
        snprintf(out, 320, "sqlite:///%s/hospital-%u.db", w->folder, k);
}

/* Tokens go into files: arguments can be seen by others. */
static tacit_status keep_text(const tc_demo_world *w, const char *name, const char *text,
                              tacit_error *err)
{
    char path[320];
    snprintf(path, sizeof path, "%s/%s", w->folder, name);
    return tc_file_write_secret(path, text, strlen(text), err);
}

/* ---- the coordinator ---- */

static tacit_status find_program(tc_demo_world *w, tacit_error *err)
{
    ssize_t n = readlink("/proc/self/exe", w->program, sizeof w->program - 1);
    if (n <= 0)
        return tc_fail(err, TACIT_E_IO, "this program cannot be found: %s", strerror(errno));
    w->program[n] = '\0';
    return TACIT_OK;
}

/* A member of an answer, for tc_free. */
static tacit_status take_member(const json_t *j, const char *key, char **out, tacit_error *err)
{
    const char *text = json_string_value(json_object_get(j, key));
    if (!text)
        return tc_fail(err, TACIT_E_IO, "the coordinator of the demonstration gave no %s", key);
    *out = tc_strdup(text);
    return *out ? TACIT_OK : tc_fail_memory(err);
}

static tacit_status read_greeting(tc_demo_world *w, const tc_text *line, tacit_error *err)
{
    json_t *j;
    TC_TRY(tc_json_parse(tc_text_get(line), line->len, "the coordinator's first line", &j, err));
    tacit_status status = take_member(j, "url", &w->url, err);
    if (status == TACIT_OK)
        status = take_member(j, "fingerprint", &w->pin, err);
    if (status == TACIT_OK)
        status = take_member(j, "operator_token", &w->token, err);
    json_decref(j);
    return status;
}

static tacit_status start_coordinator(tc_demo_world *w, tacit_error *err)
{
    char storage[320];
    tc_text line = {0};
    tc_demo_storage(w, 0, storage);
    const char *const words[] = {w->program,    "serve",    "--storage", storage,   "--listen",
                                 "127.0.0.1:0", "--format", "json",      "--quiet", NULL};
    TC_TRY(tc_demo_start(words, &w->coordinator, err));
    tacit_status status = tc_demo_first_line(&w->coordinator, &line, err);
    if (status == TACIT_OK)
        status = read_greeting(w, &line, err);
    tc_text_fini(&line);
    TC_TRY(status);
    TC_TRY(keep_text(w, "operator.txt", w->token, err));
    return tc_client_new(&w->client, w->url, w->pin, err);
}

/* ---- requests ---- */

/* *out: the answer, for json_decref. */
static tacit_status ask(tc_demo_world *w, const char *method, const char *path, const char *body,
                        json_t **out, tacit_error *err)
{
    tc_call call = {.method = method,
                    .path = path,
                    .bearer = w->token,
                    .body = body,
                    .n_body = body ? strlen(body) : 0};
    tc_text text = {0};
    int code;
    tacit_status status = tc_client_call(w->client, &call, &code, &text, err);
    if (status == TACIT_OK && code >= 300)
        status =
            tc_fail(err, TACIT_E_ARG, "the coordinator refuses %s: %s", path, tc_text_get(&text));
    if (status == TACIT_OK)
        status = tc_json_parse(tc_text_get(&text), text.len, "the coordinator's answer", out, err);
    tc_text_fini(&text);
    return status;
}

static tacit_status make_study(tc_demo_world *w, tacit_error *err)
{
    char text[1024], body[1100];
    json_t *answer;
    snprintf(text, sizeof text, document, w->plan.trials, w->plan.hospitals, w->plan.epsilon);
    snprintf(body, sizeof body, "{\"document\": %s}", text);
    TC_TRY(keep_text(w, TC_DEMO_STUDY ".json", text, err));
    TC_TRY(ask(w, "POST", "/v1/studies", body, &answer, err));
    json_decref(answer);
    return TACIT_OK;
}

static tacit_status make_join_token(tc_demo_world *w, tacit_error *err)
{
    char body[64];
    json_t *answer;
    snprintf(body, sizeof body, "{\"uses\": %u, \"expires_s\": 600}", w->plan.hospitals);
    TC_TRY(ask(w, "POST", "/v1/studies/" TC_DEMO_STUDY "/tokens", body, &answer, err));
    char *token = NULL;
    tacit_status status = take_member(answer, "token", &token, err);
    if (status == TACIT_OK)
        status = keep_text(w, "join.txt", token, err);
    tc_free(token);
    json_decref(answer);
    return status;
}

tacit_status tc_demo_found(tc_demo_world *w, const tc_demo_plan *plan, tacit_error *err)
{
    w->plan = *plan;
    setenv("no_proxy", "127.0.0.1", 1); /* a proxy of the user's is not for this machine itself */
    TC_TRY(find_program(w, err));
    TC_TRY(make_folder(w, err));
    TC_TRY(start_coordinator(w, err));
    TC_TRY(make_study(w, err));
    return make_join_token(w, err);
}

tacit_status tc_demo_ledger(tc_demo_world *w, char **out, tacit_error *err)
{
    json_t *j;
    TC_TRY(ask(w, "GET", "/v1/studies/" TC_DEMO_STUDY "/privacy", NULL, &j, err));
    *out = tc_json_text(j);
    json_decref(j);
    return *out ? TACIT_OK : tc_fail_memory(err);
}

/* ---- agents ---- */

/* The agent's own limit is the study's promise: what goes beyond it never leaves the hospital. */
static tacit_status start_agent(tc_demo_world *w, unsigned k, tacit_error *err)
{
    char storage[320], join[320], limit[32], delta[32], number[16], seed[32];
    tc_demo_storage(w, k, storage);
    snprintf(join, sizeof join, "%s/join.txt", w->folder);
    snprintf(limit, sizeof limit, "%.15g", w->plan.epsilon); /* as in the document */
    snprintf(delta, sizeof delta, "%g", TC_DEMO_DELTA);
    snprintf(number, sizeof number, "%u", k);
    snprintf(seed, sizeof seed, "%" PRIu64, w->plan.seed);
    const char *const words[] = {
        w->program, "agent",         w->url,       "--study",   TC_DEMO_STUDY, "--token-file",
        join,       "--fingerprint", w->pin,       "--storage", storage,       "--epsilon",
        limit,      "--delta",       delta,        "--quiet",   "--",          w->program,
        "demo",     "train",         "--hospital", number,      "--seed",      seed,
        "--lr",     "{lr}",          "--l2",       "{l2}",      "--hidden",    "{hidden}",
        NULL};
    return tc_demo_start(words, &w->agents[k - 1], err);
}

tacit_status tc_demo_enrol(tc_demo_world *w, tacit_error *err)
{
    for (unsigned k = 1; k <= w->plan.hospitals; k++)
        TC_TRY(start_agent(w, k, err));
    return TACIT_OK;
}

/* ---- the end ---- */

/* Agents may be killed at any instant, and one that waits for a broadcast would be slow to listen. */
void tc_demo_close(tc_demo_world *w, bool keep)
{
    tc_client_free(w->client);
    for (size_t i = 0; i < w->plan.hospitals; i++)
        tc_demo_stop(&w->agents[i], SIGKILL);
    tc_demo_stop(&w->coordinator, SIGTERM);
    if (w->folder[0] && !keep)
        erase_folder(w->folder);
    tc_free(w->url);
    tc_free(w->pin);
    if (w->token)
        explicit_bzero(w->token, strlen(w->token));
    tc_free(w->token);
    *w = (tc_demo_world){0};
}
