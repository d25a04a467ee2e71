"""Constraints that are known by trying and two objectives: tacit beside BoTorch and Optuna; 4 tasks, 40 seeds.

    outcome_peers.py run RESULTS.jsonl CONTESTANTS TASKS [FIRST_SEED [SEEDS [STEP]]]
    outcome_peers.py table PAIRS RESULTS.jsonl...

CONTESTANTS and TASKS are names with commas between, of those in CONTESTANTS below and in outcome_tasks.py; "all" tasks.
PAIRS are "botorch", beside every other, or "botorch:tpe,botorch:nsga2". All begin a seed with the same points, those of
outcome_tasks.py. Appends a row for each run: task, contestant, seed; the best feasible value or the hypervolume, after
the common points (first) and at every mark of the task (best); the share of feasible trials; and seconds of CPU time.
"""
import sys
import warnings

from rows import Clock, Rows, installed, versions  # first: it holds numpy and torch to one thread

from outcome_tasks import TASKS, design, measured, regret
from ratios import Results, print_ratios

#: Of BoTorch's acquisition functions. Its tutorials have 10 restarts, 512 and 128 or 256 samples; less here, for time.
RESTARTS, RAW_SAMPLES, MC_SAMPLES, STEPS = 4, 128, 64, 200

# ---- contestants: each gives the objectives and the constraints of every trial


def by_optuna(task, seed, sampler):
    import optuna

    optuna.logging.set_verbosity(optuna.logging.ERROR)
    what = TASKS[task]
    names = [f"x{i}" for i in range(len(what.bounds))]
    space = {name: optuna.distributions.FloatDistribution(*bound) for name, bound in zip(names, what.bounds)}
    made = getattr(optuna.samplers, sampler)(seed=seed)
    study = optuna.create_study(sampler=made, directions=["minimize"] * (2 if what.reference else 1))
    for point in design(task, seed):
        study.enqueue_trial(dict(zip(names, point)))
    for _ in range(what.trials):
        trial = study.ask(space)
        ys, constraints = what.evaluate([trial.params[name] for name in names])
        for i, value in enumerate(constraints):
            trial.set_constraint(str(i), value)
        study.tell(trial, ys)
        yield ys, constraints


def by_tpe(task, seed):
    return by_optuna(task, seed, "TPESampler")


def by_optuna_gp(task, seed):
    return by_optuna(task, seed, "GPSampler")


def by_nsga2(task, seed):
    return by_optuna(task, seed, "NSGAIISampler")


def by_botorch(task, seed):
    """A Gaussian process for each outcome, inputs in the unit cube, outcomes standardised; maximises as BoTorch does."""
    import torch
    from botorch.optim import optimize_acqf

    torch.set_num_threads(1)
    torch.manual_seed(seed)
    what = TASKS[task]
    low, high = torch.tensor(what.bounds, dtype=torch.double).T
    unit = torch.stack([torch.zeros_like(low), torch.ones_like(low)])
    points, told = design(task, seed), []
    while len(told) < what.trials:
        if len(told) >= len(points):
            x = (torch.tensor(points, dtype=torch.double) - low) / (high - low)
            acquisition = botorch_acquisition(what, x, told)
            found, _ = optimize_acqf(acquisition, unit, 1, RESTARTS, RAW_SAMPLES, options={"maxiter": STEPS})
            points.append((low + found[0] * (high - low)).tolist())
        told.append(what.evaluate(points[len(told)]))
        yield told[-1]


def botorch_acquisition(what, x, told):
    """Expected improvement as in BoTorch's tutorial on constraints; that of the hypervolume is the one without noise."""
    import torch
    from botorch.acquisition.logei import qLogNoisyExpectedImprovement
    from botorch.acquisition.multi_objective.logei import qLogExpectedHypervolumeImprovement
    from botorch.acquisition.objective import GenericMCObjective
    from botorch.fit import fit_gpytorch_mll
    from botorch.models import ModelListGP, SingleTaskGP
    from botorch.sampling import SobolQMCNormalSampler
    from botorch.utils.multi_objective.box_decompositions.non_dominated import FastNondominatedPartitioning
    from gpytorch.mlls import SumMarginalLogLikelihood

    outcomes = [[-y for y in ys] + constraints for ys, constraints in told]
    columns = torch.tensor(outcomes, dtype=torch.double).T.unsqueeze(-1)
    model = ModelListGP(*(SingleTaskGP(x, column) for column in columns))
    fit_gpytorch_mll(SumMarginalLogLikelihood(model.likelihood, model))
    sampler = SobolQMCNormalSampler(torch.Size([MC_SAMPLES]))
    if what.reference:
        reference = torch.tensor([-v for v in what.reference], dtype=torch.double)
        boxes = FastNondominatedPartitioning(reference, columns.squeeze(-1).T)
        return qLogExpectedHypervolumeImprovement(model, reference, boxes, sampler=sampler)
    return qLogNoisyExpectedImprovement(
        model, x, sampler=sampler, prune_baseline=True, objective=GenericMCObjective(lambda z, X=None: z[..., 0]),
        constraints=[lambda z: z[..., 1]],
    )  # fmt: skip


