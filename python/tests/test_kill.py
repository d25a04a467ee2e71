"""Processes that are killed with SIGKILL at many moments: what they leave goes on, bit for bit as if nothing happened.

A moment is a number of calls, the same on every machine: the n-th write, sync or message to a server of a process
(whole or torn: tests/integration/kill_at.c), or the n-th time that an objective begins, ends, or a callback runs. A few
are times of the clock, which also fall into computations. They are drawn from a seed, KILL_SEED. PYTACIT_KILLS is how
many; TACIT_DEEP asks for 500.
"""

from __future__ import annotations

import csv
import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import threading
from pathlib import Path
from typing import Any, Dict, Iterator, List, NamedTuple, Optional, Set

import pytest
from test_coordinator import TACIT

import pytacit

PRELOAD = Path(os.environ.get("PYTACIT_LIBRARY_DIR", ".")) / "tests" / "libkill_at.so"
KILLS = int(os.environ.get("PYTACIT_KILLS", 500 if os.environ.get("TACIT_DEEP") else 50))
SEED = int(os.environ.get("KILL_SEED", 7))
pytestmark = [
    pytest.mark.built,
    pytest.mark.skipif(
        not PRELOAD.exists(), reason=f"there is no {PRELOAD}: the build was made without -DTACIT_TESTS=ON"
    ),
]
needs_network = pytest.mark.skipif(not pytacit.has_network, reason="tacit was built without the network")


# ---- moments


class Moment(NamedTuple):
    """When a process dies: at its n-th call of a kind; clock: after n hundredths of a second."""

    kind: str
    n: int

    def environment(self) -> "Dict[str, str]":
        if self.kind in ("write", "torn"):
            torn = {"TACIT_KILL_TORN": "1"} if self.kind == "torn" else {}
            return {**os.environ, "LD_PRELOAD": str(PRELOAD), "TACIT_KILL_AT": str(self.n), **torn}
        return {**os.environ, "KILL_IN": self.kind, "KILL_AT": str(self.n)}


def moments(seed: int, writes: int) -> Iterator[Moment]:
    """Without end. A process lives for `writes` writes at most, or for three trials."""
    most = {"write": writes, "torn": writes, "before": 3, "after": 3, "told": 3, "clock": 100}
    draw = random.Random(seed)
    while True:
        kind = draw.choice(["write", "write", "write", *most])
        yield Moment(kind, draw.randint(1, most[kind]))


def run_until(program: str, moment: Moment) -> bool:
    """Runs a program of Python; was it killed? If not, it has come to its end."""
    command = [sys.executable, "-c", program]
    process = subprocess.Popen(command, env=moment.environment(), stderr=subprocess.PIPE, text=True)
    try:
        _, said = process.communicate(timeout=moment.n / 100 if moment.kind == "clock" else 300)
    except subprocess.TimeoutExpired:
        process.kill()
        _, said = process.communicate()
        assert moment.kind == "clock", f"it hangs: {said}"
    assert process.returncode in (0, -signal.SIGKILL), said
    return process.returncode != 0


# Goes before programs. `objective` computes with arithmetic alone.
MORTAL = """
import os, signal
import pytacit
left = int(os.environ.get("KILL_AT", 0))
def pass_by(kind):
    global left
    left -= kind == os.environ.get("KILL_IN")
    if left == 0 and kind == os.environ.get("KILL_IN"):
        os.kill(os.getpid(), signal.SIGKILL)
def objective(params):
    pass_by("before")
    value = (params["x"] - 0.3) ** 2 + (params["kind"] == "b") / 8
    pass_by("after")
    return value
def fallible(params):
    value = objective(params)
    if int(params["x"] * 1000) % 7 == 0:
        raise ArithmeticError("it diverges")
    return value
def told(study, trial):
    pass_by("told")
"""
SPACE = {"x": {"type": "float", "low": 0, "high": 1}, "kind": {"type": "choice", "choices": ["a", "b"]}}


def trials(name: str, storage: str) -> List[Any]:
    """What must not differ; times and workers may."""
    with pytacit.load_study(name, storage) as study:
        return [(t.number, t.state, t.params, t.value, t.reason) for t in study.trials]


def ledger(name: str, storage: str) -> List[Dict[str, Any]]:
    command = [TACIT, "privacy", "export", name, "--delta", "1e-5", "--storage", storage]
    return entries(json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout))


def entries(exported: Dict[str, Any]) -> List[Dict[str, Any]]:
    """Those of a ledger. The hash of a study depends on when it was created, and so do the hashes of the chain; which
    of several seeds is named as the reason why a test protects nothing, on when an agent was started."""
    apart = ("study", "previous", "head", "not_private")
    return [{key: value for key, value in entry.items() if key not in apart} for entry in exported["entries"]]


# ---- a study of one party

