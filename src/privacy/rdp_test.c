/* rdp_test.c - log moments against high-precision values (tests/golden/rdp.py), and every bound
 * from above. */
#include "privacy/accountant.h"
#include "privacy/erfcx.h"
#include "privacy/rdp.h"

#include "support/test.h"

typedef struct golden {
    double q, z, order, log_moment;
} golden;

/* At most `slack` above the true value, relatively, and never below it; the printed digits of the
 * table itself are good to a unit in the last place. */
static void assert_just_above(double value, double truth, double slack)
{
    assert_true(value >= truth * (1 - 2 * DBL_EPSILON));
    assert_close(value, truth, slack * truth);
}

static void integer_orders(void **state)
{
    (void)state;
    static const golden table[] = {
        {0.15, 1, 2, 0.037932712055420150058},        {0.15, 1, 3, 0.1510029655602515126},
        {0.15, 1, 4, 0.4639434450818968697},          {0.15, 1, 8, 12.865672625107718867},
        {0.15, 1, 16, 89.646107977565203249},         {0.15, 1, 32, 435.29216048365804069},
        {0.25, 1, 2, 0.10200825595943063738},         {0.25, 1, 3, 0.43168169482852215424},
        {0.25, 1, 4, 1.3426224999611680679},          {0.25, 1, 8, 16.931875791686863654},
        {0.25, 1, 16, 97.819304905560055975},         {0.25, 1, 32, 451.63858044416680498},
        {0.25, 1.5, 2, 0.034378690807109098527},      {0.25, 1.5, 3, 0.11542302208525797456},
        {0.25, 1.5, 4, 0.26337216892754639955},       {0.25, 1.5, 8, 2.7654625126080956268},
        {0.25, 1.5, 32, 176.08312458270202592},       {0.01, 1.1, 2, 0.00012851008160516182805},
        {0.01, 1.1, 4, 0.00080015494388118444139},    {0.01, 1.1, 8, 0.0040884923486417585744},
        {0.01, 1.1, 16, 25.4974009162976266},         {1e-6, 0.3, 2, 6.690949285284606991e-8},
        {1e-6, 0.3, 33, 5410.7548182538456212},       {1e-6, 0.3, 1024, 5805586.2505219779167},
        {1e-6, 100, 2, 1.0000500016667082842e-16},    {1e-6, 100, 64, 2.0161008158609381975e-13},
        {1e-6, 100, 1024, 5.2380224320998065285e-11}, {0.999, 50, 2, 0.00039920055957912705732},
        {0.999, 50, 512, 52.23177580469874872},       {1e-12, 20, 2, 2.5031276057950849746e-27},
        {1e-12, 20, 256, 8.1702085053203562643e-23},
    };
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        const golden *g = &table[i];
        double v = tc_log_moment_integer(g->q, g->z, (int)g->order);
        assert_just_above(v, g->log_moment, g->order > 64 ? 1e-11 : 1e-12);
    }
}

/* The first five are published; where ln A is small the absolute rounding of A itself shows. */
static void fractional_orders(void **state)
{
    (void)state;
    static const golden table[] = {
        {0.15, 1, 1.5, 0.012755103046613562065},     {0.15, 1, 2.5, 0.080860120087416814519},
        {0.25, 1, 1.5, 0.033380908613627169095},     {0.25, 1, 2.5, 0.22417627326589862526},
        {0.25, 1.5, 1.5, 0.012256459232984329963},   {0.5, 0.3, 1.01, 0.022707142930881908169},
        {0.5, 0.3, 1.7, 5.4346903442338153984},      {0.5, 0.3, 11.9, 712.36265966244776193},
        {0.9, 2, 1.1, 0.011176412930538681554},      {0.9, 2, 3.3, 0.80500700268985935677},
        {0.9, 2, 7.5, 5.4691622172601930656},        {0.01, 0.5, 1.01, 0.000013687642021334898202},
        {0.01, 0.5, 4.4, 9.6578620948787788001},     {0.01, 0.5, 10.1, 137.30778112152043265},
        {1e-6, 0.7, 1.5, 2.5113065031247557738e-12}, {1e-6, 0.7, 9.9, 2.9508197415118946037e-10},
        {0.3, 30, 1.05, 2.6257451550238186607e-6},   {0.3, 30, 11.5, 0.0060539858474356289285},
        {0.99, 0.8, 1.3, 0.29984168027730383835},    {0.99, 0.8, 6.6, 28.808678347625314638},
    };
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        const golden *g = &table[i];
        double v = tc_log_moment_fractional(g->q, g->z, g->order);
        assert_true(v >= g->log_moment * (1 - 2 * DBL_EPSILON));
        assert_close(v, g->log_moment, fmax(1e-12 * g->log_moment, i < 5 ? 0 : 5e-14));
    }
}

