"""The algorithms of bench/ldp.c in plain numpy: 100 arms, one thread.

Written as the papers' formulas stand, with the repeats of an arm counted where the formula allows
it: tgp solves an n x n system over arms rather than one over plays; moma keeps sums per arm; ata
cuts every past reward in every feature, O(m t) a round, as the authors' code does.

    ldp.py [rounds, 2000] [algorithm ...]
"""
import sys
import time

import common

(np,) = common.require("numpy")

N, LENGTH, LAM, B, R, EPSILON, DELTA, ACCURACY, K_PLAYS = 100, 0.2, 1.0, 1.0, 1.0, 1.0, 0.1, 0.1, 5
SCALE = 2 * (B + R) / EPSILON
C = R**2 + 2 * SCALE**2
V2 = B**2 + C


def kernel(name):
    x = np.linspace(0, 1, N)
    r = np.abs(x[:, None] - x[None, :]) / LENGTH
    if name == "se":
        return np.exp(-r**2 / 2)
    r = np.sqrt(5) * r
    return (1 + r + r**2 / 3) * np.exp(-r)


def objective(K, rng):
    f = K[:, rng.integers(0, N, 100)] @ rng.uniform(-1, 1, 100)
    return f / np.abs(f).max()


def reply(f, arm, rng):
    y = np.clip(f[arm] + rng.uniform(-R, R), -(B + R), B + R)
    return y + rng.laplace(0, SCALE)


def tgp(K, f, T, rng):
    count, total, regret, gain = np.zeros(N), np.zeros(N), 0.0, 0.0
    arm = rng.integers(N)
    for t in range(1, T + 1):
        y = reply(f, arm, rng)
        if abs(y) > B + R + SCALE * np.log(t):
            y = 0.0
        regret += f.max() - f[arm]
        count[arm] += 1
        total[arm] += y
        played = count > 0
        Kp = K[played]
        A = Kp[:, played] + np.diag(LAM / count[played])
        S = np.linalg.solve(A, np.column_stack([total[played] / count[played], Kp]))
        mean = Kp.T @ S[:, 0]
        var = np.maximum(np.diag(K) - np.einsum("ij,ij->j", Kp, S[:, 1:]), 0)
        gain = (np.linalg.slogdet(A)[1] - np.log(LAM / count[played]).sum()) / 2
        b = B + R + SCALE * np.log(t)
        width = B + 2 * np.sqrt(2 / LAM) * b * np.sqrt(gain + np.log(1 / DELTA)) + np.sqrt(
            V2 * (np.log(t) + 1) / LAM)
        arm = int(np.argmax(mean + width * np.sqrt(var)))
    return regret / T


def embed(K, S):
    """phi(x) = (K_SS^1/2)^+ k_S(x), one column for each arm."""
    w, Q = np.linalg.eigh(K[np.ix_(S, S)])
    root = np.where(w > len(S) * np.finfo(float).eps * w[-1], 1 / np.sqrt(np.maximum(w, 1e-300)), 0)
    return (Q * root) @ Q.T @ K[S]


def inverse_root(V):
    w, Q = np.linalg.eigh(V)
    return (Q / np.sqrt(w)) @ Q.T


def dictionary(var, count, T, rng):
    q = 6 * (1 + ACCURACY) / (1 - ACCURACY) * np.log(4 * T / DELTA) / ACCURACY**2
    p = np.minimum(q * var / LAM, 1)
    return np.flatnonzero(rng.uniform(size=N) < 1 - (1 - p)**count)


def ata(K, f, T, rng):
    count, regret, var = np.zeros(N), 0.0, np.diag(K).copy()
    arms, ys = np.zeros(T, int), np.zeros(T)
    arm = rng.integers(N)
    for t in range(T):
        arms[t], ys[t] = arm, reply(f, arm, rng)
        regret += f.max() - f[arm]
        count[arm] += 1
        S = dictionary(var, count, T, rng)
        phi = embed(K, S)
        half = inverse_root((phi * count) @ phi.T + LAM * np.eye(len(S)))
        U = half @ phi
        m = len(S)
        log_term = np.log(4 * m * T / DELTA)
        terms = U[:, arms[:t + 1]] * ys[:t + 1]
        r = np.where(np.abs(terms) <= np.sqrt(V2 / log_term), terms, 0).sum(axis=1)
        mean = U.T @ r
        var = np.maximum(np.diag(K) - (phi**2).sum(axis=0) + LAM * (U**2).sum(axis=0), 0)
        width = B * (1 + 1 / np.sqrt(1 - ACCURACY)) + 4 * np.sqrt(log_term * V2 * m / LAM)
        arm = int(np.argmax(mean + width * np.sqrt(var)))
    return regret / T


def moma(K, f, T, rng):
    count, sums, regret, var = np.zeros(N), np.zeros((N, K_PLAYS)), 0.0, np.diag(K).copy()
    arm = rng.integers(N)
    for _ in range(T // K_PLAYS):
        sums[arm] += [reply(f, arm, rng) for _ in range(K_PLAYS)]
        regret += K_PLAYS * (f.max() - f[arm])
        count[arm] += 1
        S = dictionary(var, count, T, rng)
        phi = embed(K, S)
        V = (phi * count) @ phi.T + LAM * np.eye(len(S))
        theta = np.linalg.solve(V, phi @ sums)
        gaps = theta[:, :, None] - theta[:, None, :]
        distance = np.einsum("ijk,il,ljk->jk", gaps, V, gaps, optimize=True)
        median = np.sort(distance, axis=1)[:, 1 + (K_PLAYS - 1) // 2]
        mean = phi.T @ theta[:, np.argmin(median)]
        var = np.maximum(
            np.diag(K) - (phi**2).sum(axis=0) + LAM * (phi * np.linalg.solve(V, phi)).sum(axis=0), 0)
        width = B * (1 + 1 / np.sqrt(1 - ACCURACY)) + 3 * np.sqrt(9 * len(S) * C / LAM)
        arm = int(np.argmax(mean + width * np.sqrt(var)))
    return regret / T


ALGORITHMS = {"ldp-tgp": tgp, "ldp-ata": ata, "ldp-moma": moma}


def main():
    T = common.count(1, 2000)
    common.header("plain numpy")
    print(f"{T} rounds on {N} arms")
    print(f"{'algorithm':12} {'kernel':9} {'seconds':>9} {'regret/T':>9}")
    for kind in ("se", "matern52"):
        for name in sys.argv[2:] or ALGORITHMS:
            rng = np.random.default_rng(1)
            K = kernel(kind)
            f = objective(K, rng)
            begin = time.perf_counter()
            regret = ALGORITHMS[name](K, f, T, rng)
            print(f"{name:12} {kind:9} {time.perf_counter() - begin:9.3f} {regret:9.4f}", flush=True)


if __name__ == "__main__":
    main()
