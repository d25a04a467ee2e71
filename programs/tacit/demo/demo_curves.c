/* demo_curves.c - the hospitals' best log-losses, together and alone, trial by trial (demo_int.h). */
#include "demo/demo_int.h"

#include "base/memory.h"

#include <math.h>
#include <stdlib.h>

tacit_status tc_demo_curves_init(tc_demo_curves *c, const tc_demo_plan *plan, tacit_error *err)
{
    const size_t n = plan->hospitals * plan->trials;
    *c = (tc_demo_curves){.hospitals = plan->hospitals, .trials = plan->trials};
    c->together = tc_alloc(n, sizeof *c->together);
    c->alone = tc_alloc(n, sizeof *c->alone);
    return c->together && c->alone ? TACIT_OK : tc_fail_memory(err);
}

void tc_demo_curves_fini(tc_demo_curves *c)
{
    tc_free(c->together);
    tc_free(c->alone);
    *c = (tc_demo_curves){0};
}

static int by_size(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Between the two neighbours, as most programs do. */
static double quantile(const double *sorted, size_t n, double p)
{
    double at = p * (double)(n - 1), whole = floor(at);
    size_t i = (size_t)whole;
    double next = i + 1 < n ? sorted[i + 1] : sorted[i];
    return sorted[i] + (at - whole) * (next - sorted[i]);
}

/* The drops of all hospitals on one side. */
static void add_drops(const tc_demo_curves *c, size_t t, int side, tc_demo_moment *out)
{
    const double *best = side == 0 ? c->together : c->alone;
    double drops[TC_HOSPITALS_MOST], sum = 0;
    for (size_t i = 0; i < c->hospitals; i++) {
        const double *own = best + i * c->trials;
        drops[i] = own[c->start - 1] - own[t];
        sum += drops[i];
    }
    qsort(drops, c->hospitals, sizeof *drops, by_size);
    out->drop[side].mean = sum / (double)c->hospitals;
    out->drop[side].low = quantile(drops, c->hospitals, 0.25);
    out->drop[side].high = quantile(drops, c->hospitals, 0.75);
}

tc_demo_moment tc_demo_moment_at(const tc_demo_curves *c, size_t t)
{
    tc_demo_moment m = {0};
    for (size_t i = 0; i < c->hospitals; i++) {
        double a = c->together[i * c->trials + t], b = c->alone[i * c->trials + t];
        m.together += a / (double)c->hospitals;
        m.alone += b / (double)c->hospitals;
        m.ahead += a < b;
        m.behind += a > b;
    }
    for (int side = 0; side < 2; side++)
        add_drops(c, t, side, &m);
    return m;
}

void tc_demo_curves_csv(const tc_demo_curves *c, tc_text *out)
{
    tc_text_add(out, "hospital,trial,together,alone\n");
    for (size_t i = 0; i < c->hospitals; i++)
        for (size_t t = 0; t < c->trials; t++)
            tc_text_addf(out, "%zu,%zu,%.17g,%.17g\n", i + 1, t + 1, c->together[i * c->trials + t],
                         c->alone[i * c->trials + t]);
}
