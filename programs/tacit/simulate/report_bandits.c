/* report_bandits.c - what the runs of bandits by pulls have shown, for people. */
#include "simulate/simulate.h"

#include <math.h>
#include <string.h>

/* -- settings ------------------------------------------------------------------------------ */

/* "10 agents, 100000 pulls each, 5 runs, seed 1" */
static void print_size(const tc_shown *c)
{
    const tacit_simulated *s = c->s;
    printf("%llu agent%s, %llu pull%s each, %llu run%s, seed %llu", (unsigned long long)s->agents,
           s->agents == 1 ? "" : "s", (unsigned long long)s->trials, s->trials == 1 ? "" : "s",
           (unsigned long long)s->curves->runs, s->curves->runs == 1 ? "" : "s",
           (unsigned long long)s->curves->seed);
}

/* What all of them are paid. */
static void print_rewards(const tacit_simulation_plan *p)
{
    const tacit_objective_options *o = &p->family.objective;
    printf("Rewards: values from %g to %g become 0 to 1, ", p->reward_low, p->reward_high);
    if (o->noise != 0 && o->noise_scale > 0)
        printf("with noise U(-%g, %g)", o->noise_scale, o->noise_scale);
    else
        printf("without noise");
    if (o->shift > 0)
        printf("; shifts of sd %g", o->shift);
    printf(".\n");
}

/* Every option in force. */
static void print_settings(const tc_shown *c, int indent)
{
    tc_text text = {0};
    const char *key;
    json_t *v;
    json_object_foreach(c->options, key, v)
    {
        tc_text_addf(&text, "%s%s ", text.len ? ", " : "", key);
        tc_report_add_value(&text, v);
    }
    tc_report_wrapped(tc_text_get(&text), indent);
    tc_text_fini(&text);
}

static void print_talk(const tc_shown *c, int indent)
{
    tacit_talk t = tacit_curves_talk(c->s->curves);
    if (t.rounds == 0)
        printf("%*sNothing was sent: every agent searched alone.\n", indent, "");
    else
        printf("%*s%.4g round%s, the last at pull %.6g; %.6g numbers up, %.6g down.\n", indent, "",
               t.rounds, t.rounds == 1 ? "" : "s", t.last_round_at, t.numbers_up, t.numbers_down);
}

static void print_speed(const tc_shown *c, int indent)
{
    const tacit_curves *r = c->s->curves;
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
        snprintf(cell, sizeof cell, TC_REPORT_MOMENTS, mean, se);
    else
        snprintf(cell, sizeof cell, "%.0f ± %.*f", mean, se < 10, se);
    tc_table_text(t, column, cell);
}

static tacit_status print_curves(const tc_shown *c, size_t n, const char *const *names,
                                 tacit_error *err)
{
    const tacit_curves *first = c->s->curves;
    tc_table *t = tc_table_new(n + 1, names);
    for (size_t i = 0; t && i < first->points; i++) {
        if (!tc_report_milestone(i + 1, first->points))
            continue;
        tc_table_integer(t, 0, (int64_t)first->at[i]);
        for (size_t k = 0; k < n; k++)
            moments_cell(t, k + 1, c[k].s->curves->cumulative_mean[i],
                         c[k].s->curves->cumulative_se[i]);
        tc_table_end_row(t);
    }
    return t ? tc_table_print(t, TC_FORMAT_TABLE, stdout, err) : tc_fail_memory(err);
}

static tacit_status print_one(const tc_shown *c, const tacit_simulation_plan *p, tacit_error *err)
{
    static const char *const names[] = {"pulls", "cumulative regret"};
    printf("%s on %s: ", c->s->curves->algorithm, c->s->curves->objective);
    print_size(c);
    printf("; mean ± standard error\n");
    print_settings(c, 0);
    print_rewards(p);
    putchar('\n');
    TC_TRY(print_curves(c, 1, names, err));
    putchar('\n');
    print_talk(c, 0);
    print_speed(c, 0);
    return TACIT_OK;
}

/* -- several ------------------------------------------------------------------------------- */

static tacit_status print_several(tacit_simulation *all, const tc_shown *c, size_t n,
                                  const tacit_simulation_plan *p, tacit_error *err)
{
    char letters[32][2];
    const char *names[32] = {"pulls"};
    printf("%zu bandits on %s: ", n, c->s->curves->objective);
    print_size(c);
    putchar('\n');
    print_rewards(p);
    putchar('\n');
    for (size_t k = 0; k < n; k++) {
        snprintf(letters[k], sizeof letters[k], "%c", (char)('A' + k));
        names[k + 1] = letters[k];
        printf("%s  %s\n", letters[k], c[k].s->label);
        print_settings(&c[k], 3);
        print_talk(&c[k], 3);
        print_speed(&c[k], 3);
    }
    printf("\nCumulative regret, mean ± standard error:\n\n");
    TC_TRY(print_curves(c, n, names, err));
    return tc_report_ratios(all, c, "cumulative", err);
}

tacit_status tc_report_bandits(tacit_simulation *all, const tc_shown *c, size_t n,
                               const tacit_simulation_plan *p, tacit_error *err)
{
    return n > 1 ? print_several(all, c, n, p, err) : print_one(c, p, err);
}
