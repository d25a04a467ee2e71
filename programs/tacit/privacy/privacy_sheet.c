/* privacy_sheet.c - `tacit privacy sheet STUDY.json`: what an ethics board or a data protection officer asks of a study,
 * from its document alone. Markdown for people, JSON for programs, both from one JSON object.
 *
 * Every number is one of <tacit/plan.h>: what is not proved there has no epsilon here. The sentences of each kind of study are
 * tables (privacy_sheet_kinds.c); the statement of the guarantee is the library's. */
#include "privacy/privacy_cli.h"
#include "privacy/privacy_sheet.h"

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
                    "of a federation whose messages are private: the limit that a party sets "
                    "itself (tacit agent --epsilon), to be said too"),
    TC_FLOAT_OPTION("delta", offsetof(sheet_opts, delta), "0", 0, 1, "of --epsilon"),
    {.name = NULL}};

/* ---- the study ---- */

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
    "its document promises nothing, and values are stored and shown as they are";
static const char outsourced_says[] =
    "its document promises nothing. The curator chooses what is promised when the rows are "
    "released "
    "(tacit curate release --epsilon), and the curator's ledger says what that was";

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
    bool many = tacit_document_agents(s->document) > 0;
    s->kind = tacit_document_takes_replies(s->document) ? TC_SHEET_LDP
              : records ? (many ? TC_SHEET_RECORDS_FEDERATED : TC_SHEET_RECORDS)
              : relay   ? TC_SHEET_RELAY
              : tacit_plan_summarize(s->plan)->trustees ? TC_SHEET_SHARED
              : *s->not_private                         ? TC_SHEET_SUM_BARE
                                                        : TC_SHEET_SUM;
    return TACIT_OK;
}

static tacit_status study_read(study *s, const char *file, tacit_error *err)
{
    TC_TRY(tacit_document_read(&s->document, file, err));
    if (tacit_document_agents(s->document) > 0 || tacit_document_protects_records(s->document) ||
        tacit_document_takes_replies(s->document))
        return find_plan(s, err);
    bool outsourced = strcmp(tacit_document_algorithm(s->document), "po-gp-ucb") == 0;
    s->kind = outsourced ? TC_SHEET_OUTSOURCED : TC_SHEET_PLAIN;
    s->not_private = outsourced ? outsourced_says : not_planned;
    return TACIT_OK;
}

/* ---- what is promised ---- */

/* A coin decides which of two neighbours is true. Who guesses it from all that is released errs with probability a where it is
 * the one and b where it is the other. By the definition 1 - b <= e^eps a + delta and 1 - a <= e^eps b + delta; the sum of both
 * is a + b >= 2 (1 - delta) / (1 + e^eps), so 1 - (a + b) / 2, which is how often the guess is right, is at most
 * (e^eps + delta) / (1 + e^eps). Some mechanism reaches it. Rounded up to a thousandth. */
static double right_at_most(double epsilon, double delta)
{
    double share = 1 - (1 - delta) / (1 + exp(epsilon));
    return fmin(1, ceil(1000 * share * (1 + 1e-12)) / 1000);
}

/* docs/privacy.md says where the steps come from. */
static const char *strength_of(double right)
{
    return right <= 0.55    ? "very strong protection"
           : right <= 0.75  ? "strong protection"
           : right <= 0.9   ? "moderate protection"
           : right <= 0.999 ? "weak protection"
                            : "hardly any protection";
}

/* The contributions of a member of a sample of fixed size are replaced by another's, and not by nothing. */
static bool are_replaced(const study *s)
{
    const tacit_planned *first = tacit_plan_get(s->plan, 0);
    return first && (first->event.sampling == TACIT_DP_FIXED_SIZE ||
                     first->event.sampling == TACIT_DP_POISSON_REPLACED);
}

