"""Handles: who may use them at the same time, in which order they end, and that they are not copied."""

from __future__ import annotations

import copy
import gc
import http.server
import pickle
import sys
import threading
import weakref

import pytest
from conftest import SPACE, bowl

import pytacit
from pytacit import TrialState

needs_network = pytest.mark.skipif(not pytacit.has_network, reason="tacit was built without the network")
FLOAT = {"dose": pytacit.FloatDistribution(0, 1)}


@pytest.fixture
def coordinator():
    with pytacit.Coordinator("sqlite:///c.db") as c:
        c.create_study("ward", FLOAT, "minimize", agents=1, algorithm={"name": "fts", "features": 20, "initial": 2},
                       trials=3, privacy="none")  # fmt: skip
        yield c


def join(c, **more):
    where = {"storage": "sqlite:///agent.db", "accept_not_private": True}
    return pytacit.Agent(c.url, "ward", c.invite("ward", 1), c.fingerprint, **where, **more)


# ---- copies


def refuses_copies(handle):
    for make in (copy.copy, copy.deepcopy, pickle.dumps):
        with pytest.raises(TypeError, match=f"{type(handle).__name__} cannot be copied or pickled"):
            make(handle)


def test_a_study_is_not_copied(study):
    refuses_copies(study)
    study.optimize(bowl, n_trials=1)


@needs_network
def test_agents_and_coordinators_are_not_copied(coordinator):
    refuses_copies(coordinator)
    with join(coordinator) as agent:
        refuses_copies(agent)


def test_what_is_looked_at_may_be_pickled(study):
    study.optimize(bowl, n_trials=2)
    for value in (study.trials, study.document, SPACE, TrialState.FAIL):
        assert pickle.loads(pickle.dumps(value)) == value == copy.deepcopy(value)
    with pytest.raises(pytacit.NotFoundError) as caught:
        study.get_trial(9)
    again = pickle.loads(pickle.dumps(caught.value))
    assert (type(again), str(again), again.name) == (pytacit.NotFoundError, str(caught.value), "E_NOT_FOUND")


# ---- the order in which they end


def test_a_study_in_a_cycle_is_collected():
    study = pytacit.create_study("s", SPACE, "minimize")
    study.me = study
    study.optimize(lambda params: study.best_value if study.get_trials(TrialState.COMPLETE) else 1.0, n_trials=2)
    gone = weakref.ref(study)
    del study
    gc.collect()
    assert gone() is None


class Recorder:
    """The library, whose functions note that they are called."""

    def __init__(self, library):
        self._library, self.called = library, []

    def __getattr__(self, name):
        made = getattr(self._library, name)
        return (lambda *given: self.called.append(name) or made(*given)) if callable(made) else made


@needs_network
def test_a_coordinator_in_a_cycle_ends_its_server_first(monkeypatch):
    """Of several objects in a cycle, any may be finalized first."""
    recorder = Recorder(pytacit.coordinator.lib)
    monkeypatch.setattr("pytacit.coordinator.lib", recorder)
    for _ in range(3):
        c = pytacit.Coordinator("memory:")
        c.me = c
        del c
        gc.collect()
    ends = ["tacit_server_stop", "tacit_coordinator_close"]
    assert [name for name in recorder.called if name in ends] == ends * 3


@needs_network
def test_an_agent_in_a_cycle_is_closed(coordinator):
    """Its place is free again: what the library calls back does not keep it."""
    for _ in range(10):
        agent = join(coordinator, note=lambda said: None, consider=lambda document: None)
        agent.trials, agent.me = agent.study, agent
        del agent
        gc.collect()


@needs_network
def test_parts_outlive_what_they_are_of(coordinator):
    agent = join(coordinator)
    study = agent.study
    agent.run(bowl_of_dose)
    agent.close()
    coordinator.close()
    assert len(study.trials) == 3
    with pytest.raises(ValueError, match="the agent is closed"):
        _ = agent.promise
    del agent
    gc.collect()
    assert [trial.value for trial in study.trials] == [trial.params["dose"] for trial in study.trials]


def bowl_of_dose(params):
    return params["dose"]


def test_trials_outlive_their_study(study):
    study.optimize(bowl, n_trials=3)
    trials = study.trials
    study.close()
    del study
    gc.collect()
    assert [trial.value for trial in trials] == [bowl(trial.params) for trial in trials]


