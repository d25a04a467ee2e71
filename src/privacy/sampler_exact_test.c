/* sampler_exact_test.c - the samplers' probabilities, by playing every game to its end.
 *
 * The dice below walk through the tree of all outcomes, one path at a time, and keep the exact
 * probability of the path as a fraction. Paths less likely than a cutoff are broken off and their
 * probability is added to `open`. So the true probability of x lies in [sum(x), sum(x) + open],
 * and the theory has to lie there too.
 *
 * Two levels: from single coins, where the tree is large and `open` about 1e-4; and over coins
 * of probability exp(-a/b) as a whole, which the first test has shown to be just that: there the
 * tree is small and `open` is nil. */
#include "support/test.h"
#include "privacy/sampler.h"
#include "privacy/sampler_int.h"

#include <gmp.h>
#include <stdlib.h>

enum { DEPTH = 200, REACH = 400 };

typedef struct choice {
    uint64_t face, faces; /* a coin has faces 0 and 1 */
    mpq_t before, after;  /* probability of the path up to and with this choice */
} choice;

typedef struct game {
    choice path[DEPTH];
    size_t length, at;
    bool whole_exp; /* exp(-a/b) is one choice */
    mpq_t one, cutoff, open, kept[2 * REACH + 1], thrown;
    unsigned long paths;
    jmp_buf broken_off;
} game;

static void game_init(game *g, unsigned cutoff_bits, bool whole_exp)
{
    for (size_t i = 0; i < DEPTH; i++)
        mpq_inits(g->path[i].before, g->path[i].after, NULL);
    for (size_t i = 0; i <= 2 * REACH; i++)
        mpq_init(g->kept[i]);
    mpq_inits(g->one, g->cutoff, g->open, g->thrown, NULL);
    mpq_set_ui(g->one, 1, 1);
    mpq_div_2exp(g->cutoff, g->one, cutoff_bits);
    g->whole_exp = whole_exp;
    g->length = 0;
    g->paths = 0;
}

static void game_fini(game *g)
{
    for (size_t i = 0; i < DEPTH; i++)
        mpq_clears(g->path[i].before, g->path[i].after, NULL);
    for (size_t i = 0; i <= 2 * REACH; i++)
        mpq_clear(g->kept[i]);
    mpq_clears(g->one, g->cutoff, g->open, g->thrown, NULL);
}

/* ---- dice */

/* The next choice of this path: a new one starts at face 0. */
static choice *next_choice(game *g, uint64_t faces)
{
    choice *c = &g->path[g->at];
    if (g->at == g->length) {
        mpq_set(c->before, g->at == 0 ? g->one : g->path[g->at - 1].after);
        if (g->at == DEPTH - 1 || mpq_cmp(c->before, g->cutoff) < 0) {
            mpq_add(g->open, g->open, c->before);
            longjmp(g->broken_off, 1);
        }
        c->face = 0;
        c->faces = faces;
        g->length++;
    }
    assert_true(c->faces == faces); /* the same prefix asks the same questions */
    g->at++;
    return c;
}

static void weigh(choice *c, uint64_t a, uint64_t b)
{
    mpq_t p;
    mpq_init(p);
    mpq_set_ui(p, a, b);
    mpq_canonicalize(p);
    mpq_mul(c->after, c->before, p);
    mpq_clear(p);
}

static uint64_t every_below(void *ctx, uint64_t n)
{
    if (n == 1)
        return 0;
    choice *c = next_choice(ctx, n);
    weigh(c, 1, n);
    return c->face;
}

static bool every_coin(void *ctx, uint64_t a, uint64_t b)
{
    if (a == 0 || a >= b) /* sure: no choice */
        return a != 0;
    choice *c = next_choice(ctx, 2);
    weigh(c, c->face == 1 ? a : b - a, b);
    return c->face == 1;
}

static bool every_exp(void *ctx, uint64_t a, uint64_t b)
{
    game *in = ctx;
    if (!in->whole_exp || a == 0)
        return exp_minus_fraction((tc_dice){.coin = every_coin, .ctx = ctx}, a, b);
    choice *c = next_choice(ctx, 2);
    mpq_t p;
    mpq_init(p);
    mpq_set_d(p, exp(-(double)a / (double)b));
    if (c->face == 0)
        mpq_sub(p, in->one, p);
    mpq_mul(c->after, c->before, p);
    mpq_clear(p);
    return c->face == 1;
}

