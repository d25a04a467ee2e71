"""TacitSampler beside Optuna's TPESampler and GPSampler, all as they come: 20 tasks, 20 seeds, 30 trials.

    optuna_peers.py RESULTS.jsonl [FIRST_SEED [SEEDS [STEP]]]

Appends a row for each run: task, sampler, seed, the best values after 10, 20 and 30 trials, and the medians of the
milliseconds, wall and CPU, that a trial after the tenth cost besides its evaluation. Runs that the file has are not
repeated, so an interrupted run goes on; ranges of seeds may run at once, each with a file of its own. optuna_table.py
reads them.
"""
import statistics
import sys

from rows import Clock, Rows, versions  # first: it holds numpy and torch to one thread

import optuna
import torch
from optuna_tasks import TASKS

from pytacit.optuna import TacitSampler

TRIALS = 30
SAMPLERS = {"tacit": TacitSampler, "tpe": optuna.samplers.TPESampler, "gp": optuna.samplers.GPSampler}


def run(task, sampler, seed):
    evaluate, space = TASKS[task]
    study = optuna.create_study(sampler=SAMPLERS[sampler](seed=seed))
    values, walls, cpus = [], [], []
    for _ in range(TRIALS):
        clock = Clock()
        trial = study.ask(space)
        asked = clock.read()
        values.append(evaluate(**trial.params))
        clock = Clock()
        study.tell(trial, values[-1])
        told = clock.read()
        walls.append(asked[0] + told[0])
        cpus.append(asked[1] + told[1])
    best = [float(f"{min(values[:n]):.9g}") for n in (10, 20, TRIALS)]
    wall, cpu = (round(statistics.median(costs[10:]), 3) for costs in (walls, cpus))
    return {"task": task, "sampler": sampler, "seed": seed, "best": best, "ms": wall, "cpu_ms": cpu}


def main(file, first=1, seeds=20, step=1):
    optuna.logging.set_verbosity(optuna.logging.ERROR)
    torch.set_num_threads(1)
    made_by = versions("optuna", "torch", "scipy", "numpy", "scikit-learn")
    rows = Rows(file, ("task", "sampler", "seed"), made_by)
    for seed in range(first, first + seeds * step, step):
        for task in TASKS:
            for sampler in SAMPLERS:
                if not rows.has(task, sampler, seed):
                    rows.add(run(task, sampler, seed))


if __name__ == "__main__":
    main(sys.argv[1], *map(int, sys.argv[2:]))
