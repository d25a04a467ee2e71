"""The pages about pytacit: their programs run as they are printed, and print what stands there."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any, Dict, List, Tuple

import pytest

import pytacit

PYTHON = Path(__file__).resolve().parent.parent
TREE = PYTHON.parent


def blocks(page: Path) -> List[Tuple[str, str]]:
    """The fenced blocks of a page: language and text."""
    return re.findall(r"^```(\w+)\n(.*?)^```", page.read_text(encoding="utf-8"), re.M | re.S)


NUMBER = r"[-+]?\b\d[\d.,]*(?:e[-+]?\d+)?\b"


def without_numbers(text: str) -> List[str]:
    """The words of an output: numbers depend on noise, on seeds, and on the machine."""
    return re.sub(NUMBER, "#", text).split()


def numbers(text: str) -> List[float]:
    return [float(found.rstrip(".,")) for found in re.findall(NUMBER, text)]


def run(page: Path, i: int, program: str, names: Dict[str, Any]) -> None:
    exec(compile(program, f"{page.name}, block {i}", "exec"), names)


def test_the_five_lines(capsys):
    _, program = blocks(PYTHON / "README.md")[0]
    assert len([line for line in program.splitlines() if line.strip()]) == 5
    run(PYTHON / "README.md", 0, program, {})
    assert "celsius" in capsys.readouterr().out


def test_both_pages_have_the_same():
    _, program = blocks(PYTHON / "README.md")[0]
    assert program in (TREE / "README.md").read_text(encoding="utf-8")


@pytest.mark.page
@pytest.mark.skipif(not pytacit.has_network, reason="tacit was built without the network")
def test_the_page_of_the_package(capsys):
    names: Dict[str, Any] = {}
    for i, (language, program) in enumerate(blocks(PYTHON / "README.md")):
        assert language == "python"
        run(PYTHON / "README.md", i, program, names)
    said = capsys.readouterr().out
    assert "1 of 3 agents are here" in said and "NOT PRIVATE: seeded" in said and said.count("epsilon") > 5
    assert Path("regret.svg").stat().st_size > 1000 and Path("regret.csv").exists()


@pytest.mark.skipif(not pytacit.has_network, reason="tacit was built without the network")
def test_from_one_study_to_a_federation(capsys):
    page = blocks(TREE / "docs" / "python.md")
    names = {"__name__": "page"}
    compared = seeded = 0
    for i, (language, program) in enumerate(page):
        if language != "python":
            continue
        run(TREE / "docs" / "python.md", i, program, names)
        printed = capsys.readouterr().out
        expected = page[i + 1][1] if page[i + 1 :] and page[i + 1][0] == "text" else ""
        assert without_numbers(printed) == without_numbers(expected), f"block {i} prints:\n{printed}"
        if "seed=" in program:  # then only last digits depend on the machine
            assert numbers(printed) == pytest.approx(numbers(expected), rel=0.02), f"block {i} prints:\n{printed}"
            seeded += 1
        compared += 1
    assert compared > 5 and seeded == 2
