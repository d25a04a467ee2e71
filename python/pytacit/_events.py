"""Releases as events: what an accountant is told of them, in the words of Google's dp_accounting."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any, ClassVar, Dict, Iterable, List, Mapping, Optional, Sequence, Tuple, Union, cast

from ._library import call, ffi, lib, made_text, new, real, text, whole
#: How members are sampled. "poisson": each one independently, with the probability sampling_rate, which at 1 means that
#: everybody takes part. "fixed-size": a share sampling_rate, without replacement. "poisson-replaced": Poisson, charged
#: for replacing a member, which Event.replaced() makes of "poisson".
SAMPLINGS = {
    "poisson": lib.TACIT_DP_POISSON,
    "fixed-size": lib.TACIT_DP_FIXED_SIZE,
    "poisson-replaced": lib.TACIT_DP_POISSON_REPLACED,
}

#: As many different events are read from one JSON text.
MOST_EVENTS = 4096


class Event:
    """A release, or `count` releases that are alike: a mechanism, its noise, who takes part, and how often."""

    count: int
    mechanism: ClassVar[int]  #: its number in <tacit/privacy.h>

    def __post_init__(self) -> None:
        self._text()

    def to_json(self) -> Dict[str, Any]:
        """As dp_accounting names it: {"dp_event": "Gaussian", "noise_multiplier": 1.0}."""
        made: Dict[str, Any] = json.loads(self._text())
        return made

    def replaced(self) -> Event:
        """What an event that was described for adding or removing a member costs for replacing one."""
        made = new("tacit_dp_event *")
        call(lib.tacit_dp_event_replaced, write_events([self]), made)
        return read_event(made[0])

    def _text(self) -> str:
        return made_text(lib.tacit_dp_event_json, write_events([self]))

    def parts(self) -> Tuple[float, int, float]:
        """As the library takes it: the parameter, the number of the sampling, and the sampling rate."""
        raise NotImplementedError


class _Sampled(Event):
    """An event of a mechanism that may be sampled."""

    sampling_rate: float
    sampling: str

    def _parameter(self) -> float:
        raise NotImplementedError

    def parts(self) -> Tuple[float, int, float]:
        rate = real(self.sampling_rate, "sampling_rate")
        return self._parameter(), sampling_of(self.sampling, rate), rate


@dataclass(frozen=True)
class Gaussian(_Sampled):
    """Gaussian noise. noise_multiplier: its standard deviation over the L2 sensitivity."""

    noise_multiplier: float
    count: int = 1
    sampling_rate: float = 1.0
    sampling: str = "poisson"
    mechanism: ClassVar[int] = lib.TACIT_DP_GAUSSIAN

    def _parameter(self) -> float:
        return real(self.noise_multiplier, "noise_multiplier")


@dataclass(frozen=True, init=False)
class Laplace(_Sampled):
    """Laplace noise. epsilon: the L1 sensitivity over its scale, which is 1 / noise_multiplier of dp_accounting's.

    epsilon must be named in the call, so that it is not mistaken for that noise multiplier.
    """

    epsilon: float
    count: int = 1
    sampling_rate: float = 1.0
    sampling: str = "poisson"
    mechanism: ClassVar[int] = lib.TACIT_DP_LAPLACE

    def __init__(
        self, *, epsilon: float, count: int = 1, sampling_rate: float = 1.0, sampling: str = "poisson"
    ) -> None:
        given = {"epsilon": epsilon, "count": count, "sampling_rate": sampling_rate, "sampling": sampling}
        for name, value in given.items():
            object.__setattr__(self, name, value)
        self.__post_init__()

    def _parameter(self) -> float:
        return real(self.epsilon, "epsilon")


@dataclass(frozen=True)
class Pure(_Sampled):
    """Any mechanism with a pure epsilon, such as randomised response."""

    epsilon: float
    count: int = 1
    sampling_rate: float = 1.0
    sampling: str = "poisson"
    mechanism: ClassVar[int] = lib.TACIT_DP_PURE

    def _parameter(self) -> float:
        return real(self.epsilon, "epsilon")


@dataclass(frozen=True)
class NonPrivate(Event):
    """A release without any guarantee: NOT PRIVATE, and nothing that it is part of has an epsilon."""

    count: int = 1
    mechanism: ClassVar[int] = lib.TACIT_DP_NONPRIVATE

    def parts(self) -> Tuple[float, int, float]:
        return 0.0, lib.TACIT_DP_ALL, 1.0


@dataclass(frozen=True)
class Renyi(Event):
    """A release of which nothing is known but its Renyi divergence at one order, such as a private search."""

    order: int  #: from 2 to 1024
    divergence: float
    count: int = 1
    mechanism: ClassVar[int] = lib.TACIT_DP_RENYI

    def parts(self) -> Tuple[float, int, float]:
        order = max(1, whole(self.order, "order"))
        return real(self.divergence, "divergence"), lib.TACIT_DP_ALL, 1 / order


#: One event, or several that happen one after the other.
Events = Union[Event, Iterable[Event]]


# ---- to and from the library


def sampling_of(sampling: str, rate: float) -> int:
    """The number of a way of sampling. At rate 1 everybody takes part, but a fixed-size sample speaks of replacing."""
    if sampling not in SAMPLINGS:
        raise ValueError(f"sampling must be one of {', '.join(SAMPLINGS)}, got {sampling!r}")
    if sampling == "poisson" and rate == 1:
        return lib.TACIT_DP_ALL
    return SAMPLINGS[sampling]


def listed(events: Events, what: str = "events") -> List[Event]:
    """Events as a list of their own."""
    given: Any = events
    made: List[Any] = list(given) if hasattr(given, "__iter__") else [given]
    for event in made:
        if not isinstance(event, Event):
            raise TypeError(f"{what} must be an event such as Gaussian(1.0), or several, got {type(event).__name__}")
    return made


def write_events(events: Sequence[Event]) -> Any:
    """An array of tacit_dp_event; NULL of none."""
    made = new("tacit_dp_event[]", len(events)) if events else ffi.NULL
    for i, event in enumerate(events):
        parameter, sampling, rate = event.parts()
        made[i].mechanism, made[i].parameter = event.mechanism, parameter
        made[i].sampling, made[i].sampling_rate = sampling, rate
        made[i].count = whole(event.count, "count")
    return made


def read_event(e: Any) -> Event:
    """Of a tacit_dp_event."""
    if e.mechanism == lib.TACIT_DP_RENYI:
        return Renyi(order=round(1 / e.sampling_rate), divergence=e.parameter, count=e.count)
    if e.mechanism == lib.TACIT_DP_NONPRIVATE:
        return NonPrivate(e.count)
    how = next((name for name, number in SAMPLINGS.items() if number == e.sampling), "poisson")
    more: Dict[str, Any] = {"count": e.count, "sampling_rate": e.sampling_rate, "sampling": how}
    if e.mechanism == lib.TACIT_DP_GAUSSIAN:
        return Gaussian(e.parameter, **more)
    if e.mechanism == lib.TACIT_DP_LAPLACE:
        return Laplace(epsilon=e.parameter, **more)
    return Pure(e.parameter, **more)


# ---- what other libraries write


def from_json(event: Union[str, Mapping[str, Any]]) -> List[Event]:
    """The events of a dp_event of dp_accounting's, JSON text or a dictionary: the different ones with their counts.

    Gaussian, Laplace, NoOp, NonPrivate, PoissonSampled, SelfComposed and Composed, of any depth, each also with its
    ending DpEvent. What is unknown is an ArgumentError, by its path.
    """
    written = event if isinstance(event, str) else json.dumps(_plain(event))
    made, n = new("tacit_dp_event[]", MOST_EVENTS), new("size_t *")
    call(lib.tacit_dp_event_parse, text(written, "event"), made, MOST_EVENTS, n)
    return [read_event(made[i]) for i in range(n[0])]


def from_dp_accounting(event: Any) -> List[Event]:
    """The events of a DpEvent of dp_accounting's; what it is made of is as in from_json."""
    if not hasattr(event, "to_named_tuple"):
        raise TypeError(f"event must be a DpEvent of dp_accounting's, got {type(event).__name__}")
    return from_json(_plain(event.to_named_tuple()))


