/* curve_federation_test.c - results of federations as CSV and JSON, read back. */
#include "sim/curve_file.h"

#include "base/csv.h"
#include "base/json.h"
#include "base/memory.h"
#include "support/test.h"

enum { AGENTS = 3, ROUNDS = 6, RUNS = 4, ITERATIONS = ROUNDS + 1 };

/* Two algorithms on the same runs. */
typedef struct pair {
    tc_simulation f[2];
    tacit_curves r[2];
    tc_federated_cost c[2];
    json_t *options[2];
    tc_curve_part parts[2];
} pair;

static void start(pair *p)
{
    static const char *const names[] = {"dp-fts-de", "ts"}, *const labels[] = {"a,\"b\"", "ts"};
    tacit_error err = {0};
    p->options[0] = json_pack("{s:i, s:i, s:s}", "features", 8, "initial", 2, "releases", "0,3");
    p->options[1] = json_pack("{s:i}", "init", 2);
    for (size_t i = 0; i < 2; i++) {
        p->f[i] = (tc_simulation){.source = &tc_source_federation,
                                  .algorithm = tc_algorithm_find(names[i]),
                                  .options = p->options[i],
                                  .objective = "gp-family",
                                  .agents = AGENTS,
                                  .trials = ROUNDS,
                                  .runs = RUNS,
                                  .seed = 7,
                                  .by_agent = true};
        assert_ok(tc_options_defaults(tc_family_options, &p->f[i].family, &err));
        p->f[i].family.objective.grid = 50;
        assert_ok(tc_simulate(&p->f[i], &p->r[i], &err));
        assert_ok(tc_federated_cost_init(&p->c[i], &p->r[i], &tc_accountant_pld, 1e-3, &err));
        p->parts[i] = (tc_curve_part){
            .label = labels[i], .sim = &p->f[i], .curves = &p->r[i], .cost = &p->c[i]};
    }
}

static void end(pair *p)
{
    for (size_t i = 0; i < 2; i++) {
        tacit_curves_fini(&p->r[i]);
        tc_federated_cost_fini(&p->c[i]);
        json_decref(p->options[i]);
    }
}

static void check_curve(const tacit_curves *c, const tc_curve_part *p)
{
    assert_string_equal(c->label, p->label);
    assert_string_equal(c->algorithm, p->sim->algorithm->name);
    assert_string_equal(c->objective, "gp-family");
    assert_int_equal(c->runs, RUNS);
    assert_int_equal(c->seed, 7);
    assert_int_equal(c->points, ITERATIONS);
    for (size_t t = 0; t < ITERATIONS; t++) {
        assert_same_bits(c->at[t], (double)t);
        assert_same_bits(c->simple_mean[t], p->curves->simple_mean[t]);
        assert_same_bits(c->simple_se[t], p->curves->simple_se[t]);
        assert_same_bits(c->cumulative_mean[t], p->curves->cumulative_mean[t]);
        assert_same_bits(c->cumulative_se[t], p->curves->cumulative_se[t]);
    }
}

static void test_curves_read_back(void **state)
{
    (void)state;
    tacit_error err = {0};
    pair p;
    start(&p);
    tc_text csv = {0};
    json_t *j;
    tacit_curve_set c = {0};
    assert_ok(tc_curves_csv(p.parts, 2, &csv, &err));
    assert_ok(tc_curves_from_csv(&c, tc_text_get(&csv), csv.len, "r.csv", &err));
    assert_int_equal(c.n, 2);
    assert_ok(tc_curves_json(p.parts, 2, &j, &err));
    assert_ok(tc_curves_from_json(&c, j, "r.json", &err));
    assert_int_equal(c.n, 4);
    for (size_t i = 0; i < 4; i++)
        check_curve(&c.items[i], &p.parts[i % 2]);
    json_decref(j);
    assert_ok(tc_curves_json(p.parts, 1, &j, &err));
    assert_ok(tc_curves_from_json(&c, j, "r.json", &err));
    assert_int_equal(c.n, 5);
    check_curve(&c.items[4], &p.parts[0]);
    assert_int_equal(json_object_del(j, "evaluations"), 0); /* as files from before are */
    assert_ok(tc_curves_from_json(&c, j, "r.json", &err));
    check_curve(&c.items[5], &p.parts[0]);
    json_decref(j);
    tacit_curve_set_fini(&c);
    tc_text_fini(&csv);
    end(&p);
}

