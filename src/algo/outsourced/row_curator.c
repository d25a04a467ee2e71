/* row_curator.c - releasing a data set through the ledger, once. See row_curator.h. */
#include "algo/outsourced/row_curator.h"

#include "algo/outsourced/projection.h"
#include "base/error.h"

#include <math.h>

/* ---- drawing */

static const char *const PAPER_MODE =
    "a random projection shows the column space of the data; the printed theorem does not hold";

static tacit_status draw_paper(const tc_row_terms *t, const double *x, tc_entropy *e, size_t *order,
                               tc_release **out, tc_transform *transform, tacit_error *err)
{
    double *z = tc_alloc(t->rows * t->rank, sizeof *z);
    if (!z)
        return tc_fail_memory(err);
    tacit_status status =
        tc_transform_make(transform, t->rows, t->dims, x, t->epsilon, t->delta, t->rank, e, z, err);
    if (status == TACIT_OK)
        status = tc_none_release(out, t->rows, t->rank, z, TACIT_UNIT_ROW, PAPER_MODE, err);
    for (size_t i = 0; i < t->rows; i++)
        order[i] = i;
    tc_free(z);
    return status;
}

static bool is_power_of_two(double x)
{
    int unused;
    return frexp(x, &unused) == 0.5;
}

/* Neighbours are two data sets as they are, and a row moves by at most t->radius in units. What is
 * released is computed from rounded quotients, so the rounding counts. Rounding is monotone: to clamp
 * the quotient to the rounded bounds is to clamp the value and divide then. A clamped value is at
 * most `reach` units large, its quotient within reach 2^-53 of the true one (and 2^-1074, below the
 * normal numbers), and two of them move apart by at most twice that. A unit that is a power of two
 * rounds nothing. */
static double counted_radius(const tc_row_terms *t, tc_bounds bounds)
{
    double squares = 0;
    for (size_t d = 0; d < t->dims; d++) {
        double reach = fmax(fabs(bounds.low[d]), fabs(bounds.high[d]));
        double off = 0x1p-52 * reach + 0x1p-1022;
        squares += is_power_of_two(t->columns[d].unit) ? 0 : off * off;
    }
    return squares == 0 ? t->radius : (t->radius + sqrt(squares) + 0x1p-1022) * (1 + 0x1p-49);
}

/* What a release in sound mode is drawn by: bounds in units, projected where the terms have a rank. */
typedef struct sound_plan {
    tc_rows_plan rows;
    tc_projection projection; /* where t->rank > 0 */
    tc_arena memory;          /* bounds, and the metric in words */
} sound_plan;

static void sound_plan_fini(sound_plan *s)
{
    tc_projection_fini(&s->projection);
    tc_arena_fini(&s->memory);
}

/* No row moves by more than the radius of the plan where a row of the data moves by that of the terms. */
static tacit_status fill_plan(sound_plan *s, const tc_row_terms *t, tacit_error *err)
{
    tc_text metric = {0};
    double *low = TC_TAKE(&s->memory, t->dims, double),
           *high = TC_TAKE(&s->memory, t->dims, double);
    tc_row_terms_metric(t, &metric);
    const char *words = metric.failed ? NULL : tc_arena_strdup(&s->memory, tc_text_get(&metric));
    tc_text_fini(&metric);
    if (!words || s->memory.failed)
        return tc_fail_memory(err);
    for (size_t d = 0; d < t->dims; d++) {
        low[d] = t->columns[d].low / t->columns[d].unit;
        high[d] = t->columns[d].high / t->columns[d].unit;
    }
    s->rows = (tc_rows_plan){.rows = t->rows,
                             .dims = t->dims,
                             .bounds = {low, high},
                             .radius = counted_radius(t, (tc_bounds){low, high}),
                             .epsilon = t->epsilon,
                             .delta = t->delta,
                             .noise = t->noise,
                             .moved = t->radius,
                             .metric = words};
    if (t->rank == 0)
        return TACIT_OK;
    TC_TRY(tc_projection_init(&s->projection, t->dims, t->rank, t->projection_seed, low, high,
                              s->rows.radius, err));
    s->rows.dims = t->rank;
    s->rows.bounds = (tc_bounds){s->projection.out_low, s->projection.out_high};
    s->rows.radius = s->projection.radius;
    return TACIT_OK;
}