OPTIMIZE = MORTAL + (
    f"study = pytacit.create_study('s', {SPACE!r}, 'minimize', 'sqlite:///killed.db', trials=12, seed=3)\n"
    "study.optimize(fallible, catch=ArithmeticError, callbacks=[told])\n"
)
ASK = MORTAL + (
    f"study = pytacit.create_study('s', {SPACE!r}, 'minimize', 'sqlite:///killed.db', trials=12, seed=3)\n"
    "while sum(trial.state.is_finished() for trial in study.trials) < 12:\n"
    "    trial = study.ask(worker='w')\n"
    "    try:\n"
    "        study.tell(trial, fallible(trial.params))\n"
    "    except ArithmeticError as why:\n"
    "        study.tell(trial, state=pytacit.TrialState.FAIL, reason=f'ArithmeticError: {why}')\n"
    "    told(study, trial)\n"
)
PROTECT = MORTAL + (
    f"study = pytacit.create_study('s', {SPACE!r}, 'minimize', 'sqlite:///killed.db', trials=12, seed=3,\n"
    "    privacy={'unit': 'record', 'epsilon': 1, 'delta': 1e-5, 'metric': 'error'})\n"
    "study.protect(records=1000, test_seed=5)\n"
    "study.optimize(fallible, catch=ArithmeticError, callbacks=[told])\n"
)