static void fractional_meets_integer(void **state)
{
    (void)state;
    const double q[] = {1e-6, 0.01, 0.3, 0.5, 0.97}, z[] = {0.3, 1, 4, 200};
    for (int i = 0; i < 5; i++)
        for (int j = 0; j < 4; j++)
            for (int n = 2; n <= 11; n++) {
                double whole = tc_log_moment_integer(q[i], z[j], n);
                double near = tc_log_moment_fractional(q[i], z[j], n + 1e-9);
                assert_true(near >= whole * (1 - 1e-12));
                assert_close(near, whole, 1e-6 * whole + 2e-14);
            }
}

static void fixed_size(void **state)
{
    (void)state;
    static const golden table[] = {
        {0.15, 1, 2, 1.2403770795073541529},     {0.15, 1, 3, 7.0093778503220171486},
        {0.15, 1, 8, 97.516187301509771694},     {0.25, 1.5, 2, 0.55364755560556214178},
        {0.25, 1.5, 4, 5.9039928894813071161},   {0.25, 1.5, 16, 191.84577073614290674},
        {0.001, 4, 2, 1.1361010213879561377e-6}, {0.001, 4, 32, 0.00058466342587089989248},
        {0.001, 4, 256, 6392.30779576113286},
    };
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        const golden *g = &table[i];
        double v = tc_log_moment_fixed_size(g->q, g->z, (int)g->order);
        assert_just_above(v, g->log_moment, 1e-11);
        tacit_dp_event e = {TACIT_DP_GAUSSIAN, g->z, TACIT_DP_FIXED_SIZE, g->q, 1};
        assert_just_above(tc_rdp_of(&e, g->order), g->log_moment / (g->order - 1), 1e-11);
    }
}

static void laplace(void **state)
{
    (void)state;
    static const struct {
        double epsilon, order, rdp;
    } table[] = {
        {0.001, 2, 9.9966641691672482502e-7},  {0.001, 1.01, 5.0483170789218115994e-7},
        {0.1, 1.5, 0.007247485389328534238},   {1, 2, 0.6191236299985928834},
        {1, 32, 0.97814842504542560836},       {5, 1.1, 4.1321393873184618285},
        {5, 1024, 4.9993229141934879409},      {100, 3, 99.744587188117004658},
        {1e-7, 64, 3.1999998933118320017e-13},
    };
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        double v = tc_rdp_laplace(table[i].epsilon, table[i].order);
        assert_true(v >= table[i].rdp * (1 - 2 * DBL_EPSILON));
        assert_close(v, table[i].rdp, 1e-6 * table[i].rdp);
        assert_true(v <= tc_rdp_pure(table[i].epsilon, table[i].order));
    }
}

static void pure_and_amplified(void **state)
{
    (void)state;
    assert_just_above(tc_rdp_pure(0.1, 4), 0.02, 1e-14);
    assert_close(tc_rdp_pure(3, 4), 3, 0);
    assert_just_above(tc_pure_amplified(1, 0.1), 0.158565078740429111, 1e-14);
    assert_just_above(tc_pure_amplified(50, 0.25), 48.613705638880109, 1e-14);
    assert_close(tc_pure_amplified(7, 1), 7, 0);
    assert_true(tc_pure_amplified(1e6, 1e-300) <= 1e6);
    /* Fixed-size sampling speaks of substitution: twice the epsilon of zero-out. */
    tacit_dp_event e = {TACIT_DP_PURE, 0.5, TACIT_DP_FIXED_SIZE, 0.1, 1};
    assert_close(tc_pure_epsilon(&e), tc_pure_amplified(1, 0.1), 0);
}

static void unsampled_is_a_line(void **state)
{
    (void)state;
    tacit_dp_event e = {TACIT_DP_GAUSSIAN, 3, TACIT_DP_ALL, 1, 1};
    assert_just_above(tc_rdp_of(&e, 1.7), 1.7 / 18, 1e-14);
    assert_just_above(tc_rdp_of(&e, 300), 300.0 / 18, 1e-14);
    e.sampling = TACIT_DP_FIXED_SIZE; /* two clipped vectors: four times the divergence */
    assert_just_above(tc_rdp_of(&e, 5), 4 * 5.0 / 18, 1e-14);
    assert_just_above(tc_rdp_of(&e, 1.5), 4 * 1.5 / 18, 1e-14);
    e.mechanism = TACIT_DP_NONPRIVATE;
    assert_close(tc_rdp_of(&e, 5), INFINITY, 0);
    e = (tacit_dp_event){TACIT_DP_GAUSSIAN, 1e-200, TACIT_DP_POISSON, 0.1, 1};
    assert_close(tc_rdp_of(&e, 2.5), INFINITY, 0);
    assert_close(tc_rdp_of(&e, 3), INFINITY, 0);
    e.sampling = TACIT_DP_FIXED_SIZE;
    assert_close(tc_rdp_of(&e, 3), INFINITY, 0);
}

