/* simulate_report.c - what the runs of a federation have shown: tables for people, files. */
#include "base/file.h"
#include "base/json.h"
#include "base/memory.h"
#include "privacy/privacy_cli.h"
#include "simulate/simulate.h"
#include "simulate/watch.h"

#include <math.h>
#include <string.h>

/* -- settings ------------------------------------------------------------------------------ */

/* Options that decide what a result means, by the names of docs/math.md. */
typedef struct setting {
    const char *option, *shown;
    bool alone; /* not of own=gp, which does not use it */
} setting;

static const setting settings[] = {{"noise_multiplier", "z", false},
                                   {"vote_multiplier", "z of the vote", false},
                                   {"releases", "releases", false},
                                   {"regions", "P", false},
                                   {"clip", "S", false},
                                   {"own", "own", false},
                                   {"schedule", "schedule", true},
                                   {"p1", "p_1", true}};

enum { N_SETTINGS = sizeof settings / sizeof *settings };

static bool is_setting(const char *option)
{
    bool found = strcmp(option, "initial") == 0 || strcmp(option, "init") == 0 ||
                 strcmp(option, "lengthscale") == 0;
    for (size_t i = 0; i < N_SETTINGS; i++)
        found |= strcmp(settings[i].option, option) == 0;
    return found;
}

/* Do agents vote on their length-scale before they send weights? */
static bool votes(const tc_contender *c)
{
    const char *vote = json_string_value(json_object_get(c->shown, "vote"));
    return vote && strcmp(vote, "yes") == 0;
}

/* The name of a setting, NULL where it means nothing. With a vote, what is said of weights alone says so. */
static const char *shown_name(const tc_contender *c, size_t i)
{
    const char *option = settings[i].option;
    if (!json_object_get(c->shown, option))
        return NULL;
    if (strcmp(option, "vote_multiplier") == 0 && !votes(c))
        return NULL;
    if (votes(c) && strcmp(option, "noise_multiplier") == 0)
        return "z of the weights";
    if (votes(c) && strcmp(option, "releases") == 0)
        return "releases of weights";
    return settings[i].shown;
}

/* A list as it is or, if it is long, its ends: "0,1,...,39". */
static void add_list(tc_text *out, const char *list)
{
    const char *second = strchr(list, ','), *third = second ? strchr(second + 1, ',') : NULL;
    if (third && strlen(list) > 24)
        tc_text_addf(out, "%.*s,...%s", (int)(third - list), list, strrchr(list, ','));
    else
        tc_text_add(out, list);
}

void tc_simulate_add_value(tc_text *out, const json_t *v)
{
    if (json_is_string(v))
        add_list(out, json_string_value(v));
    else if (json_is_boolean(v))
        tc_text_add(out, json_is_true(v) ? "true" : "false");
    else
        tc_text_addf(out, "%.6g", json_number_value(v));
}

void tc_simulate_print_wrapped(const char *text, int indent)
{
    int at = printf("%*s", indent, "");
    while (*text) {
        const char *comma = strstr(text, ", ");
        int n = comma ? (int)(comma - text) + 1 : (int)strlen(text);
        if (at > indent && at + 1 + n > 80)
            at = printf("\n%*s", indent, "") - 1;
        at += printf("%s%.*s", at > indent ? " " : "", n, text);
        text += n + (comma != NULL);
    }
    putchar('\n');
}

static bool has_own_process(const tc_contender *c)
{
    const char *own = json_string_value(json_object_get(c->shown, "own"));
    return own && strcmp(own, "gp") == 0;
}

/* As given; or, where 0 leaves it to a federation, how it is found. */
static void add_lengthscale(tc_text *out, const tc_contender *c)
{
    const json_t *option = json_object_get(c->options, "lengthscale");
    const double said = json_number_value(option),
                 found = json_number_value(json_object_get(c->shown, "lengthscale"));
    if (json_object_get(c->given, "lengthscale") && said > 0)
        tc_text_addf(out, ", lengthscale %.6g", said);
    else if (!option || said > 0 || !tc_algorithm_federated(c->algorithm))
        return;
    else if (found > 0)
        tc_text_addf(out, ", lengthscale usual (%.3g)", found);
    else
        tc_text_add(out, ", lengthscale by vote");
}

