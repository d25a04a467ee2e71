"""Strategies: values that nobody should pass, values that somebody might, and what a call may answer to them."""

from __future__ import annotations

import datetime
import decimal
import enum
import fractions
import re
from typing import Any, Callable, Tuple

from hypothesis import strategies as st

import pytacit


class Evil(Exception):
    """What the methods of an evil value raise."""


class EvilBase(BaseException):
    """The same, of the kind that `except Exception` does not see."""


class EvilText(Exception):
    """An exception that cannot be written."""

    def __str__(self) -> str:
        raise Evil("__str__")

    __repr__ = __str__


class EvilValue:
    """Claims to be a number, a text, a list and a dictionary."""

    def _refuse(self, *_: Any) -> Any:
        raise Evil("a method")

    __float__ = __index__ = __int__ = __len__ = __iter__ = __getitem__ = __contains__ = __fspath__ = __bool__ = _refuse
    __eq__ = __lt__ = __hash__ = _refuse  # type: ignore[assignment]


class Liar:
    """Its methods return what they must not."""

    def __float__(self) -> Any:
        return "0"

    def __index__(self) -> Any:
        return 0.5

    def __fspath__(self) -> Any:
        return 7


class Colour(enum.Enum):
    RED = 1


class Text(str):
    """A str, and not quite."""

    def encode(self, *_: Any, **__: Any) -> Any:
        return "not bytes"


def cyclic() -> Any:
    made: Any = {"name": []}
    made["name"].append(made)
    return made


texts = (
    st.text(st.characters(), max_size=20)
    | st.sampled_from(["", "\0", "a\0b", "\ud800", "%s%n", "'; DROP", "..", "a/b", "NaN", "1e999", "💥", "\n", " ", "true"])
    | st.sampled_from([255, 256, 70000]).map(lambda length: "ä" * length)
)
numbers = (
    st.integers()
    | st.floats()
    | st.sampled_from(
        [0, -1, 1, 2**31, 2**32, 2**53 + 1, 2**63 - 1, 2**63, -(2**63), 2**64, 10**400, 1e308, 5e-324, -0.0]
    )
    | st.sampled_from([4000, 5000]).map(lambda digits: -(10**digits))
    | st.sampled_from([float("nan"), float("inf"), -float("inf"), decimal.Decimal("1.5"), decimal.Decimal("sNaN")])
    | st.sampled_from([fractions.Fraction(1, 3), fractions.Fraction(10**400, 3), 1j, True, False])
)
odd = st.sampled_from([EvilValue, Liar, object, cyclic, lambda: Text("s"), set, frozenset, bytearray, lambda: Colour.RED, lambda: EvilValue]).map(
    lambda make: make()
) | st.sampled_from([b"", b"x", range(3), ..., NotImplemented, int, len, datetime.timedelta(1), memoryview(b"x")])
leaves = st.none() | numbers | texts | odd
anything = st.recursive(
    leaves, lambda inner: st.lists(inner, max_size=4) | st.tuples(inner) | st.dictionaries(texts | st.integers(), inner, max_size=4)
)


def mostly(*valid: Any) -> "st.SearchStrategy[Any]":
    """A value that is right, or one time in ten anything."""
    return _now_and_then(st.sampled_from(valid), anything)


def names(*valid: str) -> "st.SearchStrategy[Any]":
    """The same of what can be a key."""
    return _now_and_then(st.sampled_from(valid), texts | st.integers() | st.none())


@st.composite
def _now_and_then(draw: Any, right: Any, wrong: Any) -> Any:
    return draw(wrong if draw(st.integers(0, 9)) == 7 else right)


#: A sentence of ours does not speak of how it is made.
INSIDE = re.compile(r"[cC]ffi|cdata|ctype|ffi\.|NULL|0x[0-9a-f]{6}|[iI]nternal|Traceback|object at|coordinator failed")
#: Nor is it one of Python's, which do not say which argument is wrong.
PYTHONS = re.compile(
    r"codec can't|attribute|os\.PathLike|update sequence|not iterable|not supported between|unhashable|convert|interpreted|"
    r"has no len|invalid literal|unexpected keyword|integer string conversion|is not callable"
)
ALLOWED: Tuple[type, ...] = (TypeError, ValueError, pytacit.TacitError, RuntimeError, ImportError, Evil, EvilBase)


def sensible(call: Callable[[], Any]) -> Any:
    """Calls; what it raises must be one of ours, with a sentence. None then."""
    try:
        return call()
    except (Evil, EvilBase):
        return None
    except BaseException as why:
        said = str(why)
        ours = isinstance(why, ALLOWED) and not isinstance(why, (RecursionError, UnicodeError, pytacit.InternalError))
        quoted = re.sub(r'"[^"]*"|\'[^\']*\'', "", said)  # what was given may be anything
        if ours and len(said) > 8 and not INSIDE.search(quoted) and not PYTHONS.search(quoted):
            return None
        raise AssertionError(f"{type(why).__name__}: {said[:400]}") from why
