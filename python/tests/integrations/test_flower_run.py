"""`flwr run` with a real SuperLink and two real SuperNodes, on loopback."""

from __future__ import annotations

import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import textwrap
import time
from pathlib import Path
from typing import Any, Callable, Dict, Iterator, List

import pytest
from test_flower import DOCUMENT, copy_of, over_https, traffic_of, trials_of

import pytacit

BIN = Path(sys.executable).parent
EXAMPLE = Path(__file__).resolve().parents[3] / "examples" / "python" / "flower"
#: Nothing takes so long unless it hangs.
MOST_S = 900.0

CLIENT = """
import os, time
from pytacit.flower import client_app

def loss(params, context):
    place = int(context.node_config["partition-id"])
    done = len(open("evaluated").readlines()) if os.path.exists("evaluated") else 0
    if os.path.exists("stop") and done == 3:
        open("at-work", "w").close()
        time.sleep(3600)  # it is killed meanwhile
    with open("evaluated", "a") as written:
        print(params["dose"], file=written)
    return (params["dose"] - 0.2 - 0.3 * place) ** 2

app = client_app(loss, "sqlite:///node-{partition-id}.db", **OPTIONS)
"""
SERVER = """
import json
from dataclasses import asdict
from pytacit.flower import server_app

def ended(outcome):
    with open("outcome.json", "w") as written:
        json.dump(asdict(outcome), written)

app = server_app(json.loads(DOCUMENT), "sqlite:///coordinator.db", ended=ended, **OPTIONS)
"""


def loss(place: int) -> Callable[[Any], float]:
    return lambda params: (params["dose"] - 0.2 - 0.3 * place) ** 2


def free_port() -> int:
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return int(s.getsockname()[1])


def wait_for(what: str, there: Callable[[], Any]) -> Any:
    until = time.monotonic() + MOST_S
    while time.monotonic() < until:
        found = there()
        if found:
            return found
        time.sleep(0.2)
    pytest.fail(f"{what} was waited for in vain")