/* What both sides of the coin are. */
static const char *two_cases(const study *s, tacit_unit unit)
{
    switch (unit) {
    case TACIT_UNIT_AGENT:
        if (s->kind == TC_SHEET_SHARED)
            return "one party, a certain hospital say, shared what it found, or zeros in its place";
        return are_replaced(s)
                   ? "one party contributed what it did, or what any other party could have"
                   : "one party, a certain hospital say, contributed what it did, or nothing";
    case TACIT_UNIT_ROW:
        return "one value that a party found was what it was, or any other in the public range";
    case TACIT_UNIT_RECORD:
        return "one validation record, a certain patient's say, was among a party's records, or "
               "any other in its place";
    case TACIT_UNIT_USER:
        break;
    }
    return "one user's rewards were what they were, or any others";
}

/* What the percentage is not about. Two contributions of an agent of which neither is nothing are two steps apart: by nothing
 * from one to the other epsilon is 2 epsilon, and delta (1 + e^epsilon) delta. */
static void add_narrower(tc_text *out, const study *s, const tacit_plan_summary *p)
{
    double twice = right_at_most(2 * p->epsilon, (1 + exp(p->epsilon)) * p->delta);
    if (p->unit == TACIT_UNIT_AGENT && are_replaced(s))
        tc_text_add(out, "The two may differ by one certain person's data alone.");
    else if (p->unit == TACIT_UNIT_AGENT)
        tc_text_addf(
            out,
            "Which of two contributions a party made, with or without one certain person's data "
            "say, is protected less: a guess may be right up to %.1f %% of the time.",
            100 * twice);
    else if (p->unit == TACIT_UNIT_USER)
        tc_text_add(out, "This counts all replies that the study lets a user give.");
    else
        tc_text_addf(out,
                     "This is about one %s: a person whose data are in several of them is "
                     "protected less, with an epsilon that is so many times as large.",
                     p->unit == TACIT_UNIT_ROW ? "value" : "record");
}

/* Delta as one in so many; it is not above what is said. */
static void add_numbers(tc_text *out, const tacit_plan_summary *p)
{
    char epsilon[32], times[32], delta[32];
    tacit_epsilon_text(epsilon, p->epsilon);
    tacit_epsilon_text(times, exp(p->epsilon));
    tacit_delta_text(delta, p->delta);
    tc_text_addf(out,
                 "The two numbers behind it: epsilon, here %s, says that nothing that can be seen "
                 "is more than %s times (e^epsilon) as likely in one case as in the other; 0 would "
                 "tell nothing, and the larger it is the weaker. ",
                 epsilon, times);
    if (p->delta > 0)
        tc_text_addf(out, "Delta, here 1 in %.0f (%s), is a probability that may be added to that.",
                     floor(1 / p->delta * (1 + 1e-12)), delta);
    else
        tc_text_add(out, "Delta, an exception to that, is 0 here: there is none.");
    tc_text_add(out, " The percentage is (e^epsilon + delta) / (1 + e^epsilon), and counts both.");
}

static void add_guess(tc_text *out, const study *s, const tacit_plan_summary *p)
{
    const double right = right_at_most(p->epsilon, p->delta);
    const char *towards = tc_sheet_kinds[s->kind].towards;
    tc_text_addf(out,
                 "Suppose that it is 50:50 which is true: %s. Somebody who sees all that is "
                 "released, and knows everything else, guesses. Whoever guesses, and however, is "
                 "right at most %.1f %% of the time; without the releases it would be 50 %%. "
                 "That is %s. Most who guess will be right less often, but this is not proved. ",
                 two_cases(s, p->unit), 100 * right, strength_of(right));
    add_narrower(out, s, p);
    if (towards)
        tc_text_addf(out, " %s", towards);
}

