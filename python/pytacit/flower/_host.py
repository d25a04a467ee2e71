"""The server's half: a coordinator in this process and, for each node, its last requests and the answers to them.

This file does not know Flower: its caller says who is connected and what came back, and asks what to send.

A node gets its next query when its answers are there. While a request waits for the end of a round, the host repeats
it once a second and the node rests. Then the host answers all requests of the node's last reply again, without a tick
in between, so that the answers agree with each other: the ledger contains the round whose broadcast the node hears. A
repeated request has no second effect (src/coord/README.md).
"""

from __future__ import annotations

import json
import logging
import re
import time
from dataclasses import dataclass, field, replace
from typing import Any, Callable, Dict, Iterator, List, Mapping, Optional, Set, Tuple

from ..coordinator import Coordinator
from ..exchange import Answer, Request
from ._bundle import BundleError, Query, Reply, key_of, read_reply, write_query

LOG = logging.getLogger("flwr.tacit")

#: How long a run's join token is valid.
TOKEN_S = 30 * 86400.0
PAUSE_FIRST_S, PAUSE_MOST_S = 1.0, 30.0
ERRORS_MOST = 3  # in a row, of a node whose ClientApp raises

#: Where a node can stand at the end of a run.
FINAL = ("done", "refused", "failed")


@dataclass
class NodeOutcome:
    """Where a node stands."""

    agent: Optional[int] = None  #: its number on the roster; None: it has taken no place in this run
    #: "done"; "refused": it takes no part; "failed": its objective or its storage failed; "offline"; "silent": it did
    #: not reply within patience_s; "working": it has a query; "waiting": for others, or for the end of a round.
    #: The node's own log says why it refused or failed; the reason is not sent.
    standing: str = "waiting"


@dataclass
class RoundOutcome:
    """A round that ended during this run."""

    round: int
    phase: str  #: "closed", or "void": it released nothing
    missing: Optional[List[int]]  #: agents that did not answer in time; None: not known, it began in an earlier run


@dataclass
class Outcome:
    """What came of a run."""

    study: str
    finished: bool  #: all agents have evaluated all planned trials
    nodes: Dict[int, NodeOutcome] = field(default_factory=lambda: {})  #: by the id of a SuperNode
    rounds: List[RoundOutcome] = field(default_factory=lambda: [])
    state: Dict[str, Any] = field(default_factory=lambda: {})  #: as Coordinator.study_state returns it
    ledger: Dict[str, Any] = field(default_factory=lambda: {})  #: as Coordinator.study_ledger returns it


class _Node:
    """What is known of a node in this run."""

    def __init__(self, now: float, active: str) -> None:
        self.outcome = NodeOutcome()
        self.connected = True
        self.active = active  # when its process connected, as Flower says
        self.asked = False  # a query is under way
        self.since = now  # of the query, or of the last sign of life
        self.requests: List[Request] = []  # of its last reply
        self.rests: Optional[List[Request]] = None  # requests that it rests for; None: not tried since the reply
        self.given: Set[str] = set()  # keys of the requests that the last query answered
        self.pause_s = 0.0
        self.not_before = now
        self.errors = 0

    @property
    def final(self) -> bool:
        return self.outcome.standing in FINAL


