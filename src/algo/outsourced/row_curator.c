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

/* Rows of `cols` columns, clamped to bounds; none moves by more than radius where a row of the data
 * moves by that of the terms. */
static tacit_status draw_noise(const tc_row_terms *t, size_t cols, const double *x,
                               tc_bounds bounds, double radius, tc_entropy *e, size_t *order,
                               tc_release **out, tacit_error *err)
{
    tc_text metric = {0};
    tc_row_terms_metric(t, &metric);
    tc_rows_plan plan = {.rows = t->rows,
                         .dims = cols,
                         .bounds = bounds,
                         .radius = radius,
                         .epsilon = t->epsilon,
                         .delta = t->delta,
                         .noise = t->noise,
                         .moved = t->radius,
                         .metric = tc_text_get(&metric)};
    tacit_status status =
        metric.failed ? tc_fail_memory(err) : tc_rows_release(out, order, &plan, x, e, err);
    tc_text_fini(&metric);
    return status;
}

static tacit_status draw_projected(const tc_row_terms *t, const double *x, tc_bounds bounds,
                                   double radius, tc_entropy *e, size_t *order, tc_release **out,
                                   tacit_error *err)
{
    tc_projection p;
    double *z = NULL;
    tacit_status status = tc_projection_init(&p, t->dims, t->rank, t->projection_seed, bounds.low,
                                             bounds.high, radius, err);
    if (status == TACIT_OK) {
        z = tc_alloc(t->rows * t->rank, sizeof *z);
        status = z ? TACIT_OK : tc_fail_memory(err);
    }
    for (size_t i = 0; status == TACIT_OK && i < t->rows; i++)
        tc_projection_apply(&p, x + i * t->dims, z + i * t->rank);
    if (status == TACIT_OK)
        status = draw_noise(t, t->rank, z, (tc_bounds){p.out_low, p.out_high}, p.radius, e, order,
                            out, err);
    tc_free(z);
    tc_projection_fini(&p);
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

static tacit_status draw_sound(const tc_row_terms *t, const double *x, tc_bounds bounds,
                               tc_entropy *e, size_t *order, tc_release **out, tacit_error *err)
{
    double radius = counted_radius(t, bounds);
    if (t->rank > 0)
        return draw_projected(t, x, bounds, radius, e, order, out, err);
    return draw_noise(t, t->dims, x, bounds, radius, e, order, out, err);
}

static void to_units(const tc_row_terms *t, const double *x, double *scaled, double *low,
                     double *high)
{
    for (size_t d = 0; d < t->dims; d++) {
        low[d] = t->columns[d].low / t->columns[d].unit;
        high[d] = t->columns[d].high / t->columns[d].unit;
    }
    for (size_t i = 0; i < t->rows * t->dims; i++)
        scaled[i] = x[i] / t->columns[i % t->dims].unit;
}

/* order: rows. */
static tacit_status draw(const tc_row_terms *t, const double *x, tc_entropy *e, size_t *order,
                         tc_release **out, tc_transform *transform, tacit_error *err)
{
    tc_arena scratch = {0};
    double *scaled = TC_TAKE(&scratch, t->rows * t->dims, double);
    double *low = TC_TAKE(&scratch, t->dims, double), *high = TC_TAKE(&scratch, t->dims, double);
    tacit_status status = TACIT_OK;
    if (scratch.failed)
        status = tc_fail_memory(err);
    else
        to_units(t, x, scaled, low, high);
    if (status == TACIT_OK)
        status = t->mode == TACIT_ROW_PAPER
                     ? draw_paper(t, scaled, e, order, out, transform, err)
                     : draw_sound(t, scaled, (tc_bounds){low, high}, e, order, out, err);
    tc_arena_fini(&scratch);
    return status;
}

/* ---- what it costs */

/* Draws a release of one row at zero: the noise of a row does not depend on how many there are. */
static tacit_status draw_one(const tc_row_terms *t, tc_release **out, tacit_error *err)
{
    tc_row_terms one = *t;
    tc_transform unused;
    tc_test_noise seeded;
    size_t order;
    double *x = tc_alloc(t->dims, sizeof *x);
    if (!x)
        return tc_fail_memory(err);
    one.rows = 1;
    tc_test_noise_init(&seeded, 0, 0);
    tc_entropy e = tc_entropy_of_test(&seeded);
    tacit_status status = draw(&one, x, &e, &order, out, &unused, err);
    tc_free(x);
    return status;
}

tacit_status tc_row_cost_of(const tc_row_terms *t, tc_row_cost *out, tacit_error *err)
{
    tc_row_cost cost = {.is_private = t->mode == TACIT_ROW_SOUND};
    tc_release *drawn = NULL;
    TC_TRY(tc_row_terms_check(t, err));
    TC_TRY(tc_row_output_sd(t, &cost.output_sd, err));
    if (!cost.is_private) {
        cost.mechanism = "none";
        cost.why_not = PAPER_MODE;
        *out = cost;
        return TACIT_OK;
    }
    TC_TRY(draw_one(t, &drawn, err));
    const tc_release_view *view = tc_release_get(drawn);
    cost.mechanism = view->event.mechanism == TACIT_DP_GAUSSIAN ? "gaussian-rows" : "laplace-rows";
    cost.event = view->event;
    cost.distance = view->distance;
    cost.input_sd = view->noise_sd;
    cost.delta = view->event.mechanism == TACIT_DP_GAUSSIAN ? t->delta : 0;
    tc_release_free(drawn);
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
