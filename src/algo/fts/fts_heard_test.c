/* fts_heard_test.c - own=gp: what an agent of fts sends and reads, what it hears, each beside its definition; and
 * points that do not depend on units, for rgpe and taf too. */
#include "support/test.h"

#include "algo/fts/agent.h"
#include "support/fts_federation.h"
#include "algo/fts/left_out.h"
#include "algo/fts/peers.h"
#include "algo/optimizer_int.h"

enum { M = 8, INITIAL = 5, MOST = 30 };

static const double lambda = 0.01;

#define BASE "\"features\": 8, \"initial\": 5, \"lengthscale\": 0.15"

static federation *fts(tc_space *s, size_t agents, const char *options)
{
    return assemble(&tc_algorithm_fts, s, agents, options);
}

static tc_fts_agent_state *state_of(const federation *f, size_t who)
{
    return f->member[who]->o->state;
}

/* Gauss-Jordan: the columns of B (n x k, row by row) become A^-1 B. */
static void solve(size_t n, size_t k, double *A, double *B)
{
    for (size_t p = 0; p < n; p++) {
        double pivot = A[p * n + p];
        for (size_t j = 0; j < n; j++)
            A[p * n + j] /= pivot;
        for (size_t j = 0; j < k; j++)
            B[p * k + j] /= pivot;
        for (size_t i = 0; i < n; i++) {
            double factor = A[i * n + p];
            for (size_t j = 0; i != p && j < n; j++)
                A[i * n + j] -= factor * A[p * n + j];
            for (size_t j = 0; i != p && j < k; j++)
                B[i * k + j] -= factor * B[p * k + j];
        }
    }
}

/* ---- what is sent ---- */

/* Phi'(Phi Phi' + lambda I)^-1 z, z by mean and standard deviation of the first INITIAL values. */
static void slow_message(const tc_fts_agent_state *a, double *w)
{
    const tc_history *h = a->core.env->history;
    double mean = 0, square = 0, z[MOST], phi[MOST][M], K[MOST * MOST];
    for (size_t i = 0; i < INITIAL; i++)
        mean += h->y[i] / INITIAL;
    for (size_t i = 0; i < INITIAL; i++)
        square += pow(h->y[i] - mean, 2) / INITIAL;
    for (size_t i = 0; i < h->n; i++) {
        z[i] = (h->y[i] - mean) / sqrt(square);
        tc_rff_many(&a->core.features->rff, 1, h->U + i, h->ld, phi[i], M);
    }
    for (size_t i = 0; i < h->n; i++)
        for (size_t j = 0; j < h->n; j++) {
            K[i * h->n + j] = i == j ? lambda : 0;
            for (size_t m = 0; m < M; m++)
                K[i * h->n + j] += phi[i][m] * phi[j][m];
        }
    solve(h->n, 1, K, z);
    for (size_t m = 0; m < M; m++) {
        w[m] = 0;
        for (size_t i = 0; i < h->n; i++)
            w[m] += phi[i][m] * z[i];
    }
}

static void read_message(const member *m, double *w)
{
    tacit_error err = {0};
    tc_fts_form form = {.algorithm = "fts", .magic = "TFT1", .round = m->sent_round, .width = M};
    assert_ok(tc_fts_message_read(&form, m->sent, m->n_sent, w, &err));
}

static void the_message_is_the_mean_of_values_standardised_locally(void **state)
{
    (void)state;
    for (int finite = 0; finite < 2; finite++) {
        federation *f = fts(finite ? line() : square(), 2, "{" BASE ", \"mode\": \"general\"}");
        for (size_t t = 0; t < INITIAL + 4; t++) {
            double w[M], expected[M];
            iterate(f);
            if (t < INITIAL)
                continue;
            publish(f, 1); /* after t + 1 values, of which the first INITIAL are anchors */
            read_message(f->member[1], w);
            slow_message(state_of(f, 1), expected);
            for (size_t m = 0; m < M; m++)
                assert_close(w[m], expected[m], 1e-9);
        }
        disband(f);
    }
}