/* "N_init 10, z 1, releases all, P 4, ...", then what else was given. */
static void print_settings(const tc_contender *c, int indent)
{
    tc_text text = {0};
    const char *key;
    json_t *v;
    tc_text_addf(&text, "N_init %llu", (unsigned long long)c->result.initial);
    for (size_t i = 0; i < N_SETTINGS; i++) {
        const char *name = shown_name(c, i);
        if (!name || (settings[i].alone && has_own_process(c)))
            continue;
        tc_text_addf(&text, ", %s ", name);
        tc_simulate_add_value(&text, json_object_get(c->shown, settings[i].option));
    }
    add_lengthscale(&text, c);
    json_object_foreach(c->given, key, v)
    {
        if (is_setting(key))
            continue;
        tc_text_addf(&text, ", %s ", key);
        tc_simulate_add_value(&text, v);
    }
    tc_simulate_print_wrapped(tc_text_get(&text), indent);
    tc_text_fini(&text);
    if (*c->theorem)
        printf("%*s%s\n", indent, "", c->theorem);
}

/* "on gp-family in 1 dimension: 200 agents, 5 of them acting, 40 rounds, 5 runs, seed 1" */
static void print_size(const tc_contender *c)
{
    const tc_simulation *f = &c->f;
    printf("on %s", f->objective);
    if (c->dim > 0)
        printf(" in %zu dimension%s", c->dim, c->dim == 1 ? "" : "s");
    printf(": ");
    printf("%llu agent%s, ", (unsigned long long)f->agents, f->agents == 1 ? "" : "s");
    if (f->acting > 0)
        printf("%llu of them acting, ", (unsigned long long)f->acting);
    printf("%llu round%s, %llu run%s, seed %llu", (unsigned long long)f->trials,
           f->trials == 1 ? "" : "s", (unsigned long long)f->runs, f->runs == 1 ? "" : "s",
           (unsigned long long)f->seed);
}

static void moments_cell(tc_table *t, size_t column, double mean, double se)
{
    char cell[64] = "none yet"; /* no initial points: no regret before the first trial */
    if (isfinite(mean))
        tc_watch_moments(cell, sizeof cell, mean, se);
    tc_table_text(t, column, cell);
}

/* -- one algorithm ------------------------------------------------------------------------- */

static void epsilon_cell(tc_table *t, size_t column, const tc_federated_cost *c, uint64_t i)
{
    if (!c->none)
        tc_privacy_cell(t, column, tc_federated_cost_at(c, i), tacit_epsilon_text, true);
}

static tacit_status print_curve(const tc_contender *c, tacit_error *err)
{
    static const char *const names[] = {"iteration", "evaluations", "simple regret",
                                        "cumulative regret", "epsilon"};
    const tc_curves *r = &c->result;
    tc_table *t = tc_table_new(r->n_releases && !c->cost.none ? 5 : 4, names);
    for (uint64_t i = 0; t && i < r->points; i++) {
        if (!tc_simulate_milestone(i, r->points - 1))
            continue;
        tc_table_integer(t, 0, (int64_t)i);
        tc_table_integer(t, 1, (int64_t)(r->initial + i));
        moments_cell(t, 2, r->simple_mean[i], r->simple_se[i]);
        moments_cell(t, 3, r->cumulative_mean[i], r->cumulative_se[i]);
        if (r->n_releases && !c->cost.none)
            epsilon_cell(t, 4, &c->cost, i);
        tc_table_end_row(t);
    }
    return t ? tc_table_print(t, TC_FORMAT_TABLE, stdout, err) : tc_fail_memory(err);
}

static void print_lost(const tc_contender *c, int indent)
{
    const tc_federation_tally *t = &c->result.counts[0].sent;
    const char *whose = c->f.runs > 1 ? " of the first run" : "";
    if (c->f.drop > 0 && t->messages > 0)
        printf("%*s%llu of the %llu messages%s %s lost.\n", indent, "", (unsigned long long)t->lost,
               (unsigned long long)t->messages, whose, t->lost == 1 ? "was" : "were");
    if (t->rejected > 0)
        printf("%*s%llu of the %llu messages%s %s refused%s%s\n", indent, "",
               (unsigned long long)t->rejected, (unsigned long long)t->messages, whose,
               t->rejected == 1 ? "was" : "were", c->result.rejection ? "; the first: " : ".",
               c->result.rejection ? c->result.rejection : "");
}

/* The vote is shorter than a broadcast of weights; it is the first release. */
static void print_broadcasts(const tc_contender *c)
{
    const tc_federation_tally *t = &c->result.counts[0].sent;
    const bool vote = votes(c) && t->releases > 0;
    const uint64_t n = t->releases - vote;
    printf(", and got ");
    if (vote)
        printf("the vote on the length-scale%s", n > 0 ? " and " : "");
    if (!vote || n > 0)
        printf("%llu broadcast%s%s of %llu bytes", (unsigned long long)n, n == 1 ? "" : "s",
               vote ? " of weights" : "", (unsigned long long)t->broadcast_bytes);
}

