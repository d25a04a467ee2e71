"""tacit over Flower: a federated study on SuperNodes that exist already. It needs flwr 1.22 or later.

    # server_app.py
    from pytacit.flower import server_app
    app = server_app(document={...}, storage="sqlite:///coordinator.db")

    # client_app.py
    from pytacit.flower import client_app
    app = client_app(objective, storage="sqlite:///node-{partition-id}.db", epsilon=6, delta=1e-5)

`flwr run` starts the coordinator in the process of the ServerApp and one agent on each SuperNode. The coordinator
needs no address of its own: all traffic travels in Flower messages of the type "query.tacit". A query brings answers,
and its reply brings the next requests of the agent. A node evaluates on its own data; trials and values stay in its
storage.

What protects what:

- An algorithm's message is clipped, paid for in the node's own ledger and signed with the node's key before it is put
  into a reply, as over HTTPS. The ServerApp adds the noise that the document demands, and keeps the coordinator's
  ledger. Every node checks this ledger with each broadcast.
- The ServerApp is the coordinator. It sees what a coordinator sees over HTTPS: who takes part, when, and the messages.
  The SuperLink passes on the same bytes, access tokens too, and may store them. Trust whoever runs the SuperLink as you
  trust the coordinator.
- TLS between SuperLink and SuperNodes, and the authentication of SuperNodes, are Flower's. With --insecure, everybody
  on the network path reads what the SuperLink reads.
- A ClientApp is code that the submitter of a run sends to the nodes. A node's ledger and its limit protect against a
  study that costs too much and against a dishonest coordinator. They do not protect against a ClientApp that somebody
  changed: `flower-supernode --trusted-entities` restricts whose apps a node runs.
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
