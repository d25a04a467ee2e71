"""Golden values of the best of K private runs, by dp_accounting's RdpAccountant (pip: dp-accounting).

    python best_of.py            the rows of src/privacy/best_of_golden.h: some by hand, 200 at random
    python best_of.py TACIT 200  as many random settings beside the program at TACIT: the largest
                                 relative differences, as `tacit privacy tune` prints them

RepeatAndSelectDpEvent follows the same theorems (Papernot, Steinke 2022). The last column of a row is at
its default orders, the one before at integer orders alone: at fractional ones its divergence of a sampled
Gaussian is too large by up to 6 % (q = 0.01, z = 1.1, order 1.1).
"""
import json
import math
import random
import subprocess
import sys

import dp_accounting
from dp_accounting import dp_event, rdp


INTEGERS = [*range(2, 64), 128, 256, 512, 1024]


def epsilon(q, z, rounds, delta, mean, shape, orders=None):
    release = dp_accounting.GaussianDpEvent(z)
    if q < 1:
        release = dp_accounting.PoissonSampledDpEvent(q, release)
    run = dp_accounting.SelfComposedDpEvent(release, rounds)
    event = dp_event.RepeatAndSelectDpEvent(run, mean, shape)
    return rdp.RdpAccountant(orders).compose(event).get_epsilon(delta)


SETTINGS = [  # q, z, rounds, delta, mean, shape
    (0.01, 1.1, 1000, 1e-5, 10, math.inf), (0.01, 1.1, 1000, 1e-5, 10, 1),
    (0.02, 0.8, 500, 1e-5, 30, 0.5), (0.02, 0.8, 500, 1e-5, 30, 0),
    (1, 5, 1, 1e-6, 100, math.inf), (1, 5, 1, 1e-6, 100, 1), (1, 5, 1, 1e-6, 100, 3),
    (1, 20, 10, 1e-8, 1000, math.inf), (1, 20, 10, 1e-8, 1000, 0.1),
    (1, 1, 1, 1e-5, 1, 1), (1, 1, 1, 1e-5, 1, math.inf), (1, 1, 1, 1e-5, 1e6, 1),
    (0.1, 2, 100, 1e-3, 2, 0.5), (0.001, 0.6, 10000, 1e-5, 50, 1), (0.25, 4, 30, 1e-5, 7, 20),
]


def random_setting(r):
    q = r.choice([1, round(10 ** r.uniform(-3, -0.3), 5)])
    z = round(10 ** r.uniform(-0.2, 1.3), 4)
    rounds = round(10 ** r.uniform(0, 3.5))
    mean = round(10 ** r.uniform(0, 4), 3)
    shape = r.choice([math.inf, 0, 0.25, 0.5, 1, 2, 5])
    return q, z, rounds, r.choice([1e-4, 1e-5, 1e-6, 1e-8]), mean, shape


def tacit(program, q, z, rounds, delta, mean, shape):
    kind = ["poisson"] if shape == math.inf else ["negative-binomial", "--shape", repr(shape)]
    out = subprocess.run([program, "privacy", "tune", "--noise-multiplier", repr(z), "--rounds", str(rounds),
                          "--sampling-rate", repr(q), "--delta", repr(delta), "--trials", repr(mean),
                          "--distribution", *kind, "--format", "json", "--quiet"],
                         capture_output=True, text=True, check=True)
    return json.loads(out.stdout)["epsilon"]


def compare(program, n):
    r, worst, best = random.Random(1), (-1.0, None), (1.0, None)
    for _ in range(n):
        setting = random_setting(r)
        theirs = epsilon(*setting)
        if not 0 < theirs < math.inf:
            continue
        off = tacit(program, *setting) / theirs - 1
        worst, best = max(worst, (off, setting)), min(best, (off, setting))
    print(f"{n} settings: tacit's epsilon is at most {worst[0]:+.4%} above {worst[1]}")
    print(f"             and at most {-best[0]:.4%} below {best[1]}")
    return 0 if worst[0] <= 0.002 else 1


if __name__ == "__main__":
    if len(sys.argv) == 3:
        sys.exit(compare(sys.argv[1], int(sys.argv[2])))
    r = random.Random(1)
    for s in SETTINGS + [random_setting(r) for _ in range(200)]:
        q, z, rounds, delta, mean, shape = s
        shape = "INFINITY" if shape == math.inf else f"{shape:g}"
        print(f"        {{{q!r}, {z!r}, {rounds}, {delta!r}, {mean!r}, {shape}, "
              f"{epsilon(*s, INTEGERS):.12g}, {epsilon(*s):.12g}}},")