/* The conversion as the paper writes it, and its inverse. */
static void converts_both_ways(void **state)
{
    (void)state;
    const double orders[] = {1.01, 2, 7.5, 1024};
    for (int i = 0; i < 4; i++) {
        double a = orders[i], r = 0.3 * a, delta = 1e-7;
        double plain = r + (log(1 / delta) + (a - 1) * log(1 - 1 / a) - log(a)) / (a - 1);
        double epsilon = tc_rdp_epsilon(r, a, delta);
        assert_just_above(epsilon, plain, 1e-13);
        double allowed = tc_rdp_allowed(epsilon, a, delta);
        assert_true(allowed <= r + 1e-12 * epsilon);
        assert_true(tc_rdp_epsilon(allowed, a, delta) <= epsilon);
        assert_close(allowed, r, 1e-12 * epsilon);
    }
    assert_close(tc_rdp_epsilon(0, 3, 0.9), 0, 0);
}

static double table_epsilon(double q, double z)
{
    double best = INFINITY;
    for (int a = 2; a <= 64; a++)
        best = fmin(best, (40 * tc_log_moment_fixed_size(q, z, a) + 1.1 * log(200)) / (a - 1));
    return best;
}

/* Wang, Balle, Kasiviswanathan with the classic conversion, 40 rounds at delta = 200^-1.1. */
static void fixed_size_is_dear(void **state)
{
    (void)state;
    assert_close(table_epsilon(0.15, 1), 55.4, 0.06);
    assert_close(table_epsilon(0.25, 1), 88.1, 0.06);
    assert_close(table_epsilon(0.25, 1.2), 49.9, 0.06);
    assert_close(table_epsilon(0.25, 1.5), 28.0, 0.06);
}

static void accountant_takes_the_best_order(void **state)
{
    (void)state;
    static const struct {
        double q, z, grid, tight; /* the best of the tenths; the tight value (pld) */
    } rows[] = {{0.15, 1.0, 4.8530, 3.9636},
                {0.25, 1.0, 8.3621, 7.0538},
                {0.50, 1.0, 17.8850, 15.71},
                {0.25, 1.2, 6.1103, 5.1524},
                {0.25, 1.5, 4.2678, 3.5972}};
    tacit_error err = {0};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        tacit_dp_event e = {TACIT_DP_GAUSSIAN, rows[i].z, TACIT_DP_POISSON, rows[i].q, 40};
        tacit_guarantee g;
        assert_ok(tc_account(&tc_accountant_rdp, &e, 1, pow(200, -1.1), &g, &err));
        assert_true(g.epsilon <= rows[i].grid + 1e-4);
        assert_true(g.epsilon > rows[i].tight);
        assert_close(g.epsilon,
                     tc_rdp_epsilon(40 * tc_rdp_of(&e, g.order), g.order, pow(200, -1.1)), 1e-12);
    }
}

static void scaled_tails(void **state)
{
    (void)state;
    static const double table[][2] = {/* x, exp(x^2) erfc(x) */
                                      {0, 1},
                                      {0.5, 0.61569034419292587487},
                                      {2, 0.25539567631050574386},
                                      {3.7, 0.14743499753718507911},
                                      {7.999, 0.069993783761993298848},
                                      {8, 0.069985166200880927723},
                                      {8.001, 0.069976550745974886471},
                                      {30, 0.018795888861416751497},
                                      {1e8, 5.6418958354775625874e-9}};
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        assert_close(tc_erfcx(table[i][0]), table[i][1], TC_ERFCX_ERROR * table[i][1]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(integer_orders),
        cmocka_unit_test(fractional_orders),
        cmocka_unit_test(fractional_meets_integer),
        cmocka_unit_test(fixed_size),
        cmocka_unit_test(laplace),
        cmocka_unit_test(pure_and_amplified),
        cmocka_unit_test(unsampled_is_a_line),
        cmocka_unit_test(converts_both_ways),
        cmocka_unit_test(fixed_size_is_dear),
        cmocka_unit_test(accountant_takes_the_best_order),
        cmocka_unit_test(scaled_tails),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
