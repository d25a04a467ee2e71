/* simulate_pulls_report.c - what the runs of bandits by pulls have shown: tables for people, files. */
#include "base/file.h"
#include "base/json.h"
#include "base/memory.h"
#include "simulate/simulate.h"
#include "simulate/watch.h"

#include <math.h>
#include <string.h>

/* -- settings ------------------------------------------------------------------------------ */

/* "10 agents, 100000 pulls each, 5 runs, seed 1" */
static void print_size(const tc_simulation *p)
{
    printf("%llu agent%s, %llu pull%s each, %llu run%s, seed %llu", (unsigned long long)p->agents,
           p->agents == 1 ? "" : "s", (unsigned long long)p->trials, p->trials == 1 ? "" : "s",
           (unsigned long long)p->runs, p->runs == 1 ? "" : "s", (unsigned long long)p->seed);
}

/* What all of them are paid. */
static void print_rewards(const tc_simulation *p)
{
    printf("Rewards: values from %g to %g become 0 to 1, ", p->low, p->high);
    if (p->scale > 0)
        printf("with noise U(-%g, %g)", p->scale, p->scale);
    else
        printf("without noise");
    if (p->family.objective.shift > 0)
        printf("; shifts of sd %g", p->family.objective.shift);
    printf(".\n");
}

/* Every option in force. */
static void print_settings(const tc_pull_contender *c, int indent)
{
    tc_text text = {0};
    const char *key;
    json_t *v;
    json_object_foreach(c->options, key, v)
    {
        tc_text_addf(&text, "%s%s ", text.len ? ", " : "", key);
        tc_simulate_add_value(&text, v);
    }
    tc_simulate_print_wrapped(tc_text_get(&text), indent);
    tc_text_fini(&text);
}

static void print_talk(const tc_pull_contender *c, int indent)
{
    tc_curve_talk t = tc_curve_talk_of(&c->result);
    if (t.rounds == 0)
        printf("%*sNothing was sent: every agent searched alone.\n", indent, "");
    else
        printf("%*s%.4g round%s, the last at pull %.6g; %.6g numbers up, %.6g down.\n", indent, "",
               t.rounds, t.rounds == 1 ? "" : "s", t.last_round_at, t.numbers_up, t.numbers_down);
}

static void print_speed(const tc_pull_contender *c, int indent)
{
    const tc_curves *r = &c->result;
    if (r->pulls > 0)
        printf("%*s%.3g million pulls per second, %.2f s.\n", indent, "",
               (double)r->pulls / r->seconds * 1e-6, r->seconds);
}

/* -- curves -------------------------------------------------------------------------------- */

/* Sums over a hundred thousand pulls are read as whole numbers. */
static void moments_cell(tc_table *t, size_t column, double mean, double se)
{
    char cell[64];
    if (mean < 1000)
        tc_watch_moments(cell, sizeof cell, mean, se);
    else
        snprintf(cell, sizeof cell, "%.0f ± %.*f", mean, se < 10, se);
    tc_table_text(t, column, cell);
}

static tacit_status print_curves(const tc_pull_contender *c, size_t n, const char *const *names,
                                 tacit_error *err)
{
    const tc_curves *first = &c->result;
    tc_table *t = tc_table_new(n + 1, names);
    for (size_t i = 0; t && i < first->points; i++) {
        if (!tc_simulate_milestone(i + 1, first->points))
            continue;
        tc_table_integer(t, 0, (int64_t)first->at[i]);
        for (size_t k = 0; k < n; k++)
            moments_cell(t, k + 1, c[k].result.cumulative_mean[i], c[k].result.cumulative_se[i]);
        tc_table_end_row(t);
    }
    return t ? tc_table_print(t, TC_FORMAT_TABLE, stdout, err) : tc_fail_memory(err);
}

static tacit_status print_one(const tc_pull_contender *c, tacit_error *err)
{
    static const char *const names[] = {"pulls", "cumulative regret"};
    printf("%s on %s: ", c->bandit->name, c->p.objective);
    print_size(&c->p);
    printf("; mean ± standard error\n");
    print_settings(c, 0);
    print_rewards(&c->p);
    putchar('\n');
    TC_TRY(print_curves(c, 1, names, err));
    putchar('\n');
    print_talk(c, 0);
    print_speed(c, 0);
    return TACIT_OK;
}

/* -- several ------------------------------------------------------------------------------- */

static tacit_status print_contrasts(const tc_curve_part *parts, size_t n, tacit_error *err)
{
    static const char *const names[] = {"ratio of", "pulls", "ratio", "95 % interval", "p"};
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
    printf("\nRatios of mean cumulative regrets, runs paired:\n\n");
    TC_TRY(tc_table_print(t, TC_FORMAT_TABLE, stdout, err));
    if (bare)
        tc_simulate_ratio_note(parts[0].curves->runs);
    return TACIT_OK;
}

static tacit_status print_several(const tc_pull_contender *c, const tc_curve_part *parts, size_t n,
                                  tacit_error *err)
{
    char letters[32][2];
    const char *names[32] = {"pulls"};
    printf("%zu bandits on %s: ", n, c->p.objective);
    print_size(&c->p);
    putchar('\n');
    print_rewards(&c->p);
    putchar('\n');
    for (size_t k = 0; k < n; k++) {
        snprintf(letters[k], sizeof letters[k], "%c", (char)('A' + k));
        names[k + 1] = letters[k];
        printf("%s  %s\n", letters[k], c[k].label);
        print_settings(&c[k], 3);
        print_talk(&c[k], 3);
        print_speed(&c[k], 3);
    }
    printf("\nCumulative regret, mean ± standard error:\n\n");
    TC_TRY(print_curves(c, n, names, err));
    return print_contrasts(parts, n, err);
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

static tacit_status put_text(const tc_curve_part *parts, size_t n, bool json, const char *file,
                             tacit_error *err)
{
    tc_text text = {0};
    tacit_status status = as_text(parts, n, json, &text, err);
    if (status == TACIT_OK && file)
        status = tc_file_write(file, tc_text_get(&text), text.len, err);
    else if (status == TACIT_OK)
        fwrite(tc_text_get(&text), 1, text.len, stdout);
    tc_text_fini(&text);
    return status;
}

static tacit_status report(const tc_pull_contender *c, const tc_curve_part *parts, size_t n,
                           const tc_simulate_plan *p, tacit_error *err)
{
    const char *file = p->o->out;
    if (file)
        TC_TRY(put_text(parts, n, tc_simulate_is_json(file), file, err));
    if (p->in->format != TC_FORMAT_TABLE)
        return put_text(parts, n, p->in->format != TC_FORMAT_CSV, NULL, err);
    return n > 1 ? print_several(c, parts, n, err) : print_one(c, err);
}

tacit_status tc_simulate_pulls_report(const tc_pull_contender *c, size_t n,
                                      const tc_simulate_plan *p, tacit_error *err)
{
    tc_curve_part *parts = tc_alloc(n, sizeof *parts);
    if (!parts)
        return tc_fail_memory(err);
    for (size_t i = 0; i < n; i++)
        parts[i] = (tc_curve_part){.label = c[i].label, .sim = &c[i].p, .curves = &c[i].result};
    tacit_status status = report(c, parts, n, p, err);
    tc_free(parts);
    return status;
}
