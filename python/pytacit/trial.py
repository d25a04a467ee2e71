"""Trials: a point that was, is or will be evaluated, and what came of it."""

from __future__ import annotations

import datetime
import enum
from dataclasses import dataclass
from typing import Any, Dict, Optional, Union

#: The value of a parameter: a float, an int, a bool, or the text of a choice.
ParamValue = Union[float, int, bool, str]


class TrialState(enum.IntEnum):
    """Where a trial stands."""

    WAITING = 1  #: queued, not yet asked for
    RUNNING = 2  #: asked for, not yet told
    COMPLETE = 3  #: told, with a value
    FAIL = 4  #: told that it failed
    STALE = 5  #: given back or out of time: the next ask gets it

    def is_finished(self) -> bool:
        """Is it told?"""
        return self in (TrialState.COMPLETE, TrialState.FAIL)


@dataclass(frozen=True)
class Trial:
    """A trial as it was when it was looked at."""

    number: int  #: from 0
    state: TrialState
    params: Dict[str, Any]  #: by name, typed as the space says
    value: Optional[float] = None  #: COMPLETE
    reason: Optional[str] = None  #: FAIL: why
    worker: Optional[str] = None  #: who has or had it, where that is known
    pulls: int = 1  #: evaluations that it stands for
    datetime_start: Optional[datetime.datetime] = None  #: when it was asked for, in UTC
    datetime_complete: Optional[datetime.datetime] = None  #: when it was told, in UTC

    @property
    def duration(self) -> Optional[datetime.timedelta]:
        """From ask to tell; None: not both are known."""
        if self.datetime_start is None or self.datetime_complete is None:
            return None
        return self.datetime_complete - self.datetime_start


def moment(milliseconds: int) -> Optional[datetime.datetime]:
    """Unix milliseconds as a time; None of 0, which means never."""
    if milliseconds == 0:
        return None
    epoch = datetime.datetime(1970, 1, 1, tzinfo=datetime.timezone.utc)
    return epoch + datetime.timedelta(milliseconds=milliseconds)