@pytest.mark.parametrize(
    "program, writes",
    [(OPTIMIZE, 60), (ASK, 60), (PROTECT, 250)],
    ids=["optimize", "ask", "protect"],
)
def test_a_study_of_one_party(program: str, writes: int, own_folder: Path) -> None:
    never = Moment("write", 0)
    assert not run_until(program.replace("killed.db", "calm.db"), never)
    calm = trials("s", "sqlite:///calm.db")
    assert len(calm) == 12 and {state.name for _, state, *_ in calm} <= {"COMPLETE", "FAIL"}
    left = max(KILLS // 5, 1)
    for moment in moments(SEED, writes):
        dead = left > 0 and run_until(program, moment)
        left -= dead
        if dead:
            continue
        assert not run_until(program, never)
        assert trials("s", "sqlite:///killed.db") == calm
        if program is PROTECT:
            charged = ledger("records", "sqlite:///killed.db")
            assert charged == ledger("records", "sqlite:///calm.db")
            assert len([entry for entry in charged if entry["mechanism"] == "reserved"]) == 12
        if left <= 0:
            break
        for file in own_folder.glob("killed.db*"):
            file.unlink()


# ---- federated studies

COORDINATOR = """
import sys
import pytacit
c = pytacit.Coordinator("sqlite:///{folder}/c.db", listen="127.0.0.1:{port}", threads=4, test_seed=7)
if {new}:
    c.create_study("ward", {space!r}, "minimize", trials={trials}, seed=7, agents=2,
                   algorithm={{"name": "dp-fts-de", "features": 20, "initial": 3, "releases": "all"}},
                   privacy={{"epsilon": 5, "delta": 0.01}})
print(c.url, c.fingerprint, c.invite("ward") if {new} else "", flush=True)
sys.stdin.read()
"""
PARTY = MORTAL + (
    "agent = pytacit.Agent(*{joined!r}, storage='sqlite:///{folder}/1.db', epsilon=6, delta=0.01, test_seed=7,\n"
    "    test_key=1, accept_not_private=True, consider=lambda document: None)\n"
    "agent.run(objective, callbacks=[told])\n"
)


class Federation:
    """A coordinator in a process of its own, and the first of two agents, in a thread of this one."""

    def __init__(self, trials: int) -> None:
        self.folder, self.trials = tempfile.mkdtemp(dir="."), trials
        self.port, self._process = 0, None  # type: int, Optional[subprocess.Popen[str]]
        self.url, self.fingerprint, self.token = self.serve(new=True)
        self.first = self.agent(0)
        self._thread: Optional[threading.Thread] = None
        self._raised: List[BaseException] = []

    def serve(self, moment: Moment = Moment("write", 0), new: bool = False) -> List[str]:
        """Starts the coordinator; what it says about itself."""
        program = COORDINATOR.format(
            folder=self.folder, port=self.port, new=new, space=SPACE, trials=self.trials
        )
        pipes: Dict[str, Any] = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
        self._process = subprocess.Popen([sys.executable, "-c", program], env=moment.environment(), **pipes)
        assert self._process.stdout
        said = self._process.stdout.readline().split()
        if said:
            self.port = int(said[0].rpartition(":")[2])
        return said

    def died(self) -> bool:
        """Waits until the coordinator is killed, or the study has ended."""
        assert self._process
        while self._process.poll() is None and self._thread and self._thread.is_alive():
            self._thread.join(0.05)
        return self._process.poll() is not None

    def agent(self, key: int) -> pytacit.Agent:
        joined = (self.url, "ward", self.token, self.fingerprint)
        return pytacit.Agent(*joined, storage=f"sqlite:///{self.folder}/{key}.db", epsilon=6, delta=0.01, test_seed=7,
                             test_key=key, accept_not_private=True, note=lambda _said: None)  # fmt: skip

    def start(self, *agents: pytacit.Agent) -> None:
        """The agents work in threads until the study is done."""
        work = [threading.Thread(target=self._work, args=(agent,), daemon=True) for agent in agents]
        for thread in work:
            thread.start()
        self._thread = work[0]

    def _work(self, agent: pytacit.Agent) -> None:
        try:
            agent.run(objective)
        except BaseException as why:
            self._raised.append(why)
        finally:
            agent.close()

    def end(self) -> None:
        for _ in range(6000):
            if not self._raised and self._thread and self._thread.is_alive():
                self._thread.join(0.05)
        self.kill()
        assert not self._raised, self._raised
        assert not (self._thread and self._thread.is_alive()), "it hangs"

    def kill(self) -> None:
        if self._process:
            self._process.kill()
            self._process.communicate()

    def left(self) -> Dict[str, Any]:
        """All that is left of the study: trials, messages, broadcasts and ledgers."""
        left: Dict[str, Any] = {}
        for i in range(2):
            storage = f"sqlite:///{self.folder}/{i}.db"
            left[f"trials {i}"] = trials("ward", storage)
            left[f"rounds {i}"] = traffic("ward", storage)
            left[f"ledger {i}"] = ledger("agent", storage)
        with pytacit.Coordinator(f"sqlite:///{self.folder}/c.db", test_seed=7) as c:
            left["coordinator"] = entries(c.study_ledger("ward"))
        return left


def objective(params: Dict[str, Any]) -> float:
    return float((params["x"] - 0.3) ** 2 + (params["kind"] == "b") / 8)


def traffic(study: str, storage: str) -> List[Dict[str, str]]:
    """Rounds with their messages, what they cost, and what was heard, but for the time of day."""
    command = [TACIT, "inspect", study, "--storage", storage, "--format", "csv"]
    printed = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout
    rows = csv.DictReader(printed.splitlines())
    return [{key: value for key, value in row.items() if key != "journalled"} for row in rows]


def calm(trials: int) -> Dict[str, Any]:
    """The study that nobody disturbs, once everything is paid for once."""
    federation = Federation(trials)
    try:
        assert federation.first.number == 0
        federation.start(federation.first, federation.agent(1))
        federation.end()
    finally:
        federation.kill()
    left = federation.left()
    released = [entry["round"] for entry in left["coordinator"]]
    assert len(released) > trials / 2 and len(set(released)) == len(released)
    for i in range(2):
        assert len(left[f"trials {i}"]) == trials
        assert [row["message"] for row in left[f"rounds {i}"]] == ["sent"] * len(released)
        assert [row["heard"] for row in left[f"rounds {i}"]] == ["1"] * len(released)
        assert [entry["round"] for entry in left[f"ledger {i}"]] == released
    return left


def check(federation: Federation, expected: Dict[str, Any], said: str) -> None:
    """A study has come to its end: is everything what it is without kills?"""
    federation.end()
    found = federation.left()
    for what, value in expected.items():
        assert found[what] == value, f"{what} differs after {said}, KILL_SEED={SEED}"


@needs_network
def test_an_agent(own_folder: Path) -> None:
    """One agent is killed over and over; the other one and the coordinator only wait for it."""
    expected, drawn, left = calm(16), moments(SEED, 90), KILLS
    killed: Set[str] = set()
    while left:
        federation = Federation(16)
        joined = (federation.url, "ward", federation.token, federation.fingerprint)
        program = PARTY.format(joined=joined, folder=federation.folder)
        try:
            federation.start(federation.first)
            for moment in drawn:
                if left == 0 or not run_until(program, moment):
                    break
                killed.add(moment.kind)
                left -= 1
            assert not run_until(program, Moment("write", 0))
            check(federation, expected, f"{KILLS - left} kills")
        finally:
            federation.kill()
    if KILLS >= 50:
        assert killed == {"write", "torn", "before", "after", "told", "clock"}


@needs_network
def test_a_coordinator(own_folder: Path) -> None:
    """The coordinator is killed at its writes and comes back with the same storage; the agents wait for it."""
    expected, draw, left = calm(8), random.Random(SEED), max(KILLS // 10, 1)
    while left:
        federation = Federation(8)
        second = federation.agent(1)
        try:
            federation.start(federation.first, second)
            while left:
                federation.kill()
                left -= 1
                federation.serve(Moment(draw.choice(["write", "torn"]), draw.randint(20, 150)))
                if not federation.died():
                    break
            federation.kill()
            federation.serve()
            check(federation, expected, f"all but {left} kills")
        finally:
            federation.kill()
