"""Processes that are interrupted, killed or forked, and libraries that are not there."""

from __future__ import annotations

import os
import signal
import subprocess
import sys

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
    process = python(WORK.format(wait="import time; time.sleep(600)", jobs=1))
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
