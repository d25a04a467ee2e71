"""Studies at a coordinator: the same calls, over TLS on loopback."""

from __future__ import annotations

import json
import os
import queue
import subprocess
import sys
import threading
from pathlib import Path

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


def test_the_way_to_a_coordinator(served, monkeypatch):
    where = {"storage": served["url"], "fingerprint": served["fingerprint"], "token": served["operator_token"]}
    assert pytacit.get_all_study_names(**where, proxy="none") == []
    with pytest.raises(pytacit.ArgumentError, match="the proxy must be like http://host:3128"):
        pytacit.get_all_study_names(**where, proxy="socks5://127.0.0.1:1")
    with pytest.raises(pytacit.NotFoundError, match="nothing.pem"):
        pytacit.get_all_study_names(**where, ca="nothing.pem")
    with pytest.raises(pytacit.NotFoundError, match="nothing.pem"):
        pytacit.Agent(served["url"], "ward", "token", served["fingerprint"], ca="nothing.pem")
    with pytest.raises(pytacit.InputOutputError, match="does not answer"):
        pytacit.load_study("far", **where, proxy="http://127.0.0.1:1", patience_s=-1)


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


# ---- a coordinator in this process


FLOAT = {"dose": pytacit.FloatDistribution(0, 1)}


def test_five_agents_in_five_threads():
    """Of one process, with the coordinator: records are protected, and every agent has a ledger of its own."""
    with pytacit.Coordinator("sqlite:///c.db") as c:
        c.create_study(
            "ward", FLOAT, "minimize", algorithm={"name": "fts", "features": 20, "initial": 2}, trials=4, seed=7,
            agents=5, deadline_s=600,
            privacy={"unit": "record", "epsilon": 4, "delta": 1e-5, "metric": "error"},
        )  # fmt: skip
        token = c.invite("ward")  # as many as there are places
        ended = queue.Queue()

        def work(i):
            try:
                with pytacit.Agent(c.url, "ward", token, c.fingerprint, storage=f"sqlite:///agent{i}.db", epsilon=6,
                                   delta=1e-5, records={"records": 1000, "range": (0, 1)}) as agent:  # fmt: skip
                    agent.run(lambda params: abs(params["dose"] - 0.1 * i))
                    ended.put(len(agent.study.get_trials(pytacit.TrialState.COMPLETE)))
            except BaseException as why:
                ended.put(why)

        for i in range(5):
            threading.Thread(target=work, args=(i,), daemon=True).start()
        assert [ended.get(timeout=300) for _ in range(5)] == [4] * 5
        state = c.study_state("ward")
        assert (state["agents"], state["enrolled"]) == (5, 5)
        assert state["document"]["federation"]["deadline_s"] == 600


@pytest.mark.parametrize("storage", ["memory:", "sqlite:///c.db"])
def test_a_coordinator_serves_studies(storage):
    with pytacit.Coordinator(storage) as c:
        where = {"storage": c.url, "fingerprint": c.fingerprint, "token": c.operator_token()}
        far = pytacit.create_study("far", SPACE, "minimize", trials=6, seed=2, algorithm="random", **where)
        near = pytacit.create_study("far", SPACE, "minimize", "memory:", trials=6, seed=2, algorithm="random")
        far.optimize(bowl)
        near.optimize(bowl)
        assert [(t.params, t.value) for t in far.trials] == [(t.params, t.value) for t in near.trials]
        assert c.create_study("here", SPACE, "minimize", trials=3) == "here"
        assert pytacit.get_all_study_names(**where) == ["far", "here"]
        client = pytacit.load_study("far", c.url, fingerprint=c.fingerprint, token=c.invite("far"))
        assert client.best_value == near.best_value


def test_a_coordinator_comes_back():
    with pytacit.Coordinator("sqlite:///c.db") as first:
        key, first_token = first.fingerprint, first.operator_token()
        assert first.operator_token() == first_token
        first.create_study("ward", FLOAT, "minimize", agents=2, algorithm="fts", trials=4, privacy="none")
    with pytest.raises(ValueError, match="the coordinator is closed"):
        first.invite("ward", 1)
    with pytest.raises(ValueError, match="the coordinator is closed"):
        _ = first.url
    with pytacit.Coordinator("sqlite:///c.db") as again:
        assert again.fingerprint == key
        with pytest.raises(pytacit.StateError, match="another=True"):
            again.operator_token()
        assert again.study_state("ward")["state"] == "running"
        assert again.operator_token(another=True) != first_token
        where = {"storage": again.url, "fingerprint": key}
        assert pytacit.get_all_study_names(token=first_token, **where) == ["ward"]


