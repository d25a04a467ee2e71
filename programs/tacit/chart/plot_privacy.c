/* plot_privacy.c - what a ledger had spent after each release, for the worst-off unit of each kind.
 *
 * Each point is the guarantee of the ledger as it stood then, by the accountant that `tacit privacy status` asks. Of a long ledger
 * some points are asked for; between two of them the line has the height of the later one, so it is never below what was
 * spent. */
#include "chart/plot.h"

#include "base/error.h"
#include "chart/chart.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

enum { MOST_POINTS = 64, KINDS = TACIT_UNIT_RECORD + 1 };

typedef struct spending {
    tacit_ledger *ledger;
    double delta;
    uint64_t entries;
    bool by_round; /* all releases are of one study, in the order of its rounds */
    size_t n;      /* points, with one at 0 before the first */
    double x[MOST_POINTS + 2], y[KINDS][MOST_POINTS + 2];
    bool there[KINDS];
    char subtitle[300];
} spending;

static tacit_status look(spending *s, tacit_error *err)
{
    tacit_ledger_entry first = TACIT_LEDGER_ENTRY, e = TACIT_LEDGER_ENTRY;
    uint64_t before = 0;
    s->by_round = true;
    for (uint64_t seq = 1; seq <= s->entries; seq++) {
        TC_TRY(tacit_ledger_get(s->ledger, seq, &e, err));
        if (seq == 1)
            first = e;
        bool same = true;
        for (size_t i = 0; i < sizeof e.study.bytes; i++)
            same &= e.study.bytes[i] == first.study.bytes[i];
        s->by_round &= same && e.round >= before && e.round < (uint64_t)1 << 53;
        before = e.round;
        s->there[e.unit] = true;
    }
    return TACIT_OK;
}

/* Where entry `seq` stands on the axis. */
static tacit_status place_of(const spending *s, uint64_t seq, double *x, tacit_error *err)
{
    tacit_ledger_entry e = TACIT_LEDGER_ENTRY;
    TC_TRY(tacit_ledger_get(s->ledger, seq, &e, err));
    *x = s->by_round ? (double)e.round : (double)seq;
    return TACIT_OK;
}

static tacit_status spent_by(const spending *s, const tacit_ledger *then, int unit, double *epsilon,
                             tacit_error *err)
{
    tacit_spent spent = TACIT_SPENT;
    TC_TRY(tacit_ledger_spent((tacit_ledger *)(uintptr_t)then, (tacit_unit)unit, NULL, NULL,
                              s->delta, &spent, err));
    if (!spent.is_private || !isfinite(spent.epsilon))
        return tc_fail(err, TACIT_E_STATE, "the ledger %s has no epsilon to draw: %.300s",
                       tacit_ledger_name(s->ledger),
                       spent.is_private ? "it is infinite" : spent.not_private);
    *epsilon = spent.epsilon;
    return TACIT_OK;
}

/* The point after entry `seq`, drawn from the entry behind the last point on. */
static tacit_status add_point(spending *s, uint64_t from, uint64_t seq, tacit_error *err)
{
    tacit_ledger *then;
    TC_TRY(place_of(s, from, &s->x[s->n], err));
    TC_TRY(tacit_ledger_until(&then, s->ledger, seq, err));
    tacit_status status = TACIT_OK;
    for (int unit = TACIT_UNIT_AGENT; unit < KINDS && status == TACIT_OK; unit++)
        if (s->there[unit])
            status = spent_by(s, then, unit, &s->y[unit][s->n], err);
    tacit_ledger_close(then);
    s->n++;
    return status;
}

static tacit_status add_points(spending *s, tacit_error *err)
{
    const uint64_t m = s->entries < MOST_POINTS ? s->entries : MOST_POINTS;
    uint64_t last = 0;
    TC_TRY(place_of(s, 1, &s->x[0], err));
    s->n = 1; /* nothing was spent before the first */
    for (uint64_t k = 1; k <= m; k++) {
        const uint64_t seq = s->entries * k / m;
        TC_TRY(add_point(s, last + 1, seq, err));
        last = seq;
    }
    TC_TRY(place_of(s, s->entries, &s->x[s->n], err));
    if (s->x[s->n] == s->x[0])
        s->x[s->n]++; /* of one round: what was spent, and the limit, are lines and not points */
    for (int unit = 0; unit < KINDS; unit++)
        s->y[unit][s->n] = s->y[unit][s->n - 1];
    s->n++;
    return TACIT_OK;
}

