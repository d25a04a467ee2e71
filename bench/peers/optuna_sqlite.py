"""Optuna's ask and tell on SQLite, random sampling: trials a second with 1 and 8 workers.

    optuna_sqlite.py [trials, 400] [workers, 8] [folder of the database, .]
"""
import multiprocessing
import os
import sys
import tempfile
import time

import common

(optuna,) = common.require("optuna")
optuna.logging.set_verbosity(optuna.logging.ERROR)


def work(url, trials, seed):
    study = optuna.load_study(study_name="s", storage=url,
                              sampler=optuna.samplers.RandomSampler(seed=seed))
    for _ in range(trials):
        trial = study.ask()
        study.tell(trial, trial.suggest_float("x", 0, 1))


def rate(folder, trials, workers):
    with tempfile.TemporaryDirectory(dir=folder) as d:
        url = f"sqlite:///{os.path.join(d, 'study.db')}"
        optuna.create_study(study_name="s", storage=url)
        jobs = [multiprocessing.Process(target=work, args=(url, trials // workers, i))
                for i in range(workers)]
        begin = time.perf_counter()
        for j in jobs:
            j.start()
        for j in jobs:
            j.join()
        return trials // workers * workers / (time.perf_counter() - begin)


if __name__ == "__main__":
    trials, many = common.count(1, 400), common.count(2, 8)
    folder = sys.argv[3] if len(sys.argv) > 3 else "."
    print(f"# optuna {optuna.__version__}, SQLite in {folder}", flush=True)
    for workers in (1, many):
        print(f"sqlite ask+tell\toptuna, {workers} worker{'s' * (workers > 1)}\t"
              f"{rate(folder, trials, workers):.1f} trials/s", flush=True)
