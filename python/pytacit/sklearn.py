"""pytacit.sklearn.TacitSearchCV: a search over hyper-parameters in the place of GridSearchCV or RandomizedSearchCV.

scikit-learn's BaseSearchCV does everything but the search: cross-validation, scores, refit, routing of metadata. It
calls _run_search, which asks a study for candidates and tells it their scores. The study lives as long as that call:
what is cloned, pickled or sent to another process has nothing of the C library in it.
"""

# scikit-learn has no types:
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false, reportUnknownArgumentType=false
# pyright: reportArgumentType=false, reportOperatorIssue=false

from __future__ import annotations

import math
import numbers
from typing import Any, Callable, Dict, List, Mapping, Optional, Sequence, Union

try:
    import numpy as np
    from sklearn.model_selection._search import BaseSearchCV
    from sklearn import __version__ as _version
    from sklearn.utils import check_random_state
    from sklearn.utils.fixes import parse_version

    if parse_version(_version) < parse_version("1.9"):
        raise ImportError(f"scikit-learn {_version} is older")
except ImportError as missing:
    raise ImportError(f"pytacit.sklearn needs scikit-learn 1.9 or newer ({missing}): pip install scikit-learn") from missing

from ._library import call, lib
from .space import CategoricalDistribution, FloatDistribution, IntDistribution
from .study import Study, create_study
from .trial import Trial, TrialState

__all__ = ["TacitSearchCV"]

Candidate = Dict[str, Any]


class TacitSearchCV(BaseSearchCV):
    """Searches for the parameters of an estimator with the best score in cross-validation.

    estimator: as of GridSearchCV. search_space: by the name of a parameter a FloatDistribution, an IntDistribution, or
    a list of choices of any type. n_trials: candidates that are evaluated. algorithm: of the study, "gp-ei", "random"
    or another, or {"name": ..., option: ...}; None: gp-ei. random_state: a number repeats the same search.
    batch_size: candidates that are proposed at once; None: one, or enough to keep n_jobs processes busy. A smaller
    batch knows more scores when it is proposed.
    objective: the metric that is searched for, where there are several and refit does not name one of them.
    storage, study_name: keeps the study ("sqlite:///search.db"), so that an interrupted fit continues when it is called
    again with the same arguments and data. cv_results_ then has the candidates of the last call alone, the first of
    them the best of the earlier ones, which is evaluated again. One fit at a time may use a study.

    The others are those of GridSearchCV. All candidates are evaluated on the same splits, also when cv is random. A
    candidate whose score is not a finite number is a failed trial: its point is not proposed again. With a number as
    error_score a fit that fails has that score. If all fits of a batch failed, its candidates are failed trials, and they
    are repeated with the next batch, for scikit-learn records no batch without a score.
    """

    _parameter_constraints: Dict[str, List[Any]] = {
        **BaseSearchCV._parameter_constraints,
        "search_space": [dict],
        "n_trials": [numbers.Integral],
        "algorithm": [str, dict, None],
        "batch_size": [numbers.Integral, None],
        "objective": [str, None],
        "storage": [str, None],
        "study_name": [str, None],
        "random_state": ["random_state"],
    }

    def __init__(
        self,
        estimator: Any,
        search_space: Mapping[str, Any],
        n_trials: int = 50,
        *,
        algorithm: Union[str, Mapping[str, Any], None] = None,
        batch_size: Optional[int] = None,
        objective: Optional[str] = None,
        storage: Optional[str] = None,
        study_name: Optional[str] = None,
        random_state: Any = None,
        scoring: Any = None,
        n_jobs: Optional[int] = None,
        refit: Union[bool, str, Callable[..., int]] = True,
        cv: Any = None,
        verbose: int = 0,
        pre_dispatch: Union[int, str] = "2*n_jobs",
        error_score: Union[float, str] = np.nan,
        return_train_score: bool = False,
    ) -> None:
        super().__init__(
            estimator=estimator,
            scoring=scoring,
            n_jobs=n_jobs,
            refit=refit,
            cv=cv,
            verbose=verbose,
            pre_dispatch=pre_dispatch,
            error_score=error_score,
            return_train_score=return_train_score,
        )
        self.search_space = search_space
        self.n_trials = n_trials
        self.algorithm = algorithm
        self.batch_size = batch_size
        self.objective = objective
        self.storage = storage
        self.study_name = study_name
        self.random_state = random_state

    # ---- the search

    def _run_search(self, evaluate_candidates: Any, *, callback_ctx: Any = None) -> None:
        """Called by fit."""
        space = _Space(self.search_space)
        at_once = self._at_once()
        search = _Search(self, evaluate_candidates, callback_ctx)
        with self._open_study(space) as study:
            left = self._continue(study, space, search)
            try:
                while left > 0:
                    trials = [study.ask() for _ in range(min(at_once, left))]
                    left -= len(trials)
                    scores = search.evaluate([space.candidate(trial) for trial in trials])
                    for trial, score in zip(trials, scores):
                        _tell(study, trial, score)
                search.finish()
            finally:
                _requeue(study)

    def _continue(self, study: Study, space: "_Space", search: "_Search") -> int:
        """Takes up what an earlier fit has left; returns how many trials there still are to run."""
        _requeue(study)
        told = [trial for trial in study.trials if trial.state.is_finished()]
        if any(trial.state == TrialState.COMPLETE for trial in told):
            search.evaluate([space.candidate(study.best_trial)])
        elif told and len(told) >= self.n_trials:
            raise ValueError(f"all {len(told)} trials of study {self.study_name} failed: nothing is left to try")
        return self.n_trials - len(told)

    def _open_study(self, space: "_Space") -> Study:
        if self.n_trials < 1:
            raise ValueError(f"n_trials must be 1 or more, got {self.n_trials}")
        if (self.storage is None) != (self.study_name is None):
            raise ValueError("storage and study_name must be given together, or neither")
        return create_study(
            self.study_name or "search",
            space.document,
            "maximize",
            self.storage or "memory:",
            algorithm=self.algorithm,
            trials=int(self.n_trials),
            seed=self._seed(),
        )

    def _seed(self) -> Optional[int]:
        """Of the study; None: it draws one itself."""
        if self.random_state is None:
            return None
        if isinstance(self.random_state, numbers.Integral):
            return int(self.random_state)
        return int(check_random_state(self.random_state).randint(2**31))

    def _at_once(self) -> int:
        if self.batch_size is not None:
            if self.batch_size < 1:
                raise ValueError(f"batch_size must be 1 or more, or None, got {self.batch_size}")
            return int(self.batch_size)
        from joblib import effective_n_jobs

        return max(1, math.ceil(effective_n_jobs(self.n_jobs) / self.n_splits_))


