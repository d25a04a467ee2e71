"""What a promise of privacy costs, and whether it is kept: `tacit privacy` from Python.

    from pytacit import privacy

    training = privacy.Gaussian(1.1, count=1000, sampling_rate=0.01)
    print(privacy.account(training, delta=1e-5, unit="record", relation="add-remove"))
    print(privacy.calibrate(epsilon=1, delta=1e-5, releases=40))
    print(privacy.plan("ward.json"))
    print(privacy.tune(training, trials=10, delta=1e-5))
    print(privacy.read_ledger("sqlite:///agent.db").spent("agent", delta=1e-5))

Every epsilon is a proved upper bound, by the library, and comes with its statement: whose data, which two data sets are
hard to tell apart, and what is not protected. What is not private says NOT PRIVATE, and its epsilon is infinite.
"""

from __future__ import annotations

import json
import math
import os
import threading
from dataclasses import dataclass
from typing import Any, Dict, List, Mapping, Optional, Tuple, Union, cast

from ._events import (
    Event,
    Events,
    Gaussian,
    Laplace,
    NonPrivate,
    Pure,
    Renyi,
    check_within,
    from_dp_accounting,
    from_json,
    about,
    from_opacus,
    listed,
    read_event,
    sampling_of,
    write_events,
)
from ._guarantee import (
    Guarantee,
    Scope,
    delta_default,
    delta_of,
    delta_text,
    epsilon_text,
    lower_text,
    one_of,
    read_guarantee,
    warn_of_delta,
)
from ._ledger import Head, Ledger, LedgerEntry, Spent, get_all_ledger_names, import_ledger, read_ledger
from ._library import Handle, as_json, call, ffi, lib, made_text, new, out, owned, real, string, struct, text, whole
from .errors import UnsupportedError
from .study import Study, study_document

__all__ = [
    "Calibration",
    "Event",
    "Filter",
    "Gaussian",
    "Guarantee",
    "Head",
    "Laplace",
    "Ledger",
    "LedgerEntry",
    "NonPrivate",
    "Plan",
    "PlannedRelease",
    "Pure",
    "Renyi",
    "Spent",
    "Tuning",
    "account",
    "account_all",
    "accountants",
    "analytic_gaussian",
    "calibrate",
    "calibrate_tune",
    "check_within",
    "delta_default",
    "delta_text",
    "epsilon_text",
    "from_dp_accounting",
    "from_json",
    "from_opacus",
    "get_all_ledger_names",
    "import_ledger",
    "lower_text",
    "noise_gaussian",
    "noise_laplace",
    "plan",
    "read_ledger",
    "study_document",
    "tune",
]


# ---- accounting


def accountants() -> List[str]:
    """The names of the accountants, best first."""
    names: List[str] = []
    while (name := string(lib.tacit_accountants()[len(names)])) is not None:
        names.append(name)
    return names


def account(
    events: Events,
    delta: Optional[float] = None,
    accountant: Optional[str] = None,
    *,
    members: Optional[int] = None,
    unit: Optional[str] = None,
    relation: Optional[str] = None,
) -> Guarantee:
    """What events cost together: the epsilon at delta, with its statement.

    delta: None is min(1e-5, 1/N^2) of N members. accountant: one of accountants(); None is the best, "pld".
    unit: whose data the statement speaks of, "agent", "row", "user" or "record"; None: "record" for from_opacus(...), else
    "agent". relation: "add-remove" or
    "replace-one" states which neighbours are meant; events are then described for adding or removing a member, as
    private trainers describe theirs. None: "add-remove" for from_opacus(...), else those of the unit.
    """
    scope = Scope(listed(events), *about(events, unit, relation))
    return scope.account(delta_of(delta, members), accountant)


def account_all(
    events: Events,
    delta: Optional[float] = None,
    *,
    members: Optional[int] = None,
    unit: Optional[str] = None,
    relation: Optional[str] = None,
) -> Dict[str, Guarantee]:
    """What events cost together by every accountant that has a formula for them. Arguments are as in account."""
    scope, chosen = Scope(listed(events), *about(events, unit, relation)), delta_of(delta, members)
    made: Dict[str, Guarantee] = {}
    for name in accountants():
        try:
            made[name] = scope.account(chosen, name)
        except UnsupportedError:
            pass  # it has no formula for one of the events
    return made


# ---- the noise that a promise needs


@dataclass(frozen=True)
class Calibration:
    """The least noise that keeps a promise. str() of it is the noise multiplier and the statement."""

    noise_multiplier: float
    event: Gaussian  #: the releases with that noise
    guarantee: Guarantee  #: what they cost

    def __str__(self) -> str:
        return f"Noise multiplier {epsilon_text(self.noise_multiplier)}: {self.guarantee}"


