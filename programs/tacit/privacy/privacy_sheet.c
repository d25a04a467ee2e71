/* privacy_sheet.c - `tacit privacy sheet STUDY.json`: what an ethics board or a data protection officer asks of a study,
 * from its document alone. Markdown for people, JSON for programs, both from one JSON object.
 *
 * Every number is one of <tacit/plan.h>: what is not proved there has no epsilon here. The sentences of each kind of study are
 * tables; the statement of the guarantee is the library's. */
#include "privacy/privacy_cli.h"

#include "base/memory.h"

#include <tacit/plan.h>
#include <tacit/tacit.h>

#include <inttypes.h>
#include <math.h>
#include <string.h>

typedef struct sheet_opts {
    char *purpose;
    double epsilon, delta;
} sheet_opts;

static const tc_option options[] = {
    TC_STRING_OPTION("purpose", offsetof(sheet_opts, purpose), NULL,
                     "what the study is for, in one line; without it a place is left for it",
                     .value = "TEXT"),
    TC_FLOAT_OPTION("epsilon", offsetof(sheet_opts, epsilon), "0", 0, 1e6,
                    "the limit that a party sets itself (tacit agent --epsilon), to be said too"),
    TC_FLOAT_OPTION("delta", offsetof(sheet_opts, delta), "0", 0, 1, "of --epsilon"),
    {.name = NULL}};

/* ---- kinds of studies ---- */

typedef struct line {
    const char *of, *text; /* NULL: the last */
} line;

typedef struct kind {
    bool counted;        /* the document says how many agents there are: before `who` */
    const char *who;     /* takes part */
    const line *flow;    /* from and to, and what */
    const line *sees;    /* who, and what */
    const line *kept;    /* where, and what and until when */
    const char *unsafe;  /* what is not protected besides what the statement says */
    const line *assumes; /* who, and what is relied upon */
} kind;

#define AGENT_KEEPS                                                                                \
    {                                                                                              \
        "each party's storage",                                                                    \
            "trials with their values, the party's key, what it sent, its own ledger. `tacit "     \
            "erase` deletes all but the study's hash and the ledger, which counts what was spent " \
            "and has no data of a person"                                                          \
    }
#define COORDINATOR_KEEPS                                                                          \
    {                                                                                              \
        "the coordinator's storage", "the document, the roster, hashes of tokens, which rounds "   \
                                     "ended how, the releases and the "                            \
                                     "ledger. `tacit remote delete` deletes the study; the "       \
                                     "ledger and the operator's log stay"                          \
    }
#define BACKUPS                                                                                    \
    {                                                                                              \
        "backups",                                                                                 \
            "what the storage had when they were made, without messages to sums; remove the "      \
            "files"                                                                                \
    }
#define AGENT_TIMING                                                                               \
    "that a party takes part, when it answers and how long it takes, its network address, how "    \
    "many trials it runs between two rounds as far as timing tells"
#define NETWORK                                                                                    \
    {                                                                                              \
        "the network", "TLS to the coordinator: addresses, sizes and times"                        \
    }
#define NETWORK_IF_SERVED                                                                          \
    {                                                                                              \
        "the network",                                                                             \
            "where a coordinator serves the study: addresses, sizes and times, through TLS"        \
    }
#define PROGRAM                                                                                    \
    {                                                                                              \
        "the party's program",                                                                     \
            "sees the party's data and the configurations; tacit does not look into it"            \
    }

static const line sum_flow[] = {
    {"inside a party", "its program evaluates configurations on its own data; values stay there"},
    {"party to coordinator",
     "one signed message in each round: a vector of numbers of bounded length that summarizes the "
     "party's model of its values; no raw value, no record"},
    {"coordinator to everybody",
     "the sum of the messages of a round with the noise that the document says, once, after the "
     "ledger has it"},
    {NULL, NULL}};
