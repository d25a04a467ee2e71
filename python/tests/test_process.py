"""Processes that are interrupted, killed or forked, and libraries that are not there."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time

import pytest
from conftest import SPACE, bowl

import pytacit

# A process that a shell has put into the background ignores SIGINT, and so would its children.
WORK = """
import itertools, pytacit, signal
signal.signal(signal.SIGINT, signal.default_int_handler)
calls = itertools.count()
def objective(params):
    if next(calls) == 3:
        print("running", params["x"], flush=True)
        {wait}
    return (params["x"] - 2) ** 2
pytacit.load_study("s").optimize(objective, n_jobs={jobs})
"""


@pytest.fixture
def stored():
    return pytacit.create_study("s", SPACE, "minimize", trials=8, seed=5, algorithm="random")


def goes_on_from(study, number):
    """The trial that did not end is evaluated at its point, and the study is what it is without an interruption."""
    assert [trial.number for trial in study.get_trials(pytacit.TrialState.COMPLETE)] == list(range(number))
    study.optimize(lambda params: (params["x"] - 2) ** 2)
    alone = pytacit.create_study("s", SPACE, "minimize", "memory:", trials=8, seed=5, algorithm="random")
    alone.optimize(lambda params: (params["x"] - 2) ** 2)
    assert [(t.params, t.value) for t in study.trials] == [(t.params, t.value) for t in alone.trials]


@pytest.mark.parametrize("sent", [signal.SIGINT, signal.SIGKILL])
def test_a_process_that_ends_loses_nothing(stored, python, sent):
    # In short sleeps: Python does not see a signal that comes just before a sleep begins until that sleep is over.
    process = python(WORK.format(wait="import time\n        while True: time.sleep(0.05)", jobs=1))
    assert process.stdout.readline().startswith("running")
    process.send_signal(sent)
    _, said = process.communicate(timeout=120)
    assert process.returncode == -sent
    assert ("KeyboardInterrupt" in said) == (sent == signal.SIGINT)
    goes_on_from(stored, 3)


def test_an_interruption_lets_threads_finish(stored):
    """The objective goes on when the signal was sent: it waits for a line."""
    program = WORK.format(wait="import sys; sys.stdin.readline()", jobs=2)
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    process = subprocess.Popen([sys.executable, "-c", program], text=True, **pipes)
    try:
        word, x = process.stdout.readline().split()
        process.send_signal(signal.SIGINT)
        _, said = process.communicate("\n\n\n", timeout=120)
    finally:
        process.kill()
    assert word == "running" and "KeyboardInterrupt" in said
    ran = [trial for trial in stored.trials if trial.params["x"] == float(x)]
    assert [trial.state.name for trial in ran] == ["COMPLETE"]
    assert {trial.state.name for trial in stored.trials} <= {"COMPLETE", "STALE"}
    stored.optimize(bowl)
    assert [trial.state.name for trial in stored.trials] == ["COMPLETE"] * 8


def test_a_forked_process_is_refused(study):
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        said = b"it was not refused"
        try:
            study.ask()
        except RuntimeError as why:
            said = str(why).encode()
        os.write(writing, said)
        os._exit(0)
    os.close(writing)
    os.waitpid(child, 0)
    with os.fdopen(reading) as pipe:
        assert pipe.read().startswith("this process was forked from one that has used tacit, and cannot use it")
    study.tell(study.ask(), 1)


def test_a_fork_before_use_is_fine(python):
    process = python(
        "import os, pytacit\n"
        "if os.fork() == 0:\n"
        "    pytacit.create_study('s', {'x': pytacit.FloatDistribution(0, 1)}, 'minimize').optimize(lambda p: 1, 2)\n"
        "    os._exit(0)\n"
        "os.wait()\n"
        "print(len(pytacit.load_study('s').trials))\n"
    )
    said, why = process.communicate(timeout=120)
    assert said == "2\n", why


def test_forked_pools_work_beside_a_study(python):
    """Objectives may use multiprocessing: children that do not touch tacit end as they should."""
    process = python(
        "import multiprocessing, pytacit\n"
        "def objective(params):\n"
        "    with multiprocessing.get_context('fork').Pool(2) as pool:\n"
        "        return sum(pool.map(abs, [params['x'], 1]))\n"
        "study = pytacit.create_study('s', {'x': pytacit.FloatDistribution(0, 1)}, 'minimize', seed=1)\n"
        "study.optimize(objective, n_trials=2)\n"
        "print(len(study.trials), study.best_value == 1 + study.best_params['x'])\n"
    )
    said, why = process.communicate(timeout=120)
    assert said == "2 True\n", why


def test_missing_libraries_are_said(python, own_folder):
    process = python("import pytacit", PYTACIT_LIBRARY_DIR=str(own_folder))
    _, said = process.communicate(timeout=120)
    assert f"pytacit finds no libtacit-privacy.so.1 in PYTACIT_LIBRARY_DIR ({own_folder}): install tacit" in said


# ---- signals

INTERRUPTED = "import pytacit, signal, sys, threading\nsignal.signal(signal.SIGINT, signal.default_int_handler)\n"


def interrupted_when_it_says(process, word):
    """Sends Ctrl-C once the process has said a word; what it says until it ends."""
    assert process.stdout.readline() == f"{word}\n"
    process.send_signal(signal.SIGINT)
    said, why = process.communicate(timeout=120)
    assert process.returncode == -signal.SIGINT and why.count("Traceback") == 1 and "KeyboardInterrupt" in why
    assert "cffi" not in why, why
    return said


def test_an_interrupted_ask_leaves_its_trial_to_others(python):
    """The library is not interrupted while it computes; the trial that it has then is given back."""
    process = python(
        INTERRUPTED + "space = {f'x{i}': pytacit.FloatDistribution(0, 1) for i in range(6)}\n"
        "study = pytacit.create_study('s', space, 'minimize', seed=1, algorithm='gp-ei')\n"
        "for n in range(40):\n"
        "    trial = study.ask()\n"
        "    study.tell(trial, sum((x - 0.3) ** 2 for x in trial.params.values()))\n"
        "print('asking', flush=True)\n"
        "while True:\n"
        "    study.tell(study.ask(), 1)\n"
    )
    interrupted_when_it_says(process, "asking")
    study = pytacit.load_study("s")
    left = [trial for trial in study.trials if trial.state is not pytacit.TrialState.COMPLETE]
    # Between ask and tell it is our program that has lost it.
    assert [trial.state.name for trial in left] in ([], ["STALE"], ["RUNNING"])
    if left and left[0].state is pytacit.TrialState.STALE:
        assert study.ask().params == left[0].params


def test_an_ask_that_was_interrupted_is_given_back(study, monkeypatch):
    """The same, at a moment that is certain: when the library has just returned."""
    call = pytacit.study.call

    def interrupted(function, *arguments):
        call(function, *arguments)
        if function == pytacit.study.lib.tacit_study_ask_many:
            raise KeyboardInterrupt

    monkeypatch.setattr("pytacit.study.call", interrupted)
    with pytest.raises(KeyboardInterrupt):
        study.ask()
    monkeypatch.undo()
    lost = study.get_trial(0)
    assert lost.state is pytacit.TrialState.STALE
    again = study.ask()
    assert (again.number, again.params) == (0, lost.params)


@pytest.mark.skipif(not pytacit.has_network, reason="tacit was built without the network")
def test_an_interrupted_coordinator_ends(python):
    """Also while agents in threads wait for it: they are daemons, and end with the process."""
    process = python(
        INTERRUPTED + "c = pytacit.Coordinator()\n"
        "c.create_study('ward', {'x': pytacit.FloatDistribution(0, 1)}, 'minimize', agents=2, trials=3,\n"
        "               algorithm={'name': 'fts', 'features': 20, 'initial': 2}, privacy='none')\n"
        "agent = pytacit.Agent(c.url, 'ward', c.invite('ward'), c.fingerprint, accept_not_private=True)\n"
        "told = threading.Semaphore(0)\n"
        "run = lambda: agent.run(lambda params: params['x'], callbacks=[lambda study, trial: told.release()])\n"
        "threading.Thread(target=run, daemon=True).start()\n"
        "told.acquire(); told.acquire()\n"
        "print('waiting', flush=True)\n"
        "with c:\n"
        "    while not threading.Event().wait(0.05): pass\n"
    )
    interrupted_when_it_says(process, "waiting")
    with pytacit.Coordinator() as again:
        assert again.study_state("ward")["enrolled"] == 1


# ---- fork


@pytest.mark.parametrize("jobs", [1, 3])
def test_a_child_of_an_objective_does_not_leave_it(python, jobs):
    """It would go on with its parent's trials, in the same file."""
    process = python(
        "import os, pytacit\n"
        "study = pytacit.create_study('s', {'x': pytacit.FloatDistribution(0, 1)}, 'minimize', trials=4)\n"
        "ended = []\n"
        "def objective(params):\n"
        "    if not ended:\n"
        "        child = os.fork()\n"
        "        if child == 0:\n"
        "            raise ValueError('of the child')\n"
        "        ended.append(os.waitpid(child, 0)[1] >> 8)\n"
        "    return params['x']\n"
        f"study.optimize(objective, n_jobs={jobs})\n"
        "print(ended[0], [trial.state.name for trial in study.trials])\n"
    )
    said, why = process.communicate(timeout=120)
    assert said == f"1 {['COMPLETE'] * 4}\n", why
    assert "a process that was forked in a function that tacit calls has left that function" in why


