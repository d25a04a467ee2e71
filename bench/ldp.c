/* ldp.c - rounds of the algorithms for private and heavy-tailed rewards: 100 arms, one thread.
 *
 * Every algorithm plays a random function (rkhs-se, rkhs-matern52) for T rounds through the
 * optimizer's events, without a store. Private ones are told perturbed rewards (epsilon 1, noise
 * uniform on [-1, 1]); the others rewards with Student's t noise (3 degrees of freedom). Prints the
 * seconds that the algorithm takes, those of the last tenth of the rounds (what does not grow with
 * t has a tenth there), and the regret per round. bench/peers/ldp.py is the same in plain numpy.
 *
 *     bench_ldp [rounds, 20000] [runs, 1] [algorithm reply options]
 *
 * The last three are one player instead of the list: none|onebit|piecewise|laplace, and options as
 * JSON, in which %s stands for the kernel. */
#include "algo/optimizer.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/memory.h"
#include "objective/objective.h"
#include "privacy/mechanism.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct player {
    const char *algorithm;
    tacit_reply_kind reply; /* AUTO: rewards are told as they are */
    const char *options;
} player;

/* gp-ucb with bounded replies knows their variance; its values are rewards, not standardised. */
#define GP_UCB(reply_variance)                                                                     \
    "{\"kernel\": \"%s\", \"lengthscale\": 0.2, \"fit\": false, \"standardize\": false, \"ard\": " \
    "false, \"init\": 1, \"noise\": " reply_variance "}"

static const player players[] = {
    {"ldp-tgp", TACIT_REPLY_LAPLACE, "{\"kernel\": \"%s\"}"},
    {"ldp-ata", TACIT_REPLY_LAPLACE, "{\"kernel\": \"%s\"}"},
    {"ldp-moma", TACIT_REPLY_LAPLACE, "{\"kernel\": \"%s\"}"},
    {"ldp-tgp", TACIT_REPLY_LAPLACE, "{\"kernel\": \"%s\", \"scale\": \"practical\"}"},
    {"ldp-ata", TACIT_REPLY_LAPLACE, "{\"kernel\": \"%s\", \"scale\": \"practical\"}"},
    {"ldp-moma", TACIT_REPLY_LAPLACE, "{\"kernel\": \"%s\", \"scale\": \"practical\"}"},
    {"tgp-ucb", TACIT_REPLY_AUTO, "{\"kernel\": \"%s\", \"scale\": \"practical\"}"},
    {"ata-gp-ucb", TACIT_REPLY_AUTO, "{\"kernel\": \"%s\", \"scale\": \"practical\"}"},
    {"moma-gp-ucb", TACIT_REPLY_AUTO, "{\"kernel\": \"%s\", \"scale\": \"practical\"}"},
    {"gp-ucb", TACIT_REPLY_PIECEWISE, GP_UCB("21")},
    {"gp-ucb", TACIT_REPLY_ONE_BIT, GP_UCB("19")},
};

static const double EPSILON = 1, RANGE = 2; /* |f| <= 1 and |noise| <= 1 */

typedef struct result {
    double seconds, last_tenth, regret;
} result;

typedef struct game {
    const player *who;
    const char *kernel;
    uint64_t rounds, seed;
    tc_objective *objective;
    tc_optimizer *optimizer;
    tc_reply reply;
} game;

static double seconds_since(uint64_t begin)
{
    return (double)(tc_clock_ns() - begin) * 1e-9;
}

static tacit_status make_objective(game *g, tacit_error *err)
{
    tc_objective_opts opts = {.noise_scale = 1, .lengthscale = 0.2};
    opts.noise = g->who->reply == TACIT_REPLY_AUTO ? 3 : 2; /* student-t, uniform */
    char name[32];
    snprintf(name, sizeof name, "rkhs-%s", g->kernel);
    return tc_objective_new(&g->objective, name, &opts, tc_public_seed_from(g->seed), err);
}

static tacit_status make_optimizer(game *g, tacit_error *err)
{
    char text[256];
    snprintf(text, sizeof text, g->who->options, g->kernel);
    json_t *options = json_loads(text, 0, NULL);
    if (!options)
        return tc_fail(err, TACIT_E_INTERNAL, "not JSON: %s", text);
    tc_optimizer_config cfg = {.algorithm = tc_algorithm_find(g->who->algorithm),
                               .options = options,
                               .space = tc_objective_space(g->objective),
                               .maximize = true,
                               .public_seed = tc_public_seed_from(g->seed),
                               .party_seed = tc_party_seed_from(g->seed),
                               .budget = g->rounds};
    tacit_status status = tc_optimizer_new(&g->optimizer, &cfg, err);
    json_decref(options);
    return status;
}

/* The next trial; its arm. */
static tacit_status ask(game *g, uint64_t *trial, double *x, tacit_error *err)
{
    tc_ask_request req = {.now_ms = 1};
    tc_event e;
    do {
        TC_TRY(tc_optimizer_next(g->optimizer, &req, &e, err));
        TC_TRY(tc_optimizer_apply(g->optimizer, &e, err));
    } while (e.kind != TC_EVENT_ASK);
    *trial = e.trial;
    *x = tc_optimizer_trial(g->optimizer, e.trial)->values[0];
    return TACIT_OK;
}

