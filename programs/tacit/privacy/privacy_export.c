/* privacy_export.c - `tacit privacy export`: a ledger for others, with what it claims.
 *
 * json      all entries, what every unit's compose to, and the claims: whoever has dp_accounting can
 *           compute them again (examples/python/check_ledger.py).
 * registry  a draft for the registry of deployments of differential privacy (OpenDP), by its schema, in JSON, which
 *           is YAML. What a ledger cannot know is given by options.
 *
 * Neither has an epsilon that is not proved: what is stamped NOT PRIVATE has none. */
#include "privacy/privacy_ledger.h"
#include "study/storage.h"

#include "base/memory.h"

#include <tacit/tacit.h>

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define PRODUCTS                                                                                   \
    "summary-statistics|machine-learning-model|dataset|synthetic-data|interactive-api|sql-queries"
#define SECTORS "none|technology|healthcare|education|government|energy|finance"
#define MODELS  "unit|central|local|federated"
#define UNITS   "only|" TC_PRIVACY_UNITS
enum { JSON, REGISTRY };

typedef struct export_opts {
    char *storage, *name, *slug, *curator, *description, *use, *region, *published, *author,
        *source;
    double delta;
    int64_t agents;
    int format, accountant, unit, product, sector, model;
} export_opts;

#define TEXT(option, member, example, words)                                                       \
    {                                                                                              \
        option, TC_OPTION_STRING, offsetof(export_opts, member), .value = example, .help = words   \
    }

static const tc_option options[] = {
    TC_STORAGE_OPTION(export_opts),
    {"format", TC_OPTION_CHOICE, offsetof(export_opts, format), "json", .choices = "json|registry",
     .help = "json: entries and claims; registry: a draft for the registry of deployments"},
    TC_DELTA_OPTION(export_opts),
    TC_AGENTS_OPTION(export_opts),
    {"accountant", TC_OPTION_CHOICE, offsetof(export_opts, accountant), "auto",
     .choices = TC_LEDGER_ACCOUNTANTS,
     .help = "by which bound; auto: pld for one study, a filter for several"},
    {"unit", TC_OPTION_CHOICE, offsetof(export_opts, unit), "only", .choices = UNITS,
     .help = "registry: whose promise; only: the ledger has one kind"},
    TEXT("name", name, "TEXT", "registry: what the data product is called; else the ledger's name"),
    TEXT("slug", slug, "WORD", "registry: end of the entry's address; else made from the name"),
    TEXT("curator", curator, "TEXT", "registry: who publishes it; several with ; between them"),
    TEXT("description", description, "TEXT", "registry: what the data product is"),
    TEXT("use", use, "TEXT", "registry: what it is meant for"),
    TEXT("region", region, "TEXT", "registry: what region the data are about, or whose laws apply"),
    TEXT("published", published, "DATE", "registry: when it was published first, YYYY-MM-DD"),
    TEXT("author", author, "TEXT", "registry: who fills in this entry; several with ;"),
    TEXT("source", source, "TEXT", "registry: links to papers, code or the product itself"),
    {"product", TC_OPTION_CHOICE, offsetof(export_opts, product), "summary-statistics",
     .choices = PRODUCTS, .help = "registry: the type of the data product"},
    {"sector", TC_OPTION_CHOICE, offsetof(export_opts, sector), "none", .choices = SECTORS,
     .help = "registry: the industry that the data are about"},
    {"model", TC_OPTION_CHOICE, offsetof(export_opts, model), "unit", .choices = MODELS,
     .help = "registry: who is trusted; unit: local for users' replies, else federated"},
    {.name = NULL}};

/* ---- claims */

/* An epsilon that stands, or null. */
static json_t *proved(const tacit_spent *c)
{
    return c->is_private ? tc_privacy_number(c->epsilon) : json_null();
}

static json_t *text_or_null(const char *s)
{
    return s && *s ? json_string(s) : json_null();
}

static json_t *claim_json(const tc_privacy_claims *s, size_t i)
{
    const tacit_spent *c = &s->spent[i];
    return json_pack("{s:s, s:o, s:o, s:o, s:f, s:s, s:s, s:I, s:b, s:o, s:s}", "unit",
                     tacit_unit_name(s->units[i]), "subject", text_or_null(c->subject), "relation",
                     text_or_null(c->relation), "epsilon", proved(c), "delta", c->delta,
                     "accountant", s->accountant, "bound", c->accountant, "releases",
                     (json_int_t)c->releases, "private", (int)c->is_private, "not_private",
                     text_or_null(c->not_private), "statement", s->statements[i]);
}

static json_t *claims_json(const tc_privacy_claims *s)
{
    json_t *list = json_array();
    for (size_t i = 0; i < s->n && list; i++)
        if (json_array_append_new(list, claim_json(s, i)) != 0) {
            json_decref(list);
            return NULL;
        }
    return list;
}

