"""What the tests share: a small study in memory, and a folder of their own."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any, Callable, Iterator

import pytest

import pytacit

SPACE = {
    "x": pytacit.FloatDistribution(-5, 5),
    "n": pytacit.IntDistribution(1, 64, log=True),
    "kind": pytacit.CategoricalDistribution(["plain", "odd one"]),
}


def bowl(params: "dict[str, Any]") -> float:
    return (params["x"] - 2) ** 2 + (params["kind"] == "odd one")


@pytest.fixture(autouse=True)
def own_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    yield tmp_path


@pytest.fixture
def study() -> pytacit.Study:
    return pytacit.create_study("bowl", SPACE, "minimize", "memory:", algorithm="random", seed=1, trials=12)


@pytest.fixture
def python() -> Callable[..., "subprocess.Popen[str]"]:
    """Starts a Python program in a process of its own, and ends those that are left."""
    started = []

    def start(program: str, **environment: str) -> "subprocess.Popen[str]":
        process = subprocess.Popen(
            [sys.executable, "-c", program],
            env={**os.environ, **environment},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        started.append(process)
        return process

    yield start
    for process in started:
        process.kill()
        process.communicate()
