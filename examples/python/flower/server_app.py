"""The coordinator's side: what is searched, by how many, and what may be learnt about each."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import Any, Dict

from flwr.app import Context

from pytacit.flower import Outcome, server_app


def document(context: Context) -> Dict[str, Any]:
    """The study; `flwr run --run-config 'trials=20'` changes how long it is."""
    return {
        "name": "ward",
        "direction": "minimize",
        "trials": context.run_config["trials"],
        "space": {"dose": {"type": "float", "low": 0, "high": 1}, "hours": {"type": "int", "low": 1, "high": 12}},
        "algorithm": {"name": "dp-fts-de", "features": 24, "initial": 3, "releases": "all"},
        "federation": {"agents": 2, "deadline_s": context.run_config["deadline-s"]},
        "privacy": {"epsilon": 5, "delta": 0.01},
    }


def ended(outcome: Outcome) -> None:
    """What is left of the run: who finished, who did not answer, and the ledger, which anybody can check."""
    Path("outcome.json").write_text(json.dumps(asdict(outcome), indent=2), encoding="utf-8")


app = server_app(document, "sqlite:///coordinator.db", patience_s=3600, ended=ended)
