"""What a study searches over, in Optuna's words, and points of it as dictionaries."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Callable, Dict, Iterable, List, Mapping, Optional, Sequence, Union

from ._library import call, ffi, index_of, lib, new, real, string, text
from .trial import ParamValue

#: Where a parameter is active: {"kernel": "rbf"}, or several values: {"kernel": ["rbf", "poly"]}.
Condition = Mapping[str, Union[str, int, float, bool, Sequence[Union[str, int, float, bool]]]]


@dataclass(frozen=True)
class FloatDistribution:
    """A number from low to high, both allowed; in steps from low, on a log scale, or both."""

    low: float
    high: float
    log: bool = False
    step: Optional[float] = None
    when: Optional[Condition] = None

    def to_json(self) -> Dict[str, Any]:
        """As a study document has it."""
        return _with_condition(_range("float", self.low, self.high, self.log, self.step), self.when)


@dataclass(frozen=True)
class IntDistribution:
    """A whole number from low to high, both allowed; in steps from low, on a log scale, or both."""

    low: int
    high: int
    log: bool = False
    step: int = 1
    when: Optional[Condition] = None

    def to_json(self) -> Dict[str, Any]:
        """As a study document has it."""
        step = None if self.step == 1 else self.step
        return _with_condition(_range("int", self.low, self.high, self.log, step), self.when)


@dataclass(frozen=True)
class CategoricalDistribution:
    """One of several texts, or of several numbers, without order unless `ordered`; of [False, True] a bool."""

    choices: Union[Sequence[str], Sequence[float], Sequence[bool]]
    ordered: bool = False
    when: Optional[Condition] = None

    def to_json(self) -> Dict[str, Any]:
        """As a study document has it."""
        if isinstance(self.choices, (str, bytes)) or not isinstance(self.choices, Iterable):
            raise TypeError(f"choices must be a list of texts or numbers, got {type(self.choices).__name__}")
        choices = list(self.choices)
        made: Dict[str, Any] = {"type": "choice", "choices": choices}
        if len(choices) == 2 and all(isinstance(choice, bool) for choice in choices) and choices[0] != choices[1]:
            made = {"type": "bool"}
        elif self.ordered:
            made["ordered"] = True
        return _with_condition(made, self.when)


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


def _with_condition(made: Dict[str, Any], when: Optional[Condition]) -> Dict[str, Any]:
    if when is not None:
        if not isinstance(when, Mapping):
            raise TypeError(f"when must be a dict of one parameter, got {type(when).__name__}")
        made["when"] = dict(when)
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
        parents = {i: lib.tacit_space_param_parent(pointer, i) for i in range(self.size)}
        self._conditional: Dict[int, int] = {i: parent for i, parent in parents.items() if parent < self.size}

    def _reader(self, i: int) -> Callable[[float], ParamValue]:
        kind = lib.tacit_space_column_type(self._space, i)
        if kind == lib.TACIT_COLUMN_INT:
            return int
        if kind != lib.TACIT_COLUMN_CHOICE:
            return float
        made = {lib.TACIT_CHOICE_NUMBER: _as_number, lib.TACIT_CHOICE_BOOL: bool}.get(
            lib.tacit_space_choice_kind(self._space, i)
        )
        choices: List[ParamValue] = []
        while (choice := string(lib.tacit_space_choice(self._space, i, len(choices)))) is not None:
            number = lib.tacit_space_choice_number(self._space, i, len(choices))
            choices.append(made(number) if made else choice)
        return lambda value: choices[int(value)]

    def new_point(self) -> Any:
        """Room for a point."""
        return new("double[]", self.size)

    def params(self, point: Any) -> Dict[str, ParamValue]:
        """A point as a dictionary, without inactive parameters; of a finite space the number of the candidate ("point")
        and its columns."""
        values = list(ffi.unpack(point, self.size))
        for i in range(self.size, len(self.names)):
            values.append(lib.tacit_space_column_value(self._space, point, i))
        read = zip(self.names, self._read, values)
        if not self._conditional:
            return {name: as_param(value) for name, as_param, value in read}
        return {name: as_param(value) for i, (name, as_param, value) in enumerate(read) if self._active(point, i)}

    def _active(self, point: Any, i: int) -> bool:
        return i >= self.size or bool(lib.tacit_space_active(self._space, point, i))

    def point(self, params: Mapping[str, ParamValue]) -> Any:
        """A dictionary as a point: every active parameter, and nothing else; None says that one is inactive. Of a finite
        space "point", or all columns."""
        if not isinstance(params, Mapping):
            raise TypeError(f"params must be a dict of parameters by name, got {type(params).__name__}")
        if len(self.names) > self.size and "point" not in params:
            return self._candidate(params)
        needed = [name for i, name in enumerate(self.names[: self.size]) if i not in self._conditional]
        self._check_names(params, needed, self.names)
        point = self.new_point()
        for name in needed:
            self._parse(name, params[name], point)
        for i, parent in self._conditional.items():
            self._set_conditional(i, parent, params, point)
        call(lib.tacit_space_check, self._space, point)
        return point

    def _set_conditional(self, i: int, parent: int, params: Mapping[str, ParamValue], point: Any) -> None:
        name, on = self.names[i], self.names[parent]
        given = params.get(name)
        if not self._active(point, i):
            if given is not None:
                raise ValueError(f"params must not have {name} where {on} is {params[on]}")
        elif given is None:
            raise ValueError(f"params has no {name}, which is needed where {on} is {params[on]}")
        else:
            self._parse(name, given, point)

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
        is_bool = isinstance(value, bool) and self._is_bool(name)
        written = value if isinstance(value, str) else str(value) if is_bool else _written(value, f"params.{name}")
        call(lib.tacit_space_parse, self._space, text(name, "name"), text(written, f"params.{name}"), point)

    def _is_bool(self, name: str) -> bool:
        return lib.tacit_space_choice_kind(self._space, self.names.index(name)) == lib.TACIT_CHOICE_BOOL


def _as_number(value: float) -> ParamValue:
    return int(value) if value.is_integer() else value


def _written(value: Any, what: str) -> str:
    """A number with all of its digits."""
    number = None if isinstance(value, bool) else index_of(value)
    if number is not None and number.bit_length() < 1100:
        return str(number)
    if isinstance(value, bool) or not hasattr(value, "__float__"):
        raise TypeError(f"{what} must be a number or a str, got {type(value).__name__}")
    number = real(value, what)
    return str(int(number)) if number.is_integer() else repr(number)
