/* report_federation.c - what the runs of a federation have shown, for people. */
#include "base/memory.h"
#include "privacy/privacy_cli.h"
#include "simulate/simulate.h"

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
static bool votes(const tc_shown *c)
{
    const char *vote = json_string_value(json_object_get(c->shown, "vote"));
    return vote && strcmp(vote, "yes") == 0;
}

/* The name of a setting, NULL where it means nothing. With a vote, what is said of weights alone says so. */
static const char *shown_name(const tc_shown *c, size_t i)
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

static bool has_own_process(const tc_shown *c)
{
    const char *own = json_string_value(json_object_get(c->shown, "own"));
    return own && strcmp(own, "gp") == 0;
}

/* As given; or, where 0 leaves it to a federation, how it is found. */
static void add_lengthscale(tc_text *out, const tc_shown *c)
{
    const json_t *option = json_object_get(c->options, "lengthscale");
    const double said = json_number_value(option),
                 found = json_number_value(json_object_get(c->shown, "lengthscale"));
    if (json_object_get(c->given, "lengthscale") && said > 0)
        tc_text_addf(out, ", lengthscale %.6g", said);
    else if (!option || said > 0 || !c->s->sends)
        return;
    else if (found > 0)
        tc_text_addf(out, ", lengthscale usual (%.3g)", found);
    else
        tc_text_add(out, ", lengthscale by vote");
}

/* "N_init 10, z 1, releases all, P 4, ...", then what else was given. */
static void print_settings(const tc_shown *c, int indent)
{
    tc_text text = {0};
    const char *key;
    json_t *v;
    tc_text_addf(&text, "N_init %llu", (unsigned long long)c->s->curves->initial);
    for (size_t i = 0; i < N_SETTINGS; i++) {
        const char *name = shown_name(c, i);
        if (!name || (settings[i].alone && has_own_process(c)))
            continue;
        tc_text_addf(&text, ", %s ", name);
        tc_report_add_value(&text, json_object_get(c->shown, settings[i].option));
    }
    add_lengthscale(&text, c);
    json_object_foreach(c->given, key, v)
    {
        if (is_setting(key))
            continue;
        tc_text_addf(&text, ", %s ", key);
        tc_report_add_value(&text, v);
    }
    tc_report_wrapped(tc_text_get(&text), indent);
    tc_text_fini(&text);
    if (*c->s->theorem)
        printf("%*s%s\n", indent, "", c->s->theorem);
}

/* "on gp-family in 1 dimension: 200 agents, 5 of them acting, 40 rounds, 5 runs, seed 1" */
static void print_size(const tc_shown *c)
{
    const tacit_simulated *f = c->s;
    printf("on %s", f->curves->objective);
    if (c->s->dim > 0)
        printf(" in %zu dimension%s", c->s->dim, c->s->dim == 1 ? "" : "s");
    printf(": ");
    printf("%llu agent%s, ", (unsigned long long)f->agents, f->agents == 1 ? "" : "s");
    if (f->acting > 0)
        printf("%llu of them acting, ", (unsigned long long)f->acting);
    printf("%llu round%s, %llu run%s, seed %llu", (unsigned long long)f->trials,
           f->trials == 1 ? "" : "s", (unsigned long long)f->curves->runs,
           f->curves->runs == 1 ? "" : "s", (unsigned long long)f->curves->seed);
}

/* -- one algorithm ------------------------------------------------------------------------- */

static tacit_status print_curve(const tc_shown *c, tacit_error *err)
{
    static const char *const names[] = {"iteration", "evaluations", "simple regret",
                                        "cumulative regret", "epsilon"};
    const tacit_curves *r = c->s->curves;
    const bool spends = c->s->spent && !c->s->none;
    tc_table *t = tc_table_new(spends ? 5 : 4, names);
    for (uint64_t i = 0; t && i < r->points; i++) {
        if (!tc_report_milestone(i, r->points - 1))
            continue;
        tc_table_integer(t, 0, (int64_t)i);
        tc_table_integer(t, 1, (int64_t)(r->initial + i));
        tc_simulate_moments(t, 2, r->simple_mean[i], r->simple_se[i]);
        tc_simulate_moments(t, 3, r->cumulative_mean[i], r->cumulative_se[i]);
        if (spends)
            tc_privacy_cell(t, 4, c->s->spent[i], tacit_epsilon_text, true);
        tc_table_end_row(t);
    }
    return t ? tc_table_print(t, TC_FORMAT_TABLE, stdout, err) : tc_fail_memory(err);
}

static void print_lost(const tc_shown *c, int indent)
{
    const tacit_message_counts *t = &c->s->curves->counts[0].sent;
    const char *whose = c->s->curves->runs > 1 ? " of the first run" : "";
    if (c->drop > 0 && t->messages > 0)
        printf("%*s%llu of the %llu messages%s %s lost.\n", indent, "", (unsigned long long)t->lost,
               (unsigned long long)t->messages, whose, t->lost == 1 ? "was" : "were");
    if (t->rejected > 0)
        printf("%*s%llu of the %llu messages%s %s refused%s%s\n", indent, "",
               (unsigned long long)t->rejected, (unsigned long long)t->messages, whose,
               t->rejected == 1 ? "was" : "were", c->s->curves->rejection ? "; the first: " : ".",
               c->s->curves->rejection ? c->s->curves->rejection : "");
}

