/* curated_test.c - an outsourced study in one process: what the modeler sees, what it is told, exact
 * regret, and that it is the deployment: the same released bits, the same answers, the same questions. */
#include "support/curated_fixture.h"

#include "algo/optimizer.h"
#include "base/memory.h"
#include "privacy/mechanism.h"
#include "sim/runs.h"
#include "study/store.h"
#include "wire/released_json.h"

enum { N = FIXTURE_ROWS, D = FIXTURE_DIMS, TRIALS = 12, RUNS = 3 };
#define UNIT FIXTURE_UNIT

/* -- the release --------------------------------------------------------------------------- */

static void test_terms_are_those_of_the_objective(void **state)
{
    fixture *d = *state;
    assert_int_equal(d->terms.rows, N);
    assert_int_equal(d->terms.dims, D);
    assert_true(d->terms.maximize);
    for (size_t k = 0; k < D; k++) {
        assert_same_bits(d->terms.columns[k].low, 0);
        assert_same_bits(d->terms.columns[k].high, 1);
        assert_same_bits(d->terms.columns[k].unit, UNIT);
    }
    assert_string_equal(d->terms.columns[1].name, "x2");
}

/* Every record is behind one row, and a released row is its record in units, up to noise. */
static void test_rows_are_shuffled_and_noisy(void **state)
{
    fixture *d = *state;
    tacit_error err = {0};
    tc_curated *c;
    bool seen[N] = {false}, moved = false;
    d->terms.epsilon = 1000;
    assert_ok(tc_curated_new(&c, &d->terms, d->objective, 9, &err));
    const tc_domain *rows = tc_curated_space(c)->domain;
    const tc_domain *true_rows = tc_objective_space(d->objective)->domain;
    assert_int_equal(rows->n, N);
    for (size_t i = 0; i < N; i++) {
        size_t record = tc_curated_record(c, i);
        assert_in_range(record, 0, N - 1);
        assert_false(seen[record]);
        seen[record] = true;
        moved = moved || record != i;
        for (size_t k = 0; k < D; k++) {
            double x = true_rows->raw[record + k * N] / UNIT, noisy = rows->raw[i + k * N];
            assert_true(noisy != x);
            assert_close(noisy, x, 0.05); /* sd 0.002 */
        }
    }
    assert_true(moved);
    tc_curated_free(c);
}

static void test_names_of_a_projection(void **state)
{
    fixture *d = *state;
    tacit_error err = {0};
    tc_curated *c;
    d->terms.rank = 1;
    assert_ok(tc_curated_new(&c, &d->terms, d->objective, 9, &err));
    assert_int_equal(tc_curated_space(c)->domain->dim, 1);
    assert_string_equal(tc_curated_space(c)->domain->names[0], "z1");
    tc_curated_free(c);
}

/* -- answers ------------------------------------------------------------------------------- */

static void test_answers(void **state)
{
    fixture *d = *state;
    tacit_error err = {0};
    tc_curated *c;
    double y = 0.75;
    assert_ok(tc_curated_new(&c, &d->terms, d->objective, 9, &err));
    assert_ok(tc_curated_answer(c, 3, &y, &err));
    assert_same_bits(y, 0.75); /* as it is */
    y = -4;
    assert_ok(tc_curated_answer(c, 3, &y, &err));
    assert_same_bits(y, 0.75); /* from memory */
    y = 1;
    assert_fails(tc_curated_answer(c, N, &y, &err), TACIT_E_ARG, "row 64 does not exist");
    tc_curated_free(c);
}

static void test_private_answers(void **state)
{
    fixture *d = *state;
    tacit_error err = {0};
    tc_curated *c;
    double first = 0.75, again = 0.1, other = 0.75;
    d->terms.output_epsilon = 1;
    d->terms.output_bound = 2;
    assert_ok(tc_curated_new(&c, &d->terms, d->objective, 9, &err));
    assert_ok(tc_curated_answer(c, 3, &first, &err));
    assert_ok(tc_curated_answer(c, 3, &again, &err));
    assert_ok(tc_curated_answer(c, 4, &other, &err));
    assert_true(first != 0.75 && first != other);
    assert_same_bits(first, again);
    tc_curated_free(c);
}

static void test_options_know_the_noise(void **state)
{
    fixture *d = *state;
    tacit_error err = {0};
    json_t *given = json_pack("{s:b, s:f}", "fit", 0, "output_sd", 0.25), *all;
    d->terms.output_epsilon = 1;
    d->terms.output_bound = 2;
    assert_ok(tc_curated_options(&d->terms, given, &all, &err));
    /* Laplace: scale sqrt(D) radius / epsilon, sd sqrt(2) times that */
    assert_close(json_real_value(json_object_get(all, "input_sd")), sqrt(2) * sqrt(D) / 3, 1e-6);
    assert_same_bits(json_real_value(json_object_get(all, "output_sd")), 0.25); /* given wins */
    assert_true(json_is_false(json_object_get(all, "fit")));
    assert_null(json_object_get(given, "input_sd"));
    json_decref(all);
    assert_ok(tc_curated_options(&d->terms, NULL, &all, &err));
    assert_close(json_real_value(json_object_get(all, "output_sd")), sqrt(2) * 4, 1e-6);
    json_decref(all);
    json_decref(given);
}