def _gaussian_of(noise: float, count: int, sampling_rate: float, sampling: str) -> Gaussian:
    """Gaussian releases as a caller described them: with "poisson" or "fixed-size" sampling."""
    if sampling not in ("poisson", "fixed-size"):
        raise ValueError(f"sampling must be one of poisson, fixed-size, got {sampling!r}")
    return Gaussian(noise, count=whole(count, "releases"), sampling_rate=sampling_rate, sampling=sampling)


def calibrate(
    epsilon: float,
    delta: Optional[float] = None,
    releases: int = 1,
    sampling_rate: float = 1.0,
    *,
    sampling: str = "poisson",
    accountant: Optional[str] = None,
    members: Optional[int] = None,
    unit: str = "agent",
    relation: Optional[str] = None,
) -> Calibration:
    """The least noise multiplier with which Gaussian releases stay within (epsilon, delta): to a relative 1e-6, and
    never too small.

    sampling: "poisson" or "fixed-size". With a relation it is what a private trainer is told. The rest is as in
    account. NumericError: no noise multiplier up to 1e6 is enough.
    """
    described = _gaussian_of(1.0, releases, sampling_rate, sampling)
    scope, chosen = Scope([described], unit, relation), delta_of(delta, members)
    replaced = relation == "replace-one" and sampling == "poisson"
    kind = lib.TACIT_DP_POISSON_REPLACED if replaced else sampling_of(sampling, described.sampling_rate)
    noise, named = new("double *"), text(accountant, "accountant")
    asked = real(epsilon, "epsilon")
    call(lib.tacit_calibrate, named, asked, chosen, kind, sampling_rate, scope.releases, noise)
    event = _gaussian_of(noise[0], releases, sampling_rate, sampling)
    return Calibration(noise[0], event, Scope([event], unit, relation).account(chosen, accountant))


def analytic_gaussian(epsilon: float, delta: float) -> float:
    """The least standard deviation for one Gaussian release of sensitivity 1 (Balle and Wang 2018)."""
    sd = new("double *")
    call(lib.tacit_analytic_gaussian, real(epsilon, "epsilon"), real(delta, "delta"), sd)
    return float(sd[0])


# ---- the best of several runs


@dataclass(frozen=True)
class Tuning:
    """What a search costs: the best of a random number K of private runs. str() of it is the statement, which says what
    has to hold."""

    guarantee: Guarantee  #: of the winner, by "rdp"
    one_run: Guarantee  #: of a single run
    run: Tuple[Event, ...]  #: the events of one run
    trials: float  #: the mean of K
    distribution: str  #: of K: "negative-binomial" or "poisson"
    shape: Optional[float]  #: of the negative binomial
    noise_multiplier: Optional[float] = None  #: calibrate_tune: the least one that keeps the promise

    def __str__(self) -> str:
        return str(self.guarantee)


_DISTRIBUTIONS: Dict[str, int] = {
    "negative-binomial": lib.TACIT_REPEATS_NEGATIVE_BINOMIAL,
    "poisson": lib.TACIT_REPEATS_POISSON,
}


def _repeats(trials: float, distribution: str, shape: Optional[float]) -> Any:
    repeats = struct("tacit_repeats")
    repeats.kind = one_of(distribution, _DISTRIBUTIONS, "distribution")
    repeats.mean = real(trials, "trials")
    if not 1 <= repeats.mean <= 1e9:
        raise ValueError(f"trials must be the mean of a number of runs, from 1 to 1e9, got {trials}")
    usual = 1.0 if distribution == "negative-binomial" else 0.0
    repeats.shape = usual if shape is None else real(shape, "shape")
    return repeats


def tune(
    run: Events,
    trials: float,
    delta: Optional[float] = None,
    *,
    distribution: str = "negative-binomial",
    shape: Optional[float] = None,
    members: Optional[int] = None,
    unit: Optional[str] = None,
    relation: Optional[str] = None,
) -> Tuning:
    """What the best of a random number of private runs costs (Papernot and Steinke, ICLR 2022).

    run: the events of one run, its private score included. trials: the mean of the number of runs. distribution: of
    that number, "negative-binomial" (1 or more) or "poisson". shape: of the negative binomial: 1, the usual one, is
    geometric, 0 is logarithmic; smaller is cheaper, and spread wider. The rest is as in account.

    The statement names what must hold, above all: the number of runs stays secret, runs that fail are not repeated, and
    nothing but the winner leaves. Bayesian optimization is not such a search, since its runs depend on each other.
    """
    events = listed(run, "run")
    scope, chosen = Scope(events, *about(run, unit, relation)), delta_of(delta, members)
    return _tuning(scope, events, _repeats(trials, distribution, shape), chosen)


