/* demo_world.c - a coordinator, and its agents as processes, in a temporary folder (demo_int.h).
 *
 * Nothing here is special to the demonstration: the coordinator is what `tacit serve` runs, the processes are `tacit
 * agent`. All secrets are in the folder, which only its owner can read. */
#include "demo/demo_int.h"

#include "base/file.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The studies of README.md. Nothing is said of what log-losses look like, and the algorithms have their defaults. */
static const char space[] =
    "{ \"name\": \"" TC_DEMO_STUDY "\", \"direction\": \"minimize\", \"trials\": %zu,\n"
    "  \"space\": { \"lr\": { \"type\": \"float\", \"low\": 1e-4, \"high\": 1, \"log\": true },\n"
    "             \"l2\": { \"type\": \"float\", \"low\": 1e-5, \"high\": 10, \"log\": true },\n"
    "             \"hidden\": { \"type\": \"int\", \"low\": 2, \"high\": 32, \"log\": true } },\n";
static const char algorithm[] = "  \"algorithm\": { \"name\": \"%s\" },\n";
static const char federation[] = "  \"federation\": { \"agents\": %u, \"deadline_s\": 600%s },\n";
static const char for_hospitals[] = "  \"privacy\": { \"epsilon\": %.15g, \"delta\": 1e-5 } }\n";
static const char for_records[] =
    "  \"privacy\": { \"unit\": \"record\", \"epsilon\": %.15g, \"delta\": 1e-5, \"metric\": "
    "\"error\" } }\n";

tacit_status tc_demo_document(const tc_demo_plan *plan, bool alone, tc_text *out, tacit_error *err)
{
    char trustees[32];
    const char *together = plan->records ? "fts" : "dp-fts-de";
    tc_text_addf(out, space, plan->trials);
    tc_text_addf(out, algorithm, alone ? "gp-ei" : together);
    snprintf(trustees, sizeof trustees, ", \"trustees\": %u", plan->trustees);
    if (!alone)
        tc_text_addf(out, federation, plan->hospitals, plan->trustees > 0 ? trustees : "");
    tc_text_addf(out, plan->records ? for_records : for_hospitals, plan->epsilon);
    return out->failed ? tc_fail_memory(err) : TACIT_OK;
}

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