@pytest.mark.filterwarnings("ignore:This process")  # is multi-threaded, of Python 3.12
def test_a_fork_while_threads_compute(python):
    """What they hold is never given back in the child, which must not need it."""
    process = python(
        "import os, pytacit, threading\n"
        "study = pytacit.create_study('s', {'x': pytacit.FloatDistribution(0, 1)}, 'minimize', 'memory:')\n"
        "other = pytacit.create_study('t', {'x': pytacit.FloatDistribution(0, 1)}, 'minimize')\n"
        "def work():\n"
        "    study.optimize(lambda params: params['x'], n_trials=60)\n"
        "threads = [threading.Thread(target=work)]\n"
        "threads[0].start()\n"
        "for _ in range(10):\n"
        "    child = os.fork()\n"
        "    if child == 0:\n"
        "        try:\n"
        "            other.ask()\n"
        "        except RuntimeError:\n"
        "            del other, study\n"
        "            os._exit(5)\n"
        "    print(os.waitpid(child, 0)[1] >> 8, end=' ')\n"
        "threads[0].join()\n"
        "print(len(study.trials))\n"
    )
    said, why = process.communicate(timeout=120)
    assert said == "5 " * 10 + "60\n", why


CHILD = """
import pytacit
def work(n):
    return pytacit.load_study("s").ask(worker=f"w{n}").number
"""


