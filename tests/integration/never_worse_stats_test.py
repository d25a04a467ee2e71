"""The arithmetic of bench/never_worse_stats.py on numbers whose answers are known. Run by never_worse_test.sh.

    never_worse_stats_test.py FOLDER   the folder of never_worse_stats.py
"""
import itertools
import math
import random
import sys
import unittest

sys.dont_write_bytecode = True
sys.path.insert(0, sys.argv.pop(1))
import never_worse_plan as plan  # noqa: E402
import never_worse_stats as stats  # noqa: E402


class Ratios(unittest.TestCase):
    def test_nothing_over_nothing_is_level(self):
        self.assertEqual(stats.ratio(0, 0), 1)
        self.assertEqual(stats.ratio(1, 0), math.inf)
        self.assertEqual(stats.ratio(0, 2), 0)
        self.assertEqual(stats.ratio(3, 2), 1.5)

    def test_it_is_the_ratio_of_means(self):
        i = stats.paired_ratio([1, 5], [1, 1])  # the mean of ratios is 3, too; not so the next
        self.assertEqual(i.value, 3)
        self.assertEqual(stats.paired_ratio([1, 5], [1, 3]).value, 1.5)

    def test_runs_are_resampled_in_pairs(self):
        alone = [random.Random(1).expovariate(1) for _ in range(40)]
        i = stats.paired_ratio([1.25 * a for a in alone], alone)
        for part in i:
            self.assertAlmostEqual(part, 1.25, places=12)

    def test_an_interval_is_that_of_all_resamples(self):
        federated, alone = [1.0, 2.0, 6.0], [2.0, 1.0, 1.5]
        every = [sum(federated[k] for k in pick) / sum(alone[k] for k in pick)
                 for pick in itertools.product(range(3), repeat=3)]
        i = stats.paired_ratio(federated, alone)  # 1 of 27 resamples is three times one run: 3.7 %
        self.assertEqual((i.low, i.high), (min(every), max(every)))

    def test_an_interval_covers(self):
        rng, hits = random.Random(2), 0
        for _ in range(40):
            alone = [rng.lognormvariate(0, 0.5) for _ in range(40)]
            federated = [a * rng.lognormvariate(0, 0.5) for a in alone]
            i = stats.paired_ratio(federated, alone)
            hits += i.low <= math.exp(0.125) <= i.high
        self.assertGreaterEqual(hits, 33)
        self.assertLess(hits, 40)

    def test_few_regrets_leave_an_end_open(self):
        i = stats.paired_ratio([1.0] * 10, [0.0] * 9 + [1.0])
        self.assertEqual(i.value, 10)
        self.assertEqual(i.high, math.inf)
        self.assertFalse(math.isnan(i.low))

    def test_one_run_has_no_interval(self):
        with self.assertRaisesRegex(ValueError, "an interval needs at least 2 runs, got 1"):
            stats.paired_ratio([1], [1])


class Verdicts(unittest.TestCase):
    def verdict(self, value, high, federated, alone, scale):
        return stats.verdict(stats.Interval(value, 0, high), [federated] * 2, [alone] * 2, scale)

    def test_ratio_and_upper_end(self):
        self.assertEqual(self.verdict(1.05, 1.30, 1.05, 1, 0), "ratio")
        self.assertEqual(self.verdict(1.06, 1.30, 1.06, 1, 0), "no")

    def test_a_wide_interval_needs_a_small_difference(self):
        self.assertEqual(self.verdict(0.5, 1.31, 0.5, 1, 0), "difference")

    def test_a_small_difference_is_in_terms_of_both(self):
        # allowed above 0.1 with range 2: 0.05 x 0.1 + 0.005 x 2 = 0.015
        self.assertEqual(self.verdict(1.149, 2, 0.1149, 0.1, 2), "difference")
        self.assertEqual(self.verdict(1.151, 2, 0.1151, 0.1, 2), "no")


    def test_a_difference_has_an_upper_end(self):
        wide = stats.Interval(0.8, 0, 2)
        alone = [1.0] * 4  # allowed above: 0.05 x 1 + 0.005 x 10 = 0.1
        self.assertEqual(stats.verdict(wide, [1.1, 1.0, 1.0, 0.9], alone, 10), "difference")
        self.assertEqual(stats.verdict(wide, [1.3, 1.0, 1.0, 0.7], alone, 10), "means")
        self.assertEqual(stats.verdict(wide, [1.5, 1.0, 1.0, 1.0], alone, 10), "no")