class Federation:
    """Processes of Flower, each in a folder and a process group of its own."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.port = folder, free_port()
        self.environment = {
            **os.environ, "HOME": str(folder / "home"), "FLWR_HOME": str(folder / "flwr"), "FLWR_TELEMETRY_ENABLED": "0",
            "PATH": f"{BIN}{os.pathsep}{os.environ['PATH']}", "PYTHONDONTWRITEBYTECODE": "1",
        }  # fmt: skip
        self.running: Dict[str, "subprocess.Popen[bytes]"] = {}
        for name in ("home", "flwr", "link"):
            (folder / name).mkdir()
        (folder / "flwr" / "config.toml").write_text(
            f'[superlink]\ndefault = "local"\n\n[superlink.local]\naddress = "127.0.0.1:{self.port}"\ninsecure = true\n'
        )

    def start(self, name: str, *command: str) -> None:
        folder = self.folder / name
        folder.mkdir(exist_ok=True)
        with open(self.folder / f"{name}.log", "ab") as log:
            self.running[name] = subprocess.Popen(
                [str(BIN / command[0]), *command[1:]], cwd=folder, env=self.environment, stdin=subprocess.DEVNULL,
                stdout=log, stderr=subprocess.STDOUT, start_new_session=True,
            )  # fmt: skip

    def log(self, name: str) -> str:
        return (self.folder / f"{name}.log").read_text(errors="replace")

    def start_link(self) -> None:
        self.start("link", "flower-superlink", "--insecure", "--disable-runtime-dependency-installation",
                   "--port", str(self.port))  # fmt: skip
        wait_for("the SuperLink", lambda: socket.socket().connect_ex(("127.0.0.1", self.port)) == 0)

    def start_node(self, place: int) -> None:
        before = self.log(f"node{place}").count("SuperNode ID") if (self.folder / f"node{place}.log").exists() else 0
        self.start(f"node{place}", "flower-supernode", "--insecure", "--superlink", f"127.0.0.1:{self.port}",
                   "--port", str(free_port()), "--node-config", f"partition-id={place}")  # fmt: skip
        wait_for("a SuperNode", lambda: self.log(f"node{place}").count("SuperNode ID") > before)

    def run(self, app: Path, *options: str) -> "subprocess.CompletedProcess[str]":
        return subprocess.run(
            [str(BIN / "flwr"), "run", str(app), "local", "--stream", *options], env=self.environment, timeout=MOST_S,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL, text=True,
        )  # fmt: skip

    def begin(self, app: Path) -> "subprocess.Popen[bytes]":
        self.start("run", "flwr", "run", str(app), "local", "--stream")
        return self.running["run"]

    def outcome(self) -> Dict[str, Any]:
        outcome: Dict[str, Any] = json.loads((self.folder / "link" / "outcome.json").read_text())
        return outcome

    def storage(self, place: int) -> str:
        return f"sqlite:///{self.folder}/node{place}/node-{place}.db"

    def kill(self, name: str, how: int = signal.SIGKILL) -> None:
        process = self.running.pop(name)
        try:
            os.killpg(process.pid, how)  # the apps that it has started are in its group
            process.wait(timeout=30)
        except (ProcessLookupError, subprocess.TimeoutExpired):
            pass
        try:
            os.killpg(process.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        process.wait(timeout=30)

    def end(self) -> None:
        for name in list(self.running):
            self.kill(name, signal.SIGTERM)


@pytest.fixture
def federation(own_folder: Path) -> Iterator[Federation]:
    made = Federation(own_folder)
    try:
        made.start_link()
        for place in range(2):
            made.start_node(place)
        yield made
    finally:
        made.end()


def write_app(folder: Path, document: Any, server: Any, client: Any) -> Path:
    app = folder / "app"
    app.mkdir()
    shutil.copy(EXAMPLE / "pyproject.toml", app)
    (app / "server_app.py").write_text(
        f"DOCUMENT = {json.dumps(json.dumps(document))}\nOPTIONS = {server!r}\n{textwrap.dedent(SERVER)}"
    )
    (app / "client_app.py").write_text(f"OPTIONS = {client!r}\n{textwrap.dedent(CLIENT)}")
    return app


def agents_of(outcome: Dict[str, Any]) -> List[str]:
    return sorted(node["standing"] for node in outcome["nodes"].values())


def test_the_example(federation: Federation) -> None:
    """As it is: real secrets, real noise."""
    app = federation.folder / "ward"
    shutil.copytree(EXAMPLE, app)
    done = federation.run(app, "--run-config", "trials=5")
    assert done.returncode == 0, done.stdout
    outcome = federation.outcome()
    assert outcome["finished"], done.stdout
    assert outcome["state"]["document"]["trials"] == 5
    rounds = [(r["round"], r["phase"], r["missing"]) for r in outcome["rounds"]]
    assert rounds == [(0, "closed", []), (1, "closed", [])]
    entries = outcome["ledger"]["entries"]
    assert [(e["round"], e["private"], e["mechanism"]) for e in entries] == [
        (i, True, "gaussian-sum") for i in range(2)
    ]
    for place in range(2):
        assert len(trials_of("ward", federation.storage(place))) == 5
        assert traffic_of("ward", federation.storage(place)) == [(i, "sent", "agent", 1, 1) for i in range(2)]


def test_the_ledger_equals_tacits_own(federation: Federation) -> None:
    """A dp-fts-de study over `flwr run`, and the same by Agent and Coordinator over HTTPS: entry by entry, hash by hash."""
    mine, theirs = copy_of(DOCUMENT, federation.folder, test_seed=3)
    shutil.move(str(federation.folder / "first.db"), federation.folder / "link" / "coordinator.db")
    assert mine.endswith("first.db")
    options = {"epsilon": 6.0, "delta": 0.01, "accept_not_private": True}
    app = write_app(federation.folder, DOCUMENT, {"test_seed": 3}, {"test_seed": 3, **options})
    done = federation.run(app)
    assert done.returncode == 0, done.stdout
    outcome = federation.outcome()
    assert outcome["finished"] and len(outcome["ledger"]["entries"]) == 3, done.stdout
    place_of = sorted(range(2), key=lambda place: number_of(federation, outcome, place))
    ledger, trials = over_https("ward", theirs, [loss(place) for place in place_of], 3, federation.folder, **options)
    assert outcome["ledger"] == ledger
    assert [trials_of("ward", federation.storage(place)) for place in place_of] == trials


def number_of(federation: Federation, outcome: Dict[str, Any], place: int) -> int:
    """The agent that a place is."""
    node = federation.log(f"node{place}").rsplit("SuperNode ID: ", 1)[1].split()[0]
    return int(outcome["nodes"][node]["agent"])


def test_a_node_that_is_killed(federation: Federation) -> None:
    """Its rounds end at their deadline, the outcome names it, the run ends; started anew it goes on from its storage."""
    document = {**DOCUMENT, "federation": {"agents": 2, "deadline_s": 20}}
    app = write_app(federation.folder, document, {}, {"epsilon": 6.0, "delta": 0.01})
    (federation.folder / "node1" / "stop").touch()
    running = federation.begin(app)
    wait_for("the fourth trial", (federation.folder / "node1" / "at-work").exists)
    federation.kill("node1")
    running.wait(timeout=MOST_S)
    outcome = federation.outcome()
    killed = number_of(federation, outcome, 1)
    assert not outcome["finished"] and agents_of(outcome) == ["done", "offline"], federation.log("run")
    assert [(r["round"], r["phase"]) for r in outcome["rounds"]] == [(0, "closed"), (1, "closed"), (2, "closed")]
    assert outcome["rounds"][2]["missing"] == [killed], "the round after it was killed"
    assert f"round 2 ended, and agents {killed} did not answer" in federation.log("run")
    assert len(trials_of("ward", federation.storage(1))) == 3
    spent = outcome["ledger"]
    (federation.folder / "node1" / "stop").unlink()
    federation.start_node(1)
    done = federation.run(app)
    outcome = federation.outcome()
    assert outcome["finished"] and number_of(federation, outcome, 1) == killed, done.stdout
    assert outcome["ledger"] == spent
    with pytacit.load_study("ward", federation.storage(1)) as study:
        assert [trial.state.name for trial in study.trials] == ["COMPLETE"] * 5
        evaluated = (federation.folder / "node1" / "evaluated").read_text().split()
        assert evaluated == [str(trial.params["dose"]) for trial in study.trials], "a trial ran twice, or elsewhere"
