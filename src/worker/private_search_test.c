/* private_search_test.c - <tacit/experimental/search.h>: paid before anything runs, and nothing is kept but the winner. */
#include <tacit/experimental/search.h>

#include "support/test.h"

#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char text[] =
    "{\"name\": \"s\", \"direction\": \"minimize\", \"trials\": 6, \"seed\": 3,"
    " \"algorithm\": {\"name\": \"random\"}, \"space\": {\"x\": {\"type\": \"float\", \"low\": 0,"
    " \"high\": 1}, \"n\": {\"type\": \"int\", \"low\": 1, \"high\": 4}, \"c\": {\"type\":"
    " \"choice\", \"choices\": [\"a\", \"b\", \"d\"]}}}";

enum { MOST = 4096, PARAMS = 3 };

/* What the runs of a search have seen. */
typedef struct scene {
    pthread_mutex_t lock;
    int runs;
    double x[MOST][PARAMS], score[MOST];
    uint64_t id[MOST];
    int fail_below; /* of 10: runs with x below that many tenths fail */
    int stop_at;    /* runs after which `stop` says so; 0: never */
    bool raw_nan;
} scene;

static scene *fresh(void)
{
    scene *s = calloc(1, sizeof *s);
    assert_non_null(s);
    pthread_mutex_init(&s->lock, NULL);
    return s;
}

static tacit_status train(void *user, uint64_t trial, const double *x, double *value,
                          tacit_error *err)
{
    scene *s = user;
    (void)err;
    pthread_mutex_lock(&s->lock);
    int i = s->runs++;
    assert_true(i < MOST);
    memcpy(s->x[i], x, sizeof s->x[i]);
    s->id[i] = trial;
    bool fails = x[0] * 10 < s->fail_below;
    *value = s->score[i] = fails ? NAN : (x[0] - 0.5) * (x[0] - 0.5) + x[1];
    pthread_mutex_unlock(&s->lock);
    return fails && !s->raw_nan ? TACIT_E_NUMERIC : TACIT_OK;
}

static bool stop(void *user)
{
    scene *s = user;
    return s->stop_at > 0 && s->runs >= s->stop_at;
}

static const tacit_dp_event cheap = {TACIT_DP_GAUSSIAN, 20, TACIT_DP_ALL, 1, 1};

static tacit_document *document(void)
{
    tacit_error err = {0};
    tacit_document *d;
    assert_ok(tacit_document_parse(&d, text, &err));
    return d;
}

static tacit_ledger *ledger(const char *where)
{
    tacit_error err = {0};
    tacit_ledger *l;
    assert_ok(tacit_ledger_create(&l, where, "records", &err));
    return l;
}

static tacit_search_opts options(scene *s, tacit_ledger *l)
{
    tacit_search_opts o = TACIT_SEARCH_OPTS;
    o.evaluate = train;
    o.user = s;
    o.stop = stop;
    o.repeats.mean = 8;
    o.events = &cheap;
    o.n_events = 1;
    o.replacing = true;
    o.ledger = l;
    o.epsilon = 50;
    o.delta = 1e-5;
    return o;
}

static uint64_t entries(tacit_ledger *l)
{
    tacit_error err = {0};
    tacit_head head;
    assert_ok(tacit_ledger_head(l, &head, &err));
    return head.seq;
}

static double spent(tacit_ledger *l)
{
    tacit_error err = {0};
    tacit_spent s = TACIT_SPENT;
    assert_ok(tacit_ledger_spent(l, TACIT_UNIT_RECORD, NULL, NULL, 1e-5, &s, &err));
    return s.epsilon;
}

static void search_once(scene *s, tacit_search_opts *o, tacit_search_winner *w, double *values)
{
    tacit_error err = {0};
    tacit_document *d = document();
    (void)s;
    assert_ok(tacit_search_run(d, o, values, w, &err));
    tacit_document_free(d);
}

/* The winner is the best of all runs, and the ledger has its price and it. */
static void the_winner_is_the_best_run(void **state)
{
    (void)state;
    for (uint64_t jobs = 1; jobs <= 4; jobs += 3) {
        scene *s = fresh();
        tacit_ledger *l = ledger("memory:");
        tacit_search_opts o = options(s, l);
        o.jobs = jobs;
        for (uint64_t i = 1; i <= 20; i++) {
            double values[PARAMS];
            tacit_search_winner w = TACIT_SEARCH_WINNER;
            s->runs = 0;
            o.epsilon = 1000;
            search_once(s, &o, &w, values);
            assert_true(w.found && s->runs >= 1);
            int best = 0;
            for (int k = 1; k < s->runs; k++)
                best = s->score[k] < s->score[best] ? k : best;
            assert_same_bits(w.score, s->score[best]);
            assert_memory_equal(values, s->x[best], sizeof values);
            assert_int_equal(w.entry, 2 * i);
            assert_int_equal(entries(l), 2 * i); /* whatever K was */
        }
        tacit_ledger_close(l);
        free(s);
    }
}

