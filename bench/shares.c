/* shares.c - what secret sharing among trustees costs, one thread: an agent that deals, a trustee that opens boxes and adds up, a
 * coordinator that opens the sums of P = 4 groups. Prints medians of processor time.
 *
 * "deal" is the shares alone, "upload" with boxes, bytes are those of the upload. Of N agents a trustee opens N boxes and adds N shares; those
 * of trustees 0..t-1 are seeds, which it expands. "open" is all K answers where they fit, and where the last one is wrong.
 *
 *     bench_shares [repetitions, 15] */
#include "base/clock.h"
#include "base/error.h"
#include "base/memory.h"
#include "wire/dealing.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { GROUPS = 4, MOST_WORDS = 2000, MOST_AGENTS = 10000, MOST_REPETITIONS = 1000 };

typedef struct bench {
    size_t repetitions;
    double ms[MOST_REPETITIONS];
    tc_public_key sender;
    tc_secret_key identity;
    tc_box_key keys[TC_TRUSTEES_MOST];
    tc_box_secret secrets[TC_TRUSTEES_MOST];
    int64_t vector[MOST_WORDS];
    uint8_t secret[32];
    uint64_t sums[TC_TRUSTEES_MOST][GROUPS * MOST_WORDS];
    int64_t opened[GROUPS * MOST_WORDS];
    uint8_t *upload, *shares; /* of any of these sizes; MOST_AGENTS copies of a share */
    tc_arena arena;
} bench;

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(bench *b)
{
    qsort(b->ms, b->repetitions, sizeof *b->ms, ascending);
    return b->ms[b->repetitions / 2];
}

static double ms_since(uint64_t begin)
{
    return (double)(tc_clock_thread_ns() - begin) * 1e-6;
}

static tc_dealer dealer(const bench *b, const tc_trustees *t)
{
    return (tc_dealer){.trustees = *t,
                       .epoch = 1,
                       .kind = TC_DEALER_AGENT,
                       .identity = &b->identity,
                       .keys = b->keys};
}

static double time_deal(bench *b, const tc_trustees *t, size_t words)
{
    for (size_t i = 0; i < b->repetitions; i++) {
        b->secret[0]++;
        uint64_t begin = tc_clock_thread_ns();
        tc_share_deal(t, b->secret, b->vector, words, b->upload);
        b->ms[i] = ms_since(begin);
    }
    return median(b);
}

static tacit_status time_upload(bench *b, const tc_trustees *t, size_t words, double *out,
                                tacit_error *err)
{
    const tc_dealer d = dealer(b, t);
    for (size_t i = 0; i < b->repetitions; i++) {
        b->secret[0]++;
        uint64_t begin = tc_clock_thread_ns();
        TC_TRY(tc_dealing_write(&d, b->secret, b->vector, words, b->upload, err));
        b->ms[i] = ms_since(begin);
    }
    *out = median(b);
    return TACIT_OK;
}

/* The boxes of `agents` for trustee k: copies of one, which is what they cost. */
static tacit_status time_boxes(bench *b, const tc_trustees *t, uint32_t k, size_t words,
                               size_t agents, double *out, tacit_error *err)
{
    const tc_dealer d = dealer(b, t);
    const tacit_hash roster = {{0}};
    tc_dealing_head head;
    TC_TRY(tc_dealing_write(&d, b->secret, b->vector, words, b->upload, err));
    TC_TRY(tc_dealing_read(t, b->upload, tc_dealing_size(t, words), &head, err));
    const uint8_t *box = tc_dealing_box(t, b->upload, k);
    uint64_t begin = tc_clock_thread_ns();
    for (size_t n = 0; n < agents; n++)
        TC_TRY(tc_dealing_open(t, &roster, &head, &b->sender, k, &b->secrets[k], box,
                               tc_dealing_box_size(t, k, words), b->shares, err));
    *out = ms_since(begin);
    return TACIT_OK;
}

static tacit_status time_add(bench *b, const tc_trustees *t, uint32_t k, size_t words,
                             size_t agents, double *out, tacit_error *err)
{
    const size_t size = tc_share_size(t, k, words);
    tc_share_deal(t, b->secret, b->vector, words, b->upload);
    for (size_t n = 0; n < agents; n++)
        memcpy(b->shares + n * size, b->upload + tc_share_offset(t, k, words), size);
    for (size_t i = 0; i < b->repetitions; i++) {
        uint64_t begin = tc_clock_thread_ns();
        for (size_t n = 0; n < agents; n++)
            TC_TRY(tc_share_add(t, k, b->shares + n * size, words, b->sums[k] + n % GROUPS * words,
                                err));
        b->ms[i] = ms_since(begin);
    }
    *out = median(b);
    return TACIT_OK;
}

