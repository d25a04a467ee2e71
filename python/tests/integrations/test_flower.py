"""pytacit.flower: both halves in one process. test_flower_run.py has the processes of Flower."""

from __future__ import annotations

import json
import logging
import queue
import re
import shutil
import threading
from dataclasses import replace
from pathlib import Path
from typing import Any, Callable, Dict, Iterable, List, Optional, Set

import pytest
from flwr.app import ConfigRecord, Context, Error, Message, RecordDict
from flwr.supercore.task_identity import TaskIdentity

import pytacit
from pytacit._library import call, ffi, lib, owned, string, text
from pytacit.flower import Outcome, _guest, _host, client_app, server, server_app
from pytacit.flower import _bundle as bundle
from pytacit.flower._host import Host

REPLY_UNAVAILABLE, NODE_UNAVAILABLE = 4, 5

DOCUMENT: Dict[str, Any] = {
    "name": "ward", "direction": "minimize", "trials": 5, "seed": 7,
    "space": {"dose": {"type": "float", "low": 0, "high": 1}},
    "algorithm": {"name": "dp-fts-de", "features": 12, "initial": 2, "releases": "all"},
    "federation": {"agents": 2, "deadline_s": 600}, "privacy": {"epsilon": 5, "delta": 0.01},
}  # fmt: skip


def loss(params: Any, context: Context) -> float:
    return (params["dose"] - 0.2 - 0.3 * int(context.node_config["place"])) ** 2


class NodeInfo:
    """What Flower says of a node."""

    def __init__(self, node_id: int, last_activated_at: str) -> None:
        self.node_id, self.last_activated_at = node_id, last_activated_at


class Grid:
    """Flower without its processes: a message to a node runs its ClientApp at once, and the reply waits to be pulled."""

    def __init__(self, apps: Dict[int, Any]) -> None:
        self.apps = apps
        self.contexts = {
            node: Context(run_id=1, node_id=node, node_config={"place": i}, state=RecordDict(), run_config={})
            for i, node in enumerate(apps)
        }
        self.active = {node: "t0" for node in apps}
        self.gone: Dict[int, int] = {}  # node -> Flower's code of the error that comes in place of its reply
        self.listed: Set[int] = set()  # nodes that are gone, and Flower does not know it yet
        self.silent: Set[int] = set()  # their queries have no reply
        self.replies: Dict[str, Message] = {}
        self.pushed = self.passes = self.lost = 0
        self.queries: Dict[int, int] = {}
        self.sent: List[bytes] = []  # by nodes
        self.loses: Callable[[int], bool] = lambda count: False
        self.before: Callable[[int], None] = lambda passes: None
        self.always: Callable[[int], None] = lambda passes: None

    def get_nodes(self) -> Iterable[Any]:
        self.passes += 1
        self.always(self.passes)
        gone = {node for node, code in self.gone.items() if code == NODE_UNAVAILABLE} - self.listed
        return [NodeInfo(node, self.active[node]) for node in self.apps if node not in gone]

    def push_messages(self, messages: Iterable[Message]) -> List[Optional[str]]:
        self.before(self.passes)
        return [self._push(message) for message in messages]

    def _push(self, message: Message) -> str:
        assert message.metadata.message_type == "query.tacit"
        self.pushed += 1
        node, name = message.metadata.dst_node_id, f"m{self.pushed}"
        message.metadata.__dict__["_message_id"] = name
        self.queries[node] = self.queries.get(node, 0) + 1
        if node in self.silent:
            return name
        if node in self.gone:
            self.replies[name] = Message(Error(self.gone[node], "gone"), reply_to=message)
            return name
        given = self.apps[node](message, self.contexts[node])
        self.sent.append(given.content["tacit"]["reply"])
        if self.loses(self.pushed):
            self.lost += 1
            given = Message(Error(REPLY_UNAVAILABLE, "lost"), reply_to=message)
        self.replies[name] = given
        return name

    def pull_messages(self, ids: Iterable[str]) -> List[Message]:
        return [self.replies.pop(name) for name in ids if name in self.replies]


def context() -> Context:
    return Context(run_id=1, node_id=1, node_config={}, state=RecordDict(), run_config={"trials": 3})


@pytest.fixture
def alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """What a process of Flower's sets before it runs an app; and the loop does not sleep."""
    monkeypatch.setattr(server, "POLL_S", 0.01)
    monkeypatch.setattr(_host, "PAUSE_FIRST_S", 0.01)
    for name, number in (("run_id", 1), ("node_id", 1), ("task_id", 1)):
        monkeypatch.setattr(TaskIdentity, f"_{name}", number, raising=False)