/* Price first, with an event; then one row of doubles, at no price; both of one study that no other search has. */
static void the_ledger_has_the_price_and_the_winner(void **state)
{
    (void)state;
    tacit_error err = {0};
    scene *s = fresh();
    tacit_ledger *l = ledger("memory:");
    tacit_search_opts o = options(s, l);
    double values[PARAMS];
    tacit_search_winner w = TACIT_SEARCH_WINNER;
    tacit_ledger_entry e[4] = {TACIT_LEDGER_ENTRY, TACIT_LEDGER_ENTRY, TACIT_LEDGER_ENTRY,
                               TACIT_LEDGER_ENTRY};
    o.epsilon = 100;
    search_once(s, &o, &w, values);
    search_once(s, &o, &w, values);
    for (uint64_t i = 0; i < 4; i++)
        assert_ok(tacit_ledger_get(l, i + 1, &e[i], &err));
    for (int i = 0; i < 4; i++) {
        assert_int_equal(e[i].unit, TACIT_UNIT_RECORD);
        assert_int_equal(e[i].event.mechanism, TACIT_DP_RENYI);
        assert_int_equal(e[i].event.count, i % 2 == 0);
        assert_true(e[i].is_private);
        assert_non_null(strstr(e[i].adjacency, "the best of K runs, K truncated negative binomial "
                                               "with mean 8 and shape 1; one run: "));
    }
    assert_string_equal(e[0].mechanism, "reserved");
    assert_string_equal(e[1].mechanism, "search");
    assert_int_equal(e[1].rows, 1);
    assert_int_equal(e[1].cols, PARAMS + 1);
    assert_memory_equal(&e[0].study, &e[1].study, sizeof e[0].study);
    assert_memory_not_equal(&e[0].study, &e[2].study, sizeof e[0].study);
    tacit_ledger_close(l);
    free(s);
}

static bool same_point(const scene *s, int a, int b)
{
    return memcmp(s->x[a], s->x[b], sizeof s->x[a]) == 0;
}

/* Points and numbers are fresh: no two runs of any search have the same, nor do they count up. */
static void runs_are_drawn_anew(void **state)
{
    (void)state;
    scene *s = fresh();
    tacit_ledger *l = ledger("memory:");
    tacit_search_opts o = options(s, l);
    double values[PARAMS], low = 1, high = 0;
    tacit_search_winner w = TACIT_SEARCH_WINNER;
    o.epsilon = 1e4;
    for (int i = 0; i < 20; i++)
        search_once(s, &o, &w, values);
    assert_true(s->runs > 40); /* 20 geometric draws of mean 8 are below with probability 1e-11 */
    for (int i = 0; i < s->runs; i++) {
        low = fmin(low, s->x[i][0]);
        high = fmax(high, s->x[i][0]);
        assert_true(s->x[i][1] >= 1 && s->x[i][1] <= 4 && s->x[i][2] >= 0 && s->x[i][2] <= 2);
        assert_true(s->id[i] < UINT64_C(1) << 53);
        for (int k = 0; k < i; k++)
            assert_true(!same_point(s, i, k) && s->id[i] != s->id[k]);
    }
    assert_true(low < 0.4 && high > 0.6);
    tacit_ledger_close(l);
    free(s);
}

static void a_budget_that_is_too_small_runs_nothing(void **state)
{
    (void)state;
    tacit_error err = {0};
    scene *s = fresh();
    tacit_ledger *l = ledger("memory:");
    tacit_document *d = document();
    tacit_search_opts o = options(s, l);
    tacit_search_winner w = TACIT_SEARCH_WINNER;
    tacit_guarantee g = TACIT_GUARANTEE;
    double values[PARAMS];
    assert_ok(tacit_search_cost(d, &o, &g, &err));
    o.epsilon = g.epsilon * 0.99;
    assert_fails(tacit_search_run(d, &o, values, &w, &err), TACIT_E_BUDGET,
                 "the privacy budget of every record");
    assert_int_equal(s->runs, 0);
    assert_int_equal(entries(l), 0);
    o.epsilon = g.epsilon * 1.1; /* one fits, two do not */
    assert_ok(tacit_search_run(d, &o, values, &w, &err));
    int runs = s->runs;
    assert_true(spent(l) <= o.epsilon && spent(l) >= g.epsilon * (1 - 1e-9));
    assert_fails(tacit_search_run(d, &o, values, &w, &err), TACIT_E_BUDGET, "spent");
    assert_int_equal(s->runs, runs);
    assert_int_equal(entries(l), 2);
    tacit_document_free(d);
    tacit_ledger_close(l);
    free(s);
}