static tacit_status print_json(const tc_privacy_claims *s, tacit_ledger *l, tacit_error *err)
{
    char *text;
    json_t *j = NULL;
    TC_TRY(tacit_ledger_export(l, &text, err));
    tacit_status status = tc_json_parse(text, strlen(text), "the export", &j, err);
    tacit_text_free(text);
    TC_TRY(status);
    if (json_object_set_new(j, "claims", claims_json(s)) != 0) {
        json_decref(j);
        j = NULL;
    }
    return tc_privacy_print_json(j, false, err);
}

/* ---- the registry */

/* What the draft is made of. */
typedef struct draft {
    const export_opts *o;
    const tc_privacy_claims *claims;
    size_t at; /* which of them */
    tacit_ledger *ledger;
} draft;

/* The name of choice `i`, as the schema writes it: "Machine learning model". */
static json_t *choice_json(const char *choices, int i, const char *as_is)
{
    char word[64] = "";
    for (; i > 0; i--)
        choices = strchr(choices, '|') + 1;
    snprintf(word, sizeof word, "%.*s", (int)strcspn(choices, "|"), choices);
    if (as_is)
        return json_string(as_is);
    for (char *c = word; *c; c++)
        *c = *c == '-' ? ' ' : *c;
    if (*word >= 'a' && *word <= 'z')
        *word = (char)(*word - 'a' + 'A');
    return json_string(word);
}

static json_t *list_json(const char *words)
{
    json_t *list = json_array();
    while (list && *words) {
        size_t n = strcspn(words, ";"), from = strspn(words, " ");
        size_t end = n;
        while (end > from && words[end - 1] == ' ')
            end--;
        if (end > from)
            json_array_append_new(list, json_stringn(words + from, end - from));
        words += n + (words[n] == ';');
    }
    return list;
}

static json_t *slug_json(const char *name)
{
    tc_text t = {0};
    for (; *name; name++) {
        bool letter = (*name >= 'a' && *name <= 'z') || (*name >= '0' && *name <= '9');
        bool capital = *name >= 'A' && *name <= 'Z';
        if (letter || capital)
            tc_text_addf(&t, "%c", capital ? *name - 'A' + 'a' : *name);
        else if (t.len > 0 && tc_text_get(&t)[t.len - 1] != '-')
            tc_text_add(&t, "-");
    }
    json_t *j = json_string(t.len > 0 ? tc_text_get(&t) : "ledger");
    tc_text_fini(&t);
    return j;
}

static json_t *basic_json(const draft *d)
{
    static const char *const exact[] = {NULL, NULL, NULL, NULL, "Interactive API", "SQL queries"};
    const export_opts *o = d->o;
    json_t *j = json_pack(
        "{s:s, s:o, s:s, s:s, s:o, s:s, s:s}", "name", o->name ? o->name : d->claims->ledger,
        "data_curators", list_json(o->curator), "description", o->description, "intended_use",
        o->use, "data_product_type", choice_json(PRODUCTS, o->product, exact[o->product]),
        "data_product_region", o->region, "publication_date", o->published);
    if (j && o->sector > 0)
        json_object_set_new(j, "data_product_sector", choice_json(SECTORS, o->sector, NULL));
    return j;
}

/* The statement; of what is not private, why, and no number. */
static json_t *said_json(const draft *d)
{
    const tacit_spent *c = &d->claims->spent[d->at];
    if (c->is_private)
        return json_string(d->claims->statements[d->at]);
    return json_sprintf("NOT PRIVATE: %s. No epsilon is claimed.", c->not_private);
}

/* What the statement says from `word` on, up to `end`. */
static json_t *part_json(const draft *d, const char *before, const char *word, const char *end)
{
    const char *from = strstr(d->claims->statements[d->at], word);
    const char *to = from && *end ? strstr(from, end) : NULL;
    size_t n = to ? (size_t)(to - from) : from ? strlen(from) : 0;
    return json_sprintf("%s%.*s", before, (int)n, from ? from : "");
}

/* The schema wants a number: the text for people, which is rounded up. */
static json_t *upward(double v, void (*text)(char out[32], double v))
{
    char digits[32];
    text(digits, v);
    return json_real(strtod(digits, NULL));
}

static json_t *loss_json(const draft *d)
{
    const tacit_spent *c = &d->claims->spent[d->at];
    tacit_unit unit = d->claims->units[d->at];
    char relation[64];
    snprintf(relation, sizeof relation, "Relation: %s. ", c->relation ? c->relation : "none");
    json_t *j = json_pack("{s:s, s:o, s:o}", "privacy_unit",
                          unit == TACIT_UNIT_RECORD ? "validation record" : tacit_unit_name(unit),
                          "privacy_unit_details",
                          part_json(d, relation, "Neighbours: ", " Not protected: "),
                          "privacy_parameters_details", said_json(d));
    if (j && c->is_private && isfinite(c->epsilon))
        json_object_set_new(j, "privacy_parameters",
                            json_pack("{s:o, s:o}", "epsilon",
                                      upward(c->epsilon, tacit_epsilon_text), "delta",
                                      upward(c->delta, tacit_delta_text)));
    return j;
}

