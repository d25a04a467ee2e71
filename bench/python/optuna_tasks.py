"""Twenty tasks for samplers, all minimised: fifteen models on scikit-learn's small data sets, five known functions.

None of them was used in making tacit, and they were fixed before any sampler had run on them. Called by
optuna_peers.py. A task is a search space and a function of its parameters, without chance: folds and seeds are fixed.
"""
import functools
import math
import warnings

import numpy as np
from optuna.distributions import CategoricalDistribution as Choice
from optuna.distributions import FloatDistribution as Float
from optuna.distributions import IntDistribution as Int
from sklearn import datasets
from sklearn.base import clone
from sklearn.decomposition import PCA
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.ensemble import GradientBoostingClassifier, GradientBoostingRegressor, RandomForestClassifier
from sklearn.kernel_approximation import Nystroem
from sklearn.kernel_ridge import KernelRidge
from sklearn.linear_model import ElasticNet, LogisticRegression, Ridge
from sklearn.metrics import log_loss
from sklearn.model_selection import KFold
from sklearn.neighbors import KNeighborsClassifier
from sklearn.neural_network import MLPClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import PolynomialFeatures, StandardScaler
from sklearn.svm import SVC, SVR
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

warnings.simplefilter("ignore")


def log(low, high):
    return Float(low, high, log=True)


# ---- data and what is measured


@functools.lru_cache(None)
def data(name, rows):
    x, y = getattr(datasets, f"load_{name}")(return_X_y=True)
    order = np.random.RandomState(0).permutation(len(y))[:rows]
    x, y = x[order], y[order]
    return x, (y - y.mean()) / y.std() if name == "diabetes" else y


def error(model, x, y):
    return float(np.mean(model.predict(x) != y))


def square(model, x, y):
    return float(np.mean((model.predict(x) - y) ** 2))


def surprise(model, x, y):
    return log_loss(y, np.clip(model.predict_proba(x), 1e-3, 1), labels=model.classes_)


def brier(model, x, y):
    return float(np.mean(np.sum((model.predict_proba(x) - (y[:, None] == model.classes_)) ** 2, axis=1)))


def validated(model, name, measure, rows=None, folds=3):
    """The mean over folds; of one fold alone where folds is 1."""
    x, y = data(name, rows)
    splits = list(KFold(max(folds, 3), shuffle=True, random_state=0).split(x))[:folds]
    return float(np.mean([measure(clone(model).fit(x[a], y[a]), x[b], y[b]) for a, b in splits]))


def scaled(*steps):
    return make_pipeline(StandardScaler(), *steps)


# ---- models


def svm_cancer(C, gamma):
    return validated(scaled(SVC(C=C, gamma=gamma)), "breast_cancer", error)


def svm_wine(C, gamma, kernel, degree, coef0):
    model = SVC(C=C, gamma=gamma, kernel=kernel, degree=degree, coef0=coef0, max_iter=5000)
    return validated(scaled(model), "wine", error)


def svr_diabetes(C, gamma, epsilon):
    return validated(scaled(SVR(C=C, gamma=gamma, epsilon=epsilon, max_iter=5000)), "diabetes", square)


def kernel_ridge_diabetes(alpha, gamma, kernel):
    return validated(scaled(KernelRidge(alpha=alpha, gamma=gamma, kernel=kernel)), "diabetes", square)


def elastic_net_diabetes(alpha, l1_ratio, interactions):
    steps = [PolynomialFeatures(2, interaction_only=interactions), StandardScaler()]
    return validated(scaled(*steps, ElasticNet(alpha=alpha, l1_ratio=l1_ratio, max_iter=200)), "diabetes", square)


def nystroem_diabetes(gamma, components, alpha):
    model = scaled(Nystroem(gamma=gamma, n_components=components, random_state=0), Ridge(alpha))
    return validated(model, "diabetes", square)


def logistic_digits(C, components, whiten):
    model = make_pipeline(PCA(components, whiten=whiten, random_state=0), LogisticRegression(C=C, max_iter=50))
    return validated(model, "digits", surprise, rows=300, folds=1)


def lda_digits(shrinkage, components):
    model = make_pipeline(PCA(components, random_state=0), LinearDiscriminantAnalysis(solver="lsqr", shrinkage=shrinkage))
    return validated(model, "digits", surprise, rows=400)


def tree_cancer(max_depth, min_samples_leaf, ccp_alpha, criterion):
    model = DecisionTreeClassifier(
        max_depth=max_depth, min_samples_leaf=min_samples_leaf, ccp_alpha=ccp_alpha, criterion=criterion, random_state=0
    )
    return validated(model, "breast_cancer", brier)


def tree_diabetes(max_depth, min_samples_leaf, min_samples_split, ccp_alpha, max_features):
    model = DecisionTreeRegressor(
        max_depth=max_depth, min_samples_leaf=min_samples_leaf, min_samples_split=min_samples_split,
        ccp_alpha=ccp_alpha, max_features=max_features, random_state=0,
    )  # fmt: skip
    return validated(model, "diabetes", square)


def boosting_diabetes(**params):
    return validated(GradientBoostingRegressor(random_state=0, **params), "diabetes", square, folds=1)


def boosting_cancer(**params):
    return validated(GradientBoostingClassifier(random_state=0, **params), "breast_cancer", surprise, 300, folds=1)


def forest_wine(max_depth, max_features, min_samples_leaf, bootstrap):
    model = RandomForestClassifier(
        10, max_depth=max_depth, max_features=max_features, min_samples_leaf=min_samples_leaf, bootstrap=bootstrap,
        random_state=0,
    )  # fmt: skip
    return validated(model, "wine", brier, folds=1)