static double level(size_t who, const double *u, size_t dim)
{
    return who == 1 ? 3 : waves(who, u, dim);
}

/* Who sees one value everywhere, or has too few, has no units: it sends zeros, and nobody counts them. */
static void no_units_no_message(void **state)
{
    double w[M];
    (void)state;
    federation *f = fts(line(), 3, "{" BASE "}");
    f->objective = level;
    run(f, INITIAL + 1);
    read_message(f->member[1], w);
    for (size_t m = 0; m < M; m++)
        assert_same_bits(w[m], 0);
    assert_int_equal(state_of(f, 0)->heard.reads, 2);
    assert_same_bits(state_of(f, 0)->heard.weight, 1);
    assert_same_bits(state_of(f, 2)->heard.weight, 1);
    disband(f);
    f = fts(line(), 2, "{\"features\": 8, \"initial\": 2}");
    run(f, 3);
    read_message(f->member[0], w);
    for (size_t m = 0; m < M; m++)
        assert_same_bits(w[m], 0);
    assert_same_bits(state_of(f, 1)->heard.weight, 0);
    disband(f);
}

/* ---- what is read ---- */

/* How many messages member `who` has read and missed in this round; each of another agent, before the next trial. */
static size_t count_read(const federation *f, size_t who, uint64_t round, size_t *missed)
{
    bool seen[MOST_MEMBERS] = {false};
    size_t n = 0;
    *missed = 0;
    for (size_t i = 0; i < f->member[who]->n; i++) {
        const tc_event *e = &f->member[who]->events[i];
        if ((e->kind != TC_EVENT_FETCH && e->kind != TC_EVENT_MISS) || e->round != round)
            continue;
        assert_true(e->party != who && !seen[e->party]);
        seen[e->party] = true;
        n += e->kind == TC_EVENT_FETCH;
        *missed += e->kind == TC_EVENT_MISS;
    }
    return n;
}

static void all_others_are_read_before_the_first_query(void **state)
{
    size_t missed;
    (void)state;
    federation *f = fts(line(), 7, "{" BASE "}");
    f->member[2]->silent = true;
    run(f, INITIAL);
    for (size_t i = 0; i < 7; i++)
        publish(f, i);
    for (size_t i = 0; i < 7; i++) {
        settle(f, i);
        assert_int_equal(count_read(f, i, 0, &missed), i == 2 ? 6 : 5);
        assert_int_equal(missed, i == 2 ? 0 : 1);
    }
    run(f, 4);
    for (size_t i = 0; i < 7; i++) {
        assert_int_equal(count_events(f->member[i], TC_EVENT_PUBLISH), 1);
        assert_int_equal(count_events(f->member[i], TC_EVENT_FETCH), i == 2 ? 6 : 5);
    }
    disband(f);
}

static void reads_is_the_most(void **state)
{
    size_t missed;
    (void)state;
    federation *f = fts(line(), 8, "{" BASE ", \"reads\": 3}");
    f->member[1]->silent = f->member[4]->silent = true;
    run(f, INITIAL + 2);
    for (size_t i = 0; i < 8; i++)
        assert_int_equal(count_read(f, i, 0, &missed), 3); /* in the place of those missed others */
    assert_true(state_of(f, 0)->heard.weight == 3);
    disband(f);
    f = fts(line(), 3, "{" BASE ", \"reads\": 0}");
    run(f, INITIAL + 3);
    for (size_t i = 0; i < 3; i++)
        assert_int_equal(count_events(f->member[i], TC_EVENT_FETCH), 0);
    disband(f);
}

