"""The arithmetic of bench/never_worse: paired ratios of regret, their intervals and verdicts.

Everywhere a list holds one number for each run, and lists that are compared have the same runs in
the same order. Resampling is seeded: the same numbers give the same intervals.
"""
import functools
import math
import random
from collections import namedtuple
from operator import itemgetter

import never_worse_plan as plan

FLOOR = 1e-4  # share of the range below which a regret counts as this, where logarithms are taken

Interval = namedtuple("Interval", "value low high")


def mean(values):
    return math.fsum(values) / len(values)


def ratio(above, below):
    """above / below; 1 where both are 0."""
    if below > 0:
        return above / below
    return 1.0 if above == 0 else math.inf


def between(values):
    """The 2.5 % and 97.5 % points of a sample."""
    values = sorted(values)
    at = 0.025 * (len(values) - 1)
    below = math.floor(at)

    def point(v):
        if math.isinf(v[below]):
            return v[below]
        return v[below] + (at - below) * (v[below + 1] - v[below])

    return point(values), point(values[::-1])


class Draws:
    """How many bootstrap samples there are."""
    count = 2000


@functools.lru_cache(maxsize=None)
def resamples(runs):
    """Functions that pick runs with replacement, the same for every list of so many runs."""
    if runs < 2:
        raise ValueError(f"an interval needs at least 2 runs, got {runs}")
    rng = random.Random(f"resamples {runs}")
    return [itemgetter(*rng.choices(range(runs), k=runs)) for _ in range(Draws.count)]


def paired_ratio(federated, alone):
    """mean(federated) / mean(alone), with the percentile interval of a bootstrap over runs."""
    drawn = [ratio(sum(pick(federated)), sum(pick(alone))) for pick in resamples(len(alone))]
    return Interval(ratio(mean(federated), mean(alone)), *between(drawn))


def verdict(interval, federated, alone, scale):
    """How the cell holds: by 'ratio'; by 'difference' with its upper end; by the difference of the
    'means' alone; or 'no'. scale: range of the function."""
    if interval.value <= plan.RATIO and interval.high <= plan.RATIO_HIGH:
        return "ratio"
    allowed = plan.SMALL_SHARE * mean(alone) + plan.SMALL_RANGE * scale
    if mean(federated) - mean(alone) > allowed:
        return "no"
    above = [f - a for f, a in zip(federated, alone)]
    _, high = between([mean(pick(above)) for pick in resamples(len(above))])
    return "difference" if high <= allowed else "means"


def log_ratio(federated, alone, floor):
    return math.log(max(mean(federated), floor) / max(mean(alone), floor))


# What a cell gives to a pool. Cells of one world have the same functions in the same runs, so that
# their runs are resampled together.
Pooled = namedtuple("Pooled", "federated alone range world")


def pooled_ratio(cells):
    """Geometric mean of the cells' ratios, with the interval of a bootstrap over cells and, within
    worlds, over runs. cells: [Pooled]."""
    rng = random.Random(f"pooled {len(cells)}")

    def one(cell, pick):
        return log_ratio(pick(cell.federated), pick(cell.alone), FLOOR * cell.range)

    def draw():
        picks = {c.world: rng.choice(resamples(len(c.alone))) for c in cells}
        return math.exp(mean([one(c, picks[c.world]) for c in rng.choices(cells, k=len(cells))]))

    drawn = [draw() for _ in range(Draws.count)]
    return Interval(math.exp(mean([one(c, tuple) for c in cells])), *between(drawn))


def kept_share(alone, told, federated, scale):
    """The share of the told version's log gain over alone that the federation keeps when told
    nothing, with its bootstrap interval. Where told gains nothing, the share is infinite, with the
    sign of what the federation gains."""
    floor = FLOOR * scale

    def share(a, t, f):
        gain, kept = -log_ratio(t, a, floor), -log_ratio(f, a, floor)
        return kept / gain if gain > 0 else math.copysign(math.inf, kept)

    drawn = [share(pick(alone), pick(told), pick(federated)) for pick in resamples(len(alone))]
    return Interval(share(alone, told, federated), *between(drawn))