static void a_search_that_is_stopped_stays_paid(void **state)
{
    (void)state;
    tacit_error err = {0};
    scene *s = fresh();
    tacit_ledger *l = ledger("memory:");
    tacit_document *d = document();
    tacit_search_opts o = options(s, l);
    tacit_search_winner w = TACIT_SEARCH_WINNER;
    double values[PARAMS];
    o.epsilon = 1000;
    o.repeats.kind = TACIT_REPEATS_POISSON;
    o.repeats.shape = 0;
    o.repeats.mean = 100; /* never below 2 */
    s->stop_at = 1;
    assert_fails(tacit_search_run(d, &o, values, &w, &err), TACIT_E_CANCELLED,
                 "it is paid for, has no winner, and cannot be continued");
    assert_int_equal(entries(l), 1);
    double once = spent(l);
    assert_true(once > 0);
    s->stop_at = 0;
    assert_ok(tacit_search_run(d, &o, values, &w, &err)); /* another one, and another charge */
    assert_int_equal(entries(l), 3);
    assert_true(spent(l) > once * 1.2);
    tacit_document_free(d);
    tacit_ledger_close(l);
    free(s);
}

/* Failures are not repeated, and lose. */
static void failures_count_as_worst(void **state)
{
    (void)state;
    scene *s = fresh();
    tacit_ledger *l = ledger("memory:");
    tacit_search_opts o = options(s, l);
    int nothing = 0, found = 0;
    o.epsilon = 1e4;
    o.repeats.mean = 2;
    s->fail_below = 7;
    for (int i = 0; i < 60; i++) {
        double values[PARAMS] = {-1, -1, -1};
        tacit_search_winner w = TACIT_SEARCH_WINNER;
        s->runs = 0;
        s->raw_nan = i % 2;
        search_once(s, &o, &w, values);
        bool any = false;
        for (int k = 0; k < s->runs; k++)
            any = any || !isnan(s->score[k]);
        assert_int_equal(w.found, any);
        found += any;
        nothing += !any;
        assert_true(any ? values[0] * 10 >= 7 : values[0] == -1);
        tacit_ledger_entry e = TACIT_LEDGER_ENTRY;
        tacit_error err = {0};
        assert_ok(tacit_ledger_get(l, w.entry, &e, &err));
        assert_int_equal(e.rows, any);
    }
    assert_true(found > 5 && nothing > 5); /* each with about a half: 60 coins */
    tacit_ledger_close(l);
    free(s);
}

static void poisson_may_have_nothing(void **state)
{
    (void)state;
    scene *s = fresh();
    tacit_ledger *l = ledger("memory:");
    tacit_search_opts o = options(s, l);
    int nothing = 0;
    o.epsilon = 1e4;
    o.repeats = (tacit_repeats){sizeof o.repeats, TACIT_REPEATS_POISSON, 1, 0};
    for (int i = 0; i < 60; i++) {
        double values[PARAMS];
        tacit_search_winner w = TACIT_SEARCH_WINNER;
        s->runs = 0;
        search_once(s, &o, &w, values);
        assert_int_equal(w.found, s->runs > 0);
        nothing += s->runs == 0;
    }
    assert_true(nothing > 3 && nothing < 50); /* 22 on average, with a standard deviation of 3.7 */
    tacit_ledger_close(l);
    free(s);
}

/* The score gets its noise here: what leaves is none of the raw values, and a failure has one, too. */
static void a_score_gets_noise(void **state)
{
    (void)state;
    scene *s = fresh();
    tacit_ledger *l = ledger("memory:");
    tacit_search_opts o = options(s, l);
    o.n_events = 0;
    o.score_noise = 20;
    o.low = 0;
    o.high = 5;
    o.sensitivity = 1e-3;
    o.epsilon = 1e4;
    s->fail_below = 10;
    for (int i = 0; i < 20; i++) {
        double values[PARAMS];
        tacit_search_winner w = TACIT_SEARCH_WINNER;
        s->fail_below = i % 2 ? 10 : 0;
        s->runs = 0;
        search_once(s, &o, &w, values);
        assert_true(w.found);
        double nearest = INFINITY;
        for (int k = 0; k < s->runs; k++) {
            double raw = isnan(s->score[k]) ? 5 : s->score[k];
            assert_true(w.score != raw);
            nearest = fmin(nearest, fabs(w.score - raw));
        }
        assert_true(nearest < 0.2); /* ten standard deviations */
    }
    tacit_ledger_close(l);
    free(s);
}

