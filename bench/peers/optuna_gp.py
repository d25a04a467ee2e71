"""Optuna's GPSampler: branin, 100 trials, and hartmann6, 60 trials.

    optuna_gp.py [branin seeds, 10] [hartmann6 seeds, 20]
"""
import warnings

import common

warnings.simplefilter("ignore")
optuna, torch = common.require("optuna", "torch")
optuna.logging.set_verbosity(optuna.logging.ERROR)
torch.set_num_threads(1)


def minimise(f, dim, trials, seed):
    sampler = optuna.samplers.GPSampler(seed=seed, deterministic_objective=True)
    study = optuna.create_study(sampler=sampler)
    study.optimize(lambda t: f([t.suggest_float(f"x{d}", 0, 1) for d in range(dim)]), n_trials=trials)
    return study.best_value


who = f"optuna {optuna.__version__} GPSampler"
minimise(common.branin, 2, 12, 0)  # loads what is loaded on first use
common.header(who)
common.compare(who, "branin", 100, common.count(1, 10), minimise)
common.compare(who, "hartmann6", 60, common.count(2, 20), minimise)
