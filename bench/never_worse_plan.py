"""What bench/never_worse measures: the cells, their arms, and the limits of the verdicts.

`never_worse freeze` takes the hash of this file together with that of the method's sources, so that
neither can change between the choice of constants and the seeds that are reported.

A cell is a federation of `tacit simulate` with default options. Agents are told nothing. `gains` is
False where nothing is to be gained: agents that are unlike, and 20 agents at epsilon 1.
"""
from collections import namedtuple

# objective: words of `tacit simulate`. table: see `measured`.
Cell = namedtuple("Cell", "name objective agents epsilon gains table", defaults=(None,))

TIMES = (1, 5, 10, 20)  # iterations after the initial points
ROUNDS = 20
ACTING = 8  # agents that search to the end and are measured, of functions that are drawn
DISTANCE = 1.2  # of unlike agents
LENGTHS = {1: 0.05, 2: 0.2, 4: 0.4, 6: 0.6}  # length-scale by dimension

FIRST_REPORTED = 1000  # seeds below are for tuning, all others for reports
REPORTED_RUNS = 40  # of each cell, at least

# The single-party algorithm that stands for working alone beside the same code without broadcast.
# Chosen on seeds below FIRST_REPORTED, where never_worse compares both.
SINGLES = ("ts", "gp-ei")
SECOND = "gp-ei"

# A cell holds at t if ratio and upper end are within these limits, or if the federation's regret is
# above that of working alone by at most SMALL_SHARE of it plus SMALL_RANGE of the function's range.
RATIO, RATIO_HIGH = 1.05, 1.30
SMALL_SHARE, SMALL_RANGE = 0.05, 0.005
POOLED_HIGH = 1.05  # of the cells in which nothing is to be gained
HOSTILE_HIGH, HOSTILE_TIMES = 1.10, (5, 10, 20)
TOLD_WINS, KEPT, KEPT_TIMES = 2.0, 0.70, (1, 5)


def gp(dim, agents, epsilon, unlike=False):
    """A cell on gp-family."""
    objective = ("gp-family", "--dim", str(dim), "--lengthscale", str(LENGTHS[dim]))
    if unlike:
        objective += ("--distance", str(DISTANCE))
    name = f"d{dim}-n{agents}-e{epsilon}-{'unlike' if unlike else 'alike'}"
    return Cell(name, objective, agents, epsilon, not unlike and (agents, epsilon) != (20, 1))


PRIMARY = [
    # Nothing to gain: few agents with much noise, and agents that are unlike.
    *(gp(dim, 20, 1) for dim in LENGTHS),
    *(gp(dim, 50, 8, unlike=True) for dim in LENGTHS),
    gp(1, 200, 4, unlike=True),
    gp(2, 200, 8, unlike=True),
    gp(4, 20, 4, unlike=True),
    gp(6, 200, 1, unlike=True),
    # Something to gain.
    *(gp(dim, 50, 4) for dim in LENGTHS),
    *(gp(dim, 200, 1) for dim in LENGTHS),
    gp(1, 20, 8),
    gp(2, 50, 1),
    gp(4, 200, 8),
    gp(6, 20, 8),
]


def shifted(objective, shift, agents, epsilon):
    """A cell on a known function, shifted for each agent."""
    name = f"{objective}-{shift}-n{agents}-e{epsilon}"
    return Cell(name, (objective, "--shift", str(shift)), agents, epsilon, True)


def measured(name, table, agents, epsilon):
    """A cell on a table of validation errors, one column for each agent. `table`: how its file in the
    cache of `tacit-papers` begins, and how many agents it has."""
    return Cell(f"{name}-{agents}-e{epsilon}", ("table:", "--table-goal", "minimize"), agents, epsilon,
                True, table)


FAMILIES = [
    *(shifted(objective, shift, agents, epsilon)
      for objective in ("branin", "hartmann6", "rastrigin")
      for shift, agents, epsilon in ((0.05, 50, 4), (0.05, 200, 1), (0.2, 50, 4))),
]

# The tasks of the experiments alike-motionsense-* and alike-digits-*, with default options.
TABLES = [
    measured("motionsense", ("activity-wide-", 24), 24, 8),
    measured("motionsense", ("activity-wide-", 96), 96, 1),
    measured("motionsense", ("activity-wide-", 192), 192, 1),
    measured("digits", ("digits-", 200), 45, 8),
    measured("digits", ("digits-", 200), 90, 1),
    measured("digits", ("digits-", 200), 180, 1),
]
TABLE_EXPERIMENTS = ("similarity-motionsense-parts", "similarity-digits")  # these make the tables


def simulation(cell, seed, runs, table):
    """Words of `tacit simulate` that all arms of a cell share. table: the file of Cell.table."""
    objective, *options = cell.objective
    words = ["--objective", objective + table if cell.table else objective, *options, "--agents", str(cell.agents)]
    if not cell.table:  # the first agents of a table may be parts of one person: there all are measured
        words += ["--acting", str(ACTING)]
    return words + ["--runs", str(runs), "--seed", str(seed)]


def federation(cell):
    return ["--algorithm", "dp-fts-de", "--epsilon", str(cell.epsilon), "--rounds", str(ROUNDS)]


# What is run in one command: the words of it beside those of the cell, and the names of its arms in
# the order of its results.
SETS = {
    "cells": (lambda cell: federation(cell) + ["--versus", "dp-fts-de,broadcast=none; ts; gp-ei"],
              ("federated", "alone", "ts", "gp-ei")),
    "told": (lambda cell: federation(cell) + ["--tell", "constants"], ("told",)),
    "hostile": (lambda cell: federation(cell) + [
        "--set", "broadcast=none", "--versus",
        "dp-fts-de,broadcast=noise; dp-fts-de,broadcast=strange; dp-fts-de,broadcast=reversed"],
                ("alone", "noise", "strange", "reversed")),
    # The regrets of random points: the largest is the range of the function, seen from below.
    "range": (lambda cell: ["--algorithm", "random", "--rounds", "150" if cell.table else "400"],
              ("random",)),
}
