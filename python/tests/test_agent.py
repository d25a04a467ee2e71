"""Agents of a federated study, over TLS on loopback: three parties in threads of one process."""

from __future__ import annotations

import hashlib
import queue
import signal
import subprocess
import threading

import pytest
from test_coordinator import TACIT, served  # noqa: F401  (a fixture)

import pytacit

pytestmark = pytest.mark.skipif(not pytacit.has_network, reason="tacit was built without the network")

DOCUMENT = """{"name": "ward", "direction": "minimize", "trials": 6, "seed": 7,
 "space": {"dose": {"type": "float", "low": 0, "high": 1}, "kind": {"type": "choice", "choices": ["a", "b"]}},
 "algorithm": {"name": "dp-fts-de", "features": 20, "initial": 3},
 "federation": {"agents": 3}, "privacy": {"epsilon": 5, "delta": 0.01}}
"""


@pytest.fixture
def invited(served, own_folder):  # noqa: F811
    """A federated study for three: url, study, token and fingerprint, as Agent takes them."""
    (own_folder / "ward.json").write_text(DOCUMENT)
    (own_folder / "op").write_text(served["operator_token"])
    where = ["--server", served["url"], "--fingerprint", served["fingerprint"], "--token-file", "op"]
    subprocess.run([TACIT, "remote", "create", "ward.json", *where], check=True, stdout=subprocess.DEVNULL)
    subprocess.run([TACIT, "remote", "token", "ward", "--uses", "3", "--out", "join", *where], check=True,
                   stdout=subprocess.DEVNULL)  # fmt: skip
    return served["url"], "ward", (own_folder / "join").read_text().strip(), served["fingerprint"]


def loss(params):
    return (params["dose"] - 0.3) ** 2 + (params["kind"] == "b")


def in_threads(*works):
    """Runs all at the same time; raises what the first of them raised. The others would wait for it: they are left."""
    ended = queue.Queue()

    def guarded(work):
        try:
            ended.put(work())
        except BaseException as why:
            ended.put(why)

    for work in works:
        threading.Thread(target=guarded, args=(work,), daemon=True).start()
    for _ in works:
        why = ended.get(timeout=300)
        if why is not None:
            raise why


def join(invited, i, **more):
    return pytacit.Agent(*invited, storage=f"sqlite:///agent{i}.db", epsilon=6, delta=0.01, **more)


def test_an_agent_prunes_at_home(invited):
    """Rounds come in their order where trials are ended early; what was reported on the way is in the agent's storage alone."""
    agents = [join(invited, i) for i in range(3)]

    def curve(params, trial):
        for step in range(1, 4):
            trial.report(step, loss(params) + 1 / step)
            if trial.should_stop():
                return None
        return loss(params)

    rule = pytacit.Prune("median", min_trials=1)
    in_threads(*(lambda agent=agent: agent.run(curve, prune=rule) for agent in agents))
    for agent in agents:
        trials = agent.study.trials
        assert len(trials) == 6 and {trial.state.name for trial in trials} == {"COMPLETE", "PRUNED"}
        assert all(trial.intermediate_values for trial in trials)
        assert [sent.state for sent in agent.inspect()].count("sent") > 0


def test_three_agents(invited):
    agents = [join(invited, i) for i in range(3)]
    assert [agent.number for agent in agents] == [0, 1, 2]
    assert "epsilon 5" in agents[0].promise
    interrupted = []

    def once(params):
        if len(agents[2].study.get_trials(pytacit.TrialState.COMPLETE)) == 2 and not interrupted:
            interrupted.append(params)
            raise KeyboardInterrupt
        return loss(params)

    def stopped():
        """An agent that is interrupted, ends, and comes back without a token; it goes on with the same trial."""
        with pytest.raises(KeyboardInterrupt):
            agents[2].run(once)
        agents[2].close()
        url, study, _token, fingerprint = invited
        agents[2] = join((url, study, None, fingerprint), 2)
        assert agents[2].number == 2
        agents[2].run(loss)

    heard = []
    hearing = [lambda study, trial: heard.append(trial)]
    in_threads(lambda: agents[0].run(loss), lambda: agents[1].run(loss, callbacks=hearing), stopped)
    for agent in agents:
        assert [trial.value for trial in agent.study.trials] == [loss(trial.params) for trial in agent.study.trials]
        assert len(agent.study.trials) == 6
    assert agents[2].study.trials[2].params == interrupted[0]
    assert [trial.number for trial in heard] == [0, 1, 2, 3, 4, 5]
    rounds = agents[0].inspect()
    assert rounds and {r.state for r in rounds} == {"sent"}
    for r in rounds:
        assert hashlib.blake2b(r.message, digest_size=32).hexdigest() == r.hash
        assert r.ledger == "agent" and r.heard == 1 and r.not_private is None and 0 < r.epsilon <= 5
    assert rounds[0].numbers
    assert len(repr(rounds[0])) < 1000, "the bytes of a message fill the screen"


def test_an_agent_runs_several_trials_at_the_same_time(invited):
    agents = [join(invited, i) for i in range(3)]
    both = threading.Barrier(2, timeout=100)
    seen, heard = set(), []

    def together(params):
        both.wait()  # one alone would wait for ever
        seen.add(threading.get_ident())
        return loss(params)

    for wrong in (0, -2, 1.5):
        with pytest.raises((ValueError, TypeError), match="n_jobs"):
            agents[0].run(together, n_jobs=wrong)
    in_threads(
        lambda: agents[0].run(together, callbacks=[lambda study, trial: heard.append(trial.number)], n_jobs=2),
        lambda: agents[1].run(loss, n_jobs=-1),
        lambda: agents[2].run(loss),
    )
    assert len(seen) >= 2 and sorted(heard) == list(range(6))
    for agent in agents:
        assert len(agent.study.get_trials(pytacit.TrialState.COMPLETE)) == 6
        assert [r.state for r in agent.inspect()] == [r.state for r in agents[2].inspect()]


