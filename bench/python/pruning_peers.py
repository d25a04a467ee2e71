"""Stopping trials early: pruners on three learning curves, 40 seeds, 1280 steps of training each.

    pruning_peers.py optuna|tacit CURVES.jsonl RESULTS.jsonl [FIRST_SEED [SEEDS [STEP]]]
    pruning_peers.py table PAIRS CURVES.jsonl RESULTS.jsonl...

CURVES are those of curve_tasks.py, PAIRS as for outcome_peers.py. A full training has 64 steps, so the steps suffice for
20 of them; a contestant goes on with new trials until the steps are spent, and a trial that is cut off by that does not
count. With "given" all contestants try the configurations of a seed in one order, so that only pruners differ; "tpe" and
"gp" choose their own. The pruners are as they come. Appends a row for each run: task, contestant, seed; the best loss at
the end of a trial that was not stopped (best), and after any step (seen), at every mark; trials, and those completed.
"""
import random
import sys

from rows import Rows, installed, versions  # first: it holds numpy to one thread

from curve_tasks import STEPS, TASKS, grid
from curve_tasks import read as read_curves
from paired import mean
from ratios import Results, print_ratios

MARKS = tuple(STEPS * trainings for trainings in (5, 10, 20))


def given(task, seed):
    """All configurations in an order of chance, the same one for everybody."""
    return iter(random.Random(f"{task} {seed}").sample(grid(task), len(grid(task))))


class Replay:
    """Training from a table: counts steps and trials and keeps the best losses at the marks."""

    def __init__(self, task, curves):
        self.task, self._curves = task, curves
        self._spent = self.trials = self.completed = 0
        self._best = self._seen = None
        self.best, self.seen = [], []

    def going(self):
        return self._spent < MARKS[-1]

    def train(self, levels):
        """A new trial: gives (step, loss) until it ends or all steps are spent."""
        self.trials += 1
        for step, loss in enumerate(self._curves[tuple(levels)], 1):
            self._spent += 1
            self._seen = loss if self._seen is None else min(loss, self._seen)
            if step == STEPS:
                self.completed += 1
                self._best = loss if self._best is None else min(loss, self._best)
            if self._spent in MARKS:
                self.best.append(self._best)
                self.seen.append(self._seen)
            yield step, loss
            if not self.going():
                return


# ---- contestants


def by_optuna(replay, seed, sampler, pruner):
    import optuna

    optuna.logging.set_verbosity(optuna.logging.ERROR)
    made = getattr(optuna.samplers, "RandomSampler" if sampler == "given" else sampler)(seed=seed)
    study = optuna.create_study(sampler=made, pruner=getattr(optuna.pruners, pruner)())
    space, points = optuna_space(replay.task), given(replay.task, seed)
    while replay.going():
        if sampler == "given":
            study.enqueue_trial(dict(zip(space, next(points))))
        trial = study.ask(space)
        for step, loss in replay.train([trial.params[name] for name in space]):
            trial.report(loss, step)
            if step < STEPS and trial.should_prune():
                study.tell(trial, state=optuna.trial.TrialState.PRUNED)
                break
        else:
            if replay.going():
                study.tell(trial, loss)


def optuna_space(task):
    """The number of a level is a whole number; of levels without an order, a choice."""
    from optuna.distributions import CategoricalDistribution, IntDistribution

    return {
        name: CategoricalDistribution(range(len(levels))) if isinstance(levels[0], str)
        else IntDistribution(0, len(levels) - 1)
        for name, levels in TASKS[task].levels.items()
    }  # fmt: skip


def by_tacit(replay, seed, sampler, pruner):
    import pytacit

    space, points = tacit_space(replay.task), given(replay.task, seed)
    with pytacit.create_study(
        replay.task, space, "minimize", "memory:", algorithm=sampler, trials=MARKS[-1], seed=seed
    ) as study:  # fmt: skip
        while replay.going():
            if sampler == "random":
                study.enqueue_trial({name: tacit_value(space[name], level) for name, level in zip(space, next(points))})
            trial = study.ask()
            for step, loss in replay.train([tacit_level(space[name], trial.params[name]) for name in space]):
                if study.report(trial, step, loss, pruner).stop and step < STEPS:
                    study.tell(trial, state=pytacit.TrialState.PRUNED)
                    break
            else:
                if replay.going():
                    study.tell(trial, loss)