tc_check tc_demo_check(const tc_demo_plan *plan, unsigned k)
{
    return (tc_check){.error = plan->records,
                      .records = plan->records ? tc_hospital_checked(k) : TC_PATIENTS_CHECKED};
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

/* The operator's token lets whoever kept the folder look on. */
static tacit_status start_coordinator(tc_demo_world *w, tacit_error *err)
{
    tacit_coordinator_opts opts = TACIT_COORDINATOR_OPTS;
    tacit_server_opts server = TACIT_SERVER_OPTS;
    char storage[320], *token;
    tc_demo_storage(w, 0, storage);
    opts.storage = storage;
    server.listen = "127.0.0.1:0";
    TC_TRY(tacit_coordinator_open(&w->coordinator, &opts, err));
    TC_TRY(tacit_coordinator_operator_token(w->coordinator, false, &token, err));
    tacit_status status = keep_text(w, "operator.txt", token, err);
    tacit_text_free(token);
    TC_TRY(status);
    return tacit_server_start(&w->server, w->coordinator, &server, err);
}

static tacit_status create_study(tc_demo_world *w, tacit_error *err)
{
    tc_text text = {0};
    tacit_status status = tc_demo_document(&w->plan, false, &text, err);
    if (status == TACIT_OK)
        status = keep_text(w, TC_DEMO_STUDY ".json", tc_text_get(&text), err);
    if (status == TACIT_OK)
        status = tacit_coordinator_create(w->coordinator, tc_text_get(&text), err);
    tc_text_fini(&text);
    return status;
}

/* The study, and a token to join it. */
static tacit_status make_study(tc_demo_world *w, tacit_error *err)
{
    char *token;
    TC_TRY(create_study(w, err));
    TC_TRY(tacit_coordinator_invite(w->coordinator, TC_DEMO_STUDY, w->plan.hospitals, 600, &token,
                                    err));
    tacit_status status = keep_text(w, "join.txt", token, err);
    tacit_text_free(token);
    if (status != TACIT_OK || w->plan.trustees == 0)
        return status;
    TC_TRY(tacit_coordinator_invite_trustees(w->coordinator, TC_DEMO_STUDY, w->plan.trustees, 600,
                                             &token, err));
    status = keep_text(w, "trustees.txt", token, err);
    tacit_text_free(token);
    return status;
}

tacit_status tc_demo_found(tc_demo_world *w, const tc_demo_plan *plan, tacit_error *err)
{
    w->plan = *plan;
    setenv("no_proxy", "127.0.0.1", 1); /* a proxy of the user's is not for this machine itself */
    TC_TRY(find_program(w, err));
    TC_TRY(make_folder(w, err));
    TC_TRY(start_coordinator(w, err));
    return make_study(w, err);
}

/* ---- agents ---- */

/* The words of a command, as they are added. */
typedef struct command {
    const char *words[TC_DEMO_WORDS_MOST];
    size_t n;
} command;

static void add_words(command *c, const char *const *words)
{
    for (; *words && c->n + 1 < TC_DEMO_WORDS_MOST; words++)
        c->words[c->n++] = *words;
}

#define ADD_WORDS(c, ...) add_words(c, (const char *const[]){__VA_ARGS__, NULL})

/* The agent's own limit is the study's promise: what goes beyond it never leaves the hospital. Where records are protected,
 * it is declared how many there are, and the program takes its mean over exactly so many. */
static tacit_status start_agent(tc_demo_world *w, unsigned k, tacit_error *err)
{
    const tc_check check = tc_demo_check(&w->plan, k);
    char storage[320], join[320], limit[32], delta[32], number[16], seed[32], records[32];
    command c = {.n = 0};
    tc_demo_storage(w, k, storage);
    snprintf(join, sizeof join, "%s/join.txt", w->folder);
    snprintf(limit, sizeof limit, "%.15g", w->plan.epsilon); /* as in the document */
    snprintf(delta, sizeof delta, "%g", TC_DEMO_DELTA);
    snprintf(number, sizeof number, "%u", k);
    snprintf(seed, sizeof seed, "%" PRIu64, w->plan.seed);
    snprintf(records, sizeof records, "%zu", check.records);
    ADD_WORDS(&c, w->program, "agent", tacit_server_url(w->server), "--study", TC_DEMO_STUDY,
              "--token-file", join, "--fingerprint", tacit_server_fingerprint(w->server));
    ADD_WORDS(&c, "--storage", storage, "--epsilon", limit, "--delta", delta, "--quiet");
    if (w->plan.records)
        ADD_WORDS(&c, "--records", records, "--range", "0:1");
    ADD_WORDS(&c, "--", w->program, "demo", "train", "--hospital", number, "--seed", seed);
    ADD_WORDS(&c, "--lr", "{lr}", "--l2", "{l2}", "--hidden", "{hidden}");
    if (w->plan.records)
        ADD_WORDS(&c, "--metric", "error", "--records", records);
    return tc_demo_start(c.words, &w->agents[k - 1], err);
}

static tacit_status start_trustee(tc_demo_world *w, unsigned k, tacit_error *err)
{
    char storage[320], join[320];
    command c = {.n = 0};
    snprintf(storage, sizeof storage, "sqlite:///%s/trustee-%u.db", w->folder, k);
    snprintf(join, sizeof join, "%s/trustees.txt", w->folder);
    ADD_WORDS(&c, w->program, "trustee", tacit_server_url(w->server), "--study", TC_DEMO_STUDY,
              "--token-file", join, "--fingerprint", tacit_server_fingerprint(w->server));
    ADD_WORDS(&c, "--storage", storage, "--quiet");
    return tc_demo_start(c.words, &w->trustees[k], err);
}

tacit_status tc_demo_enrol(tc_demo_world *w, tacit_error *err)
{
    for (unsigned k = 1; k <= w->plan.hospitals; k++)
        TC_TRY(start_agent(w, k, err));
    for (unsigned k = 0; k < w->plan.trustees; k++)
        TC_TRY(start_trustee(w, k, err));
    return TACIT_OK;
}

/* ---- the end ---- */

/* An agent may be killed at any instant, and one that waits for a broadcast would be slow to listen. */
void tc_demo_close(tc_demo_world *w, bool keep)
{
    for (size_t i = 0; i < w->plan.hospitals; i++)
        tc_demo_kill(&w->agents[i]);
    for (size_t k = 0; k < w->plan.trustees; k++)
        tc_demo_kill(&w->trustees[k]);
    tacit_server_stop(w->server);
    tacit_coordinator_close(w->coordinator);
    if (w->folder[0] && !keep)
        erase_folder(w->folder);
    *w = (tc_demo_world){0};
}