def test_multiprocessing(python, own_folder):
    """Children that are spawned have a library of their own; those that are forked are refused."""
    (own_folder / "child.py").write_text(CHILD)
    process = python(
        "import multiprocessing, pytacit, child\n"
        "if __name__ == '__main__':\n"
        "    pytacit.create_study('s', {'x': pytacit.FloatDistribution(0, 1)}, 'minimize')\n"
        "    with multiprocessing.get_context('spawn').Pool(2) as pool:\n"
        "        print(sorted(pool.map(child.work, range(4))))\n"
        "    with multiprocessing.get_context('fork').Pool(2) as pool:\n"
        "        try:\n"
        "            pool.map(child.work, range(4))\n"
        "        except RuntimeError as why:\n"
        "            print(why)\n",
        PYTHONPATH=os.pathsep.join([str(own_folder), *sys.path]),
    )
    said, why = process.communicate(timeout=120)
    assert said.startswith("[0, 1, 2, 3]\nthis process was forked from one that has used tacit"), why


# ---- the end of the interpreter

OPEN = """
import atexit, os, pytacit, sys, threading
space = {"x": pytacit.FloatDistribution(0, 1)}
keep = study = pytacit.create_study("s", space, "minimize", "memory:")
keep.me = keep
inside = threading.Event()
def objective(params):
    inside.set()
    return params["x"]
"""
NETWORK = """
c = pytacit.Coordinator("memory:")
c.create_study("ward", space, "minimize", agents=2, trials=3, privacy="none",
               algorithm={"name": "fts", "features": 20, "initial": 2})
agent = pytacit.Agent(c.url, "ward", c.invite("ward"), c.fingerprint, accept_not_private=True,
                      storage=f"sqlite:///{os.getpid()}.db")
agent.me, c.me = agent, c
"""


