"""Studies at a coordinator: the same calls, over TLS on loopback."""

from __future__ import annotations

import json
import os
import subprocess

import pytest
from conftest import SPACE, bowl

import pytacit

TACIT = os.environ.get("TACIT_BIN", "tacit")
pytestmark = pytest.mark.skipif(not pytacit.has_network, reason="tacit was built without the network")


@pytest.fixture
def served(own_folder):
    """A coordinator: url, fingerprint, and the operator's token."""
    process = subprocess.Popen(
        [TACIT, "serve", "--listen", "127.0.0.1:0", "--storage", f"sqlite:///{own_folder}/c.db", "--format", "json"],
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        yield json.loads(process.stdout.readline())
    finally:
        process.kill()
        process.communicate()


@pytest.mark.parametrize("jobs", [1, 3])
def test_a_served_study(served, jobs):
    where = {"storage": served["url"], "fingerprint": served["fingerprint"], "token": served["operator_token"]}
    study = pytacit.create_study("far", SPACE, "minimize", trials=6, seed=2, algorithm="random", **where)
    near = pytacit.create_study("far", SPACE, "minimize", "memory:", trials=6, seed=2, algorithm="random")
    study.optimize(bowl, n_jobs=jobs)
    near.optimize(bowl)
    assert [(t.params, t.value) for t in study.trials] == [(t.params, t.value) for t in near.trials]
    with pytest.raises(pytacit.BudgetError):
        study.ask()
    assert pytacit.get_all_study_names(**where) == ["far"]
    assert pytacit.load_study("far", **where).best_value == near.best_value


def test_an_interruption_at_a_coordinator(served):
    where = {"storage": served["url"], "fingerprint": served["fingerprint"], "token": served["operator_token"]}
    study = pytacit.create_study("far", SPACE, "minimize", trials=3, algorithm="random", **where)

    def interrupted(params):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        study.optimize(interrupted)
    study.optimize(bowl)
    assert [trial.state.name for trial in study.trials] == ["COMPLETE"] * 3


def test_doors_stay_shut(served):
    url, fingerprint = served["url"], served["fingerprint"]
    with pytest.raises(pytacit.ArgumentError, match="token"):
        pytacit.load_study("far", url, fingerprint=fingerprint)
    with pytest.raises(pytacit.TacitError):
        pytacit.load_study("far", url, fingerprint=fingerprint, token="wrong", patience_s=-1)
    with pytest.raises(pytacit.TacitError, match="fingerprint|key"):
        other = "sha256//" + "A" * 43 + "="
        pytacit.load_study("far", url, fingerprint=other, token=served["operator_token"], patience_s=-1)
