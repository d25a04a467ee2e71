"""The tables of docs/benchmarks.md from the results of optuna_peers.py: all tasks are minimised.

    optuna_table.py RESULTS.jsonl [MORE.jsonl ...]

A seed counts once all samplers have run with it on all tasks. Normalised values, for means over tasks, are 0 for the
best value that any run has found on the task, and 1 for the mean of all runs after 10 trials: this was fixed before the
runs. The table by kind of task was added after them.
"""
import statistics
import sys

import rows  # first: it holds what optuna_tasks loads to one thread
from optuna_tasks import TASKS
from optuna.distributions import CategoricalDistribution, IntDistribution
from paired import difference, holm, mean, pooled, ranks

SAMPLERS = ("tacit", "tpe", "gp")
PEERS = SAMPLERS[1:]
NAMES = {"tacit": "TacitSampler", "tpe": "TPESampler", "gp": "GPSampler"}
POINTS = (10, 20, 30)


class Results:
    """Best values, by task, sampler, number of trials, and seed."""

    def __init__(self, files):
        self.versions, found = None, {}
        for file in files:
            self.versions, more = rows.read(file)
            found.update({(row["task"], row["sampler"], row["seed"]): row for row in more})
        self.tasks = list(dict.fromkeys(task for task, _, _ in found))
        seeds = sorted({seed for _, _, seed in found})
        self.seeds = [n for n in seeds if all((t, s, n) in found for t in self.tasks for s in SAMPLERS)]
        self._found = found

    def values(self, task, sampler, point):
        return [self._found[task, sampler, seed]["best"][POINTS.index(point)] for seed in self.seeds]

    def costs(self, sampler, member):
        return [self._found[task, sampler, seed][member] for task in self.tasks for seed in self.seeds]

    def normalised(self, task, sampler, point):
        lowest = min(min(self.values(task, s, POINTS[-1])) for s in SAMPLERS)
        unit = mean([v for s in SAMPLERS for v in self.values(task, s, POINTS[0])]) - lowest
        return [(v - lowest) / unit if unit else 0.0 for v in self.values(task, sampler, point)]


def kind(task):
    """What its parameters are."""
    distributions = TASKS[task][1].values()
    if any(isinstance(d, CategoricalDistribution) for d in distributions):
        return "with choices"
    return "with whole numbers" if any(isinstance(d, IntDistribution) for d in distributions) else "numbers alone"


def line(*cells):
    print("| " + " | ".join(cells) + " |")


def heading(*cells):
    line(*cells)
    print("|" + "---|" * len(cells))


def number(x, digits=4):
    return f"{x:.{digits}g}".replace("-", "−")


def interval(d):
    return f"{d.mean:+.2g} ({d.low:+.2g} to {d.high:+.2g})".replace("-", "−")


def verdict(d):
    """tacit's, by the interval."""
    return "better" if d.high < 0 else "worse" if d.low > 0 else "level"


def means(results):
    print("\nMeans of the best value after 10, 20 and 30 trials.\n")
    heading("task", *(NAMES[s] for s in SAMPLERS))
    for task in results.tasks:
        cells = (" / ".join(number(mean(results.values(task, s, n))) for n in POINTS) for s in SAMPLERS)
        line(task, *cells)


def differences(results):
    """Prints TacitSampler against each peer after 30 trials; returns all differences by peer and point."""
    found = {
        (peer, n): [difference(results.values(t, "tacit", n), results.values(t, peer, n)) for t in results.tasks]
        for peer in PEERS for n in POINTS
    }  # fmt: skip
    print(f"\nTacitSampler minus the peer after {POINTS[-1]} trials, 95 % interval, wins/ties/losses by seed.\n")
    heading("task", *(cell for peer in PEERS for cell in (f"− {NAMES[peer]}", "w/t/l", "tacit is")))
    for i, task in enumerate(results.tasks):
        ds = [found[peer, POINTS[-1]][i] for peer in PEERS]
        line(task, *(c for d in ds for c in (interval(d), f"{d.wins}/{d.ties}/{d.losses}", verdict(d))))
    return found