def run(grid: Any, document: Any = DOCUMENT, storage: str = "sqlite:///coordinator.db", **options: Any) -> Outcome:
    ended: List[Outcome] = []
    app = server_app(document, storage, ended=ended.append, **options)
    app(grid, context())
    assert len(ended) == 1
    return ended[0]


def apps(n: int = 2, objective: Any = loss, **options: Any) -> Dict[int, Any]:
    given = {"epsilon": 6, "delta": 0.01, "storage": "sqlite:///node-{place}.db", **options}
    return {100 + i: client_app(objective, **given) for i in range(n)}


# ---- tacit's own: the same study over HTTPS


def copy_of(document: Any, folder: Path, **options: Any) -> "tuple[str, str]":
    """Two storages with one study, so that its hash, its public seed and its time are the same in both."""
    with pytacit.Coordinator(f"sqlite:///{folder}/first.db", listen=None, **options) as coordinator:
        coordinator.create(document)
    assert not (folder / "first.db-wal").exists()
    shutil.copy(folder / "first.db", folder / "second.db")
    return f"sqlite:///{folder}/first.db", f"sqlite:///{folder}/second.db"


def over_https(
    study: str, storage: str, objectives: List[Any], seed: int, folder: Path, **options: Any
) -> "tuple[Dict[str, Any], List[Any]]":
    """The ledger that these agents make of a study by Agent and Coordinator alone, and their trials."""
    ended: "queue.Queue[Any]" = queue.Queue()

    def work(agent: pytacit.Agent, objective: Any) -> None:
        try:
            agent.run(objective)
            ended.put(None)
        except BaseException as why:
            ended.put(why)

    with pytacit.Coordinator(storage, test_seed=seed) as coordinator:
        token = coordinator.invite(study, len(objectives))
        agents: List[pytacit.Agent] = []
        for i in range(len(objectives)):  # one after the other: they get their numbers in this order
            agents.append(
                pytacit.Agent(
                    coordinator.url,
                    study,
                    token,
                    coordinator.fingerprint,
                    storage=f"sqlite:///{folder}/https-{i}.db",
                    test_seed=seed,
                    test_key=i,
                    **options,
                )  # fmt: skip
            )
        for agent, objective in zip(agents, objectives):
            threading.Thread(target=work, args=(agent, objective), daemon=True).start()
        for _ in agents:
            why = ended.get(timeout=600)
            if why is not None:
                raise why
        trials = [[(t.params, t.value) for t in agent.study.trials] for agent in agents]
        for agent in agents:
            agent.close()
        return coordinator.study_ledger(study), trials


def trials_of(study: str, storage: str) -> List[Any]:
    with pytacit.load_study(study, storage) as mine:
        return [(t.params, t.value) for t in mine.get_trials(pytacit.TrialState.COMPLETE)]


def traffic_of(study: str, storage: str) -> List[Any]:
    """What left a node, as its storage has it. Nobody is asked, and no agent is opened."""
    pointer = ffi.new("tacit_traffic **")
    call(lib.tacit_agent_inspect, pointer, text(storage, "storage"), text(study, "study"))
    traffic = owned(pointer[0], lib.tacit_traffic_free)
    rounds = [lib.tacit_traffic_get(traffic, i) for i in range(lib.tacit_traffic_count(traffic))]
    return [
        (r.round, string(lib.tacit_message_state_name(r.state)), string(r.ledger), int(r.times), int(r.heard))
        for r in rounds
    ]


def sent_by(place: int) -> List[Any]:
    """The same; of a node that has not begun, too."""
    try:
        return traffic_of("ward", f"sqlite:///node-{place}.db")
    except pytacit.NotFoundError:
        return []


# ---- whole studies, without processes


def test_a_study_without_processes(own_folder: Path, alone: None) -> None:
    grid = Grid(apps())
    outcome = run(grid)
    assert outcome.finished and outcome.study == "ward"
    assert {node: (n.agent, n.standing) for node, n in outcome.nodes.items()} == {100: (0, "done"), 101: (1, "done")}
    assert [(r.round, r.phase, r.missing) for r in outcome.rounds] == [
        (0, "closed", []),
        (1, "closed", []),
        (2, "closed", []),
    ]
    assert [entry["round"] for entry in outcome.ledger["entries"]] == [0, 1, 2]
    assert outcome.state["enrolled"] == 2
    for place in range(2):
        mine = trials_of("ward", f"sqlite:///node-{place}.db")
        assert [value for _, value in mine] == [loss(params, grid.contexts[100 + place]) for params, _ in mine]
        assert len(mine) == 5
        assert traffic_of("ward", f"sqlite:///node-{place}.db") == [(r, "sent", "agent", 1, 1) for r in range(3)]
    # One query for each round, and those of the beginning: what an agent asks next is foreseen.
    assert grid.queries == {100: 4 + 3, 101: 4 + 3}
    again = run(grid)  # a run of a study that is finished: each node says so, and nothing else happens
    assert again.finished and again.rounds == [] and again.ledger == outcome.ledger
    assert grid.queries[100] <= 7 + 3


