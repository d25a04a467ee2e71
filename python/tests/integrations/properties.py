"""What holds whatever Python passes to pytacit: a call works, or raises an exception with a sentence.

test_hypothesis.py runs each of these in a process of its own, so that a crash is a failed test.
"""

from __future__ import annotations

import math
import os
import sys
import threading
from typing import Any, Dict, List, Optional

from anything import Evil, EvilBase, EvilText, EvilValue, anything, mostly, names, numbers, sensible, texts
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

import pytacit
from pytacit import CategoricalDistribution, FloatDistribution, IntDistribution, TrialState

examples = int(os.environ.get("PYTACIT_EXAMPLES", 0))
settings.register_profile(
    "pytacit",
    max_examples=examples or 80,
    stateful_step_count=30,
    derandomize=not examples,
    deadline=None,
    database=None,
    print_blob=True,
    suppress_health_check=list(HealthCheck),
)
settings.load_profile("pytacit")

SPACE = {
    "x": FloatDistribution(-5, 5),
    "n": IntDistribution(1, 64, log=True),
    "kind": CategoricalDistribution(["plain", "odd one"]),
}


def small(**more: Any) -> pytacit.Study:
    return pytacit.create_study("s", SPACE, "minimize", "memory:", algorithm="random", seed=1, trials=6, **more)


def bowl(params: Dict[str, Any]) -> float:
    return (params["x"] - 2) ** 2 + (params["kind"] == "odd one")


# ---- creating

distributions = st.one_of(
    st.builds(FloatDistribution, mostly(0, -1.5), mostly(1, 2.5), mostly(False, True), mostly(None, 0.5)),
    st.builds(IntDistribution, mostly(0, 1), mostly(10, 2**40), mostly(False, True), mostly(1, 3)),
    st.builds(CategoricalDistribution, mostly(["a", "b"], ("a",), ["ä", "💥"], [], [1, 2], [None])),
    st.dictionaries(names("type", "low", "high", "choices", "log", "step"), mostly("float", "int", 0, 1), max_size=5),
    anything,
)
spaces = st.dictionaries(texts | st.sampled_from(["x", "y"]), distributions, max_size=4) | mostly(SPACE)
ALGORITHMS = ["gp-ei", "random", "sobol", "ts", None, {"name": "gp-ei", "init": 3}, {"name": "random"}, "fts", "blin", "ldp-gp"]
PRIVACY = [None, "none", {"unit": "record", "epsilon": 1, "delta": 1e-5, "metric": "error"}, {"epsilon": 5, "delta": 0.01}]
STORAGES = ["memory:", "memory:", "sqlite:///x.db", "sqlite:///", "sqlite:", "file:x", "https://127.0.0.1:1", "https://", ""]


def use(study: Optional[pytacit.Study]) -> None:
    """A study that could be created can be worked on."""
    if study is None:
        return
    trial = sensible(study.ask)
    if trial is not None:
        assert study.get_trial(trial.number).params == trial.params
        sensible(lambda: study.tell(trial, 1.5))
        assert sensible(lambda: study.get_trial(trial.number)) is not None
    assert study.document["name"] == study.study_name
    study.close()


def fresh() -> None:
    for file in os.listdir("."):
        if os.path.isfile(file):
            os.unlink(file)


@given(mostly("s", "ä b"), spaces, mostly("minimize", "maximize"))
def test_spaces(name: Any, space: Any, direction: Any) -> None:
    use(sensible(lambda: pytacit.create_study(name, space, direction, "memory:", algorithm="random")))


