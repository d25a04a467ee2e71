/* accountant.c - what accountants cost: median milliseconds and the bracket on epsilon.
 *
 * The settings are those of bench/peers/accountant.py, at delta = 1e-5. "lower" is a proved
 * lower bound on the tight value, where the accountant has one. */
#include "base/clock.h"
#include "privacy/accountant.h"

#include <stdio.h>
#include <stdlib.h>

enum { REPEATS = 21 };

#define DELTA 1e-5

static const struct {
    double q, z;
    uint64_t rounds;
} settings[] = {{0.25, 1.0, 40}, {0.01, 1.1, 10000}};

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void print_row(const tc_accountant *a, const tacit_dp_event *e)
{
    double ms[REPEATS];
    tacit_guarantee g = {0};
    tacit_error err;
    for (int i = 0; i < REPEATS; i++) {
        uint64_t begin = tc_clock_ns();
        if (tc_account(a, e, 1, DELTA, &g, &err) != TACIT_OK) {
            printf("%-8s %s\n", a->name, err.msg);
            return;
        }
        ms[i] = (double)(tc_clock_ns() - begin) * 1e-6;
    }
    qsort(ms, REPEATS, sizeof *ms, by_value);
    printf("q=%-5g z=%-4g T=%-6llu %-22s %10.3f %10.5f %10.5f\n", e->sampling_rate, e->parameter,
           (unsigned long long)e->count, a->name, ms[REPEATS / 2], g.lower, g.epsilon);
}

int main(void)
{
    const tc_accountant *const accountants[] = {&tc_accountant_pld, &tc_accountant_rdp};
    printf("%-22s %-22s %10s %10s %10s\n", "setting, delta = 1e-5", "accountant", "ms", "lower",
           "upper");
    for (size_t i = 0; i < sizeof settings / sizeof *settings; i++)
        for (size_t j = 0; j < sizeof accountants / sizeof *accountants; j++) {
            tacit_dp_event e = {TACIT_DP_GAUSSIAN, settings[i].z, TACIT_DP_POISSON, settings[i].q,
                                settings[i].rounds};
            print_row(accountants[j], &e);
        }
    return 0;
}
