"""tacit over Flower: a federated study on SuperNodes that are there already. It needs flwr 1.21 or later.

    # server_app.py
    from pytacit.flower import server_app
    app = server_app(document={...}, storage="sqlite:///coordinator.db")

    # client_app.py
    from pytacit.flower import client_app
    app = client_app(objective, storage="sqlite:///node-{partition-id}.db", epsilon=6, delta=1e-5)

`flwr run` starts the coordinator in the ServerApp's process and an agent on each SuperNode. Nobody needs an address of the
coordinator: all traffic travels in Flower messages of the type "query.tacit". A query brings answers, and a reply brings
the requests that the agent makes of them. A node evaluates on its own data; trials and values stay in its storage.

What protects what:

- A message of an algorithm is clipped, paid for in the node's own ledger, and signed with the node's key before it is in a
  reply, as over HTTPS. The ServerApp adds the noise, as the document says, and keeps the coordinator's ledger, which
  every node checks with each broadcast.
- The coordinator sees what it sees over HTTPS: who takes part, when, and the messages. The ServerApp is the coordinator. The
  SuperLink passes the same bytes on, tokens too, and may keep them: who runs it must be trusted as the coordinator is.
- Between SuperLink and SuperNodes, TLS and the authentication of nodes are Flower's. Without them (--insecure) whoever is
  on the way reads what the SuperLink reads.
- A ClientApp is code that whoever submits a run sends to the nodes. A ledger and its limit protect from a study that costs
  too much and from a coordinator that lies, and not from a ClientApp that was changed: --trusted-entities of
  `flower-supernode` says whose apps a node runs.
"""

from __future__ import annotations

try:
    import flwr as _flwr  # pyright: ignore
except ImportError as _missing:
    raise ImportError("pytacit.flower needs Flower: pip install flwr") from _missing

from ._host import NodeOutcome, Outcome, RoundOutcome
from .client import client_app
from .server import server_app

__all__ = ["NodeOutcome", "Outcome", "RoundOutcome", "client_app", "server_app"]