static json_t *variant_json(const draft *d)
{
    const tacit_spent *c = &d->claims->spent[d->at];
    json_t *j =
        json_pack("{s:o}", "unprotected_quantities", part_json(d, "", "Not protected: ", ""));
    if (j && c->is_private && isfinite(c->epsilon))
        json_object_set_new(j, "variant_name",
                            json_string(c->delta > 0 ? "Approximate DP" : "Pure DP"));
    return j;
}

static json_t *model_json(const draft *d)
{
    bool local = d->claims->units[d->at] == TACIT_UNIT_USER;
    const char *usual = local ? "Local" : "Federated";
    json_t *name = d->o->model == 0 ? json_string(usual) : choice_json(MODELS, d->o->model, NULL);
    bool many = d->claims->spent[d->at].releases > 1;
    return json_pack(
        "{s:o, s:s, s:s, s:s}", "model_name", name, "release_type",
        many ? "Many releases" : "One release", "release_type_details",
        "One ledger charges every release before it leaves; its budget does not reset.",
        "access_type", "Non-interactive");
}

static json_t *composition_json(const draft *d)
{
    const tacit_spent *c = &d->claims->spent[d->at];
    char head[65];
    tacit_hash_text(&d->claims->head.hash, head);
    return json_sprintf("Sequential composition. Releases: %" PRIu64
                        "; relation: %s; accountant: %s; delta: %g; ledger: \"%s\" of %" PRIu64
                        " entries, head %s.",
                        c->releases, c->relation ? c->relation : "none", c->accountant, c->delta,
                        d->claims->ledger, d->claims->head.seq, head);
}

/* "gaussian-sum, laplace-rows": each mechanism of the ledger once, in the order of entries. */
static tacit_status add_mechanisms(const draft *d, tc_text *out, tacit_error *err)
{
    for (uint64_t seq = 1; seq <= d->claims->head.seq; seq++) {
        tacit_ledger_entry e = TACIT_LEDGER_ENTRY;
        TC_TRY(tacit_ledger_get(d->ledger, seq, &e, err));
        bool counts = e.event.count > 0 && e.unit == d->claims->units[d->at];
        if (counts && (out->len == 0 || !strstr(tc_text_get(out), e.mechanism)))
            tc_text_addf(out, "%s%s", out->len > 0 ? ", " : "", e.mechanism);
    }
    return out->failed ? tc_fail_memory(err) : TACIT_OK;
}

static json_t *mechanisms_json(const char *names)
{
    return json_sprintf(
        "%s. What tacit %s releases itself has exact discrete noise on integers, from "
        "the operating system's entropy.",
        names, tacit_version());
}

static json_t *administrative_json(const draft *d)
{
    json_t *j = json_pack("{s:o}", "registry_authors", list_json(d->o->author));
    if (j && d->o->source)
        json_object_set_new(j, "sources", json_string(d->o->source));
    return j;
}

static tacit_status make_draft(const draft *d, json_t **out, tacit_error *err)
{
    const char *name = d->o->name ? d->o->name : d->claims->ledger;
    tc_text mechanisms = {0};
    tacit_status status = add_mechanisms(d, &mechanisms, err);
    if (status == TACIT_OK)
        *out = json_pack(
            "{s:o, s:s, s:i, s:{s:o, s:o, s:o, s:o, s:{s:o}, s:{s:o}, s:o}}", "url_slug",
            d->o->slug ? json_string(d->o->slug) : slug_json(name), "status", "Draft", "tier", 2,
            "deployment", "basic", basic_json(d), "dp_variant", variant_json(d), "privacy_loss",
            loss_json(d), "deployment_model", model_json(d), "accounting", "composition",
            composition_json(d), "implementation", "mechanisms",
            mechanisms_json(tc_text_get(&mechanisms)), "administrative", administrative_json(d));
    tc_text_fini(&mechanisms);
    TC_TRY(status);
    return *out ? TACIT_OK : tc_fail_memory(err);
}

typedef struct needed {
    const char *option, *value, *why;
} needed;

static bool is_date(const char *s)
{
    static const char form[] = "dddd-dd-dd";
    size_t i = 0;
    while (s[i] && form[i] && (form[i] == 'd' ? s[i] >= '0' && s[i] <= '9' : s[i] == form[i]))
        i++;
    return !s[i] && !form[i];
}