static void general_mode_reads_every_round(void **state)
{
    size_t missed;
    (void)state;
    federation *f = fts(line(), 4, "{" BASE ", \"mode\": \"general\"}");
    for (size_t t = 0; t < INITIAL + 5; t++) {
        f->member[3]->silent = t % 2 == 0;
        iterate(f);
    }
    for (uint64_t round = 0; round < 5; round++) {
        bool silent = (INITIAL + round) % 2 == 0;
        assert_int_equal(count_read(f, 0, round, &missed), silent ? 2 : 3);
        assert_int_equal(missed, silent ? 1 : 0);
    }
    disband(f);
}

/* ---- what is heard ---- */

/* A V^-1 nu and the share that it leaves open, from the filter's own A and points. */
static double slow_filter(const tc_fts_filter *f, double count, double *w)
{
    double V[M * M], right[M * (M + 1)], left = 0, whole = 0;
    for (size_t i = 0; i < M; i++)
        for (size_t j = 0; j < M; j++) {
            double square = 0;
            for (size_t k = 0; k < M; k++)
                square += f->A[i + k * M] * f->A[k + j * M];
            V[i * M + j] = square + (f->A[i + j * M] - square) / count + (i == j ? 1e-6 : 0);
            right[i * (M + 1) + j] = f->A[i + j * M];
        }
    for (size_t i = 0; i < M; i++)
        right[i * (M + 1) + M] = w[i];
    solve(M, M + 1, V, right); /* V^-1 (A | nu) */
    for (size_t i = 0; i < M; i++) {
        w[i] = 0;
        for (size_t k = 0; k < M; k++)
            w[i] += f->A[i + k * M] * right[k * (M + 1) + M];
    }
    for (size_t p = 0; p < TC_FTS_FILTER_POINTS; p++) {
        const double *phi = f->Phi + p * M;
        for (size_t i = 0; i < M; i++) {
            whole += phi[i] * phi[i];
            left += phi[i] * phi[i];
            for (size_t j = 0; j < M; j++)
                for (size_t k = 0; k < M; k++)
                    left -= phi[i] * f->A[i + k * M] * right[k * (M + 1) + j] * phi[j];
        }
    }
    return left / whole;
}

/* The mean of messages by the weights of their senders, through the filter. */
static void check_heard(const federation *f, size_t who, const double *weight)
{
    tacit_error err = {0};
    tc_fts_agent_state *a = state_of(f, who);
    double mean[M] = {0}, sum = 0, squares = 0, w[M], error = -1;
    for (size_t i = 0; i < f->agents; i++) {
        if (i == who)
            continue;
        read_message(f->member[i], w);
        for (size_t m = 0; m < M; m++)
            mean[m] += weight[i] * w[m];
        sum += weight[i];
        squares += weight[i] * weight[i];
    }
    for (size_t m = 0; m < M; m++)
        w[m] = mean[m] /= sum;
    double expected = slow_filter(a->heard.filter, sum * sum / squares, mean);
    for (size_t m = 0; m < M; m++)
        assert_close(a->heard.mean[m], mean[m], 1e-6 * (1 + fabs(mean[m])));
    assert_ok(tc_fts_filter_apply(a->heard.filter, sum * sum / squares, w, &error, &err));
    assert_close(error, expected, 1e-9);
    assert_true(error > 0.01 && error < 0.9);
}

static void the_mean_of_messages_is_heard_through_the_filter(void **state)
{
    static const double equal[] = {1, 1, 1, 1}, given[] = {1, 0.5, 0, 0.25};
    (void)state;
    for (int finite = 0; finite < 2; finite++) {
        federation *f = fts(finite ? line() : square(), 4, "{" BASE "}");
        run(f, INITIAL + 1);
        for (size_t i = 0; i < 4; i++)
            check_heard(f, i, equal);
        assert_ptr_equal(state_of(f, 0)->heard.filter, state_of(f, 3)->heard.filter);
        disband(f);
        f = fts(finite ? line() : square(), 4,
                "{" BASE ", \"choose\": \"given\", \"given\": \"1,0.5,0,0.25\"}");
        run(f, INITIAL + 1);
        check_heard(f, 0, given);
        check_heard(f, 2, given);
        assert_int_equal(state_of(f, 0)->heard.reads, 2); /* nobody reads who counts for nothing */
        disband(f);
    }
}

