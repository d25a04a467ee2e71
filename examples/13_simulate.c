/* 13_simulate.c - which algorithm for my problem? Two of them on a function with a known optimum.
 *
 * Both meet the same ten objectives and the same noise: their regret is compared run by run. */
#include <tacit/experimental/simulate.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

static int fail(const tacit_error *err)
{
    fprintf(stderr, "%s\n", err->msg);
    return 1;
}

static tacit_status simulate(const char *algorithm, tacit_simulation **out, tacit_error *err)
{
    tacit_simulation_plan plan = tacit_simulation_plan_default();
    plan.algorithm = algorithm;
    plan.objective = "branin";
    plan.family.objective.shift = 0.1;
    plan.trials = 15;
    plan.seed = 1;
    return tacit_simulate(out, &plan, err);
}

int main(void)
{
    static const char *const names[] = {"random", "sobol"};
    tacit_error err = {TACIT_OK, ""};
    tacit_simulation *s[2] = {NULL, NULL};
    const tacit_curves *c[2];
    tacit_ratio ratio;
    char *csv;
    for (int i = 0; i < 2; i++) {
        if (simulate(names[i], &s[i], &err) != TACIT_OK)
            return fail(&err);
        c[i] = tacit_simulation_get(s[i], 0)->curves;
        size_t last = c[i]->points - 1;
        printf("%-7s regret %.3g, standard error %.2g, of %d runs\n", names[i],
               c[i]->simple_mean[last], c[i]->simple_se[last], (int)c[i]->runs);
    }
    if (tacit_curves_compare(c[1], c[0], c[0]->points - 1, &ratio, &err) != TACIT_OK)
        return fail(&err);
    printf("sobol / random: %.2g (%.2g to %.2g), p %.2g\n", ratio.ratio, ratio.low, ratio.high,
           ratio.p);
    if (tacit_simulation_text(s[0], TACIT_CURVES_CSV, &csv, &err) != TACIT_OK)
        return fail(&err);
    int rows = 0;
    for (const char *at = csv; (at = strchr(at, '\n')); at++)
        rows++;
    printf("the file that tacit plot draws has %d rows\n", rows);
    tacit_text_free(csv);
    tacit_simulation_free(s[0]);
    tacit_simulation_free(s[1]);
    return rows == 16 && ratio.ratio > 0 && ratio.p <= 1 ? 0 : 1;
}
