/* registry.c - every experiment, one line each. */
#include "papers/frame/experiment.h"

#include "base/error.h"

#include <string.h>

#define EXPERIMENTS(X)                                                                             \
    X(privacy_numbers)                                                                             \
    X(fts_fig1a)                                                                                   \
    X(fts_fig1b)                                                                                   \
    X(fts_fig1c)                                                                                   \
    X(fts_fig4)                                                                                    \
    X(dp_fig2a)                                                                                    \
    X(dp_fig2b)                                                                                    \
    X(dp_fig2c)                                                                                    \
    X(dp_fig2d)                                                                                    \
    X(dp_fig4)                                                                                     \
    X(dp_fig5)                                                                                     \
    X(dp_fig6)                                                                                     \
    X(dp_fig7)                                                                                     \
    X(dp_fig11)                                                                                    \
    X(dp_fig11_losses)                                                                             \
    X(mine_similarity)                                                                             \
    X(fts_landmine)                                                                                \
    X(fts_landmine_platt)                                                                          \
    X(fts_lengths)                                                                                 \
    X(fts_mine_times)                                                                              \
    X(fts_times)                                                                                   \
    X(dp_landmine)                                                                                 \
    X(dp_landmine_platt)                                                                           \
    X(dp_landmine_appendix)                                                                        \
    X(pf_landmine)                                                                                 \
    X(activity_similarity)                                                                         \
    X(fts_activity)                                                                                \
    X(fts_activity_lengths)                                                                        \
    X(fts_activity_times)                                                                          \
    X(dp_activity_narrow)                                                                          \
    X(dp_activity)                                                                                 \
    X(dp_activity_sum)                                                                             \
    X(digits_similarity)                                                                           \
    X(dp_digits)                                                                                   \
    X(dp_digits_kernel)                                                                            \
    X(alike_activity)                                                                              \
    X(alike_activity_24)                                                                           \
    X(alike_activity_96)                                                                           \
    X(alike_activity_192)                                                                          \
    X(alike_digits)                                                                                \
    X(alike_digits_45)                                                                             \
    X(alike_digits_90)                                                                             \
    X(alike_digits_180)                                                                            \
    X(alike_writers)                                                                               \
    X(po_branch)                                                                                   \
    X(po_fig2a)                                                                                    \
    X(po_branin)                                                                                   \
    X(po_table1)                                                                                   \
    X(po_table2)                                                                                   \
    X(po_table3)                                                                                   \
    X(po_fig2b)                                                                                    \
    X(po_table4)                                                                                   \
    X(po_table5)                                                                                   \
    X(po_table6)                                                                                   \
    X(po_fig2c)                                                                                    \
    X(po_table7)                                                                                   \
    X(po_table8)                                                                                   \
    X(po_table9)                                                                                   \
    X(ldp_private_se)                                                                              \
    X(ldp_private_matern)                                                                          \
    X(ldp_heavy_se)                                                                                \
    X(ldp_heavy_matern)                                                                            \
    X(ldp_sensors)                                                                                 \
    X(ldp_stocks)                                                                                  \
    X(ldp_heavy_sensors)                                                                           \
    X(ldp_heavy_stocks)                                                                            \
    X(pf_garland)                                                                                  \
    X(pf_himmelblau)                                                                               \
    X(pf_rastrigin)                                                                                \
    X(pf_doublesine)                                                                               \
    X(pf_ackley)                                                                                   \
    X(pf_sent_garland)                                                                             \
    X(pf_sent_himmelblau)

#define DECLARE(name) extern const tc_experiment tc_experiment_##name;
EXPERIMENTS(DECLARE)
#undef DECLARE

static const tc_experiment *const list[] = {
#define LINE(name) &tc_experiment_##name,
    EXPERIMENTS(LINE)
#undef LINE
        NULL};

const tc_experiment *const *tc_experiments(void)
{
    return list;
}

tacit_status tc_experiment_get(const tc_experiment **out, const char *name, tacit_error *err)
{
    const char *names[sizeof list / sizeof *list] = {0};
    for (size_t i = 0; list[i]; i++) {
        names[i] = list[i]->name;
        if (strcmp(names[i], name) == 0) {
            *out = list[i];
            return TACIT_OK;
        }
    }
    return tc_fail_unknown(err, TACIT_E_ARG, name, names, "Experiments",
                           "there is no experiment \"%.64s\"", name);
}

double tc_points_at(const tc_points *p, bool quick, size_t i)
{
    if (p->at)
        return p->at[i];
    if (p->names)
        return (double)i;
    /* From 0, or from one step on. */
    double step = quick && p->quick_step > 0 ? p->quick_step : p->step;
    return p->from_zero ? step * (double)i : step * (double)(i + 1);
}

const tc_arm *tc_arm_find(const tc_experiment *e, const char *name)
{
    for (size_t a = 0; a < e->n_arms; a++)
        if (strcmp(e->arms[a].name, name) == 0)
            return &e->arms[a];
    return NULL;
}