/* A = E[Phi'K^-1 Phi]: messages of many agents whose function is phi'w, on uniform designs. */
static void messages_are_shrunk_as_foretold(void **state)
{
    enum { RUNS = 20000 };
    static const double w[M] = {1, -0.5, 0.3, 2, -1, 0.7, 0, 1.5};
    tacit_error err = {0};
    double sum[M] = {0};
    (void)state;
    federation *f = fts(square(), 2, "{" BASE "}");
    const tc_fts_agent_state *a = state_of(f, 0);
    tc_public_seed seed = tc_public_seed_from(9);
    tc_stream s;
    tc_stream_public(&s, &seed, TC_FOR_RUN, 0);
    for (size_t r = 0; r < RUNS; r++) {
        tc_blr *model;
        assert_ok(tc_blr_new(&model, M, lambda, &err));
        for (size_t k = 0; k < INITIAL; k++) {
            double u[2] = {tc_draw_uniform(&s), tc_draw_uniform(&s)}, phi[M], y = 0;
            tc_rff_many(&a->core.features->rff, 1, u, 1, phi, M);
            for (size_t m = 0; m < M; m++)
                y += phi[m] * w[m];
            tc_blr_add(model, phi, y + sqrt(lambda) * tc_draw_normal(&s));
        }
        for (size_t m = 0; m < M; m++)
            sum[m] += tc_blr_mean(model)[m] / RUNS;
        tc_blr_free(model);
    }
    for (size_t m = 0; m < M; m++) {
        double expected = 0;
        for (size_t k = 0; k < M; k++)
            expected += a->heard.filter->A[m + k * M] * w[k];
        assert_close(sum[m], expected, 0.1); /* A is a mean over 512 designs */
    }
    disband(f);
}

/* Agents who say nothing leave the agent as it would be alone, to the bit. */
static void silence_changes_nothing(void **state)
{
    (void)state;
    federation *f = fts(square(), 3, "{" BASE "}"),
               *alone = fts(square(), 3, "{" BASE ", \"reads\": 0}"),
               *heard = fts(square(), 3, "{" BASE "}");
    size_t other = 0;
    for (size_t i = 0; i < 3; i++)
        f->member[i]->silent = true;
    run(f, INITIAL + 5);
    run(alone, INITIAL + 5);
    run(heard, INITIAL + 5);
    for (size_t i = 0; i < 3; i++)
        for (size_t t = 0; t < INITIAL + 5; t++)
            for (size_t d = 0; d < 2; d++) {
                double x = tc_optimizer_trial(alone->member[i]->o, t)->values[d];
                assert_same_bits(tc_optimizer_trial(f->member[i]->o, t)->values[d], x);
                other += tc_optimizer_trial(heard->member[i]->o, t)->values[d] != x;
            }
    assert_true(other > 10);
    disband(f);
    disband(alone);
    disband(heard);
}

/* Whatever others send, an agent goes on: what cannot be is not counted, what is absurd has no weight. */
static void absurd_messages_do_no_harm(void **state)
{
    static const double sizes[] = {1e200, 1e40, 1e25, 1e6};
    (void)state;
    for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
        federation *f = fts(k % 2 ? line() : square(), 3, "{" BASE "}");
        run(f, INITIAL);
        for (size_t i = 0; i < 3; i++)
            publish(f, i);
        for (size_t m = 0; m < M; m++) {
            double x = m % 2 ? -sizes[k] : sizes[k];
            memcpy(f->member[1]->sent + TC_FTS_HEADER + 8 * m, &x, sizeof x);
        }
        run(f, 4);
        const tc_fts_agent_state *a = state_of(f, 0);
        assert_same_bits(a->heard.weight, sizes[k] >= 1e40 ? 1 : 2);
        if (sizes[k] < 1e40)
            assert_true(tc_own_weight(a->core.own, TC_OWN_ALONE) > 0.99);
        disband(f);
    }
}