def gaps(results, task, peer, point):
    """Normalised differences, seed by seed."""
    ours, theirs = (results.normalised(task, s, point) for s in ("tacit", peer))
    return [a - b for a, b in zip(ours, theirs)]


def kinds(results):
    print(f"\nBy kind of task, after {POINTS[-1]} trials: differences as above.\n")
    heading("tasks", "number", *(f"− {NAMES[peer]}" for peer in PEERS))
    for name in dict.fromkeys(map(kind, results.tasks)):
        tasks = [task for task in results.tasks if kind(task) == name]
        cells = (pooled_interval([gaps(results, t, peer, POINTS[-1]) for t in tasks]) for peer in PEERS)
        line(name, str(len(tasks)), *cells)


def pooled_interval(gaps_of_tasks):
    value, low, high = pooled(gaps_of_tasks)
    return f"{value:+.3f} ({low:+.3f} to {high:+.3f})".replace("-", "−")


def summary(results, found):
    print("\nOver all tasks; differences are of normalised values, tacit minus the peer.\n")
    heading("beside", "trials", "difference", "better", "level", "worse", "after Holm", "w/t/l")
    for (peer, n), ds in found.items():
        verdicts = [verdict(d) for d in ds]
        sure = [d for d, p in zip(ds, holm([d.p for d in ds])) if p < 0.05]
        better = sum(d.mean < 0 for d in sure)
        after_holm = f"{better} better, {len(sure) - better} worse"
        line(
            NAMES[peer], str(n), pooled_interval([gaps(results, t, peer, n) for t in results.tasks]),
            *(str(verdicts.count(v)) for v in ("better", "level", "worse")), after_holm,
            "/".join(str(sum(d[i] for d in ds)) for i in (4, 5, 6)),
        )  # fmt: skip
    for (peer, n), ds in found.items():
        lost = [task for task, d in zip(results.tasks, ds) if verdict(d) == "worse"]
        if lost:
            print(f"\nWorse than {NAMES[peer]} after {n} trials: {', '.join(lost)}.")


def standing(results):
    print("\nNormalised means and mean ranks after 10, 20 and 30 trials; milliseconds that a trial costs, medians.\n")
    heading("sampler", "normalised", "rank of a run", "rank of a task", "CPU ms", "wall ms")
    run_ranks, task_ranks = {}, {}
    for n in POINTS:
        by_run = [
            ranks(values)
            for task in results.tasks
            for values in zip(*(results.values(task, s, n) for s in SAMPLERS))
        ]
        by_task = [ranks([mean(results.values(task, s, n)) for s in SAMPLERS]) for task in results.tasks]
        for i, s in enumerate(SAMPLERS):
            run_ranks[s, n], task_ranks[s, n] = (mean([r[i] for r in by]) for by in (by_run, by_task))
    for s in SAMPLERS:
        normal = (mean([mean(results.normalised(t, s, n)) for t in results.tasks]) for n in POINTS)
        line(
            NAMES[s], " / ".join(f"{v:.3f}" for v in normal), " / ".join(f"{run_ranks[s, n]:.2f}" for n in POINTS),
            " / ".join(f"{task_ranks[s, n]:.2f}" for n in POINTS),
            *(f"{statistics.median(results.costs(s, member)):.2f}" for member in ("cpu_ms", "ms")),
        )  # fmt: skip


def main(files):
    results = Results(files)
    if len(results.seeds) < 2:
        raise SystemExit(f"a table needs 2 seeds that all samplers have run with, got {len(results.seeds)}")
    print(", ".join(f"{name} {version}" for name, version in results.versions.items()))
    print(f"\n{len(results.tasks)} tasks, {len(results.seeds)} seeds, {POINTS[-1]} trials.")
    standing(results)
    summary(results, differences(results))
    kinds(results)
    means(results)


if __name__ == "__main__":
    main(sys.argv[1:])
