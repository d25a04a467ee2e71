"""TacitSampler: tacit's algorithms behind Optuna's interface.

    import optuna
    from pytacit.optuna import TacitSampler

    study = optuna.create_study(sampler=TacitSampler(seed=1))
    study.optimize(objective, n_trials=50)

An optimizer of <tacit/optimizer.h> lives as long as the study does. Before it is asked, it is told the trials that
have finished since the last time, whoever ran them; what it knows already is not read again.
"""

from __future__ import annotations

import json
import logging
import math
import random
import threading
import weakref
from typing import Any, Dict, List, Mapping, Optional, Sequence, Tuple

from ._library import NULL, call, lib, new, out, struct, text, whole
from .errors import UnsupportedError

try:
    from optuna.distributions import BaseDistribution, CategoricalDistribution, FloatDistribution, IntDistribution
    from optuna.samplers import BaseSampler, RandomSampler
    from optuna.search_space import IntersectionSearchSpace
    from optuna.study import Study, StudyDirection
    from optuna.trial import FrozenTrial, TrialState
except ImportError as missing:
    raise ImportError("pytacit.optuna needs Optuna: pip install optuna") from missing

__all__ = ["TacitSampler"]

_logger = logging.getLogger(__name__)

#: What a parameter of tacit's can have: see <tacit/space.h>.
MOST_CHOICES = 1000
MOST_LEVELS = 10**12
MOST_WHOLE = 2**53
MOST_PARAMETERS = 256
#: What an optimizer of tacit's can have: see <tacit/optimizer.h>.
MOST_DIRECTIONS = 4


# ---- parameters as tacit has them: a number, the number of a step, or the index of a choice


def _levels(distribution: BaseDistribution) -> Optional[int]:
    """How many values a stepped distribution has; None where tacit takes its numbers as they are."""
    if isinstance(distribution, IntDistribution) and not distribution.log:
        return (distribution.high - distribution.low) // distribution.step + 1
    if isinstance(distribution, FloatDistribution) and distribution.step is not None:
        return round((distribution.high - distribution.low) / distribution.step) + 1
    return None


def _fits(distribution: BaseDistribution) -> bool:
    """Is there a choice to be made, and one that tacit can hold?"""
    if distribution.single():
        return False
    if isinstance(distribution, CategoricalDistribution):
        return len(distribution.choices) <= MOST_CHOICES
    if isinstance(distribution, FloatDistribution):
        low, high = distribution.low, distribution.high
        if not math.isfinite(high - low) or (distribution.log and not math.isfinite(high / low)):
            return False
    elif isinstance(distribution, IntDistribution):
        if distribution.high - distribution.low >= MOST_LEVELS or (distribution.log and distribution.high > MOST_WHOLE):
            return False
    else:
        return False
    levels = _levels(distribution)
    return levels is None or levels <= MOST_LEVELS


def _add(space: Any, name: Any, distribution: BaseDistribution) -> None:
    levels = _levels(distribution)
    if isinstance(distribution, CategoricalDistribution):
        texts = [text(f"c{i}", "choice") for i in range(len(distribution.choices))]
        call(lib.tacit_space_add_choice, space, name, len(texts), new("char *[]", texts))
    elif levels is not None:
        call(lib.tacit_space_add_int, space, name, 0.0, float(levels - 1), 1.0, False)
    elif isinstance(distribution, IntDistribution):
        call(lib.tacit_space_add_int, space, name, float(distribution.low), float(distribution.high), 1.0, True)
    elif isinstance(distribution, FloatDistribution):
        call(lib.tacit_space_add_float, space, name, distribution.low, distribution.high, 0.0, distribution.log)
    else:
        raise TypeError(
            "a parameter must have a FloatDistribution, an IntDistribution or a CategoricalDistribution, "
            f"got {type(distribution).__name__}"
        )


def _number(distribution: BaseDistribution, value: Any) -> Optional[float]:
    """A value as tacit has it; None: it is not one of the distribution's, as an enqueued one may be."""
    if isinstance(distribution, CategoricalDistribution):
        return float(distribution.to_internal_repr(value))
    assert isinstance(distribution, (FloatDistribution, IntDistribution))
    if not distribution.low <= value <= distribution.high:
        return None
    if _levels(distribution) is None:
        return float(value)
    steps = (value - distribution.low) / (distribution.step or 1)
    return float(round(steps)) if abs(steps - round(steps)) < 1e-6 else None