def neighbours_iris(k, weights, w0, w1, w2, w3):
    x, y = data("iris", None)
    x = StandardScaler().fit_transform(x) * [w0, w1, w2, w3]
    model, total = KNeighborsClassifier(k, weights=weights), 0.0
    for a, b in KFold(3, shuffle=True, random_state=0).split(x):
        total += brier(model.fit(x[a], y[a]), x[b], y[b]) / 3
    return total


def network_wine(hidden, alpha, rate, momentum, batch):
    model = MLPClassifier(
        hidden, alpha=alpha, solver="sgd", learning_rate_init=rate, momentum=momentum, batch_size=batch, max_iter=15,
        random_state=0,
    )  # fmt: skip
    return validated(scaled(model), "wine", surprise, folds=1)


# ---- functions


def camel(x, y):
    """Six-hump camel back."""
    return (4 - 2.1 * x**2 + x**4 / 3) * x**2 + x * y + (4 * y**2 - 4) * y**2


def rosenbrock(**x):
    x = list(x.values())
    return math.log1p(sum(100 * (b - a * a) ** 2 + (1 - a) ** 2 for a, b in zip(x, x[1:])))


def levy(**x):
    w = [1 + (v - 1) / 4 for v in x.values()]
    middle = sum((v - 1) ** 2 * (1 + 10 * math.sin(math.pi * v + 1) ** 2) for v in w[:-1])
    return math.sin(math.pi * w[0]) ** 2 + middle + (w[-1] - 1) ** 2 * (1 + math.sin(2 * math.pi * w[-1]) ** 2)


def michalewicz(**x):
    return -sum(math.sin(v) * math.sin(i * v * v / math.pi) ** 20 for i, v in enumerate(x.values(), 1))


def styblinski(**x):
    return sum(v**4 - 16 * v**2 + 5 * v for v in x.values()) / 2


def box(n, low, high):
    return {f"x{i}": Float(low, high) for i in range(n)}


# ---- all of them

LEAF = Int(1, 60, log=True)
BOOSTING = {
    "n_estimators": Int(5, 30), "learning_rate": log(0.01, 1), "max_depth": Int(1, 5), "subsample": Float(0.3, 1),
    "min_samples_leaf": Int(1, 50, log=True),
}  # fmt: skip

TASKS = {
    "svm_cancer": (svm_cancer, {"C": log(1e-3, 1e3), "gamma": log(1e-5, 10)}),
    "svm_wine": (
        svm_wine,
        {"C": log(1e-3, 1e3), "gamma": log(1e-5, 10), "kernel": Choice(["rbf", "poly", "sigmoid"]),
         "degree": Int(2, 4), "coef0": Float(-1, 1)},
    ),
    "svr_diabetes": (svr_diabetes, {"C": log(1e-2, 1e2), "gamma": log(1e-4, 1), "epsilon": log(1e-3, 1)}),
    "kernel_ridge_diabetes": (
        kernel_ridge_diabetes,
        {"alpha": log(1e-4, 1e2), "gamma": log(1e-4, 1), "kernel": Choice(["rbf", "laplacian", "polynomial"])},
    ),
    "elastic_net_diabetes": (
        elastic_net_diabetes,
        {"alpha": log(1e-3, 10), "l1_ratio": Float(0, 1), "interactions": Choice([True, False])},
    ),
    "nystroem_diabetes": (nystroem_diabetes, {"gamma": log(1e-4, 1), "components": Int(5, 60), "alpha": log(1e-4, 1e2)}),
    "logistic_digits": (logistic_digits, {"C": log(1e-4, 1e2), "components": Int(5, 40), "whiten": Choice([True, False])}),
    "lda_digits": (lda_digits, {"shrinkage": Float(0, 1), "components": Int(5, 40)}),
    "tree_cancer": (
        tree_cancer,
        {"max_depth": Int(1, 12), "min_samples_leaf": LEAF, "ccp_alpha": log(1e-5, 0.1),
         "criterion": Choice(["gini", "entropy"])},
    ),
    "tree_diabetes": (
        tree_diabetes,
        {"max_depth": Int(1, 12), "min_samples_leaf": LEAF, "min_samples_split": Int(2, 60), "ccp_alpha": log(1e-5, 0.1),
         "max_features": Float(0.1, 1)},
    ),
    "boosting_diabetes": (boosting_diabetes, BOOSTING),
    "boosting_cancer": (boosting_cancer, BOOSTING),
    "forest_wine": (
        forest_wine,
        {"max_depth": Int(1, 8), "max_features": Float(0.1, 1), "min_samples_leaf": Int(1, 20),
         "bootstrap": Choice([True, False])},
    ),
    "neighbours_iris": (
        neighbours_iris,
        {"k": Int(1, 30), "weights": Choice(["uniform", "distance"]), **{f"w{i}": Float(0, 1) for i in range(4)}},
    ),
    "network_wine": (
        network_wine,
        {"hidden": Int(2, 32, log=True), "alpha": log(1e-5, 1), "rate": log(1e-4, 1), "momentum": Float(0, 0.99),
         "batch": Int(8, 64, step=8)},
    ),
    "camel": (camel, {"x": Float(-3, 3), "y": Float(-2, 2)}),
    "rosenbrock3": (rosenbrock, box(3, -2, 2)),
    "levy4": (levy, box(4, -10, 10)),
    "michalewicz5": (michalewicz, box(5, 0, math.pi)),
    "styblinski8": (styblinski, box(8, -5, 5)),
}  # fmt: skip
