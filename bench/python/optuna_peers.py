"""TacitSampler beside Optuna's TPESampler and GPSampler, all as they come: 20 tasks, 20 seeds, 30 trials.

    optuna_peers.py RESULTS.jsonl [FIRST_SEED [SEEDS [STEP]]]

Appends a row for each run: task, sampler, seed, the best values after 10, 20 and 30 trials, and the median of the
milliseconds that a trial after the tenth cost besides its evaluation. Runs that the file has are not repeated, so an
interrupted run goes on; ranges of seeds may run at once, each with a file of its own. optuna_table.py reads them.
"""
import json
import os
import statistics
import sys
import time

for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[name] = "1"

import optuna  # noqa: E402  (the variables above must be set before numpy is loaded)
import torch  # noqa: E402
from optuna_tasks import TASKS  # noqa: E402

from pytacit.optuna import TacitSampler  # noqa: E402

TRIALS = 30
SAMPLERS = {"tacit": TacitSampler, "tpe": optuna.samplers.TPESampler, "gp": optuna.samplers.GPSampler}


def run(task, sampler, seed):
    evaluate, space = TASKS[task]
    study = optuna.create_study(sampler=SAMPLERS[sampler](seed=seed))
    values, costs = [], []
    for _ in range(TRIALS):
        begin = time.perf_counter()
        trial = study.ask(space)
        asked = time.perf_counter()
        values.append(evaluate(**trial.params))
        told = time.perf_counter()
        study.tell(trial, values[-1])
        costs.append(1e3 * (time.perf_counter() - told + asked - begin))
    best = [float(f"{min(values[:n]):.9g}") for n in (10, 20, TRIALS)]
    return {"task": task, "sampler": sampler, "seed": seed, "best": best, "ms": round(statistics.median(costs[10:]), 3)}


def main(file, first=1, seeds=20, step=1):
    optuna.logging.set_verbosity(optuna.logging.ERROR)
    torch.set_num_threads(1)
    done = set()
    if os.path.exists(file):
        with open(file, encoding="utf-8") as rows:
            done = {(r["task"], r["sampler"], r["seed"]) for r in map(json.loads, rows)}
    with open(file, "a", encoding="utf-8") as rows:
        for seed in range(first, first + seeds * step, step):
            for task in TASKS:
                for sampler in SAMPLERS:
                    if (task, sampler, seed) not in done:
                        print(json.dumps(run(task, sampler, seed), separators=(",", ":")), file=rows, flush=True)


if __name__ == "__main__":
    main(sys.argv[1], *map(int, sys.argv[2:]))
