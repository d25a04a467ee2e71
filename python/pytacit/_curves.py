"""Curves of regret: what a simulation has measured, or a file of it has."""

from __future__ import annotations

import os
import sys
from typing import (
    Any,
    Dict,
    Generic,
    Iterator,
    List,
    NamedTuple,
    Optional,
    Sequence,
    Tuple,
    TypeVar,
    Union,
    cast,
    overload,
)

from ._library import call, ffi, lib, new, owned, string
T = TypeVar("T")


class Array(Sequence[T], Generic[T]):
    """Numbers of the library's, without a copy: `table[run][point]`. numpy.asarray takes it without a copy, too.

    It cannot be written to, and keeps what it is a part of alive.
    """

    def __init__(self, numbers: "memoryview[float]", shape: Tuple[int, ...], address: int) -> None:
        self._numbers = numbers  # of all axes, one after another
        self.shape = shape
        self._address = address

    @property
    def __array_interface__(self) -> Dict[str, Any]:
        kind = "<f8" if sys.byteorder == "little" else ">f8"
        return {"version": 3, "shape": self.shape, "typestr": kind, "data": (self._address, True)}

    def __len__(self) -> int:
        return self.shape[0]

    @overload
    def __getitem__(self, at: int) -> T: ...
    @overload
    def __getitem__(self, at: slice) -> List[T]: ...
    def __getitem__(self, at: Union[int, slice]) -> Union[T, List[T]]:
        if isinstance(at, slice):
            return [self._item(i) for i in range(*at.indices(len(self)))]
        i = at.__index__()
        if not -len(self) <= i < len(self):
            raise IndexError(f"there are {len(self)}, and {i} is not one of them")
        return self._item(i % len(self))

    def _item(self, i: int) -> Any:
        if len(self.shape) == 1:
            return self._numbers[i]
        step = len(self._numbers) // self.shape[0]
        return Array[Any](self._numbers[i * step : (i + 1) * step], self.shape[1:], self._address + 8 * i * step)

    def tolist(self) -> List[Any]:
        """As lists."""
        return [item.tolist() if isinstance(item, Array) else item for item in self]

    def __eq__(self, other: object) -> bool:
        if isinstance(other, Sequence) and not isinstance(other, (str, bytes)):
            numbers = cast("Sequence[Any]", other)
            return len(self) == len(numbers) and all(mine == theirs for mine, theirs in zip(self, numbers))
        return NotImplemented

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        shown = ", ".join(repr(item) for item in self[:6])
        return f"Array([{shown}{', ...' if len(self) > 6 else ''}], shape={self.shape})"


Line = Array[float]  # by point
Table = Array[Array[float]]  # by run and point
Tables = Array[Array[Array[float]]]  # by run, agent and point


def array(pointer: Any, shape: Tuple[int, ...], keep: Any) -> Any:
    """Numbers at a pointer, which live as long as `keep`; None of NULL."""
    if pointer == ffi.NULL:
        return None
    n = 1
    for length in shape:
        n *= length
    kept = owned(pointer, lambda _numbers: None, keep)
    numbers = memoryview(ffi.buffer(kept, 8 * n)).toreadonly().cast("d")
    return Array[Any](numbers, shape, int(ffi.cast("uintptr_t", pointer)))


def members(struct: Any) -> Dict[str, Any]:
    """The numbers of a struct by their names; a struct inside of it is a dictionary."""
    made: Dict[str, Any] = {}
    for name, field in ffi.typeof(struct).fields:
        value = getattr(struct, name)
        made[name] = members(value) if field.type.kind == "struct" else value
    return made


class Ratio(NamedTuple):
    """How much more regret one algorithm has than another, from runs that are paired."""

    ratio: float  #: of means; 1 where neither has any regret
    low: float  #: of its 95 % interval; NaN where an interval would be a guess, as with fewer than 5 runs
    high: float
    p: float  #: two-sided, of the paired differences

    def __str__(self) -> str:
        interval = f" ({self.low:.3g} to {self.high:.3g})" if self.low == self.low else ""
        return f"{self.ratio:.3g}{interval}, p = {self.p:.2g}"


def ratio_of(r: Any) -> Ratio:
    """A tacit_ratio."""
    return Ratio(r.ratio, r.low, r.high, r.p)


