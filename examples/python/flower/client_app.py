"""A node's side: its data, what it evaluates on them, and how much may be learnt of them in all."""

from __future__ import annotations

from typing import Any, Mapping

from flwr.app import Context

from pytacit.flower import client_app


def loss(params: Mapping[str, Any], context: Context) -> float:
    """Yours trains a model here, on the data of this node alone."""
    best = 0.3 + 0.2 * int(context.node_config["partition-id"])
    return (params["dose"] - best) ** 2 + (params["hours"] - 6) ** 2 / 100


app = client_app(loss, storage="sqlite:///node-{partition-id}.db", epsilon=6, delta=0.01)
