/* 04_privacy.c - privacy without an optimizer: what a plan costs, how much noise a promise needs,
 * and a sum released with exact discrete noise.
 *
 *     cc 04_privacy.c $(pkg-config --cflags --libs tacit-privacy) -lm
 *
 * A survey of 1000 people is asked 40 times. Each answer is a number in [-1, 1]. */
#include <tacit/privacy.h>

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

enum { PEOPLE = 1000, ROUNDS = 40 };

#define DELTA 1e-6
/* One is 2^20 steps of the grid; everything between the data and the release is an integer. So
 * fine a grid adds less than 1e-12 to delta. */
#define GRID 1048576.0

static int fail(const tacit_error *err)
{
    fprintf(stderr, "%s\n", err->msg);
    return 1;
}

/* Before anything is spent: 40 rounds that ask a quarter of the people, by every accountant. */
static tacit_status print_plan(tacit_error *err)
{
    tacit_dp_event rounds = {TACIT_DP_GAUSSIAN, 1.0, TACIT_DP_POISSON, 0.25, ROUNDS};
    const char *const accountants[] = {"moments", "rdp", "pld"};
    printf("%d rounds, a quarter of the people each, noise multiplier 1, delta %g\n", ROUNDS,
           DELTA);
    for (int i = 0; i < 3; i++) {
        tacit_guarantee g = TACIT_GUARANTEE;
        tacit_status status = tacit_account(accountants[i], &rounds, 1, DELTA, &g, err);
        if (status != TACIT_OK)
            return status;
        printf("  %-8s epsilon %.3f\n", accountants[i], g.epsilon);
        if (g.lower > 0)
            printf("           and no accountant can prove less than %.3f\n", g.lower);
    }
    return TACIT_OK;
}

/* The sum of all answers, each cut to [-1, 1] on the grid, plus noise of z times the sensitivity. */
static tacit_status release_sum(const double *answers, double z, int64_t *sum, tacit_error *err)
{
    uint64_t sd = (uint64_t)ceil(z * GRID);
    tacit_status status = tacit_sample_discrete_gaussian(sd, 1, sum, err); /* before the data */
    for (int i = 0; status == TACIT_OK && i < PEOPLE; i++)
        *sum += (int64_t)(fmax(-1, fmin(answers[i], 1)) * GRID); /* toward zero */
    return status;
}

int main(void)
{
    tacit_error err;
    if (print_plan(&err) != TACIT_OK)
        return fail(&err);

    double z;
    if (tacit_calibrate(NULL, 4, DELTA, TACIT_DP_ALL, 1, ROUNDS, &z, &err) != TACIT_OK)
        return fail(&err);
    printf("epsilon 4 for everybody in %d rounds needs noise multiplier %.3f\n", ROUNDS, z);

    double answers[PEOPLE], truth = 0;
    for (int i = 0; i < PEOPLE; i++) {
        answers[i] = sin(i);
        truth += answers[i];
    }
    int64_t sum;
    if (release_sum(answers, z, &sum, &err) != TACIT_OK)
        return fail(&err);
    double released = (double)sum / GRID;
    printf("one round: the mean answer is %.4f, with an error of about %.4f\n", released / PEOPLE,
           z / PEOPLE);
    return fabs(released - truth) < 12 * z ? 0 : 1; /* never in practice */
}