/* -- the deployment ------------------------------------------------------------------------ */

typedef struct party {
    tc_store *store;
    tc_ledger *ledger;
    size_t order[N];
} party;

static tacit_status keep(void *user, const size_t *order, size_t rows, const tacit_hash *hash,
                         tacit_error *err)
{
    party *p = user;
    (void)hash;
    (void)err;
    memcpy(p->order, order, rows * sizeof *order);
    return TACIT_OK;
}

static void deploy_release(party *p, const fixture *d, uint64_t seed, tc_row_release *out)
{
    tacit_error err = {0};
    const tc_domain *rows = tc_objective_space(d->objective)->domain;
    double x[N * D];
    tc_ledger_io io;
    tc_test_noise noise;
    tc_row_keeper keeper = {keep, p};
    for (size_t i = 0; i < N * D; i++)
        x[i] = rows->raw[i / D + i % D * N];
    assert_ok(tc_store_open(&p->store, "memory:", true, &err));
    assert_ok(tc_store_ledger(p->store, "rows", true, &io, &err));
    assert_ok(tc_ledger_open(&p->ledger, "rows", &io, &err));
    tc_test_noise_init(&noise, seed, 0);
    tc_entropy e = tc_entropy_of_test(&noise);
    assert_ok(tc_row_curator_release(p->ledger, NULL, &d->terms, x, &e, &keeper, out, &err));
}

/* The file as it goes to the modeler, read back. */
static tc_space *send_release(const tc_row_release *r)
{
    tacit_error err = {0};
    const tc_row_column source[] = {{"x1", 0, 1, 1}, {"x2", 0, 1, 1}};
    char *columns[] = {"x1", "x2"};
    tc_released sent = {.name = "grid",
                        .mode = "sound",
                        .maximize = true,
                        .not_private = "seeded",
                        .statement = "none",
                        .input_sd = r->input_sd,
                        .release = r->hash,
                        .ledger = "rows",
                        .n_source = 2,
                        .source = source,
                        .radius = 1,
                        .step = r->step,
                        .rows = r->rows,
                        .cols = r->cols,
                        .columns = columns,
                        .values = r->values},
                *read;
    char *text = NULL;
    assert_ok(tacit_released_text(&sent, &text, &err));
    tc_domain *rows;
    tc_space *space;
    assert_non_null(text);
    assert_ok(tacit_released_parse(&read, text, strlen(text), "the file", &err));
    assert_ok(tc_released_domain(read, &rows, &err));
    assert_ok(tc_space_from_domain(&space, rows, &err));
    tacit_released_free(read);
    tc_free(text);
    return space;
}

static tc_optimizer *modeler(const tc_space *space, const tc_row_release *r, double output_sd,
                             uint64_t seed)
{
    tacit_error err = {0};
    tc_optimizer *o;
    json_t *options = json_pack("{s:f, s:f}", "input_sd", r->input_sd, "output_sd", output_sd);
    tc_optimizer_config cfg = {.algorithm = tc_algorithm_find("po-gp-ucb"),
                               .options = options,
                               .space = space,
                               .maximize = true,
                               .budget = TRIALS,
                               .public_seed = tc_public_seed_from(seed),
                               .party_seed = tc_party_seed_from(seed)};
    assert_ok(tc_optimizer_new(&o, &cfg, &err));
    json_decref(options);
    return o;
}

static uint64_t next_row(tc_optimizer *o, size_t *row)
{
    tacit_error err = {0};
    tc_ask_request req = {.now_ms = 1};
    tc_event e;
    do {
        assert_ok(tc_optimizer_next(o, &req, &e, &err));
        assert_ok(tc_optimizer_apply(o, &e, &err));
    } while (e.kind != TC_EVENT_ASK);
    *row = (size_t)tc_optimizer_trial(o, e.trial)->values[0];
    return e.trial;
}

static double deployed_answer(party *p, const fixture *d, const tacit_hash *release, size_t row,
                              uint64_t seed, double y)
{
    tacit_error err = {0};
    tc_test_noise noise;
    tc_row_answer a;
    tc_test_noise_init(&noise, seed, row + 1);
    tc_entropy e = tc_entropy_of_test(&noise);
    assert_ok(tc_row_curator_answer(p->ledger, NULL, &d->terms, release, row, y, &e, &a, &err));
    return a.value;
}

