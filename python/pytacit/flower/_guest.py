"""The node's half: each query opens the agent from its storage, lets it work, and brings back its next requests.

An agent calls its coordinator and waits for the answer, but a query has only one reply. So a query ends at the first
request that it brought no answer to. The reply carries this request, and the next query brings the answer. The agent is
opened again from its storage, makes the same requests with the same bytes, and goes on from there, as after a crash.
"""

from __future__ import annotations

import logging
import time
from dataclasses import dataclass
from typing import Any, Callable, Dict, Mapping, Optional, Tuple

from .._optimize import Objective
from ..agent import Agent
from ..errors import BusyError
from ..exchange import Answer, Request
from ..study import Catch
from ._bundle import Query, Reply, ask_once, key_of

#: A child of Flower's logger. A SuperNode prints it for its owner; nothing of it is sent.
LOG = logging.getLogger("flwr.tacit")

#: A query that has run so long ends after the present trial: the ServerApp hears that the node is alive.
SLICE_S = 30.0


class Unanswered(Exception):
    """The query has no answer to this request."""


class Way:
    """The agent's way to its coordinator during one query."""

    def __init__(self, answers: Mapping[str, Answer]) -> None:
        self._answers = answers
        self.asked: Dict[str, Request] = {}

    def __call__(self, request: Request) -> Answer:
        request = ask_once(request)
        key = key_of(request)
        self.asked[key] = request
        if key not in self._answers:
            raise Unanswered
        return self._answers[key]


@dataclass(frozen=True)
class Terms:
    """The arguments of Agent that the node decides."""

    storage: str
    options: Mapping[str, Any]
    catch: Catch = ()


def take_part(query: Query, terms: Terms, objective: Objective, now: Callable[[], float] = time.monotonic) -> Reply:
    """Does what can be done with the answers of this query."""
    way = Way(query.answers)
    outcome, number = _take_part(way, query, terms, objective, now)
    return Reply(outcome, number, list(way.asked.values()))


def _take_part(
    way: Way, query: Query, terms: Terms, objective: Objective, now: Callable[[], float]
) -> Tuple[str, Optional[int]]:
    try:
        agent = Agent(
            way, query.study, query.token, storage=terms.storage, patience_s=0, note=LOG.warning, **terms.options
        )
    except Unanswered:
        return "wait", None
    except BusyError:
        return "busy", None
    except Exception as why:  # the sentence is not sent: it may name this node's limits or data
        LOG.error('this node takes no part in study "%s": %s', query.study, why)
        return "refused", None
    with agent:
        return _work(agent, query.study, terms.catch, objective, now), agent.number


def _work(agent: Agent, study: str, catch: Catch, objective: Objective, now: Callable[[], float]) -> str:
    until = now() + SLICE_S
    try:
        while True:
            following = agent.step()
            if following != "trial":
                return following
            agent.evaluate(objective, catch)
            if now() >= until:
                return "more"
    except Unanswered:
        return "wait"
    except Exception:  # of the storage; of the objective, where no records are protected
        LOG.exception('this node stops its part in study "%s"', study)
        return "failed"
