"""50 trials of XGBoost's parameters: pytacit, TacitSampler, TPESampler and GPSampler in the process that trains.

    xgboost_study.py run RESULTS.jsonl [FIRST_SEED [SEEDS]]     appends a row for each run, and goes on where it was
    xgboost_study.py program RESULTS.jsonl [FIRST_SEED [SEEDS]] the same by `tacit optimize`: a process for each trial
    xgboost_study.py table RESULTS.jsonl                        the tables of docs/benchmarks.md

A row has the best loss after 10, 20, 30, 40 and 50 trials, the seconds of the study, wall and CPU (of children, too),
and those of them that the objective took. TACIT_BIN names the program; without it, it is looked for in PATH.
"""
import json
import os
import resource
import statistics
import subprocess
import sys
import tempfile

from rows import Clock, Rows, read, versions  # first: it holds numpy, torch and xgboost to one thread

from paired import difference, mean

TRIALS = 50
POINTS = (10, 20, 30, 40, 50)
WHO = {
    "pytacit": "pytacit, study.optimize", "sampler": "TacitSampler in Optuna", "tpe": "TPESampler", "gp": "GPSampler",
    "program": "tacit optimize, a process for each trial",
}  # fmt: skip
PACKAGES = ("optuna", "torch", "scipy", "numpy", "scikit-learn", "xgboost-cpu")


# ---- in this process


def in_pytacit(objective, seed):
    import pytacit
    from xgboost_objective import SPACE

    study = pytacit.create_study("xgboost", SPACE, "minimize", "memory:", trials=TRIALS, seed=seed)
    study.optimize(objective)


def in_optuna(make):
    def optimize(objective, seed):
        import optuna

        def ask(trial):
            return objective({
                "learning_rate": trial.suggest_float("learning_rate", 1e-3, 0.5, log=True),
                "max_depth": trial.suggest_int("max_depth", 1, 10),
                "subsample": trial.suggest_float("subsample", 0.3, 1),
                "reg_lambda": trial.suggest_float("reg_lambda", 1e-3, 100, log=True),
            })  # fmt: skip

        optuna.create_study(sampler=make(seed=seed)).optimize(ask, n_trials=TRIALS)

    return optimize


def optimizers():
    import optuna
    import torch

    from pytacit.optuna import TacitSampler

    optuna.logging.set_verbosity(optuna.logging.ERROR)
    torch.set_num_threads(1)
    samplers = {"sampler": TacitSampler, "tpe": optuna.samplers.TPESampler, "gp": optuna.samplers.GPSampler}
    return {"pytacit": in_pytacit, **{who: in_optuna(sampler) for who, sampler in samplers.items()}}


def row(who, seed, values, study, objective):
    best = [float(f"{min(values[:n]):.9g}") for n in POINTS]
    rounded = [[round(ms / 1e3, 4) for ms in times] for times in (study, objective)]
    return {"who": who, "seed": seed, "best": best, "seconds": rounded[0], "objective": rounded[1]}


def timed(who, optimize, seed):
    from xgboost_objective import loss

    values, spent = [], [0.0, 0.0]

    def objective(params):
        clock = Clock()
        values.append(loss(params))
        spent[:] = [a + b for a, b in zip(spent, clock.read())]
        return values[-1]

    clock = Clock()
    optimize(objective, seed)
    return row(who, seed, values, clock.read(), spent)


def run(file, first=1, seeds=20):
    from xgboost_objective import SPACE, loss

    rows, all_of_them = Rows(file, ("who", "seed"), versions(*PACKAGES)), optimizers()
    loss({name: parameter["high"] for name, parameter in SPACE.items()})  # what the first call loads is nobody's cost
    for seed in range(first, first + seeds):
        for who, optimize in all_of_them.items():
            if not rows.has(who, seed):
                rows.add(timed(who, optimize, seed))


# ---- a process for each trial


def run_program(file, first=1, seeds=3):
    rows = Rows(file, ("who", "seed"), versions(*PACKAGES))
    for seed in range(first, first + seeds):
        if not rows.has("program", seed):
            rows.add(by_program(seed))