static void print_messages(const tc_contender *c)
{
    const tc_federation_tally *t = &c->result.counts[0].sent;
    double n = (double)c->f.agents, readers = (double)c->result.agents;
    if (t->messages == 0) {
        printf("\nNo round releases: every agent searched alone.\n");
        return;
    }
    printf("\nEach agent sent %.4g message%s, %.6g bytes in all", (double)t->messages / n,
           t->messages == c->f.agents ? "" : "s", (double)t->bytes / n);
    if (c->result.relayed)
        printf(", and read %.4g, %.6g bytes%s", (double)t->fetches / readers,
               (double)t->fetched_bytes / readers, c->f.runs > 1 ? ", in the first run" : "");
    else
        print_broadcasts(c);
    printf(".\n");
    print_lost(c, 0);
    if (t->refusals)
        printf("The budget refused %llu round%s; agents went on alone.\n",
               (unsigned long long)t->refusals, t->refusals == 1 ? "" : "s");
}

static tacit_status print_statement(const tc_contender *c, tacit_error *err)
{
    tc_text text = {0};
    tc_federated_cost_statement(&c->cost, &text);
    if (votes(c) && c->cost.releases > 0)
        tc_text_add(&text, " " TC_PRIVACY_VOTE);
    putchar('\n');
    tc_privacy_paragraph(tc_text_get(&text));
    bool ok = !text.failed;
    tc_text_fini(&text);
    return ok ? TACIT_OK : tc_fail_memory(err);
}

/* What such a study may gain at best, whatever these runs have shown of one objective. `name` begins the
 * paragraph. */
static tacit_status print_expectation(const tc_contender *c, const char *name, tacit_error *err)
{
    tc_text text = {0};
    tc_text_addf(&text, "%s%s", name, json_string_value(json_object_get(c->expect, "sentence")));
    putchar('\n');
    tc_privacy_paragraph(tc_text_get(&text));
    bool ok = !text.failed;
    tc_text_fini(&text);
    return ok ? TACIT_OK : tc_fail_memory(err);
}

static tacit_status print_one(const tc_contender *c, tacit_error *err)
{
    printf("%s ", c->algorithm->name);
    print_size(c);
    printf(", %.2f s; mean ± standard error\n", c->result.seconds);
    print_settings(c, 0);
    putchar('\n');
    TC_TRY(print_curve(c, err));
    if (!tc_algorithm_federated(c->algorithm)) {
        if (c->f.agents > 1)
            printf("\nEvery agent searched alone: nothing left it.\n");
        return TACIT_OK;
    }
    print_messages(c);
    TC_TRY(print_statement(c, err));
    return c->expect ? print_expectation(c, "", err) : TACIT_OK;
}

/* -- several ------------------------------------------------------------------------------- */

/* The letter that stands for a contender in tables. */
static void letter(char out[2], size_t i)
{
    out[0] = (char)('A' + i);
    out[1] = '\0';
}

static void print_contender(const tc_contender *c, size_t i)
{
    char epsilon[32], delta[32];
    printf("%c  %s\n", (char)('A' + i), c->label);
    print_settings(c, 3);
    if (!tc_algorithm_federated(c->algorithm))
        return;
    print_lost(c, 3);
    tacit_epsilon_text(epsilon, c->cost.bound.epsilon);
    tacit_delta_text(delta, c->cost.bound.delta);
    if (c->cost.releases == 0 && !c->cost.none)
        printf("   nothing is released\n");
    else if (c->cost.none)
        printf("   no guarantee: %s\n", c->cost.none);
    else
        printf("   if deployed: %sepsilon %s, delta %s (%s) over %llu release%s%s\n",
               c->cost.unit == TACIT_UNIT_ROW ? "every row: " : "", epsilon, delta,
               c->cost.bound.accountant, (unsigned long long)c->cost.releases,
               c->cost.releases == 1 ? "" : "s",
               votes(c) ? ", the first of them the vote on the length-scale" : "");
}

/* Do all begin with as many points? Else iterations are after different numbers of evaluations. */
static bool begin_alike(const tc_contender *c, size_t n)
{
    for (size_t k = 1; k < n; k++)
        if (c[k].result.initial != c[0].result.initial)
            return false;
    return true;
}

