"""Thompson sampling as it is usually written: scikit-learn's GP, a joint draw over candidates.

Each trial refits a Matern 5/2 kernel (one length-scale per dimension) by marginal likelihood and
takes the best of a joint posterior draw at 2,000 fresh uniform candidates. The draw is made by a
Cholesky factor: scikit-learn's own sample_y takes a singular value decomposition, 20 times slower.

    ts_peer.py [seeds, 20]
"""
import warnings

import common

np, sklearn, gp = common.require("numpy", "sklearn", "sklearn.gaussian_process")
warnings.simplefilter("ignore")
kernels = gp.kernels
FIRST, CANDIDATES = 10, 2000


def draw(X, y, dim, rng):
    kernel = (kernels.ConstantKernel(1.0, (1e-2, 1e2))
              * kernels.Matern(np.full(dim, 0.3), (5e-2, 1e1), nu=2.5)
              + kernels.WhiteKernel(1e-4, (1e-6, 1e-1)))
    model = gp.GaussianProcessRegressor(kernel, normalize_y=True).fit(X, y)
    U = rng.random((CANDIDATES, dim))
    mean, covariance = model.predict(U, return_cov=True)
    covariance[np.diag_indices(CANDIDATES)] += 1e-6 * covariance.diagonal().max()
    root = np.linalg.cholesky(covariance)
    return U[np.argmax(mean + root @ rng.standard_normal(CANDIDATES))]


def minimise(f, dim, trials, seed):
    rng = np.random.default_rng(seed)
    X = rng.random((FIRST, dim))
    y = np.array([-f(x) for x in X])
    for _ in range(FIRST, trials):
        x = draw(X, y, dim, rng)
        X, y = np.vstack([X, x]), np.append(y, -f(x))
    return -y.max()


who = f"scikit-learn {sklearn.__version__} TS"
common.header(who)
common.compare(who, "hartmann6", 60, common.count(1, 20), minimise)