def by_program(seed):
    from xgboost_objective import SPACE

    tacit = os.environ.get("TACIT_BIN", "tacit")
    script = os.path.join(os.path.dirname(__file__), "xgboost_objective.py")
    with tempfile.TemporaryDirectory() as folder:
        document = os.path.join(folder, "study.json")
        with open(document, "w", encoding="utf-8") as out:
            json.dump(
                {"name": "xgboost", "direction": "minimize", "trials": TRIALS, "seed": seed, "space": SPACE}, out
            )
        storage = ["--storage", f"sqlite:///{folder}/tacit.db"]
        # As TacitSampler and the others do, the environment of rows.py holds the children to one thread.
        program = [sys.executable, script, *(f"{{{name}}}" for name in SPACE)]
        command = [tacit, "optimize", document, *storage, "--", *program]
        before, clock = resource.getrusage(resource.RUSAGE_CHILDREN), Clock()
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        wall, _ = clock.read()
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        import pytacit

        trials = pytacit.load_study("xgboost", storage[1]).trials
    cpu = 1e3 * (after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime)
    return row("program", seed, [trial.value for trial in trials], (wall, cpu), (0, 0))


# ---- the tables


def table(file):
    made_by, rows = read(file)
    found = {who: {r["seed"]: r for r in rows if r["who"] == who} for who in WHO}
    seeds = sorted(set.intersection(*(set(found[who]) for who in WHO if who != "program")))
    print(", ".join(f"{name} {version}" for name, version in made_by.items()))
    print_costs(found, seeds)
    print_start_up(found["program"], found["pytacit"])
    print_differences(found, seeds)


def print_costs(found, seeds):
    best = f"best loss after {' / '.join(map(str, POINTS))}"
    titles = ["who", "seeds", "seconds", "CPU seconds", "besides the objective", best]
    print("\n| " + " | ".join(titles) + " |\n|" + "---|" * len(titles))
    for who, name in WHO.items():
        of = [found[who][seed] for seed in (seeds if who != "program" else found[who])]
        if not of:
            continue
        wall, cpu = (statistics.median(r["seconds"][i] for r in of) for i in (0, 1))
        besides = statistics.median(r["seconds"][1] - r["objective"][1] for r in of)
        losses = " / ".join(f"{mean([r['best'][i] for r in of]):.5f}" for i in range(len(POINTS)))
        cells = [f"{wall:.2f}", f"{cpu:.2f}", f"{besides:.3f}" if who != "program" else "—", losses]
        print(f"| {name} | {len(of)} | " + " | ".join(cells) + " |")


def print_differences(found, seeds):
    print("\n| loss, and 95 % interval | − TPESampler | w/t/l | − GPSampler | w/t/l |\n|" + "---|" * 5)
    for who in ("pytacit", "sampler"):
        for i, point in enumerate(POINTS):
            best = {w: [found[w][seed]["best"][i] for seed in seeds] for w in (who, "tpe", "gp")}
            cells = (cell(difference(best[who], best[peer])) for peer in ("tpe", "gp"))
            print(f"| {WHO[who]}, {point} trials | " + " | ".join(cells) + " |")


def cell(d):
    return f"{d.mean:+.5f} ({d.low:+.5f} to {d.high:+.5f}) | {d.wins}/{d.ties}/{d.losses}".replace("-", "−")


def print_start_up(program, pytacit):
    """What a process for each trial costs more: `tacit optimize` has the trials of pytacit's study of the same seed."""
    both = sorted(set(program) & set(pytacit))
    if not both:
        return
    same = sum(program[seed]["best"] == pytacit[seed]["best"] for seed in both)
    wall, cpu = (
        statistics.median((program[seed]["seconds"][i] - pytacit[seed]["seconds"][i]) / TRIALS for seed in both)
        for i in (0, 1)
    )
    cost = f"{cpu:.2f} CPU seconds and {wall:.2f} s more a trial"
    print(f"\nA process for each trial: {cost}; {same} of {len(both)} seeds with the same losses as pytacit.")


if __name__ == "__main__":
    verbs = {"run": run, "program": run_program, "table": table}
    verbs[sys.argv[1]](sys.argv[2], *map(int, sys.argv[3:]))
