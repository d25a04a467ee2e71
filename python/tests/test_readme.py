"""The program of README.md, as it is printed there."""

from __future__ import annotations

import re
from pathlib import Path

PYTHON = Path(__file__).resolve().parent.parent


def programs(page):
    return re.findall(r"^```python\n(.*?)^```", page.read_text(encoding="utf-8"), re.M | re.S)


def test_the_five_lines(capsys):
    (program,) = programs(PYTHON / "README.md")
    assert len([line for line in program.splitlines() if line.strip()]) == 5
    exec(compile(program, "README.md", "exec"), {})
    assert "celsius" in capsys.readouterr().out


def test_both_pages_have_the_same():
    (program,) = programs(PYTHON / "README.md")
    assert program in (PYTHON.parent / "README.md").read_text(encoding="utf-8")
