/* aggregate.c - one round of dp-fts-de at the coordinator: 100,000 agents, M = 100, P = 4.
 *
 * From opening the round to the release: noise and coins are drawn, every message is read, checked,
 * clipped and added, one thread. Messages are made before, in one buffer. Beside it the memory
 * bandwidth of the same run: a plain sum over that buffer, and a copy of it (bytes read and bytes
 * written). Prints medians; the share is that of the plain sum. Peak memory is that of the whole
 * process before the copy, the messages included. "check" is what a coordinator does when a message
 * arrives, for all of them.
 *
 *     bench_aggregate [repetitions, 15] */
#include "algo/dp_fts_de/dp_fts_de.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/memory.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

enum { AGENTS = 100000, FEATURES = 100, REGIONS = 4, ROUND = 12 };

static const struct row {
    const char *name;
    int mode;
    double rate;
} rows[] = {{"everybody", TC_DP_FTS_DE_SOUND, 1},
            {"sampled, q = 0.25", TC_DP_FTS_DE_SOUND, 0.25},
            {"mode=paper", TC_DP_FTS_DE_PAPER, 1}};

typedef struct setting {
    tc_env env;
    tc_dp_fts_de_options opts;
    uint8_t *messages; /* AGENTS x size */
    size_t size;
    double *seconds, *reading; /* one per repetition */
    size_t repetitions;
    uint64_t checksum; /* keeps the plain sum from being left out */
    tc_arena arena;
} setting;

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(size_t n, double *v)
{
    qsort(v, n, sizeof *v, ascending);
    return v[n / 2];
}

static double seconds_since(uint64_t begin)
{
    return (double)(tc_clock_ns() - begin) * 1e-9;
}

/* Vectors of two thirds of the clip norm, on the grid of the round. */
static tacit_status write_messages(setting *b, tacit_error *err)
{
    tc_dp_fts_de_round r;
    TC_TRY(tc_dp_fts_de_round_init(&r, &(tc_env){.agents = AGENTS}, &b->opts, ROUND, err));
    tc_dp_fts_de_form form = {
        .round = ROUND, .width = FEATURES, .grid = r.plan.grid, .clip = r.clip};
    double sd = (double)r.clip / 1.5 / sqrt(FEATURES);
    tc_dp_fts_de_round_fini(&r);
    tc_public_seed seed = tc_public_seed_from(1);
    tc_stream s;
    tc_stream_public(&s, &seed, TC_FOR_DRAW, 0);
    for (size_t n = 0; n < AGENTS; n++) {
        int64_t v[FEATURES];
        tc_text t = {0};
        for (size_t k = 0; k < FEATURES; k++)
            v[k] = (int64_t)(sd * tc_draw_normal(&s));
        tc_dp_fts_de_message_write(&form, v, &t);
        bool failed = t.failed;
        if (!failed)
            memcpy(b->messages + n * b->size, tc_text_get(&t), b->size);
        tc_text_fini(&t);
        if (failed)
            return tc_fail_memory(err);
    }
    return TACIT_OK;
}

static tacit_status fold_all(const setting *b, void *st, tacit_error *err)
{
    for (size_t n = 0; n < AGENTS; n++)
        TC_TRY(tc_dp_fts_de_aggregator.fold(st, n, b->messages + n * b->size, b->size, err));
    return TACIT_OK;
}

static tacit_status aggregate(const setting *b, tacit_error *err)
{
    void *st = tc_alloc(1, tc_dp_fts_de_aggregator.state_size);
    tc_release *release = NULL;
    tc_noise noise;
    if (!st)
        return tc_fail_memory(err);
    tc_noise_init(&noise);
    tc_entropy e = tc_entropy_of(&noise);
    tacit_status status = tc_dp_fts_de_aggregator.open(st, &b->env, &b->opts, ROUND, &e, err);
    if (status == TACIT_OK)
        status = fold_all(b, st, err);
    if (status == TACIT_OK)
        status = tc_dp_fts_de_aggregator.close(st, &release, err);
    tc_release_free(release);
    tc_dp_fts_de_aggregator.fini(st);
    tc_noise_fini(&noise);
    tc_free(st);
    return status;
}

static void read_all(setting *b)
{
    const uint64_t *word = (const uint64_t *)(const void *)b->messages;
    uint64_t sum = 0;
    for (size_t i = 0; i < AGENTS * b->size / 8; i++)
        sum += word[i];
    b->checksum ^= sum;
}

