"""TacitSearchCV with scikit-learn: its own estimator checks, and what a search must survive."""

from __future__ import annotations

import pickle
from typing import Any, Iterator

import numpy as np
import pytest

from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.datasets import make_classification
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.model_selection import GroupKFold, ShuffleSplit
from sklearn.utils.estimator_checks import estimator_checks_generator

import pytacit
from pytacit.sklearn import TacitSearchCV

X, Y = make_classification(120, 6, random_state=0)
SPACE = {"C": pytacit.FloatDistribution(1e-3, 1e2, log=True), "class_weight": [None, "balanced"]}


def search(n_trials: int = 6, **arguments: Any) -> TacitSearchCV:
    return TacitSearchCV(
        LogisticRegression(), SPACE, n_trials, **{"algorithm": "random", "random_state": 3, "cv": 3, **arguments}
    )


class Picky(ClassifierMixin, BaseEstimator):
    """Fits only below a limit."""

    def __init__(self, level: float = 0.0) -> None:
        self.level = level

    def fit(self, X: Any, y: Any) -> "Picky":
        if self.level > 0.5:
            raise RuntimeError("too high")
        self.classes_ = np.unique(y)
        return self

    def predict(self, X: Any) -> Any:
        return np.full(len(X), self.classes_[0])


# scikit-learn expects the same of its searches: what converts y is the estimator inside, and Ridge takes a column.
EXPECTED = {"check_supervised_y_2d": "no DataConversionWarning, as of GridSearchCV"}
# Arrays of these are checked on a GPU's packages; a search hands arrays to its estimator untouched.
FOREIGN_ARRAYS = ("cupy", "dpnp", "torch")


def estimator_checks() -> Iterator[Any]:
    """scikit-learn's checks of estimators that apply to a search."""
    arguments: Any = {"algorithm": "random", "random_state": 1, "cv": 2}
    ridge = TacitSearchCV(Ridge(), {"alpha": pytacit.FloatDistribution(0.1, 10)}, 2, **arguments)
    logistic = TacitSearchCV(LogisticRegression(), {"C": pytacit.FloatDistribution(0.1, 10)}, 2, **arguments)
    for search, expected in ((ridge, EXPECTED), (logistic, {})):
        for param in estimator_checks_generator(search, expected_failed_checks=expected, mark="xfail"):
            check = getattr(param, "values", param)[1]
            if not any(package in repr(check.keywords) for package in FOREIGN_ARRAYS):
                name = f"{type(search.estimator).__name__}-{check.func.__name__}"
                yield pytest.param(search, check, marks=getattr(param, "marks", ()), id=name)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("estimator, check", list(estimator_checks()))
def test_estimator_checks(estimator: Any, check: Any) -> None:
    check(estimator)


def test_results_have_every_trial_and_the_best_is_refitted() -> None:
    found = search(algorithm="gp-ei").fit(X, Y)
    assert len(found.cv_results_["params"]) == 6
    assert found.best_score_ == max(found.cv_results_["mean_test_score"])
    assert found.best_estimator_.C == found.best_params_["C"]
    assert found.score(X, Y) > 0.5


def test_a_seed_repeats_the_search_whatever_n_jobs_is() -> None:
    one = search(batch_size=2).fit(X, Y)
    two = search(batch_size=2, n_jobs=2).fit(X, Y)
    assert one.cv_results_["params"] == two.cv_results_["params"]
    assert search(random_state=4).fit(X, Y).cv_results_["params"] != one.cv_results_["params"]


def test_clone_pickle_and_parameters() -> None:
    found = search().fit(X, Y)
    again = pickle.loads(pickle.dumps(found))
    assert (again.predict(X) == found.predict(X)).all()
    assert clone(found).fit(X, Y).best_params_ == found.best_params_
    assert len(clone(found).set_params(n_trials=2).fit(X, Y).cv_results_["params"]) == 2