@given(st.fixed_dictionaries({}, optional={
    "algorithm": mostly(*ALGORITHMS), "trials": mostly(5, None), "seed": mostly(1, None), "privacy": mostly(*PRIVACY),
    "token": mostly(None, "t" * 43), "fingerprint": mostly(None, "sha256//" + "A" * 43 + "="), "threads": mostly(0, 1, -1),
}), mostly(*STORAGES), mostly(-1, -0.5))  # fmt: skip
def test_options_of_a_study(options: Dict[str, Any], storage: Any, patience: Any) -> None:
    fresh()
    if isinstance(patience, (int, float)) and patience >= 0 and isinstance(storage, str) and "http" in storage:
        patience = -1  # it would be waited for
    use(sensible(lambda: pytacit.create_study("s", SPACE, "minimize", storage, patience_s=patience, **options)))
    sensible(lambda: pytacit.load_study("s", storage, patience_s=-1, token=options.get("token")))
    sensible(lambda: pytacit.get_all_study_names(storage, token=options.get("token")) if storage != "https://127.0.0.1:1" else None)


@given(mostly("s", "t", "ä"), mostly("memory:", "sqlite:///x.db"))
def test_names(name: Any, storage: Any) -> None:
    fresh()
    small()
    sensible(lambda: pytacit.load_study(name, "memory:"))
    sensible(lambda: pytacit.delete_study(name, "memory:"))
    sensible(lambda: pytacit.get_all_study_names(storage))
    use(sensible(lambda: pytacit.create_study(name, SPACE, "minimize", "sqlite:///x.db", algorithm="random")))
    if isinstance(name, str):
        assert sensible(lambda: pytacit.get_all_study_names("sqlite:///x.db")) in (None, [], [name])


# ---- asking and telling


@given(mostly(None, "w"), mostly(None, 1, 60, 1e9))
def test_ask(worker: Any, lease_s: Any) -> None:
    study = small()
    trial = sensible(lambda: study.ask(worker, lease_s))
    if trial is not None:
        assert trial.state is TrialState.RUNNING and set(trial.params) == set(SPACE)


params = st.dictionaries(names("x", "n", "kind"), mostly(0.5, 1, "plain"), max_size=4) | mostly(
    {"x": 1, "n": 3, "kind": "plain"}, {"x": 1e-320, "n": 64, "kind": "odd one"}
)


@given(
    mostly(0), mostly(1.5, None), mostly(None, TrialState.FAIL, TrialState.COMPLETE, TrialState.STALE),
    mostly(None, "why"), st.none() | params, mostly(0.0, 0.1),
)  # fmt: skip
def test_tell(trial: Any, value: Any, state: Any, reason: Any, point: Any, noise_sd: Any) -> None:
    study = small()
    study.ask()
    sensible(lambda: study.tell(trial, value, state, reason=reason, params=point, noise_sd=noise_sd))
    found = study.trials
    assert len(found) == 1 and found[0].state in (TrialState.RUNNING, TrialState.COMPLETE, TrialState.FAIL)
    assert found[0].value is None or math.isfinite(found[0].value)


@given(params, anything, anything)
def test_looking(point: Any, number: Any, state: Any) -> None:
    study = small()
    enqueued = sensible(lambda: study.enqueue_trial(point))
    assert len(study.trials) == (enqueued is not None)
    if enqueued is not None:
        assert study.ask().params == study.get_trial(enqueued).params
    sensible(lambda: study.get_trial(number))
    sensible(lambda: study.get_trials(state))
    sensible(lambda: study.best_trial)
    sensible(study.stop)


RECORDS = {
    "records": mostly(1000), "class_floor": mostly(0, 10), "per_person": mostly(0, 1, 2), "range": mostly(None, (0, 1)),
    "sensitivity": mostly(0.0, 1e-3), "ledger": mostly(None, "mine"), "epsilon": mostly(0.0, 3.0),
    "delta": mostly(0.0, 1e-5), "test_seed": mostly(None, 3), "ledger_storage": mostly(None, "memory:", "sqlite:///l.db"),
    "trainer": mostly(None, {"dp_event": "Gaussian", "noise_multiplier": 4}, '{"dp_event": "NoOp"}'),
}  # fmt: skip