static const line sum_sees[] = {
    {"the party itself", "everything of its own"},
    {"other parties", "the releases: sums with noise; not who is on the roster"},
    {"the coordinator",
     "every party's vector as it is, until the round is closed: from a vector the party's trials "
     "can be read; who sends and when"},
    {"the operator", "the roster, fingerprints of keys, how rounds ended and the releases; whoever "
                     "runs the coordinator's machine can see what the coordinator sees"},
    NETWORK,
    {NULL, NULL}};
static const line sum_kept[] = {
    AGENT_KEEPS,
    COORDINATOR_KEEPS,
    {"messages to a sum", "at the coordinator until their round is closed, then overwritten; a "
                          "party that withdraws has its open message erased"},
    BACKUPS,
    {NULL, NULL}};
static const line sum_assumes[] = {
    {"the coordinator is trusted", "to add the noise that the document says, once a round, and "
                                   "to show nobody the vectors"},
    {"each party's machine is trusted by that party", "with its data, key and ledger"},
    PROGRAM,
    {NULL, NULL}};

static const line relay_flow[] = {
    {"inside a party", "its program evaluates configurations on its own data; values stay there"},
    {"party to coordinator",
     "messages that summarize the party's model of its values, as they are"},
    {"coordinator to other parties", "these messages, one by one, without noise"},
    {NULL, NULL}};
static const line relay_sees[] = {{"the party itself", "everything of its own"},
                                  {"other parties", "single messages of others, without noise"},
                                  {"the coordinator", "every message; who sends and when"},
                                  {"the operator", "the same"},
                                  NETWORK,
                                  {NULL, NULL}};
static const line relay_kept[] = {
    AGENT_KEEPS,
    COORDINATOR_KEEPS,
    {"messages", "at the coordinator with the study, for they are handed on"},
    BACKUPS,
    {NULL, NULL}};
static const line trusts_all[] = {
    {"the coordinator and all other parties are trusted", "with what the messages tell"},
    PROGRAM,
    {NULL, NULL}};

static const line record_flow[] = {
    {"inside a party",
     "its program evaluates a configuration on validation records; the value gets "
     "noise before anything else sees it, after the ledger has its price"},
    {"the value with noise", "is what the study, its storage and everybody who reads it has"},
    {NULL, NULL}};
static const line record_federated_flow[] = {
    {"inside a party",
     "its program evaluates a configuration on validation records; the value gets "
     "noise before anything else sees it, after the ledger has its price"},
    {"party to coordinator", "one signed message in each round, made of values with noise alone"},
    {"coordinator to everybody", "the messages, or what the algorithm makes of them"},
    {NULL, NULL}};
static const line record_sees[] = {
    {"the party's program", "its records and the value as it is, which ends in it"},
    {"whoever reads the study", "configurations and values with noise: a coordinator and its "
                                "operator too, where one serves the study"},
    NETWORK_IF_SERVED,
    {NULL, NULL}};
static const line record_kept[] = {
    {"the study's storage", "configurations and values with noise; `tacit erase` deletes them"},
    {"the party's ledger", "what was released, at its price: mechanisms, prices, and the values "
                           "with noise. It stays, for a limit that forgets is none"},
    {"the value as it is", "nowhere"},
    BACKUPS,
    {NULL, NULL}};
static const line record_assumes[] = {
    {"the party's program is trusted", "to bound each record's loss as the document says, and to "
                                       "give values out by no other way"},
    {"the coordinator need not be trusted", "with the records: values have their noise before "
                                            "they leave the party"},
    {NULL, NULL}};

static const line ldp_flow[] = {
    {"inside a user's device", "the reward is clamped to public bounds and perturbed once, after "
                               "the user's own ledger has its price"},
    {"user to the study", "the perturbed reply, one number for one configuration"},
    {NULL, NULL}};
static const line ldp_sees[] = {
    {"the user", "their own rewards"},
    {"other users", "nothing; configurations that they are asked about depend on all replies"},
    {"the server and its operator", "replies with noise, and which configuration each is about"},
    NETWORK_IF_SERVED,
    {NULL, NULL}};
