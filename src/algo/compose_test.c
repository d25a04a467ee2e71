/* compose_test.c - siblings asked together propose what each would propose alone, bit for bit; and
 * whose failure is told. */
#include "support/features_model.h"

#include "algo/dp_fts_de/dp_fts_de.h"
#include "algo/optimizer.h"
#include "base/error.h"
#include "base/json.h"

enum { N = 37, M = 9, P = 3, INITIAL = 2, STEPS = 9 };

static tc_space *line(void)
{
    tacit_error err = {0};
    tc_domain *d = NULL;
    tc_space *s = NULL;
    assert_ok(tc_domain_grid(&d, 1, (size_t[]){90}, (double[]){0}, (double[]){1}, &err));
    assert_ok(tc_space_from_domain(&s, d, &err));
    return s;
}

static void make(tc_optimizer **o, size_t n, const tc_algorithm *a, const tc_space *s,
                 const char *options)
{
    tacit_error err = {0};
    json_t *j = NULL;
    assert_ok(tc_json_parse(options, strlen(options), "options", &j, &err));
    for (size_t i = 0; i < n; i++) {
        tc_optimizer_config cfg = {.algorithm = a,
                                   .options = j,
                                   .space = s,
                                   .maximize = true,
                                   .public_seed = tc_public_seed_from(3),
                                   .party_seed = tc_party_seed_from(4),
                                   .party = i,
                                   .agents = tc_algorithm_federated(a) ? n : 0,
                                   .sibling = i > 0 ? o[0] : NULL};
        assert_ok(tc_optimizer_new(&o[i], &cfg, &err));
    }
    json_decref(j);
}

static void end(tc_optimizer **o, size_t n)
{
    for (size_t i = 0; i < n; i++)
        tc_optimizer_free(o[i]);
}

static void apply(tc_optimizer *o, const tc_event *e)
{
    tacit_error err = {0};
    assert_ok(tc_optimizer_apply(o, e, &err));
}

static void same_event(const tc_event *a, const tc_event *b, size_t params)
{
    assert_int_equal(a->kind, b->kind);
    assert_int_equal(a->trial, b->trial);
    assert_int_equal(a->time_ms, b->time_ms);
    assert_int_equal(a->lease_ms, b->lease_ms);
    assert_int_equal(a->values == NULL, b->values == NULL);
    for (size_t d = 0; a->values && d < params; d++)
        assert_same_bits(a->values[d], b->values[d]);
}

/* Proposes for all at once, and again for each alone; checks that nothing differs, applies. */
static void step(tc_optimizer **o, size_t n, const tc_ask_request *req, tc_event *events)
{
    static double together[N][2];
    tacit_error err = {0};
    size_t params = tc_optimizer_space(o[0])->n_params;
    assert_ok(tc_optimizer_next_many(o, n, req, events, &err));
    for (size_t i = 0; i < n; i++)
        if (events[i].values) {
            memcpy(together[i], events[i].values, params * sizeof(double));
            events[i].values = together[i];
        }
    for (size_t i = 0; i < n; i++) {
        tc_event alone;
        assert_ok(tc_optimizer_next(o[i], req, &alone, &err));
        same_event(&events[i], &alone, params);
        apply(o[i], &events[i]);
    }
}

static double value_at(const tc_optimizer *o, uint64_t trial, size_t agent)
{
    return sin(0.1 * tc_optimizer_trial(o, trial)->values[0] + 0.01 * (double)agent);
}

static void tell_all(tc_optimizer **o, size_t n, const tc_event *events)
{
    tacit_error err = {0};
    tc_event e;
    for (size_t i = 0; i < n; i++) {
        double y = value_at(o[i], events[i].trial, i);
        assert_ok(tc_optimizer_tell(o[i], events[i].trial, NULL, y, 0, &e, &err));
        apply(o[i], &e);
    }
}

/* A round whose broadcast is made up. */
static void run_round(tc_optimizer **o, size_t n, uint64_t round)
{
    uint8_t bytes[8 * P * M] = {0};
    tacit_error err = {0};
    tc_event e;
    for (size_t k = 0; k < P * M; k++)
        bytes[8 * k + 1] = (uint8_t)(k * 37 + round * 11);
    for (size_t i = 0; i < n; i++) {
        assert_ok(tc_optimizer_publish(o[i], 0, &e, &err));
        apply(o[i], &e);
        assert_ok(tc_optimizer_absorb(o[i], round, bytes, sizeof bytes, 0, &e, &err));
        apply(o[i], &e);
    }
}

static void federated_siblings(void **state)
{
    static const char *const settings[] = {
        "{" FEATURES_MODEL
        "\"features\": 9, \"regions\": 3, \"initial\": 3, \"releases\": \"all\"}",
        "{" FEATURES_MODEL
        "\"features\": 9, \"regions\": 3, \"initial\": 3, \"releases\": \"0,3\"}"};
    tc_optimizer *o[N];
    tc_event events[N];
    tc_ask_request req = {.now_ms = 5, .lease_ms = 100};
    tc_space *s = line();
    (void)state;
    for (size_t k = 0; k < 2; k++) {
        make(o, N, &tc_algorithm_dp_fts_de, s, settings[k]);
        for (uint64_t t = 0; t < STEPS; t++) {
            tacit_error err = {0};
            tc_need need;
            assert_ok(tc_optimizer_need(o[0], &need, &err));
            if (need.may & TC_NEED_PUBLISH)
                run_round(o, N, need.round);
            step(o, N, &req, events);
            tell_all(o, N, events);
        }
        end(o, N);
    }
    tc_space_free(s);
}