KINDS = {
    "dp-fts-de": (
        {"name": "dp-fts-de", "features": 12, "initial": 2, "releases": "all"},
        {"epsilon": 5, "delta": 0.01},
        5,
    ),
    "first": (
        {"name": "dp-fts-de", "features": 12, "initial": 2, "releases": "first"},
        {"epsilon": 5, "delta": 0.01},
        5,
    ),
    "sampled": (
        {
            "name": "dp-fts-de",
            "features": 6,
            "initial": 2,
            "releases": "all",
            "sampling": "fixed",
            "sampling_rate": 0.5,
        },
        {"noise_multiplier": 2, "delta": 0.01},
        5,
    ),
    "fed-pne": ("fed-pne", "none", 60),
    "pf-pne": ("pf-pne", "none", 60),
    "dp-pf-pne": ("dp-pf-pne", {"noise_multiplier": 2, "delta": 0.01}, 60),
    "fed-hct": ("fed-hct", "none", 40),
    "fts": ({"name": "fts", "features": 6, "initial": 2}, "none", 5),
    "rgpe": ({"name": "rgpe", "features": 6, "initial": 2, "samples": 5}, "none", 4),
    "taf": ({"name": "taf", "features": 6, "initial": 2}, "none", 4),
}


@pytest.mark.parametrize("kind", KINDS)
def test_the_ledger_equals_tacits_own(kind: str, own_folder: Path, alone: None) -> None:
    algorithm, privacy, trials = KINDS[kind]
    document = {**DOCUMENT, "algorithm": algorithm, "privacy": privacy, "trials": trials}
    mine, theirs = copy_of(document, own_folder, test_seed=3)
    options: Dict[str, Any] = {"epsilon": 12, "delta": 0.01, "accept_not_private": True}
    grid = Grid(apps(test_seed=3, **options))
    outcome = run(grid, document, mine, test_seed=3)
    assert outcome.finished
    objectives = [lambda params, i=i: loss(params, grid.contexts[100 + i]) for i in range(2)]
    ledger, seen = over_https("ward", theirs, objectives, 3, own_folder, **options)
    assert outcome.ledger == ledger
    assert [trials_of("ward", f"sqlite:///node-{i}.db") for i in range(2)] == seen
    assert bool(ledger["entries"]) == (kind not in ("fts", "rgpe", "taf")), "relays release nothing"


def test_records_are_protected(own_folder: Path, alone: None) -> None:
    """Privacy of validation records: each node has its own, and says how many by its context."""
    document = {
        **DOCUMENT, "algorithm": {"name": "fts", "features": 6, "initial": 2},
        "privacy": {"unit": "record", "epsilon": 4, "delta": 1e-5, "metric": "error"},
    }  # fmt: skip
    asked: List[int] = []

    def records(context: Context) -> Any:
        asked.append(context.node_id)
        return {"records": 1000 + context.node_id, "range": (0, 1)}

    grid = Grid(apps(delta=1e-5, records=records))
    outcome = run(grid, document)
    assert outcome.finished and set(asked) == {100, 101}
    for i in range(2):
        mine = trials_of("ward", f"sqlite:///node-{i}.db")
        assert len(mine) == 5
        assert all(value != loss(params, grid.contexts[100 + i]) for params, value in mine), "a value has no noise"


def test_a_failure_does_not_show_where_records_are_protected(own_folder: Path, alone: None, caplog: Any) -> None:
    """The node whose objective raises sends what it would send without that: no outcome, and no silence, tells."""
    document = {
        **DOCUMENT, "algorithm": {"name": "fts", "features": 6, "initial": 2},
        "privacy": {"unit": "record", "epsilon": 4, "delta": 1e-5, "metric": "error"},
    }  # fmt: skip
    calls: List[Any] = []

    def fails_once(params: Any) -> float:
        calls.append(params)
        if len(calls) == 3:
            raise ZeroDivisionError("record 17 has no age")
        return 0.5

    records = {"records": 1000, "range": (0, 1)}
    grid = Grid(apps(objective=fails_once, delta=1e-5, records=records))
    outcome = run(grid, document)
    assert outcome.finished and len(calls) == 10
    assert {json.loads(sent)["outcome"] for sent in grid.sent} == {"wait", "done"}
    assert all(r.missing == [] for r in outcome.rounds)
    assert "record 17" in caplog.text and not any(b"record 17" in sent for sent in grid.sent)


