/* score_test.c - the best of a finite space against a plain sum and a plain loop, bit for bit. */
#include "support/test.h"

#include "algo/thompson/thompson.h"

enum { MOST = 70, MOST_M = 40, ROWS = 23, COLUMNS = 17 };

static tc_space *grid(void)
{
    tacit_error err = {0};
    tc_domain *d = NULL;
    tc_space *s = NULL;
    assert_ok(
        tc_domain_grid(&d, 2, (size_t[]){ROWS, COLUMNS}, (double[]){0, 0}, (double[]){1, 1}, &err));
    assert_ok(tc_space_from_domain(&s, d, &err));
    return s;
}

/* Fine beside the length-scale. */
static tc_space *line(void)
{
    tacit_error err = {0};
    tc_domain *d = NULL;
    tc_space *s = NULL;
    assert_ok(tc_domain_grid(&d, 1, (size_t[]){700}, (double[]){0}, (double[]){1}, &err));
    assert_ok(tc_space_from_domain(&s, d, &err));
    return s;
}

static tc_features *features(const tc_space *s, size_t M, size_t regions)
{
    tacit_error err = {0};
    tc_env env = {.space = s, .public_seed = tc_public_seed_from(2)};
    tc_features_spec spec = {.M = M, .regions = regions, .lengthscale = 0.3};
    tc_features *f = NULL;
    assert_ok(tc_features_new(&f, &env, &spec, &err));
    return f;
}

/* The same sum in the same order, one product at a time. */
static double score_at(const tc_features *f, const tc_score *score, size_t slot)
{
    size_t region = 0, M = f->rff.M, place = f->place[f->held[slot]];
    while (place >= f->start[region + 1])
        region++;
    const double *phi = f->Phi + place * M, *omega = score->omega + region * score->step;
    double sum = 0;
    for (size_t m = 0; m < M; m++)
        sum += omega[m] * phi[m];
    return sum;
}

static size_t reference(const tc_features *f, const tc_score *score, unsigned avoid)
{
    size_t best = f->slots;
    for (size_t q = 0; q < f->slots; q++) {
        if (f->held[q] == f->n || score->shut[q] & avoid)
            continue;
        if (best == f->slots || score_at(f, score, q) > score_at(f, score, best))
            best = q;
    }
    return best;
}

typedef struct task {
    tc_score score[MOST];
    double omega[MOST][8 * MOST_M];
    unsigned char shut[MOST][2048];
} task;

/* Some have one omega for all regions, some share theirs with the one before. */
static void fill(task *t, const tc_features *f, uint64_t step, double share_shut)
{
    tc_public_seed seed = tc_public_seed_from(9);
    tc_stream s;
    tc_stream_public(&s, &seed, TC_FOR_DRAW, step);
    assert_true(f->slots <= 2048 && f->regions <= 8 && f->rff.M <= MOST_M);
    for (size_t j = 0; j < MOST; j++) {
        tc_draw_normals(&s, 8 * MOST_M, t->omega[j]);
        if (j % 3 == 2)
            memcpy(t->omega[j], t->omega[j - 1], sizeof t->omega[j]);
        for (size_t q = 0; q < f->slots; q++)
            t->shut[j][q] = f->held[q] == f->n                     ? TC_SEARCH_EMPTY
                            : tc_draw_uniform(&s) < share_shut     ? TC_SEARCH_KNOWN
                            : tc_draw_uniform(&s) < share_shut / 2 ? TC_SEARCH_NEAR
                                                                   : 0;
        t->score[j] =
            (tc_score){.omega = t->omega[j], .step = j % 7 < 3 ? f->rff.M : 0, .shut = t->shut[j]};
    }
}

static void check(const tc_features *f, const task *t, unsigned avoid)
{
    size_t together[MOST], alone;
    for (size_t k = 0; k <= MOST; k += k < 5 ? 1 : 13) {
        tc_score_best(f, k, t->score, avoid, together);
        for (size_t j = 0; j < k; j++) {
            tc_score_best(f, 1, &t->score[j], avoid, &alone);
            assert_int_equal(together[j], alone);
        }
    }
    for (size_t j = 0; j < MOST; j++) {
        tc_score_best(f, 1, &t->score[j], avoid, &alone);
        assert_int_equal(alone, reference(f, &t->score[j], avoid));
    }
}