/* ---- all three algorithms ---- */

static const tc_algorithm *const three[] = {&tc_algorithm_fts, &tc_algorithm_rgpe,
                                            &tc_algorithm_taf};
static const char *const options_of[] = {"{" BASE "}", "{" BASE ", \"samples\": 30}", "{" BASE "}"};

/* Multiples of 2^-20, so that 1024 y - 512 is exact. */
static double plain(size_t who, const double *u, size_t dim)
{
    return floor(waves(who, u, dim) * 0x1p20) * 0x1p-20;
}

static double exact_units(size_t who, const double *u, size_t dim)
{
    return 1024 * plain(who, u, dim) - 512;
}

static double other_units(size_t who, const double *u, size_t dim)
{
    return 1000 * plain(who, u, dim) - 500;
}

static double negated(size_t who, const double *u, size_t dim)
{
    return -1000 * plain(who, u, dim) + 500;
}

/* As ever, but the optimizers are made anew: the direction is set after assemble. */
static federation *in_units(size_t k, tc_space *s, size_t agents,
                            double (*objective)(size_t, const double *, size_t), bool minimize)
{
    tacit_error err = {0};
    federation *f = assemble(three[k], s, agents, options_of[k]);
    f->objective = objective;
    f->minimize = minimize;
    for (size_t i = 0; i < agents; i++)
        tc_optimizer_free(f->member[i]->o);
    for (size_t i = 0; i < agents; i++)
        assert_ok(make(&f->member[i]->o, f, i, i > 0 ? f->member[0]->o : NULL, &err));
    run(f, INITIAL + 5);
    return f;
}

static void assert_same_points(federation *a, federation *b, double tolerance)
{
    for (size_t i = 0; i < a->agents; i++)
        for (size_t t = 0; t < tc_optimizer_trials(a->member[i]->o); t++)
            for (size_t d = 0; d < a->space->n_params; d++)
                assert_close(tc_optimizer_trial(a->member[i]->o, t)->values[d],
                             tc_optimizer_trial(b->member[i]->o, t)->values[d], tolerance);
    disband(b);
}

static void points_have_no_units(void **state)
{
    (void)state;
    for (size_t k = 0; k < 3; k++) {
        federation *a = in_units(k, line(), 4, plain, false);
        assert_same_points(a, in_units(k, line(), 4, other_units, false), 0);
        assert_same_points(a, in_units(k, line(), 4, negated, true), 0);
        disband(a);
        a = in_units(k, square(), 3, plain, false);
        assert_same_points(a, in_units(k, square(), 3, exact_units, false), 1e-4);
        disband(a);
    }
}

static void a_journal_says_it_all(void **state)
{
    (void)state;
    for (size_t k = 0; k < 3; k++) {
        federation *f = assemble(three[k], k == 1 ? square() : line(), 4, options_of[k]);
        f->member[1]->silent = true;
        run(f, INITIAL + 4);
        for (size_t i = 0; i < 4; i++)
            check_replay(f, i);
        assert_true(count_events(f->member[0], TC_EVENT_FIT) > 0);
        disband(f);
    }
}

static void values_are_in_the_journal_too(void **state)
{
    (void)state;
    for (int finite = 0; finite < 2; finite++) {
        federation *f = fts(finite ? line() : square(), 4,
                            "{" BASE ", \"mode\": \"general\", \"message\": \"values\"}");
        f->member[1]->silent = true;
        run(f, INITIAL + 4);
        for (size_t i = 0; i < 4; i++)
            check_replay(f, i);
        assert_true(tc_own_weight(state_of(f, 0)->core.own, TC_OWN_HEARD) +
                        tc_own_weight(state_of(f, 0)->core.own, TC_OWN_TRUSTED) >
                    0); /* something was heard */
        disband(f);
    }
}

