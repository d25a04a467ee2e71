"""`python -m pytacit WORD`: versions, and the program; and `tacit`, the command that pip installs.

The wheel carries the program in bin/. Without it, the one in PYTACIT_LIBRARY_DIR or in PATH is run.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import sys
from pathlib import Path
from typing import Any, List, NoReturn, Optional

from . import __version__
from ._library import PACKAGE, has_network, library_files

HELP = """usage: python -m pytacit WORD

  version       the versions of tacit and of the libraries that it is bundled with
  demo ...      runs the program: tacit demo ...
  --help        this text
"""


def _fail(sentence: str, code: int) -> NoReturn:
    print(f"pytacit: {sentence}", file=sys.stderr)
    sys.exit(code)


# ---- the program


def find_program() -> Optional[str]:
    """The file of the program; None where there is none. A script of the same name that pip has made is not it."""
    folder = os.environ.get("PYTACIT_LIBRARY_DIR")
    places = [Path(folder) / "tacit"] if folder else [PACKAGE / "bin" / "tacit"]
    places += [Path(entry) / "tacit" for entry in os.environ.get("PATH", "").split(os.pathsep) if entry]
    for place in places:
        found = shutil.which(str(place.absolute()))
        if found and Path(found).read_bytes()[:4] == b"\x7fELF":
            return found
    return None


def run_program(arguments: List[str]) -> NoReturn:
    """The program takes the place of this process."""
    program = find_program()
    if program is None:
        _fail("there is no program tacit in this package, in PYTACIT_LIBRARY_DIR, or in PATH: install the wheel", 2)
    sys.stdout.flush()
    os.execv(program, [program] + arguments)


def tacit() -> NoReturn:
    """The command `tacit`."""
    run_program(sys.argv[1:])


# ---- version


def build_id() -> Optional[str]:
    """Which bits these are: of the sha256 of tacit's libraries. None where the dynamic linker has found them."""
    files = library_files()
    if not files:
        return None
    digest = hashlib.sha256()
    for file in files:
        digest.update(file.read_bytes())
    return digest.hexdigest()[:16]


def print_version() -> None:
    """What is loaded, and what came with it."""
    print(f"tacit      {__version__}")
    print(f"build      {build_id() or 'of the system'}")
    print(f"network    {'yes' if has_network else 'no'}")
    notes = PACKAGE / "bundled.json"
    if os.environ.get("PYTACIT_LIBRARY_DIR") or not notes.is_file():
        print("libraries  of the system: `tacit version` prints them")
        return
    bundled: Any = json.loads(notes.read_text(encoding="utf-8"))
    print("bundled    (licences in", str(PACKAGE / "licenses") + ")")
    for library in bundled["libraries"]:
        print(f"  {library['name']:<16} {library['version']}")


def main() -> None:
    """Does what the first word says."""
    words = sys.argv[1:]
    if not words or words[0] in ("--help", "-h", "help"):
        print(HELP, end="")
    elif words == ["version"]:
        print_version()
    elif words[0] == "version":
        _fail(f'version takes no other word, got "{words[1]}"', 2)
    elif words[0] == "demo":
        run_program(words)
    else:
        _fail(f'there is no word "{words[0]}"; there are version, demo and --help', 2)


if __name__ == "__main__":
    main()