static const line ldp_kept[] = {
    {"the user's device", "a ledger with the replies that were given, so that none is drawn "
                          "twice; the reward is kept nowhere"},
    {"the study's storage", "configurations and replies; `tacit erase` or `tacit remote delete` "
                            "deletes them"},
    BACKUPS,
    {NULL, NULL}};
static const line ldp_assumes[] = {
    {"the server need not be trusted", "with rewards: it never has one"},
    {"the user's device is trusted by the user", "with rewards and the ledger"},
    {NULL, NULL}};

static const line outsourced_flow[] = {
    {"curator to modeler", "the rows of a table with noise, once, in a secret order"},
    {"modeler to curator", "which row to ask about next, by number"},
    {"curator to modeler", "the answer about that row: as it is, unless the curator answers "
                           "privately (--output-epsilon)"},
    {NULL, NULL}};
static const line outsourced_sees[] = {
    {"the curator", "the table, the order and the answers"},
    {"the modeler, and a coordinator in its place", "rows with noise and answers by number"},
    NETWORK_IF_SERVED,
    {NULL, NULL}};
static const line outsourced_kept[] = {
    {"the curator", "the table, the order and a ledger of what was released"},
    {"the modeler's storage", "released rows, questions and answers; `tacit erase` deletes them"},
    {NULL, NULL}};
static const line outsourced_assumes[] = {
    {"the modeler need not be trusted", "with the rows; it knows the answers"}, {NULL, NULL}};

static const line plain_flow[] = {
    {"inside the party", "its program evaluates configurations; values go into the study's "
                         "storage as they are"},
    {"worker to coordinator", "where one serves the study: configurations and values as they are"},
    {NULL, NULL}};
static const line plain_sees[] = {
    {"whoever reads the storage", "all configurations and values"},
    {"a coordinator, its operator and its clients", "the same, where one serves the study"},
    NETWORK_IF_SERVED,
    {NULL, NULL}};
static const line plain_kept[] = {
    {"the study's storage", "everything, until `tacit erase`"}, BACKUPS, {NULL, NULL}};
static const line plain_assumes[] = {
    {"everybody with the storage or a token is trusted", "with the values"}, PROGRAM, {NULL, NULL}};

static const kind kinds[] = {
    {true, "parties, each with data of its own, and a coordinator", sum_flow, sum_sees, sum_kept,
     AGENT_TIMING, sum_assumes},
    {true, "parties, each with data of its own, and a coordinator", relay_flow, relay_sees,
     relay_kept, AGENT_TIMING, trusts_all},
    {false, "one party with validation records", record_flow, record_sees, record_kept, NULL,
     record_assumes},
    {true, "parties with validation records, and a coordinator", record_federated_flow, record_sees,
     record_kept, AGENT_TIMING, record_assumes},
    {false, "users, each of whom replies about configurations, and a server", ldp_flow, ldp_sees,
     ldp_kept, NULL, ldp_assumes},
    {false, "a curator with a table of rows, and a modeler that never sees it", outsourced_flow,
     outsourced_sees, outsourced_kept,
     "which rows are asked about; the answers, unless they are private", outsourced_assumes},
    {false, "one party, with workers of its own", plain_flow, plain_sees, plain_kept, NULL,
     plain_assumes}};
enum { SUM, RELAY, RECORDS, RECORDS_FEDERATED, LDP, OUTSOURCED, PLAIN };

/* A study that is open while the sheet is made. */
typedef struct study {
    tacit_document *document;
    tacit_plan *plan; /* NULL: nothing is planned */
    int kind;
    const char *not_private; /* "": it is private */
} study;

static void study_close(study *s)
{
    tacit_plan_free(s->plan);
    tacit_document_free(s->document);
}

static const char not_planned[] =
    "its document promises nothing: values are stored and shown as they are";
static const char outsourced_says[] =
    "the document promises nothing: what is promised is chosen by the curator, when the rows are "
    "released (tacit curate release --epsilon), and stands in the curator's ledger";