/* ---- playing */

typedef bool play(tc_dice d, const uint64_t *scale, int64_t *out);

static void play_path(game *g, play *game_of, const uint64_t *scale)
{
    const tc_dice d = {.below = every_below, .coin = every_coin, .exp = every_exp, .ctx = g};
    g->at = 0;
    g->paths++;
    if (setjmp(g->broken_off) != 0)
        return;
    int64_t x = 0;
    bool kept = game_of(d, scale, &x);
    mpq_ptr sum = g->thrown;
    if (kept) {
        assert_true(llabs(x) <= REACH);
        sum = g->kept[x + REACH];
    }
    mpq_add(sum, sum, g->length == 0 ? g->one : g->path[g->length - 1].after);
}

static void play_all(game *g, play *game_of, const uint64_t *scale)
{
    do {
        play_path(g, game_of, scale);
        while (g->length > 0 && ++g->path[g->length - 1].face == g->path[g->length - 1].faces)
            g->length--;
    } while (g->length > 0);
}

static void everything_is_counted(game *g)
{
    mpq_t total;
    mpq_init(total);
    mpq_add(total, g->open, g->thrown);
    for (size_t i = 0; i <= 2 * REACH; i++)
        mpq_add(total, total, g->kept[i]);
    assert_true(mpq_equal(total, g->one));
    mpq_clear(total);
}

static void assert_probability(game *g, int64_t x, double theory, double widest)
{
    double low = mpq_get_d(g->kept[x + REACH]), open = mpq_get_d(g->open);
    assert_true(open < widest);
    if (theory >= low * (1 - 1e-13) && theory <= (low + open) * (1 + 1e-13))
        return;
    print_error("P(%ld) is %.17g, but the paths give [%.17g, %.17g]\n", (long)x, theory, low,
                low + open);
    fail();
}

static bool play_exp(tc_dice d, const uint64_t *scale, int64_t *out)
{
    *out = exp_minus(d, scale[0] / scale[1], scale[0] % scale[1], scale[1]);
    return true;
}

static bool play_laplace(tc_dice d, const uint64_t *scale, int64_t *out)
{
    return laplace_try(d, *scale, out);
}

static bool play_gaussian(tc_dice d, const uint64_t *scale, int64_t *out)
{
    return gaussian_try(d, *scale, out);
}

static game g;

static void exponentials_are_exact(void **state)
{
    (void)state;
    for (uint64_t b = 1; b <= 32; b++) { /* 32 = 2 s^2 for s = 4 */
        for (uint64_t a = 0; a <= b; a++) {
            game_init(&g, 100, false);
            play_all(&g, play_exp, (const uint64_t[]){a, b});
            everything_is_counted(&g);
            double p = exp(-(double)a / (double)b);
            assert_probability(&g, 1, p, 1e-25);
            assert_probability(&g, 0, 1 - p, 1e-25);
            game_fini(&g);
        }
    }
}

static void exponents_above_one_are_exact(void **state)
{
    (void)state;
    for (uint64_t b = 1; b <= 4; b++) {
        for (uint64_t a = b + 1; a <= 3 * b + 1; a++) {
            game_init(&g, 40, false);
            play_all(&g, play_exp, (const uint64_t[]){a, b});
            everything_is_counted(&g);
            assert_probability(&g, 1, exp(-(double)a / (double)b), 1e-8);
            game_fini(&g);
        }
    }
}

/* One try gives x with probability exp(-|x|/t) (1 - 1/e) / (2 t). */
static double laplace_theory(uint64_t t, int64_t x)
{
    return exp(-(double)llabs(x) / (double)t) * (1 - exp(-1)) / (2 * (double)t);
}

static void assert_laplace(unsigned cutoff_bits, bool whole_exp, double widest)
{
    for (uint64_t t = 1; t <= 4; t++) {
        game_init(&g, cutoff_bits, whole_exp);
        play_all(&g, play_laplace, &t);
        everything_is_counted(&g);
        for (int64_t x = -60; x <= 60; x++)
            assert_probability(&g, x, laplace_theory(t, x), widest);
        game_fini(&g);
    }
}