/* The vote is shorter than a broadcast of weights; it is the first release. */
static void print_broadcasts(const tc_shown *c)
{
    const tacit_message_counts *t = &c->s->curves->counts[0].sent;
    const bool vote = votes(c) && t->releases > 0;
    const uint64_t n = t->releases - vote;
    printf(", and got ");
    if (vote)
        printf("the vote on the length-scale%s", n > 0 ? " and " : "");
    if (!vote || n > 0)
        printf("%llu broadcast%s%s of %llu bytes", (unsigned long long)n, n == 1 ? "" : "s",
               vote ? " of weights" : "", (unsigned long long)t->broadcast_bytes);
}

static void print_messages(const tc_shown *c)
{
    const tacit_message_counts *t = &c->s->curves->counts[0].sent;
    double n = (double)c->s->agents, readers = (double)c->s->curves->agents;
    if (t->messages == 0) {
        printf("\nNo round releases: every agent searched alone.\n");
        return;
    }
    printf("\nEach agent sent %.4g message%s, %.6g bytes in all", (double)t->messages / n,
           t->messages == c->s->agents ? "" : "s", (double)t->bytes / n);
    if (c->s->curves->relayed)
        printf(", and read %.4g, %.6g bytes%s", (double)t->fetches / readers,
               (double)t->fetched_bytes / readers,
               c->s->curves->runs > 1 ? ", in the first run" : "");
    else
        print_broadcasts(c);
    printf(".\n");
    print_lost(c, 0);
    if (t->refusals)
        printf("The budget refused %llu round%s; agents went on alone.\n",
               (unsigned long long)t->refusals, t->refusals == 1 ? "" : "s");
}

static tacit_status print_statement(const tc_shown *c, tacit_error *err)
{
    tc_text text = {0};
    tc_text_add(&text, c->s->statement);
    if (votes(c) && c->s->releases > 0 && c->s->unit != TACIT_UNIT_RECORD)
        tc_text_add(&text, " " TC_PRIVACY_VOTE);
    putchar('\n');
    tc_privacy_paragraph(tc_text_get(&text));
    bool ok = !text.failed;
    tc_text_fini(&text);
    return ok ? TACIT_OK : tc_fail_memory(err);
}

/* What such a study may gain at best, whatever these runs have shown of one objective. `name` begins the
 * paragraph. */
static tacit_status print_expectation(const tc_shown *c, const char *name, tacit_error *err)
{
    tc_text text = {0};
    tc_text_addf(&text, "%s%s", name, json_string_value(json_object_get(c->expect, "sentence")));
    putchar('\n');
    tc_privacy_paragraph(tc_text_get(&text));
    bool ok = !text.failed;
    tc_text_fini(&text);
    return ok ? TACIT_OK : tc_fail_memory(err);
}

/* Noise in its values is all that it promises. */
static bool of_records(const tc_shown *c)
{
    return c->s->unit == TACIT_UNIT_RECORD && !c->s->none;
}

static tacit_status print_one(const tc_shown *c, tacit_error *err)
{
    printf("%s ", c->s->curves->algorithm);
    print_size(c);
    printf(", %.2f s; mean ± standard error\n", c->s->curves->seconds);
    print_settings(c, 0);
    putchar('\n');
    TC_TRY(print_curve(c, err));
    if (!c->s->sends && c->s->agents > 1)
        printf("\nEvery agent searched alone: nothing left it.\n");
    if (!c->s->sends && !of_records(c))
        return TACIT_OK;
    if (c->s->sends)
        print_messages(c);
    if (c->s->trustees) {
        putchar('\n');
        tc_privacy_paragraph(c->s->trustees_sentence);
    }
    TC_TRY(print_statement(c, err));
    return c->expect ? print_expectation(c, "", err) : TACIT_OK;
}

/* -- several ------------------------------------------------------------------------------- */

static void print_contender(const tc_shown *c, size_t i)
{
    char epsilon[32], delta[32];
    printf("%c  %s\n", (char)('A' + i), c->s->label);
    print_settings(c, 3);
    if (c->s->sends)
        print_lost(c, 3);
    tacit_epsilon_text(epsilon, c->s->bound.epsilon);
    tacit_delta_text(delta, c->s->bound.delta);
    if (of_records(c))
        printf(
            "   if deployed: every record: epsilon %s, delta %s (%s) over %llu evaluations, with "
            "noise of sd %.4g\n",
            epsilon, delta, c->s->bound.accountant, (unsigned long long)c->s->releases,
            c->s->noise_sd);
    if (of_records(c) || !c->s->sends)
        return;
    if (c->s->releases == 0 && !c->s->none)
        printf("   nothing is released\n");
    else if (c->s->none)
        printf("   no guarantee: %s\n", c->s->none);
    else
        printf("   if deployed: %sepsilon %s, delta %s (%s) over %llu release%s%s\n",
               c->s->unit == TACIT_UNIT_ROW ? "every row: " : "", epsilon, delta,
               c->s->bound.accountant, (unsigned long long)c->s->releases,
               c->s->releases == 1 ? "" : "s",
               votes(c) ? ", the first of them the vote on the length-scale" : "");
}