/* What the plan of a study says, where it has one. */
static tacit_status find_plan(study *s, tacit_error *err)
{
    const bool records = tacit_document_protects_records(s->document);
    TC_TRY(tacit_plan_new(&s->plan, s->document, err));
    s->not_private = tacit_plan_summarize(s->plan)->not_private;
    tacit_status status = tacit_plan_cost(s->plan, err);
    bool relay = status == TACIT_E_UNSUPPORTED && *s->not_private;
    if (status != TACIT_OK && !relay)
        return status;
    s->kind = tacit_document_takes_replies(s->document) ? LDP
              : records ? tacit_document_agents(s->document) > 0 ? RECORDS_FEDERATED : RECORDS
              : relay   ? RELAY
                        : SUM;
    return TACIT_OK;
}

static tacit_status study_read(study *s, const char *file, tacit_error *err)
{
    TC_TRY(tacit_document_read(&s->document, file, err));
    if (tacit_document_agents(s->document) > 0 || tacit_document_protects_records(s->document) ||
        tacit_document_takes_replies(s->document))
        return find_plan(s, err);
    bool outsourced = strcmp(tacit_document_algorithm(s->document), "po-gp-ucb") == 0;
    s->kind = outsourced ? OUTSOURCED : PLAIN;
    s->not_private = outsourced ? outsourced_says : not_planned;
    return TACIT_OK;
}

/* ---- what is promised ---- */

/* "at most 98.3 %": whoever finds both of two neighbours equally likely, after all that is released. Rounded up. */
static void odds_text(char out[16], double epsilon, double delta)
{
    double share = epsilon < 700 ? (exp(epsilon) + delta) / (1 + exp(epsilon)) : 1;
    snprintf(out, 16, "%.1f %%", fmin(100, ceil(1000 * share * (1 + 1e-12)) / 10));
}

static json_t *promise_json(const study *s)
{
    char epsilon[32], delta[32], odds[16];
    const tacit_plan_summary *p = s->plan ? tacit_plan_summarize(s->plan) : NULL;
    if (!p || *s->not_private || p->releases == 0 || !isfinite(p->epsilon))
        return json_null();
    tacit_epsilon_text(epsilon, p->epsilon);
    tacit_delta_text(delta, p->delta);
    odds_text(odds, p->epsilon, p->delta);
    tc_text words = {0};
    tc_text_addf(
        &words,
        "Whoever sees all that is released, knows everything else, and beforehand holds it "
        "for as likely as not that it was this %s's data rather than the neighbouring "
        "ones: after it they can be at most %s sure.",
        tacit_unit_name(p->unit), odds);
    json_t *j = json_pack("{s:s, s:f, s:f, s:s, s:I, s:s, s:s, s:s}", "unit",
                          tacit_unit_name(p->unit), "epsilon", p->epsilon, "delta", p->delta,
                          "accountant", p->accountant, "releases", (json_int_t)p->releases, "odds",
                          odds, "in_words", tc_text_get(&words), "statement", p->statement);
    tc_text_fini(&words);
    return j;
}

/* NULL: no memory. A round that has no proved price has no epsilon. */
static json_t *rounds_json(const study *s)
{
    const tacit_planned *one;
    json_t *rows = json_array();
    for (size_t i = 0; rows && s->plan && (one = tacit_plan_get(s->plan, i)); i++) {
        bool proved = !*s->not_private;
        json_t *row = json_pack(
            "{s:I, s:s, s:o, s:o, s:o}", "round", (json_int_t)one->round, "about",
            *one->about ? one->about : "the parties' models", "message_bytes",
            one->message_bytes > 0 ? json_integer((json_int_t)one->message_bytes) : json_null(),
            "epsilon", proved ? tc_privacy_number(one->epsilon) : json_null(), "epsilon_so_far",
            proved ? tc_privacy_number(one->epsilon_so_far) : json_null());
        if (json_array_append_new(rows, row) != 0) {
            json_decref(rows);
            return NULL;
        }
    }
    return rows;
}

