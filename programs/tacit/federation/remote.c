/* remote.c - `tacit remote`: what an operator asks of a coordinator.
 *
 * A member of the family is a method, a path and a body. The answer is JSON: it is printed as it came, or
 * as a table for people. Trials of served studies are the business of ask, tell, trials and the like. */
#include "federation/remote.h"
#include "frame/verbs.h"
#include "privacy/privacy_ledger.h"
#include "study/study_ref.h"

#include "base/clock.h"
#include "base/json.h"
#include "base/memory.h"

#include <tacit/net.h>
#include <tacit/plan.h>

#include <stddef.h>
#include <string.h>
#include <sys/stat.h>

typedef tc_remote_options options;
typedef tc_remote_request request;

static const tc_option table[] = {
    TC_SERVER_OPTION(options, server), TC_SERVER_OPTIONS(options), {.name = NULL}};
/* ---- answers ---- */

static tacit_status print_json(const json_t *j, FILE *out, tacit_error *err)
{
    char *text = tc_json_text(j);
    if (!text)
        return tc_fail_memory(err);
    fprintf(out, "%s\n", text);
    tc_free(text);
    return TACIT_OK;
}

static void put_value(tc_table *t, size_t column, const json_t *value)
{
    if (json_is_string(value)) {
        tc_table_text(t, column, json_string_value(value));
    } else if (json_is_integer(value)) {
        tc_table_integer(t, column, json_integer_value(value));
    } else if (!json_is_null(value)) {
        char *text = tc_json_text(value);
        tc_table_text(t, column, text ? text : "");
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
        put_value(t, 1, value);
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

tacit_status tc_remote_print(const json_t *j, int format, tacit_error *err)
{
    const json_t *list = json_object_get(j, "studies");
    if (format != TC_FORMAT_JSON && format != TC_FORMAT_JSONL)
        return json_is_array(list) ? print_names(list, (tc_format)format, err)
                                   : print_fields(j, (tc_format)format, err);
    return print_json(j, stdout, err);
}

/* ---- rows ---- */

enum { COLUMNS_MOST = 16 };

static bool is_time(const char *column)
{
    size_t n = strlen(column);
    return n > 3 && strcmp(column + n - 3, "_ms") == 0;
}

/* Without its unit, for a time is shown as one. */
static void name_columns(const char *const *columns, char names[COLUMNS_MOST][32],
                         const char *heads[COLUMNS_MOST], size_t *n)
{
    for (*n = 0; columns[*n] && *n < COLUMNS_MOST; ++*n) {
        snprintf(names[*n], sizeof names[*n], "%s", columns[*n]);
        if (is_time(columns[*n]))
            names[*n][strlen(columns[*n]) - 3] = 0;
        heads[*n] = names[*n];
    }
}

/* Of a token that nobody can use up, 0 uses are not the same as of a join token that is used up. */
static bool is_uncounted(const char *column, const json_t *row)
{
    const char *role = json_string_value(json_object_get(row, "role"));
    return strcmp(column, "uses") == 0 && role && strcmp(role, "joiner") != 0 &&
           strcmp(role, "curator") != 0;
}

static void put_row(tc_table *t, const char *const *columns, const json_t *row)
{
    for (size_t i = 0; columns[i]; i++) {
        const json_t *value = json_object_get(row, columns[i]);
        char iso[32] = "";
        if (is_uncounted(columns[i], row))
            continue;
        if (!is_time(columns[i])) {
            put_value(t, i, value);
            continue;
        }
        if (json_integer_value(value) > 0)
            tc_clock_iso(iso, json_integer_value(value));
        tc_table_text(t, i, iso);
    }
    tc_table_end_row(t);
}

tacit_status tc_remote_print_rows(const json_t *whole, const json_t *list,
                                  const char *const *columns, int format, FILE *out,
                                  tacit_error *err)
{
    char names[COLUMNS_MOST][32];
    const char *heads[COLUMNS_MOST];
    size_t n;
    if (format == TC_FORMAT_JSON)
        return print_json(whole, out, err);
    if (format == TC_FORMAT_JSONL) {
        for (size_t i = 0; i < json_array_size(list); i++)
            TC_TRY(print_json(json_array_get(list, i), out, err));
        return TACIT_OK;
    }
    name_columns(columns, names, heads, &n);
    tc_table *t = tc_table_new(n, heads);
    for (size_t i = 0; i < json_array_size(list); i++)
        put_row(t, columns, json_array_get(list, i));
    return tc_table_print(t, (tc_format)format, out, err);
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
    const tc_where where = {.server = url,
                            .fingerprint = o->fingerprint,
                            .token_file = o->token_file,
                            .ca = o->ca,
                            .proxy = o->proxy};
    TC_TRY(tc_way_find(&c->way, &where, &(tc_study_terms){.quiet = in->quiet}, err));
    return tacit_storage_open(&c->storage, c->way.url, &c->way.opts, err);
}

tacit_status tc_remote_send(const tc_invocation *in, const request *q, json_t **out,
                            tacit_error *err)
{
    coordinator c = {0};
    char *answer = NULL;
    tacit_status status = coordinator_open(&c, in, err);
    if (status == TACIT_OK && q->create)
        status = tacit_net_create(c.storage, q->create, &answer, err);
    else if (status == TACIT_OK && q->log)
        status = tacit_net_audit(c.storage, ((const options *)in->opts)->seen, &answer, err);
    else if (status == TACIT_OK)
        status = tacit_net_call(c.storage, q->method, q->study, q->path, q->body, &answer, err);
    coordinator_close(&c);
    if (status == TACIT_OK)
        status = tc_json_parse(answer, strlen(answer), "the answer", out, err);
    tacit_text_free(answer);
    return status;
}

tacit_status tc_remote_do(const tc_invocation *in, const request *q, tacit_error *err)
{
    json_t *answer;
    TC_TRY(tc_remote_send(in, q, &answer, err));
    tacit_status status = tc_remote_print(answer, in->format, err);
    json_decref(answer);
    return status;
}

/* One page's objects; *next becomes what the next page comes after, "" where there is none. */
static tacit_status add_page(const tc_invocation *in, const request *q, const char *name,
                             json_t *all, char next[64], tacit_error *err)
{
    json_t *answer;
    tc_text path = {0};
    tc_text_addf(&path, "%s?limit=1000%s%s", q->path, *next ? "&after=" : "", next);
    request page = {.method = "GET", .study = q->study, .path = tc_text_get(&path)};
    tacit_status status =
        path.failed ? tc_fail_memory(err) : tc_remote_send(in, &page, &answer, err);
    tc_text_fini(&path);
    TC_TRY(status);
    const json_t *after = json_object_get(answer, "next");
    snprintf(next, 64, "%s", json_is_string(after) ? json_string_value(after) : "");
    if (json_is_integer(after))
        snprintf(next, 64, "%lld", (long long)json_integer_value(after));
    if (json_array_extend(all, json_object_get(answer, name)) != 0)
        status =
            tc_fail(err, TACIT_E_IO, "the coordinator's answer makes no sense: it has no %s", name);
    json_decref(answer);
    return status;
}

tacit_status tc_remote_list(const tc_invocation *in, const request *q, const char *name,
                            const char *const *columns, tacit_error *err)
{
    char next[64] = "";
    json_t *all = json_array(), *whole = json_pack("{s:O}", name, all);
    tacit_status status = whole ? TACIT_OK : tc_fail_memory(err);
    do {
        if (status == TACIT_OK)
            status = add_page(in, q, name, all, next, err);
    } while (status == TACIT_OK && *next);
    if (status == TACIT_OK)
        status = tc_remote_print_rows(whole, all, columns, in->format, stdout, err);
    json_decref(whole);
    json_decref(all);
    return status;
}

/* Of the study that the command line names. */
static tacit_status simple(const tc_invocation *in, const char *method, const char *path,
                           tacit_error *err)
{
    return tc_remote_do(in, &(request){.method = method, .study = in->args[0], .path = path}, err);
}

/* ---- members ---- */

static tacit_status run_studies(const tc_invocation *in, tacit_error *err)
{
    return tc_remote_do(in, &(request){.method = "GET", .path = "/v1/studies?limit=1000"}, err);
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
    TC_TRY(tc_remote_send(in, &q, &answer, err));
    tacit_status status = unfold_document(answer, err);
    if (status == TACIT_OK)
        status = tc_remote_print(answer, in->format, err);
    json_decref(answer);
    return status;
}

static tacit_status run_recommend(const tc_invocation *in, tacit_error *err)
{
    return simple(in, "GET", "/recommendation", err);
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

/* ---- privacy ---- */

static tacit_status fetch(const tc_invocation *in, const char *path, json_t **out, tacit_error *err)
{
    return tc_remote_send(in, &(request){.method = "GET", .study = in->args[0], .path = path}, out,
                          err);
}

/* What the table needs of the study's document. */
typedef struct promise {
    double delta; /* of the promise; without one, the usual one for so many agents */
    bool records;
} promise;

static tacit_status read_promise(const json_t *study, promise *out, tacit_error *err)
{
    const char *text = json_string_value(json_object_get(study, "document"));
    int64_t agents = json_integer_value(json_object_get(study, "agents"));
    json_t *document = NULL;
    if (text)
        TC_TRY(tc_json_parse(text, strlen(text), "the document", &document, err));
    const json_t *privacy = json_object_get(document, "privacy");
    const char *unit = json_string_value(json_object_get(privacy, "unit"));
    double delta = json_number_value(json_object_get(privacy, "delta"));
    *out = (promise){.delta = delta > 0 ? delta : tacit_delta_default((uint64_t)agents),
                     .records = unit && strcmp(unit, "record") == 0};
    json_decref(document);
    return TACIT_OK;
}

/* Releases of values that were private before make entries, and cost nothing here. */
static bool is_paid_elsewhere(const tc_privacy_claims *s, const promise *p)
{
    bool paid = p->records;
    for (size_t i = 0; i < s->n; i++)
        paid = paid && s->spent[i].releases == 0;
    return paid;
}

static tacit_status print_claims(const tc_invocation *in, const promise *p, tacit_ledger *l,
                                 tacit_error *err)
{
    tc_privacy_claims s = {0};
    tacit_status status = tc_privacy_ask_all(&s, l, 0, p->delta, err);
    if (status == TACIT_OK && is_paid_elsewhere(&s, p) && in->format == TC_FORMAT_TABLE)
        printf("%s: values are private before they leave the agents; the ledger of each agent has "
               "what they cost\n",
               s.ledger);
    else if (status == TACIT_OK)
        status = tc_privacy_print_claims(&s, in->format, err);
    tc_privacy_claims_fini(&s);
    return status;
}

/* The answer of the coordinator is checked like an export, hash by hash, and accounted for here. */
static tacit_status print_ledger(const tc_invocation *in, const json_t *answer, tacit_error *err)
{
    json_t *study;
    promise p;
    tacit_ledger *l = NULL;
    TC_TRY(fetch(in, "", &study, err));
    tacit_status status = read_promise(study, &p, err);
    json_decref(study);
    TC_TRY(status);
    char *text = tc_json_text(answer);
    status = text ? tacit_ledger_import(&l, text, err) : tc_fail_memory(err);
    tc_free(text);
    if (status == TACIT_OK)
        status = print_claims(in, &p, l, err);
    tacit_ledger_close(l);
    return status;
}

static tacit_status run_privacy(const tc_invocation *in, tacit_error *err)
{
    json_t *answer;
    TC_TRY(fetch(in, "/privacy", &answer, err));
    bool programs = in->format == TC_FORMAT_JSON || in->format == TC_FORMAT_JSONL;
    tacit_status status =
        programs ? tc_remote_print(answer, in->format, err) : print_ledger(in, answer, err);
    json_decref(answer);
    return status;
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
    if (s->trustees)
        tc_note(in->quiet, "tacit: %s", s->trustees_sentence);
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
    TC_TRY(tc_remote_send(in, &(request){.create = doc}, &answer, err));
    tacit_status status = unfold_document(answer, err);
    if (status == TACIT_OK && tacit_document_agents(doc) > 0) {
        tacit_error why = {0}; /* the study is there: that nobody can advise is no failure */
        if (advise(in, doc, answer, &why) != TACIT_OK)
            tc_note(in->quiet, "tacit: what to expect of this study is not known: %s", why.msg);
    }
    if (status == TACIT_OK)
        status = tc_remote_print(answer, in->format, err);
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

/* ---- a time at which a study closes ---- */

static const tc_option expire_table[] = {
    TC_SERVER_OPTION(options, server),
    TC_SERVER_OPTIONS(options),
    TC_FLOAT_OPTION("after-s", offsetof(options, after_s), "0", 0, 1e9,
                    "seconds from now on until it closes by itself"),
    TC_BOOL_OPTION("never", offsetof(options, never), NULL, "it has no such end any more"),
    {.name = NULL}};

static tacit_status run_expire(const tc_invocation *in, tacit_error *err)
{
    const options *o = in->opts;
    char body[64];
    if (o->never == (o->after_s > 0))
        return tc_fail(err, TACIT_E_ARG, "say when it ends: --after-s SECONDS, or --never");
    snprintf(body, sizeof body, "{\"after_s\": %.17g}", o->after_s);
    return tc_remote_do(
        in, &(request){.method = "POST", .study = in->args[0], .path = ":expire", .body = body},
        err);
}

/* ---- agents and trials ---- */

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

/* Page by page. */
static tacit_status run_agents(const tc_invocation *in, tacit_error *err)
{
    static const char *const columns[] = {"agent", "fingerprint", "revoked", "withdrawn", NULL};
    return tc_remote_list(in, &(request){.study = in->args[0], .path = "/agents"}, "agents",
                          columns, err);
}

static tacit_status run_dismiss(const tc_invocation *in, tacit_error *err)
{
    return post_numbered(in, "trustees", in->args[1], "revoke", err);
}

static tacit_status run_trustees(const tc_invocation *in, tacit_error *err)
{
    static const char *const columns[] = {"trustee",   "fingerprint", "revoked",
                                          "answered",  "refused",     "wrong",
                                          "conflicts", "refusal",     NULL};
    return tc_remote_list(in, &(request){.study = in->args[0], .path = "/trustees"}, "trustees",
                          columns, err);
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
MEMBER(
    privacy, "privacy", "STUDY", 1, 1, TC_FORMAT_JSON,
    "a study's ledger: all that was released, and what it cost",
    "JSON is the ledger as the coordinator has it, which tacit privacy status reads again from\n"
    "a file. A table or CSV is what tacit privacy status says of it, at the delta of the study's\n"
    "document. Of a study whose messages are handed on without privacy both say so.\n"
    "\n"
    "  tacit remote privacy landmine --format table\n"
    "  tacit remote privacy landmine > ledger.json",
    run_privacy);
MEMBER(
    recommend, "recommend", "STUDY", 1, 1, TC_FORMAT_JSON,
    "one configuration for all agents, from what a federated study has released",
    "For teams that train one joint model. It is where the mean of all agents is largest, by the\n"
    "noisy sums that a study of dp-fts-de has released: a function of what was released, so it\n"
    "spends no privacy, however often it is asked for. mean is in standard deviations of an\n"
    "agent's first values, and more is better; sd is that of the releases' noise at the point.\n"
    "fts, rgpe, taf and pf-pne release no function of the space: there each agent has its own\n"
    "best (tacit best). Of a served study it is what tacit best says.\n"
    "\n"
    "  tacit remote recommend landmine --server https://tacit.example:8443 --token-file op.txt",
    run_recommend);
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
static const tc_verb expire = {
    .name = "remote expire",
    .network = true,
    .usage = "STUDY --after-s SECONDS | --never [options]",
    .summary = "let a study close by itself at a time",
    .details =
        "From then on it takes no messages and no values, and says why; the round that is open "
        "ends\n"
        "without a release. It goes by the coordinator's time. Until then the end can be moved;\n"
        "a study that has closed, by its time or by hand, cannot be opened again and gets no\n"
        "more tokens.\n"
        "Nothing is erased: `tacit remote delete` does that.\n"
        "\n"
        "  tacit remote expire ward --after-s 2592000      # in 30 days\n"
        "  tacit remote expire ward --never",
    .options = expire_table,
    .options_size = sizeof(options),
    .min_args = 1,
    .max_args = 1,
    .run = run_expire};
MEMBER(erase, "delete", "STUDY", 1, 1, TC_FORMAT_TABLE, "erase a study; its ledger stays",
       "  tacit remote delete landmine", run_delete);
MEMBER(revoke, "revoke", "STUDY AGENT", 2, 2, TC_FORMAT_TABLE,
       "end an agent's access, and wait for it no more",
       "What it sent counts, and it comes back with `tacit remote readmit` alone.\n"
       "\n"
       "  tacit remote revoke landmine 3",
       run_revoke);
MEMBER(agents, "agents", "STUDY", 1, 1, TC_FORMAT_TABLE,
       "the roster: places, fingerprints of keys, and who is gone",
       "  tacit remote agents landmine", run_agents);

MEMBER(
    trustees, "trustees", "STUDY", 1, 1, TC_FORMAT_TABLE,
    "the trustees of a study, and what each of them has done",
    "answered, refused: rounds. wrong: rounds in which its sums did not fit those of the others;\n"
    "it added up wrongly, or was dealt a share that is none. conflicts: rounds for which it\n"
    "signed two answers. refusal: why it refused last.\n"
    "\n"
    "  tacit remote trustees landmine",
    run_trustees);
MEMBER(dismiss, "dismiss", "STUDY TRUSTEE", 2, 2, TC_FORMAT_TABLE,
       "end a trustee's access: it counts as absent",
       "While parties are missing its place is free again, and another trustee may take it. Once\n"
       "the roster is fixed that is for good: nobody takes its place.\n"
       "\n"
       "  tacit remote dismiss landmine 2",
       run_dismiss);
MEMBER(release, "release", "STUDY TRIAL", 2, 2, TC_FORMAT_TABLE,
       "take a RUNNING trial of a served study back: the next who asks gets it",
       "For a worker that is gone or hangs, whatever its lease. It is STALE until then; a value\n"
       "that comes after all is still welcome, unless another was faster.\n"
       "\n"
       "  tacit trials branin --server https://tacit.example:8443 --format csv | grep RUNNING\n"
       "  tacit remote release branin 17",
       run_release);

static tacit_status run_family(const tc_invocation *in, tacit_error *err)
{
    (void)in;
    return tc_fail(err, TACIT_E_ARG,
                   "tacit remote needs a second word; tacit remote --help lists them");
}

static const tc_verb *const members[] = {&create,
                                         &studies,
                                         &show,
                                         &tc_verb_remote_token,
                                         &tc_verb_remote_tokens,
                                         &tc_verb_remote_replace,
                                         &tc_verb_remote_withdraw,
                                         &agents,
                                         &revoke,
                                         &tc_verb_remote_readmit,
                                         &trustees,
                                         &dismiss,
                                         &release,
                                         &privacy,
                                         &recommend,
                                         &pause_,
                                         &resume,
                                         &end,
                                         &expire,
                                         &erase,
                                         &tc_verb_remote_audit,
                                         NULL};

const tc_verb tc_verb_remote = {
    .name = "remote",
    .usage = "create|studies|show|token|tokens|replace|withdraw|agents|revoke|readmit|trustees|"
             "dismiss|release|privacy|recommend|pause|resume|close|expire|delete|audit [STUDY] "
             "[options]",
    .summary = "what an operator asks of a coordinator",
    .details =
        "TACIT_SERVER, TACIT_TOKEN_FILE and TACIT_FINGERPRINT stand for the options of the same\n"
        "meaning. Answers for programs to read are JSON, others tables, unless --format says\n"
        "otherwise. Trials of a served study: tacit ask, tell, trials, best, export, optimize.",
    .family = members,
    .run = run_family};