@given(st.fixed_dictionaries({}, optional=RECORDS), mostly("error", "mean", "auc", "log-loss"))
def test_protect(options: Dict[str, Any], metric: Any) -> None:
    fresh()
    privacy = {"unit": "record", "epsilon": 1, "delta": 1e-5, "metric": metric}
    study = sensible(lambda: small(privacy=privacy))
    if study is None:
        return
    said = sensible(lambda: study.protect(**options))
    if said is None:
        assert study.noise_sd == 0 and sensible(study.ask) is None
    else:
        assert study.noise_sd > 0 and said == study.protection
        study.optimize(lambda params: 0.5, n_trials=1)


# ---- objectives and callbacks


class Returns:
    """An objective or a callback that does one of many things."""

    def __init__(self, study: Optional[pytacit.Study], act: str, value: Any) -> None:
        self.study, self.act, self.value, self.calls = study, act, value, 0

    def __call__(self, *_: Any) -> Any:
        self.calls += 1
        study, act = self.study, self.act
        if act == "raise":
            raise self.value
        if study is not None and act == "close":
            study.close()
        elif study is not None and act == "optimize":
            study.optimize(bowl)
        elif study is not None and act == "ask":
            study.tell(study.ask(), 1.0)
        elif study is not None and act == "look":
            assert study.trials and study.document
            sensible(lambda: study.best_value)
        elif study is not None and act == "stop":
            study.stop()
        elif act == "exit":
            sys.exit("enough")
        elif act == "recurse":
            return self(*_)
        return self.value


ACTS = ["raise", "close", "optimize", "ask", "look", "stop", "exit", "recurse", "return", "return", "return"]
RAISED = [
    ValueError("no"), Evil("no"), EvilBase("no"), EvilText(), KeyboardInterrupt(), SystemExit(3), GeneratorExit(), StopIteration(),
    MemoryError(), pytacit.CancelledError("c", 13, "E_CANCELLED"), RecursionError("deep"), Exception("\ud800\0" * 300),
    pytacit.InternalError("of the user", 1, "E_INTERNAL"),
]  # fmt: skip


@given(
    st.sampled_from(ACTS), anything, st.sampled_from(RAISED), st.none() | st.sampled_from(ACTS), st.sampled_from([1, 1, 2, 4]),
    st.sampled_from([(), Exception, BaseException, (ValueError, Evil)]),
)  # fmt: skip
def test_what_functions_do(act: str, value: Any, error: BaseException, heard: Any, jobs: int, catch: Any) -> None:
    study = small()
    objective = Returns(study, act, error if act == "raise" else value)
    callback = Returns(study, heard, error if heard == "raise" else value)
    try:
        study.optimize(objective, n_trials=3, n_jobs=jobs, catch=catch, callbacks=None if heard is None else [callback])
    except BaseException as why:
        ours = (RuntimeError, ValueError, pytacit.BudgetError, pytacit.StateError)
        assert why is error or isinstance(why, (SystemExit, Evil, EvilBase, *ours)), repr(why)
    study = small()  # whatever happened, the thread is as before
    study.optimize(bowl, n_trials=2, callbacks=[lambda *_: None])
    assert [trial.state for trial in study.trials] == [TrialState.COMPLETE] * 2


@given(
    anything, mostly(1, None), mostly(None, 0.5, 60), mostly(1, 2), mostly((), ValueError), mostly(None, [bowl]), mostly(False),
)  # fmt: skip
def test_optimize(func: Any, n_trials: Any, timeout: Any, n_jobs: Any, catch: Any, callbacks: Any, progress: Any) -> None:
    study = small()
    if isinstance(n_jobs, int) and n_jobs > 8:
        n_jobs = 8
    if isinstance(n_trials, int) and n_trials > 50:
        n_trials = 50
    sensible(lambda: study.optimize(func, 1))
    sensible(lambda: study.optimize(lambda params: 1.0, n_trials, timeout, n_jobs, catch, callbacks and [lambda *_: None], progress))
    sensible(lambda: study.optimize(lambda params: 1.0, 1, callbacks=callbacks if callbacks != [bowl] else None))


