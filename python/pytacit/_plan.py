"""What simulate was given, as a tacit_simulation_plan of <tacit/experimental/simulate.h>."""

from __future__ import annotations

import csv
import json
import math
import os
import re
from typing import Any, Dict, Iterator, List, Mapping, Optional, Sequence, Union, cast

from . import _fields
from ._library import callback, ffi, lib, new, out, real, string, text, whole
from .space import Space

#: A file, by its name.
File = Union[str, "os.PathLike[str]"]
#: An algorithm: its name, or {"name": ..., option: ...}.
Algorithm = Union[str, Mapping[str, Any]]
#: Trials that exist before a simulation begins: rows with agent, value and the parameters, or a CSV file of them.
Trials = Union[File, Sequence[Mapping[str, Any]]]

OK, REFUSED = int(lib.TACIT_OK), int(lib.TACIT_E_ARG)
# Between the parts of a text that may be given as a sequence; "," for those that are not named.
_SEPARATORS = {"range": ":"}


class Plan:
    """A plan, and everything that it points at."""

    def __init__(self) -> None:
        self.c: Any = new("tacit_simulation_plan *", lib.tacit_simulation_plan_default())
        self._kept: List[Any] = []
        self._given: List[str] = []  # options, as the program names them

    # ---- fields of the header

    def set_fields(self, values: Mapping[str, Any]) -> None:
        """Sets members by their keywords; None is not given."""
        fields = _fields.read()
        for keyword, value in values.items():
            if value is None:
                continue
            field = fields[keyword]
            owner = self.c
            for member in field.path[:-1]:
                owner = getattr(owner, member)
            setattr(owner, field.path[-1], self._converted(field, value))
            self._given.append(field.option)

    def _converted(self, field: _fields.Field, value: Any) -> Any:
        name = field.keyword
        if field.kind == "STRING":
            return self._text(written(value, name, _SEPARATORS.get(name, ",")), name)
        if field.kind == "BOOL":
            if not isinstance(value, bool):
                raise TypeError(f"{name} must be True or False, got {type(value).__name__}")
            return value
        if field.kind == "CHOICE":
            if value not in field.choices:
                raise ValueError(f"{name} must be {field.allowed}, got {value!r}")
            return field.choices.index(value)
        if field.kind == "INT" and (isinstance(value, bool) or not hasattr(value, "__index__")):
            raise TypeError(f"{name} must be a whole number, got {type(value).__name__}")
        number = value.__index__() if field.kind == "INT" else real(value, name)
        if not (field.low <= number <= field.high and (field.kind != "OPEN" or number > field.low)):
            raise ValueError(f"{name} must be {field.allowed}, got {number}")
        return number

    # ---- members that have no field

    def set_algorithm(self, algorithm: Optional[Algorithm], options: Optional[Mapping[str, Any]]) -> None:
        """An algorithm and its options, which may stand in either of the two."""
        chosen: Dict[str, Any] = dict(options or {})
        if isinstance(algorithm, Mapping):
            name, inner = _parts(algorithm, "algorithm")
            twice = [option for option in inner if option in chosen]
            if twice:
                raise ValueError(f"{twice[0]} is given twice: in algorithm and in options")
            algorithm, chosen = name, {**inner, **chosen}
        self.set_fields({"algorithm": algorithm})
        words = [self._text(word, "options") for word in _words(chosen, "options")]
        self.c.sets, self.c.n_sets = self._list(words), len(words)

    def set_versus(self, versus: Union[str, Sequence[Algorithm], None]) -> None:
        """Algorithms to compare with."""
        if versus is None or isinstance(versus, str):
            return self.set_fields({"versus": versus})
        if not isinstance(versus, Sequence):
            raise TypeError(f"versus must be a str or a sequence of algorithms, got {type(versus).__name__}")
        items: List[str] = []
        for i, item in enumerate(versus):
            name, options = (item, {}) if isinstance(item, str) else _parts(item, f"versus[{i}]")
            items.append(",".join([name, *_words(options, f"versus[{i}]")]))
        self.set_fields({"versus": "; ".join(items) if items else None})

    def set_seed(self, seed: Optional[int]) -> None:
        """From which all runs follow."""
        if seed is not None:
            self.c.seed, self.c.seeded = whole(seed, "seed"), True
            self._given.append("seed")

    def set_unit(self, unit: Union[str, float, None]) -> None:
        """Whom epsilon protects, or what counts as a distance of 1 of a curator's columns."""
        if unit is None:
            return
        if unit == "record":
            self.c.unit = lib.TACIT_PLAN_UNIT_RECORD
        elif isinstance(unit, str) or not 0 < real(unit, "unit") <= 1e12:
            raise ValueError(f'unit must be "record", or a number in (0, 1000000000000], got {unit!r}')
        else:
            self.c.curator.unit = unit
        self._given.append("unit")

    def set_document(self, document: Union[File, Mapping[str, Any], None]) -> None:
        """A study's document, or the file that has it."""
        if document is None:
            return
        if isinstance(document, Mapping):
            made, written_text = lib.tacit_document_parse, json.dumps(dict(document))
        else:
            made, written_text = lib.tacit_document_read, os.fspath(document)
        self.c.document = self._keep(
            out(made, "tacit_document *", lib.tacit_document_free, text(written_text, "document"))
        )

    def set_warm(self, warm: Optional[Trials]) -> None:
        """Trials that exist before."""
        if warm is None:
            return
        rows = _Warm(warm)
        self.callback("known", rows.find, REFUSED)
        self._kept.append(rows)
        self._given.append("warm")

    # ---- callbacks

    def callback(self, member: str, function: Any, error: Any = None) -> None:
        """Sets a callback; what it raises is raised by the call, if it runs in the thread of the call."""
        kind = dict(ffi.typeof("tacit_simulation_plan").fields)[member].type
        setattr(self.c, member, self._keep(callback(kind, function, error)))

    def close(self) -> Any:
        """The plan as tacit_simulate takes it: nothing more can be given."""
        if self.c.curator.bounds_file != ffi.NULL:
            self.callback("bounds", _Bounds(string(self.c.curator.bounds_file) or "").find, REFUSED)
        self.c.given = self._list([self._text(name, "given") for name in self._given] + [ffi.NULL])
        return self.c

    # ---- memory

    def _keep(self, made: Any) -> Any:
        self._kept.append(made)
        return made

    def _text(self, value: str, what: str) -> Any:
        return self._keep(text(value, what))

    def _list(self, texts: List[Any]) -> Any:
        return self._keep(new("const char *[]", texts))