def calibrate_tune(
    epsilon: float,
    trials: float,
    delta: Optional[float] = None,
    releases: int = 1,
    sampling_rate: float = 1.0,
    *,
    sampling: str = "poisson",
    distribution: str = "negative-binomial",
    shape: Optional[float] = None,
    members: Optional[int] = None,
) -> Tuning:
    """The least noise multiplier with which the best of a random number of private runs stays within (epsilon, delta).

    One run makes so many Gaussian releases. Arguments are as in calibrate and tune; the unit is "agent".
    """
    described = _gaussian_of(1.0, releases, sampling_rate, sampling)
    Scope([described], "agent", None)
    chosen, repeats = delta_of(delta, members), _repeats(trials, distribution, shape)
    kind, noise = sampling_of(sampling, described.sampling_rate), new("double *")
    asked = real(epsilon, "epsilon")
    call(lib.tacit_calibrate_best_of, repeats, asked, chosen, kind, sampling_rate, described.count, noise)
    run: List[Event] = [_gaussian_of(noise[0], releases, sampling_rate, sampling)]
    return _tuning(Scope(run, "agent", None), run, repeats, chosen, noise[0])


def _tuning(
    scope: Scope, run: List[Event], repeats: Any, delta: float, noise_multiplier: Optional[float] = None
) -> Tuning:
    g = struct("tacit_guarantee")
    call(lib.tacit_account_best_of, repeats, write_events(scope.events), len(scope.events), delta, g)
    counted = repeats.kind == lib.TACIT_REPEATS_POISSON
    return Tuning(
        guarantee=read_guarantee(g, made_text(lib.tacit_statement_best_of, g, repeats)),
        one_run=scope.account(delta, "rdp"),
        run=tuple(run),
        trials=repeats.mean,
        distribution="poisson" if counted else "negative-binomial",
        shape=None if counted else repeats.shape,
        noise_multiplier=noise_multiplier,
    )


# ---- what a study plans


@dataclass(frozen=True)
class PlannedRelease:
    """A release that a study plans."""

    round: int
    about: str  #: what agents send in it; "": all releases are about the same
    event: Event
    epsilon: Optional[float]  #: of this one alone; None: there are too many to account for each
    epsilon_so_far: Optional[float]


@dataclass(frozen=True)
class Plan:
    """What a study plans. str() of it is the statement, and what the study may gain."""

    releases: List[PlannedRelease]  #: in the order of rounds
    unit: str  #: who pays
    epsilon: float  #: of all releases, or of the dearest where each is about others; 0: none; inf: NOT PRIVATE
    delta: float  #: of the document, or delta_default of its agents
    accountant: Optional[str]  #: whose bound it is; None: nothing is released
    not_private: Optional[str]  #: why what agents send is not private; None: it is
    statement: str
    lengthscale: Optional[float]  #: the usual one of the space, where none is given and agents do not vote on one
    lengthscale_sentence: Optional[str]
    #: What the study may gain at best over agents that work alone, if their functions are alike: {"gain", "reason",
    #: "left_open", "ratios", "sentence"}. None: its algorithm has nothing to say.
    expect: Optional[Dict[str, Any]]
    expect_sentence: Optional[str]
    #: Who adds up what agents send and deals the noise, what a round can do without, and its bytes: {"count", "degree",
    #: "colluding", "dealers", "absent", "noticed", "named", "noise", "bytes"}. None: the coordinator.
    trustees: Optional[Dict[str, Any]] = None
    trustees_sentence: Optional[str] = None
    trust: Optional[str] = None  #: towards whom what agents send is protected; None: it is not, or the noise comes before

    def __str__(self) -> str:
        said = (self.statement, self.trustees_sentence, self.lengthscale_sentence, self.expect_sentence)
        return "\n\n".join(sentence for sentence in said if sentence)


def plan(study: Union[Study, Mapping[str, Any], str, "os.PathLike[str]"]) -> Plan:
    """What a federated study plans, or one that protects records: its releases, and what they cost. Nothing is spent.

    study: a study document as a dictionary (study_document makes one), or its file; or a pytacit.Study.
    """
    document = _document_of(study)
    planned = out(lib.tacit_plan_new, "tacit_plan *", lib.tacit_plan_free, document)
    call(lib.tacit_plan_cost, planned)
    made = _read_plan(planned)
    agents = lib.tacit_document_agents(document)
    if agents > 0:
        warn_of_delta(made.delta, agents, 3)
    return made