class TrainingSteps(List[Event]):
    """The steps of a private trainer: they are about its training records, and described for adding or removing one."""


def about(events: Any, unit: Optional[str], relation: Optional[str]) -> Tuple[str, Optional[str]]:
    """Whose data events are about, and which neighbours are meant, where the caller does not say."""
    if isinstance(events, TrainingSteps):
        return unit or "record", relation or "add-remove"
    return unit or "agent", relation


def from_opacus(accountant: Any) -> List[Event]:
    """The steps that an accountant of Opacus's has counted: of privacy_engine.accountant, or of its state_dict().

    What they cost is a record's, where one is added or removed; account(steps, relation="replace-one") is for replacing
    one. Where they are part of a longer list of events, say so yourself: unit="record", relation="add-remove".
    """
    history = accountant.get("history") if hasattr(accountant, "get") else getattr(accountant, "history", None)
    if not isinstance(history, (list, tuple)):
        kind = type(accountant).__name__
        raise TypeError(f"accountant must be an accountant of Opacus's or its state_dict(), got {kind}")
    steps = cast("Sequence[Tuple[float, float, int]]", history)
    return TrainingSteps(Gaussian(noise, count=count, sampling_rate=rate) for noise, rate, count in steps)


def _plain(value: Any) -> Any:
    """Named tuples, of which dp_accounting makes its exports, as dictionaries."""
    if hasattr(value, "_asdict"):
        value = value._asdict()
    if isinstance(value, Mapping):
        return {str(key): _plain(member) for key, member in cast("Mapping[Any, Any]", value).items()}
    if isinstance(value, (list, tuple)):
        return [_plain(member) for member in cast("Sequence[Any]", value)]
    return value


# ---- a cap


def check_within(reported: Events, cap: Events) -> None:
    """Is what a trainer reports within what was declared before, so that what holds for the cap holds for it?

    BudgetError names the event that is not. A report must not decide what is charged, since it was made in view of
    data: charge the cap, and refuse a report that is not within it.
    """
    told, most = listed(reported, "reported"), listed(cap, "cap")
    call(lib.tacit_dp_event_within, write_events(told), len(told), write_events(most), len(most))