START = "threading.Thread(target=work, daemon=True).start(); inside.wait()"
STAY = "lambda params: inside.set() or threading.Event().wait()"
EXITS = {
    "handles": "",
    "a cache": "sys.modules['cache'] = study; del study, keep",
    "atexit": "atexit.register(lambda: study.optimize(objective, n_trials=2))",
    "an exception": "study.optimize(lambda params: sys.exit(0))",
    "a daemon that computes": f"work = lambda: study.optimize(objective, n_trials=10**6); {START}",
    "a daemon in its function": f"work = lambda: study.optimize({STAY}); {START}",
    "threads": f"work = lambda: study.optimize(objective, n_trials=20, n_jobs=3); {START.replace(', daemon=True', '')}",
    "a coordinator": NETWORK,
    "an agent that waits": NETWORK + f"work = lambda: agent.run(objective); {START}",
    "an agent in its function": NETWORK + f"work = lambda: agent.run({STAY}); {START}",
}


@pytest.mark.parametrize("name", EXITS)
def test_an_exit_with_everything_open(python, name):
    """It is quiet, and ends; several times, since threads are anywhere."""
    if NETWORK in EXITS[name] and not pytacit.has_network:
        pytest.skip("tacit was built without the network")
    processes = [python(OPEN + EXITS[name] + "\n") for _ in range(3)]
    for process in processes:
        said, why = process.communicate(timeout=120)
        assert (process.returncode, said, why) == (0, "", "")


@pytest.mark.skipif(not pytacit.has_network, reason="tacit was built without the network")
def test_a_silent_coordinator_is_not_waited_for_after_an_interruption(python):
    """Nobody answers at this port, and the client would try again for a day."""
    process = python(
        "import pytacit, signal\n"
        "signal.signal(signal.SIGINT, signal.default_int_handler)\n"
        "print('trying', flush=True)\n"
        "pytacit.load_study('s', 'https://127.0.0.1:1', token='t' * 43, fingerprint='sha256//' + 'A' * 43 + '=', patience_s=86400)\n"
    )
    assert process.stdout.readline() == "trying\n"
    time.sleep(1)  # by now it waits between two requests, most likely; what is asserted holds in any case
    process.send_signal(signal.SIGINT)
    _, said = process.communicate(timeout=120)
    assert process.returncode == -signal.SIGINT and "KeyboardInterrupt" in said


def test_parts_are_imported_when_they_are_named():
    """Of those that need other packages; what is missing is said."""
    with pytest.raises(AttributeError, match="module 'pytacit' has no attribute 'optunas'"):
        pytacit.optunas
    for name, package in (("optuna", "optuna"), ("sklearn", "scikit-learn"), ("flower", "flwr")):
        try:
            part = getattr(pytacit, name)
        except ImportError as why:
            assert f"pip install {package}" in str(why)
        else:
            assert part.__name__ == f"pytacit.{name}"