class Curves:
    """One algorithm's regret, mean over runs, at points: trials, iterations or pulls.

    What there is not is None: of bandits the simple regret, in a file the single runs, and the agents unless asked for.
    """

    def __init__(self, curves: Any, keep: Any, label: Optional[str] = None) -> None:
        c, self._curves, self._kept = curves, curves, keep
        self.algorithm = string(c.algorithm) or ""
        self.label = label or string(c.label) or self.algorithm
        self.objective = string(c.objective) or ""
        self.runs: int = c.runs
        self.agents: int = c.agents  #: that are measured
        self.seed: int = c.seed
        self.initial: int = c.initial  #: trials of each agent at iteration 0 of a federation
        self.by_pulls: bool = c.by_pulls  #: points are pulls of each agent
        self.relayed: bool = c.relayed  #: messages were handed on without any protection: NOT PRIVATE at all
        self.rejection = string(c.rejection)  #: why the first message that was refused in the first run was
        self.pulls: int = c.pulls
        self.seconds: float = c.seconds
        n = (c.points,)
        by_run, by_agent = (c.runs, c.points), (c.runs, c.agents, c.points)
        self.at: Line = array(c.at, n, keep)  #: the trial, iteration or pull that a point is
        self.simple_mean: Optional[Line] = array(c.simple_mean, n, keep)
        self.simple_se: Optional[Line] = array(c.simple_se, n, keep)  #: standard error
        self.cumulative_mean: Line = array(c.cumulative_mean, n, keep)
        self.cumulative_se: Line = array(c.cumulative_se, n, keep)
        self.simple: Optional[Table] = array(c.simple, by_run, keep)  #: [run][point]
        self.cumulative: Optional[Table] = array(c.cumulative, by_run, keep)
        self.agent_simple: Optional[Tables] = array(c.agent_simple, by_agent, keep)  #: [run][agent][point]
        self.agent_cumulative: Optional[Tables] = array(c.agent_cumulative, by_agent, keep)

    @property
    def counts(self) -> List[Dict[str, Any]]:
        """What each run sent, by the names of tacit_run_counts; empty of a file."""
        counted = self._curves.counts
        return [] if counted == ffi.NULL else [members(counted[run]) for run in range(self.runs)]

    @property
    def releases(self) -> List[Dict[str, Any]]:
        """What left a federation in each run, and its price in a deployment: members of tacit_simulated_release."""
        return [members(self._curves.releases[i]) for i in range(self._curves.n_releases)]

    def compare(self, other: "Curves", point: int = -1) -> Ratio:
        """The regret of this over that of another, at a point: simple, of bandits cumulative. Both have the same runs.

        point: its place in `at`, from 0; or from the end, -1 being the last.
        """
        n = len(self.at)
        if not -n <= point < n:
            raise IndexError(f"point must be from {-n} to {n - 1}, got {point}")
        made = new("tacit_ratio *")
        call(lib.tacit_curves_compare, self._curves, other._curves, point % n, made)
        return ratio_of(made)

    def __repr__(self) -> str:
        return f"<pytacit.Curves {self.label} on {self.objective}: {self.runs} runs, {len(self.at)} points>"


C = TypeVar("C", bound=Curves)


class CurveSet(Sequence[C], Generic[C]):
    """Curves in their order; `[0]` or `["LABEL"]` is one of them."""

    def __init__(self, curves: Sequence[C]) -> None:
        self._all = list(curves)

    @property
    def labels(self) -> List[str]:
        """What tells them apart."""
        return [curves.label for curves in self._all]

    def __len__(self) -> int:
        return len(self._all)

    def __iter__(self) -> Iterator[C]:
        return iter(self._all)

    @overload
    def __getitem__(self, which: Union[int, str]) -> C: ...
    @overload
    def __getitem__(self, which: slice) -> List[C]: ...
    def __getitem__(self, which: Union[int, str, slice]) -> Union[C, List[C]]:
        if not isinstance(which, str):
            return self._all[which]
        if which not in self.labels:
            raise KeyError(f"there is no {which!r}; the labels are {', '.join(map(repr, self.labels))}")
        return self._all[self.labels.index(which)]

    def compare(self, a: Union[int, str, Curves], b: Union[int, str, Curves], point: int = -1) -> Ratio:
        """The regret of a over that of b, at a point; as Curves.compare."""
        one, other = (which if isinstance(which, Curves) else self[which] for which in (a, b))
        return one.compare(other, point)

    def plot(
        self,
        path: Union[str, "os.PathLike[str]", None] = None,
        *,
        ax: Any = None,
        cumulative: bool = False,
        title: Optional[str] = None,
    ) -> Any:
        """Draws the means, with a band of one standard error; the simple regret on a logarithmic scale.

        ax: axes of matplotlib to draw into; None: new ones. They are returned. path: a file, such as "regret.png" or
        "regret.svg"; without matplotlib `tacit plot` writes it, and there are no axes: None is returned.
        cumulative: the cumulative regret, which is the only one of bandits.
        """
        from . import _plot

        return _plot.plot(self, path, ax, cumulative, title, self._files)

    def _files(self, folder: str) -> List[str]:
        """Files that have these curves, for the program."""
        raise NotImplementedError


class _Read(CurveSet[Curves]):
    def __init__(self, curves: Sequence[Curves], files: List[str]) -> None:
        super().__init__(curves)
        self._read = files

    def _files(self, folder: str) -> List[str]:
        return self._read

    def __repr__(self) -> str:
        return f"[{', '.join(map(repr, self))}]"


def read_curves(*paths: Union[str, "os.PathLike[str]"]) -> CurveSet[Curves]:
    """Reads files that Simulation.save or `tacit simulate --out` wrote: JSON by the ending, else CSV.

    Points without a regret, such as iteration 0 of agents that begin with nothing, are left out.
    """
    names = [os.fspath(path) for path in paths]
    found = owned(new("tacit_curve_set *"), lib.tacit_curve_set_fini)
    for name in names:
        call(lib.tacit_curves_read, found, name.encode("utf-8", "surrogateescape"))
    return _Read([Curves(ffi.addressof(found.items[i]), found) for i in range(found.n)], names)