static void print_row(const setting *b, const char *name, double bytes, double s, double peak)
{
    double reading = median(b->repetitions, b->reading), all = (double)(AGENTS * b->size);
    printf("%-22s %10.2f %10.2f %9.0f%%", name, s * 1e3, bytes / s * 1e-9,
           100 * bytes / s / (all / reading));
    if (peak > 0)
        printf(" %10.2f", peak / all);
    printf("\n");
}

static double peak_bytes(void)
{
    struct rusage used;
    getrusage(RUSAGE_SELF, &used);
    return (double)used.ru_maxrss * 1024;
}

static tacit_status time_row(setting *b, const struct row *row, tacit_error *err)
{
    b->opts.mode = row->mode;
    b->opts.sampling_rate = row->rate;
    TC_TRY(write_messages(b, err));
    for (size_t i = 0; i < b->repetitions; i++) {
        uint64_t begin = tc_clock_ns();
        read_all(b);
        b->reading[i] = seconds_since(begin);
        begin = tc_clock_ns();
        TC_TRY(aggregate(b, err));
        b->seconds[i] = seconds_since(begin);
    }
    print_row(b, row->name, (double)(AGENTS * b->size), median(b->repetitions, b->seconds),
              peak_bytes());
    return TACIT_OK;
}

static tacit_status time_check(setting *b, tacit_error *err)
{
    uint64_t begin = tc_clock_ns();
    for (size_t n = 0; n < AGENTS; n++)
        TC_TRY(tc_dp_fts_de_aggregator.check(&b->env, &b->opts, ROUND, n, b->messages + n * b->size,
                                             b->size, err));
    print_row(b, "check", (double)(AGENTS * b->size), seconds_since(begin), 0);
    return TACIT_OK;
}

static tacit_status time_copy(setting *b, tacit_error *err)
{
    uint8_t *copy = tc_alloc(AGENTS, b->size);
    if (!copy)
        return tc_fail_memory(err);
    for (size_t i = 0; i < b->repetitions; i++) {
        b->messages[i] ^= 1; /* so that no copy is like the one before */
        uint64_t begin = tc_clock_ns();
        memcpy(copy, b->messages, AGENTS * b->size);
        b->seconds[i] = seconds_since(begin);
        b->checksum ^= copy[i];
    }
    print_row(b, "a copy", 2 * (double)(AGENTS * b->size), median(b->repetitions, b->seconds), 0);
    tc_free(copy);
    return TACIT_OK;
}

static tacit_status run(setting *b, tacit_error *err)
{
    TC_TRY(tc_options_defaults(tc_algorithm_dp_fts_de.options, &b->opts, err));
    b->opts.own = TC_DP_FTS_DE_OWN_FEATURES;
    b->opts.init = TC_DP_FTS_DE_INIT_REGION;
    b->opts.initial = 10;
    b->opts.features = FEATURES;
    b->opts.regions = REGIONS;
    b->env.agents = AGENTS;
    b->size = TC_DP_FTS_DE_HEADER + 8 * FEATURES;
    b->messages = TC_TAKE(&b->arena, AGENTS * b->size, uint8_t);
    b->seconds = TC_TAKE(&b->arena, b->repetitions, double);
    b->reading = TC_TAKE(&b->arena, b->repetitions, double);
    if (b->arena.failed)
        return tc_fail_memory(err);
    printf("%-22s %10s %10s %10s %10s\n", "100,000 agents", "ms", "GB/s", "share", "memory");
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        TC_TRY(time_row(b, &rows[i], err));
    TC_TRY(time_check(b, err));
    print_row(b, "a plain sum", (double)(AGENTS * b->size), median(b->repetitions, b->reading), 0);
    TC_TRY(time_copy(b, err));
    printf("(memory: peak over messages; checksum %llx)\n", (unsigned long long)b->checksum);
    return TACIT_OK;
}

int main(int argc, char **argv)
{
    long repetitions = argc > 1 ? strtol(argv[1], NULL, 10) : 15;
    setting b = {.repetitions = repetitions > 0 ? (size_t)repetitions : 15};
    tacit_error err = {0};
    tacit_status status = run(&b, &err);
    if (status != TACIT_OK)
        fprintf(stderr, "bench_aggregate: %s\n", err.msg);
    tc_options_fini(tc_algorithm_dp_fts_de.options, &b.opts);
    tc_arena_fini(&b.arena);
    return tacit_status_exit(status);
}