/* One run by hand, file by file; regret is that of the true records. */
static void deploy(fixture *d, uint64_t seed, uint64_t run, double *simple)
{
    tacit_error err = {0};
    tc_run_seeds seeds = tc_run_seeds_of(seed, run);
    party p = {0};
    tc_row_release r = {0};
    double best = INFINITY;
    tc_objective_free(d->objective);
    assert_ok(tc_objective_new(&d->objective, "gp-sample", &d->opts, seeds.objective, &err));
    deploy_release(&p, d, seeds.study, &r);
    tc_space *space = send_release(&r);
    tc_optimizer *o = modeler(space, &r, sqrt(2) * 4 / d->terms.output_epsilon, seeds.study);
    for (size_t t = 0; t < TRIALS; t++) {
        size_t row;
        tc_event e;
        tc_stream s;
        uint64_t trial = next_row(o, &row);
        double record = (double)p.order[row];
        tc_stream_public(&s, &seeds.objective, TC_FOR_OBSERVATION, trial);
        double y = deployed_answer(&p, d, &r.hash, row, seeds.study,
                                   tc_objective_observe(d->objective, &record, &s));
        best = fmin(best, tc_objective_regret(d->objective, &record));
        simple[t] = best;
        assert_ok(tc_optimizer_tell(o, trial, NULL, y, 1, &e, &err));
        assert_ok(tc_optimizer_apply(o, &e, &err));
    }
    tc_optimizer_free(o);
    tc_space_free(space);
    tc_row_release_fini(&r);
    tc_ledger_close(p.ledger);
    tc_store_close(p.store);
}

static void test_simulated_is_deployed(void **state)
{
    fixture *d = *state;
    tacit_error err = {0};
    tacit_curves r;
    double simple[TRIALS];
    d->terms.output_epsilon = 20;
    d->terms.output_bound = 2;
    tc_simulation sim = simulation_of(d, TRIALS, RUNS);
    tc_row_cost cost;
    assert_ok(tc_row_cost_of(&d->terms, &cost, &err));
    assert_close(cost.output_sd, sqrt(2) * 4 / 20, 1e-6);
    json_t *options = json_pack("{s:f}", "output_sd", sqrt(2) * 4 / 20);
    sim.options = options;
    assert_ok(tc_simulate(&sim, &r, &err));
    for (uint64_t run = 0; run < sim.runs; run++) {
        deploy(d, sim.seed, run, simple);
        for (size_t t = 0; t < TRIALS; t++)
            assert_same_bits(r.simple[run * TRIALS + t], simple[t]);
    }
    tacit_curves_fini(&r);
    json_decref(options);
}

static void test_threads_do_not_show(void **state)
{
    fixture *d = *state;
    tacit_error err = {0};
    tc_simulation sim = simulation_of(d, TRIALS, RUNS);
    tacit_curves one, two;
    tc_pool *pool;
    assert_ok(tc_pool_new(&pool, 2, &err));
    assert_ok(tc_simulate(&sim, &one, &err));
    sim.pool = pool;
    assert_ok(tc_simulate(&sim, &two, &err));
    for (size_t i = 0; i < (size_t)sim.runs * TRIALS; i++)
        assert_same_bits(one.cumulative[i], two.cumulative[i]);
    tacit_curves_fini(&one);
    tacit_curves_fini(&two);
    tc_pool_free(pool);
}

/* -- refusals ------------------------------------------------------------------------------ */

static void test_refusals(void **state)
{
    fixture *d = *state;
    tacit_error err = {0};
    tacit_curves r;
    tc_curated *c;
    tc_objective *box;
    tc_reply reply;
    tc_simulation sim = simulation_of(d, TRIALS, RUNS);
    sim.algorithm = tc_algorithm_find("gp-ucb");
    assert_fails(tc_simulate(&sim, &r, &err), TACIT_E_ARG,
                 "gp-ucb is not the algorithm of a modeler");
    sim = simulation_of(d, TRIALS, RUNS);
    assert_ok(tc_reply_init(&reply, TACIT_REPLY_LAPLACE, 1, -1, 1, &err));
    sim.reply = &reply;
    assert_fails(tc_simulate(&sim, &r, &err), TACIT_E_ARG, "where there is a curator, it answers");
    sim = simulation_of(d, TRIALS, RUNS);
    sim.family.objective.grid = 5;
    assert_fails(tc_simulate(&sim, &r, &err), TACIT_E_ARG,
                 "the terms are about 64 rows of 2 columns, the objective has 25 of 2");
    d->terms.epsilon = -1;
    assert_fails(tc_simulate(&sim, &r, &err), TACIT_E_ARG, "epsilon");
    d->terms.epsilon = 1;
    tc_objective_opts smooth = {0};
    assert_ok(tc_objective_new(&box, "branin", &smooth, tc_public_seed_from(1), &err));
    assert_fails(tc_curated_new(&c, &d->terms, box, 1, &err), TACIT_E_ARG,
                 "a curator releases rows, and this objective has a continuous space");
    tc_objective_free(box);
    assert_true(tc_is_modeler(tc_algorithm_find("po-gp-ucb")));
    assert_false(tc_is_modeler(tc_algorithm_find("ts")));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        WITH_FIXTURE(test_terms_are_those_of_the_objective),
        WITH_FIXTURE(test_rows_are_shuffled_and_noisy),
        WITH_FIXTURE(test_names_of_a_projection),
        WITH_FIXTURE(test_answers),
        WITH_FIXTURE(test_private_answers),
        WITH_FIXTURE(test_options_know_the_noise),
        WITH_FIXTURE(test_simulated_is_deployed),
        WITH_FIXTURE(test_threads_do_not_show),
        WITH_FIXTURE(test_refusals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