/* Columns beyond the curves, by a reader of CSV. */
static void test_csv_has_the_cost(void **state)
{
    (void)state;
    tacit_error err = {0};
    pair p;
    start(&p);
    tc_text text = {0};
    tc_csv csv;
    assert_ok(tc_curves_csv(p.parts, 1, &text, &err));
    tc_csv_init(&csv, tc_text_get(&text), text.len, "r.csv");
    assert_ok(tc_csv_next(&csv, &err));
    assert_int_equal(csv.n, 15);
    assert_string_equal(csv.field[14], "evaluations");
    for (size_t t = 0; t < ITERATIONS; t++) {
        double epsilon, delta;
        unsigned long long evaluations;
        assert_ok(tc_csv_next(&csv, &err));
        assert_true(tc_parse_double(csv.field[11], &epsilon));
        assert_true(tc_parse_double(csv.field[12], &delta));
        assert_same_bits(epsilon, tc_federated_cost_at(&p.c[0], t));
        assert_same_bits(delta, 1e-3);
        assert_int_equal(*csv.field[13] != '\0', t == ROUNDS);
        assert_true(tc_parse_u64(csv.field[14], &evaluations));
        assert_int_equal(evaluations, 2 + t); /* after two initial points */
    }
    assert_non_null(strstr(csv.field[13], "NOT PRIVATE: seeded"));
    tc_csv_fini(&csv);
    tc_text_fini(&text);
    end(&p);
}

static void test_refused_messages_are_told_of(void **state)
{
    (void)state;
    tacit_error err = {0};
    pair p;
    json_t *j = NULL;
    start(&p);
    p.r[0].counts[0].sent.rejected = 2;
    p.r[0].rejection = tc_strdup("agent 1 in round 0: too short");
    assert_non_null(p.r[0].rejection);
    assert_ok(tc_curves_json(p.parts, 1, &j, &err));
    const json_t *m = json_object_get(j, "messages");
    assert_int_equal(json_integer_value(json_object_get(m, "rejected")), 2);
    assert_string_equal(json_string_value(json_object_get(m, "rejection")),
                        "agent 1 in round 0: too short");
    json_decref(j);
    assert_ok(tc_curves_json(&p.parts[1], 1, &j, &err));
    assert_true(json_is_null(json_object_get(json_object_get(j, "messages"), "rejection")));
    json_decref(j);
    end(&p);
}

static void test_agents_add_up(void **state)
{
    (void)state;
    tacit_error err = {0};
    pair p;
    start(&p);
    tc_text text = {0};
    tc_csv csv;
    double sum[ITERATIONS] = {0};
    size_t rows = 0;
    tc_curves_agents_csv(&p.parts[1], 1, &text);
    tc_csv_init(&csv, tc_text_get(&text), text.len, "agents.csv");
    assert_ok(tc_csv_next(&csv, &err));
    assert_string_equal(csv.field[0], "run");
    for (;; rows++) {
        unsigned long long t;
        double regret;
        assert_ok(tc_csv_next(&csv, &err));
        if (csv.n == 0)
            break;
        assert_true(tc_parse_u64(csv.field[2], &t));
        assert_true(tc_parse_double(csv.field[3], &regret));
        sum[t] += regret / (AGENTS * RUNS);
    }
    assert_int_equal(rows, AGENTS * RUNS * ITERATIONS);
    for (size_t t = 0; t < ITERATIONS; t++)
        assert_close(sum[t], p.r[1].simple_mean[t], 1e-12);
    text.len = 0;
    tc_curves_agents_csv(p.parts, 2, &text);
    assert_int_equal(strncmp(tc_text_get(&text), "label,run,", 10), 0);
    tc_csv_fini(&csv);
    tc_text_fini(&text);
    end(&p);
}