class _Search:
    """What one fit has evaluated so far."""

    def __init__(self, owner: TacitSearchCV, evaluate_candidates: Any, callback_ctx: Any) -> None:
        self._owner = owner
        self._evaluate = evaluate_candidates
        self._splits = _SameSplits(owner._checked_cv_orig)
        self._unrecorded: List[Candidate] = []  # all their fits failed
        self._why: Optional[ValueError] = None  # scikit-learn's words about them
        self._recorded = False  # is there anything in cv_results_?
        self._context: Any = None
        if callback_ctx is not None:
            self._context = callback_ctx.subcontext(task_name="search", max_subtasks=None)
            self._context.call_on_fit_task_begin(estimator=owner)

    def evaluate(self, candidates: List[Candidate]) -> "Sequence[float]":
        """The scores of candidates, NaN where all or some fits failed."""
        try:
            results = self._record(self._unrecorded + candidates)
        except ValueError as why:
            if not str(why).lstrip().startswith("All the "):
                raise
            self._unrecorded, self._why = self._unrecorded + candidates, why
            return [math.nan] * len(candidates)
        self._unrecorded, self._why = [], None
        scores: List[float] = results[self._score_name(results)][-len(candidates) :].tolist()
        return scores

    def finish(self) -> None:
        """After the last batch."""
        if self._why is not None and not self._recorded:
            raise self._why
        if self._context is not None:
            self._context.call_on_fit_task_end(estimator=self._owner)

    def _record(self, candidates: List[Candidate]) -> Dict[str, Any]:
        """scikit-learn evaluates them and returns the results of all so far."""
        if self._context is None:
            results: Dict[str, Any] = self._evaluate(candidates, cv=self._splits)
        else:
            fits = len(candidates) * self._owner.n_splits_
            context = self._context.subcontext(task_name="batch", max_subtasks=fits, sequential_subtasks=False)
            context.call_on_fit_task_begin(estimator=self._owner)
            results = self._evaluate(candidates, cv=self._splits, callback_ctx=context)
            context.call_on_fit_task_end(estimator=self._owner)
        self._recorded = True
        return results

    def _score_name(self, results: Mapping[str, Any]) -> str:
        """The column of cv_results_ that is searched for."""
        metrics = [name[len("mean_test_") :] for name in results if name.startswith("mean_test_")]
        refit = self._owner.refit
        wanted = self._owner.objective or (refit if isinstance(refit, str) else None)
        if metrics == ["score"] and self._owner.objective is None:
            wanted = "score"
        if wanted is None:
            raise ValueError(f"objective must name the metric to search for, one of {', '.join(metrics)}")
        if wanted not in metrics:
            raise ValueError(f"objective must be one of {', '.join(metrics)}, got {wanted}")
        return f"mean_test_{wanted}"