def test_a_finite_space(own_folder: Path, alone: None) -> None:
    (own_folder / "points.csv").write_text("dose\n" + "\n".join(str(i / 10) for i in range(11)))
    document = {key: value for key, value in DOCUMENT.items() if key != "space"}
    document["points"] = str(own_folder / "points.csv")
    outcome = run(Grid(apps()), document)
    assert outcome.finished
    assert {params["dose"] * 10 % 1 for params, _ in trials_of("ward", "sqlite:///node-0.db")} == {0.0}


# ---- what may happen to nodes and messages


@pytest.mark.parametrize("lost", [2, 3, 5])
def test_lost_replies_change_nothing(lost: int, own_folder: Path, alone: None) -> None:
    """Every so many replies are lost, also the one with which a node enrols: the ledger is the same, and paid for once."""
    mine, theirs = copy_of(DOCUMENT, own_folder, test_seed=3)
    grid = Grid(apps(test_seed=3, accept_not_private=True))
    grid.loses = lambda count: count % lost == 0
    outcome = run(grid, DOCUMENT, mine, test_seed=3)
    assert outcome.finished and grid.lost > 2
    objectives = [lambda params, i=i: loss(params, grid.contexts[100 + i]) for i in range(2)]
    ledger, _ = over_https("ward", theirs, objectives, 3, own_folder, epsilon=6, delta=0.01, accept_not_private=True)
    assert outcome.ledger == ledger
    for i in range(2):
        assert traffic_of("ward", f"sqlite:///node-{i}.db") == [(r, "sent", "agent", 1, 1) for r in range(3)]


def test_a_node_that_is_gone(own_folder: Path, alone: None) -> None:
    """Rounds close at their deadline, the outcome says who did not answer, and the node comes back in another run."""
    document = {**DOCUMENT, "federation": {"agents": 2, "deadline_s": 1}}
    grid = Grid(apps())

    def goes(passes: int) -> None:
        if sent_by(1):
            grid.gone[101] = NODE_UNAVAILABLE

    grid.before = goes
    outcome = run(grid, document)
    assert not outcome.finished
    assert (outcome.nodes[100].standing, outcome.nodes[101].standing) == ("done", "offline")
    assert outcome.nodes[101].agent == 1
    assert [(r.round, r.phase) for r in outcome.rounds] == [(0, "closed"), (1, "closed"), (2, "closed")]
    assert [r.missing for r in outcome.rounds[1:]] == [[1], [1]]
    before = trials_of("ward", "sqlite:///node-1.db")
    assert 0 < len(before) < 5
    # It is started anew: under another id, with the same storage.
    grid.before = lambda passes: None
    grid.apps[202], grid.contexts[202], grid.active[202] = grid.apps[101], grid.contexts.pop(101), "t1"
    del grid.apps[101]
    again = run(grid, document)
    assert again.finished and again.nodes[202].agent == 1
    after = trials_of("ward", "sqlite:///node-1.db")
    assert len(after) == 5 and after[: len(before)] == before
    assert again.ledger == outcome.ledger


def test_a_node_that_comes_back_within_a_run(own_folder: Path, alone: None) -> None:
    """Its process has ended with a query: Flower has no reply for it, and says since when the node is there."""
    grid = Grid(apps())
    turns: List[int] = []

    def comes(passes: int) -> None:
        turns.append(passes)
        if passes == 3:
            grid.silent.add(101)
        if passes == 6:
            grid.silent.discard(101)
            grid.active[101] = "t1"

    grid.before = comes
    grid.always = comes  # also where nothing is sent
    outcome = run(grid)
    assert outcome.finished and all(r.missing == [] for r in outcome.rounds)


def test_more_nodes_than_places(own_folder: Path, alone: None, caplog: Any) -> None:
    grid = Grid(apps(3))
    with caplog.at_level(logging.ERROR, "flwr.tacit"):
        outcome = run(grid)
    assert outcome.finished
    assert sorted((n.agent, n.standing) for n in outcome.nodes.values() if n.agent is not None) == [
        (0, "done"),
        (1, "done"),
    ]
    (extra,) = [n for n in outcome.nodes.values() if n.agent is None]
    assert extra.standing == "refused"
    assert 'this node takes no part in study "ward"' in caplog.text


def test_too_few_nodes(own_folder: Path, alone: None) -> None:
    with pytest.raises(
        RuntimeError, match='no SuperNode has finished study "ward": of 2 SuperNodes that it needs, there are 1'
    ):
        run(Grid(apps(1)), patience_s=0.2)
    assert not Path("node-0.db").exists(), "nobody is asked before all are there"