static tacit_status print_curves(const tc_contender *c, size_t n, tacit_error *err)
{
    char letters[32][2];
    const char *names[32] = {"iteration", "evaluations"};
    size_t first = begin_alike(c, n) ? 2 : 1; /* column of A */
    for (size_t k = 0; k < n; k++) {
        letter(letters[k], k);
        names[first + k] = letters[k];
    }
    tc_table *t = tc_table_new(first + n, names);
    uint64_t last = c[0].result.points - 1;
    for (uint64_t i = 0; t && i <= last; i++) {
        if (!tc_simulate_milestone(i, last))
            continue;
        tc_table_integer(t, 0, (int64_t)i);
        if (first == 2)
            tc_table_integer(t, 1, (int64_t)(c->result.initial + i));
        for (size_t k = 0; k < n; k++)
            moments_cell(t, first + k, c[k].result.simple_mean[i], c[k].result.simple_se[i]);
        tc_table_end_row(t);
    }
    return t ? tc_table_print(t, TC_FORMAT_TABLE, stdout, err) : tc_fail_memory(err);
}

void tc_simulate_ratio_row(tc_table *t, size_t of, uint64_t at, const tc_ratio *ratio)
{
    char cell[64], text[2];
    letter(text, of);
    snprintf(cell, sizeof cell, "%s / A", text);
    tc_table_text(t, 0, cell);
    tc_table_integer(t, 1, (int64_t)at);
    snprintf(cell, sizeof cell, "%.3g", ratio->ratio);
    tc_table_text(t, 2, cell);
    snprintf(cell, sizeof cell, "%.3g to %.3g", ratio->low, ratio->high);
    tc_table_text(t, 3, isnan(ratio->low) ? "–" : cell);
    snprintf(cell, sizeof cell, "%.2g", ratio->p);
    tc_table_text(t, 4, cell);
    tc_table_end_row(t);
}

void tc_simulate_ratio_note(uint64_t runs)
{
    if (runs < TC_INTERVAL_RUNS)
        printf("–: an interval takes %d runs, and there are %llu.\n", (int)TC_INTERVAL_RUNS,
               (unsigned long long)runs);
    else
        printf("–: too few runs, too much alike, or too few with any regret: no interval.\n");
}

static tacit_status print_contrasts(const tc_curve_part *parts, size_t n, tacit_error *err)
{
    static const char *const names[] = {"ratio of", "iteration", "ratio", "95 % interval", "p"};
    tc_contrast *k;
    size_t n_k;
    TC_TRY(tc_curve_contrasts(parts, n, &k, &n_k, err));
    if (n_k == 0) {
        tc_free(k);
        return TACIT_OK;
    }
    bool bare = false;
    tc_table *t = tc_table_new(5, names);
    for (size_t i = 0; t && i < n_k; i++) {
        tc_simulate_ratio_row(t, k[i].of, (uint64_t)parts[0].curves->at[k[i].point], &k[i].ratio);
        bare = bare || isnan(k[i].ratio.low);
    }
    tc_free(k);
    if (!t)
        return tc_fail_memory(err);
    printf("\nRatios of mean simple regrets, runs paired:\n\n");
    TC_TRY(tc_table_print(t, TC_FORMAT_TABLE, stdout, err));
    if (bare)
        tc_simulate_ratio_note(parts[0].curves->runs);
    return TACIT_OK;
}

/* Each guarantee stands with its algorithm; what they all mean is said once. */
static tacit_status print_scope(bool agents, bool records, tacit_error *err)
{
    tc_text text = {0};
    tc_text_add(&text, "NOT PRIVATE: seeded.");
    if (agents) {
        tc_text_add(&text, " Guarantees are those of a deployment, for every agent. ");
        tc_statement_add_round_scope(&text, TACIT_UNIT_AGENT, TACIT_DP_ALL);
    }
    if (records) {
        tc_text_add(&text, agents ? " Where it says every row: "
                                  : " Guarantees are those of a deployment, for every row. ");
        tc_statement_add_round_scope(&text, TACIT_UNIT_ROW, TACIT_DP_ALL);
    }
    putchar('\n');
    tc_privacy_paragraph(tc_text_get(&text));
    bool ok = !text.failed;
    tc_text_fini(&text);
    return ok ? TACIT_OK : tc_fail_memory(err);
}

/* Among several those alone of whom something is known: ablations are many. */
static tacit_status print_expectations(const tc_contender *c, size_t n, tacit_error *err)
{
    for (size_t i = 0; i < n; i++) {
        char name[] = {(char)('A' + i), ':', ' ', '\0'};
        if (c[i].expect && json_is_null(json_object_get(c[i].expect, "reason")))
            TC_TRY(print_expectation(&c[i], name, err));
    }
    return TACIT_OK;
}