static void bad_options_are_refused_before_they_cost(void **state)
{
    (void)state;
    tacit_error err = {0};
    scene *s = fresh();
    tacit_ledger *l = ledger("memory:");
    tacit_document *d = document(), *other;
    double values[PARAMS];
    tacit_search_winner w = TACIT_SEARCH_WINNER;
    tacit_search_opts o = options(s, l);
    static char *const missing[] = {(char *)"/no/such/program", NULL};
    o.n_events = 0;
    assert_fails(tacit_search_run(d, &o, values, &w, &err), TACIT_E_ARG,
                 "a run that costs nothing is not private");
    o = options(s, l);
    o.sensitivity = 1;
    assert_fails(tacit_search_run(d, &o, values, &w, &err), TACIT_E_ARG, "score_noise is 0");
    o = options(s, l);
    o.command = missing;
    assert_fails(tacit_search_run(d, &o, values, &w, &err), TACIT_E_ARG, "give either a function");
    o.evaluate = NULL;
    assert_fails(tacit_search_run(d, &o, values, &w, &err), TACIT_E_NOT_FOUND, "/no/such/program");
    o = options(s, l);
    o.timeout_ms = 5;
    assert_fails(tacit_search_run(d, &o, values, &w, &err), TACIT_E_ARG, "is for programs");
    o = options(s, NULL);
    assert_fails(tacit_search_run(d, &o, values, &w, &err), TACIT_E_ARG, "ledger must not be NULL");
    o = options(s, l);
    o.delta = 0;
    assert_fails(tacit_search_run(d, &o, values, &w, &err), TACIT_E_ARG, "delta must be in (0, 1)");
    assert_ok(tacit_document_parse(&other,
                                   "{\"name\": \"s\", \"direction\": \"minimize\", \"trials\": 6, "
                                   "\"algorithm\": {\"name\": \"gp-ei\"}, \"space\": {\"x\": "
                                   "{\"type\": \"float\", \"low\": 0, \"high\": 1}}}",
                                   &err));
    o = options(s, l);
    assert_fails(tacit_search_run(other, &o, values, &w, &err), TACIT_E_ARG,
                 "the document's algorithm must be \"random\", got \"gp-ei\"");
    tacit_document_free(other);
    assert_ok(
        tacit_document_parse(&other,
                             "{\"name\": \"s\", \"direction\": \"minimize\", \"constraints\": "
                             "{\"m\": {\"max\": 1}}, \"algorithm\": \"random\", \"space\": "
                             "{\"x\": {\"type\": \"float\", \"low\": 0, \"high\": 1}}}",
                             &err));
    assert_fails(tacit_search_run(other, &o, values, &w, &err), TACIT_E_ARG,
                 "a search has one score, and study s has 2 outcomes of a trial");
    assert_int_equal(entries(l), 0);
    assert_int_equal(s->runs, 0);
    tacit_document_free(other);
    tacit_document_free(d);
    tacit_ledger_close(l);
    free(s);
}

static void a_statement_says_what_is_not_protected(void **state)
{
    (void)state;
    tacit_error err = {0};
    tacit_document *d = document();
    tacit_search_opts o = options(NULL, NULL);
    char *say;
    assert_ok(tacit_search_statement(d, &o, &say, &err));
    assert_non_null(strstr(say, "Record-level privacy: epsilon "));
    assert_non_null(strstr(say, "one record is replaced by another; the best of K runs"));
    assert_non_null(strstr(say, "Not protected: from whoever sees how long the search takes"));
    tacit_text_free(say);
    tacit_document_free(d);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_winner_is_the_best_run),
        cmocka_unit_test(the_ledger_has_the_price_and_the_winner),
        cmocka_unit_test(runs_are_drawn_anew),
        cmocka_unit_test(a_budget_that_is_too_small_runs_nothing),
        cmocka_unit_test(a_search_that_is_stopped_stays_paid),
        cmocka_unit_test(failures_count_as_worst),
        cmocka_unit_test(poisson_may_have_nothing),
        cmocka_unit_test(a_score_gets_noise),
        cmocka_unit_test(bad_options_are_refused_before_they_cost),
        cmocka_unit_test(a_statement_says_what_is_not_protected),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