static tacit_status check_registry(const export_opts *o, tacit_error *err)
{
    const needed all[] = {{"curator", o->curator, "who publishes the data product"},
                          {"description", o->description, "what the data product is"},
                          {"use", o->use, "what it is meant for"},
                          {"region", o->region, "what region the data are about"},
                          {"published", o->published, "when it was published first"},
                          {"author", o->author, "who fills in this entry"}};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (!all[i].value || !*all[i].value)
            return tc_fail(err, TACIT_E_ARG, "--%s is needed for --format registry: %s",
                           all[i].option, all[i].why);
    if (!is_date(o->published))
        return tc_fail(err, TACIT_E_ARG, "--published must be a date YYYY-MM-DD, got \"%s\"",
                       o->published);
    return TACIT_OK;
}

static tacit_status choose_unit(const tc_privacy_claims *s, int option, size_t *at,
                                tacit_error *err)
{
    if (s->n == 0)
        return tc_fail(err, TACIT_E_STATE, "nothing was released yet by the ledger \"%s\"",
                       s->ledger);
    if (option == 0 && s->n > 1)
        return tc_fail(
            err, TACIT_E_ARG,
            "the ledger has releases about several kinds of units, %s and %s among them; "
            "--unit says which one the entry is about",
            tacit_unit_name(s->units[0]), tacit_unit_name(s->units[1]));
    for (*at = 0; *at < s->n; ++*at)
        if (option == 0 || s->units[*at] == (tacit_unit)(option - 1))
            return TACIT_OK;
    return tc_fail(err, TACIT_E_NOT_FOUND, "the ledger has no release about a single %s",
                   tacit_unit_name((tacit_unit)(option - 1)));
}

static tacit_status print_registry(const draft *given, tacit_error *err)
{
    draft d = *given;
    json_t *j = NULL;
    TC_TRY(choose_unit(d.claims, d.o->unit, &d.at, err));
    TC_TRY(make_draft(&d, &j, err));
    char *text = json_dumps(j, JSON_INDENT(2) | JSON_REAL_PRECISION(10));
    json_decref(j);
    if (!text)
        return tc_fail_memory(err);
    puts(text);
    tc_free(text);
    return TACIT_OK;
}

/* ---- the verb */

static tacit_status print(const export_opts *o, tacit_ledger *l, double delta, tacit_error *err)
{
    tc_privacy_claims s = {0};
    draft d = {.o = o, .claims = &s, .ledger = l};
    tacit_status status = tc_privacy_ask_all(&s, l, o->accountant, delta, err);
    if (status == TACIT_OK)
        status = o->format == JSON ? print_json(&s, l, err) : print_registry(&d, err);
    tc_privacy_claims_fini(&s);
    return status;
}

static tacit_status run(const tc_invocation *in, tacit_error *err)
{
    const export_opts *o = in->opts;
    double delta = 0;
    tacit_ledger *l = NULL;
    tc_json_start();
    TC_TRY(tc_privacy_check_name(in->args[0], err));
    if (o->format == REGISTRY)
        TC_TRY(check_registry(o, err));
    TC_TRY(tc_privacy_delta(o->delta, o->agents, in->quiet, &delta, err));
    tacit_status status = tc_privacy_ledger(&l, in->args[0], o->storage, err);
    if (status == TACIT_OK)
        status = print(o, l, delta, err);
    tacit_ledger_close(l);
    return status;
}

const tc_verb tc_verb_privacy_export = {
    .name = "privacy export",
    .usage = "LEDGER [options]",
    .summary = "a ledger for others to check, or as a draft for a public registry",
    .details =
        "LEDGER is the name of a ledger in the storage, or an exported file. --format json prints\n"
        "all entries with their hashes, what the entries of every unit compose to, and what the\n"
        "ledger claims at this delta: the relation between neighbours, the accountant, epsilon\n"
        "and the statement. The file holds public values only. tacit privacy status reads it, and\n"
        "examples/python/check_ledger.py computes its epsilons again with dp_accounting alone.\n"
        "\n"
        "--format registry prints a draft for the registry of deployments of differential privacy\n"
        "(OpenDP and others), by its schema, in JSON, which is YAML. What a ledger cannot know\n"
        "(who publishes, what for) is given by options; read the draft before you send it.\n"
        "\n"
        "An epsilon stands there only if it is proved: what is NOT PRIVATE says so and has none.\n"
        "\n"
        "  tacit privacy export landmine --delta 1e-5 > ledger.json\n"
        "  tacit privacy export landmine --agents 29 --format registry \\\n"
        "      --curator \"Hospital A; Hospital B\" --description \"Tuned hyper-parameters\" \\\n"
        "      --use \"Training of a shared model\" --region Norway --published 2026-11-18 \\\n"
        "      --author \"A. Name\" > landmine.yaml",
    .options = options,
    .options_size = sizeof(export_opts),
    .min_args = 1,
    .max_args = 1,
    .run = run,
};