@given(st.lists(st.sampled_from(["close", "delete", "drop", "look", "work"]), min_size=3, max_size=10))
def test_objects_are_dropped_while_threads_use_them(acts: List[str]) -> None:
    fresh()
    studies = [pytacit.create_study("s", SPACE, "minimize", "sqlite:///x.db", algorithm="random")]
    wrong: List[BaseException] = []

    def work(study: pytacit.Study, act: str) -> None:
        try:
            for _ in range(5):
                if act == "close":
                    study.close()
                elif act == "delete":
                    pytacit.delete_study("s", "sqlite:///x.db")
                elif act == "drop":
                    studies.clear()
                elif act == "look":
                    sensible(lambda: study.trials)
                else:
                    study.tell(study.ask(), 1.0)
        except (ValueError, pytacit.NotFoundError, pytacit.StateError, pytacit.ConflictError, pytacit.InputOutputError):
            pass
        except pytacit.BusyError as why:  # of two that delete it at once
            assert act == "delete" and "somebody else is erasing it" in str(why)
        except BaseException as why:
            wrong.append(why)

    threads = [threading.Thread(target=work, args=(studies[0], act)) for act in acts]
    for thread in threads:
        thread.start()
    studies.clear()
    for thread in threads:
        thread.join()
    assert not wrong


# ---- coordinators and agents


class Served:
    """One coordinator for all examples of a process."""

    c: Optional[pytacit.Coordinator] = None
    studies = 0

    @classmethod
    def get(cls) -> pytacit.Coordinator:
        if cls.c is None:
            cls.c = pytacit.Coordinator("memory:")
            cls.c.create_study("ward", SPACE, "minimize", agents=2, algorithm="fts", trials=4, privacy="none")
        return cls.c

    @classmethod
    def federated(cls) -> str:
        cls.studies += 1
        name = f"f{cls.studies}"
        cls.get().create_study(name, SPACE, "minimize", agents=2, trials=2, privacy="none",
                               algorithm={"name": "fts", "features": 20, "initial": 2})  # fmt: skip
        return name


LISTEN = ["127.0.0.1:0", "[::1]:0", "127.0.0.1", "localhost:0", ":0", "127.0.0.1:99999", "0:0"]


@given(
    mostly("memory:", "sqlite:///c.db", "sqlite:///", "https://127.0.0.1:1"), mostly(*LISTEN), mostly(None, "localhost"),
    mostly(False).filter(lambda value: value is not True), mostly(0, 2), mostly(None, 7),
)  # fmt: skip
def test_coordinators(storage: Any, listen: Any, host: Any, others: Any, threads: Any, seed: Any) -> None:
    fresh()
    if isinstance(threads, int) and 8 < threads < 2**31:
        threads = 8
    c = sensible(
        lambda: pytacit.Coordinator(
            storage, listen=listen, host=host, allow_other_machines=others, threads=threads, test_seed=seed
        )
    )
    if c is not None:
        assert (listen is None or c.url.startswith("https://")) and c.request("GET", "/v1/studies")["studies"] is not None
        c.close()


@given(
    names("a", "ward", "ä"), mostly(SPACE, "p.csv"), mostly("minimize"),
    st.fixed_dictionaries({}, optional={
        "algorithm": mostly("fts", "dp-fts-de", "gp-ei"), "trials": mostly(4), "seed": mostly(1), "agents": mostly(2, 3),
        "deadline_s": mostly(60, 3600.5), "federation": mostly({"agents": 2}, {}), "privacy": mostly(*PRIVACY),
    }), anything, mostly(0.0, 60.0),
)  # fmt: skip
def test_studies_of_a_coordinator(name: Any, space: Any, direction: Any, options: Any, uses: Any, expires_s: Any) -> None:
    c = Served.get()
    made = sensible(lambda: c.create_study(name, space, direction, **options))
    sensible(lambda: c.study_state(name))
    sensible(lambda: c.study_ledger(name))
    sensible(lambda: c.invite(name, uses, expires_s))
    sensible(lambda: c.operator_token(uses))
    if made is not None:
        assert c.study_state(made)["state"] == "running"
        c.request("POST", f"/v1/studies/{made}:close", {})