def test_nobody_answers_and_no_deadline(own_folder: Path, alone: None) -> None:
    """A round without a deadline would wait for ever for a node that is gone: the run ends."""
    document = {**DOCUMENT, "federation": {"agents": 2}}
    grid = Grid(apps())
    grid.gone[101] = NODE_UNAVAILABLE
    grid.listed.add(101)
    with pytest.raises(RuntimeError, match="100 is waiting, 101 is offline"):
        run(grid, document, patience_s=1)


def test_a_silent_node_is_not_waited_for(own_folder: Path) -> None:
    """By a clock of the test's: a node that is connected and does not reply."""
    time = [0.0]
    with pytacit.Coordinator("memory:", listen=None) as coordinator:
        coordinator.create(DOCUMENT)
        host = Host(coordinator, "ward", 60, now=lambda: time[0])
        host.connect({1: "", 2: ""})
        assert [node for node, _ in host.due()] == [1, 2]
        host.take(1, reply(outcome="done", agent=0))
        time[0] = 60.0
        assert not host.ended()
        assert host.outcome().nodes[2].standing == "working"
        time[0] = 60.1
        assert host.ended()
        assert host.outcome().nodes[2].standing == "silent" and not host.outcome().finished
        host.lose(2, "lost")  # Flower gives the message up: the node is asked again, and may still come
        time[0] = 70.0
        assert host.ended() and [node for node, _ in host.due()] == [2]
        assert host.outcome().nodes[2].standing == "silent"
        host.take(2, reply(outcome="more", agent=1))
        assert not host.ended() and host.outcome().nodes[2].standing == "waiting"
        host.connect({1: ""})
        assert host.ended() and host.outcome().nodes[2].standing == "offline"


def test_a_node_that_is_restarted_at_once(own_folder: Path) -> None:
    """Under another id, while Flower still counts the former one as connected; and what comes late of the former one."""
    with pytacit.Coordinator("memory:", listen=None) as coordinator:
        coordinator.create(DOCUMENT)
        host = Host(coordinator, "ward")
        host.connect({1: "", 2: ""})
        assert [node for node, _ in host.due()] == [1, 2]
        host.take(1, reply(outcome="more", agent=0))
        assert [node for node, _ in host.due()] == [1]
        host.connect({1: "", 2: "", 3: ""})
        assert [node for node, _ in host.due()] == [3]
        host.take(3, reply(outcome="more", agent=0))
        host.lose(1, "offline")
        assert sorted(host.outcome().nodes) == [2, 3]
        host.connect({2: "", 3: ""})
        host.take(1, reply(outcome="done", agent=0))
        host.lose(1, "lost")
        assert {node: n.agent for node, n in host.outcome().nodes.items()} == {2: None, 3: 0}
        assert not host.ended()


@pytest.mark.parametrize("code", [1, 2, 8])
def test_a_client_app_that_raises(code: int, own_folder: Path, alone: None) -> None:
    grid = Grid(apps())
    grid.gone = {100: code, 101: code}
    with pytest.raises(RuntimeError, match="100 is failed, 101 is failed"):
        run(grid)
    assert grid.queries == {100: 3, 101: 3}


def test_a_server_app_that_is_ended_goes_on(own_folder: Path, alone: None) -> None:
    class Killed(BaseException):
        pass

    mine, theirs = copy_of(DOCUMENT, own_folder, test_seed=3)
    grid = Grid(apps(test_seed=3, accept_not_private=True))

    def ends(passes: int) -> None:
        if pushes and pushes.pop():
            raise Killed

    grid.before = ends
    outcome, killed = None, 0
    while outcome is None:
        pushes = [True] + [False] * killed  # it ends before its first query, before its second one, ...
        try:
            outcome = run(grid, DOCUMENT, mine, test_seed=3)
        except Killed:
            killed += 1
    assert outcome.finished and killed >= 5
    objectives = [lambda params, i=i: loss(params, grid.contexts[100 + i]) for i in range(2)]
    ledger, _ = over_https("ward", theirs, objectives, 3, own_folder, epsilon=6, delta=0.01, accept_not_private=True)
    assert outcome.ledger == ledger


# ---- a node's own terms


def test_a_node_may_refuse(own_folder: Path, alone: None, caplog: Any) -> None:
    def refuse(document: Dict[str, Any]) -> None:
        raise PermissionError(f"not {document['name']}, with the data of these patients")

    grid = Grid(apps(consider=refuse))
    with caplog.at_level(logging.ERROR, "flwr.tacit"), pytest.raises(
        RuntimeError, match="100 is refused, 101 is refused"
    ):
        run(grid)
    assert "these patients" in caplog.text
    assert not any(b"patients" in sent for sent in grid.sent), "a reason left its node"
    assert not Path("node-0.db").exists()