def _document_of(study: Any) -> Any:
    if isinstance(study, Study):
        handle = study._open()  # pyright: ignore[reportPrivateUsage]
        return owned(lib.tacit_study_document(handle), lambda _document: None, keep=handle)
    if isinstance(study, Mapping):
        read, given = lib.tacit_document_parse, text(as_json(study, ""), "study")
    elif isinstance(study, (str, os.PathLike)):
        read, given = lib.tacit_document_read, text(cast("Union[str, os.PathLike[str]]", study), "study")
    else:
        raise TypeError(f"study must be a dictionary, a file or a Study, got {type(study).__name__}")
    return out(read, "tacit_document *", lib.tacit_document_free, given)


def _read_plan(planned: Any) -> Plan:
    summary = lib.tacit_plan_summarize(planned)
    releases: List[PlannedRelease] = []
    not_private = string(summary.not_private) or None
    while (release := lib.tacit_plan_get(planned, len(releases))) != ffi.NULL:
        releases.append(_read_release(release, not_private is not None))
    expect, trustees = string(summary.expect), string(summary.trustees)
    return Plan(
        releases=releases,
        unit=string(lib.tacit_unit_name(summary.unit)) or "",
        epsilon=math.inf if not_private and releases else summary.epsilon,
        delta=summary.delta,
        accountant=string(summary.accountant),
        not_private=not_private,
        statement=string(summary.statement) or "",
        lengthscale=summary.lengthscale or None,
        lengthscale_sentence=string(summary.lengthscale_sentence) or None,
        expect=json.loads(expect) if expect else None,
        expect_sentence=string(summary.expect_sentence),
        trustees=json.loads(trustees) if trustees else None,
        trustees_sentence=string(summary.trustees_sentence),
        trust=string(summary.trust),
    )


def _read_release(release: Any, is_open: bool) -> PlannedRelease:
    def price(epsilon: float) -> Optional[float]:
        return None if math.isnan(epsilon) else math.inf if is_open else epsilon

    return PlannedRelease(
        round=release.round,
        about=string(release.about) or "",
        event=read_event(release.event),
        epsilon=price(release.epsilon),
        epsilon_so_far=price(release.epsilon_so_far),
    )


# ---- spending that adapts


class Filter(Handle):
    """A budget for releases whose parameters are chosen in view of earlier ones: whatever it lets pass is
    (epsilon, delta)-DP together. Several threads may use it."""

    def __init__(self, epsilon: float, delta: float) -> None:
        self._lock = threading.Lock()
        limits = real(epsilon, "epsilon"), real(delta, "delta")
        self._handle = out(lib.tacit_filter_new, "tacit_filter *", lib.tacit_filter_free, *limits)

    def would(self, event: Event) -> float:
        """The share of the budget that would be left after this release; nothing is spent. BudgetError: too much."""
        left = new("double *")
        with self._lock:
            call(lib.tacit_filter_would, self._handle, write_events(listed(event, "event")), left)
        return float(left[0])

    def spend(self, event: Event) -> None:
        """Spends, before the release is made. BudgetError: it does not fit, and nothing is spent."""
        with self._lock:
            call(lib.tacit_filter_spend, self._handle, write_events(listed(event, "event")))

    @property
    def remaining(self) -> float:
        """The share of the budget that is left, from 0 to 1."""
        with self._lock:
            return float(lib.tacit_filter_remaining(self._handle))


# ---- noise


def noise_gaussian(sd: int, n: int) -> List[int]:
    """n independent draws of P(x) ~ exp(-x^2 / (2 sd^2)) on the integers, exact, from fresh entropy of the system.

    What the noise costs says <tacit/privacy.h>. Draw before data are read: how long it takes depends on the draws.
    """
    return _draw(lib.tacit_sample_discrete_gaussian, whole(sd, "sd"), n)


def noise_laplace(scale: int, n: int) -> List[int]:
    """n independent draws of P(x) ~ exp(-|x| / scale) on the integers; as noise_gaussian."""
    return _draw(lib.tacit_sample_discrete_laplace, whole(scale, "scale"), n)


def _draw(function: Any, scale: int, n: int) -> List[int]:
    n = whole(n, "n", 2**40)
    drawn = new("int64_t[]", n)
    call(function, scale, n, drawn)
    return list(ffi.unpack(drawn, n))