def _value(distribution: BaseDistribution, number: float) -> Any:
    """What Optuna has for a number of tacit's."""
    if isinstance(distribution, CategoricalDistribution):
        return distribution.choices[int(number)]
    assert isinstance(distribution, (FloatDistribution, IntDistribution))
    if _levels(distribution) is not None:
        number = min(distribution.low + int(number) * (distribution.step or 1), distribution.high)
    return int(number) if isinstance(distribution, IntDistribution) else float(number)


# ---- one optimizer


class _Optimizer:
    """An optimizer of the library over one search space, and how far it has read the trials of a study."""

    def __init__(self, search_space: Dict[str, BaseDistribution], opts: Any, keep: Sequence[Any]) -> None:
        self.search_space = search_space
        self._objectives = 1 + opts.n_others
        space = out(lib.tacit_space_new, "tacit_space *", lib.tacit_space_free)
        for i, distribution in enumerate(search_space.values()):  # Optuna's names may have any character
            _add(space, text(f"p{i}", "name"), distribution)
        self._handle = out(lib.tacit_optimizer_new, "tacit_optimizer *", lib.tacit_optimizer_free, space, opts)
        del keep  # the texts of opts, needed until now
        self._open: Dict[int, int] = {}  # trials of the study that were asked for here -> trials of the library
        self._read = 0  # all trials below this number are finished, and known
        self._ahead: Dict[int, None] = {}  # those above that are known, too
        self._mark: Any = None  # when the last one below it began
        self._ranges: List[Optional[Tuple[float, float]]] = [None] * self._objectives  # of the finite values so far

    def follows(self, trials: List[FrozenTrial]) -> bool:
        """Are these the trials that were read so far? Not if the study was deleted and another one has its number."""
        return self._read == 0 or (len(trials) >= self._read and trials[self._read - 1].datetime_start == self._mark)

    def read(self, trials: List[FrozenTrial], with_pruned: bool) -> None:
        """Tells the optimizer what has finished since the last time."""
        for trial in trials[self._read :]:
            if trial.state.is_finished() and trial.number not in self._ahead:
                self._tell(trial, with_pruned)
                self._ahead[trial.number] = None
        while self._read in self._ahead:
            del self._ahead[self._read]
            self._mark = trials[self._read].datetime_start
            self._read += 1

    def ask(self, trial: FrozenTrial) -> Dict[str, Any]:
        """The parameters of a trial."""
        if trial.number in self._open:  # sampled for the second time: the first point is not evaluated
            call(lib.tacit_optimizer_fail, self._handle, self._open.pop(trial.number), NULL)
        number, point = new("uint64_t *"), new("double[]", len(self.search_space))
        call(lib.tacit_optimizer_ask, self._handle, number, point)
        self._open[trial.number] = number[0]
        return {name: _value(d, x) for (name, d), x in zip(self.search_space.items(), point)}

    def _tell(self, trial: FrozenTrial, with_pruned: bool) -> None:
        asked = self._open.pop(trial.number, None)
        point, values = self._point(trial), self._finite(_outcomes(trial, with_pruned))
        if point is not None and values is not None:
            if asked is None:
                call(lib.tacit_optimizer_add_outcomes, self._handle, point, values, NULL)
            else:
                call(lib.tacit_optimizer_tell_outcomes, self._handle, asked, point, values)
        elif asked is not None:
            call(lib.tacit_optimizer_fail, self._handle, asked, NULL)

    def _point(self, trial: FrozenTrial) -> Any:
        numbers: List[float] = []
        for name, distribution in self.search_space.items():
            if trial.distributions.get(name) != distribution:
                return None
            number = _number(distribution, trial.params[name])
            if number is None:
                return None
            numbers.append(number)
        return new("double[]", numbers)

    def _finite(self, values: Optional[Sequence[float]]) -> Optional[List[float]]:
        """An infinite value counts as the largest or smallest one of its objective so far, if there is one."""
        if values is None or len(values) != self._objectives:
            return None
        made = [self._clipped(i, value) for i, value in enumerate(values)]
        known = [value for value in made if value is not None]
        return known if len(known) == len(made) else None

    def _clipped(self, i: int, value: float) -> Optional[float]:
        if math.isnan(value):
            return None
        range_ = self._ranges[i]
        if math.isfinite(value):
            low, high = range_ or (value, value)
            self._ranges[i] = min(low, value), max(high, value)
            return value
        return None if range_ is None else min(max(value, range_[0]), range_[1])