/* ---- the sheet ---- */

static json_t *lines_json(const line *l, const char *of, const char *text)
{
    json_t *rows = json_array();
    for (; rows && l->of; l++)
        if (json_array_append_new(rows, json_pack("{s:s, s:s}", of, l->of, text, l->text)) != 0) {
            json_decref(rows);
            return NULL;
        }
    return rows;
}

static json_t *limit_json(const sheet_opts *o)
{
    return o->epsilon > 0 ? json_pack("{s:f, s:f}", "epsilon", o->epsilon, "delta", o->delta)
                          : json_null();
}

/* NULL: no memory. */
static json_t *sheet_json(const study *s, const sheet_opts *o)
{
    char number[24] = "", who[160];
    const kind *k = &kinds[s->kind];
    if (k->counted)
        snprintf(number, sizeof number, "%" PRIu64 " ", tacit_document_agents(s->document));
    snprintf(who, sizeof who, "%s%s", number, k->who);
    return json_pack("{s:s, s:s, s:s, s:I, s:o, s:o, s:s, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o}",
                     "study", tacit_document_name(s->document), "made_by", "tacit " TACIT_VERSION,
                     "algorithm", tacit_document_algorithm(s->document), "trials",
                     (json_int_t)tacit_document_trials(s->document), "purpose",
                     o->purpose ? json_string(o->purpose) : json_null(), "not_private",
                     *s->not_private ? json_string(s->not_private) : json_null(), "takes_part", who,
                     "data_flow", lines_json(k->flow, "from", "what"), "who_sees_what",
                     lines_json(k->sees, "who", "what"), "promise", promise_json(s), "limit",
                     limit_json(o), "rounds", rounds_json(s), "kept",
                     lines_json(k->kept, "where", "what"), "not_protected",
                     k->unsafe ? json_string(k->unsafe) : json_null(), "assumptions",
                     lines_json(k->assumes, "that", "with"));
}

/* ---- Markdown ---- */

static const char *text_of(const json_t *j, const char *key)
{
    const char *text = json_string_value(json_object_get(j, key));
    return text ? text : "";
}

static void print_lines(const char *title, const json_t *rows, const char *of, const char *text)
{
    size_t i;
    const json_t *row;
    printf("\n## %s\n\n| %s | |\n|---|---|\n", title, of);
    json_array_foreach(rows, i, row) printf("| %s | %s |\n", text_of(row, of), text_of(row, text));
}

static void print_promise(const json_t *j)
{
    const json_t *p = json_object_get(j, "promise"), *limit = json_object_get(j, "limit");
    printf("\n## What protects it\n\n");
    if (!json_is_object(p) && *text_of(j, "not_private"))
        printf("Nothing that is proved: %s.\n", text_of(j, "not_private"));
    else if (!json_is_object(p))
        printf("This study releases nothing.\n");
    else
        printf("%s\n\n%s\n", text_of(p, "in_words"), text_of(p, "statement"));
    if (json_is_object(limit))
        printf("\nThis party's own limit, over all studies that share its ledger: epsilon %g at "
               "delta %g. A message that would exceed it is withheld.\n",
               json_real_value(json_object_get(limit, "epsilon")),
               json_real_value(json_object_get(limit, "delta")));
}

static void print_bound(const json_t *v)
{
    char text[32];
    tacit_epsilon_text(text, json_number_value(v));
    printf(" %s |", json_is_number(v) ? text : "");
}

