"""The study of docs/benchmarks.md with XGBoost: the log loss of three fixed folds of scikit-learn's breast_cancer.

    xgboost_objective.py LEARNING_RATE MAX_DEPTH SUBSAMPLE REG_LAMBDA      prints the loss: for tacit optimize

Fixed before any run: 60 trees, one thread, four parameters. SPACE is of a study document.
"""
import functools
import sys

from sklearn import datasets
from sklearn.metrics import log_loss
from sklearn.model_selection import KFold
from xgboost import XGBClassifier

SPACE = {
    "learning_rate": {"type": "float", "low": 1e-3, "high": 0.5, "log": True},
    "max_depth": {"type": "int", "low": 1, "high": 10},
    "subsample": {"type": "float", "low": 0.3, "high": 1},
    "reg_lambda": {"type": "float", "low": 1e-3, "high": 100, "log": True},
}


@functools.lru_cache(None)
def folds():
    x, y = datasets.load_breast_cancer(return_X_y=True)
    return [(x[a], y[a], x[b], y[b]) for a, b in KFold(3, shuffle=True, random_state=0).split(x)]


def loss(params):
    total = 0.0
    for x, y, held_x, held_y in folds():
        model = XGBClassifier(n_estimators=60, n_jobs=1, random_state=0, **params).fit(x, y)
        total += log_loss(held_y, model.predict_proba(held_x)[:, 1].astype(float)) / 3
    return float(total)


if __name__ == "__main__":
    rate, depth, share, weight = sys.argv[1:]
    print(loss({
        "learning_rate": float(rate), "max_depth": int(depth), "subsample": float(share), "reg_lambda": float(weight)
    }))  # fmt: skip
