"""Conditional spaces: tacit beside Optuna's TPESampler, all as they come: 3 tasks, 40 seeds, 30 trials.

    conditional_peers.py RESULTS.jsonl [FIRST_SEED [SEEDS [STEP]]]
    conditional_peers.py table RESULTS.jsonl

The model is a support vector machine or a forest, with parameters of its own; data sets are scikit-learn's. The tasks
and seeds were fixed before any run. Contestants: a study of pytacit with conditions; the same without them, where all
parameters are always there; TPESampler, and TPESampler(multivariate=True, group=True), which models each branch. Appends a
row for each run: task, sampler, seed, the best values after 10, 20 and 30 trials, and the share of trials on the svm.
"""
import random
import statistics
import sys

from rows import Rows, read, versions  # first: it holds numpy to one thread

import optuna
from optuna_tasks import data, error, square, validated
from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC, SVR

import pytacit

TRIALS = 30
SPACE = {
    "model": {"type": "choice", "choices": ["svm", "forest"]},
    "C": {"type": "float", "low": 1e-3, "high": 1e3, "log": True, "when": {"model": "svm"}},
    "gamma": {"type": "float", "low": 1e-5, "high": 10, "log": True, "when": {"model": "svm"}},
    "trees": {"type": "choice", "choices": [4, 8, 16, 32], "ordered": True, "when": {"model": "forest"}},
    "max_depth": {"type": "int", "low": 1, "high": 12, "when": {"model": "forest"}},
    "max_features": {"type": "float", "low": 0.1, "high": 1, "when": {"model": "forest"}},
    "min_samples_leaf": {"type": "int", "low": 1, "high": 30, "log": True, "when": {"model": "forest"}},
    "scale": {"type": "bool"},
}

# Name -> data set, rows, measure, svm, forest.
TASKS = {
    "diabetes": ("diabetes", None, square, SVR, RandomForestRegressor),
    "cancer": ("breast_cancer", None, error, SVC, RandomForestClassifier),
    "digits": ("digits", 400, error, SVC, RandomForestClassifier),
}


def evaluate(task, params):
    name, rows, measure, svm, forest = TASKS[task]
    if params["model"] == "svm":
        model = svm(C=params["C"], gamma=params["gamma"], max_iter=5000)
    else:
        model = forest(
            params["trees"], max_depth=params["max_depth"], max_features=params["max_features"],
            min_samples_leaf=params["min_samples_leaf"], random_state=0,
        )  # fmt: skip
    return validated(make_pipeline(StandardScaler(), model) if params["scale"] else model, name, measure, rows)


# ---- contestants: each gives the parameters and the value of every trial


def by_tacit(task, seed, conditional=True):
    space = {name: {k: v for k, v in what.items() if conditional or k != "when"} for name, what in SPACE.items()}
    with pytacit.create_study(task, space, "minimize", "memory:", trials=TRIALS, seed=seed) as study:
        for _ in range(TRIALS):
            trial = study.ask()
            value = evaluate(task, trial.params)
            study.tell(trial.number, value)
            yield trial.params, value


def by_tacit_flat(task, seed):
    return by_tacit(task, seed, conditional=False)


def suggest(trial):
    params = {"model": trial.suggest_categorical("model", ["svm", "forest"])}
    if params["model"] == "svm":
        params["C"] = trial.suggest_float("C", 1e-3, 1e3, log=True)
        params["gamma"] = trial.suggest_float("gamma", 1e-5, 10, log=True)
    else:
        params["trees"] = trial.suggest_categorical("trees", [4, 8, 16, 32])
        params["max_depth"] = trial.suggest_int("max_depth", 1, 12)
        params["max_features"] = trial.suggest_float("max_features", 0.1, 1)
        params["min_samples_leaf"] = trial.suggest_int("min_samples_leaf", 1, 30, log=True)
    params["scale"] = trial.suggest_categorical("scale", [False, True])
    return params


def by_optuna(task, sampler):
    study = optuna.create_study(sampler=sampler)
    for _ in range(TRIALS):
        trial = study.ask()
        params = suggest(trial)
        value = evaluate(task, params)
        study.tell(trial, value)
        yield params, value


def by_tpe(task, seed):
    return by_optuna(task, optuna.samplers.TPESampler(seed=seed))


def by_tpe_group(task, seed):
    return by_optuna(task, optuna.samplers.TPESampler(seed=seed, multivariate=True, group=True))


SAMPLERS = {"tacit": by_tacit, "tacit flat": by_tacit_flat, "tpe": by_tpe, "tpe group": by_tpe_group}


def run(task, sampler, seed):
    trials = list(SAMPLERS[sampler](task, seed))
    values = [value for _, value in trials]
    best = [float(f"{min(values[:n]):.9g}") for n in (10, 20, TRIALS)]
    svm = sum(params["model"] == "svm" for params, _ in trials) / TRIALS
    return {"task": task, "sampler": sampler, "seed": seed, "best": best, "svm": round(svm, 3)}


def main(file, first=1, seeds=40, step=1):
    optuna.logging.set_verbosity(optuna.logging.ERROR)
    made_by = versions("optuna", "scipy", "numpy", "scikit-learn")
    rows = Rows(file, ("task", "sampler", "seed"), made_by)
    for seed in range(first, first + seeds * step, step):
        for task in TASKS:
            for sampler in SAMPLERS:
                if not rows.has(task, sampler, seed):
                    rows.add(run(task, sampler, seed))


# ---- the table


def interval(differences, resamples=10000):
    """The mean, and 95 % of a bootstrap over seeds."""
    draw = random.Random(1)
    n = len(differences)
    means = sorted(statistics.fmean(draw.choices(differences, k=n)) for _ in range(resamples))
    return statistics.fmean(differences), means[resamples // 40], means[-resamples // 40 - 1]


def signed(x):
    return f"{x:+.2g}".replace("-", "−")


def table(file):
    _, rows = read(file)
    best = {(row["task"], row["sampler"], row["seed"]): row["best"] for row in rows}
    seeds = sorted({row["seed"] for row in rows})
    head = ["task", "trials", *SAMPLERS, *(f"tacit − {other}" for other in list(SAMPLERS)[1:])]
    print(f"| {' | '.join(head)} |\n|{'---|' * len(head)}")
    for task in TASKS:
        for i, trials in enumerate((10, 20, TRIALS)):
            mean = [statistics.fmean(best[task, name, seed][i] for seed in seeds) for name in SAMPLERS]
            cells = [task, str(trials), *(f"{m:.4g}" for m in mean)]
            for other in list(SAMPLERS)[1:]:
                gaps = [best[task, "tacit", seed][i] - best[task, other, seed][i] for seed in seeds]
                middle, low, high = interval(gaps)
                won, lost = sum(g < 0 for g in gaps), sum(g > 0 for g in gaps)
                score = f"{won}/{len(gaps) - won - lost}/{lost}"
                cells.append(f"{signed(middle)} ({signed(low)} to {signed(high)}) {score}")
            print(f"| {' | '.join(cells)} |")


if __name__ == "__main__":
    if sys.argv[1] == "table":
        table(sys.argv[2])
    else:
        main(sys.argv[1], *map(int, sys.argv[2:]))