def _tell(study: Study, trial: Trial, score: float) -> None:
    if math.isfinite(score):
        study.tell(trial, score)
    else:
        study.tell(trial, state=TrialState.FAIL, reason=f"the mean score is {score}")


def _requeue(study: Study) -> None:
    """Trials that were not told, here or by a fit that was interrupted, are asked for again at their points."""
    for trial in study.get_trials(TrialState.RUNNING):
        call(lib.tacit_study_requeue, study._open(), trial.number)


class _SameSplits:
    """A splitter that splits once: candidates are compared on the same splits though they come in batches."""

    def __init__(self, splitter: Any) -> None:
        self._splitter = splitter
        self._splits: Optional[List[Any]] = None

    def split(self, X: Any, y: Any = None, **params: Any) -> List[Any]:
        """The splits of the first call."""
        if self._splits is None:
            self._splits = list(self._splitter.split(X, y, **params))
        return self._splits


# ---- the space


class _Space:
    """A search_space: the study's, in which choices are texts, and the Python values that they stand for."""

    def __init__(self, search_space: Mapping[str, Any]) -> None:
        if not search_space:
            raise ValueError("search_space has no parameter")
        self.document: Dict[str, Any] = {}
        self._fixed: Dict[str, Any] = {}  # lists of one choice: nothing to search for
        self._choices: Dict[str, Dict[str, Any]] = {}  # values by the text of a choice
        for name, given in search_space.items():
            self._add(name, given)
        if not self.document:
            raise ValueError("search_space has one point alone: give one parameter a range, or two choices")

    def _add(self, name: str, given: Any) -> None:
        if isinstance(given, (FloatDistribution, IntDistribution)):
            self.document[name] = given
            return
        if isinstance(given, Mapping):
            if given.get("type") != "choice":
                self.document[name] = dict(given)
                return
            given = given["choices"]
        choices = _choices(name, given.choices if isinstance(given, CategoricalDistribution) else given)
        if len(choices) == 1:
            self._fixed[name] = choices[0]
            return
        texts = _texts(choices)
        self._choices[name] = dict(zip(texts, choices))
        self.document[name] = CategoricalDistribution(texts)

    def candidate(self, trial: Trial) -> Candidate:
        """The parameters of an estimator."""
        made = {
            name: self._choices[name][str(value)] if name in self._choices else value
            for name, value in trial.params.items()
        }
        return {**made, **self._fixed}


def _choices(name: str, given: Any) -> "List[Any]":
    if isinstance(given, (str, bytes)) or not hasattr(given, "__len__") or not hasattr(given, "__getitem__"):
        raise TypeError(
            f"search_space[{name!r}] must be a FloatDistribution, an IntDistribution, or a list of choices, "
            f"got {type(given).__name__}"
        )
    if len(given) == 0:
        raise ValueError(f"search_space[{name!r}] has no choices")
    return [given[i] for i in range(len(given))]


def _texts(choices: "Sequence[Any]") -> "List[str]":
    """Texts for choices: themselves where they are plain and all different, else their numbers."""
    plain = all(choice is None or isinstance(choice, (str, bool, int, float)) for choice in choices)
    texts = [str(choice) for choice in choices]
    if plain and len(set(texts)) == len(texts) and all(0 < len(t) <= 64 and t.isprintable() for t in texts):
        return texts
    return [str(i) for i in range(len(choices))]