def test_a_limit_of_a_node(own_folder: Path, alone: None) -> None:
    """One node declines what is dearer than its limit: the round is over for all, and nothing of it has left."""
    given = {100: client_app(loss, "sqlite:///node-{place}.db", epsilon=6, delta=0.01),
             101: client_app(loss, "sqlite:///node-{place}.db", epsilon=2, delta=0.01)}  # fmt: skip
    outcome = run(Grid(given))
    assert outcome.finished
    assert all(r.missing == [] for r in outcome.rounds), "to decline is to answer"
    states = [state for _, state, _, _, _ in traffic_of("ward", "sqlite:///node-1.db")]
    assert "withheld" in states


def test_an_objective_that_raises(own_folder: Path, alone: None, caplog: Any) -> None:
    def bad(params: Any) -> float:
        raise ZeroDivisionError("the name of a patient")

    grid = Grid(apps(objective=bad))
    with caplog.at_level(logging.ERROR, "flwr.tacit"), pytest.raises(RuntimeError, match="100 is failed"):
        run(grid)
    assert "the name of a patient" in caplog.text
    assert not any(b"patient" in sent for sent in grid.sent), "a reason left its node"
    grid = Grid(apps(objective=bad, catch=ZeroDivisionError))  # the same nodes: a trial that fails is one
    assert run(grid).finished
    with pytacit.load_study("ward", "sqlite:///node-0.db") as study:
        assert [t.state.name for t in study.trials] == ["FAIL"] * 5


def test_many_trials_are_told_in_slices(own_folder: Path, alone: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_guest, "SLICE_S", 0.0)
    grid = Grid(apps())
    assert run(grid).finished
    outcomes = [json.loads(sent)["outcome"] for sent in grid.sent]
    assert outcomes.count("more") == 2 * 5 and outcomes.count("done") == 2


def test_two_nodes_with_one_storage(own_folder: Path, alone: None, caplog: Any) -> None:
    grid = Grid(apps(storage="sqlite:///shared.db"))
    with caplog.at_level(logging.WARNING, "flwr.tacit"):
        outcome = run(grid, {**DOCUMENT, "federation": {"agents": 2, "deadline_s": 1}})
    assert "one of them was restarted, or they share a storage" in caplog.text and not outcome.finished


# ---- messages


def reply(**members: Any) -> bytes:
    return json.dumps({"version": 1, "outcome": "wait", "agent": None, "requests": [], **members}).encode()


BAD_REPLIES = [
    (None, "a reply of tacit must be bytes, got NoneType"),
    (b"{", "a reply of tacit must be JSON, and this one is not"),
    (b"[" * 100000, "a reply of tacit must be JSON, and this one is not"),
    (b"\xff", "a reply of tacit must be JSON, and this one is not"),
    (b"[]", "a reply must be an object, got list"),
    (b"{}", "version of a reply must be int, got nothing"),
    (reply(version=2), "the reply is of version 2 and this pytacit speaks version 1: install the same pytacit"),
    (reply(version=True), "version of a reply must be int, got bool"),
    (reply(outcome="tired"), "outcome of a reply must be one of wait, more, busy, done, refused, failed, got 'tired'"),
    (reply(outcome=1), "outcome of a reply must be str, got int"),
    (reply(agent="0"), "agent of a reply must be int, got str"),
    (reply(agent=2), "agent must be from 0 to 1, got 2"),
    (reply(agent=-1), "agent must be from 0 to 1, got -1"),
    (reply(requests=3), "requests of a reply must be list, got int"),
    (reply(requests=[3]), "a request must be an object, got int"),
    (reply(requests=[{"path": "/"}]), "method of a request must be str, got nothing"),
    (reply(requests=[{"method": "GET", "path": "/v1/studies/ward", "body": 3}]), "body of a request must be str, got int"),
    (reply(requests=[{"method": "GET", "path": "/v1/studies/ward\0"}]), "path of a request must not have a character of code 0 or half"),
    (reply(requests=[{"method": "GET", "path": "/v1/studies/ward", "body": "\ud800"}]), "body of a request must not have a"),
    (reply(requests=[{"method": "GET", "path": "/v1/studies"}]), "it asks for '/v1/studies', which is nothing of this study's"),
    (reply(requests=[{"method": "GET", "path": "/v1/studies/ward2"}]), "it asks for '/v1/studies/ward2', which is nothing of this study's"),
    (reply(requests=[{"method": "GET", "path": "/v1/studies/ward"}] * 1001), "a reply must have 1000 requests or fewer, got 1001"),
    (reply(requests="x" * (64 << 20)), "a reply of tacit must have 64 MiB or fewer"),
]  # fmt: skip