def test_a_callback_may_close_and_erase():
    study = pytacit.create_study("s", SPACE, "minimize", algorithm="random", trials=9)
    with pytest.raises(ValueError, match="the study is closed"):
        study.optimize(bowl, callbacks=[lambda of, trial: of.close(), lambda of, trial: of.best_value])
    study = pytacit.load_study("s")
    with pytest.raises(pytacit.TacitError):
        study.optimize(bowl, callbacks=[lambda of, trial: pytacit.delete_study("s")])
    assert pytacit.get_all_study_names() == []


def test_an_objective_may_close_its_study(study):
    with pytest.raises(ValueError, match="the study is closed"):
        study.optimize(lambda params: study.close() or 1.0)


# ---- the same handle twice at once


def test_a_second_optimize_is_refused(study):
    inside, go_on = threading.Event(), threading.Event()

    def wait(params):
        inside.set()
        go_on.wait(60)
        return 1.0

    thread = threading.Thread(target=lambda: study.optimize(wait, n_trials=1))
    thread.start()
    inside.wait(60)
    with pytest.raises(RuntimeError, match="or by a second thread"):
        study.optimize(bowl)
    assert study.ask().state is TrialState.RUNNING
    go_on.set()
    thread.join()
    study.optimize(bowl, n_trials=1)


@needs_network
def test_an_agent_at_work_answers_questions(coordinator):
    """By its own function, and by another thread; it does not run twice."""
    agent, inside, go_on, said = join(coordinator), threading.Event(), threading.Event(), []

    def curious(params):
        said.append((agent.promise, agent.number, len(agent.study.trials), len(agent.inspect())))
        with pytest.raises(RuntimeError, match="run was called by a function"):
            agent.run(bowl_of_dose)
        inside.set()
        go_on.wait(60)
        return params["dose"]

    thread = threading.Thread(target=lambda: agent.run(curious))
    thread.start()
    inside.wait(60)
    assert agent.promise == said[0][0] and agent.promise.startswith("NOT PRIVATE")
    with pytest.raises(RuntimeError, match="or by a second thread"):
        agent.run(bowl_of_dose)
    go_on.set()
    thread.join()
    assert [number for _, _, number, _ in said] == [1, 2, 3]


def test_many_threads_use_one_study():
    study = pytacit.create_study("s", SPACE, "minimize", "memory:", algorithm="random")
    raised = []

    def work(i):
        try:
            for n in range(30):
                trial = study.ask(worker=f"w{i}-{n}")
                study.tell(trial, bowl(trial.params))
                assert study.get_trial(trial.number).value == bowl(trial.params)
                assert study.best_value <= bowl(trial.params)
                study.enqueue_trial(trial.params)
        except BaseException as why:
            raised.append(why)

    threads = [threading.Thread(target=work, args=(i,)) for i in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not raised
    told = study.get_trials(TrialState.COMPLETE)
    assert len(told) == 240 and len({trial.number for trial in told}) == 240
    assert all(trial.value == bowl(trial.params) for trial in told)


# ---- the GIL


def test_other_threads_run_while_tacit_computes(study):
    """Python does not switch threads by itself here: another one runs only where a call gives up the GIL."""
    counted, done = [0], threading.Event()

    def count():
        while not done.wait(0.001):
            counted[0] += 1

    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e6)
    thread = threading.Thread(target=count)
    calls = 0
    try:
        thread.start()
        before = counted[0]
        while counted[0] == before and calls < 100000:
            study.ask()
            calls += 1
    finally:
        sys.setswitchinterval(interval)
        done.set()
        thread.join()
    assert counted[0] > before, f"nothing else ran during {calls} calls"


@needs_network
def test_other_threads_run_while_tacit_waits():
    """The server is a thread of Python: the client could not be answered if it kept the GIL."""
    asked = []

    class Refuses(http.server.BaseHTTPRequestHandler):
        def do_GET(self):  # noqa: N802  (http.server calls it so)
            asked.append(self.path)
            body = b'{"title": "no", "detail": "not today", "status": 403}'
            self.send_response(403)
            self.send_header("Content-Type", "application/problem+json")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_):
            pass

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Refuses) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        with pytest.raises(pytacit.TacitError, match="not today"):
            pytacit.load_study("s", f"http://127.0.0.1:{server.server_port}", token="t" * 43, patience_s=-1)
        server.shutdown()
    assert asked