PATHS = ["/v1/studies", "/v1/studies/ward", "/v1/studies/ward/privacy", "/v1/events", "/healthz", "/v1/tokens", "/openapi.json"]
METHODS = ["GET", "GET", "GET", "POST", "POST", "PUT", "get", ""]
BODIES = [None, None, None, {}, {"role": "viewer"}, {"uses": 1}, {"token": "x"}]


@given(mostly(*METHODS), mostly(*PATHS, "/v1/studies/%2e%2e", "/v1/studies/ä", "/v1/studies/" + "x" * 9000), mostly(*BODIES))
def test_requests(method: Any, path: Any, body: Any) -> None:
    answer = sensible(lambda: Served.get().request(method, path, body))
    assert answer is None or isinstance(answer, dict)


@given(st.fixed_dictionaries({
    "storage": mostly("sqlite:///a.db", "sqlite:///a.db", "memory:", ""), "accept_not_private": mostly(True),
}, optional={
    "epsilon": mostly(0.0, 6.0, 6.0), "delta": mostly(0.0, 1e-5, 1e-5), "ledger": mostly(None, "mine"), "local_name": mostly(None, "other"),
    "records": mostly(None, 100, {"records": 5}), "consider": mostly(None, lambda document: None), "note": mostly(None, print),
    "accept_restored": mostly(False), "test_seed": mostly(None, 3), "test_key": mostly(0, 1),
}), mostly("token", "token", None), mostly("pin", "pin", "pin", None), mostly(0.0, 1.0, 1.0))  # fmt: skip
def test_agents(options: Dict[str, Any], token: Any, pin: Any, patience: Any) -> None:
    fresh()
    c, name = Served.get(), Served.federated()
    token = c.invite(name) if token == "token" else token
    pin = c.fingerprint if pin == "pin" else pin
    if isinstance(patience, (int, float)) and patience > 1:
        patience = 1.0
    agent = sensible(lambda: pytacit.Agent(c.url, name, token, pin, patience_s=patience, **options))
    if agent is not None:
        assert agent.number == 0 and agent.promise
        sensible(agent.inspect)
        agent.close()


@given(anything, anything, mostly("token"))
def test_agents_of_anything(coordinator: Any, study: Any, token: Any) -> None:
    fresh()
    sensible(lambda: pytacit.Agent(coordinator, study, token, patience_s=0.1))
    sensible(lambda: pytacit.Agent(Served.get().url, study, token, Served.get().fingerprint, patience_s=0.1))


@given(st.sampled_from(ACTS), anything, st.sampled_from(RAISED), st.booleans())
def test_what_functions_of_agents_do(act: str, value: Any, error: BaseException, as_note: bool) -> None:
    fresh()
    c, name = Served.get(), Served.federated()
    function = Returns(None, act, error if act == "raise" else value)
    where = {"storage": "sqlite:///a.db", "accept_not_private": True, "patience_s": 60}
    more: Dict[str, Any] = {"note": function} if as_note else {"consider": function}
    fails = act in ("raise", "exit", "recurse")
    refuses = not as_note and not fails and value is not None  # consider answered instead of raising
    raised = None
    try:
        agent = pytacit.Agent(c.url, name, c.invite(name), c.fingerprint, **where, **more)
    except BaseException as why:
        raised = why
        assert why is error or isinstance(why, TypeError if refuses else (SystemExit, RecursionError)), repr(why)
    else:
        assert as_note or not fails, "consider raised, and the agent joined"
        agent.close()
    if not as_note:
        assert function.calls > 0 and (raised is not None) == (fails or refuses)


