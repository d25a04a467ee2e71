"""What every promise is made of: whose data, which two data sets are neighbours, at which delta, and the sentences."""

from __future__ import annotations

import math
import warnings
from dataclasses import dataclass
from typing import Any, Dict, List, Optional, Tuple

from ._events import SAMPLINGS, Event, write_events
from ._library import call, lib, made_text, new, real, string, struct, text, whole
#: Whose data are protected.
UNITS: Dict[str, int] = {
    "agent": lib.TACIT_UNIT_AGENT,
    "row": lib.TACIT_UNIT_ROW,
    "user": lib.TACIT_UNIT_USER,
    "record": lib.TACIT_UNIT_RECORD,
}

#: Relations between neighbours that may be stated; events are then described for adding or removing a member.
RELATIONS: Dict[str, int] = {
    "add-remove": lib.TACIT_RELATION_ADD_REMOVE,
    "replace-one": lib.TACIT_RELATION_REPLACE_ONE,
}


@dataclass(frozen=True)
class Guarantee:
    """What releases cost together. str() of it is its statement, with epsilon rounded up."""

    epsilon: float  #: a proved upper bound; inf: NOT PRIVATE
    lower: float  #: a proved lower bound on the tight value; 0: none is known
    delta: float  #: as asked; 0 for "pure"
    accountant: str  #: whose bound it is
    order: Optional[float]  #: of "rdp" and "moments": the order that gave it
    statement: str  #: whose data, epsilon, delta, which two data sets are hard to tell apart, what is not protected

    def __str__(self) -> str:
        return self.statement


def read_guarantee(g: Any, statement: str) -> Guarantee:
    """Of a tacit_guarantee."""
    return Guarantee(
        epsilon=g.epsilon,
        lower=g.lower,
        delta=g.delta,
        accountant=string(g.accountant) or "",
        order=g.order if g.order > 0 else None,
        statement=statement if math.isfinite(g.epsilon) else f"NOT PRIVATE: {statement}",
    )


# ---- numbers for the reader


def _shown(function: Any, number: float, what: str) -> str:
    digits = new("char[32]")
    function(digits, real(number, what))
    return string(digits) or ""


def epsilon_text(epsilon: float) -> str:
    """Six digits for the reader, rounded up: read back, they are no less than epsilon. "infinite": no guarantee."""
    return _shown(lib.tacit_epsilon_text, epsilon, "epsilon")


def delta_text(delta: float) -> str:
    """Six digits for the reader, rounded up."""
    return _shown(lib.tacit_delta_text, delta, "delta")


def lower_text(bound: float) -> str:
    """Six digits of a lower bound for the reader, rounded down."""
    return _shown(lib.tacit_lower_text, bound, "bound")


# ---- arguments


def one_of(value: str, known: Dict[str, int], what: str) -> int:
    """The number of a name."""
    if value not in known:
        raise ValueError(f"{what} must be one of {', '.join(known)}, got {value!r}")
    return known[value]


def delta_default(members: int) -> float:
    """The delta to take for so many members: min(1e-5, 1/N^2)."""
    members = whole(members, "members")
    if members == 0:
        raise ValueError("members must be 1 or more, got 0")
    return float(lib.tacit_delta_default(members))


def delta_of(delta: Optional[float], members: Optional[int]) -> float:
    """The delta to use. At 1/N for N members, or above, it is refused; above 1/N^2 it is warned of."""
    if delta is None and members is None:
        raise ValueError("a delta is needed: give delta, or members=N for min(1e-5, 1/N^2)")
    if members is None:
        return real(delta, "delta")
    usual = delta_default(members)
    chosen = usual if delta is None else real(delta, "delta")
    call(lib.tacit_delta_check, text("delta", "field"), chosen, members)
    warn_of_delta(chosen, members, 4)
    return chosen


def warn_of_delta(delta: float, members: int, stacklevel: int) -> None:
    """Says that a delta is above 1/N^2, if it is."""
    if lib.tacit_delta_is_large(delta, members):
        what = f"delta {delta:g} is above 1/N^2 = {1 / members**2:g} for {members} members"
        warnings.warn(what, stacklevel=stacklevel)


# ---- events, and what they speak of


class Scope:
    """Whose data events are about, and which two data sets are neighbours: what they are accounted and stated for."""

    def __init__(self, events: List[Event], unit: str, relation: Optional[str]) -> None:
        self.unit = one_of(unit, UNITS, "unit")
        self.relation = None if relation is None else one_of(relation, RELATIONS, "relation")
        self.samplings = {str(getattr(event, "sampling", "poisson")) for event in events}
        self.releases = sum(event.count for event in events)
        self._check(events)
        self.events = [event.replaced() for event in events] if relation == "replace-one" else events

    def _check(self, events: List[Event]) -> None:
        for event in events:
            sampling, rate = self._sampling(event)
            if self.relation is None or sampling == "fixed-size":
                call(lib.tacit_unit_check, self.unit, rate)
            if self.relation == RELATIONS["add-remove"] and sampling != "poisson":
                raise ValueError(
                    f'sampling "{sampling}" is about replacing a member; it has no guarantee for relation="add-remove"'
                )
        if self.relation is None and "poisson-replaced" in self.samplings and len(self.samplings) > 1:
            raise ValueError(
                'events with sampling "poisson-replaced" are about replacing a member and the others are not: describe '
                'all of them for adding or removing one, and give relation="replace-one"'
            )

    @staticmethod
    def _sampling(event: Event) -> Tuple[str, float]:
        return str(getattr(event, "sampling", "poisson")), float(getattr(event, "sampling_rate", 1.0))

    def statement(self, g: Any) -> str:
        """The sentences of a tacit_guarantee of these events."""
        if self.relation is not None and "fixed-size" not in self.samplings:
            return made_text(lib.tacit_statement_of, g, self.releases, self.unit, self.relation)
        related = [how for how in ("fixed-size", "poisson-replaced") if how in self.samplings]
        sampling = SAMPLINGS[related[0]] if related else lib.TACIT_DP_ALL
        return made_text(lib.tacit_statement, g, self.releases, self.unit, sampling)

    def account(self, delta: float, accountant: Optional[str] = None) -> Guarantee:
        """What the events cost together."""
        g, named = struct("tacit_guarantee"), text(accountant, "accountant")
        call(lib.tacit_account, named, write_events(self.events), len(self.events), delta, g)
        return read_guarantee(g, self.statement(g))
