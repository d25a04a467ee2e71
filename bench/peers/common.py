"""What the peers share: the objectives, one row of results, and which BLAS is at work.

A row is what bench/gp_ei.c prints: task, who, seeds, median seconds, mean regret, its standard
error, median regret; tab-separated. Every peer is held to one thread.
"""
import os
import sys

for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[name] = "1"

import importlib  # noqa: E402  (the variables above must be set before numpy is loaded)
import math  # noqa: E402
import statistics  # noqa: E402
import time  # noqa: E402


def require(*packages):
    """Imports packages; where one is missing, says which, and ends without failing."""
    try:
        return [importlib.import_module(p) for p in packages]
    except ImportError as e:
        script = os.path.basename(sys.argv[0])
        print(f"# {script}: not run, the Python package '{e.name}' is not installed")
        sys.exit(0)


def blas():
    """The BLAS libraries that this process has loaded, by their files."""
    names = set()
    with open("/proc/self/maps", encoding="utf-8") as maps:
        for line in maps:
            file = os.path.basename(line.split()[-1])
            if file.startswith(("libblas", "liblapack", "libopenblas", "libscipy_openblas", "libmkl",
                                "libtorch_cpu")):
                names.add(file.split(".so")[0])
    return ", ".join(sorted(names)) or "none"


def header(who):
    print(f"# {who}: BLAS {blas()}, one thread", flush=True)


def branin(u):
    """Minimised; u in [0,1]^2 stands for [-5,10] x [0,15]."""
    x, y = 15 * u[0] - 5, 15 * u[1]
    a = y - 5.1 / (4 * math.pi**2) * x * x + 5 / math.pi * x - 6
    return a * a + 10 * (1 - 1 / (8 * math.pi)) * math.cos(x) + 10


BRANIN_OPTIMUM = 0.39788735772973816

_A = [[10, 3, 17, 3.5, 1.7, 8], [0.05, 10, 17, 0.1, 8, 14],
      [3, 3.5, 1.7, 10, 17, 8], [17, 8, 0.05, 10, 0.1, 14]]
_P = [[0.1312, 0.1696, 0.5569, 0.0124, 0.8283, 0.5886],
      [0.2329, 0.4135, 0.8307, 0.3736, 0.1004, 0.9991],
      [0.2348, 0.1451, 0.3522, 0.2883, 0.3047, 0.6650],
      [0.4047, 0.8828, 0.8732, 0.5743, 0.1091, 0.0381]]
_C = [1.0, 1.2, 3.0, 3.2]


def hartmann6(u):
    """Minimised; u in [0,1]^6."""
    return -sum(c * math.exp(-sum(a * (x - p)**2 for a, x, p in zip(A, u, P)))
                for c, A, P in zip(_C, _A, _P))


HARTMANN6_OPTIMUM = -3.3223680114155147

TASKS = {"branin": (branin, 2, BRANIN_OPTIMUM), "hartmann6": (hartmann6, 6, HARTMANN6_OPTIMUM)}


def compare(who, task, trials, seeds, minimise):
    """Runs minimise(f, dim, trials, seed) -> best value for seeds 1..seeds and prints the row."""
    if seeds < 1:
        return
    f, dim, optimum = TASKS[task]
    seconds, regrets = [], []
    for seed in range(1, seeds + 1):
        begin = time.perf_counter()
        best = minimise(f, dim, trials, seed)
        seconds.append(time.perf_counter() - begin)
        regrets.append(max(best - optimum, 0.0))
    se = statistics.stdev(regrets) / math.sqrt(seeds) if seeds > 1 else 0.0
    print(f"{task}/{trials}\t{who}\t{seeds}\t{statistics.median(seconds):.4f}\t"
          f"{statistics.fmean(regrets):.3e}\t{se:.1e}\t{statistics.median(regrets):.3e}", flush=True)


def count(position, default):
    """A count from the command line."""
    return int(sys.argv[position]) if len(sys.argv) > position else default