static const json_t *at(const json_t *j, const char *a, const char *b)
{
    const json_t *found = json_object_get(j, a);
    return b ? json_object_get(found, b) : found;
}

static void test_json_members(void **state)
{
    (void)state;
    tacit_error err = {0};
    pair p;
    start(&p);
    json_t *j;
    assert_ok(tc_curves_json(p.parts, 1, &j, &err));
    assert_int_equal(json_integer_value(at(j, "agents", NULL)), AGENTS);
    assert_int_equal(json_integer_value(at(j, "initial", NULL)), 2);
    assert_int_equal(json_integer_value(at(j, "trials", NULL)), 2 + ROUNDS);
    assert_int_equal(json_array_size(at(j, "iterations", NULL)), ITERATIONS);
    assert_int_equal(json_array_size(at(j, "evaluations", NULL)), ITERATIONS);
    for (size_t t = 0; t < ITERATIONS; t++)
        assert_int_equal(json_integer_value(json_array_get(at(j, "evaluations", NULL), t)), 2 + t);
    assert_int_equal(json_integer_value(at(j, "messages", "count")), 2 * AGENTS);
    assert_true(json_is_integer(at(j, "messages", "of_run")));
    assert_int_equal(json_integer_value(at(j, "messages", "of_run")), 0);
    assert_int_equal(json_integer_value(at(j, "messages", "releases")), 2);
    assert_int_equal(json_integer_value(at(j, "messages", "bytes")), p.r[0].counts[0].sent.bytes);
    assert_close(json_number_value(at(j, "messages", "per_agent_bytes")) * AGENTS,
                 (double)p.r[0].counts[0].sent.bytes, 1e-9);
    assert_true(json_is_false(at(j, "privacy", "private")));
    assert_string_equal(json_string_value(at(j, "privacy", "reason")), "seeded");
    const json_t *deployed = at(j, "privacy", "if_deployed");
    assert_same_bits(json_number_value(at(deployed, "epsilon", NULL)), p.c[0].bound.epsilon);
    assert_int_equal(json_array_size(at(deployed, "by_round", NULL)), ROUNDS);
    assert_non_null(strstr(json_string_value(at(deployed, "statement", NULL)), "Not protected"));
    json_decref(j);
    end(&p);
}

static char *text_of(const pair *p)
{
    tacit_error err = {0};
    json_t *j = NULL;
    assert_ok(tc_curves_json(p->parts, 2, &j, &err));
    char *text = tc_json_text(j);
    json_decref(j);
    assert_non_null(text);
    return text;
}

static void test_json_has_no_times(void **state)
{
    (void)state;
    pair p;
    start(&p);
    char *a = text_of(&p);
    p.r[0].seconds += 1000;
    p.r[1].seconds += 2000;
    char *b = text_of(&p);
    assert_string_equal(a, b);
    tc_free(a);
    tc_free(b);
    end(&p);
}

static void test_json_warns_of_a_large_delta(void **state)
{
    (void)state;
    tacit_error err = {0};
    pair p;
    json_t *j;
    start(&p);
    assert_ok(tc_curves_json(p.parts, 1, &j, &err));
    assert_true(json_is_null(at(at(j, "privacy", "if_deployed"), "warning", NULL)));
    json_decref(j);
    p.c[0].bound.delta = 1.0 / (AGENTS * AGENTS); /* as large as it may be */
    assert_ok(tc_curves_json(p.parts, 1, &j, &err));
    assert_true(json_is_null(at(at(j, "privacy", "if_deployed"), "warning", NULL)));
    json_decref(j);
    p.c[0].bound.delta = 0.125;
    assert_ok(tc_curves_json(p.parts, 1, &j, &err));
    assert_string_equal(json_string_value(at(at(j, "privacy", "if_deployed"), "warning", NULL)),
                        "delta 0.125 is above 1/N^2 = 0.111111 for 3 agents");
    json_decref(j);
    end(&p);
}