/* End with sound_plan_fini, also after a failure. */
static tacit_status sound_plan_init(sound_plan *s, const tc_row_terms *t, tacit_error *err)
{
    *s = (sound_plan){0};
    return fill_plan(s, t, err);
}

/* x in units. */
static tacit_status draw_sound(const tc_row_terms *t, const double *x, tc_entropy *e, size_t *order,
                               tc_release **out, tacit_error *err)
{
    sound_plan s;
    double *projected = NULL;
    tacit_status status = sound_plan_init(&s, t, err);
    if (status == TACIT_OK && t->rank > 0) {
        projected = tc_alloc(t->rows * t->rank, sizeof *projected);
        status = projected ? TACIT_OK : tc_fail_memory(err);
    }
    for (size_t i = 0; projected && i < t->rows; i++)
        tc_projection_apply(&s.projection, x + i * t->dims, projected + i * t->rank);
    if (status == TACIT_OK)
        status = tc_rows_release(out, order, &s.rows, projected ? projected : x, e, err);
    tc_free(projected);
    sound_plan_fini(&s);
    return status;
}

/* order: rows. */
static tacit_status draw(const tc_row_terms *t, const double *x, tc_entropy *e, size_t *order,
                         tc_release **out, tc_transform *transform, tacit_error *err)
{
    double *scaled = tc_alloc(t->rows * t->dims, sizeof *scaled);
    if (!scaled)
        return tc_fail_memory(err);
    for (size_t i = 0; i < t->rows * t->dims; i++)
        scaled[i] = x[i] / t->columns[i % t->dims].unit;
    tacit_status status = t->mode == TACIT_ROW_PAPER
                              ? draw_paper(t, scaled, e, order, out, transform, err)
                              : draw_sound(t, scaled, e, order, out, err);
    tc_free(scaled);
    return status;
}

/* ---- what it costs */

tacit_status tc_row_cost_of(const tc_row_terms *t, tc_row_cost *out, tacit_error *err)
{
    tc_row_cost cost = {.is_private = t->mode == TACIT_ROW_SOUND};
    sound_plan plan;
    tc_rows_noise noise;
    TC_TRY(tc_row_terms_check(t, err));
    TC_TRY(tc_row_output_sd(t, &cost.output_sd, err));
    if (!cost.is_private) {
        cost.mechanism = "none";
        cost.why_not = PAPER_MODE;
        *out = cost;
        return TACIT_OK;
    }
    tacit_status status = sound_plan_init(&plan, t, err);
    if (status == TACIT_OK)
        status = tc_rows_plan_noise(&plan.rows, &noise, err);
    sound_plan_fini(&plan);
    TC_TRY(status);
    cost.mechanism = noise.mechanism;
    cost.event = noise.event;
    cost.distance = noise.distance;
    cost.input_sd = noise.sd;
    cost.delta = noise.gaussian ? t->delta : 0;
    *out = cost;
    return TACIT_OK;
}

/* ---- releasing */

void tc_row_release_fini(tc_row_release *r)
{
    tc_arena_fini(&r->memory);
    *r = (tc_row_release){0};
}

/* `offered` has the public side of the release: how its bytes are read, what it cost. */
static tacit_status take(tc_row_release *out, const tc_release *offered,
                         const tc_ledger_receipt *receipt, tacit_error *err)
{
    const tc_release_view *view = tc_release_get(offered);
    size_t n = view->rows * view->cols;
    out->rows = view->rows;
    out->cols = view->cols;
    out->values = TC_TAKE(&out->memory, n, double);
    out->mechanism = tc_arena_strdup(&out->memory, view->mechanism);
    out->adjacency = tc_arena_strdup(&out->memory, view->adjacency);
    out->not_private = tc_arena_strdup(&out->memory, receipt->not_private);
    if (out->memory.failed)
        return tc_fail_memory(err);
    for (size_t i = 0; i < n; i++)
        out->values[i] = tc_release_read(view, receipt->bytes, i);
    out->input_sd = view->noise_sd;
    out->step = view->reals ? 0 : view->step;
    out->is_private = receipt->is_private;
    out->again = receipt->again;
    out->head = receipt->head;
    out->hash = tc_ledger_release_hash(receipt->bytes, receipt->size);
    return TACIT_OK;
}

