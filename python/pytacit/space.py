"""What a study searches over, in Optuna's words, and points of it as dictionaries."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Callable, Dict, Iterable, List, Mapping, Optional, Sequence, Union

from ._library import call, ffi, index_of, lib, new, real, string, text
from .trial import ParamValue


@dataclass(frozen=True)
class FloatDistribution:
    """A number from low to high, both allowed; in steps from low, on a log scale, or both."""

    low: float
    high: float
    log: bool = False
    step: Optional[float] = None

    def to_json(self) -> Dict[str, Any]:
        """As a study document has it."""
        return _range("float", self.low, self.high, self.log, self.step)


@dataclass(frozen=True)
class IntDistribution:
    """A whole number from low to high, both allowed; in steps from low, on a log scale, or both."""

    low: int
    high: int
    log: bool = False
    step: int = 1

    def to_json(self) -> Dict[str, Any]:
        """As a study document has it."""
        return _range("int", self.low, self.high, self.log, None if self.step == 1 else self.step)


@dataclass(frozen=True)
class CategoricalDistribution:
    """One of several texts without order."""

    choices: Sequence[str]

    def to_json(self) -> Dict[str, Any]:
        """As a study document has it."""
        if isinstance(self.choices, (str, bytes)) or not isinstance(self.choices, Iterable):
            raise TypeError(f"choices must be a list of texts, got {type(self.choices).__name__}")
        return {"type": "choice", "choices": list(self.choices)}


Distribution = Union[FloatDistribution, IntDistribution, CategoricalDistribution]

#: A parameter: a distribution, or what a study document says of it: {"type": "float", "low": 0, "high": 1}.
Parameter = Union[Distribution, Mapping[str, Any]]


def _range(kind: str, low: float, high: float, log: bool, step: Optional[float]) -> Dict[str, Any]:
    made: Dict[str, Any] = {"type": kind, "low": low, "high": high}
    if log:
        made["log"] = True
    if step is not None:
        made["step"] = step
    return made


def space_json(space: Mapping[str, Parameter]) -> Dict[str, Any]:
    """The "space" of a study document."""
    made: Dict[str, Any] = {}
    for name, parameter in space.items():
        if isinstance(parameter, (FloatDistribution, IntDistribution, CategoricalDistribution)):
            made[name] = parameter.to_json()
        elif isinstance(parameter, Mapping):
            made[name] = dict(parameter)
        else:
            raise TypeError(
                f"space.{name} must be a FloatDistribution, IntDistribution, CategoricalDistribution or a dict, "
                f"got {type(parameter).__name__}"
            )
    return made


class Space:
    """Turns points of the library into dictionaries and back."""

    def __init__(self, pointer: Any, owner: Any) -> None:
        self._space = pointer
        self._owner = owner  # lives as long as this does, and the space with it
        self.size: int = lib.tacit_space_params(pointer)
        columns = range(lib.tacit_space_columns(pointer))
        self.names: List[str] = [string(lib.tacit_space_column_name(pointer, i)) or "" for i in columns]
        self._read: List[Callable[[float], ParamValue]] = [self._reader(i) for i in columns]

    def _reader(self, i: int) -> Callable[[float], ParamValue]:
        kind = lib.tacit_space_column_type(self._space, i)
        if kind == lib.TACIT_COLUMN_INT:
            return int
        if kind != lib.TACIT_COLUMN_CHOICE:
            return float
        choices: List[str] = []
        while (choice := string(lib.tacit_space_choice(self._space, i, len(choices)))) is not None:
            choices.append(choice)
        return lambda value: choices[int(value)]

    def new_point(self) -> Any:
        """Room for a point."""
        return new("double[]", self.size)

    def params(self, point: Any) -> Dict[str, ParamValue]:
        """A point as a dictionary; of a finite space the number of the candidate ("point") and its columns."""
        values = list(ffi.unpack(point, self.size))
        for i in range(self.size, len(self.names)):
            values.append(lib.tacit_space_column_value(self._space, point, i))
        return {name: read(value) for name, read, value in zip(self.names, self._read, values)}

    def point(self, params: Mapping[str, ParamValue]) -> Any:
        """A dictionary as a point: every parameter, and nothing else. Of a finite space "point", or all columns."""
        if not isinstance(params, Mapping):
            raise TypeError(f"params must be a dict of parameters by name, got {type(params).__name__}")
        if len(self.names) > self.size and "point" not in params:
            return self._candidate(params)
        self._check_names(params, self.names[: self.size], self.names)
        point = self.new_point()
        for name in self.names[: self.size]:
            self._parse(name, params[name], point)
        call(lib.tacit_space_check, self._space, point)
        return point

    def _candidate(self, params: Mapping[str, ParamValue]) -> Any:
        columns = self.names[self.size :]
        self._check_names(params, columns, columns)
        values = new("double[]", [real(params[name], f"params.{name}") for name in columns])
        found = new("size_t *")
        call(lib.tacit_space_find, self._space, values, found)
        return new("double[]", [float(found[0])])

    @staticmethod
    def _check_names(params: Mapping[str, ParamValue], needed: Sequence[str], known: Sequence[str]) -> None:
        missing = [name for name in needed if name not in params]
        unknown = [name for name in params if name not in known]
        if missing:
            raise ValueError(f"params has no {missing[0]}; the space has {', '.join(needed)}")
        if unknown:
            raise ValueError(f"params has {unknown[0]!r}, which is not in the space: it has {', '.join(needed)}")

    def _parse(self, name: str, value: ParamValue, point: Any) -> None:
        written = value if isinstance(value, str) else _written(value, f"params.{name}")
        call(lib.tacit_space_parse, self._space, text(name, "name"), text(written, f"params.{name}"), point)


def _written(value: Any, what: str) -> str:
    """A number with all of its digits."""
    number = None if isinstance(value, bool) else index_of(value)
    if number is not None and number.bit_length() < 1100:
        return str(number)
    if isinstance(value, bool) or not hasattr(value, "__float__"):
        raise TypeError(f"{what} must be a number or a str, got {type(value).__name__}")
    number = real(value, what)
    return str(int(number)) if number.is_integer() else repr(number)
