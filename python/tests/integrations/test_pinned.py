"""The recipe of docs/operations.md for programs that speak to a coordinator without tacit: it knows the key, and no other."""

from __future__ import annotations

import os
import re
import runpy
from pathlib import Path

import pytest

import pytacit

OPERATIONS = Path(__file__).resolve().parents[3] / "docs" / "operations.md"


@pytest.fixture
def recipe(tmp_path, monkeypatch):
    """The program of the page, in a folder with an operator's token, and a coordinator."""
    (program,) = re.findall(r"^```python\n(.*?)^```", OPERATIONS.read_text(encoding="utf-8"), re.M | re.S)
    monkeypatch.chdir(tmp_path)
    with pytacit.Coordinator("memory:") as coordinator:
        Path("operator.token").write_text(coordinator.operator_token() + "\n", encoding="utf-8")
        Path("recipe.py").write_text(program, encoding="utf-8")
        monkeypatch.setenv("TACIT_SERVER", coordinator.url)
        monkeypatch.setenv("TACIT_FINGERPRINT", coordinator.fingerprint)
        yield "recipe.py"


def test_it_speaks_with_its_coordinator(recipe, capsys):
    runpy.run_path(recipe)
    assert "studies" in capsys.readouterr().out


def test_it_speaks_with_no_other(recipe, monkeypatch):
    monkeypatch.setenv("TACIT_FINGERPRINT", "sha256//" + 43 * "A" + "=")
    with pytest.raises(SystemExit, match="this is not the coordinator with that fingerprint"):
        runpy.run_path(recipe)


def test_a_certificate_that_changes_is_noticed(recipe):
    import requests

    session = runpy.run_path(recipe)["session"]
    with pytacit.Coordinator("memory:") as other:
        session.mount(other.url, session.get_adapter(os.environ["TACIT_SERVER"]))
        with pytest.raises(requests.exceptions.SSLError, match="[Ff]ingerprint"):
            session.get(other.url + "/v1/studies")