# ---- round trips

whole_numbers = st.integers(-(2**53), 2**53)


@st.composite
def parameter(draw: Any) -> Any:
    """A parameter that the library takes."""
    kind = draw(st.sampled_from(["float", "log", "step", "int", "intlog", "intstep", "choice"]))
    if kind == "choice":
        return CategoricalDistribution(draw(st.lists(words, min_size=1, max_size=1000, unique=True)))
    if kind in ("int", "intlog", "intstep"):
        low, high = sorted([draw(whole_numbers), draw(whole_numbers)])
        if kind == "intlog":
            low, high = max(low, 1), max(high, 2)
        step = draw(st.integers(1, max(1, high - low))) if kind == "intstep" else 1
        return IntDistribution(low, high, kind == "intlog", step)
    finite = st.floats(allow_nan=False, allow_infinity=False)
    low, high = sorted([draw(finite), draw(finite)])
    if kind == "log":
        low, high = abs(low), abs(high)
        return FloatDistribution(min(low, high), max(low, high), True)
    return FloatDistribution(low, high, step=draw(st.floats(0, 1e308, exclude_min=True)) if kind == "step" else None)


words = st.text(st.characters(blacklist_categories=["Cs", "Cc"]), min_size=1, max_size=12)
identifiers = st.from_regex(r"[A-Za-z_][A-Za-z0-9_.-]{0,12}", fullmatch=True)


@given(st.dictionaries(identifiers, parameter(), min_size=1, max_size=5), st.integers(0, 2**53))
def test_points_survive(space: Dict[str, Any], seed: int) -> None:
    """What an ask gives can be enqueued, told and read again, bit by bit."""
    study = sensible(lambda: pytacit.create_study("s", space, "minimize", "memory:", algorithm="random", seed=seed))
    if study is None:
        return
    for _ in range(3):
        trial = sensible(study.ask)
        if trial is None:
            return  # a finite space has no more points
        assert list(trial.params) == list(space)
        for name, value in trial.params.items():
            of = space[name]
            assert value in of.choices if isinstance(of, CategoricalDistribution) else of.low <= value <= of.high
            assert isinstance(of, IntDistribution) == isinstance(value, int)
        number = study.enqueue_trial(trial.params)
        assert same(study.get_trial(number).params, trial.params)
        study.tell(trial, 1.0, params=trial.params)
        assert same(study.get_trial(trial.number).params, trial.params)
        assert same(study.ask().params, trial.params)


def same(one: Dict[str, Any], other: Dict[str, Any]) -> bool:
    return [(name, type(value), repr(value)) for name, value in one.items()] == [
        (name, type(value), repr(value)) for name, value in other.items()
    ]


@given(st.dictionaries(identifiers, parameter(), min_size=1, max_size=4), identifiers, st.sampled_from(["minimize", "maximize"]))
def test_documents_survive(space: Dict[str, Any], name: str, direction: str) -> None:
    """A study's document makes the same study."""
    study = sensible(lambda: pytacit.create_study(name, space, direction, "memory:", seed=3))
    if study is None:
        return
    document = study.document
    assert document["name"] == name == study.study_name and study.direction == direction
    assert list(document["space"]) == list(space)
    again = pytacit.create_study(name, document["space"], direction, "memory:", algorithm=document["algorithm"], seed=document["seed"],
                                 trials=document["trials"])  # fmt: skip
    assert again.document == document
    assert same(again.ask().params, study.ask().params)


@given(numbers, st.floats(-1e300, 1e300), numbers)
def test_values_survive(value: Any, other: float, noise_sd: Any) -> None:
    study = small()
    trial = study.ask()
    told = sensible(lambda: study.tell(trial, value) or True)
    found = study.get_trial(trial.number)
    assert found.value == float(value) if told else found.state is TrialState.RUNNING
    trial = study.ask()
    study.tell(trial, other)
    assert repr(study.get_trial(trial.number).value) == repr(other)


