"""PyXAB's HCT and T-HOO on the task of bench/tree.c: one client on garland, noise U(-0.1, 0.1).

    tree.py [runs, 3] [largest T of HCT, 100000]

The same constants as tacit's defaults (nu = 1, rho = 0.5, c = 0.1, delta = 0.01), the package's own
binary partition, pulls at the centre of a cell. T-HOO is run at T = 10000 only: its cost of a pull
grows with the tree. Processor time of one thread, the objective included; regret against the true
supremum, which the package takes to be 1.
"""
import math
import statistics
import time

import common

np, hct, hoo, garland = common.require("numpy", "PyXAB.algos.HCT", "PyXAB.algos.HOO",
                                       "PyXAB.synthetic_obj.Garland")

SUPREMUM, NOISE, DOMAIN = 0.9977723911610445, 0.1, [[0, 1]]


def play(algorithm, T):
    """T pulls: the seconds that they take, and the regret of their points."""
    target = garland.Garland()
    regret, begin = 0.0, time.process_time()
    for t in range(1, T + 1):
        value = target.f(algorithm.pull(t))
        algorithm.receive_reward(t, value + np.random.uniform(-NOISE, NOISE))
        regret += SUPREMUM - value
    return time.process_time() - begin, regret


def row(name, make, T, runs):
    seconds, regrets = [], []
    for seed in range(1, runs + 1):
        np.random.seed(seed)
        s, r = play(make(T), T)
        seconds.append(s)
        regrets.append(r)
    se = statistics.stdev(regrets) / math.sqrt(runs) if runs > 1 else 0.0
    median = statistics.median(seconds)
    print(f"{name:9} {T:10} {runs:6} {median:10.4f} {T / median:12.3g} "
          f"{statistics.fmean(regrets):10.1f} {se:8.1f}", flush=True)


def main():
    runs, most = common.count(1, 3), common.count(2, 100000)
    common.header("PyXAB")
    print(f"{'bandit':9} {'pulls':>10} {'runs':>6} {'seconds':>10} {'pulls/s':>12} {'regret':>10} "
          f"{'se':>8}")
    T = 10000
    while T <= most:
        row("hct", lambda _: hct.HCT(domain=DOMAIN), T, runs)
        T *= 10
    row("hoo", lambda T: hoo.T_HOO(rounds=T, domain=DOMAIN), 10000, runs)


if __name__ == "__main__":
    main()
