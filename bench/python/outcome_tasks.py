"""Four tasks with more than one outcome: two with an unknown constraint, two with two objectives, all minimised.

Called by outcome_peers.py; fixed before tacit had run on them. Nothing but Python is needed here, so a design is
the same wherever it is made. `python outcome_tasks.py` checks the constants below numerically and prints what it finds.
"""
import math
import random
from collections import namedtuple

#: bounds: low and high of each parameter. trials: of a run. marks: after how many trials it is measured. evaluate: of a
#: point, gives the objectives and the constraints, which are met at 0 and below. best: the smallest feasible value of
#: one objective, or the largest hypervolume of two. worst: the largest value of one objective, which stands for a run
#: without a feasible trial. reference: the point that bounds the hypervolume; None for one objective.
Task = namedtuple("Task", "bounds trials marks evaluate best worst reference")


def branin(x, y):
    inner = y - 5.1 * x * x / (4 * math.pi**2) + 5 * x / math.pi - 6
    return inner * inner + 10 * (1 - 1 / (8 * math.pi)) * math.cos(x) + 10


def branin_in_disk(x):
    """Gardner et al. 2014: of the three minima of Branin's function the disk has one."""
    return [branin(*x)], [(x[0] - 2.5) ** 2 + (x[1] - 7.5) ** 2 - 50]


HARTMANN_WEIGHTS = (1.0, 1.2, 3.0, 3.2)
HARTMANN_SCALES = (
    (10, 3, 17, 3.5, 1.7, 8),
    (0.05, 10, 17, 0.1, 8, 14),
    (3, 3.5, 1.7, 10, 17, 8),
    (17, 8, 0.05, 10, 0.1, 14),
)
HARTMANN_CENTRES = (
    (0.1312, 0.1696, 0.5569, 0.0124, 0.8283, 0.5886),
    (0.2329, 0.4135, 0.8307, 0.3736, 0.1004, 0.9991),
    (0.2348, 0.1451, 0.3522, 0.2883, 0.3047, 0.6650),
    (0.4047, 0.8828, 0.8732, 0.5743, 0.1091, 0.0381),
)


def hartmann6(x):
    return -sum(
        weight * math.exp(-sum(a * (v - c) ** 2 for a, v, c in zip(scales, x, centres)))
        for weight, scales, centres in zip(HARTMANN_WEIGHTS, HARTMANN_SCALES, HARTMANN_CENTRES)
    )


def hartmann6_in_ball(x):
    """The constraint of Letham et al. 2019: a twelfth of the cube is feasible, and the minimum is near its border."""
    return [hartmann6(x)], [math.hypot(*x) - 1]


def branin_currin(x):
    """Belakaria et al. 2019, as BoTorch has it."""
    u, v = x
    damped = 1 - math.exp(-1 / (2 * v)) if v > 0 else 1.0
    above = ((2300 * u + 1900) * u + 2092) * u + 60
    below = ((100 * u + 500) * u + 4) * u + 20
    return [branin(15 * u - 5, 15 * v), damped * above / below], []


def dtlz2(x):
    """Deb et al. 2002 with two objectives: the Pareto front is a quarter of the unit circle."""
    away = sum((v - 0.5) ** 2 for v in x[1:])
    return [(1 + away) * math.cos(x[0] * math.pi / 2), (1 + away) * math.sin(x[0] * math.pi / 2)], []


def box(dimensions, low=0.0, high=1.0):
    return [(low, high)] * dimensions


def tens(trials):
    return list(range(10, trials + 1, 10))


TASKS = {
    "branin disk": Task(
        [(-5.0, 10.0), (0.0, 15.0)], 40, tens(40), branin_in_disk, 0.39788735772973816, 308.12909601160663, None
    ),
    "hartmann6 ball": Task(box(6), 50, tens(50), hartmann6_in_ball, -3.322368011415512, 0.0, None),
    "branin-currin": Task(box(2), 100, tens(100), branin_currin, 59.4066, None, (18.0, 6.0)),
    "dtlz2": Task(box(4), 100, tens(100), dtlz2, 1.1**2 - math.pi / 4, None, (1.1, 1.1)),
}


def design(task, seed):
    """The first 2(d + 1) points of every contestant: a Latin hypercube."""
    bounds = TASKS[task].bounds
    rng, n = random.Random(f"{task} {seed}"), 2 * (len(bounds) + 1)
    columns = []
    for low, high in bounds:
        cells = rng.sample(range(n), n)
        columns.append([low + (high - low) * (cell + rng.random()) / n for cell in cells])
    return [list(point) for point in zip(*columns)]


# ---- what a run is worth


def hypervolume(points, reference):
    """The area that points in the plane dominate, up to the reference point."""
    area, lowest = 0.0, reference[1]
    for x, y in sorted(points):
        if x < reference[0] and y < lowest:
            area += (reference[0] - x) * (lowest - y)
            lowest = y
    return area


def measured(task, trials, marks=None):
    """At every mark: the best feasible value (None where no trial is feasible), or the hypervolume.

    trials: objectives and constraints of each.
    """
    reference = TASKS[task].reference
    feasible = [[y for y, c in trials[:mark] if all(v <= 0 for v in c)] for mark in marks or TASKS[task].marks]
    if reference:
        return [hypervolume(ys, reference) for ys in feasible]
    return [min((y[0] for y in ys), default=None) for ys in feasible]


def regret(task, found):
    """How far a measured value is from the best there is; at least 0."""
    what = TASKS[task]
    if what.reference:
        return max(0.0, what.best - found)
    return max(0.0, (what.worst if found is None else found) - what.best)


# ---- the constants


def check():
    """Finds the optima again. A grid of points leaves out area in proportion to its step, so that two make a limit."""
    rng = random.Random(1)
    for name, task in TASKS.items():
        if task.reference:
            coarse, fine = (grid_volume(name, steps) for steps in (750, 1500))
            found = 2 * fine - coarse
        else:
            found = min(descend(task, rng) for _ in range(200))
        print(f"{name}: {task.best!r} here, {found!r} found")


def grid_volume(name, steps):
    """Of a grid in the part of the box that has the Pareto front: a corner for branin-currin, a line for dtlz2."""
    at = [i / steps for i in range(steps + 1)]
    if name == "dtlz2":
        points = [[u, 0.5, 0.5, 0.5] for u in at]
    else:
        points = ([0.13 * u, 0.8 + 0.2 * v] for u in at for v in at)
    return hypervolume([tuple(TASKS[name].evaluate(x)[0]) for x in points], TASKS[name].reference)


def descend(task, rng):
    """Random steps that shrink by a twentieth where they do not help; the value of the last feasible point."""
    x, value, size = None, math.inf, 0.3
    while size > 1e-9:
        new = [
            rng.uniform(low, high) if x is None else min(high, max(low, v + size * (high - low) * rng.gauss(0, 1)))
            for (low, high), v in zip(task.bounds, x or task.bounds)
        ]
        ys, constraints = task.evaluate(new)
        if max(constraints) <= 0 and ys[0] < value:
            x, value = new, ys[0]
        elif x:
            size *= 0.98
    return value


if __name__ == "__main__":
    check()
