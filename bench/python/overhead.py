"""What a trial costs besides its evaluation: pytacit beside the C interface, in one process, in turns.

    overhead.py LIBRARY [PAIRS [TRIALS [FOLDER]]]

LIBRARY is build/bench/libbench_python_overhead.so, made from overhead.c by `cmake --build build --target benchmarks`.
Microseconds of a trial are medians of PAIRS runs (31) of TRIALS trials (200) of an objective that adds two numbers, in
a storage in memory and in one on the disk of FOLDER (that of temporary files); the difference is the median of paired
ones. Both sides have the same seeds, and must come to the same values, bit by bit.
"""
import json
import os
import statistics
import sys
import tempfile

from rows import Clock, versions  # first: it holds BLAS to one thread

import pytacit
from pytacit._library import ffi, string

DECLARED = """
typedef struct overhead { double wall_us, cpu_us, sum; char message[256]; } overhead;
int overhead_ask_tell(const char *url, const char *document, uint64_t trials, overhead *out);
int overhead_optimize(const char *url, const char *document, uint64_t trials, overhead *out);
"""
SPACE = {"x": pytacit.FloatDistribution(0, 1), "y": pytacit.FloatDistribution(0, 1)}


def by_c(function, document, url, trials):
    made = ffi.new("overhead *")
    if function(url.encode(), json.dumps(document).encode(), trials, made):
        raise RuntimeError(string(made.message))
    return made.cpu_us, made.wall_us, made.sum


def by_python(run, document, url, trials):
    rest = {name: document[name] for name in ("algorithm", "trials", "seed")}
    study = pytacit.create_study(document["name"], SPACE, document["direction"], url, **rest)
    clock = Clock()
    total = run(study, trials)
    wall, cpu = clock.read()
    study.close()
    return 1e3 * cpu, 1e3 * wall, total


def ask_tell(study, trials):
    total = 0.0
    for _ in range(trials):
        trial = study.ask()
        value = trial.params["x"] + trial.params["y"]
        total += value
        study.tell(trial, value)
    return total


def optimize(study, trials):
    total = 0.0

    def objective(params):
        nonlocal total
        value = params["x"] + params["y"]
        total += value
        return value

    study.optimize(objective, n_trials=trials)
    return total


def pair(function, run, algorithm, where, number, trials):
    """CPU and wall microseconds of C's trials and of Python's; who begins takes turns."""
    document = {"name": "overhead", "direction": "minimize", "algorithm": algorithm, "trials": trials, "seed": number}
    document["space"] = {name: parameter.to_json() for name, parameter in SPACE.items()}
    made = {}
    for who in ("c", "python") if number % 2 else ("python", "c"):
        with tempfile.TemporaryDirectory(dir=where) as folder:
            url = f"sqlite:///{folder}/tacit.db" if where else "memory:"
            call, target = (by_c, function) if who == "c" else (by_python, run)
            made[who] = call(target, document, url, trials)
    if made["c"][2] != made["python"][2]:
        raise RuntimeError(f"seed {number}: C came to {made['c'][2]!r}, Python to {made['python'][2]!r}")
    return [[made[who][clock] / trials for who in ("c", "python")] for clock in (0, 1)]


def row(name, pairs):
    """A line of the table: holds is for at most 1.3 times as much, or 0.2 ms more, by CPU time."""
    cells, holds = [], False
    for clock in (0, 1):
        c, python = (statistics.median(p[clock][who] for p in pairs) for who in (0, 1))
        more = statistics.median(p[clock][1] - p[clock][0] for p in pairs)
        cells += [f"{c:.1f}", f"{python:.1f}", f"{python / c:.2f}", f"{more:+.1f}"]
        holds = holds or (clock == 0 and (python <= 1.3 * c or more <= 200))
    print("| " + " | ".join([name, *cells, "yes" if holds else "no"]) + " |", flush=True)


def main(library, pairs=31, trials=200, folder=None):
    ffi.cdef(DECLARED)
    c = ffi.dlopen(os.path.abspath(library))
    kinds = {"ask and tell": (c.overhead_ask_tell, ask_tell), "optimize": (c.overhead_optimize, optimize)}
    print(", ".join(f"{name} {version}" for name, version in versions("cffi").items()))
    print(f"\n{pairs} pairs of {trials} trials; microseconds of a trial\n")
    print("| | CPU: C | Python | ratio | more | wall: C | Python | ratio | more | at most 1.3 × or + 200 |")
    print("|" + "---|" * 10)
    for kind, (function, run) in kinds.items():
        for where in (None, folder or tempfile.gettempdir()):
            for algorithm in ("random", "gp-ei"):
                pair(function, run, algorithm, where, pairs + 1, trials)  # not counted: what is loaded at first use
                found = [pair(function, run, algorithm, where, i, trials) for i in range(pairs)]
                row(f"{kind}, {'memory' if where is None else 'sqlite'}, {algorithm}", found)


if __name__ == "__main__":
    main(sys.argv[1], *map(int, sys.argv[2:4]), *sys.argv[4:])
