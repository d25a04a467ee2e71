"""Paired comparisons: runs of two, seed by seed, with the intervals of bench/never_worse."""
import os
import random
import sys
from collections import namedtuple

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir))
# The folder above is on the path now.
from never_worse_stats import Draws, between, mean, paired_ratio, resamples  # noqa: E402, F401  (one is for ratios.py)

Draws.count = 10000

#: mean: of ours - theirs, so below 0 ours is better (smaller). low, high: a bootstrap over seeds, 95 %. p: of a
#: sign-flip test, two-sided. wins, ties, losses: seeds of ours.
Difference = namedtuple("Difference", "mean low high p wins ties losses")


def difference(ours, theirs):
    """Ours minus theirs; lists with one number for each seed, in the same order."""
    gaps = [a - b for a, b in zip(ours, theirs)]
    low, high = between([mean(pick(gaps)) for pick in resamples(len(gaps))])
    wins, losses = sum(gap < 0 for gap in gaps), sum(gap > 0 for gap in gaps)
    return Difference(mean(gaps), low, high, sign_flip(gaps), wins, len(gaps) - wins - losses, losses)


def sign_flip(gaps):
    """How often gaps with random signs have a mean as far from 0; the gaps themselves count as one draw."""
    rng, seen = random.Random(f"flips {len(gaps)}"), abs(sum(gaps)) * (1 - 1e-12)
    draws = Draws.count
    far = sum(abs(sum(gap if rng.random() < 0.5 else -gap for gap in gaps)) >= seen for _ in range(draws))
    return (far + 1) / (draws + 1)


def holm(ps):
    """p-values of several tests, corrected by Holm's method: below 0.05 is significant among all of them."""
    made, worst = [0.0] * len(ps), 0.0
    for rank, i in enumerate(sorted(range(len(ps)), key=ps.__getitem__)):
        worst = max(worst, min(1.0, ps[i] * (len(ps) - rank)))
        made[i] = worst
    return made


def pooled(gaps_of_tasks):
    """Mean over tasks of their mean gaps, and a 95 % interval of a bootstrap over tasks and, within them, seeds."""
    rng = random.Random(f"pooled {len(gaps_of_tasks)}")

    def draw():
        chosen = rng.choices(gaps_of_tasks, k=len(gaps_of_tasks))
        return mean([mean(rng.choice(resamples(len(gaps)))(gaps)) for gaps in chosen])

    return (mean([mean(gaps) for gaps in gaps_of_tasks]), *between([draw() for _ in range(Draws.count)]))


def ranks(values):
    """1 for the smallest; equal values share the mean of their ranks."""
    return [sum(v < value for v in values) + (sum(v == value for v in values) + 1) / 2 for value in values]