static tacit_status hash_of(const tc_release *r, tacit_hash *out, tacit_error *err)
{
    size_t size = tc_release_size(r);
    uint8_t *bytes = tc_alloc(size, 1);
    if (!bytes)
        return tc_fail_memory(err);
    tc_release_encode(r, bytes);
    *out = tc_ledger_release_hash(bytes, size);
    tc_free(bytes);
    return TACIT_OK;
}

static tacit_status keep(const tc_row_keeper *k, const tc_release *r, const size_t *order,
                         size_t rows, tacit_error *err)
{
    tacit_hash hash;
    TC_TRY(hash_of(r, &hash, err));
    return k->keep(k->user, order, rows, &hash, err);
}

/* Was it released before? Then nothing is kept: the order of that time is the one. */
static tacit_status is_released(tc_ledger *l, const tc_ledger_charge *c, bool *out,
                                tacit_error *err)
{
    tc_ledger_receipt receipt = {0};
    tacit_status status = tc_ledger_find(l, &c->study, c->round, &receipt, err);
    *out = status == TACIT_OK;
    tc_ledger_receipt_fini(&receipt);
    return status == TACIT_E_NOT_FOUND ? TACIT_OK : status;
}

/* The ledger asks this again; here it keeps a refusal from leaving an order behind. */
static tacit_status afford(tc_ledger *l, const tc_ledger_budget *budget, const tc_release *r,
                           tacit_error *err)
{
    const tc_release_view *view = tc_release_get(r);
    return tc_ledger_would(l, budget, view->unit, NULL, &view->event, view->distance, err);
}

/* What was drawn for a release that exists is thrown away by the ledger; only the public side of
 * it, which is a function of the terms, is used. */
static tacit_status offer(tc_ledger *l, const tc_ledger_budget *budget, const tc_row_terms *t,
                          const double *x, tc_entropy *e, const tc_row_keeper *keeper,
                          size_t *order, tc_row_release *out, tacit_error *err)
{
    tc_ledger_charge charge = {.round = TC_ROW_ROUND};
    tc_ledger_receipt receipt = {0};
    tc_release *drawn = NULL;
    bool before = false;
    TC_TRY(tc_row_terms_hash(t, &charge.study, err));
    TC_TRY(is_released(l, &charge, &before, err));
    tacit_status status = draw(t, x, e, order, &drawn, &out->transform, err);
    if (status == TACIT_OK && !before && budget)
        status = afford(l, budget, drawn, err);
    if (status == TACIT_OK && !before)
        status = keep(keeper, drawn, order, t->rows, err);
    if (status == TACIT_OK)
        status = tc_ledger_release(l, budget, &charge, drawn, &receipt, err);
    if (status == TACIT_OK)
        status = take(out, drawn, &receipt, err);
    tc_ledger_receipt_fini(&receipt);
    tc_release_free(drawn);
    return status;
}

tacit_status tc_row_curator_release(tc_ledger *l, const tc_ledger_budget *budget,
                                    const tc_row_terms *t, const double *x, tc_entropy *e,
                                    const tc_row_keeper *keeper, tc_row_release *out,
                                    tacit_error *err)
{
    tc_row_release made = {0};
    TC_TRY(tc_row_terms_check(t, err));
    size_t *order = tc_alloc(t->rows, sizeof *order);
    tacit_status status =
        order ? offer(l, budget, t, x, e, keeper, order, &made, err) : tc_fail_memory(err);
    tc_free(order);
    if (status == TACIT_OK)
        *out = made;
    else
        tc_row_release_fini(&made);
    return status;
}