static json_t *promise_json(const study *s)
{
    const tacit_plan_summary *p = s->plan ? tacit_plan_summarize(s->plan) : NULL;
    if (!p || *s->not_private || p->releases == 0 || !isfinite(p->epsilon))
        return json_null();
    const double right = right_at_most(p->epsilon, p->delta);
    tc_text guess = {0}, numbers = {0};
    add_guess(&guess, s, p);
    add_numbers(&numbers, p);
    json_t *j = json_pack(
        "{s:s, s:f, s:f, s:s, s:I, s:f, s:s, s:s, s:s, s:s}", "unit", tacit_unit_name(p->unit),
        "epsilon", p->epsilon, "delta", p->delta, "accountant", p->accountant, "releases",
        (json_int_t)p->releases, "right_at_most", right, "strength", strength_of(right), "in_words",
        tc_text_get(&guess), "numbers_in_words", tc_text_get(&numbers), "statement", p->statement);
    tc_text_fini(&guess);
    tc_text_fini(&numbers);
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
            *one->about ? one->about : "the parties' trials", "message_bytes",
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

static json_t *lines_json(const tc_sheet_line *l, const char *of, const char *text)
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

static bool add_text(json_t *list, const char *text)
{
    return json_array_append_new(list, json_string(text)) == 0;
}

/* What the document says openly: everybody who takes part reads it. NULL: no memory. */
static json_t *open_json(const study *s)
{
    const tacit_space *space = tacit_document_space(s->document);
    json_t *parameters = json_array(), *linear = json_array(), *told = json_array();
    bool ok = parameters && linear && told;
    for (size_t i = 0; ok && i < tacit_space_params(space); i++)
        ok = add_text(parameters, tacit_space_param_name(space, i));
    for (size_t i = 0; ok && i < tacit_space_linears(space); i++)
        ok = add_text(linear, tacit_space_linear(space, i));
    for (size_t i = 0; ok && i < tacit_document_outcomes(s->document); i++) {
        tacit_outcome one = TACIT_OUTCOME;
        ok = tacit_document_outcome(s->document, i, &one, NULL) == TACIT_OK &&
             add_text(told, one.name);
    }
    if (ok)
        return json_pack("{s:o, s:o, s:o}", "parameters", parameters, "linear", linear, "outcomes",
                         told);
    json_decref(parameters);
    json_decref(linear);
    json_decref(told);
    return NULL;
}

/* Trustees in numbers: what an ethics board weighs is how many of them have to be bad, or away. */
static void add_trustees(const char *plan, tc_text *out)
{
    int count, degree, colluding, absent;
    json_t *j = json_loads(plan, 0, NULL);
    if (json_unpack(j, "{s:i, s:i, s:i, s:i}", "count", &count, "degree", &degree, "colluding",
                    &colluding, "absent", &absent) == 0) {
        tc_text_addf(out,
                     ". There are %d trustees: any %d of them together could open a single "
                     "party's numbers; the study counts on no more than %d that work%s with the "
                     "coordinator; in a round ",
                     count, degree + 1, colluding, colluding == 1 ? "s" : "");
        if (absent > 0)
            tc_text_addf(out, "%d", absent);
        else
            tc_text_add(out, "none");
        tc_text_add(out, " may be absent");
    } else {
        out->failed = true;
    }
    json_decref(j);
}

static void add_who(const study *s, tc_text *out)
{
    const tc_sheet_kind *k = &tc_sheet_kinds[s->kind];
    if (k->counted)
        tc_text_addf(out, "%" PRIu64 " ", tacit_document_agents(s->document));
    tc_text_add(out, k->who);
    if (s->kind == TC_SHEET_SHARED)
        add_trustees(tacit_plan_summarize(s->plan)->trustees, out);
}

/* NULL: no memory. */
static json_t *sheet_json(const study *s, const sheet_opts *o)
{
    const tc_sheet_kind *k = &tc_sheet_kinds[s->kind];
    tc_text text = {0};
    add_who(s, &text);
    json_t *who = text.failed ? NULL : json_string(tc_text_get(&text));
    tc_text_fini(&text);
    return json_pack(
        "{s:s, s:s, s:s, s:I, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o}",
        "study", tacit_document_name(s->document), "made_by", "tacit " TACIT_VERSION, "algorithm",
        tacit_document_algorithm(s->document), "trials",
        (json_int_t)tacit_document_trials(s->document), "purpose",
        o->purpose ? json_string(o->purpose) : json_null(), "not_private",
        *s->not_private ? json_string(s->not_private) : json_null(), "takes_part", who, "open",
        open_json(s), "data_flow", lines_json(k->flow, "from", "what"), "who_sees_what",
        lines_json(k->sees, "who", "what"), "promise", promise_json(s), "limit", limit_json(o),
        "rounds", rounds_json(s), "kept", lines_json(k->kept, "where", "what"), "not_protected",
        k->unsafe ? json_string(k->unsafe) : json_null(), "assumptions",
        lines_json(k->assumes, "who", "how"), "words", lines_json(k->words, "word", "means"));
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
    printf("\n## %s\n\n| %s | %s |\n|---|---|\n", title, of, text);
    json_array_foreach(rows, i, row) printf("| %s | %s |\n", text_of(row, of), text_of(row, text));
}

static void print_list(const char *before, const json_t *names, const char *between,
                       const char *after)
{
    size_t i;
    const json_t *name;
    if (json_array_size(names) == 0)
        return;
    printf("%s", before);
    json_array_foreach(names, i, name)
        printf("%s%s", i > 0 ? between : "", json_string_value(name));
    printf("%s", after);
}

/* Names of a space and of outcomes have no character that Markdown minds; constraints stand as code. */
static void print_open(const json_t *open)
{
    const json_t *told = json_object_get(open, "outcomes");
    printf("\n## What the document says openly\n\nEverybody who takes part reads the document. ");
    print_list("What is searched for: the best ", json_object_get(open, "parameters"), ", ",
               ", within the ranges that it says. ");
    print_list("Rules on them, which are public, too: `", json_object_get(open, "linear"), "`, `",
               "`. ");
    if (json_array_size(told) > 1)
        print_list("Each trial is told several values, and all of them go where this sheet says "
                   "that a value goes: ",
                   told, ", ", ".\n");
    else
        printf("Each trial is told one value.\n");
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
        printf("%s\n\n%s\n\nThe promise to the letter (words of the trade are explained below):\n\n"
               "> %s\n",
               text_of(p, "in_words"), text_of(p, "numbers_in_words"), text_of(p, "statement"));
    if (json_is_object(limit))
        printf("\nThis party's own limit, over all studies that share its ledger: epsilon %g at "
               "delta %g. A message that would exceed it is withheld.\n",
               json_real_value(json_object_get(limit, "epsilon")),
               json_real_value(json_object_get(limit, "delta")));
}

static void print_number(const json_t *v)
{
    char text[32];
    if (json_is_integer(v))
        printf(" %lld |", (long long)json_integer_value(v));
    else if (json_is_real(v)) {
        tacit_epsilon_text(text, json_real_value(v));
        printf(" %s |", text);
    } else
        printf(" |");
}

static bool is_known(const json_t *rows, const char *key)
{
    size_t i;
    const json_t *row;
    json_array_foreach(rows, i, row) if (json_is_number(json_object_get(row, key))) return true;
    return false;
}

enum { N_COLUMNS = 3 };

/* A column of which nothing is known is left out. */
static void print_rounds(const json_t *rows, const tc_sheet_kind *kind)
{
    static const char *const keys[N_COLUMNS] = {"message_bytes", "epsilon", "epsilon_so_far"};
    static const char *const heads[N_COLUMNS] = {"bytes of a message", "epsilon", "epsilon so far"};
    size_t i;
    const json_t *row;
    if (json_array_size(rows) == 0)
        return;
    printf("\n## %s\n\n| %s | what it is about |", kind->priced, kind->each);
    for (size_t k = 0; k < N_COLUMNS; k++)
        if (is_known(rows, keys[k]))
            printf(" %s |", heads[k]);
    printf("\n|---|---|");
    for (size_t k = 0; k < N_COLUMNS; k++)
        if (is_known(rows, keys[k]))
            printf("---|");
    putchar('\n');
    json_array_foreach(rows, i, row)
    {
        printf("| %lld | %s |", (long long)json_integer_value(json_object_get(row, "round")),
               text_of(row, "about"));
        for (size_t k = 0; k < N_COLUMNS; k++)
            if (is_known(rows, keys[k]))
                print_number(json_object_get(row, keys[k]));
        putchar('\n');
    }
}

static void print_head(const json_t *j)
{
    const char *purpose = text_of(j, "purpose");
    if (*text_of(j, "not_private"))
        printf("**NOT PRIVATE: %s.**\n\n", text_of(j, "not_private"));
    printf("# Privacy sheet of study %s\n\nMade by %s from the study document alone: algorithm %s, "
           "%lld trials planned.\n\n## Purpose\n\n%s\n\n## Who takes part\n\n%s.\n",
           text_of(j, "study"), text_of(j, "made_by"), text_of(j, "algorithm"),
           (long long)json_integer_value(json_object_get(j, "trials")),
           *purpose ? purpose : "(to be filled in by whoever is responsible)",
           text_of(j, "takes_part"));
}

static void print_markdown(const json_t *j, const tc_sheet_kind *kind)
{
    print_head(j);
    print_open(json_object_get(j, "open"));
    print_lines("What leaves, and how", json_object_get(j, "data_flow"), "from", "what");
    print_lines("Who sees what", json_object_get(j, "who_sees_what"), "who", "what");
    print_promise(j);
    print_rounds(json_object_get(j, "rounds"), kind);
    print_lines("What is kept, and what can be erased", json_object_get(j, "kept"), "where",
                "what");
    if (*text_of(j, "not_protected"))
        printf("\n## What is not protected, besides\n\n%s.\n", text_of(j, "not_protected"));
    print_lines("What this relies on", json_object_get(j, "assumptions"), "who", "how");
    print_lines("Words", json_object_get(j, "words"), "word", "means");
}

/* ---- the verb ---- */

/* One line: a heading of its own would not be ours. */
static tacit_status check_purpose(const char *purpose, tacit_error *err)
{
    for (const char *p = purpose; p && *p; p++)
        if ((unsigned char)*p < ' ' || *p == 127)
            return tc_fail(err, TACIT_E_ARG,
                           "--purpose must be one line of text, without control characters");
    return TACIT_OK;
}

/* An agent's limit holds its messages back; where none has a price, or nobody sends one, it holds nothing. */
static tacit_status check_limit(const sheet_opts *o, const study *s, tacit_error *err)
{
    if (o->epsilon == 0)
        return TACIT_OK;
    if (tacit_document_agents(s->document) == 0)
        return tc_fail(err, TACIT_E_ARG,
                       "--epsilon is the limit of an agent, and study %s has no agents",
                       tacit_document_name(s->document));
    return *s->not_private ? tc_fail(err, TACIT_E_ARG,
                                     "--epsilon limits what is counted, and study %s is not "
                                     "private: nothing in it is",
                                     tacit_document_name(s->document))
                           : TACIT_OK;
}

static tacit_status check(const sheet_opts *o, int format, tacit_error *err)
{
    TC_TRY(check_purpose(o->purpose, err));
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
    if (status == TACIT_OK)
        status = check_limit(in->opts, &s, err);
    if (status == TACIT_OK && in->format != TC_FORMAT_TABLE) {
        status = tc_privacy_print_json(sheet_json(&s, in->opts), false, err);
    } else if (status == TACIT_OK) {
        json_t *j = sheet_json(&s, in->opts);
        status = j ? TACIT_OK : tc_fail_memory(err);
        if (j)
            print_markdown(j, &tc_sheet_kinds[s.kind]);
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
        "a study that is not private says so in the first line of its sheet. Nothing is spent or "
        "asked.\n"
        "\n"
        "  tacit privacy sheet ward.json --purpose \"Dosing model of the wards\" > sheet.md",
    .options = options,
    .options_size = sizeof(sheet_opts),
    .min_args = 1,
    .max_args = 1,
    .run = run,
};