static void check_objective(const char *name, int64_t dim, int64_t grid, const char *expected)
{
    tacit_error err = {0};
    tc_family_opts o = {0};
    tc_family *f = NULL;
    json_t *j = NULL;
    assert_ok(tc_options_defaults(tc_family_options, &o, &err));
    o.objective.dim = dim;
    o.objective.grid = grid;
    assert_ok(tc_family_new(&f, name, &o, 1, tc_public_seed_from(1), &err));
    assert_ok(tc_family_used(name, &o, tc_family_space(f), &j, &err));
    char *text = tc_json_text(j);
    assert_string_equal(text, expected);
    tc_free(text);
    json_decref(j);
    tc_family_free(f);
    tc_options_fini(tc_family_options, &o);
}

/* Numbers and laws in place of "its own", and nothing that does nothing. */
static void test_objective_as_used(void **state)
{
    (void)state;
#define BEGIN(dim, law) "{\"dim\":" dim ",\"shift\":0.0,\"noise\":\"" law "\",\"noise-scale\":0.1"
    check_objective("gp-family", 0, 0,
                    BEGIN("1", "gaussian") ",\"lengthscale\":0.03,\"grid\":1000,"
                                           "\"heterogeneity\":0.1,\"distance\":0.0}");
    check_objective("gp-family", 2, 0,
                    BEGIN("2", "gaussian") ",\"lengthscale\":0.03,\"grid\":32,"
                                           "\"heterogeneity\":0.1,\"distance\":0.0}");
    check_objective("gp-sample", 0, 0, BEGIN("2", "none") ",\"lengthscale\":0.2,\"grid\":0}");
    check_objective("gp-sample", 0, 7, BEGIN("2", "none") ",\"lengthscale\":0.2,\"grid\":7}");
    check_objective("branin", 0, 0, BEGIN("2", "none") "}");
#undef BEGIN
}

static void test_part_says_the_objective_as_used(void **state)
{
    (void)state;
    tacit_error err = {0};
    pair p;
    json_t *j, *used = json_pack("{s:i}", "dim", 9);
    start(&p);
    p.parts[0].objective_options = used;
    assert_ok(tc_curves_json(p.parts, 1, &j, &err));
    json_object_set_new(used, "value-scale", json_real(1)); /* told as it is */
    json_object_set_new(used, "value-shift", json_real(0));
    json_object_set_new(used, "value-negate", json_false());
    assert_true(json_equal(at(j, "objective_options", NULL), used));
    json_decref(j);
    json_decref(used);
    end(&p);
}

static void test_ratios(void **state)
{
    (void)state;
    static const uint64_t points[] = {1, 5, ROUNDS};
    tacit_error err = {0};
    pair p;
    start(&p);
    tacit_contrast *k;
    size_t n;
    assert_ok(tc_curve_contrasts(p.parts, 2, &k, &n, &err));
    assert_int_equal(n, 3);
    for (size_t i = 0; i < n; i++) {
        uint64_t t = points[i];
        assert_int_equal(k[i].of, 1);
        assert_int_equal(k[i].point, t);
        assert_close(k[i].ratio.ratio, p.r[1].simple_mean[t] / p.r[0].simple_mean[t], 1e-12);
    }
    tc_free(k);
    p.r[0].runs = 1; /* one run has nothing to be paired over */
    assert_ok(tc_curve_contrasts(p.parts, 2, &k, &n, &err));
    assert_int_equal(n, 0);
    tc_free(k);
    end(&p);
}

int main(void)
{
    tc_json_start();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_curves_read_back),
        cmocka_unit_test(test_csv_has_the_cost),
        cmocka_unit_test(test_refused_messages_are_told_of),
        cmocka_unit_test(test_agents_add_up),
        cmocka_unit_test(test_json_members),
        cmocka_unit_test(test_json_has_no_times),
        cmocka_unit_test(test_json_warns_of_a_large_delta),
        cmocka_unit_test(test_objective_as_used),
        cmocka_unit_test(test_part_says_the_objective_as_used),
        cmocka_unit_test(test_ratios),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