def test_an_agent_with_jobs_can_be_interrupted(invited, python):
    """Also of those that run in threads of the library."""
    worker = python(
        "import os, pytacit, signal, time\n"
        "signal.signal(signal.SIGINT, signal.default_int_handler)\n"
        f"agent = pytacit.Agent(*{invited!r}, storage='sqlite:///agent0.db', epsilon=6, delta=0.01)\n"
        "def slow(params):\n"
        "    os.write(1, b'begun\\n')\n"
        "    time.sleep(0.5)\n"
        "    return params['dose']\n"
        "agent.run(slow, n_jobs=2)\n"
    )
    assert worker.stdout.readline() == "begun\n"
    worker.send_signal(signal.SIGINT)
    assert "KeyboardInterrupt" in worker.communicate(timeout=100)[1]
    assert worker.returncode == -signal.SIGINT


def test_an_agent_may_refuse(invited, own_folder):
    def refuse(document):
        assert document["name"] == "ward"
        raise PermissionError("not with the data of these patients")

    with pytest.raises(PermissionError, match="these patients"):
        join(invited, 0, consider=refuse)
    assert not (own_folder / "agent0.db").exists(), "a refusal leaves a trace"
    with pytest.raises(pytacit.ArgumentError, match="epsilon"):
        pytacit.Agent(*invited, storage="sqlite:///agent0.db", epsilon=-1, delta=0.01)
    with pytest.raises(TypeError, match="records have no option colour"):
        join(invited, 0, records={"records": 3, "colour": 1})
    with pytest.raises(TypeError, match="consider must return None, or raise an exception to refuse the study, got bool"):
        join(invited, 0, consider=lambda document: False)
    seen = []
    agent = join(invited, 0, consider=seen.append)
    assert seen[0]["federation"]["agents"] == 3
    with pytest.raises(pytacit.BusyError):
        join(invited, 0)
    with pytest.raises(TypeError, match="func must be a function"):
        agent.run(None)
    agent.close()
    with pytest.raises(ValueError, match="the agent is closed"):
        agent.run(loss)


def test_an_agent_that_waits_can_be_interrupted(invited, python):
    """The others do not come: after its first trials it waits for them, and Ctrl-C ends that, wherever it is."""
    process = python(
        "import pytacit, signal\n"
        "signal.signal(signal.SIGINT, signal.default_int_handler)\n"
        f"agent = pytacit.Agent(*{invited!r}, epsilon=6, delta=0.01)\n"
        "agent.run(lambda params: params['dose'], callbacks=[lambda study, trial: print(trial.number, flush=True)])\n"
    )
    assert [process.stdout.readline() for _ in range(3)] == ["0\n", "1\n", "2\n"]
    process.send_signal(signal.SIGINT)
    _, said = process.communicate(timeout=120)
    assert process.returncode == -signal.SIGINT and "KeyboardInterrupt" in said
    url, study, _token, fingerprint = invited
    with pytacit.Agent(url, study, None, fingerprint, epsilon=6, delta=0.01) as agent:
        assert [trial.state.name for trial in agent.study.trials][:3] == ["COMPLETE"] * 3


def test_a_loop_of_its_own_does_not_show_a_failure_where_records_are_protected(own_folder, caplog):
    """What func raises is logged and not raised: the agent takes all its steps, and its trials have values."""
    calls = []

    def fails_once(params):
        calls.append(params)
        if len(calls) == 2:
            raise ValueError("record 17 has no age")
        return 0.5

    privacy = {"unit": "record", "epsilon": 1, "delta": 1e-5, "range": [0, 1]}
    with pytacit.Coordinator("sqlite:///c.db") as c:
        c.create_study("ward", {"x": pytacit.FloatDistribution(0, 1)}, "minimize", algorithm="fts", agents=1, trials=4,
                       privacy=privacy)  # fmt: skip
        records = {"records": 1000, "range": (0, 1)}
        with pytacit.Agent(c.url, "ward", c.invite("ward"), c.fingerprint, records=records) as agent:
            while (following := agent.step(1)) != "done":
                if following == "trial":
                    agent.evaluate(fails_once)
            assert len(calls) == 4
            assert [trial.state.name for trial in agent.study.trials] == ["COMPLETE"] * 4
    assert "ValueError: record 17 has no age" in caplog.text


def test_an_agent_that_withholds_says_so(invited):
    """Its ledger is used up by another study on the same data: it searches alone, and says that at the end."""
    said = []
    url, study, token, fingerprint = invited
    agent = pytacit.Agent(url, study, token, fingerprint, storage="sqlite:///a.db", epsilon=0.1, delta=0.01, note=said.append)
    others = [join(invited, i) for i in (1, 2)]
    in_threads(*(lambda a=a: a.run(loss) for a in (agent, *others)))
    states = [sent.state for sent in agent.inspect()]
    assert states and set(states) == {"withheld"}
    assert said[-1].startswith(f"{len(states)} of {len(states)} messages were withheld: the ledger's own limit")
    assert [trial.value for trial in agent.study.trials] and len(agent.study.trials) == 6