def by_tacit(task, seed):
    import pytacit

    what = TASKS[task]
    names = [f"x{i}" for i in range(len(what.bounds))]
    space = {name: {"type": "float", "low": low, "high": high} for name, (low, high) in zip(names, what.bounds)}
    if what.reference:
        outcomes, wanted = ["y0", "y1"], {"objectives": {"y0": "minimize", "y1": "minimize"}}
    else:
        outcomes, wanted = ["value", "c0"], {"direction": "minimize", "constraints": {"c0": {"max": 0}}}
    with pytacit.create_study("outcomes", space, storage="memory:", trials=what.trials, seed=seed, **wanted) as study:
        for point in design(task, seed):
            study.enqueue_trial(dict(zip(names, point)))
        for _ in range(what.trials):
            trial = study.ask()
            ys, constraints = what.evaluate([trial.params[name] for name in names])
            study.tell(trial, dict(zip(outcomes, ys + constraints)))
            yield ys, constraints


CONTESTANTS = {
    "tacit": by_tacit, "botorch": by_botorch, "tpe": by_tpe, "optuna gp": by_optuna_gp, "nsga2": by_nsga2
}  # fmt: skip


def rounded(value):
    return None if value is None else float(f"{value:.9g}")


def run(task, name, seed):
    clock = Clock()
    trials = list(CONTESTANTS[name](task, seed))
    seconds = clock.read()[1] / 1e3
    first = measured(task, trials, [len(design(task, seed))])[0]
    feasible = sum(all(v <= 0 for v in constraints) for _, constraints in trials) / len(trials)
    return {
        "task": task, "contestant": name, "seed": seed, "first": rounded(first),
        "best": [rounded(value) for value in measured(task, trials)],
        "feasible": round(feasible, 3), "seconds": round(seconds, 3),
    }  # fmt: skip


def main(file, names, tasks, first=1, seeds=40, step=1):
    warnings.simplefilter("ignore")
    if names == ["tacit"]:
        made_by = versions()
    elif "tacit" in names:
        raise SystemExit("tacit has a file of its own, so that those of others outlive its versions")
    else:
        made_by = installed("botorch", "gpytorch", "optuna", "torch", "scipy", "numpy")
    rows = Rows(file, ("task", "contestant", "seed"), made_by)
    for seed in range(first, first + seeds * step, step):
        for task in tasks:
            for name in names:
                if not rows.has(task, name, seed):
                    rows.add(run(task, name, seed))


# ---- the tables


def marks_of(task):
    """Those that are printed: 10, 20, 40 or 50, and 100."""
    what = TASKS[task]
    return [(mark, i) for i, mark in enumerate(what.marks) if mark in (10, 20, 50, 100, what.trials)]


def table(pairs, files):
    """The regret is what the best feasible value, or the hypervolume, is away from the best there is."""
    results = Results(files)
    chosen = results.chosen(pairs)
    for one, other in chosen:
        for task in TASKS:
            for ours, theirs in zip(*results.pairs(task, one, other)):
                if ours["first"] != theirs["first"]:
                    raise SystemExit(f"{one} and {other} began seed {ours['seed']} of {task} with other points")
    print_ratios(results, chosen, TASKS, marks_of, "regret", lambda row, at: regret(row["task"], row["best"][at]))
    print("\nThe hypervolumes themselves: more is better.\n")
    volumes = [task for task, what in TASKS.items() if what.reference]
    print_ratios(results, chosen, volumes, marks_of, "hypervolume", lambda row, at: row["best"][at])


if __name__ == "__main__":
    if sys.argv[1] == "table":
        table(sys.argv[2], sys.argv[3:])
    else:
        tasks = list(TASKS) if sys.argv[4] == "all" else sys.argv[4].split(",")
        main(sys.argv[2], sys.argv[3].split(","), tasks, *map(int, sys.argv[5:]))
