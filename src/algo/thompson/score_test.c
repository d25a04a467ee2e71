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

static void the_best_is_the_plain_best(void **state)
{
    static task t;
    tc_space *s = grid();
    (void)state;
    for (size_t M = 1; M <= MOST_M; M += 6)
        for (size_t regions = 1; regions <= 8; regions += 3) {
            tc_features *f = features(s, M, regions);
            fill(&t, f, M * 10 + regions, 0.3);
            check(f, &t, TC_SEARCH_EMPTY);
            check(f, &t, TC_SEARCH_EMPTY | TC_SEARCH_KNOWN);
            check(f, &t, TC_SEARCH_EMPTY | TC_SEARCH_KNOWN | TC_SEARCH_NEAR);
            tc_features_release(f);
        }
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
    tc_features_release(f);
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
    tc_features_release(f);
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
        tc_features_release(f);
    }
    tc_space_free(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_best_is_the_plain_best),
        cmocka_unit_test(ties_go_to_the_first_that_is_open),
        cmocka_unit_test(nothing_open_is_nothing_found),
        cmocka_unit_test(tiles_hold_all_candidates),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