/* A line at 0 would say that nobody has paid. */
static tacit_status check_paid(const spending *s, tacit_error *err)
{
    bool paid = false;
    for (int unit = 0; unit < KINDS; unit++)
        paid |= s->there[unit] && s->y[unit][s->n - 1] > 0;
    return paid
               ? TACIT_OK
               : tc_fail(err, TACIT_E_STATE,
                         "%s: what was released was computed from values that were private before, "
                         "and what those cost is in the ledgers of the agents",
                         tacit_ledger_name(s->ledger));
}

static void write_subtitle(spending *s)
{
    char delta[32], epsilon[32];
    tacit_delta_text(delta, s->delta);
    int n = snprintf(s->subtitle, sizeof s->subtitle, "%" PRIu64 " entr%s, at δ = %s", s->entries,
                     s->entries == 1 ? "y" : "ies", delta);
    for (int unit = 0; unit < KINDS && n > 0 && (size_t)n < sizeof s->subtitle; unit++)
        if (s->there[unit]) {
            tacit_epsilon_text(epsilon, s->y[unit][s->n - 1]);
            n += snprintf(s->subtitle + n, sizeof s->subtitle - (size_t)n, "; ε = %s for every %s",
                          epsilon, tacit_unit_name((tacit_unit)unit));
        }
}

static tacit_status draw(spending *s, double limit, const char *title, tc_text *svg,
                         tacit_error *err)
{
    tc_series series[KINDS + 1];
    char labels[KINDS][48], limit_label[48];
    const double ends[] = {s->x[0], s->x[s->n - 1]}, limits[] = {limit, limit};
    size_t n = 0;
    for (int unit = 0; unit < KINDS; unit++)
        if (s->there[unit]) {
            snprintf(labels[unit], sizeof labels[unit], "spent, by %s",
                     tacit_unit_name((tacit_unit)unit));
            series[n] = (tc_series){.label = labels[unit],
                                    .mark = TC_MARK_STEP,
                                    .color = (int)n,
                                    .n = s->n,
                                    .x = s->x,
                                    .y = s->y[unit]};
            n++;
        }
    snprintf(limit_label, sizeof limit_label, "limit %.6g", limit);
    if (limit > 0)
        series[n++] = (tc_series){.label = limit_label,
                                  .mark = TC_MARK_LINE,
                                  .color = TC_COLOR_INK,
                                  .dashed = true,
                                  .n = 2,
                                  .x = ends,
                                  .y = limits};
    const tc_panel panel = {.x = {.label = s->by_round ? "round" : "entry", .whole = true},
                            .y = {.label = "ε"},
                            .series = series,
                            .n_series = n};
    const tc_chart chart = {
        .title = title, .subtitle = s->subtitle, .panels = &panel, .n_panels = 1};
    return tc_chart_svg(&chart, svg, err);
}

tacit_status tc_plot_spending(tacit_ledger *l, double delta, double limit, const char *title,
                              tc_text *svg, tacit_error *err)
{
    tacit_head head;
    spending s = {.ledger = l, .delta = delta};
    TC_TRY(tacit_ledger_head(l, &head, err));
    s.entries = head.seq;
    if (s.entries == 0)
        return tc_fail(err, TACIT_E_STATE,
                       "%s: nothing was released yet, so there is nothing to draw",
                       tacit_ledger_name(l));
    TC_TRY(look(&s, err));
    TC_TRY(add_points(&s, err));
    TC_TRY(check_paid(&s, err));
    write_subtitle(&s);
    return draw(&s, limit, title ? title : tacit_ledger_name(l), svg, err);
}
