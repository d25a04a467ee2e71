"""The programs of the pages, as a type checker reads them; they are run in test_readme.py."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

PYTHON = Path(__file__).resolve().parent.parent.parent
PAGES = [PYTHON.parent / "README.md", PYTHON / "README.md", PYTHON.parent / "docs" / "python.md"]

OBJECTIVES = """
from typing import Any, Dict, Mapping
import pytacit

def of_a_dictionary(params: Dict[str, Any]) -> float:
    return params["x"] ** 2

def of_a_mapping(params: Mapping[str, Any]) -> float:
    return params["x"] ** 2

def of_values(params: Dict[str, pytacit.ParamValue]) -> float:
    return len(params)

study = pytacit.create_study("s", {"x": pytacit.FloatDistribution(0, 1)}, "minimize")
study.optimize(of_a_dictionary)
study.optimize(of_a_mapping)
study.optimize(of_values)
x: float = study.best_params["x"]
"""


def check(folder: Path, program: str) -> None:
    (folder / "pyrightconfig.json").write_text(json.dumps({"typeCheckingMode": "standard", "pythonVersion": "3.9"}))
    (folder / "program.py").write_text(program, encoding="utf-8")
    command = [sys.executable, "-m", "pyright", "--pythonpath", sys.executable, "--project", str(folder)]
    found = subprocess.run(command, capture_output=True, text=True)
    assert found.returncode == 0, found.stdout + found.stderr


@pytest.mark.parametrize("page", PAGES, ids=["README", "python-README", "docs-python"])
def test_the_programs_of_a_page(tmp_path: Path, page: Path):
    programs = re.findall(r"^```python\n(.*?)^```", page.read_text(encoding="utf-8"), re.M | re.S)
    assert programs
    check(tmp_path, "\n".join(programs))


def test_objectives_of_all_kinds(tmp_path: Path):
    check(tmp_path, OBJECTIVES)
