"""Arbitrary values into everything that is public: the properties of properties.py, each in a process of its own.

PYTACIT_EXAMPLES=2000 tries so many examples of each, drawn anew; without it they are few, and always the same.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import properties
import pytest

HERE = Path(__file__).parent
NAMES = [name for name in vars(properties) if name.startswith("test_")]


@pytest.mark.parametrize("name", NAMES)
def test_property(name: str, tmp_path: Path) -> None:
    """It holds; Python did not crash, and nothing was printed that nobody could catch."""
    paths = [str(HERE), str(HERE.parent), os.environ.get("PYTHONPATH", "")]
    command = [sys.executable, "-X", "faulthandler", "-m", "pytest", "-q", "-p", "no:cacheprovider", "-s", "--tb=short"]
    ended = subprocess.run(
        [*command, "--rootdir", str(HERE), "-c", os.devnull, f"{HERE / 'properties.py'}::{name}"],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(paths), "HOME": str(tmp_path), "XDG_STATE_HOME": str(tmp_path)},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
        timeout=3600,
    )
    assert ended.returncode == 0, f"{name} ended with {ended.returncode}\n{ended.stdout[-12000:]}"
    for said in ("From cffi callback", "Fatal Python error", "Exception ignored", "internal error"):
        found = re.search(f"(?i).*{said}.*", ended.stdout)
        assert not found, f"{name} printed: {found[0] if found else ''}\n{ended.stdout[-12000:]}"