/* A round in which nobody speaks leaves what was heard before, in the life of a process as in a replay. */
static void a_silent_round_forgets_nothing(void **state)
{
    (void)state;
    federation *f = fts(square(), 3, "{" BASE ", \"mode\": \"general\"}");
    double heard[M];
    run(f, INITIAL + 2);
    memcpy(heard, state_of(f, 0)->heard.mean, sizeof heard);
    for (size_t i = 0; i < 3; i++)
        f->member[i]->silent = true;
    run(f, 2);
    assert_memory_equal(heard, state_of(f, 0)->heard.mean, sizeof heard);
    for (size_t i = 0; i < 3; i++)
        check_replay(f, i);
    disband(f);
}

/* With nobody to hear, rgpe and taf maximise the expected improvement of the agent's own process, as fts does. */
static void without_others_all_three_are_the_same(void **state)
{
    (void)state;
    federation *f[3];
    for (size_t k = 0; k < 3; k++) {
        f[k] = assemble(three[k], line(), 2, options_of[k]);
        for (size_t i = 0; i < 2; i++)
            f[k]->member[i]->silent = true;
        run(f[k], INITIAL + 6);
    }
    assert_same_points(f[0], f[1], 0);
    assert_same_points(f[0], f[2], 0);
    disband(f[0]);
}

/* ---- rgpe ---- */

enum { SAMPLES = 30 };

/* The law of the own process at observed points, twice: from its covariance, and asked for point by point. */
static void check_covariance(tc_own *own, const tc_history *h)
{
    tacit_error err = {0};
    double C[MOST * MOST] = {0}, K[MOST * MOST], right[MOST * MOST], noise, u[2];
    const size_t n = h->n;
    assert_ok(tc_own_open(own, &err));
    tc_own_covariance(own, C, &noise);
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++) {
            double c = C[i > j ? i + j * n : j + i * n];
            K[i * n + j] = c + (i == j ? noise : 0);
            right[i * n + j] = c;
        }
    solve(n, n, K, right); /* (C + noise)^-1 C */
    for (size_t j = 0; j < n; j++) {
        double mean = 0, variance = C[j + j * n];
        for (size_t i = 0; i < n; i++) {
            mean += right[i * n + j] * tc_own_targets(own)[i];
            variance -= right[i * n + j] * C[i > j ? i + j * n : j + i * n];
        }
        for (size_t d = 0; d < 2; d++)
            u[d] = h->U[j + d * h->ld];
        tc_own_value v = tc_own_at(own, u, NULL, NULL);
        assert_close(v.mean, mean, 1e-6);
        assert_close(v.variance, variance, 1e-6);
    }
    tc_own_close(own);
}

/* Pairs (j, k) that a guess orders otherwise than the values; left_out: the guess of k, and of j, without j. */
static double count_wrong(const double *y, size_t n, const tc_left_out *left_out,
                          const double *guess)
{
    double wrong = 0;
    for (size_t j = 0; j < n; j++)
        for (size_t k = 0; k < n; k++) {
            double a = left_out ? tc_left_out_at(left_out, j, k) : guess[k];
            double b = left_out ? tc_left_out_at(left_out, j, j) : guess[j];
            wrong += (y[k] < y[j] && a >= b) || (y[k] > y[j] && a <= b);
        }
    return wrong;
}

static double quantile(const double *loss, double q)
{
    double sorted[SAMPLES], rank = q * (SAMPLES - 1);
    size_t below = (size_t)rank;
    memcpy(sorted, loss, sizeof sorted);
    for (size_t i = 0; i < SAMPLES; i++)
        for (size_t j = 0; j < i; j++)
            if (sorted[i] < sorted[j]) {
                double swap = sorted[i];
                sorted[i] = sorted[j];
                sorted[j] = swap;
            }
    double above = sorted[below + 1 < SAMPLES ? below + 1 : below];
    return sorted[below] + (rank - (double)below) * (above - sorted[below]);
}

