"""pytacit.flower: both halves by hand, and a real SuperLink with real SuperNodes on loopback."""

from __future__ import annotations

import json
import logging
from pathlib import Path
from typing import Any, Callable, Dict, Iterable, Iterator, List, Optional

import pytest
from flwr.app import ConfigRecord, Context, Error, Message, RecordDict

from flwr.supercore.task_identity import TaskIdentity

import pytacit
from pytacit.flower import Outcome, client_app, server, server_app
from pytacit.flower import _bundle as bundle
from pytacit.flower._host import Host

DOCUMENT: Dict[str, Any] = {
    "name": "ward", "direction": "minimize", "trials": 5, "seed": 7,
    "space": {"dose": {"type": "float", "low": 0, "high": 1}},
    "algorithm": {"name": "dp-fts-de", "features": 12, "initial": 2, "releases": "all"},
    "federation": {"agents": 2, "deadline_s": 600}, "privacy": {"epsilon": 5, "delta": 0.01},
}  # fmt: skip


def loss(params: Any, context: Context) -> float:
    return (params["dose"] - 0.2 - 0.3 * int(context.node_config["place"])) ** 2


class Grid:
    """Flower without its processes: a message to a node runs its ClientApp at once, and the reply waits to be pulled."""

    def __init__(self, apps: Dict[int, Any], folder: Path) -> None:
        self.apps, self.folder = apps, folder
        self.contexts = {
            node: Context(run_id=1, node_id=node, node_config={"place": i}, state=RecordDict(), run_config={})
            for i, node in enumerate(apps)
        }
        self.gone: Dict[int, int] = {}  # node -> Flower's code of the error that comes instead of its reply
        self.replies: Dict[str, Message] = {}
        self.passes = 0
        self.active = {node: "t0" for node in apps}
        self.before: Callable[[int], None] = lambda passes: None

    def get_nodes(self) -> Iterable[Any]:
        return [NodeInfo(node, self.active[node]) for node in self.apps if self.gone.get(node) != 5]

    def push_messages(self, messages: Iterable[Message]) -> List[Optional[str]]:
        self.passes += 1
        self.before(self.passes)
        return [self._push(message) for message in messages]

    def _push(self, message: Message) -> str:
        assert message.metadata.message_type == "query.tacit"
        node, name = message.metadata.dst_node_id, f"m{len(self.replies)}"
        message.metadata.__dict__["_message_id"] = name
        if node in self.gone:
            self.replies[name] = Message(Error(self.gone[node], "gone"), reply_to=message)
        else:
            self.replies[name] = self.apps[node](message, self.contexts[node])
        return name

    def pull_messages(self, ids: Iterable[str]) -> List[Message]:
        return [self.replies[name] for name in ids]


class NodeInfo:
    def __init__(self, node_id: int, last_activated_at: str) -> None:
        self.node_id, self.last_activated_at = node_id, last_activated_at


def context() -> Context:
    return Context(run_id=1, node_id=1, node_config={}, state=RecordDict(), run_config={"trials": 3})


@pytest.fixture
def alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """What a process of Flower's sets before it runs an app; and the loop does not sleep."""
    monkeypatch.setattr(server, "POLL_S", 0.0)
    for name, number in (("run_id", 1), ("node_id", 1), ("task_id", 1)):
        monkeypatch.setattr(TaskIdentity, f"_{name}", number, raising=False)


def run(
    grid: Any, document: Any = DOCUMENT, storage: str = "sqlite:///coordinator.db", **options: Any
) -> Outcome:
    ended: List[Outcome] = []
    app = server_app(document, storage, ended=ended.append, **options)
    app(grid, context())
    assert len(ended) == 1
    return ended[0]


def apps(n: int = 2, objective: Any = loss, **options: Any) -> Dict[int, Any]:
    given = {"epsilon": 6, "delta": 0.01, "storage": "sqlite:///node-{place}.db", **options}
    return {100 + i: client_app(objective, **given) for i in range(n)}


def test_a_study_without_processes(own_folder: Path, alone: None) -> None:
    grid = Grid(apps(), own_folder)
    outcome = run(grid)
    print(grid.passes, outcome)
    assert outcome.finished and outcome.study == "ward"