/* What is told: the reward, or its perturbed form. */
static tacit_status observe(const game *g, uint64_t round, double x, double *y, tacit_error *err)
{
    tc_public_seed seed = tc_public_seed_from(g->seed);
    tc_stream s;
    tc_stream_public(&s, &seed, TC_FOR_OBSERVATION, round);
    *y = tc_objective_observe(g->objective, &x, &s);
    if (g->who->reply == TACIT_REPLY_AUTO)
        return TACIT_OK;
    tc_test_noise noise;
    tc_test_noise_init(&noise, g->seed, round);
    tc_entropy entropy = tc_entropy_of_test(&noise);
    tc_release *reply = NULL;
    TC_TRY(tc_reply_release(&reply, &g->reply, *y, &entropy, err));
    *y = tc_release_value(reply, 0);
    tc_release_free(reply);
    return TACIT_OK;
}

/* One round; the clock runs for the algorithm alone. */
static tacit_status play(game *g, uint64_t round, result *out, tacit_error *err)
{
    uint64_t trial, begin = tc_clock_ns();
    double x, y, seconds;
    tc_event e;
    TC_TRY(ask(g, &trial, &x, err));
    seconds = seconds_since(begin);
    TC_TRY(observe(g, round, x, &y, err));
    begin = tc_clock_ns();
    TC_TRY(tc_optimizer_tell(g->optimizer, trial, NULL, y, 2, &e, err));
    TC_TRY(tc_optimizer_apply(g->optimizer, &e, err));
    seconds += seconds_since(begin);
    out->seconds += seconds;
    out->last_tenth += round >= g->rounds - g->rounds / 10 ? seconds : 0;
    out->regret += tc_objective_regret(g->objective, &x) / (double)g->rounds;
    return TACIT_OK;
}

static tacit_status play_all(game *g, result *out, tacit_error *err)
{
    TC_TRY(make_objective(g, err));
    TC_TRY(make_optimizer(g, err));
    if (g->who->reply != TACIT_REPLY_AUTO)
        TC_TRY(tc_reply_init(&g->reply, g->who->reply, EPSILON, -RANGE, RANGE, err));
    for (uint64_t round = 0; round < g->rounds; round++)
        TC_TRY(play(g, round, out, err));
    return TACIT_OK;
}

static tacit_status compare(const player *who, const char *kernel, uint64_t rounds, uint64_t runs,
                            tacit_error *err)
{
    static const char *const replies[] = {"none", "onebit", "piecewise", "laplace"};
    result sum = {0};
    for (uint64_t r = 0; r < runs; r++) {
        game g = {.who = who, .kernel = kernel, .rounds = rounds, .seed = r + 1};
        tacit_status status = play_all(&g, &sum, err);
        tc_optimizer_free(g.optimizer);
        tc_objective_free(g.objective);
        TC_TRY(status);
    }
    double n = (double)runs;
    printf("%-12s %-9s %-9s %-10s %9.3f %9.4f %9.4f\n", who->algorithm, kernel, replies[who->reply],
           strstr(who->options, "practical") ? "practical" : "", sum.seconds / n,
           sum.last_tenth / n, sum.regret / n);
    return TACIT_OK;
}

/* The reply of this name; AUTO stands for none. */
static tacit_reply_kind reply_named(const char *name)
{
    return strcmp(name, "onebit") == 0      ? TACIT_REPLY_ONE_BIT
           : strcmp(name, "piecewise") == 0 ? TACIT_REPLY_PIECEWISE
           : strcmp(name, "laplace") == 0   ? TACIT_REPLY_LAPLACE
                                            : TACIT_REPLY_AUTO;
}

static tacit_status run(uint64_t rounds, uint64_t runs, const player *list, size_t n,
                        tacit_error *err)
{
    static const char *const kernels[] = {"se", "matern52"};
    printf("%" PRIu64 " rounds on 100 arms, mean of %" PRIu64 " runs\n", rounds, runs);
    printf("%-12s %-9s %-9s %-10s %9s %9s %9s\n", "algorithm", "kernel", "reply", "scale",
           "seconds", "last 10%", "regret/T");
    for (size_t k = 0; k < 2; k++)
        for (size_t i = 0; i < n; i++)
            TC_TRY(compare(&list[i], kernels[k], rounds, runs, err));
    return TACIT_OK;
}

int main(int argc, char **argv)
{
    long rounds = argc > 1 ? strtol(argv[1], NULL, 10) : 20000;
    long runs = argc > 2 ? strtol(argv[2], NULL, 10) : 1;
    player one = {0};
    tacit_error err = {0};
    if (argc > 5)
        one = (player){argv[3], reply_named(argv[4]), argv[5]};
    if (rounds < 1 || runs < 1 || (one.algorithm && !tc_algorithm_find(one.algorithm))) {
        fprintf(stderr, "usage: bench_ldp [rounds] [runs] [algorithm reply options]\n");
        return 2;
    }
    size_t n = one.algorithm ? 1 : sizeof players / sizeof *players;
    tacit_status status =
        run((uint64_t)rounds, (uint64_t)runs, one.algorithm ? &one : players, n, &err);
    if (status != TACIT_OK)
        fprintf(stderr, "bench_ldp: %s\n", err.msg);
    return tacit_status_exit(status);
}
