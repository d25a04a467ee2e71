"""The ServerApp: a coordinator in its process, and a loop that carries queries and replies."""

from __future__ import annotations

import math
import time
from typing import Any, Callable, Dict, List, Mapping, Optional, Union

from flwr.app import ConfigRecord, Context, Message, RecordDict
from flwr.serverapp import Grid, ServerApp

from .._library import real
from ..coordinator import Coordinator
from ._host import Host, Outcome

#: A study document, or a function of the run's context that returns one; context.run_config has --run-config.
Document = Union[Mapping[str, Any], Callable[[Context], Mapping[str, Any]]]

POLL_S = 1.0
TTL_MORE_S = 60.0  # a node is silent before its message ends
NODE_UNAVAILABLE, APP_CRASHED = 5, 8  # of Flower's ErrorCode, which numbers them so
APP_ERRORS = (1, 2, 6, 7, APP_CRASHED)  # the ClientApp cannot be loaded, or raised


def server_app(
    document: Document,
    storage: str = "sqlite:///coordinator.db",
    *,
    patience_s: float = 3600.0,
    ended: Optional[Callable[[Outcome], None]] = None,
    test_seed: Optional[int] = None,
) -> ServerApp:
    """A ServerApp that coordinates the study of this document; the run ends with the study.

    document: of a federated study, as `tacit serve` takes it, or a function of the run's context that returns one.
        federation.deadline_s lets a round end without the SuperNodes that are gone.
    storage: the coordinator's, for the study, its roster, its rounds and its ledger. A later run with the same storage
        goes on where an earlier run stopped. A relative path is in the folder where the SuperLink was started.
    patience_s: the run does not wait longer for the reply of a SuperNode. It must be longer than one evaluation.
    ended: a function that is called with the Outcome of the run.
    test_seed: noise, keys and tokens come from it: NOT PRIVATE.

    The run begins when as many SuperNodes are connected as the study has agents. A study whose places are all taken
    goes on with the SuperNodes that are connected. The run fails (RuntimeError) if no node has finished the study.
    """
    if not callable(document):
        _check_document(document)
    if not isinstance(storage, str):  # pyright: ignore
        raise TypeError(f"storage must be a str, got {type(storage).__name__}")
    if not 0 < real(patience_s, "patience_s") < math.inf:
        raise ValueError(f"patience_s must be above 0 and finite, got {patience_s}")
    if ended is not None and not callable(ended):
        raise TypeError(f"ended must be a function of an Outcome, got {type(ended).__name__}")
    app = ServerApp()

    @app.main()
    def main(grid: Grid, context: Context) -> None:  # pyright: ignore
        made = _check_document(document(context) if callable(document) else document)
        with Coordinator(storage, listen=None, test_seed=test_seed) as coordinator:
            coordinator.create(made, reuse=True)
            host = Host(coordinator, str(made["name"]), patience_s)
            _coordinate(grid, host, patience_s)
            outcome = host.outcome()
        if ended is not None:
            ended(outcome)
        if not any(node.standing == "done" for node in outcome.nodes.values()):
            raise RuntimeError(_nobody(outcome))

    return app


def _check_document(document: Any) -> Mapping[str, Any]:
    if not isinstance(document, Mapping):
        raise TypeError(f"document must be a dictionary or a function that returns one, got {type(document).__name__}")
    return document  # pyright: ignore


def _nobody(outcome: Outcome) -> str:
    stand = ", ".join(f"{number} is {node.standing}" for number, node in outcome.nodes.items())
    there = f"of {outcome.state['agents']} SuperNodes that it needs, there are {len(outcome.nodes)}"
    return f'no SuperNode has finished study "{outcome.study}": {there}' + (f" ({stand})" if stand else "")


def _coordinate(grid: Grid, host: Host, patience_s: float) -> None:
    asked: Dict[str, int] = {}  # id of a message -> its node
    while not host.ended():
        host.connect(_connected(grid))
        for reply in grid.pull_messages(list(asked)) if asked else ():
            node = asked.pop(reply.metadata.reply_to_message_id, None)
            if node is not None:
                _take(host, node, reply)
        host.tick()
        nodes: List[int] = []
        messages: List[Message] = []
        for node, query in host.due():
            content = RecordDict({"tacit": ConfigRecord({"query": query})})
            nodes.append(node)
            messages.append(Message(content, node, "query.tacit", ttl=patience_s + TTL_MORE_S))
        ids = list(grid.push_messages(messages)) if messages else []
        for i, node in enumerate(nodes):
            if i < len(ids) and ids[i]:
                asked[ids[i]] = node
            else:  # Flower did not take it, and its log says why
                host.lose(node, "failed")
        time.sleep(POLL_S)


def _connected(grid: Grid) -> Dict[int, str]:
    """Nodes, and since when; Flower before 1.39 does not say that."""
    if not hasattr(grid, "get_nodes"):
        return {node: "" for node in grid.get_node_ids()}
    return {node.node_id: node.last_activated_at for node in grid.get_nodes()}


def _take(host: Host, node: int, reply: Message) -> None:
    if reply.has_error():
        code = reply.error.code
        host.lose(node, "offline" if code == NODE_UNAVAILABLE else "failed" if code in APP_ERRORS else "lost")
        return
    record = reply.content.get("tacit")
    host.take(node, record.get("reply") if isinstance(record, ConfigRecord) else None)