@pytest.mark.parametrize("content, sentence", BAD_REPLIES, ids=[sentence[:40] for _, sentence in BAD_REPLIES])
def test_a_reply_that_is_none(content: Any, sentence: str, own_folder: Path, caplog: Any) -> None:
    with pytacit.Coordinator("memory:", listen=None) as coordinator:
        coordinator.create(DOCUMENT)
        host = Host(coordinator, "ward")
        host.connect({1: "", 2: ""})
        assert [node for node, _ in host.due()] == [1, 2]
        host.take(1, content)
        assert f"the reply of node 1 is refused: {sentence}" in caplog.text
        assert host.outcome().nodes[1].standing == "failed"
        assert list(host.due()) == [], "a node that sends nonsense is asked again"


def test_a_request_that_is_refused_is_answered(own_folder: Path) -> None:
    """Who asks with a token that is none, or what agents may not ask, hears that; nothing else changes."""
    with pytacit.Coordinator("memory:", listen=None) as coordinator:
        coordinator.create(DOCUMENT)
        host = Host(coordinator, "ward")
        host.connect({1: "", 2: ""})
        queries = dict(host.due())
        token = bundle.read_query(queries[1]).token
        asked = [
            pytacit.Request("GET", "/v1/studies/ward", bearer="nobody's"),
            pytacit.Request("POST", "/v1/studies/ward/tokens", bearer=token, body='{"uses": 3}'),
            pytacit.Request("DELETE", "/v1/studies/ward/agents", bearer=token),
        ]
        host.take(1, bundle.write_reply(bundle.Reply("wait", None, asked)))
        ((node, query),) = list(host.due())
        answers = bundle.read_query(query).answers
        assert node == 1 and [answers[bundle.key_of(request)].status for request in asked] == [401, 403, 405]
        assert coordinator.study_state("ward")["state"] == "running"


def test_odd_requests_do_no_harm(own_folder: Path) -> None:
    """Whatever a node sends as a request: it is refused, and the run goes on."""
    parts = ["", "/", "//", "/rounds/x/messages", f"/rounds/{10**30}/messages", "/agents", "/agents/-1:rotate", "/nope"]
    odd = [
        pytacit.Request(method, f"/v1/studies/ward{part}", query, protocol, bearer, "sign", "i" * 65, body)
        for part in parts
        for method in ("GET", "POST", "", "G E T")
        for query, protocol, bearer, body in (
            ("wait=-1&&=", "2", "x" * 5000, "[" * 50),
            ("a" * 3000, "0", "", "{}"),
            (None, None, "\u00e9", "no"),
        )
    ]
    with pytacit.Coordinator("memory:", listen=None) as coordinator:
        coordinator.create(DOCUMENT)
        before = coordinator.study_state("ward")
        host = Host(coordinator, "ward")
        host.connect({1: "", 2: ""})
        list(host.due())
        host.take(1, bundle.write_reply(bundle.Reply("wait", 0, odd)))
        ((_, query),) = list(host.due())
        statuses = [answer.status for answer in bundle.read_query(query).answers.values()]
        assert len(statuses) == len(odd) and all(400 <= status < 500 for status in statuses)
        host.tick()
        assert coordinator.study_state("ward") == before


@pytest.mark.parametrize(
    "content, sentence",
    [
        (None, "a query of tacit must be bytes, got NoneType"),
        (b"no", "a query of tacit must be JSON, and this one is not"),
        (b'{"version": 1, "study": 3, "answers": []}', "study of a query must be str, got int"),
        (b'{"version": 1, "study": "ward"}', "answers of a query must be list, got nothing"),
        (b'{"version": 1, "study": "ward", "answers": [{"to": "x", "status": "200"}]}', "status of a answer must be int, got str"),
        (b'{"version": 1, "study": "ward", "token": 3, "answers": []}', "token of a query must be str, got int"),
        (b'{"version": 9}', "the query is of version 9 and this pytacit speaks version 1"),
    ],
)  # fmt: skip
def test_a_query_that_is_none(content: Any, sentence: str, own_folder: Path, alone: None) -> None:
    record = ConfigRecord({} if content is None else {"query": content})
    message = Message(RecordDict({"tacit": record}), 100, "query.tacit")
    with pytest.raises(ValueError, match=re.escape(sentence)):
        apps()[100](message, Grid(apps()).contexts[100])


