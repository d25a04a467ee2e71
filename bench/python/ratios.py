"""Tables of paired ratios: the mean of one contestant over that of each other, task by task and mark by mark.

Called by outcome_peers.py and pruning_peers.py, with the results of several files together: the contestants of a later
run stand beside those of an earlier one. Intervals are 95 % of a bootstrap over seeds.
"""
from rows import read  # first: it holds what others load to one thread

from paired import mean, paired_ratio


class Results:
    """The rows of several files, by task, contestant and seed."""

    def __init__(self, files):
        self._found = {}  # (task, contestant, seed) -> row
        for file in files:
            for row in read(file)[1]:
                name = row["task"], row["contestant"], row["seed"]
                if name in self._found:
                    raise SystemExit(f"{file} has {row['contestant']}, {row['task']}, seed {row['seed']} once more")
                self._found[name] = row

    def chosen(self, text):
        """Pairs of contestants: "ONE" beside every other, "ONE:OTHER", or several of these with commas between."""
        known, found = list(dict.fromkeys(contestant for _, contestant, _ in self._found)), []
        for words in text.split(","):
            one, _, other = words.partition(":")
            for name in (one, other) if other else (one,):
                if name not in known:
                    raise SystemExit(f"no results of {name!r}; there are those of {', '.join(known)}")
            found += [(one, name) for name in ([other] if other else known) if name != one]
        return found

    def contestants(self, task):
        return list(dict.fromkeys(contestant for of, contestant, _ in self._found if of == task))

    def pairs(self, task, one, other):
        """The rows of both, for the seeds that both have run with."""
        seeds = sorted(seed for of, name, seed in self._found if (of, name) == (task, one))
        seeds = [seed for seed in seeds if (task, other, seed) in self._found]
        return [[self._found[task, name, seed] for seed in seeds] for name in (one, other)]


def number(x):
    return f"{x:.3g}".replace("-", "−")


def print_ratios(results, chosen, tasks, marks, what, measure):
    """marks: of a task, (mark, place) to print. measure: of a row at a place, at least 0; `what` is its name."""
    head = ["task", "after", "one", "other", "seeds", f"{what} of one", "of other", "ratio", "below/equal/above"]
    print(f"| {' | '.join(head)} |\n|{'---|' * len(head)}")
    for task in tasks:
        for mark, place in marks(task):
            for one, other in chosen:
                ours, theirs = ([measure(row, place) for row in rows] for rows in results.pairs(task, one, other))
                if len(ours) < 2:
                    continue
                ratio, gaps = paired_ratio(ours, theirs), [a - b for a, b in zip(ours, theirs)]
                below, above = sum(gap < 0 for gap in gaps), sum(gap > 0 for gap in gaps)
                print(
                    f"| {task} | {mark} | {one} | {other} | {len(ours)} | {number(mean(ours))} | {number(mean(theirs))} "
                    f"| {number(ratio.value)} ({number(ratio.low)} to {number(ratio.high)}) "
                    f"| {below}/{len(gaps) - below - above}/{above} |"
                )