/* The losses of the own process: y and order by rising value. */
static void slow_own_losses(const tc_peers *p, const size_t *order, const double *y, tc_stream *s,
                            double *loss)
{
    tacit_error err = {0};
    const size_t n = p->core.env->history->n;
    double given[MOST * MOST] = {0}, C[MOST * MOST], scratch[MOST * MOST], normal[2 * MOST], noise;
    tc_left_out l = {0};
    tc_own_covariance(p->core.own, given, &noise);
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++) {
            size_t a = order[i], b = order[j];
            C[i + j * n] = given[a > b ? a + b * n : b + a * n];
        }
    assert_true(tc_left_out_room(&l, n, n, noise));
    memcpy(l.y, y, n * sizeof *y);
    assert_ok(tc_left_out_process(&l, C, scratch, &err));
    for (size_t k = 0; k < SAMPLES; k++) {
        for (size_t i = 0; i < 2 * n; i++)
            normal[i] = tc_draw_normal(s);
        tc_left_out_draw(&l, normal, normal + n);
        loss[k] = count_wrong(y, n, &l, NULL);
    }
    tc_left_out_fini(&l);
}

static void slow_weights(tc_peers *p, size_t who, uint64_t trial, double *weight)
{
    const size_t n = p->core.env->history->n;
    size_t order[MOST], winner[SAMPLES];
    double y[MOST], loss[SAMPLES], least[SAMPLES];
    tc_party_seed seed = tc_party_seed_from(4);
    tc_stream s;
    for (size_t i = 0; i < n; i++) {
        size_t place = 0;
        for (size_t j = 0; j < n; j++)
            place += p->y[j] < p->y[i];
        order[place] = i;
        y[place] = p->y[i];
    }
    tc_stream_party(&s, &seed, who, TC_FOR_DRAW, trial);
    slow_own_losses(p, order, y, &s, least);
    double limit = quantile(least, 0.95);
    for (size_t k = 0; k < SAMPLES; k++)
        winner[k] = who;
    for (size_t i = 0; i < p->agents; i++) {
        weight[i] = 0;
        if (i == who)
            continue;
        tc_peers_predict(p, i);
        for (size_t k = 0; k < SAMPLES; k++) {
            double guess[MOST];
            for (size_t place = 0; place < n; place++)
                guess[place] =
                    p->at_mean[order[place]] + sqrt(p->at_var[order[place]]) * tc_draw_normal(&s);
            loss[k] = count_wrong(y, n, NULL, guess);
        }
        for (size_t k = 0; k < SAMPLES && quantile(loss, 0.5) <= limit; k++)
            if (loss[k] < least[k]) {
                least[k] = loss[k];
                winner[k] = i;
            }
    }
    for (size_t k = 0; k < SAMPLES; k++)
        weight[winner[k]] += 1.0 / SAMPLES;
}

/* How often each model ranks the agent's values best. */
static void the_own_process_is_judged_without_each_value(void **state)
{
    bool mixed = false;
    (void)state;
    federation *f = assemble(&tc_algorithm_rgpe, square(), 3, "{" BASE ", \"samples\": 30}");
    run(f, INITIAL);
    for (size_t i = 0; i < 3; i++)
        publish(f, i);
    for (size_t t = 0; t < 8; t++)
        for (size_t i = 0; i < 3; i++) {
            double weight[3];
            settle(f, i);
            uint64_t trial = ask(f->member[i]);
            tc_peers *p = f->member[i]->o->state;
            slow_weights(p, i, trial, weight);
            for (size_t k = 0; k < 3; k++)
                assert_close(fmax(p->weight[k], 0), weight[k], 1e-12);
            mixed |= weight[i] > 0 && weight[i] < 1;
            tell(f, i, trial);
            check_covariance(p->core.own, p->core.env->history);
        }
    assert_true(mixed);
    disband(f);
}