static void check_all(const tc_features *f, const task *t)
{
    check(f, t, TC_SEARCH_EMPTY);
    check(f, t, TC_SEARCH_EMPTY | TC_SEARCH_KNOWN);
    check(f, t, TC_SEARCH_EMPTY | TC_SEARCH_KNOWN | TC_SEARCH_NEAR);
}

/* With and without bounds, whichever were chosen. */
static void the_best_is_the_plain_best(void **state)
{
    static task t;
    tc_space *spaces[] = {grid(), line()};
    (void)state;
    for (size_t i = 0; i < 2; i++)
        for (size_t M = 1; M <= MOST_M; M += 13)
            for (size_t regions = 1; regions <= 8; regions += 3) {
                tc_features *f = features(spaces[i], M, regions);
                fill(&t, f, M * 10 + regions, 0.3);
                f->outlined = false;
                check_all(f, &t);
                f->outlined = true;
                check_all(f, &t);
                tc_features_unref(f);
            }
    tc_space_free(spaces[0]);
    tc_space_free(spaces[1]);
}

/* A grid that is fine beside the length-scale is worth bounds, a coarse one is not. */
static void bounds_are_used_where_they_are_tight(void **state)
{
    tc_space *coarse = grid(), *fine = line();
    tc_features *a = features(coarse, 40, 4), *b = features(fine, 40, 4);
    (void)state;
    assert_false(a->outlined);
    assert_true(b->outlined);
    tc_features_unref(a);
    tc_features_unref(b);
    tc_space_free(coarse);
    tc_space_free(fine);
}

/* A score at any slot is at most what the pivots of its tile say. */
static void check_bound(const tc_features *f, const tc_panel *p, size_t panel, size_t at,
                        const double *omega, double norm)
{
    const size_t M = f->rff.M, tile = p->tile + at;
    const double *spread = f->spread + tile * TC_PIVOTS * TC_TILE;
    for (size_t i = 0; i < TC_TILE; i++) {
        double score = 0, bound = f->off[tile] * norm;
        for (size_t m = 0; m < M; m++)
            score += omega[m] * f->tiles[(tile * M + m) * TC_TILE + i];
        for (size_t j = 0; j < TC_PIVOTS; j++)
            for (size_t m = 0; m < M; m++)
                bound += spread[j * TC_TILE + i] * omega[m] *
                         f->pivots[(panel * M + m) * TC_TILE + at * TC_PIVOTS + j];
        if (f->held[tile * TC_TILE + i] < f->n)
            assert_true(score <= bound);
    }
}

static void no_score_is_beyond_its_bound(void **state)
{
    static task t;
    tc_space *spaces[] = {grid(), line()};
    (void)state;
    for (size_t i = 0; i < 2; i++)
        for (size_t M = 1; M <= MOST_M; M += 13) {
            tc_features *f = features(spaces[i], M, 3);
            fill(&t, f, M, 0);
            for (size_t p = 0; p < f->panels; p++)
                for (size_t at = 0; at < f->panel[p].tiles; at++)
                    for (size_t j = 0; j < MOST; j++) {
                        double square = 0;
                        for (size_t m = 0; m < M; m++)
                            square += t.omega[j][m] * t.omega[j][m];
                        check_bound(f, &f->panel[p], p, at, t.omega[j], sqrt(square));
                    }
            tc_features_unref(f);
        }
    tc_space_free(spaces[0]);
    tc_space_free(spaces[1]);
}

/* Scores that are not numbers are never the largest, and hide none that is; weights so small that
 * their squares vanish, or so large that they overflow, are compared like all others. */
