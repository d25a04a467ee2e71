"""The ClientApp: an agent with a storage and a ledger of the node's own."""

from __future__ import annotations

import inspect
import string
from typing import Any, Callable, Dict, Mapping, Optional, Union

from flwr.app import ConfigRecord, Context, Message, RecordDict
from flwr.clientapp import ClientApp

from .._optimize import Objective
from ..study import Catch
from ..trial import ParamValue
from ._bundle import Reply, read_query, write_reply
from ._guest import Terms, take_part

#: The value at a point: of the parameters alone, or also of the node's context, which says which data are its own.
NodeObjective = Union[Objective, Callable[[Mapping[str, ParamValue], Context], float]]
#: As Agent takes them, or a function of the node's context.
Records = Union[int, Mapping[str, Any], Callable[[Context], Union[int, Mapping[str, Any]]]]


def client_app(
    objective: NodeObjective,
    storage: str = "sqlite:///node-{node_id}.db",
    *,
    epsilon: float = 0.0,
    delta: float = 0.0,
    ledger: Optional[str] = None,
    local_name: Optional[str] = None,
    records: Optional[Records] = None,
    consider: Optional[Callable[[Dict[str, Any]], None]] = None,
    catch: Catch = (),
    accept_not_private: bool = False,
    accept_restored: bool = False,
    test_seed: Optional[int] = None,
) -> ClientApp:
    """A ClientApp that takes part in the study of a server_app.

    objective: is called with the parameters of a trial, and with the node's context if it takes two arguments;
    context.node_config is what --node-config of `flower-supernode` says.
    storage: the node's own, for its key, its trials and its ledger. {node_id}, and names of --node-config such as {partition-id},
    stand for their values. A SuperNode that is started anew gets another id unless it has a key (--auth-supernode-private-key):
    name the storage by a value of --node-config, and it goes on. A relative path is in the folder where the SuperNode was started.
    epsilon, delta: what the node's ledger may spend in all; 0: epsilon 10, and no study that may spend more.
    records: in a study that protects validation records: how many the node has, or what Study.protect takes, or a function
    of the context that returns one of these.
    catch: exceptions of the objective that make a trial fail and nothing else; any other ends the node's part in this run.
    test_seed: the node's secrets come from it: NOT PRIVATE. The other arguments are those of pytacit.Agent.

    What goes wrong on a node is in its own log. The ServerApp hears that the node has refused or failed, and no reason.
    """
    if not callable(objective):
        raise TypeError(f"objective must be a function of a dict, got {type(objective).__name__}")
    _storage_of(storage, None)
    options: Dict[str, Any] = {
        "epsilon": epsilon,
        "delta": delta,
        "ledger": ledger,
        "local_name": local_name,
        "consider": consider,
        "accept_not_private": accept_not_private,
        "accept_restored": accept_restored,
        "test_seed": test_seed,
    }
    app = ClientApp()

    @app.query("tacit")
    def query(message: Message, context: Context) -> Message:  # pyright: ignore
        record = message.content.get("tacit")
        asked = read_query(record.get("query") if isinstance(record, ConfigRecord) else None)
        mine = {**options, "records": records(context) if callable(records) else records}
        if test_seed is not None:
            mine["test_key"] = context.node_id % 2**63  # keys differ; all else is as the seed says
        terms = Terms(_storage_of(storage, context), mine, catch)
        reply: Reply = take_part(asked, terms, _bind(objective, context))
        content = RecordDict({"tacit": ConfigRecord({"reply": write_reply(reply)})})
        return Message(content, reply_to=message)

    return app


def _bind(objective: NodeObjective, context: Context) -> Objective:
    """An objective that takes two arguments gets the context."""
    try:
        inspect.signature(objective).bind({})
    except TypeError:
        both: Any = objective
        return lambda params: both(params, context)
    except ValueError:  # a builtin without a signature
        pass
    one: Any = objective
    return one


def _storage_of(storage: Any, context: Optional[Context]) -> str:
    """The node's storage; without a context only the text is checked."""
    if not isinstance(storage, str):
        raise TypeError(f"storage must be a str, got {type(storage).__name__}")
    try:
        names = [name for _, name, _, _ in string.Formatter().parse(storage) if name is not None]
    except ValueError as why:
        raise ValueError(f"storage is {storage!r}, whose braces do not match: {why}") from None
    if context is None:
        return storage
    values = {**context.node_config, "node_id": context.node_id}
    for name in names:
        if name not in values:
            raise ValueError(
                f"storage is {storage!r}, and this node has no {name!r}: start it with --node-config '{name}=...', or use "
                + ", ".join("{%s}" % known for known in sorted(values))
            )
    return storage.format_map(values)