class Host:
    """Coordinates one study for nodes that are asked by queries."""

    def __init__(
        self,
        coordinator: Coordinator,
        study: str,
        patience_s: float = 3600.0,
        now: Callable[[], float] = time.monotonic,
    ) -> None:
        self._coordinator, self._study = coordinator, study
        self._patience_s, self._now = patience_s, now
        state = coordinator.study_state(study)
        if "agents" not in state:
            raise ValueError(f'study "{study}" must be a federated one: its document has no "federation"')
        self._agents = int(state["agents"])
        # A full roster needs one, too: a node may have its place and not know, if an earlier run ended in between.
        self._token = coordinator.invite(study, self._agents, expires_s=TOKEN_S)
        self._gathered = int(state["enrolled"]) >= self._agents  # it goes on with those who are there
        self._nodes: Dict[int, _Node] = {}
        self._answered: Dict[int, Set[int]] = {}  # round -> agents
        self._rounds: List[RoundOutcome] = []
        self._began = state["round"]  # the round of an earlier run
        self._present: Any = state["round"]
        self._hears = False  # agents of this study hear broadcasts
        self._last_life = now()

    # ---- who is there

    def connect(self, nodes: Mapping[int, str]) -> None:
        """The nodes that are connected now, and when each of them connected ("": not known)."""
        for number, active in nodes.items():
            node = self._nodes.get(number)
            if node is None:
                node = self._nodes[number] = _Node(self._now(), active)
                self._last_life = self._now()
            elif node.active != active or node.outcome.standing == "offline":
                self._came_back(number, node)
            node.connected, node.active = True, active
        for number, node in self._nodes.items():
            node.connected = number in nodes
        if not self._gathered and len(nodes) >= self._agents:
            self._gathered = True
            LOG.info('study "%s": %d SuperNodes are connected, it begins', self._study, len(nodes))

    def _came_back(self, number: int, node: _Node) -> None:
        """Another process of the node: the query of the former one is lost, and is sent again."""
        if node.outcome.standing == "done":
            return
        node.asked, node.errors, node.pause_s, node.not_before = False, 0, 0.0, self._now()
        node.outcome.standing = "waiting"
        LOG.info('study "%s": node %d is back', self._study, number)

    # ---- asking

    def due(self) -> Iterator[Tuple[int, bytes]]:
        """Nodes that can be asked now, with their queries. Each counts as asked until take or lose is called."""
        if not self._gathered:
            return
        for number, node in list(self._nodes.items()):
            if node.asked or node.final or not node.connected or self._now() < node.not_before:
                continue
            answers = self._answers(node)
            if answers is None:
                continue
            token = self._token if node.outcome.agent is None else None
            node.asked, node.since, node.rests = True, self._now(), None
            node.given = set(answers)
            if node.outcome.standing != "silent":
                node.outcome.standing = "working"
            yield number, write_query(Query(self._study, token, answers))

    def _answers(self, node: _Node) -> Optional[Dict[str, Answer]]:
        """The answers to what the node asked last and will ask next; None: not yet."""
        if node.rests and all(self._coordinator.answer(request).waits for request in node.rests):
            return None
        answers: Dict[str, Answer] = {}
        rests: List[Request] = []
        asked = list(node.requests)
        for request in asked:  # grows
            key = key_of(request)
            if key in answers:
                continue
            answer = self._coordinator.answer(request)
            if answer.status in (429, 503):  # it is too busy, or has just started
                node.not_before = self._now() + PAUSE_FIRST_S
                return None
            answers[key] = answer
            self._note(node, request, answer)
            if answer.waits:
                rests.append(request)
            asked.extend(self._following(request, answer))
        looked_before, node.rests = node.rests is not None, rests
        return answers if looked_before or not rests else None

    def _following(self, request: Request, answer: Answer) -> Iterator[Request]:
        """What an agent is going to ask after such an answer. A wrong guess costs one more query, nothing else."""

        def get(rest: str, query: Optional[str] = None, bearer: Optional[str] = request.bearer) -> Request:
            path = f"/v1/studies/{self._study}{rest}"
            return Request("GET", path, query=query, protocol=request.protocol, bearer=bearer)

        sent = re.search(r"/rounds/(\d+)/messages$", request.path)
        if request.path.endswith("/agents") and answer.status in (200, 201):
            access = str(json.loads(answer.body).get("access"))
            yield get("", bearer=access)
            yield get("/privacy", "after=0&limit=1000", access)
        elif request.path == f"/v1/studies/{self._study}" and answer.status == 200:
            yield get("/points")
        elif sent and self._hears:
            yield get(f"/rounds/{sent[1]}/broadcast", "wait=0")
        elif request.path.endswith("/privacy") and answer.status == 200:
            entries: List[Dict[str, Any]] = json.loads(answer.body).get("entries") or []
            if entries:
                yield get("/privacy", f"after={int(entries[-1]['seq'])}&limit=1000")

    def _note(self, node: _Node, request: Request, answer: Answer) -> None:
        """Notes who has answered which round. To decline is an answer, too."""
        sent = re.search(r"/rounds/(\d+)/messages$", request.path)
        if sent and request.method == "POST" and answer.status in (200, 202) and node.outcome.agent is not None:
            self._answered.setdefault(int(sent[1]), set()).add(node.outcome.agent)

    # ---- hearing

    def take(self, number: int, content: Any) -> None:
        """The reply of a node."""
        node = self._nodes.get(number)
        if node is None:  # it was restarted meanwhile, under another id
            return
        node.asked, node.since, self._last_life = False, self._now(), self._now()
        try:
            reply = read_reply(content)
            self._check(reply)
        except BundleError as why:
            LOG.error("the reply of node %d is refused: %s", number, why)
            node.outcome.standing = "failed"
            return
        node.errors, node.requests, node.rests = 0, reply.requests, None
        self._hears |= any(request.path.endswith("/broadcast") for request in reply.requests)
        if reply.agent is not None and node.outcome.agent != reply.agent:
            self._place(number, node, reply.agent)
        node.outcome.standing = reply.outcome if reply.outcome in FINAL else "waiting"
        if node.final:
            LOG.info('study "%s": node %d is %s', self._study, number, reply.outcome)
        nothing_new = all(key_of(request) in node.given for request in reply.requests)
        if reply.outcome == "busy" or (reply.outcome == "wait" and nothing_new):
            self._rest(node)
        else:
            node.pause_s = 0.0
        if not node.final:
            self._answers(node)  # at once: what it sent has arrived, even if the node is gone in a second

    def _check(self, reply: Reply) -> None:
        """Agents ask about their own study alone; the coordinator checks the rest."""
        for request in reply.requests:
            if not re.match(f"/v1/studies/{re.escape(self._study)}(/|$)", request.path):
                raise BundleError(f"it asks for {request.path[:100]!r}, which is nothing of this study's")
        if reply.agent is not None and not 0 <= reply.agent < self._agents:
            raise BundleError(f"agent must be from 0 to {self._agents - 1}, got {reply.agent}")

    def _place(self, number: int, node: _Node, agent: int) -> None:
        """Notes the agent that a node is. A node that was restarted may have another id, and the same storage."""
        for other, earlier in list(self._nodes.items()):
            if earlier is node or earlier.outcome.agent != agent:
                continue
            if not earlier.connected:
                del self._nodes[other]
                continue
            LOG.warning(
                'study "%s": nodes %d and %d are agent %d: one of them was restarted, or they share a storage',
                self._study,
                other,
                number,
                agent,
            )
        node.outcome.agent = agent
        LOG.info('study "%s": node %d is agent %d', self._study, number, agent)

    def lose(self, number: int, why: str) -> None:
        """The last query has no reply. why: the node is "offline", its ClientApp "failed", or a message was "lost"."""
        node = self._nodes.get(number)
        if node is None:
            return
        node.asked = False
        self._rest(node)
        LOG.warning('study "%s": no reply of node %d: %s', self._study, number, why)
        if why == "offline":
            node.outcome.standing, node.connected = "offline", False
        elif why == "failed":
            node.errors += 1
            node.outcome.standing = "failed" if node.errors >= ERRORS_MOST else "waiting"
        elif node.outcome.standing != "silent":
            node.outcome.standing = "waiting"

    def _rest(self, node: _Node) -> None:
        """Longer each time."""
        node.pause_s = min(PAUSE_MOST_S, 2 * node.pause_s or PAUSE_FIRST_S)
        node.not_before = self._now() + node.pause_s

    # ---- time

    def tick(self) -> None:
        """Closes rounds that are complete or whose time is up; call it every second."""
        self._coordinator.tick()
        present = self._coordinator.study_state(self._study)["round"]
        was, self._present = self._present, present
        if present is None or present["phase"] not in ("closed", "void") or present == was:
            return
        number = int(present["number"])
        missing = sorted(set(range(self._agents)) - self._answered.pop(number, set()))
        began_earlier = self._began is not None and self._began["number"] == number
        self._rounds.append(RoundOutcome(number, str(present["phase"]), None if began_earlier else missing))
        if missing and not began_earlier:
            names = ", ".join(str(agent) for agent in missing)
            LOG.warning('study "%s": round %d ended, and agents %s did not answer', self._study, number, names)

    def _is_silent(self, node: _Node) -> bool:
        return node.asked and self._now() - node.since > self._patience_s

    def ended(self) -> bool:
        """Is there nothing left to wait for?"""
        done = {node.outcome.agent for node in self._nodes.values() if node.outcome.standing == "done"}
        if len(done) >= self._agents:
            return True
        for node in self._nodes.values():
            if node.connected and self._is_silent(node):
                node.outcome.standing = "silent"
        standing = [node.outcome.standing for node in self._nodes.values() if node.connected]
        if "working" in standing:
            return False
        if "waiting" not in standing and any(node.final for node in self._nodes.values()):
            return True
        return self._now() - self._last_life > self._patience_s and not self._has_deadline()

    def _has_deadline(self) -> bool:
        """Is a round open that will end by itself?"""
        return self._present is not None and self._present["phase"] == "open" and self._present["deadline_ms"] > 0

    def outcome(self) -> Outcome:
        """What came of it."""
        agents = [node.outcome.agent for node in self._nodes.values()]
        for number, node in list(self._nodes.items()):
            if not node.connected and not node.final:
                node.outcome.standing = "offline"
                if node.outcome.agent is not None and agents.count(node.outcome.agent) > 1:
                    del self._nodes[number]  # it was restarted, under another id
        done = {node.outcome.agent for node in self._nodes.values() if node.outcome.standing == "done"}
        return Outcome(
            self._study,
            len(done) == self._agents,
            {number: replace(node.outcome) for number, node in self._nodes.items()},
            list(self._rounds),
            self._coordinator.study_state(self._study),
            self._coordinator.study_ledger(self._study),
        )
