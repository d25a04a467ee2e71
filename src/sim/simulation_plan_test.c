/* simulation_plan_test.c - <tacit/experimental/simulate.h>: the three kinds of plans, what they find, what they say. */
#include "support/test.h"

#include "base/memory.h"
#include "sim/runs.h"
#include "sim/simulation.h"

#include <stdio.h>
#include <unistd.h>

static tacit_simulation_plan small(const char *algorithm)
{
    tacit_simulation_plan p = tacit_simulation_plan_default();
    p.algorithm = algorithm;
    p.runs = 2;
    p.seed = 3;
    p.threads = 1;
    return p;
}

static tacit_simulation *simulate(const tacit_simulation_plan *p)
{
    tacit_error err = {0};
    tacit_simulation *s;
    assert_ok(tacit_simulate(&s, p, &err));
    return s;
}

static void refused(const tacit_simulation_plan *p, tacit_status code, const char *why)
{
    tacit_error err = {0};
    tacit_simulation *s = NULL;
    assert_fails(tacit_simulate(&s, p, &err), code, why);
    assert_null(s);
}

/* A plan is the simulation that its members say. */
static void test_one_party(void **state)
{
    (void)state;
    tacit_error err = {0};
    tacit_simulation_plan p = small("random");
    tc_simulation sim = {.algorithm = tc_algorithm_find("random"),
                         .objective = "branin",
                         .family.objective = {.noise_scale = 0.1, .lengthscale = 0.2},
                         .trials = 5,
                         .runs = 2,
                         .seed = 3};
    tacit_curves direct;
    p.trials = 5;
    tacit_simulation *s = simulate(&p);
    const tacit_simulated *f = tacit_simulation_get(s, 0);
    assert_ok(tc_simulate(&sim, &direct, &err));
    assert_int_equal(tacit_simulation_count(s), 1);
    assert_null(tacit_simulation_get(s, 1));
    assert_null(f->label);
    assert_string_equal(f->statement, "");
    assert_string_equal(f->curves->objective, "branin");
    assert_int_equal(f->curves->points, 5);
    for (size_t i = 0; i < 10; i++)
        assert_same_bits(f->curves->simple[i], direct.simple[i]);
    tacit_curves_fini(&direct);
    tacit_simulation_free(s);
}

/* What is written is read back. */
static void test_text_and_file(void **state)
{
    (void)state;
    tacit_error err = {0};
    tacit_simulation_plan p = small("fts");
    static const char *const sets[] = {"features=8", "initial=2"};
    char *text, file[] = "plan_test.json";
    tacit_curve_set set = {0};
    p.sets = sets;
    p.n_sets = 2;
    p.versus = "random";
    p.agents = 2;
    p.rounds = 3;
    p.family.objective.grid = 30;
    p.by_agent = true;
    tacit_simulation *s = simulate(&p);
    assert_int_equal(tacit_simulation_count(s), 2);
    const tacit_simulated *first = tacit_simulation_get(s, 0);
    assert_string_equal(first->label, "fts,features=8,initial=2");
    assert_true(first->sends && first->none && !tacit_simulation_get(s, 1)->sends);
    assert_non_null(strstr(first->given, "\"features\":8"));
    assert_ok(tacit_simulation_text(s, TACIT_CURVES_JSON, &text, &err));
    FILE *out = fopen(file, "w");
    assert_non_null(out);
    assert_true(fputs(text, out) >= 0 && fclose(out) == 0);
    tacit_text_free(text);
    assert_ok(tacit_curves_read(&set, file, &err));
    assert_int_equal(set.n, 2);
    for (size_t i = 0; i < 2; i++)
        for (size_t t = 0; t < 4; t++)
            assert_same_bits(set.items[i].simple_mean[t],
                             tacit_simulation_get(s, i)->curves->simple_mean[t]);
    tacit_curve_set_fini(&set);
    (void)unlink(file);
    assert_ok(tacit_simulation_text(s, TACIT_CURVES_BY_AGENT, &text, &err));
    assert_int_equal(strncmp(text, "label,run,agent,", 16), 0);
    tacit_text_free(text);
    tacit_simulation_free(s);
}

static void test_contrasts(void **state)
{
    (void)state;
    tacit_error err = {0};
    tacit_simulation_plan p = small("hct");
    const tacit_contrast *rows;
    size_t n;
    char *text;
    p.pulls = 200;
    p.versus = "hct,nu=2";
    tacit_simulation *s = simulate(&p);
    assert_ok(tacit_simulation_contrasts(s, &rows, &n, &err));
    assert_int_equal(n, 3);
    assert_true(rows[2].of == 1 && rows[2].point == 99 && rows[2].ratio.ratio > 0);
    assert_fails(tacit_simulation_text(s, TACIT_CURVES_BY_AGENT, &text, &err), TACIT_E_STATE,
                 "the plan has no by_agent");
    tacit_simulation_free(s);
}

typedef struct heard {
    unsigned begun, notes;
    uint64_t steps;
    bool stop;
} heard;

static void begin(void *user, const char *label, uint64_t steps)
{
    heard *h = user;
    assert_string_equal(label, "po-gp-ucb on gp-sample");
    h->begun++;
    h->steps = steps;
}

static bool progress(void *user, uint64_t done)
{
    const heard *h = user;
    assert_true(done <= h->steps);
    return !h->stop;
}

static void note(void *user, const char *sentence)
{
    heard *h = user;
    assert_string_equal(sentence,
                        "po-gp-ucb sees the rows themselves; with --epsilon a curator releases "
                        "them.");
    h->notes++;
}

static void test_callbacks(void **state)
{
    (void)state;
    heard h = {0};
    tacit_simulation_plan p = small("po-gp-ucb");
    p.objective = "gp-sample";
    p.family.objective.grid = 8;
    p.trials = 4;
    p.user = &h;
    p.begin = begin;
    p.progress = progress;
    p.note = note;
    tacit_simulation_free(simulate(&p));
    assert_true(h.begun == 1 && h.steps == 8 && h.notes == 1);
    h.stop = true;
    refused(&p, TACIT_E_CANCELLED, "the simulation was interrupted");
}

static void test_refusals(void **state)
{
    (void)state;
    tacit_error err = {0};
    tacit_simulation *s;
    tacit_simulation_plan p = small("no-such");
    refused(&p, TACIT_E_ARG, "no-such");
    p = small("hct");
    p.pulls = 100;
    p.curator.radius = 2;
    refused(&p, TACIT_E_ARG, "--radius does not go with --pulls: bandits only pull");
    p = small("gp-ei");
    p.accountant = 9;
    refused(&p, TACIT_E_ARG, "--accountant must be in [0, 3], not 9");
    p = small("gp-ei");
    p.past = -1;
    refused(&p, TACIT_E_ARG, "--past must be in [0, 1e+06], not -1");
    p = small("dp-fts-de");
    refused(&p, TACIT_E_ARG, "say of how many with --agents");
    assert_fails(tacit_simulate(NULL, &p, &err), TACIT_E_ARG, "out must not be NULL");
    assert_fails(tacit_simulate(&s, NULL, &err), TACIT_E_ARG, "plan must not be NULL");
    assert_int_equal(tacit_simulation_count(NULL), 0);
    tacit_simulation_free(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_one_party), cmocka_unit_test(test_text_and_file),
        cmocka_unit_test(test_contrasts), cmocka_unit_test(test_callbacks),
        cmocka_unit_test(test_refusals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