static void assert_gaussian(unsigned cutoff_bits, bool whole_exp, double widest)
{
    for (uint64_t s = 1; s <= 4; s++) {
        game_init(&g, cutoff_bits, whole_exp);
        play_all(&g, play_gaussian, &s);
        everything_is_counted(&g);
        for (int64_t x = -40; x <= 40; x++) {
            double away = ((double)llabs(x) - (double)s) / (double)s;
            assert_probability(&g, x, laplace_theory(s, x) * exp(-away * away / 2), widest);
        }
        game_fini(&g);
    }
}

static void laplace_is_exact(void **state)
{
    (void)state;
    assert_laplace(28, false, 1e-4);
    assert_laplace(70, true, 1e-18);
}

static void gaussian_is_exact(void **state)
{
    (void)state;
    assert_gaussian(28, false, 2e-4);
    assert_gaussian(70, true, 1e-18);
}

/* ---- below: which words of 64 bits give which number */

typedef struct tape {
    uint64_t words[4];
    size_t used;
} tape;

static uint64_t tape_u64(void *ctx)
{
    tape *t = ctx;
    assert_true(t->used < 4);
    return t->words[t->used++];
}

/* What below(n) makes of one word; a refused word is followed by 2^64 - 1, which no n refuses. */
static bool accepted(uint64_t n, uint64_t word, uint64_t *out)
{
    tape t = {.words = {word, UINT64_MAX, UINT64_MAX, UINT64_MAX}};
    tc_entropy e = {.u64 = tape_u64, .ctx = &t};
    *out = tc_sample_below(&e, n);
    return t.used == 1;
}

/* below is monotone in the word, so its preimages are intervals: r must own exactly
 * floor(2^64 / n) words, found at both ends; the neighbours of the interval are not r's. */
static void assert_owns_its_share(uint64_t n, uint64_t r)
{
    tc_sampler_wide words = (tc_sampler_wide)1 << 64;
    uint64_t excess = (uint64_t)(words % n), got;
    uint64_t first = (uint64_t)((r * words + excess + n - 1) / n);
    uint64_t last = (uint64_t)((r * words + words - 1) / n);
    assert_true(last - first + 1 == (uint64_t)(words / n));
    assert_true(accepted(n, first, &got) && got == r);
    assert_true(accepted(n, last, &got) && got == r);
    if (first > 0)
        assert_true(!accepted(n, first - 1, &got) || got == r - 1);
    if (last < UINT64_MAX)
        assert_true(!accepted(n, last + 1, &got) || got == r + 1);
}

static void below_gives_each_number_the_same_share(void **state)
{
    (void)state;
    for (uint64_t n = 2; n <= 300; n++)
        for (uint64_t r = 0; r < n; r++)
            assert_owns_its_share(n, r);
    static const uint64_t large[] = {UINT64_C(1) << 32, (UINT64_C(1) << 32) + 1,
                                     UINT64_C(3) << 62, (UINT64_C(1) << 63) + 1,
                                     UINT64_MAX,        UINT64_C(1) << 63};
    for (size_t i = 0; i < sizeof large / sizeof large[0]; i++) {
        assert_owns_its_share(large[i], 0);
        assert_owns_its_share(large[i], 1);
        assert_owns_its_share(large[i], large[i] / 2);
        assert_owns_its_share(large[i], large[i] - 1);
    }
}

static void one_outcome_takes_no_entropy(void **state)
{
    (void)state;
    tape t = {.words = {7}};
    tc_entropy e = {.u64 = tape_u64, .ctx = &t};
    assert_true(tc_sample_below(&e, 1) == 0);
    assert_int_equal(tc_sample_bernoulli(&e, 1, 1), 1);
    assert_int_equal(t.used, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(exponentials_are_exact),
        cmocka_unit_test(exponents_above_one_are_exact),
        cmocka_unit_test(laplace_is_exact),
        cmocka_unit_test(gaussian_is_exact),
        cmocka_unit_test(below_gives_each_number_the_same_share),
        cmocka_unit_test(one_outcome_takes_no_entropy),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
