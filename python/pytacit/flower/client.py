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

    objective: a function of the parameters of a trial. If it takes two arguments, the second one is the node's context:
        context.node_config has what --node-config of `flower-supernode` says.
    storage: the node's own, for its key, its trials and its ledger. {node_id} and the names in --node-config, such as
        {partition-id}, stand for their values. A relative path is in the folder where the SuperNode was started.
        A SuperNode gets a new node_id at each start unless it has a key (--auth-supernode-private-key): with a value of
        --node-config in the name, it finds its storage again.
    epsilon, delta: what the node's ledger may spend in all; 0: epsilon 10, and no study that may spend more.
    records: in a study that protects validation records: how many the node has, a dictionary of what Study.protect
        takes, or a function of the context that returns one of these.
    catch: exceptions of the objective that only make a trial fail. Any other exception ends the node's part in the run.
        Where records are protected, none does: nobody may see that an evaluation failed, and the node's log says why.
    test_seed: the node's secrets come from it: NOT PRIVATE.

    The other arguments are those of pytacit.Agent. The node's own log says what goes wrong on it; the ServerApp
    hears that the node refused or failed, but not why.
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
                f"storage is {storage!r}, and this node has no {name!r}: start it with --node-config '{name}=...', or "
                + "use "
                + ", ".join("{%s}" % known for known in sorted(values))
            )
    return storage.format_map(values)