static void an_algorithm_that_is_asked_one_by_one(void **state)
{
    tc_optimizer *o[N];
    tc_event events[N];
    tc_ask_request req = {.now_ms = 5};
    tc_space *s = line();
    (void)state;
    make(o, N, tc_algorithm_find("random"), s, "{}");
    for (int t = 0; t < STEPS; t++) {
        step(o, N, &req, events);
        tell_all(o, N, events);
    }
    end(o, N);
    tc_space_free(s);
}

/* Some have a trial that is waiting, some one whose lease ran out; the rest are asked. */
static void other_events_among_them(void **state)
{
    tc_optimizer *o[N];
    tc_event events[N], e;
    tacit_error err = {0};
    tc_space *s = line();
    (void)state;
    make(o, N, &tc_algorithm_dp_fts_de, s,
         "{" FEATURES_MODEL "\"features\": 9, \"regions\": 3, \"initial\": 99}");
    for (size_t i = 0; i < N; i += 3) {
        double point = (double)i;
        assert_ok(tc_optimizer_enqueue(o[i], &point, 0, &e, &err));
        apply(o[i], &e);
    }
    tc_ask_request req = {.now_ms = 1, .lease_ms = 10};
    step(o, N, &req, events);
    assert_int_equal(events[3].kind, TC_EVENT_ASK);
    assert_true(events[3].values[0] == 3);
    for (size_t i = 0; i < N; i += 2) {
        assert_ok(tc_optimizer_tell(o[i], 0, NULL, 1, 2, &e, &err));
        apply(o[i], &e);
    }
    req.now_ms = 100;
    step(o, N, &req, events);
    assert_int_equal(events[1].kind, TC_EVENT_STALE);
    assert_int_equal(events[2].kind, TC_EVENT_ASK);
    end(o, N);
    tc_space_free(s);
}

/* ---- failures: an algorithm that fails where its options say ---- */

typedef struct fragile_options {
    int64_t ask_fails, never_may; /* party */
} fragile_options;

typedef struct fragile {
    const tc_env *env;
    const fragile_options *opts;
} fragile;

static tacit_status fragile_init(void *st, const tc_env *env, const void *opts, tacit_error *err)
{
    (void)err;
    *(fragile *)st = (fragile){.env = env, .opts = opts};
    return TACIT_OK;
}

static void fragile_fini(void *st)
{
    (void)st;
}

static tacit_status fragile_ask(void *st, uint64_t trial, double *values, tacit_error *err)
{
    const fragile *f = st;
    (void)trial;
    values[0] = 0;
    if ((int64_t)f->env->party == f->opts->ask_fails)
        return tc_fail(err, TACIT_E_NUMERIC, "party %d cannot", (int)f->env->party);
    return TACIT_OK;
}

static void fragile_need(const void *st, tc_need *out)
{
    const fragile *f = st;
    bool may = (int64_t)f->env->party != f->opts->never_may;
    *out = (tc_need){.may = may ? TC_NEED_TRIAL : 0, .round = f->env->party};
}

static const tc_option fragile_table[] = {{.name = "ask_fails",
                                           .type = TC_OPTION_INT,
                                           .offset = offsetof(fragile_options, ask_fails),
                                           .def = "-1",
                                           .min = -1,
                                           .max = N},
                                          {.name = "never_may",
                                           .type = TC_OPTION_INT,
                                           .offset = offsetof(fragile_options, never_may),
                                           .def = "-1",
                                           .min = -1,
                                           .max = N},
                                          {.name = NULL}};

static const tc_optimizer_ops fragile_ops = {.state_size = sizeof(fragile),
                                             .init = fragile_init,
                                             .fini = fragile_fini,
                                             .ask = fragile_ask,
                                             .need = fragile_need};

static const tc_algorithm fragile_algorithm = {.name = "fragile",
                                               .options = fragile_table,
                                               .options_size = sizeof(fragile_options),
                                               .optimizer = &fragile_ops};

static void expect(const char *options, tacit_status status, const char *part)
{
    tacit_error err = {0};
    tc_optimizer *o[N];
    tc_event events[N];
    tc_ask_request req = {0};
    tc_space *s = line();
    make(o, N, &fragile_algorithm, s, options);
    assert_fails(tc_optimizer_next_many(o, N, &req, events, &err), status, part);
    end(o, N);
    tc_space_free(s);
}

static void the_first_failure_is_told(void **state)
{
    (void)state;
    expect("{\"ask_fails\": 5}", TACIT_E_NUMERIC, "party 5 cannot");
    expect("{\"never_may\": 5}", TACIT_E_STATE, "before round 5 is over");
    expect("{\"ask_fails\": 4, \"never_may\": 5}", TACIT_E_NUMERIC, "party 4 cannot");
    expect("{\"ask_fails\": 5, \"never_may\": 4}", TACIT_E_STATE, "before round 4 is over");
    expect("{\"ask_fails\": 36, \"never_may\": 35}", TACIT_E_STATE, "before round 35 is over");
}

static void none_are_none(void **state)
{
    tacit_error err = {0};
    tc_ask_request req = {0};
    (void)state;
    assert_ok(tc_optimizer_next_many(NULL, 0, &req, NULL, &err));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(federated_siblings),
        cmocka_unit_test(an_algorithm_that_is_asked_one_by_one),
        cmocka_unit_test(other_events_among_them),
        cmocka_unit_test(the_first_failure_is_told),
        cmocka_unit_test(none_are_none),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
