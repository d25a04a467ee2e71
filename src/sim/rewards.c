/* rewards.c - objectives as rewards, and n draws of them. See rewards.h.
 *
 * A pull takes one 64-bit word. Uniform noise is the high half of word x (2a + 1), less a: whole
 * numbers from -a to a, the same bits everywhere. */
#include "sim/rewards.h"

#include "base/error.h"

#include <math.h>
#include <string.h>

__extension__ typedef unsigned __int128 wide;

/* Pulls that share one stream; a power of two. */
enum { PULLS_A_STREAM = 1 << 16, CHUNK = 64 };

/* ---- a family ---- */

static double family_value(const void *of, uint64_t client, const double *u)
{
    const tc_family_rewards *f = of;
    double values[TC_PARAMS_MAX];
    tc_space_decode(tc_family_space(f->family), u, values);
    double y = tc_family_value(f->family, client, values);
    double share = fmin(fmax((y - f->low) / (f->high - f->low), 0), 1);
    return tc_family_maximize(f->family) ? share : 1 - share;
}

static double family_best(const void *of, uint64_t client)
{
    const tc_family_rewards *f = of;
    double share = (tc_family_optimum(f->family, client) - f->low) / (f->high - f->low);
    share = fmin(fmax(share, 0), 1);
    return tc_family_maximize(f->family) ? share : 1 - share;
}

tacit_status tc_rewards_of_family(tc_rewards *out, const tc_family_rewards *f, tacit_error *err)
{
    if (!(f->low < f->high))
        return tc_fail(err, TACIT_E_ARG, "the range of rewards must have low < high, not %g and %g",
                       f->low, f->high);
    *out = (tc_rewards){.dim = tc_family_space(f->family)->dim,
                        .of = f,
                        .value = family_value,
                        .best = family_best};
    return TACIT_OK;
}

/* ---- draws ---- */

void tc_reward_source_init(tc_reward_source *s, const tc_rewards *r, uint64_t seed, uint64_t client)
{
    tc_party_seed party = tc_party_seed_from(seed);
    s->rewards = r;
    s->key = tc_party_key_of(&party, client, TC_FOR_OBSERVATION);
    s->t = 0;
}

/* The next `n` words, all of one stream. */
static void words(tc_reward_source *s, size_t n, uint64_t *out)
{
    if (s->t % PULLS_A_STREAM == 0)
        tc_stream_keyed(&s->stream, &s->key, s->t / PULLS_A_STREAM);
    tc_draw_words(&s->stream, n, out);
    s->t += n;
}

void tc_reward_source_seek(tc_reward_source *s, uint64_t t)
{
    uint64_t passed[CHUNK];
    s->t = t - t % PULLS_A_STREAM;
    while (s->t < t)
        words(s, t - s->t < CHUNK ? (size_t)(t - s->t) : CHUNK, passed);
}

static inline void add(int64_t reward, tc_pulled *out)
{
    out->sum += reward;
    out->squares += (reward * reward) / TC_REWARD_ONE;
}

static void pay_uniform(const uint64_t *word, size_t n, double value, double scale, tc_pulled *out)
{
    int64_t mean = tc_reward_of(value), half = tc_reward_of(scale);
    for (size_t i = 0; i < n; i++)
        add(mean + (int64_t)(((wide)word[i] * (uint64_t)(2 * half + 1)) >> 64) - half, out);
}

static void pay_bernoulli(const uint64_t *word, size_t n, double value, tc_pulled *out)
{
    uint64_t below = (uint64_t)(fmin(fmax(value, 0), 1) * 0x1p63);
    for (size_t i = 0; i < n; i++)
        add(word[i] >> 1 < below ? TC_REWARD_ONE : 0, out);
}

/* As many as one stream still has, and as fit the buffer. */
static size_t chunk(const tc_reward_source *s, uint64_t n)
{
    uint64_t left = PULLS_A_STREAM - s->t % PULLS_A_STREAM;
    uint64_t most = left < CHUNK ? left : CHUNK;
    return (size_t)(n < most ? n : most);
}

void tc_reward_draw(tc_reward_source *s, double value, uint64_t n, tc_pulled *out)
{
    uint64_t word[CHUNK];
    out->n = n;
    out->sum = out->squares = 0;
    while (n > 0) {
        size_t now = chunk(s, n);
        words(s, now, word);
        if (s->rewards->noise == TC_REWARD_BERNOULLI)
            pay_bernoulli(word, now, value, out);
        else
            pay_uniform(word, now, value, s->rewards->scale, out);
        n -= now;
    }
}
