"""Intermediate values of trials, and the rules that end trials early (tacit_study_report_step of <tacit/study.h>)."""

from __future__ import annotations

import inspect
import logging
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Callable, Dict, Optional, Union

from ._library import call, index_of, lib, real, string, struct, whole
from .errors import BudgetError, BusyError, InputOutputError, StateError

if TYPE_CHECKING:
    from .study import Study


class Pruned(Exception):
    """Raised by an objective that ends its trial early: the trial is PRUNED, with its last intermediate value.

    Its text is in the trial's reason; without one that is what the rule says.
    """


@dataclass(frozen=True)
class Prune:
    """A rule that says when a trial should end early, by the intermediate values of all trials of the study.

    "median": its best value so far is worse than the median of what the complete trials had at its step.
    "asha": at the steps min_step, min_step * factor, min_step * factor**2, ... it is not among the best 1/factor
    of the trials that have come so far. Numbers that are 0 have their defaults.
    """

    rule: str  #: "none", "median" or "asha"
    warmup: int = 0  #: no trial is ended at a step below this one
    min_trials: int = 0  #: to be compared with; 0: median 5 that are complete, asha `factor`, the trial itself included
    min_step: int = 0  #: asha: where trials are compared first; 0: 1
    factor: int = 0  #: asha; 0: 3


@dataclass(frozen=True)
class Verdict:
    """What a rule says about a trial after a report."""

    stop: bool  #: should it be ended?
    step: int  #: of the report
    value: float  #: and its value
    bound: Optional[float]  #: what the rule compared with; None: nothing
    compared: int  #: with so many trials


Rule = Union[Prune, str, None]


def rule_of(prune: Rule) -> Any:
    """A tacit_prune."""
    given = Prune(prune) if isinstance(prune, str) else prune or Prune("none")
    if not isinstance(given, Prune):
        raise TypeError(f"prune must be 'none', 'median', 'asha' or a pytacit.Prune, got {type(prune).__name__}")
    rules = {string(lib.tacit_prune_rule_name(i)): i for i in range(lib.TACIT_PRUNE_ASHA + 1)}
    if given.rule not in rules:
        raise ValueError(f"prune must be 'none', 'median' or 'asha', got {given.rule!r}")
    made = struct("tacit_prune")
    made.rule = rules[given.rule]
    for name in ("warmup", "min_trials", "min_step", "factor"):
        setattr(made, name, whole(getattr(given, name), name))
    return made


def report_step(study: "Study", number: int, step: int, value: float, rule: Any) -> Verdict:
    """Reports an intermediate value, and judges the trial."""
    v = struct("tacit_verdict")
    if index_of(step) is None:
        raise TypeError(f"step must be a whole number, got {type(step).__name__}: the step comes first, then the value")
    handle = study._open()
    call(lib.tacit_study_report_step, handle, number, whole(step, "step"), real(value, "value"), rule, v)
    return Verdict(bool(v.stop), v.step, v.value, v.bound if v.bound == v.bound else None, v.compared)


class RunningTrial:
    """The trial that an objective evaluates: it reports intermediate values, and asks whether to go on."""

    def __init__(self, study: "Study", number: int, params: Dict[str, Any], rule: Any) -> None:
        self._study, self._rule = study, rule
        self.number = number  #: from 0
        self.params = params  #: by name
        self._verdict: Optional[Verdict] = None
        self._last: Optional[int] = None  # step
        self._went_back = False  # it was said that steps do not grow
        self._unheard = False  # it was said that values are not taken

    def report(self, step: int, value: float) -> None:
        """What the trial has come to at a step: an epoch, say. Steps are whole numbers, 0 and more, and grow."""
        try:
            self._verdict = report_step(self._study, self.number, step, value, self._rule)
        except (InputOutputError, BusyError, BudgetError, StateError) as why:
            self._drop(step, why)
            return
        if self._last is not None and step <= self._last and not self._went_back:
            self._went_back = True
            logging.getLogger("pytacit").warning(
                "trial %d: step %d came after step %d, and takes the place of what it had from there on: steps must grow",
                self.number,
                step,
                self._last,
            )
        self._last = step

    def _drop(self, step: int, why: Exception) -> None:
        """A value that the study does not get is missing in a curve, and ends nothing: neither the trial nor the run."""
        self._verdict = None
        if not self._unheard:
            self._unheard = True
            logging.getLogger("pytacit").warning(
                "trial %d: the intermediate value of step %d is not taken, and the trial goes on: %s", self.number, step, why
            )

    def should_stop(self) -> bool:
        """By the last report: should the trial be ended? Then raise pytacit.Pruned, or return None."""
        return self._verdict is not None and self._verdict.stop

    def _why(self) -> str:
        """By which rule it was ended; as the library says it of programs."""
        v = self._verdict
        if v is None or not v.stop:
            return ""
        return f"{string(lib.tacit_prune_rule_name(self._rule.rule))} {v.bound:.6g} of {v.compared} trials"

    @property
    def verdict(self) -> Optional[Verdict]:
        """What the rule says of the last report, and why; None: nothing was reported."""
        return self._verdict

    def __repr__(self) -> str:
        return f"<pytacit.RunningTrial {self.number}>"


def takes_trial(func: Callable[..., Any]) -> bool:
    """Does an objective want the trial, too, as a second argument without a default?"""
    try:
        parameters = list(inspect.signature(func).parameters.values())
    except (TypeError, ValueError):  # built in
        return False
    by_place = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
    return sum(p.kind in by_place and p.default is inspect.Parameter.empty for p in parameters) == 2