/* ---- options ---- */

static void refuse(const tc_algorithm *a, const char *options, const char *why)
{
    tacit_error err = {0};
    tc_optimizer *o = NULL;
    tc_space *s = square();
    federation f = {.algorithm = a, .options = options, .space = s, .agents = 3};
    assert_fails(make(&o, &f, 0, NULL, &err), TACIT_E_ARG, why);
    tc_space_free(s);
}

static void options_of_the_other_model_are_refused(void **state)
{
    static const char *const of_features[][2] = {
        {"{\"schedule\": \"inverse\"}", "schedule is for own=features, and own is gp"},
        {"{\"follow\": 0.3}", "follow is for own=features, and own is gp"},
        {"{\"p1\": 0.1}", "p1 is for own=features, and own is gp"},
        {"{\"choose\": \"learned\"}", "choose=learned is for own=features, and own is gp"},
        {"{\"message\": \"draw\"}", "message=draw is for own=features, and own is gp"},
        {"{\"own\": \"features\", \"reads\": 3}", "reads is for own=gp, and own is features"},
        {"{\"own\": \"features\", \"message\": \"values\"}",
         "message=values is for own=gp, and own is features"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof of_features / sizeof *of_features; i++)
        refuse(&tc_algorithm_fts, of_features[i][0], of_features[i][1]);
    for (size_t k = 0; k < 3; k++) {
        refuse(three[k], "{\"y_mean\": 1}", "y_mean is for own=features, and own is gp");
        refuse(three[k], "{\"y_scale\": 2}", "y_scale is for own=features, and own is gp");
        refuse(three[k], "{\"initial\": 0}",
               "own=gp needs an initial point at least, got initial=0");
        refuse(three[k], "{\"lengthscale\": 1e-4}",
               "lengthscale must be 0 or a number in [0.001, 100], got 0.0001");
    }
}

static void what_is_left_open_is_chosen(void **state)
{
    (void)state;
    federation *f = fts(square(), 2, "{\"features\": 8}");
    assert_int_equal(state_of(f, 0)->opts->common.initial, 10);
    assert_int_equal(state_of(f, 0)->opts->common.own, TC_FTS_OWN_GP);
    federation *usual = fts(square(), 2, "{\"features\": 8, \"lengthscale\": 0.16817928305074292}");
    const tc_rff *a = &state_of(f, 0)->core.features->rff,
                 *b = &state_of(usual, 0)->core.features->rff;
    for (size_t i = 0; i < 2 * M; i++)
        assert_close(a->W[i], b->W[i], 1e-12);
    disband(usual);
    disband(f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_message_is_the_mean_of_values_standardised_locally),
        cmocka_unit_test(no_units_no_message),
        cmocka_unit_test(all_others_are_read_before_the_first_query),
        cmocka_unit_test(reads_is_the_most),
        cmocka_unit_test(general_mode_reads_every_round),
        cmocka_unit_test(the_mean_of_messages_is_heard_through_the_filter),
        cmocka_unit_test(messages_are_shrunk_as_foretold),
        cmocka_unit_test(silence_changes_nothing),
        cmocka_unit_test(absurd_messages_do_no_harm),
        cmocka_unit_test(points_have_no_units),
        cmocka_unit_test(a_journal_says_it_all),
        cmocka_unit_test(values_are_in_the_journal_too),
        cmocka_unit_test(a_silent_round_forgets_nothing),
        cmocka_unit_test(without_others_all_three_are_the_same),
        cmocka_unit_test(the_own_process_is_judged_without_each_value),
        cmocka_unit_test(options_of_the_other_model_are_refused),
        cmocka_unit_test(what_is_left_open_is_chosen),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