static tacit_status print_several(const tc_contender *c, const tc_curve_part *parts, size_t n,
                                  tacit_error *err)
{
    bool federated = false, guaranteed[2] = {false, false}; /* of agents, of records */
    printf("%zu algorithms ", n);
    print_size(c);
    printf("\n\n");
    for (size_t i = 0; i < n; i++) {
        print_contender(&c[i], i);
        federated |= tc_algorithm_federated(c[i].algorithm);
        guaranteed[c[i].cost.unit == TACIT_UNIT_ROW] |=
            tc_algorithm_federated(c[i].algorithm) && !c[i].cost.none;
    }
    printf("\nSimple regret, mean ± standard error:\n\n");
    TC_TRY(print_curves(c, n, err));
    TC_TRY(print_contrasts(parts, n, err));
    if (federated)
        TC_TRY(print_scope(guaranteed[0], guaranteed[1], err));
    return print_expectations(c, n, err);
}

/* -- files --------------------------------------------------------------------------------- */

static tacit_status as_text(const tc_curve_part *parts, size_t n, bool json, tc_text *out,
                            tacit_error *err)
{
    json_t *j = NULL;
    if (!json)
        return tc_curves_csv(parts, n, out, err);
    TC_TRY(tc_curves_json(parts, n, &j, err));
    char *text = tc_json_text(j);
    json_decref(j);
    if (text)
        tc_text_addf(out, "%s\n", text);
    bool ok = text && !out->failed;
    tc_free(text);
    return ok ? TACIT_OK : tc_fail_memory(err);
}

static tacit_status write_result(const tc_curve_part *parts, size_t n, const char *file,
                                 tacit_error *err)
{
    tc_text text = {0};
    tacit_status status = as_text(parts, n, tc_simulate_is_json(file), &text, err);
    if (status == TACIT_OK)
        status = tc_file_write(file, tc_text_get(&text), text.len, err);
    tc_text_fini(&text);
    return status;
}

static tacit_status write_agents(const tc_curve_part *parts, size_t n, const char *file,
                                 tacit_error *err)
{
    tc_text text = {0};
    tc_curves_agents_csv(parts, n, &text);
    tacit_status status =
        text.failed ? tc_fail_memory(err) : tc_file_write(file, tc_text_get(&text), text.len, err);
    tc_text_fini(&text);
    return status;
}

/* -- all of it ----------------------------------------------------------------------------- */

static tacit_status print_text(const tc_curve_part *parts, size_t n, bool json, tacit_error *err)
{
    tc_text text = {0};
    tacit_status status = as_text(parts, n, json, &text, err);
    if (status == TACIT_OK)
        fwrite(tc_text_get(&text), 1, text.len, stdout);
    tc_text_fini(&text);
    return status;
}

static tacit_status print_all(const tc_contender *c, const tc_curve_part *parts, size_t n,
                              int format, tacit_error *err)
{
    if (format != TC_FORMAT_TABLE)
        return print_text(parts, n, format != TC_FORMAT_CSV, err);
    return n > 1 ? print_several(c, parts, n, err) : print_one(c, err);
}

/* A file that cannot be written takes nothing else with it. Files come first: who reads the table
 * may go away, and that ends the program. */
static tacit_status deliver(const tc_contender *c, const tc_curve_part *parts, size_t n,
                            const tc_simulate_plan *p, tacit_error *err)
{
    const tc_simulate_opts *o = p->o;
    tacit_status first = TACIT_OK, status = TACIT_OK;
    if (o->out)
        first = write_result(parts, n, o->out, err);
    if (o->by_agent)
        status = write_agents(parts, n, o->by_agent, first == TACIT_OK ? err : NULL);
    first = first == TACIT_OK ? status : first;
    status = print_all(c, parts, n, p->in->format, first == TACIT_OK ? err : NULL);
    return first == TACIT_OK ? status : first;
}

tacit_status tc_simulate_report(const tc_contender *c, size_t n, const tc_simulate_plan *p,
                                tacit_error *err)
{
    tc_curve_part *parts = tc_alloc(n, sizeof *parts);
    if (!parts)
        return tc_fail_memory(err);
    for (size_t i = 0; i < n; i++)
        parts[i] = (tc_curve_part){.label = c[i].label,
                                   .sim = &c[i].f,
                                   .curves = &c[i].result,
                                   .cost = &c[i].cost,
                                   .options = c[i].shown,
                                   .objective_options = c[i].objective_options,
                                   .expect = c[i].expect};
    tacit_status status = deliver(c, parts, n, p, err);
    tc_free(parts);
    return status;
}
