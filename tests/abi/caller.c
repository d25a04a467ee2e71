/* caller.c - a program of an earlier version: compiled against the headers that are kept beside it and run
 * with the library of today. It and the other callers (caller_*.c) call every function of those headers and
 * use every struct, enumeration and macro (integration/headers_test.sh looks), so that a number or a member that
 * moved is found. Here: what is in libtacit-privacy, spaces and optimizers.
 *
 * Only standard C and <tacit/...>; for an empty working folder. It prints what failed; the exit code is 0 if nothing did. */
#include "caller.h"

#include <tacit/ledger.h>
#include <tacit/optimizer.h>
#include <tacit/privacy.h>
#include <tacit/release.h>
#include <tacit/space.h>
#include <tacit/status.h>

#include <math.h>

/* ---- status.h */

static void statuses(void)
{
#define NAMED(name, number, exit_code, text)                                                       \
    CHECK(strcmp(tacit_status_name(TACIT_##name), #name) == 0);                                    \
    CHECK(strcmp(tacit_status_text(TACIT_##name), text) == 0);                                     \
    CHECK(tacit_status_exit(TACIT_##name) == exit_code);
    TACIT_STATUS_LIST(NAMED)
#undef NAMED
    NUMBER(TACIT_OK, 0);
    NUMBER(TACIT_E_INTERNAL, 1);
    NUMBER(TACIT_E_ARG, 2);
    NUMBER(TACIT_E_NOT_FOUND, 3);
    NUMBER(TACIT_E_STATE, 4);
    NUMBER(TACIT_E_CONFLICT, 5);
    NUMBER(TACIT_E_IO, 6);
    NUMBER(TACIT_E_CORRUPT, 7);
    NUMBER(TACIT_E_BUSY, 8);
    NUMBER(TACIT_E_NUMERIC, 9);
    NUMBER(TACIT_E_MEMORY, 10);
    NUMBER(TACIT_E_UNSUPPORTED, 11);
    NUMBER(TACIT_E_BUDGET, 12);
    NUMBER(TACIT_E_CANCELLED, 13);
    CHECK(sizeof(tacit_error) == 512);
}

static void numbers(void)
{
    NUMBER(TACIT_COLUMN_FLOAT, 1);
    NUMBER(TACIT_COLUMN_INT, 2);
    NUMBER(TACIT_COLUMN_CHOICE, 3);
    NUMBER(TACIT_MINIMIZE, 1);
    NUMBER(TACIT_MAXIMIZE, 2);
    NUMBER(TACIT_DP_GAUSSIAN, 0);
    NUMBER(TACIT_DP_LAPLACE, 1);
    NUMBER(TACIT_DP_PURE, 2);
    NUMBER(TACIT_DP_NONPRIVATE, 3);
    NUMBER(TACIT_DP_RENYI, 4);
    NUMBER(TACIT_DP_ALL, 0);
    NUMBER(TACIT_DP_POISSON, 1);
    NUMBER(TACIT_DP_FIXED_SIZE, 2);
    NUMBER(TACIT_DP_POISSON_REPLACED, 3);
    NUMBER(TACIT_RELATION_USUAL, 0);
    NUMBER(TACIT_RELATION_ZERO_OUT, 1);
    NUMBER(TACIT_RELATION_ADD_REMOVE, 2);
    NUMBER(TACIT_RELATION_REPLACE_ONE, 3);
    NUMBER(TACIT_RELATION_DISTANCE, 4);
    NUMBER(TACIT_UNIT_AGENT, 0);
    NUMBER(TACIT_UNIT_ROW, 1);
    NUMBER(TACIT_UNIT_USER, 2);
    NUMBER(TACIT_UNIT_RECORD, 3);
    NUMBER(TACIT_REPEATS_POISSON, 0);
    NUMBER(TACIT_REPEATS_NEGATIVE_BINOMIAL, 1);
    NUMBER(TACIT_ROWS_AUTO, 0);
    NUMBER(TACIT_ROWS_LAPLACE, 1);
    NUMBER(TACIT_ROWS_GAUSSIAN, 2);
    NUMBER(TACIT_REPLY_AUTO, 0);
    NUMBER(TACIT_REPLY_ONE_BIT, 1);
    NUMBER(TACIT_REPLY_PIECEWISE, 2);
    NUMBER(TACIT_REPLY_LAPLACE, 3);
    NUMBER(TACIT_VALUE_SIZE, 256);
}

/* ---- space.h */

static tacit_space *make_space(void)
{
    const char *const letters[] = {"a", "b", "c"};
    tacit_space *s = NULL;
    GOOD(tacit_space_new(&s, &err));
    GOOD(tacit_space_add_float(s, "x", 0, 1, 0, false, &err));
    GOOD(tacit_space_add_int(s, "n", 1, 8, 1, false, &err));
    GOOD(tacit_space_add_choice(s, "c", 3, letters, &err));
    FAILS(tacit_space_add_float(s, "x", 0, 1, 0, false, &err), TACIT_E_ARG);
    return s;
}

static void spaces(void)
{
    tacit_space *s = make_space(), *other = NULL;
    double point[3] = {0, 1, 0}, value = 0;
    size_t found = 0;
    char text[TACIT_VALUE_SIZE];
    CHECK(tacit_space_params(s) == 3);
    CHECK(strcmp(tacit_space_param_name(s, 1), "n") == 0);
    GOOD(tacit_space_parse(s, "c", "b", point, &err));
    GOOD(tacit_space_get(s, point, "c", &value, &err));
    CHECK(value == 1);
    GOOD(tacit_space_format(s, point, "c", text, &err));
    CHECK(strcmp(text, "b") == 0);
    GOOD(tacit_space_check(s, point, &err));
    CHECK(tacit_space_columns(s) == 3 && strcmp(tacit_space_column_name(s, 0), "x") == 0);
    CHECK(tacit_space_column_type(s, 0) == TACIT_COLUMN_FLOAT);
    CHECK(tacit_space_column_type(s, 1) == TACIT_COLUMN_INT);
    CHECK(tacit_space_column_type(s, 2) == TACIT_COLUMN_CHOICE);
    CHECK(tacit_space_column_value(s, point, 2) == 1);
    CHECK(strcmp(tacit_space_choice(s, 2, 1), "b") == 0);
    FAILS(tacit_space_find(s, point, &found, &err), TACIT_E_UNSUPPORTED);
    point[1] = 9;
    FAILS(tacit_space_check(s, point, &err), TACIT_E_ARG);
    tacit_space_free(s);
    GOOD(tacit_space_from_json(&other, "{\"x\": {\"type\": \"float\", \"low\": 0, \"high\": 1}}",
                               &err));
    CHECK(tacit_space_params(other) == 1 && !tacit_space_param_log(other, 0));
    tacit_space_free(other);
    GOOD(tacit_space_new(&other, &err));
    GOOD(tacit_space_add_float(other, "rate", 0.001, 1, 0, true, &err));
    CHECK(tacit_space_param_log(other, 0));
    tacit_space_free(other);
    FAILS(tacit_space_from_points(&other, "no-such-file.csv", &err), TACIT_E_NOT_FOUND);
}

static void conditions(void)
{
    const char *const words[] = {"off", "on"};
    const double sizes[] = {16, 32}, on[] = {1, 0, 1, 0.5}, off[] = {0, 0, 1, 9};
    tacit_space *s = NULL;
    GOOD(tacit_space_new(&s, &err));
    GOOD(tacit_space_add_choice(s, "k", 2, words, &err));
    GOOD(tacit_space_add_numbers(s, "n", 2, sizes, &err));
    GOOD(tacit_space_set_ordered(s, "n", &err));
    GOOD(tacit_space_add_bool(s, "b", &err));
    GOOD(tacit_space_add_float(s, "x", 0, 1, 0, false, &err));
    GOOD(tacit_space_set_when(s, "x", "k", 1, &words[1], &err));
    FAILS(tacit_space_set_when(s, "k", "b", 1, &words[1], &err), TACIT_E_ARG);
    CHECK(tacit_space_param_parent(s, 3) == 0);
    CHECK(tacit_space_active(s, on, 3) && !tacit_space_active(s, off, 3));
    GOOD(tacit_space_check(s, off, &err)); /* what is inactive is not looked at */
    CHECK(tacit_space_choice_kind(s, 0) == TACIT_CHOICE_TEXT);
    CHECK(tacit_space_choice_kind(s, 1) == TACIT_CHOICE_NUMBER);
    CHECK(tacit_space_choice_kind(s, 2) == TACIT_CHOICE_BOOL);
    CHECK(tacit_space_choice_number(s, 1, 1) == 32);
    tacit_space_free(s);
}

static void constraints(void)
{
    const double inside[] = {0.25, 0.5}, outside[] = {0.75, 0.5};
    tacit_space *s = NULL;
    GOOD(tacit_space_new(&s, &err));
    GOOD(tacit_space_add_float(s, "x", 0, 1, 0, false, &err));
    GOOD(tacit_space_add_float(s, "y", 0, 1, 0, false, &err));
    GOOD(tacit_space_add_linear(s, "1 >= y + x", &err));
    FAILS(tacit_space_add_linear(s, "x + y >= 1", &err), TACIT_E_ARG);
    CHECK(tacit_space_linears(s) == 1);
    CHECK(strcmp(tacit_space_linear(s, 0), "x + y <= 1") == 0);
    CHECK(!tacit_space_linear(s, 1));
    GOOD(tacit_space_check(s, inside, &err));
    FAILS(tacit_space_check(s, outside, &err), TACIT_E_ARG);
    tacit_space_free(s);
}

/* ---- optimizer.h */

static void optimizers(void)
{
    tacit_space *s = make_space();
    tacit_optimizer *o = NULL;
    tacit_optimizer_opts opts = TACIT_OPTIMIZER_OPTS;
    uint64_t trial = 0;
    double x[3] = {0.25, 4, 1}, value = 0;
    CHECK(strcmp(opts.algorithm, "gp-ei") == 0);
    FAILS(tacit_optimizer_new(&o, s, &opts, &err), TACIT_E_ARG); /* no direction */
    opts.direction = TACIT_MAXIMIZE;
    opts.algorithm = "sobol";
    opts.options = "{}";
    opts.seed = 3;
    opts.budget = 10;
    GOOD(tacit_optimizer_new(&o, s, &opts, &err));
    FAILS(tacit_optimizer_best(o, NULL, NULL, NULL, &err), TACIT_E_STATE);
    GOOD(tacit_optimizer_add(o, x, 7, &trial, &err));
    CHECK(trial == 0);
    GOOD(tacit_optimizer_ask(o, &trial, x, &err));
    CHECK(trial == 1);
    GOOD(tacit_optimizer_tell(o, trial, 8, &err));
    GOOD(tacit_optimizer_ask(o, &trial, x, &err));
    x[0] = 0.5;
    GOOD(tacit_optimizer_tell_at(o, trial, x, 9, &err));
    GOOD(tacit_optimizer_ask(o, &trial, x, &err));
    GOOD(tacit_optimizer_fail(o, trial, "why", &err));
    GOOD(tacit_optimizer_best(o, &trial, x, &value, &err));
    CHECK(trial == 2 && value == 9 && x[0] == 0.5); /* it maximised */
    tacit_optimizer_free(o);
    tacit_space_free(s);
}

static void optimizers_of_two(void)
{
    const tacit_direction others = TACIT_MINIMIZE;
    const double y[2] = {1, 2};
    tacit_space *s = make_space();
    tacit_optimizer *o = NULL;
    tacit_optimizer_opts opts = TACIT_OPTIMIZER_OPTS;
    uint64_t trial = 9;
    double x[3] = {0.25, 4, 1};
    CHECK(opts.others == NULL && opts.n_others == 0);
    opts.direction = TACIT_MAXIMIZE;
    opts.others = &others;
    opts.n_others = 1;
    GOOD(tacit_optimizer_new(&o, s, &opts, &err));
    GOOD(tacit_optimizer_add_outcomes(o, x, y, &trial, &err));
    CHECK(trial == 0);
    GOOD(tacit_optimizer_ask(o, &trial, x, &err));
    FAILS(tacit_optimizer_tell(o, trial, 1, &err), TACIT_E_ARG);
    GOOD(tacit_optimizer_tell_outcomes(o, trial, NULL, y, &err));
    FAILS(tacit_optimizer_best(o, NULL, NULL, NULL, &err), TACIT_E_UNSUPPORTED);
    tacit_optimizer_free(o);
    tacit_space_free(s);
}

/* ---- privacy.h */

static void accounts(void)
{
    tacit_dp_event rounds = {TACIT_DP_GAUSSIAN, 1.0, TACIT_DP_POISSON, 0.25, 40};
    tacit_dp_event pure[2] = {{TACIT_DP_LAPLACE, 0.5, TACIT_DP_ALL, 1, 2},
                              {TACIT_DP_PURE, 0.25, TACIT_DP_ALL, 1, 4}};
    tacit_dp_event none = {TACIT_DP_NONPRIVATE, 0, TACIT_DP_ALL, 1, 1};
    tacit_guarantee g = TACIT_GUARANTEE;
    double z = 0, sd = 0;
    CHECK(strcmp(tacit_accountants()[0], "pld") == 0);
    GOOD(tacit_account("moments", &rounds, 1, pow(200, -1.1), &g, &err));
    CHECK(g.size == sizeof g && fabs(g.epsilon - 9.9085) < 1e-4 && g.order == 1 && g.lower == 0);
    CHECK(strcmp(g.accountant, "moments") == 0 && g.delta == pow(200, -1.1));
    GOOD(tacit_account("pure", pure, 2, 0.1, &g, &err));
    CHECK(fabs(g.epsilon - 2) < 1e-9 && g.delta == 0);
    GOOD(tacit_account(NULL, &none, 1, 0.1, &g, &err));
    CHECK(isinf(g.epsilon));
    GOOD(tacit_calibrate(NULL, 1, 1e-5, TACIT_DP_ALL, 1, 40, &z, &err));
    CHECK(fabs(z - 23.5946) < 1e-3);
    FAILS(tacit_calibrate("gaussian", 1, 1e-5, TACIT_DP_FIXED_SIZE, 0.5, 40, &z, &err),
          TACIT_E_UNSUPPORTED);
    GOOD(tacit_analytic_gaussian(1, 1e-5, &sd, &err));
    CHECK(fabs(sd - 3.730631635) < 1e-6);
}

/* The best of several runs costs more than one, and Poisson numbers of runs take no shape. */
static void best_of(void)
{
    tacit_dp_event run = {TACIT_DP_GAUSSIAN, 4.0, TACIT_DP_ALL, 1, 10};
    tacit_repeats repeats = TACIT_REPEATS;
    tacit_guarantee one = TACIT_GUARANTEE, best = TACIT_GUARANTEE;
    double z = 0;
    CHECK(repeats.size == sizeof repeats && repeats.kind == TACIT_REPEATS_NEGATIVE_BINOMIAL);
    CHECK(repeats.mean == 1 && repeats.shape == 1);
    repeats.mean = 20;
    GOOD(tacit_account("rdp", &run, 1, 1e-5, &one, &err));
    GOOD(tacit_account_best_of(&repeats, &run, 1, 1e-5, &best, &err));
    CHECK(best.epsilon > one.epsilon && best.epsilon < 10 * one.epsilon && best.delta == 1e-5);
    GOOD(tacit_calibrate_best_of(&repeats, best.epsilon, 1e-5, TACIT_DP_ALL, 1, 10, &z, &err));
    CHECK(fabs(z - 4) < 1e-3);
    repeats.kind = TACIT_REPEATS_POISSON;
    FAILS(tacit_account_best_of(&repeats, &run, 1, 1e-5, &best, &err), TACIT_E_ARG);
    repeats.shape = 0;
    GOOD(tacit_account_best_of(&repeats, &run, 1, 1e-5, &best, &err));
    CHECK(best.epsilon > one.epsilon);
    char *text = NULL;
    GOOD(tacit_statement_best_of(&best, &repeats, &text, &err));
    CHECK(strncmp(text, "The best of K private runs: epsilon ", 36) == 0);
    CHECK(strstr(text, "where K is Poisson with mean 20. Neighbours: ") != NULL);
    tacit_text_free(text);
}

static void statements(void)
{
    tacit_dp_event rounds = {TACIT_DP_GAUSSIAN, 1.0, TACIT_DP_ALL, 1, 40};
    tacit_guarantee g = TACIT_GUARANTEE;
    char *text = NULL, number[32];
    GOOD(tacit_account(NULL, &rounds, 1, 1e-5, &g, &err));
    GOOD(tacit_statement(&g, 40, TACIT_UNIT_AGENT, TACIT_DP_ALL, &text, &err));
    CHECK(strncmp(text, "every agent: epsilon ", 21) == 0);
    CHECK(strstr(text, tacit_statement_trust()) != NULL);
    tacit_text_free(text);
    GOOD(tacit_statement_of(&g, 40, TACIT_UNIT_RECORD, TACIT_RELATION_ADD_REMOVE, &text, &err));
    CHECK(strstr(text, "is added or removed") != NULL);
    tacit_text_free(text);
    tacit_dp_event replaced;
    GOOD(tacit_dp_event_replaced(&rounds, &replaced, &err));
    CHECK(replaced.parameter == 0.5 && replaced.count == 40);
    CHECK(strcmp(tacit_relation_name(TACIT_RELATION_REPLACE_ONE), "replace-one") == 0);
    tacit_dp_event trained[4];
    size_t n = 0;
    GOOD(tacit_dp_event_parse("{\"dp_event\": \"GaussianDpEvent\", \"noise_multiplier\": 2}",
                              trained, 4, &n, &err));
    CHECK(n == 1 && trained[0].parameter == 2);
    GOOD(tacit_dp_event_within(trained, n, &rounds, 1, &err));
    FAILS(tacit_dp_event_within(&rounds, 1, trained, n, &err), TACIT_E_BUDGET);
    GOOD(tacit_dp_event_json(&rounds, &text, &err));
    CHECK(strstr(text, "\"SelfComposed\"") != NULL);
    tacit_text_free(text);
    tacit_epsilon_text(number, INFINITY);
    CHECK(strcmp(number, "infinite") == 0);
    tacit_delta_text(number, 1e-5);
    CHECK(strcmp(number, "1e-05") == 0);
    tacit_lower_text(number, 0.5);
    CHECK(strcmp(number, "0.5") == 0);
    CHECK(tacit_delta_default(1000) == 1e-6 && tacit_delta_is_large(1e-5, 1000));
    FAILS(tacit_delta_check("delta", 0.5, 2, &err), TACIT_E_ARG);
    CHECK(strcmp(tacit_unit_name(TACIT_UNIT_USER), "user") == 0);
    CHECK(strcmp(tacit_unit_name(TACIT_UNIT_RECORD), "record") == 0);
    FAILS(tacit_unit_check(TACIT_UNIT_ROW, 0.5, &err), TACIT_E_ARG);
}

static void noise_and_filters(void)
{
    tacit_dp_event one = {TACIT_DP_GAUSSIAN, 50, TACIT_DP_ALL, 1, 1};
    tacit_filter *f = NULL;
    int64_t draws[4];
    double left = 0;
    GOOD(tacit_sample_discrete_gaussian(1, 4, draws, &err));
    GOOD(tacit_sample_discrete_laplace(1, 4, draws, &err));
    GOOD(tacit_filter_new(&f, 1, 1e-5, &err));
    GOOD(tacit_filter_would(f, &one, &left, &err));
    CHECK(tacit_filter_remaining(f) == 1 && left < 1);
    GOOD(tacit_filter_spend(f, &one, &err));
    CHECK(tacit_filter_remaining(f) == left);
    one.parameter = 0.1;
    FAILS(tacit_filter_spend(f, &one, &err), TACIT_E_BUDGET);
    tacit_filter_free(f);
}

/* ---- release.h */

static tacit_release *make_sum(void)
{
    const double v[2] = {0.5, -0.5}, weights[2] = {1, 2};
    tacit_sum_plan plan = TACIT_SUM_PLAN;
    tacit_cost cost = TACIT_COST;
    tacit_sum *sum = NULL;
    tacit_release *r = NULL;
    CHECK(plan.blocks == 1 && plan.sampling_rate == 1);
    plan.agents = 2;
    plan.width = 2;
    plan.weights = weights;
    plan.clip_norm = 1;
    plan.noise_multiplier = 4;
    GOOD(tacit_sum_cost(&plan, &cost, &err));
    CHECK(cost.size == sizeof cost && cost.unit == TACIT_UNIT_AGENT && cost.distance >= 0);
    CHECK(cost.event.mechanism == TACIT_DP_GAUSSIAN && cost.event.sampling == TACIT_DP_ALL);
    CHECK(fabs(cost.event.parameter - 4) < 1e-3 && cost.event.count == 1);
    GOOD(tacit_sum_open(&sum, &plan, &err));
    GOOD(tacit_sum_fold(sum, 1, v, &err));
    FAILS(tacit_sum_fold(sum, 1, v, &err), TACIT_E_STATE);
    GOOD(tacit_sum_close(sum, &r, &err));
    tacit_sum_free(sum);
    return r;
}

static void read_release(const tacit_release *r)
{
    tacit_cost cost = TACIT_COST;
    char *text = NULL;
    size_t size = tacit_release_size(r);
    uint8_t *bytes = malloc(size);
    double values[2] = {0};
    CHECK(strcmp(tacit_release_mechanism(r), "gaussian-sum") == 0);
    CHECK(tacit_release_rows(r) == 1 && tacit_release_cols(r) == 2 && size == 16);
    CHECK(tacit_release_value(r, 0, 1) ==
          tacit_release_offset(r) + tacit_release_step(r) * (double)tacit_release_steps(r)[1]);
    CHECK(tacit_release_noise_sd(r) > 0 && *tacit_release_adjacency(r));
    CHECK(tacit_release_private(r) && !*tacit_release_not_private(r));
    GOOD(tacit_release_cost(r, &cost, &err));
    CHECK(cost.event.mechanism == TACIT_DP_GAUSSIAN);
    GOOD(tacit_release_statement(r, "pld", 1e-5, &text, &err));
    CHECK(text && *text);
    tacit_text_free(text);
    if (bytes) {
        GOOD(tacit_release_encode(r, bytes, size, &err));
        GOOD(tacit_release_decode(r, bytes, size, values, &err));
        CHECK(values[1] == tacit_release_value(r, 0, 1));
    }
    free(bytes);
}

static void sums(void)
{
    tacit_release *r = make_sum();
    read_release(r);
    tacit_release_free(r);
}

static void other_releases(void)
{
    const double low[1] = {0}, high[1] = {1}, x[2] = {0.25, 0.75};
    tacit_laplace_plan laplace = TACIT_LAPLACE_PLAN;
    tacit_rows_plan rows = TACIT_ROWS_PLAN;
    tacit_cost cost = TACIT_COST;
    tacit_reply *reply = NULL;
    tacit_release *r = NULL;
    size_t order[2] = {9, 9};
    laplace.count = 1;
    laplace.low = low;
    laplace.high = high;
    laplace.sensitivity = 0.5;
    laplace.epsilon = 2;
    laplace.unit = TACIT_UNIT_ROW;
    GOOD(tacit_laplace_release(&r, &laplace, x, &err));
    GOOD(tacit_release_cost(r, &cost, &err));
    CHECK(cost.unit == TACIT_UNIT_ROW);
    tacit_release_free(r);
    rows.rows = 2;
    rows.dims = 1;
    rows.low = low;
    rows.high = high;
    rows.radius = 0.1;
    rows.epsilon = 2;
    rows.delta = 1e-5;
    for (int noise = TACIT_ROWS_AUTO; noise <= TACIT_ROWS_GAUSSIAN; noise++) {
        rows.noise = (tacit_rows_noise)noise;
        GOOD(tacit_rows_release(&r, order, &rows, x, &err));
        CHECK(order[0] + order[1] == 1);
        if (noise == TACIT_ROWS_GAUSSIAN || noise == TACIT_ROWS_LAPLACE) {
            GOOD(tacit_release_cost(r, &cost, &err));
            CHECK((cost.event.mechanism == TACIT_DP_GAUSSIAN) == (noise == TACIT_ROWS_GAUSSIAN));
        }
        tacit_release_free(r);
    }
    for (int kind = TACIT_REPLY_AUTO; kind <= TACIT_REPLY_LAPLACE; kind++) {
        GOOD(tacit_reply_new(&reply, (tacit_reply_kind)kind, 1, 0, 1, &err));
        GOOD(tacit_reply_release(reply, 0.5, &r, &err));
        GOOD(tacit_release_cost(r, &cost, &err));
        CHECK(cost.unit == TACIT_UNIT_USER);
        tacit_release_free(r);
        tacit_reply_free(reply);
    }
    GOOD(tacit_reply_new(&reply, TACIT_REPLY_ONE_BIT, 1, 0, 1, &err));
    GOOD(tacit_reply_release(reply, 0.5, &r, &err));
    CHECK(strstr(tacit_release_mechanism(r), "one-bit") != NULL);
    tacit_release_free(r);
    tacit_reply_free(reply);
    GOOD(tacit_reply_new(&reply, TACIT_REPLY_PIECEWISE, 1, 0, 1, &err));
    GOOD(tacit_reply_release(reply, 0.5, &r, &err));
    CHECK(strstr(tacit_release_mechanism(r), "piecewise") != NULL);
    tacit_release_free(r);
    tacit_reply_free(reply);
    GOOD(tacit_none_release(&r, 1, 2, x, TACIT_UNIT_USER, "a test", &err));
    CHECK(!tacit_release_private(r) && strcmp(tacit_release_not_private(r), "a test") == 0);
    tacit_release_free(r);
}

/* ---- ledger.h */

static void release_to(tacit_ledger *l)
{
    tacit_release *r = make_sum();
    tacit_receipt *receipt = NULL, *again = NULL;
    tacit_budget budget = TACIT_BUDGET;
    tacit_charge charge = TACIT_CHARGE;
    tacit_cost cost = TACIT_COST;
    budget.epsilon = 3;
    budget.delta = 1e-5;
    budget.accountant = "pld";
    charge.study = "s";
    charge.round = 1;
    GOOD(tacit_release_cost(r, &cost, &err));
    GOOD(tacit_ledger_would(l, &budget, NULL, &cost, &err));
    FAILS(tacit_ledger_find(l, &charge, &again, &err), TACIT_E_NOT_FOUND);
    GOOD(tacit_ledger_release(l, &budget, &charge, r, &receipt, &err));
    CHECK(tacit_receipt_size(receipt) == tacit_release_size(r) && tacit_receipt_bytes(receipt));
    CHECK(!tacit_receipt_again(receipt) && tacit_receipt_private(receipt));
    CHECK(!*tacit_receipt_not_private(receipt) && tacit_receipt_head(receipt).seq == 1);
    GOOD(tacit_ledger_find(l, &charge, &again, &err));
    CHECK(tacit_receipt_again(again));
    budget.epsilon = 0.1;
    charge.round = 2;
    tacit_receipt_free(again);
    FAILS(tacit_ledger_release(l, &budget, &charge, r, &again, &err), TACIT_E_BUDGET);
    tacit_receipt_free(receipt);
    tacit_release_free(r);
}

static void read_ledger(tacit_ledger *l)
{
    tacit_spent spent = TACIT_SPENT;
    tacit_ledger_entry e = TACIT_LEDGER_ENTRY;
    tacit_head head = {0};
    char hex[65], *text = NULL, *json = NULL;
    tacit_ledger *copy = NULL;
    tacit_charge charge = TACIT_CHARGE;
    tacit_receipt *found = NULL;
    GOOD(tacit_ledger_head(l, &head, &err));
    GOOD(tacit_ledger_spent(l, TACIT_UNIT_AGENT, NULL, "pld", 1e-5, &spent, &err));
    CHECK(spent.size == sizeof spent && spent.releases == 1 && spent.is_private);
    CHECK(spent.epsilon > 0.5 && spent.epsilon < 3 && spent.lower <= spent.epsilon);
    CHECK(spent.delta == 1e-5 && *spent.accountant && !*spent.subject && !*spent.not_private);
    CHECK(strcmp(spent.relation, "zero-out") == 0);
    GOOD(tacit_ledger_get(l, 1, &e, &err));
    CHECK(strcmp(e.relation, "zero-out") == 0);
    CHECK(e.size == sizeof e && e.seq == 1 && e.round == 1 && e.unit == TACIT_UNIT_AGENT);
    CHECK(e.event.mechanism == TACIT_DP_GAUSSIAN && e.rows == 1 && e.cols == 2 && e.step > 0);
    CHECK(strcmp(e.mechanism, "gaussian-sum") == 0 && *e.adjacency && e.is_private);
    CHECK(!*e.not_private && !*e.subject && e.offset == 0 && e.distance >= 0);
    CHECK(memcmp(&e.head, &head.hash, sizeof head.hash) == 0);
    CHECK(memcmp(&e.release, &e.study, sizeof e.study) != 0);
    tacit_hash_text(&head.hash, hex);
    CHECK(strlen(hex) == 64 &&
          strtol((const char[]){hex[0], hex[1], 0}, NULL, 16) == head.hash.bytes[0]);
    charge.study_hash = &e.study; /* the same as its text */
    charge.round = 1;
    GOOD(tacit_ledger_find(l, &charge, &found, &err));
    CHECK(tacit_receipt_again(found) && tacit_receipt_head(found).seq == 1);
    tacit_receipt_free(found);
    GOOD(tacit_ledger_statement(l, TACIT_UNIT_AGENT, NULL, NULL, 1e-5, &text, &err));
    GOOD(tacit_ledger_export(l, &json, &err));
    GOOD(tacit_ledger_import(&copy, json, &err));
    CHECK(strcmp(tacit_ledger_name(copy), "clinic") == 0 && !*tacit_ledger_not_private(copy));
    GOOD(tacit_ledger_verify(copy, &head, &err));
    tacit_ledger_close(copy);
    GOOD(tacit_ledger_until(&copy, l, 0, &err));
    GOOD(tacit_ledger_head(copy, &head, &err));
    CHECK(head.seq == 0);
    GOOD(tacit_ledger_spent(copy, TACIT_UNIT_AGENT, NULL, NULL, 1e-5, &spent, &err));
    CHECK(spent.epsilon == 0 && spent.is_private && spent.releases == 0);
    tacit_ledger_close(copy);
    tacit_text_free(json);
    tacit_text_free(text);
}

static void count(void *user, const char *name)
{
    *(int *)user += strcmp(name, "clinic") == 0;
}

static void ledgers(void)
{
    const char *storage = "sqlite:///ledger.db";
    tacit_ledger *l = NULL;
    int named = 0;
    GOOD(tacit_ledger_create(&l, storage, "clinic", &err));
    release_to(l);
    tacit_ledger_close(l);
    GOOD(tacit_ledger_open(&l, storage, "clinic", &err));
    read_ledger(l);
    tacit_ledger_close(l);
    GOOD(tacit_ledger_list(storage, count, &named, &err));
    CHECK(named == 1);
}

int main(void)
{
    statuses();
    numbers();
    spaces();
    conditions();
    constraints();
    optimizers();
    optimizers_of_two();
    accounts();
    best_of();
    statements();
    noise_and_filters();
    sums();
    other_releases();
    ledgers();
    return report("caller");
}
