"""What the benchmarks of the Python package share: one thread, two clocks, rows in a file, versions.

Import it before numpy, torch or xgboost: they read the variables that it sets when they are loaded.
"""
import os

for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[name] = "1"

import json  # noqa: E402
import platform  # noqa: E402
import time  # noqa: E402
from importlib.metadata import version  # noqa: E402


class Clock:
    """Milliseconds since it was made: wall, and the CPU time of all threads of this process."""

    def __init__(self):
        self._wall, self._cpu = time.perf_counter(), time.process_time()

    def read(self):
        return 1e3 * (time.perf_counter() - self._wall), 1e3 * (time.process_time() - self._cpu)


def installed(*packages):
    """The versions of these packages and of Python; and the CPU."""
    made = {"python": platform.python_version()}
    made.update({package: version(package) for package in packages})
    with open("/proc/cpuinfo", encoding="utf-8") as info:
        made["cpu"] = next(line.split(":")[1].strip() for line in info if line.startswith("model name"))
    return made


def versions(*packages):
    """installed(), with the versions of tacit and of what tacit was built with."""
    from pytacit._library import ffi, lib, string

    made = installed(*packages)

    @ffi.callback("tacit_build_visit")
    def visit(_user, part, text):
        part = string(part)
        made[part if part == "tacit" else f"tacit's {part}"] = string(text)

    lib.tacit_build_parts(visit, ffi.NULL)
    return made


def read(file):
    """The versions that a file begins with, and its rows."""
    with open(file, encoding="utf-8") as lines:
        first, *rows = map(json.loads, lines)
    return first["versions"], rows


class Rows:
    """A file of results that an interrupted run goes on with: versions first, then a row of JSON for each run."""

    def __init__(self, file, key, made_by):
        """key: the members that name a run. made_by: versions(); a file of others is not continued."""
        self._key, self._done = key, set()
        if os.path.exists(file):
            found, rows = read(file)
            if found != made_by:
                other = sorted(name for name in {**found, **made_by} if found.get(name) != made_by.get(name))
                raise SystemExit(f"{file} was begun with other versions: {', '.join(other)}")
            self._done = {self._name(row) for row in rows}
        self._lines = open(file, "a", encoding="utf-8")
        if not os.path.getsize(file):
            self._write({"versions": made_by})

    def _name(self, row):
        return tuple(row[member] for member in self._key)

    def has(self, *name):
        return name in self._done

    def add(self, row):
        self._done.add(self._name(row))
        self._write(row)

    def _write(self, row):
        print(json.dumps(row, separators=(",", ":")), file=self._lines, flush=True)