# ---- ask, tell, enqueue and requeue against a model

WORKERS = st.none() | st.sampled_from(["a", "b"])


class Trials(RuleBasedStateMachine):
    """The model: of each trial its state, its worker and its point."""

    def __init__(self) -> None:
        super().__init__()
        fresh()
        self.study = pytacit.create_study("s", SPACE, "minimize", "sqlite:///x.db", algorithm="random", seed=3)
        self.state: List[TrialState] = []
        self.worker: List[Optional[str]] = []
        self.params: List[Any] = []
        self.value: List[Optional[float]] = []

    def of(self, *states: TrialState) -> List[int]:
        return [number for number, state in enumerate(self.state) if state in states]

    def add(self, state: TrialState, params: Any, worker: Optional[str] = None) -> None:
        self.state.append(state)
        self.params.append(params)
        self.worker.append(worker)
        self.value.append(None)

    @rule(worker=WORKERS)
    def ask(self, worker: Optional[str]) -> None:
        trial = self.study.ask(worker)
        mine = [number for number in self.of(TrialState.RUNNING) if worker is not None and self.worker[number] == worker]
        free = mine or self.of(TrialState.STALE, TrialState.WAITING)
        if not free:
            assert trial.number == len(self.state)
            self.add(TrialState.RUNNING, trial.params, worker)
        assert not free or trial.number in free
        assert trial.params == self.params[trial.number]
        self.state[trial.number], self.worker[trial.number] = TrialState.RUNNING, worker

    @rule(x=st.floats(-5, 5), n=st.integers(1, 64), kind=st.sampled_from(["plain", "odd one"]))
    def enqueue(self, x: float, n: int, kind: str) -> None:
        point = {"x": x, "n": n, "kind": kind}
        assert self.study.enqueue_trial(point) == len(self.state)
        self.add(TrialState.WAITING, point)

    @precondition(lambda self: self.state)
    @rule(data=st.data(), value=st.none() | st.floats(-1e9, 1e9))
    def tell(self, data: Any, value: Optional[float]) -> None:
        number = data.draw(st.integers(0, len(self.state) - 1))
        allowed = not self.state[number].is_finished()
        try:
            if value is None:
                self.study.tell(number, state=TrialState.FAIL, reason="it fails")
            else:
                self.study.tell(number, value)
        except pytacit.StateError:
            assert not allowed
        else:
            assert allowed
            self.state[number] = TrialState.FAIL if value is None else TrialState.COMPLETE
            self.value[number] = value

    @precondition(lambda self: self.of(TrialState.RUNNING))
    @rule(data=st.data())
    def requeue(self, data: Any) -> None:
        number = data.draw(st.sampled_from(self.of(TrialState.RUNNING)))
        self.study._give_back(number)
        self.state[number] = TrialState.STALE

    @rule()
    def reopen(self) -> None:
        self.study.close()
        self.study = pytacit.load_study("s", "sqlite:///x.db")

    @rule(number=st.integers(0, 40))
    def look(self, number: int) -> None:
        if number < len(self.state):
            assert self.study.get_trial(number).state is self.state[number]
        else:
            assert sensible(lambda: self.study.get_trial(number)) is None

    @invariant()
    def trials(self) -> None:
        found = self.study.trials
        assert [trial.number for trial in found] == list(range(len(self.state)))
        assert [trial.state for trial in found] == self.state
        assert [trial.params for trial in found] == self.params
        assert [trial.value for trial in found] == self.value
        for state in TrialState:
            assert [trial.number for trial in self.study.get_trials(state)] == self.of(state)

    @invariant()
    def best(self) -> None:
        told = [value for value in self.value if value is not None]
        if told:
            assert self.study.best_trial.number == self.value.index(min(told))
        else:
            assert sensible(lambda: self.study.best_trial) is None


test_trials_against_a_model = Trials.TestCase
assert EvilValue