# ---- texts


def written(value: Any, what: str, separator: str = ",") -> str:
    """A value as the program would be given it."""
    if isinstance(value, (str, os.PathLike)):
        return os.fspath(value)
    if isinstance(value, bool):
        return "true" if value else "false"
    if hasattr(value, "__index__"):
        return str(value.__index__())
    if hasattr(value, "__float__"):
        return repr(float(value))
    if isinstance(value, Sequence):
        return separator.join(written(item, what, separator) for item in cast("Sequence[Any]", value))
    raise TypeError(f"{what} must be a str, a number or a list of them, got {type(value).__name__}")


def _words(options: Mapping[str, Any], what: str) -> List[str]:
    return [f"{name}={written(value, f'{what}.{name}')}" for name, value in options.items()]


def _parts(algorithm: Mapping[str, Any], what: str) -> "tuple[str, Dict[str, Any]]":
    """The name and the options of {"name": ..., option: ...}."""
    options = dict(algorithm)
    name = options.pop("name", None)
    if not isinstance(name, str):
        raise ValueError(f'{what} must be a name, or a dict with "name" and options, got {dict(algorithm)!r}')
    return name, options


_OPTION = re.compile(r"--([a-z]+(?:-[a-z]+)*)")


def in_keywords(sentence: str) -> str:
    """A sentence of the library about options of the program, in keywords."""
    return _OPTION.sub(lambda found: "options" if found[1] == "set" else found[1].replace("-", "_"), sentence)


# ---- trials and bounds, which the library asks for


def _read_csv(file: str) -> Iterator["tuple[int, Dict[str, str]]"]:
    """The lines of a CSV file by their numbers."""
    with open(file, encoding="utf-8", newline="") as opened:
        reader = csv.DictReader(opened, strict=True)
        for row in reader:
            if None in row or None in row.values():
                raise ValueError(f"{file}:{reader.line_num}: there are not as many fields as columns")
            yield reader.line_num, row


class _Warm:
    """Trials for tacit_simulation_plan.known."""

    def __init__(self, warm: Trials) -> None:
        if isinstance(warm, (str, os.PathLike)):
            file = os.fspath(warm)
            self._rows: Dict[str, Dict[str, Any]] = {f"{file}:{line}": dict(row) for line, row in _read_csv(file)}
        else:
            self._rows = {f"warm[{i}]": dict(row) for i, row in enumerate(warm)}
        if not self._rows:
            raise ValueError("warm has no trial")
        self._kept: List[Any] = []

    def find(self, _user: Any, space: Any, agents: int, found: Any, n: Any, _err: Any) -> int:
        points = Space(space, None)
        known = new("tacit_known_trial[]", len(self._rows))
        for trial, (where, row) in zip(known, self._rows.items()):
            try:
                trial.agent, trial.value, values = _known_trial(points, agents, row)
            except (TypeError, ValueError) as why:
                raise ValueError(f"{where}: {why}") from None
            trial.values = values
            self._kept.append(values)
        self._kept.append(known)
        found[0], n[0] = known, len(known)
        return OK


def _known_trial(points: Space, agents: int, row: Dict[str, Any]) -> "tuple[int, float, Any]":
    missing = [name for name in ("agent", "value") if name not in row]
    if missing:
        raise ValueError(f"a trial has agent, value and the parameters, and this one has no {missing[0]}")
    params = dict(row)
    agent, value = params.pop("agent"), float(params.pop("value"))
    number = int(agent) if isinstance(agent, str) else whole(agent, "agent")
    if not 0 <= number < agents:
        raise ValueError(f"agent must be a number from 0 to {agents - 1}, got {number}")
    if not math.isfinite(value):
        raise ValueError(f"value must be a finite number, got {value}")
    return number, value, points.point(params)


class _Bounds:
    """Public bounds of columns for tacit_simulation_plan.bounds, from a CSV file: column, low, high, and maybe unit."""

    def __init__(self, file: str) -> None:
        self._file = file

    def find(self, _user: Any, n: int, names: Any, bounds: Any, _err: Any) -> int:
        wanted = {string(names[i]): bounds[i] for i in range(n)}
        for line, row in _read_csv(self._file):
            if list(row) not in (["column", "low", "high"], ["column", "low", "high", "unit"]):
                raise ValueError(f"{self._file}: the header must be column,low,high or column,low,high,unit")
            column = wanted.get(row["column"])
            if column is None:
                continue  # a file may serve several data sets
            try:
                column.low, column.high, column.unit = float(row["low"]), float(row["high"]), float(row.get("unit", 1))
            except ValueError:
                raise ValueError(f"{self._file}:{line}: bounds and units must be numbers") from None
        return OK