/* All K answers for GROUPS x words sums, with the last one off by one in one word or not. */
static tacit_status time_open(bench *b, const tc_trustees *t, size_t words, bool wrong, double *out,
                              tacit_error *err)
{
    const uint64_t *answers[TC_TRUSTEES_MOST];
    memset(b->sums, 0, sizeof b->sums);
    tc_share_deal(t, b->secret, b->vector, words, b->upload);
    for (uint32_t k = 0; k < t->count; k++) {
        answers[k] = b->sums[k];
        for (size_t g = 0; g < GROUPS; g++)
            TC_TRY(tc_share_add(t, k, b->upload + tc_share_offset(t, k, words), words,
                                b->sums[k] + g * words, err));
    }
    b->sums[t->count - 1][0] = tc_field_add(b->sums[t->count - 1][0], wrong);
    for (size_t i = 0; i < b->repetitions; i++) {
        uint64_t begin = tc_clock_thread_ns();
        (void)tc_share_open(t, answers, GROUPS * words, b->opened);
        b->ms[i] = ms_since(begin);
    }
    *out = median(b);
    return TACIT_OK;
}

static tacit_status agents_and_coordinator(bench *b, tacit_error *err)
{
    static const uint32_t counts[] = {3, 4, 5, 6, 8};
    static const size_t sizes[] = {100, 400, MOST_WORDS};
    printf("%2s %2s %5s %9s %9s %9s %9s %9s\n", "K", "t", "M", "deal", "upload", "bytes", "open",
           "one wrong");
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
        for (size_t j = 0; j < sizeof sizes / sizeof *sizes; j++) {
            const tc_trustees t = tc_trustees_usual(counts[i]);
            double upload, open, wrong;
            const double deal = time_deal(b, &t, sizes[j]);
            TC_TRY(time_upload(b, &t, sizes[j], &upload, err));
            TC_TRY(time_open(b, &t, sizes[j], false, &open, err));
            TC_TRY(time_open(b, &t, sizes[j], true, &wrong, err));
            printf("%2u %2u %5zu %6.3f ms %6.3f ms %9zu %6.3f ms %6.3f ms\n", t.count, t.degree,
                   sizes[j], deal, upload, tc_dealing_size(&t, sizes[j]), open, wrong);
        }
    return TACIT_OK;
}

static tacit_status trustees(bench *b, tacit_error *err)
{
    static const size_t agents[] = {1000, MOST_AGENTS}, sizes[] = {100, 400, MOST_WORDS};
    const tc_trustees t = tc_trustees_usual(5);
    printf("\n%6s %5s %14s %14s %14s %12s\n", "N", "M", "N boxes", "add N seeds", "add N words",
           "bytes");
    for (size_t i = 0; i < sizeof agents / sizeof *agents; i++)
        for (size_t j = 0; j < sizeof sizes / sizeof *sizes; j++) {
            double boxes, seeds, words;
            TC_TRY(time_boxes(b, &t, 4, sizes[j], agents[i], &boxes, err));
            TC_TRY(time_add(b, &t, 0, sizes[j], agents[i], &seeds, err));
            TC_TRY(time_add(b, &t, 4, sizes[j], agents[i], &words, err));
            printf("%6zu %5zu %11.1f ms %11.2f ms %11.2f ms %12zu\n", agents[i], sizes[j], boxes,
                   seeds, words, agents[i] * tc_dealing_box_size(&t, 4, sizes[j]));
        }
    return TACIT_OK;
}

static tacit_status run(bench *b, tacit_error *err)
{
    uint8_t seed[32] = {1};
    const tc_trustees largest = tc_trustees_usual(TC_TRUSTEES_MOST);
    b->upload = TC_TAKE(&b->arena, tc_dealing_size(&largest, MOST_WORDS), uint8_t);
    b->shares = TC_TAKE(&b->arena, (size_t)8 * MOST_WORDS * MOST_AGENTS, uint8_t);
    if (b->arena.failed)
        return tc_fail_memory(err);
    tc_keys_from(&b->sender, &b->identity, seed);
    for (size_t k = 0; k < TC_TRUSTEES_MOST; k++) {
        seed[1]++;
        tc_box_keys_from(&b->keys[k], &b->secrets[k], seed);
    }
    for (size_t j = 0; j < MOST_WORDS; j++)
        b->vector[j] = (int64_t)(j * 7919 % 100003) - 50000;
    TC_TRY(agents_and_coordinator(b, err));
    return trustees(b, err);
}

int main(int argc, char **argv)
{
    static bench b;
    tacit_error err = {0};
    long repetitions = argc > 1 ? strtol(argv[1], NULL, 10) : 15;
    b.repetitions = repetitions > 0 && repetitions <= MOST_REPETITIONS ? (size_t)repetitions : 15;
    tacit_status status = run(&b, &err);
    if (status != TACIT_OK)
        fprintf(stderr, "bench_shares: %s\n", err.msg);
    tc_arena_fini(&b.arena);
    return tacit_status_exit(status);
}
