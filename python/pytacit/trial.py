"""Trials: a point that was, is or will be evaluated, and what came of it; and what all of them say of a parameter."""

from __future__ import annotations

import datetime
import enum
from dataclasses import dataclass, field
from typing import Any, Dict, Optional, Tuple, Union

#: The value of a parameter: a float, an int, a bool, or the text of a choice.
ParamValue = Union[float, int, bool, str]


class TrialState(enum.IntEnum):
    """Where a trial stands."""

    WAITING = 1  #: queued, not yet asked for
    RUNNING = 2  #: asked for, not yet told
    COMPLETE = 3  #: told, with a value
    FAIL = 4  #: told that it failed
    STALE = 5  #: given back or out of time: the next ask gets it
    PRUNED = 6  #: ended early, because of its intermediate values
    DELETED = 7  #: failed, and was deleted: in no list but get_trials(TrialState.DELETED)

    def is_finished(self) -> bool:
        """Is it told?"""
        return self in (TrialState.COMPLETE, TrialState.FAIL, TrialState.PRUNED, TrialState.DELETED)


def _no_steps() -> Dict[int, float]:
    return {}


def _no_outcomes() -> Dict[str, float]:
    return {}


@dataclass(frozen=True)
class Trial:
    """A trial as it was when it was looked at."""

    number: int  #: from 0
    state: TrialState
    params: Dict[str, Any]  #: by name, typed as the space says
    value: Optional[float] = None  #: COMPLETE; of several objectives the first
    reason: Optional[str] = None  #: FAIL, DELETED: why it failed; PRUNED: at which step, with what, by which rule
    worker: Optional[str] = None  #: who has or had it, where that is known
    pulls: int = 1  #: evaluations that it stands for
    datetime_start: Optional[datetime.datetime] = None  #: when it was asked for, in UTC
    datetime_complete: Optional[datetime.datetime] = None  #: when it was told, in UTC
    #: what it reported on its way, by step; PRUNED: the last one is what it came to
    intermediate_values: Dict[int, float] = field(default_factory=_no_steps)
    outcomes: Dict[str, float] = field(default_factory=_no_outcomes)  #: COMPLETE: all that it came to, by name
    feasible: bool = False  #: COMPLETE, and within the bounds of all constraints
    violation: Optional[float] = None  #: COMPLETE: how far outside of them, as <tacit/study.h> counts it

    @property
    def duration(self) -> Optional[datetime.timedelta]:
        """From ask to tell; None: not both are known."""
        if self.datetime_start is None or self.datetime_complete is None:
            return None
        return self.datetime_complete - self.datetime_start


@dataclass(frozen=True)
class Recommendation:
    """The trial to take, and why."""

    trial: Trial  #: by the model the first one at the point
    by: str  #: "model" or "seen"
    because: str  #: why by the model or not, to stand after this word
    mean: Optional[float] = None  #: by the model: of the function at the point, in units of the value
    sd: Optional[float] = None  #: its standard deviation

    @property
    def params(self) -> Dict[str, Any]:
        """The parameters of the trial."""
        return self.trial.params


@dataclass(frozen=True)
class Importance:
    """Sobol' indices of a parameter: shares of what the objective varies over the space. Ranges hold nine of ten
    functions that the model takes to be possible.
    """

    first: float  #: what the parameter does by itself
    first_range: Tuple[float, float]
    total: float  #: and together with others: 0 means that it does nothing
    total_range: Tuple[float, float]


def moment(milliseconds: int) -> Optional[datetime.datetime]:
    """Unix milliseconds as a time; None of 0, which means never."""
    if milliseconds == 0:
        return None
    epoch = datetime.datetime(1970, 1, 1, tzinfo=datetime.timezone.utc)
    return epoch + datetime.timedelta(milliseconds=milliseconds)