def tacit_space(task):
    """As optuna_space()."""
    return {
        name: {"type": "choice", "choices": list(levels)} if isinstance(levels[0], str)
        else {"type": "int", "low": 0, "high": len(levels) - 1}
        for name, levels in TASKS[task].levels.items()
    }  # fmt: skip


def tacit_value(parameter, level):
    return parameter["choices"][level] if "choices" in parameter else level


def tacit_level(parameter, value):
    return parameter["choices"].index(value) if "choices" in parameter else value


def of(run, sampler, pruner):
    return lambda replay, seed: run(replay, seed, sampler, pruner)


CONTESTANTS = {
    "optuna": {
        f"optuna {name} {pruner}": of(by_optuna, sampler, peer)
        for name, sampler in (("given", "given"), ("tpe", "TPESampler"))
        for pruner, peer in (("none", "NopPruner"), ("median", "MedianPruner"), ("asha", "SuccessiveHalvingPruner"))
    },
    "tacit": {
        f"tacit {name} {pruner}": of(by_tacit, sampler, pruner)
        for name, sampler in (("given", "random"), ("gp", "gp-ei"))
        for pruner in ("none", "median", "asha")
    },
}


def rounded(values):
    return [None if value is None else round(value, 4) for value in values]


def run(task, name, contestant, seed, curves):
    replay = Replay(task, curves[task])
    contestant(replay, seed)
    return {
        "task": task, "contestant": name, "seed": seed, "best": rounded(replay.best), "seen": rounded(replay.seen),
        "trials": replay.trials, "completed": replay.completed,
    }  # fmt: skip


def main(program, table, file, first=1, seeds=40, step=1):
    curves = read_curves(table)
    made_by = versions() if program == "tacit" else installed(program, "numpy")
    rows = Rows(file, ("task", "contestant", "seed"), made_by)
    for seed in range(first, first + seeds * step, step):
        for task in TASKS:
            for name, contestant in CONTESTANTS[program].items():
                if not rows.has(task, name, seed):
                    rows.add(run(task, name, contestant, seed, curves))


# ---- the tables


def table(pairs, curves, files):
    """The regret is what the best loss of a completed trial is above that of the best configuration there is."""
    results, curves = Results(files), read_curves(curves)
    chosen = results.chosen(pairs)
    ends = {task: [losses[-1] for losses in found.values()] for task, found in curves.items()}

    def loss(row, place):
        best = row["best"][place]
        return max(ends[row["task"]]) if best is None else best

    def marks(_task):
        return [(mark, i) for i, mark in enumerate(MARKS)]

    print_ratios(results, chosen, TASKS, marks, "regret", lambda row, at: loss(row, at) - min(ends[row["task"]]))
    print("\nThe losses themselves.\n")
    print_ratios(results, chosen, TASKS, marks, "loss", loss)
    print("\nSteps that a trial did not need, as a share, and trials that were completed: means over seeds.\n")
    print("| task | contestant | seeds | saved | completed |\n|---|---|---|---|---|")
    for task in TASKS:
        for name in results.contestants(task):
            rows, _ = results.pairs(task, name, name)
            saved = mean([1 - MARKS[-1] / (STEPS * row["trials"]) for row in rows])
            completed, trials = (mean([row[member] for row in rows]) for member in ("completed", "trials"))
            print(f"| {task} | {name} | {len(rows)} | {saved:.0%} | {completed:.1f} of {trials:.1f} |")


if __name__ == "__main__":
    if sys.argv[1] == "table":
        table(sys.argv[2], sys.argv[3], sys.argv[4:])
    else:
        main(*sys.argv[1:4], *map(int, sys.argv[4:]))
