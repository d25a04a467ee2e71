"""The study of bench/finite_gp.c in Python: what a numpy user gets, one BLAS thread.

    python finite_gp.py                medians in ms, as a table
    python finite_gp.py --trajectory   the candidates chosen, to compare with finite_gp --trajectory

  incremental   the same O(t n) recursion as tacit, written with numpy
  refactor      plain numpy: factors K + s2 I anew at every step, solves for all candidates
  scikit-learn  GaussianProcessRegressor with fixed hyper-parameters, fitted anew at every step
"""

import os

for name in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[name] = "1"  # read when numpy is loaded

import statistics
import sys
import time

try:
    import numpy as np
except ImportError:
    print("finite_gp.py: numpy is missing; nothing measured (pip install numpy scikit-learn threadpoolctl)")
    sys.exit(0)

STEPS, SCALE, NOISE = 50, 0.2, 0.01
GRIDS = {"100x100": (100, 100), "40x30x30": (40, 30, 30)}


def candidates(axes):
    """All grid points, first axis slowest."""
    lines = [np.arange(m) / (m - 1) for m in axes]
    return np.stack([c.ravel() for c in np.meshgrid(*lines, indexing="ij")], axis=1)


def observed(X):
    y = np.sin(7 * X[:, 0]) + np.cos(5 * X[:, 1])
    return y + np.sin(3 * X[:, 2]) if X.shape[1] == 3 else y


def width(n, t):
    return np.sqrt(2 * np.log(n * t * t * np.pi**2 / (6 * 0.025)))


def covariance(X, x):
    """k(x, X_i) for all i."""
    return np.exp(-0.5 * (((X - x) / SCALE) ** 2).sum(axis=1))


def incremental(X, y):
    n = len(X)
    V = np.empty((STEPS, n))
    mean, var = np.zeros(n), np.ones(n)
    chosen, j = [0], 0
    for t in range(STEPS):
        a = V[:t, j]
        s = np.sqrt(var[j] + NOISE)
        V[t] = (covariance(X, X[j]) - a @ V[:t]) / s
        mean += V[t] * ((y[j] - mean[j]) / s)
        var = np.maximum(var - V[t] ** 2, 0)
        j = int(np.argmax(mean + width(n, t + 2) * np.sqrt(var)))
        chosen.append(j)
    return chosen


def refactor(X, y):
    n = len(X)
    chosen = [0]
    for t in range(1, STEPS + 1):
        P = X[chosen]
        K = np.stack([covariance(X, p) for p in P])
        L = np.linalg.cholesky(K[:, chosen] + NOISE * np.eye(t))
        V = np.linalg.solve(L, K)
        mean = np.linalg.solve(L, y[chosen]) @ V
        var = np.maximum(1 - (V * V).sum(axis=0), 0)
        chosen.append(int(np.argmax(mean + width(n, t + 1) * np.sqrt(var))))
    return chosen


def scikit_learn(X, y):
    from sklearn.gaussian_process import GaussianProcessRegressor
    from sklearn.gaussian_process.kernels import RBF

    n = len(X)
    chosen = [0]
    for t in range(1, STEPS + 1):
        gp = GaussianProcessRegressor(RBF(SCALE), alpha=NOISE, optimizer=None)
        gp.fit(X[chosen], y[chosen])
        mean, sd = gp.predict(X, return_std=True)
        chosen.append(int(np.argmax(mean + width(n, t + 1) * sd)))
    return chosen


def have_sklearn():
    try:
        import sklearn  # noqa: F401
    except ImportError:
        return False
    return True


def blas_name():
    try:
        from threadpoolctl import threadpool_info
    except ImportError:
        return "unknown (threadpoolctl is missing)"
    return ", ".join(
        "{internal_api} {version} {architecture} with {num_threads} thread".format(
            **{"architecture": "", **lib}
        )
        for lib in threadpool_info()
        if lib["user_api"] == "blas"
    )


def median_ms(run, X, y, repeats):
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        chosen = run(X, y)
        times.append((time.perf_counter() - start) * 1e3)
    return statistics.median(times), chosen


def print_table(methods):
    print(f"GP-UCB, {STEPS} observations, medians in ms; numpy {np.__version__}, BLAS: {blas_name()}")
    print(f"{'grid':<9} {'n':>6} {'method':>13} {'ms':>10} {'same path':>10}")
    for name, axes in GRIDS.items():
        X = candidates(axes)
        y = observed(X)
        reference = None
        for method, repeats in methods:
            ms, chosen = median_ms(method, X, y, repeats)
            reference = reference or chosen
            agree = sum(1 for a, b in zip(reference, chosen) if a == b)
            print(f"{name:<9} {len(X):>6} {method.__name__:>13} {ms:>10.2f} {agree:>6}/{STEPS + 1}")


def main():
    if sys.argv[1:] == ["--trajectory"]:
        for name, axes in GRIDS.items():
            X = candidates(axes)
            print(name, *incremental(X, observed(X)))
        return
    if sys.argv[1:]:
        sys.exit("usage: finite_gp.py [--trajectory]")
    methods = [(incremental, 15), (refactor, 3)]
    if have_sklearn():
        methods.append((scikit_learn, 3))
    print_table(methods)
    if not have_sklearn():
        print("scikit-learn is missing and was not measured (pip install scikit-learn)")


if __name__ == "__main__":
    main()