def _outcomes(trial: FrozenTrial, with_pruned: bool) -> Optional[Sequence[float]]:
    """What a finished trial came to; None: nothing that the model is told."""
    if trial.state == TrialState.COMPLETE:
        return trial.values
    if trial.state == TrialState.PRUNED and with_pruned and trial.last_step is not None:
        return [trial.intermediate_values[trial.last_step]]
    return None


class _Followed:
    """What a sampler keeps of a study."""

    def __init__(self, with_pruned: bool) -> None:
        self.intersection = IntersectionSearchSpace(include_pruned=with_pruned)
        self.optimizer: Optional[_Optimizer] = None
        self.checked = False  # that the algorithm takes as many objectives


# ---- the sampler


class TacitSampler(BaseSampler):
    """A sampler of Optuna that asks tacit.

    The parameters that all finished trials of the study have in common, with equal distributions, are sampled
    together. Others are sampled by `independent_sampler`: those of the first trial, those of a branch, those whose
    range changes, and those that tacit cannot hold (more than 1000 choices, more than 10^12 steps or whole numbers, on
    a log scale whole numbers above 2^53, and those after the first 256 by name). When the common parameters change, a
    new optimizer is made, which is told the trials that have all of them.

    A trial that this sampler has started and that is not finished counts as open: the next one goes elsewhere, so
    `n_jobs` and ask-and-tell with many open trials need no setting. What other processes evaluate on the same storage
    is known when it is finished.

    A trial that has failed tells the model nothing, and its point is not asked again. A pruned one counts as failed,
    as for Optuna's GPSampler, unless `consider_pruned_trials`: then by its last intermediate value. An infinite value
    counts as the largest, or smallest, finite one so far. Constraints are not considered.

    Studies may have 2 to 4 directions with "gp-ei", which then goes by the expected hypervolume improvement, and with
    "random" and "sobol".

    A sampler may serve several studies, and threads. A copy, pickled or not, makes optimizers of its own.

    Args:
        algorithm: One that is for one party: "gp-ei", "gp-ucb", "ts", "sobol", ...; `tacit algorithms` lists them.
        options: Options of the algorithm: {"init": 8}. By itself it begins with as many Sobol' points as it needs.
        seed: Makes a study repeatable, bit by bit, on one build. None: by chance.
        budget: The number of trials that are planned, for algorithms that make use of it; 0: unknown.
        independent_sampler: For parameters outside of the common ones; by itself a RandomSampler of the same seed.
        warn_independent_sampling: Whether to log a warning when it is used after the first finished trial.
        consider_pruned_trials: Whether the last intermediate value of a pruned trial counts as its value.
    """

    def __init__(
        self,
        *,
        algorithm: str = "gp-ei",
        options: Optional[Mapping[str, Any]] = None,
        seed: Optional[int] = None,
        budget: int = 0,
        independent_sampler: Optional[BaseSampler] = None,
        warn_independent_sampling: bool = True,
        consider_pruned_trials: bool = False,
    ) -> None:
        self._algorithm = algorithm
        if not isinstance(options, (Mapping, type(None))):
            raise TypeError(f"options must be a dictionary, got {type(options).__name__}")
        self._options = json.dumps(dict(options or {}))
        self._budget = whole(budget, "budget")
        self._seed = None if seed is None else whole(seed, "seed")
        self._independent = independent_sampler or RandomSampler(seed=None if seed is None else seed % 2**32)
        self._warn = warn_independent_sampling
        self._with_pruned = consider_pruned_trials
        self._rng = random.Random(self._seed)
        self._begin()
        # An algorithm or option that is wrong is refused here, and not at a trial.
        probe: Dict[str, BaseDistribution] = {"x": FloatDistribution(0, 1)}
        self._new_optimizer(probe, [StudyDirection.MINIMIZE], 0)

    def _begin(self) -> None:
        self._lock = threading.RLock()
        # Studies in memory all have the number 0: a study is its storage and its number.
        self._followed: "weakref.WeakKeyDictionary[Any, Dict[int, _Followed]]" = weakref.WeakKeyDictionary()

    def __getstate__(self) -> Dict[str, Any]:
        with self._lock:
            state = dict(self.__dict__)
        del state["_lock"], state["_followed"]
        if self._seed is None:
            del state["_rng"]  # or all copies would draw the same
        return state

    def __setstate__(self, state: Dict[str, Any]) -> None:
        vars(self).update(state)
        vars(self).setdefault("_rng", random.Random())
        self._begin()

    # -- what Optuna calls

    def reseed_rng(self) -> None:
        """Draws by chance from now on. Optimizers at work stay: they are shared, and never ask the same twice."""
        with self._lock:
            self._rng.seed()
        self._independent.reseed_rng()

    def infer_relative_search_space(self, study: Study, trial: FrozenTrial) -> Dict[str, BaseDistribution]:
        """The parameters that all finished trials have in common, but those with a single value."""
        self._check_directions(study)
        with self._lock:
            space = self._follow(study).intersection.calculate(study)
        fitting = [(name, distribution) for name, distribution in space.items() if _fits(distribution)]
        return dict(fitting[:MOST_PARAMETERS])

    def sample_relative(
        self, study: Study, trial: FrozenTrial, search_space: Dict[str, BaseDistribution]
    ) -> Dict[str, Any]:
        """Asks tacit for a point of the search space."""
        self._check_directions(study)
        if not search_space:
            return {}
        with self._lock:
            followed = self._follow(study)
            trials = study._storage.get_all_trials(study._study_id, deepcopy=False)
            optimizer = followed.optimizer
            if optimizer is None or optimizer.search_space != search_space or not optimizer.follows(trials):
                optimizer = self._new_optimizer(search_space, study.directions, self._rng.getrandbits(63))
                followed.optimizer = optimizer
            optimizer.read(trials, self._with_pruned)
            return optimizer.ask(trial)

    def sample_independent(
        self, study: Study, trial: FrozenTrial, param_name: str, param_distribution: BaseDistribution
    ) -> Any:
        """Asks the independent sampler for one parameter."""
        self._check_directions(study)
        if self._warn and self._has_finished(study):
            _logger.warning(
                f"The parameter {param_name!r} of trial {trial.number} is sampled by "
                f"{type(self._independent).__name__}, without tacit's model: it is not one that all finished trials "
                "have in common. TacitSampler(warn_independent_sampling=False) turns this warning off."
            )
        return self._independent.sample_independent(study, trial, param_name, param_distribution)

    def before_trial(self, study: Study, trial: FrozenTrial) -> None:
        """The independent sampler's; tacit has nothing to prepare."""
        self._independent.before_trial(study, trial)

    def after_trial(
        self, study: Study, trial: FrozenTrial, state: TrialState, values: Optional[Sequence[float]]
    ) -> None:
        """The independent sampler's; tacit is told before it is asked again."""
        self._independent.after_trial(study, trial, state, values)

    # -- what they need

    def _follow(self, study: Study) -> _Followed:
        studies = self._followed.setdefault(study._storage, {})
        return studies.setdefault(study._study_id, _Followed(self._with_pruned))

    def _has_finished(self, study: Study) -> bool:
        return bool(study.get_trials(deepcopy=False, states=(TrialState.COMPLETE,)))

    def _check_directions(self, study: Study) -> None:
        n = len(study.directions)
        if n > MOST_DIRECTIONS:
            raise ValueError(
                f"TacitSampler takes 1 to {MOST_DIRECTIONS} directions, got a study with {n}: use one of Optuna's "
                "multi-objective samplers, such as NSGAIIISampler"
            )
        with self._lock:
            followed = self._follow(study)
            if n > 1 and not followed.checked:
                try:
                    self._new_optimizer({"x": FloatDistribution(0, 1)}, study.directions, 0)
                except UnsupportedError as why:
                    raise ValueError(f"a study with {n} directions: {why}") from None
            followed.checked = True

    def _new_optimizer(
        self, search_space: Dict[str, BaseDistribution], directions: Sequence[StudyDirection], seed: int
    ) -> _Optimizer:
        opts = struct("tacit_optimizer_opts")
        sides = [lib.TACIT_MAXIMIZE if d == StudyDirection.MAXIMIZE else lib.TACIT_MINIMIZE for d in directions]
        others = new("tacit_direction[]", sides[1:])
        keep = [text(self._algorithm, "algorithm"), text(self._options, "options"), others]
        opts.algorithm, opts.options = keep[:2]
        opts.direction = sides[0]
        if len(sides) > 1:
            opts.others, opts.n_others = others, len(sides) - 1
        opts.seed, opts.budget = seed, self._budget
        return _Optimizer(dict(search_space), opts, keep)
