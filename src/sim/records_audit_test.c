/* records_audit_test.c - attacks a whole federated study that protects records, with real noise.
 *
 * Two worlds differ in one record of the first agent, which moves its metric by the whole sensitivity in every trial. The
 * attacker sees all that leaves the agent (records_world.h). All of it follows from the noised values in the journal
 * and from public constants, which records_view_test.c shows bit by bit; so no test is better than the likelihood ratio of these
 * values, which is their sum. It speaks for world 1 where it is large; how large follows from the power of the test, once where the claim is tight
 * and once where half the noise shows best. Clopper and Pearson bound how often that happens in both worlds, and
 *
 *     epsilon >= ln((lower bound of P1 - delta) / upper bound of P0)
 *
 * must not be above the document's epsilon. Agents that declare half the sensitivity have half the noise, and must be caught.
 *
 * By luck alone, an agent whose claim is true fails with a probability below 1e-9: at the first event by its confidence, at the second with
 * 4e-14, since the claim is not tight there. Half the noise escapes with a probability below 1.4e-8. These two are sums of exact binomial
 * probabilities for RUNS, and sums of values that lie 1.449 or 2.898 standard deviations apart. TACIT_DEEP=1 takes ten times
 * as many studies. */
#include "support/records_world.h"

#include "privacy/clopper_pearson.h"

#include <stdlib.h>

#ifdef __SANITIZE_THREAD__ /* twenty times as slow, and the numbers are those of the other builds */
enum { RUNS = 25, POWER = 0 };
#else
enum { RUNS = 450, POWER = 1 };
#endif

#define VALUE       0.25
#define SENSITIVITY 0.1

/* The sum of values is at least so many standard deviations above that of world 0. */
static const struct {
    double threshold, alpha;
} events[] = {{1.41, 5e-10}, {1.8, 1e-5}};
enum { EVENTS = 2 };

/* ---- one study ---- */

typedef struct attack {
    const char *algorithm;
    double declared; /* times the sensitivity */
    double sd;       /* of the noise of a value, which is public */
} attack;

static outcome evaluate(const void *user, uint64_t agent, uint64_t trial)
{
    const int world = *(const int *)user;
    (void)trial;
    return (outcome){.value = agent == 0 ? VALUE + world * SENSITIVITY : 0.5};
}

/* The sum of the values beside that of world 0, in units of its noise. */
static double score(const attack *a, int world)
{
    records_setup setup = {.algorithm = a->algorithm,
                           .sensitivity = a->declared * SENSITIVITY,
                           .evaluate = evaluate,
                           .user = &world};
    records_world w;
    double sum = 0;
    records_run(&w, &setup);
    tc_text_fini(&w.view);
    for (int t = 0; t < RECORDS_TRIALS; t++)
        sum += w.values[t] - VALUE;
    return sum / (a->sd * sqrt(RECORDS_TRIALS));
}

/* ---- many ---- */

static double noise_sd(double declared)
{
    tacit_error err = {0};
    double z;
    assert_ok(tc_value_calibrate(RECORDS_EPSILON, RECORDS_DELTA, RECORDS_TRIALS, &z, &err));
    return z * declared * SENSITIVITY;
}

static void count(const attack *a, uint64_t runs, uint64_t hits[EVENTS][2])
{
    for (uint64_t i = 0; i < runs; i++)
        for (int world = 0; world < 2; world++) {
            double found = score(a, world);
            for (int k = 0; k < EVENTS; k++)
                hits[k][world] += found >= events[k].threshold;
        }
}

/* What the attack proves epsilon to be at least. */
static double lower_bound(const char *algorithm, double declared)
{
    const uint64_t runs = getenv("TACIT_DEEP") ? 10 * RUNS : RUNS;
    attack a = {algorithm, declared, noise_sd(declared)};
    uint64_t hits[EVENTS][2] = {{0}};
    double lower = 0;
    count(&a, runs, hits);
    for (int k = 0; k < EVENTS; k++) {
        double p = tc_clopper_pearson_lower(hits[k][1], runs, events[k].alpha / 2);
        double q = tc_clopper_pearson_upper(hits[k][0], runs, events[k].alpha / 2);
        if (p > RECORDS_DELTA)
            lower = fmax(lower, log((p - RECORDS_DELTA) / q));
        print_message("%s, %g of the noise: %d and %d of %d, epsilon at least %.3f\n", algorithm,
                      declared, (int)hits[k][0], (int)hits[k][1], (int)runs, lower);
    }
    return lower;
}

static void attack_all(const char *algorithm)
{
    assert_true(lower_bound(algorithm, 1) <= RECORDS_EPSILON);
    double half = lower_bound(algorithm, 0.5);
    if (POWER)
        assert_true(half > RECORDS_EPSILON);
    else
        print_message("so few studies under ThreadSanitizer cannot catch half the noise\n");
}

static void values_among_agents(void **state)
{
    (void)state;
    attack_all("\"name\": \"fts\", \"features\": 8, \"initial\": 3");
}

static void sums_of_agents(void **state)
{
    (void)state;
    attack_all("\"name\": \"dp-fts-de\", \"features\": 8, \"initial\": 3");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_among_agents),
        cmocka_unit_test(sums_of_agents),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