class Pools(unittest.TestCase):
    def test_cells_are_resampled(self):
        i = stats.pooled_ratio([stats.Pooled([2.0] * 5, [1.0] * 5, 1, "a"), stats.Pooled([0.5] * 5, [1.0] * 5, 1, "b")])
        self.assertAlmostEqual(i.value, 1)  # the geometric mean
        self.assertAlmostEqual(i.low, 0.5)  # twice the same cell: one draw in four
        self.assertAlmostEqual(i.high, 2)

    def width_of_16(self, worlds):
        """The width of the interval of 16 equal cells over that of one."""
        rng = random.Random(3)
        alone, federated = [1.0] * 40, [rng.expovariate(1) for _ in range(40)]
        i = stats.pooled_ratio([stats.Pooled(federated, alone, 1, k % worlds) for k in range(16)])
        single = stats.paired_ratio(federated, alone)
        self.assertAlmostEqual(i.value, single.value)
        return math.log(i.high / i.low) / math.log(single.high / single.low)

    def test_runs_are_resampled_within_cells(self):
        # A quarter if all 16 were drawn; of 16 draws with replacement some are the same: sqrt(2 - 1/16) more.
        self.assertAlmostEqual(self.width_of_16(16), 0.25 * math.sqrt(2 - 1 / 16), delta=0.04)

    def test_runs_of_one_world_are_resampled_together(self):
        self.assertAlmostEqual(self.width_of_16(1), 1, delta=0.1)

    def test_no_regret_at_all_stays_finite(self):
        i = stats.pooled_ratio([stats.Pooled([0.0] * 5, [0.5] * 5, 10.0, "a")])
        self.assertAlmostEqual(i.value, 1e-3 / 0.5)  # 1e-4 of the range stands for 0


class Shares(unittest.TestCase):
    def test_half_of_the_log_gain(self):
        s = stats.kept_share([1.0] * 5, [0.25] * 5, [0.5] * 5, 1)
        for part in s:
            self.assertAlmostEqual(part, 0.5)

    def test_more_than_told_and_less_than_nothing(self):
        self.assertAlmostEqual(stats.kept_share([1.0] * 5, [0.5] * 5, [0.25] * 5, 1).value, 2)
        self.assertAlmostEqual(stats.kept_share([1.0] * 5, [0.5] * 5, [2.0] * 5, 1).value, -1)


class Plan(unittest.TestCase):
    def test_primary_cells(self):
        self.assertLessEqual(len(plan.PRIMARY), 24)
        self.assertEqual(len({c.name for c in plan.PRIMARY}), len(plan.PRIMARY))
        for dim in plan.LENGTHS:
            names = [c.name for c in plan.PRIMARY if c.name.startswith(f"d{dim}-")]
            self.assertIn(f"d{dim}-n20-e1-alike", names)
            self.assertTrue(any(n.endswith("unlike") for n in names))
        for c in plan.PRIMARY:
            self.assertEqual(c.gains, not c.name.endswith("unlike") and "n20-e1-" not in c.name)

    def test_agents_are_told_nothing_but_where_it_is_asked(self):
        for kind, (words, _) in plan.SETS.items():
            said = words(plan.PRIMARY[0])
            self.assertEqual("--tell" in said, kind == "told")
            self.assertEqual("--set" in said, kind == "hostile")

    def test_words_of_a_simulation(self):
        self.assertEqual(" ".join(plan.simulation(plan.gp(2, 50, 8, unlike=True), 7, 10, None)),
                         "--objective gp-family --dim 2 --lengthscale 0.2 --distance 1.2 --agents 50 --acting 8 --runs 10 --seed 7")
        self.assertEqual(plan.simulation(plan.TABLES[0], 7, 10, "a --b/t.csv"),
                         ["--objective", "table:a --b/t.csv", "--table-goal", "minimize", "--agents", "24", "--runs",
                          "10", "--seed", "7"])


unittest.main(verbosity=2)