/* Do all begin with as many points? Else iterations are after different numbers of evaluations. */
static bool begin_alike(const tc_shown *c, size_t n)
{
    for (size_t k = 1; k < n; k++)
        if (c[k].s->curves->initial != c[0].s->curves->initial)
            return false;
    return true;
}

static tacit_status print_curves(const tc_shown *c, size_t n, tacit_error *err)
{
    char letters[32][2];
    const char *names[32] = {"iteration", "evaluations"};
    size_t first = begin_alike(c, n) ? 2 : 1; /* column of A */
    for (size_t k = 0; k < n; k++) {
        snprintf(letters[k], sizeof letters[k], "%c", (char)('A' + k));
        names[first + k] = letters[k];
    }
    tc_table *t = tc_table_new(first + n, names);
    uint64_t last = c[0].s->curves->points - 1;
    for (uint64_t i = 0; t && i <= last; i++) {
        if (!tc_report_milestone(i, last))
            continue;
        tc_table_integer(t, 0, (int64_t)i);
        if (first == 2)
            tc_table_integer(t, 1, (int64_t)(c->s->curves->initial + i));
        for (size_t k = 0; k < n; k++)
            tc_simulate_moments(t, first + k, c[k].s->curves->simple_mean[i],
                                c[k].s->curves->simple_se[i]);
        tc_table_end_row(t);
    }
    return t ? tc_table_print(t, TC_FORMAT_TABLE, stdout, err) : tc_fail_memory(err);
}

/* Each guarantee stands with its algorithm; what they all mean is said once. of: one algorithm that has a guarantee
 * for agents, rows, records, or NULL. */
static tacit_status print_scope(const tc_shown *const of[3], tacit_error *err)
{
    static const char *const units[] = {"agent", "row", "record"};
    const char *before = " Guarantees are those of a deployment, for every %s. %s";
    tc_text text = {0};
    tc_text_add(&text, "NOT PRIVATE: seeded.");
    for (size_t i = 0; i < 3; i++)
        if (of[i]) {
            tc_text_addf(&text, before, units[i], of[i]->s->scope);
            before = " Where it says every %s: %s";
        }
    putchar('\n');
    tc_privacy_paragraph(tc_text_get(&text));
    bool ok = !text.failed;
    tc_text_fini(&text);
    return ok ? TACIT_OK : tc_fail_memory(err);
}

/* Trustees of one may be others than those of the next. */
static tacit_status print_shared_scopes(const tc_shown *c, size_t n, tacit_error *err)
{
    for (size_t i = 0; i < n; i++) {
        if (!c[i].s->trustees || c[i].s->none)
            continue;
        tc_text text = {0};
        tc_text_addf(&text, "%c: the guarantee is that of a deployment, for every agent. %s",
                     (char)('A' + i), c[i].s->scope);
        putchar('\n');
        tc_privacy_paragraph(tc_text_get(&text));
        bool ok = !text.failed;
        tc_text_fini(&text);
        if (!ok)
            return tc_fail_memory(err);
    }
    return TACIT_OK;
}

/* Among several those alone of whom something is known: ablations are many. */
static tacit_status print_expectations(const tc_shown *c, size_t n, tacit_error *err)
{
    for (size_t i = 0; i < n; i++) {
        char name[] = {(char)('A' + i), ':', ' ', '\0'};
        if (c[i].expect && json_is_null(json_object_get(c[i].expect, "reason")))
            TC_TRY(print_expectation(&c[i], name, err));
    }
    return TACIT_OK;
}

static tacit_status print_several(tacit_simulation *all, const tc_shown *c, size_t n,
                                  tacit_error *err)
{
    bool federated = false;
    const tc_shown *guaranteed[3] = {NULL, NULL, NULL}; /* of agents, of rows, of records */
    printf("%zu algorithms ", n);
    print_size(c);
    printf("\n\n");
    for (size_t i = 0; i < n; i++) {
        print_contender(&c[i], i);
        federated |= c[i].s->sends;
        if (of_records(&c[i]))
            guaranteed[2] = &c[i];
        else if (c[i].s->sends && !c[i].s->none && !c[i].s->trustees)
            guaranteed[c[i].s->unit == TACIT_UNIT_ROW] = &c[i];
    }
    printf("\nSimple regret, mean ± standard error:\n\n");
    TC_TRY(print_curves(c, n, err));
    TC_TRY(tc_report_ratios(all, c, "simple", err));
    if (federated || guaranteed[2])
        TC_TRY(print_scope(guaranteed, err));
    TC_TRY(print_shared_scopes(c, n, err));
    return print_expectations(c, n, err);
}

tacit_status tc_report_federation(tacit_simulation *all, const tc_shown *c, size_t n,
                                  tacit_error *err)
{
    return n > 1 ? print_several(all, c, n, err) : print_one(c, err);
}