static void odd_weights_are_compared_alike(void **state)
{
    static task t;
    tc_space *s = line();
    tc_features *f = features(s, 20, 4);
    size_t best;
    (void)state;
    fill(&t, f, 5, 0.3);
    for (size_t m = 0; m < 4 * 20; m++) {
        t.omega[0][m] *= 1e-200;
        t.omega[1][m] *= 1e200;
        t.omega[4][m] = NAN;
    }
    t.omega[7][25] = NAN; /* in the second region alone */
    for (size_t j = 0; j < 2; j++) {
        tc_score_best(f, 1, &t.score[j], TC_SEARCH_EMPTY, &best);
        assert_int_equal(best, reference(f, &t.score[j], TC_SEARCH_EMPTY));
    }
    tc_score_best(f, 1, &t.score[4], TC_SEARCH_EMPTY, &best);
    assert_int_equal(best, f->slots);
    tc_score_best(f, 1, &t.score[7], TC_SEARCH_EMPTY, &best);
    size_t outlined = best;
    f->outlined = false;
    tc_score_best(f, 1, &t.score[7], TC_SEARCH_EMPTY, &best);
    assert_int_equal(outlined, best);
    assert_true(best < f->slots);
    tc_features_unref(f);
    tc_space_free(s);
}

static void ties_go_to_the_first_that_is_open(void **state)
{
    static task t;
    tc_space *s = grid();
    tc_features *f = features(s, 5, 4);
    size_t best;
    (void)state;
    fill(&t, f, 0, 0);
    memset(t.omega[0], 0, sizeof t.omega[0]);
    tc_score_best(f, 1, t.score, TC_SEARCH_EMPTY, &best);
    assert_int_equal(best, 0);
    for (size_t q = 0; q < 40; q++)
        t.shut[0][q] |= TC_SEARCH_KNOWN;
    tc_score_best(f, 1, t.score, TC_SEARCH_EMPTY | TC_SEARCH_KNOWN, &best);
    assert_int_equal(best, 40);
    tc_features_unref(f);
    tc_space_free(s);
}

static void nothing_open_is_nothing_found(void **state)
{
    static task t;
    tc_space *s = grid();
    tc_features *f = features(s, 5, 4);
    size_t best[MOST];
    (void)state;
    fill(&t, f, 0, 1);
    tc_score_best(f, MOST, t.score, TC_SEARCH_EMPTY | TC_SEARCH_KNOWN, best);
    for (size_t j = 0; j < MOST; j++)
        assert_int_equal(best[j], f->slots);
    tc_features_unref(f);
    tc_space_free(s);
}

/* Every candidate has one slot, in a tile of its region, with its features. */
static void tiles_hold_all_candidates(void **state)
{
    tc_space *s = grid();
    (void)state;
    for (size_t regions = 1; regions <= 8; regions++) {
        tc_features *f = features(s, 7, regions);
        size_t held = 0;
        for (size_t q = 0; q < f->slots; q++)
            held += f->held[q] < f->n;
        assert_int_equal(held, f->n);
        for (size_t c = 0; c < f->n; c++) {
            size_t q = f->slot[c], region = 0;
            while (q / TC_TILE >= f->tile[region + 1])
                region++;
            assert_int_equal(f->held[q], c);
            assert_in_range(f->place[c], f->start[region], f->start[region + 1] - 1);
            for (size_t m = 0; m < 7; m++)
                assert_same_bits(f->tiles[(q / TC_TILE * 7 + m) * TC_TILE + q % TC_TILE],
                                 f->Phi[f->place[c] * 7 + m]);
        }
        tc_features_unref(f);
    }
    tc_space_free(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_best_is_the_plain_best),
        cmocka_unit_test(bounds_are_used_where_they_are_tight),
        cmocka_unit_test(no_score_is_beyond_its_bound),
        cmocka_unit_test(odd_weights_are_compared_alike),
        cmocka_unit_test(ties_go_to_the_first_that_is_open),
        cmocka_unit_test(nothing_open_is_nothing_found),
        cmocka_unit_test(tiles_hold_all_candidates),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