def test_bundles_come_back_as_they_were() -> None:
    requests = [
        pytacit.Request("POST", "/v1/studies/ward/agents", None, "2", "bearer", "signature", None, '{"key": "\u00e9"}'),
        pytacit.Request("GET", "/v1/studies/ward", "wait=0"),
    ]
    said = bundle.Reply("more", 3, requests)
    assert bundle.read_reply(bundle.write_reply(said)) == said
    query = bundle.Query("ward", None, {"a": pytacit.Answer(202, "\u00e9"), "b": pytacit.Answer(404)})
    assert bundle.read_query(bundle.write_query(query)) == query
    keys = {bundle.key_of(request) for request in [*requests, bundle.ask_once(requests[0])]}
    assert len(keys) == 3
    assert bundle.ask_once(requests[1]) == requests[1]
    once, other = bundle.ask_once(requests[0]), bundle.ask_once(replace(requests[0], body="{}"))
    assert once.idempotency and once.idempotency != other.idempotency


# ---- arguments


def test_what_a_server_app_refuses(own_folder: Path, alone: None) -> None:
    for wrong, kind, sentence in (
        ({"document": "ward.json"}, TypeError, "document must be a dictionary or a function that returns one, got str"),
        ({"storage": 3}, TypeError, "storage must be a str, got int"),
        ({"patience_s": "1"}, TypeError, "patience_s must be a number, got str"),
        ({"patience_s": 0}, ValueError, "patience_s must be above 0 and finite, got 0"),
        ({"patience_s": float("nan")}, ValueError, "patience_s must be above 0 and finite, got nan"),
        ({"patience_s": float("inf")}, ValueError, "patience_s must be above 0 and finite, got inf"),
        ({"ended": 3}, TypeError, "ended must be a function of an Outcome, got int"),
    ):
        with pytest.raises(kind, match=re.escape(sentence)):
            server_app(**{"document": DOCUMENT, **wrong})
    with pytest.raises(TypeError, match="document must be a dictionary or a function that returns one, got list"):
        run(Grid(apps()), lambda context: [])
    served = {key: value for key, value in DOCUMENT.items() if key not in ("federation", "privacy", "algorithm")}
    with pytest.raises(ValueError, match='study "ward" must be a federated one: its document has no "federation"'):
        run(Grid(apps()), served, "sqlite:///served.db")
    with pytest.raises(pytacit.ArgumentError, match="direction"):
        run(Grid(apps()), {**DOCUMENT, "direction": "sideways"})
    with pytest.raises(pytacit.StateError, match="direction"):
        with pytacit.Coordinator("sqlite:///coordinator.db", listen=None) as coordinator:
            coordinator.create(DOCUMENT)
        run(Grid(apps()), {**DOCUMENT, "direction": "maximize"})


def test_a_document_of_the_context(own_folder: Path, alone: None) -> None:
    run(Grid(apps()), lambda context: {**DOCUMENT, "trials": context.run_config["trials"]})
    assert len(trials_of("ward", "sqlite:///node-0.db")) == 3


def test_what_a_client_app_refuses(own_folder: Path, alone: None) -> None:
    with pytest.raises(TypeError, match="objective must be a function of a dict, got NoneType"):
        client_app(None)  # pyright: ignore
    with pytest.raises(TypeError, match="storage must be a str, got int"):
        client_app(loss, 3)  # pyright: ignore
    with pytest.raises(ValueError, match="whose braces do not match"):
        client_app(loss, "sqlite:///{node_id.db")
    app = client_app(loss, "sqlite:///{ward}-{node_id}.db")
    query = bundle.write_query(bundle.Query("ward", None, {}))
    message = Message(RecordDict({"tacit": ConfigRecord({"query": query})}), 100, "query.tacit")
    with pytest.raises(
        ValueError,
        match=re.escape("this node has no 'ward': start it with --node-config 'ward=...', or use {node_id}, {place}"),
    ):
        app(message, Grid(apps()).contexts[100])


def test_objectives_of_one_or_two_arguments(own_folder: Path, alone: None) -> None:
    seen: List[Any] = []

    class Trainer:
        def __call__(self, params: Any, context: Context, epochs: int = 3) -> float:
            seen.append((context.node_id, epochs))
            return 0.5

    grid = Grid({100: client_app(lambda params, scale=2.0: scale * params["dose"], "sqlite:///0.db", epsilon=6, delta=0.01),
                 101: client_app(Trainer(), "sqlite:///1.db", epsilon=6, delta=0.01)})  # fmt: skip
    assert run(grid).finished
    assert set(seen) == {(101, 3)}
    assert all(value == 2 * params["dose"] for params, value in trials_of("ward", "sqlite:///0.db"))