static void print_rounds(const json_t *rows)
{
    size_t i;
    const json_t *row;
    if (json_array_size(rows) == 0)
        return;
    printf("\n## What leaves, round by round\n\n| round | what it is about | bytes of a message | "
           "epsilon | epsilon so far |\n|---|---|---|---|---|\n");
    json_array_foreach(rows, i, row)
    {
        const json_t *bytes = json_object_get(row, "message_bytes");
        printf("| %lld | %s |", (long long)json_integer_value(json_object_get(row, "round")),
               text_of(row, "about"));
        if (json_is_integer(bytes))
            printf(" %lld |", (long long)json_integer_value(bytes));
        else
            printf(" |");
        print_bound(json_object_get(row, "epsilon"));
        print_bound(json_object_get(row, "epsilon_so_far"));
        putchar('\n');
    }
}

static void print_markdown(const json_t *j)
{
    const char *purpose = text_of(j, "purpose");
    printf("# Privacy sheet of study %s\n\n", text_of(j, "study"));
    if (*text_of(j, "not_private"))
        printf("**NOT PRIVATE: %s.**\n\n", text_of(j, "not_private"));
    printf("Made by %s from the study document alone: algorithm %s, %lld trials planned.\n\n"
           "## Purpose\n\n%s\n\n## Who takes part\n\n%s.\n",
           text_of(j, "made_by"), text_of(j, "algorithm"),
           (long long)json_integer_value(json_object_get(j, "trials")),
           *purpose ? purpose : "(to be filled in by whoever is responsible)",
           text_of(j, "takes_part"));
    print_lines("What leaves, and how", json_object_get(j, "data_flow"), "from", "what");
    print_lines("Who sees what", json_object_get(j, "who_sees_what"), "who", "what");
    print_promise(j);
    print_rounds(json_object_get(j, "rounds"));
    print_lines("What is kept, and what can be erased", json_object_get(j, "kept"), "where",
                "what");
    if (*text_of(j, "not_protected"))
        printf("\n## What is not protected, besides\n\n%s.\n", text_of(j, "not_protected"));
    print_lines("What this relies on", json_object_get(j, "assumptions"), "that", "with");
}

/* ---- the verb ---- */

static tacit_status check(const sheet_opts *o, int format, tacit_error *err)
{
    if (format == TC_FORMAT_CSV)
        return tc_fail(err, TACIT_E_ARG, "a sheet is Markdown (table) or JSON, and no CSV");
    if (o->delta > 0 && o->epsilon == 0)
        return tc_fail(err, TACIT_E_ARG, "--delta is of --epsilon, which is missing");
    return o->epsilon > 0 && o->delta == 0
               ? tc_fail(err, TACIT_E_ARG, "--epsilon needs --delta, as an agent's limit does")
               : TACIT_OK;
}

static tacit_status run(const tc_invocation *in, tacit_error *err)
{
    study s = {.not_private = ""};
    TC_TRY(check(in->opts, in->format, err));
    tacit_status status = study_read(&s, in->args[0], err);
    if (status == TACIT_OK && in->format != TC_FORMAT_TABLE) {
        status = tc_privacy_print_json(sheet_json(&s, in->opts), false, err);
    } else if (status == TACIT_OK) {
        json_t *j = sheet_json(&s, in->opts);
        status = j ? TACIT_OK : tc_fail_memory(err);
        if (j)
            print_markdown(j);
        json_decref(j);
    }
    study_close(&s);
    return status;
}

const tc_verb tc_verb_privacy_sheet = {
    .name = "privacy sheet",
    .usage = "STUDY.json [options]",
    .summary = "what an ethics board asks of a study, from its document alone",
    .details =
        "A sheet for a data protection impact assessment or an ethics board: who takes part, what\n"
        "leaves and in which round, who sees what, what protects it and how much that is in "
        "words,\n"
        "what is kept and what can be erased, what is not protected, and who is trusted. "
        "Markdown;\n"
        "with --format json the same for programs. An epsilon is printed where one is proved, and\n"
        "a study that is not private says so in its first line. Nothing is spent or asked.\n"
        "\n"
        "  tacit privacy sheet ward.json --purpose \"Dosing model of the wards\" > sheet.md",
    .options = options,
    .options_size = sizeof(sheet_opts),
    .min_args = 1,
    .max_args = 1,
    .run = run,
};