def test_several_metrics() -> None:
    found = search(scoring=["accuracy", "roc_auc"], refit="roc_auc").fit(X, Y)
    assert found.best_score_ == max(found.cv_results_["mean_test_roc_auc"])
    last = search(scoring=["accuracy", "roc_auc"], refit=lambda results: 5, objective="accuracy").fit(X, Y)
    assert last.best_index_ == 5
    with pytest.raises(ValueError, match="objective must name the metric to search for, one of accuracy, roc_auc"):
        search(scoring=["accuracy", "roc_auc"], refit=False).fit(X, Y)
    with pytest.raises(ValueError, match="objective must be one of score, got f1"):
        search(objective="f1").fit(X, Y)


@pytest.mark.filterwarnings("ignore")
def test_failing_fits_are_failed_trials() -> None:
    space = {"level": pytacit.FloatDistribution(0, 1)}
    arguments: Any = {"algorithm": "random", "random_state": 1, "cv": 2}
    storage = {"storage": "sqlite:///s.db", "study_name": "picky"}
    found = TacitSearchCV(Picky(), space, 12, **arguments, **storage).fit(X, Y)
    levels = np.array([params["level"] for params in found.cv_results_["params"]])
    failed = np.isnan(found.cv_results_["mean_test_score"])
    assert 0 < failed.sum() < 12 and (failed == (levels > 0.5)).all()
    trials = pytacit.load_study("picky", "sqlite:///s.db").trials
    assert sum(trial.state == pytacit.TrialState.FAIL for trial in trials) == (
        sum(trial.params["level"] > 0.5 for trial in trials)
    )
    with pytest.raises(RuntimeError, match="too high"):
        TacitSearchCV(Picky(), space, 12, error_score="raise", **arguments).fit(X, Y)
    with pytest.raises(ValueError, match="All the .* fits failed"):
        TacitSearchCV(Picky(), {"level": pytacit.FloatDistribution(0.6, 1)}, 3, **arguments).fit(X, Y)


def test_choices_of_any_type() -> None:
    weights = [{0: 1, 1: 2}, {0: 2, 1: 1}]
    found = TacitSearchCV(
        LogisticRegression(), {"class_weight": weights, "fit_intercept": [True]}, 4, algorithm="random", cv=2
    ).fit(X, Y)
    assert all(p["class_weight"] in weights and p["fit_intercept"] is True for p in found.cv_results_["params"])


def test_random_splits_are_the_same_for_all_candidates() -> None:
    found = TacitSearchCV(
        LogisticRegression(), {"verbose": [0, 0]}, 4, algorithm="random", cv=ShuffleSplit(2, test_size=20)
    ).fit(X, Y)
    assert len(set(found.cv_results_["split0_test_score"])) == 1


def test_groups_and_weights_are_passed_on() -> None:
    groups = np.arange(len(X)) % 4
    found = search(cv=GroupKFold(4)).fit(X, Y, groups=groups, sample_weight=np.ones(len(X)))
    assert found.n_splits_ == 4


def test_an_interrupted_search_continues() -> None:
    whole = search(algorithm="gp-ei").fit(X, Y)
    calls = []

    def scoring(estimator: Any, X: Any, y: Any) -> float:
        calls.append(estimator.C)
        if len(calls) == 11:  # in the fourth candidate
            raise KeyboardInterrupt
        return float(estimator.score(X, y))

    kept: Any = {"algorithm": "gp-ei", "storage": "sqlite:///s.db", "study_name": "long"}
    with pytest.raises(KeyboardInterrupt):
        search(scoring=scoring, **kept).fit(X, Y)
    found = search(scoring=scoring, **kept).fit(X, Y)
    assert found.cv_results_["params"][1:] == whole.cv_results_["params"][3:]
    assert found.best_params_ == whole.best_params_


@pytest.mark.parametrize(
    "arguments, message",
    [
        ({"n_trials": 0}, "n_trials must be 1 or more, got 0"),
        ({"batch_size": 0}, "batch_size must be 1 or more, or None, got 0"),
        ({"storage": "memory:"}, "storage and study_name must be given together"),
        ({"search_space": {}}, "search_space has no parameter"),
        ({"search_space": {"C": [1]}}, "search_space has one point alone"),
        ({"search_space": {"C": []}}, r"search_space\['C'\] has no choices"),
    ],
)
def test_bad_arguments(arguments: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        search().set_params(**arguments).fit(X, Y)