def test_requests_need_no_token_and_make_none():
    """Who has the object is the operator: the storage's first token is still there to be shown."""
    with pytacit.Coordinator("sqlite:///c.db") as c:
        c.create_study("ward", FLOAT, "minimize", agents=2, algorithm="fts", trials=4, privacy="none")
        assert c.request("POST", "/v1/studies/ward:pause")["state"] == "paused"
        assert c.study_state("ward")["state"] == "paused"
        assert c.operator_token()


def test_the_ledger_of_a_study():
    with pytacit.Coordinator("sqlite:///c.db") as c:
        c.create_study(
            "ward", FLOAT, "minimize", agents=2, trials=4,
            algorithm={"name": "dp-fts-de", "features": 20, "initial": 2, "releases": "0,1"},
            privacy={"epsilon": 5, "delta": 0.01},
        )  # fmt: skip
        before = c.study_ledger("ward")
        assert before["entries"] == []
        token, ended = c.invite("ward"), queue.Queue()

        def work(i):
            try:
                where = {"storage": f"sqlite:///agent{i}.db", "epsilon": 6, "delta": 0.01}
                with pytacit.Agent(c.url, "ward", token, c.fingerprint, **where) as agent:
                    agent.run(lambda params: params["dose"])
                    ended.put(None)
            except BaseException as why:
                ended.put(why)

        for i in range(2):
            threading.Thread(target=work, args=(i,), daemon=True).start()
        assert [ended.get(timeout=300) for _ in range(2)] == [None, None]
        after = c.study_ledger("ward")
        assert [entry["round"] for entry in after["entries"]] == [0, 1]
        assert {entry["unit"] for entry in after["entries"]} == {"agent"}
        assert after["name"] == before["name"] == "ward"
        with pytest.raises(pytacit.NotFoundError, match="nope"):
            c.study_ledger("nope")


def test_what_a_coordinator_refuses(own_folder):
    with pytest.raises(ValueError, match="allow_other_machines=True"):
        pytacit.Coordinator("sqlite:///other.db", listen="0.0.0.0:0")
    assert not (own_folder / "other.db").exists()
    with pytest.raises(pytacit.ArgumentError, match="elsewhere"):
        pytacit.Coordinator("memory:", listen="elsewhere:0")
    with pytacit.Coordinator("memory:") as c:
        with pytest.raises(pytacit.NotFoundError, match="nope"):
            c.study_state("nope")
        with pytest.raises(ValueError, match="agents is given twice"):
            c.create_study("ward", FLOAT, "minimize", agents=2, federation={"agents": 3})
        with pytest.raises(pytacit.ArgumentError, match="direction"):
            c.create_study("ward", FLOAT, "sideways", agents=2)
        c.create_study("ward", FLOAT, "minimize", agents=2, algorithm="fts", trials=4, privacy="none")
        with pytest.raises(pytacit.ConflictError, match="ward"):
            c.create_study("ward", FLOAT, "minimize", agents=2, algorithm="fts", trials=4, privacy="none")
        with pytest.raises(pytacit.ArgumentError, match="expires_s"):
            c.invite("ward", 1, expires_s=-1)


POSTGRES = """
import os, pytacit, threading
storage = os.environ["TACIT_POSTGRES"]
space = {"dose": pytacit.FloatDistribution(0, 1)}
with pytacit.Coordinator(storage) as first, pytacit.Coordinator(storage) as second:
    first.create_study("ward", space, "minimize", agents=2, trials=4, privacy="none",
                       algorithm={"name": "fts", "features": 20, "initial": 2})
    assert first.fingerprint == second.fingerprint
    token, done = second.invite("ward"), []
    def work(i, c):
        with pytacit.Agent(c.url, "ward", token, c.fingerprint, storage=f"sqlite:///agent{i}.db",
                           accept_not_private=True) as agent:
            agent.run(lambda params: params["dose"])
            done.append(len(agent.study.trials))
    threads = [threading.Thread(target=work, args=pair) for pair in enumerate([first, second])]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    print(done, second.study_state("ward")["enrolled"])
with pytacit.Coordinator(storage) as again:
    print(again.study_state("ward")["state"])
"""


@pytest.mark.built
def test_two_coordinators_on_postgresql():
    """Agents of one study at two coordinators of one database; a third one goes on."""
    support = Path(__file__).resolve().parents[2] / "tests" / "support" / "postgres"
    if not (Path(os.environ.get("TACIT_MODULES", ".")) / "tacit-postgresql.so").exists():
        pytest.skip("tacit was built without PostgreSQL")
    command = ["sh", str(support), sys.executable, "-c", POSTGRES]
    ended = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=300)
    if ended.returncode == 77:
        pytest.skip(ended.stdout)
    assert (ended.stdout, ended.returncode) == ("[4, 4] 2\nrunning\n", 0), ended.stderr
