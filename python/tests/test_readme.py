"""The pages about pytacit: their programs run as they are printed, and print what stands there."""

from __future__ import annotations

import re
from pathlib import Path
from typing import List, Tuple

PYTHON = Path(__file__).resolve().parent.parent
TREE = PYTHON.parent


def blocks(page: Path) -> List[Tuple[str, str]]:
    """The fenced blocks of a page: language and text."""
    return re.findall(r"^```(\w+)\n(.*?)^```", page.read_text(encoding="utf-8"), re.M | re.S)


def without_numbers(text: str) -> List[str]:
    """The words of an output: numbers depend on noise, on seeds, and on the machine."""
    return re.sub(r"[-+]?\b\d[\d.,]*(e[-+]?\d+)?\b", "#", text).split()


def test_the_five_lines(capsys):
    ((language, program),) = blocks(PYTHON / "README.md")
    assert language == "python" and len([line for line in program.splitlines() if line.strip()]) == 5
    exec(compile(program, "README.md", "exec"), {})
    assert "celsius" in capsys.readouterr().out


def test_both_pages_have_the_same():
    ((_, program),) = blocks(PYTHON / "README.md")
    assert program in (TREE / "README.md").read_text(encoding="utf-8")


def test_from_one_study_to_a_federation(capsys):
    page = blocks(TREE / "docs" / "python.md")
    names = {"__name__": "page"}
    compared = 0
    for i, (language, program) in enumerate(page):
        if language != "python":
            continue
        exec(compile(program, f"docs/python.md, block {i}", "exec"), names)
        printed = capsys.readouterr().out
        expected = page[i + 1][1] if page[i + 1 :] and page[i + 1][0] == "text" else ""
        assert without_numbers(printed) == without_numbers(expected), f"block {i} prints:\n{printed}"
        compared += 1
    assert compared > 5
