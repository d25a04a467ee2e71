"""Agents whose requests the program carries, and a coordinator that does not listen."""

from __future__ import annotations

import pytest

import pytacit

pytestmark = pytest.mark.skipif(not pytacit.has_network, reason="tacit was built without the network")

DOCUMENT = {
    "name": "ward", "direction": "minimize", "trials": 4, "seed": 7,
    "space": {"dose": {"type": "float", "low": 0, "high": 1}},
    "algorithm": {"name": "dp-fts-de", "features": 12, "initial": 2},
    "federation": {"agents": 2}, "privacy": {"epsilon": 5, "delta": 0.01},
}  # fmt: skip


@pytest.fixture
def quiet():
    with pytacit.Coordinator("sqlite:///c.db", listen=None) as c:
        c.create(DOCUMENT)
        yield c


def join(carry, token, i, **more):
    return pytacit.Agent(carry, "ward", token, storage=f"sqlite:///agent{i}.db", epsilon=6, delta=0.01, **more)


def test_two_agents_by_another_way(quiet):
    token = quiet.invite("ward")
    asked = []

    def carry(request):
        asked.append(request)
        return quiet.answer(request)

    agents = [join(carry, token, i) for i in range(2)]
    assert [agent.number for agent in agents] == [0, 1]
    seen = set()
    for _ in range(100):
        for agent in agents:
            following = agent.step()
            while following == "trial":
                agent.evaluate(lambda params: (params["dose"] - 0.3) ** 2)
                following = agent.step()
            seen.add(following)
        quiet.tick()
        if all(agent.step() == "done" for agent in agents):
            break
    assert seen == {"wait", "done"}
    assert [len(agent.study.trials) for agent in agents] == [4, 4]
    assert {request.method for request in asked} == {"GET", "POST"}
    assert all(request.protocol == "2" and request.bearer for request in asked)
    assert any(request.signature and request.path.endswith("/messages") for request in asked)
    assert quiet.study_ledger("ward")["entries"]
    assert not any(request.bearer in repr(request) for request in asked), "a secret is printed"


def test_an_interrupted_trial_comes_first(quiet):
    agent = join(quiet.answer, quiet.invite("ward"), 0)
    points = []

    def interrupted(params):
        points.append(params)
        raise KeyboardInterrupt

    assert agent.step() == "trial"
    with pytest.raises(KeyboardInterrupt):
        agent.evaluate(interrupted)
    agent.close()
    agent = join(quiet.answer, None, 0)
    assert agent.step() == "trial"
    agent.evaluate(lambda params: points.append(params) or 0.5)
    assert points[0] == points[1]
    assert [(t.number, t.state.name) for t in agent.study.trials] == [(0, "COMPLETE")]
    with pytest.raises(ZeroDivisionError):
        agent.evaluate(lambda params: 1 / 0)
    agent.evaluate(lambda params: 1 / 0, catch=ZeroDivisionError)
    assert [t.state.name for t in agent.study.trials] == ["COMPLETE", "FAIL", "FAIL"]
    with pytest.raises(TypeError, match="func must be a function"):
        agent.evaluate(None)


def test_what_a_way_may_do_wrong(quiet, own_folder):
    token = quiet.invite("ward")

    class Lost(Exception):
        pass

    def lost(request):
        raise Lost("the carrier is ill")

    with pytest.raises(Lost, match="the carrier is ill"):
        join(lost, token, 0)
    with pytest.raises(TypeError, match="coordinator must return a pytacit.Answer, got dict"):
        join(lambda request: {"status": 200}, token, 0)
    with pytest.raises(pytacit.ArgumentError, match="an HTTP status from 100 to 599, got 7"):
        join(lambda request: pytacit.Answer(7), token, 0)
    with pytest.raises(TypeError, match="coordinator must be a str, got int"):
        join(3, token, 0)
    with pytest.raises(pytacit.ArgumentError, match="coordinator, fingerprint, ca, proxy and here stay unset"):
        join(quiet.answer, token, 0, fingerprint="sha256//")
    assert not (own_folder / "agent0.db").exists()


def test_a_coordinator_that_does_not_listen(quiet):
    assert repr(quiet) == "<pytacit.Coordinator (does not listen)>"
    for name in ("url", "fingerprint"):
        with pytest.raises(ValueError, match="the coordinator does not listen: it was opened with listen=None"):
            getattr(quiet, name)
    given = quiet.answer(pytacit.Request("GET", "/v1/studies/ward", bearer="nobody's"))
    assert (given.status, given.waits) == (401, False) and "token" in given.body
    with pytest.raises(TypeError, match="path must be a str, got int"):
        quiet.answer(pytacit.Request("GET", 3))
    with pytest.raises(pytacit.UnsupportedError, match="stream"):
        quiet.answer(pytacit.Request("GET", "/v1/events", bearer=quiet.operator_token()))


def test_a_study_that_is_there_is_reused(quiet, own_folder):
    with pytest.raises(pytacit.ConflictError):
        quiet.create(DOCUMENT)
    quiet.create(DOCUMENT, reuse=True)
    with pytest.raises(pytacit.StateError, match="direction"):
        quiet.create({**DOCUMENT, "direction": "maximize"}, reuse=True)
    with pytest.raises(pytacit.StateError, match="trials is 4 in the stored study but 5 in the one given"):
        quiet.create({**DOCUMENT, "trials": 5}, reuse=True)
    (own_folder / "points.csv").write_text("dose\n0.1\n0.2\n0.4\n")
    finite = {k: v for k, v in DOCUMENT.items() if k != "space"}
    finite.update(name="finite", points=str(own_folder / "points.csv"))
    quiet.create(finite)
    quiet.create(finite, reuse=True)
    (own_folder / "points.csv").write_text("dose\n0.1\n0.2\n0.3\n")
    with pytest.raises(pytacit.StateError):
        quiet.create(finite, reuse=True)
