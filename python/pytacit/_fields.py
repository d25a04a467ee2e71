"""The members of a simulation's plan by name, read from the macros of <tacit/experimental/fields.h>.

The header is a list of rows X(type, owner, member, name, default, low, high, choices, value, help) in macros that
contain each other. So options, their limits and their help follow the header without an edit.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Dict, Iterator, List, NamedTuple, Optional, Tuple

from . import _declarations

# Where the members of each owner are in a tacit_simulation_plan.
_OWNERS = {"PLAN": (), "FAMILY": ("family",), "OBJECTIVE": ("family", "objective")}
_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|[A-Za-z_]\w*|.', re.S)


class Field(NamedTuple):
    """One member of a plan."""

    kind: str  # FLOAT, OPEN (above low), INT, BOOL, CHOICE, STRING
    path: Tuple[str, ...]  # to the member, from the plan
    option: str  # "noise-scale", the option of `tacit simulate`
    default: Optional[str]
    low: float
    high: float
    choices: Tuple[str, ...]
    help: str

    @property
    def keyword(self) -> str:
        """The keyword of simulate."""
        return self.option.replace("-", "_")

    @property
    def allowed(self) -> str:
        """What a value may be, in words."""
        if self.kind == "CHOICE":
            return f"one of {', '.join(self.choices)}"
        if self.kind in ("BOOL", "STRING"):
            return "True or False" if self.kind == "BOOL" else "a str"
        what, bracket = "a whole number" if self.kind == "INT" else "a number", "(" if self.kind == "OPEN" else "["
        return f"{what} in {bracket}{_shown(self.low)}, {_shown(self.high)}]"


def _shown(limit: float) -> str:
    return f"{limit:.0f}" if limit.is_integer() else repr(limit)


@lru_cache(maxsize=None)
def read() -> "Dict[str, Field]":
    """The fields of a plan by keyword, in the order of the header."""
    text = _declarations.plain((_declarations.find_headers() / "experimental" / "fields.h").read_text(encoding="utf-8"))
    macros: Dict[str, Tuple[List[str], str]] = {
        name: (_words(parameters), body)
        for name, parameters, body in re.findall(r"^#define (\w+)\(([^)]*)\)(.*)$", text, re.M)
    }
    _, body = macros["TACIT_PLAN_FIELDS"]
    fields = [_field(row) for row in _rows(macros, body)]
    return {field.keyword: field for field in fields}


def _words(text: str) -> List[str]:
    return [word.strip() for word in text.split(",")]


def _rows(macros: Dict[str, Tuple[List[str], str]], body: str) -> Iterator[List[str]]:
    """The arguments of every X(...) in a body, and in the macros that it calls."""
    for name, arguments in _calls(body):
        if name == "X":
            yield arguments
        elif name in macros:
            parameters, inner = macros[name]
            given = dict(zip(parameters, arguments))
            tokens: List[str] = _TOKEN.findall(inner)
            yield from _rows(macros, "".join(given.get(token, token) for token in tokens))


def _calls(text: str) -> Iterator[Tuple[str, List[str]]]:
    """NAME(ARGUMENT, ...) from left to right; what stands inside of an argument stays in it."""
    name, depth, arguments = "", 0, [""]
    for token in _TOKEN.findall(text):
        if token == "(":
            depth += 1
            if depth == 1:
                arguments = [""]
                continue
        elif token == ")":
            depth -= 1
            if depth == 0:
                yield name, [argument.strip() for argument in arguments]
        elif depth == 0 and not token.isspace():
            name = token
        elif token == "," and depth == 1:
            arguments.append("")
            continue
        if depth:
            arguments[-1] += token


def _field(row: List[str]) -> Field:
    kind, owner, member, name, default, low, high, choices, _value, text = row
    return Field(
        kind,
        (*_OWNERS[owner], *member.split(".")),
        _string(name) or "",
        _string(default),
        _number(low),
        _number(high),
        tuple((_string(choices) or "").split("|")) if kind == "CHOICE" else (),
        _string(text) or "",
    )


def _string(word: str) -> Optional[str]:
    """Literals of C, one after another; None of NULL."""
    literals = re.findall(r'"((?:[^"\\]|\\.)*)"', word)
    return None if word == "NULL" else re.sub(r"\\(.)", r"\1", "".join(literals))


def _number(word: str) -> float:
    return float.fromhex(word) if "x" in word else float(word)
