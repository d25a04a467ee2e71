"""Simulations with exact regret: algorithms on objectives whose optimum is known, many runs, on the same runs.

Nothing in a simulation is private: its noise comes from the seed. What is said of privacy is what a deployment with the
same options would promise.
"""

from __future__ import annotations

import json
import os
import queue
import sys
import threading
from pathlib import Path
from typing import Any, Callable, Dict, List, Mapping, NamedTuple, Optional, Sequence, Union

from . import _fields, _simulation_text
from ._curves import Array, Curves, CurveSet, Line, Ratio, array, ratio_of, read_curves
from ._guarantee import Guarantee, read_guarantee
from ._library import call, error, ffi, flag, lib, made_text, new, out, require_same_version, string, whole
from ._plan import Algorithm, File, Plan, Trials, in_keywords
from .errors import TacitError

__all__ = ["Array", "Contrast", "Curves", "CurveSet", "Ratio", "Simulated", "Simulation", "read_curves", "simulate"]


class Contrast(NamedTuple):
    """One algorithm over the first one, at one point."""

    label: str
    over: str  #: label of the first
    of: int  #: place of the algorithm in the simulation
    at: float  #: iteration, or pulls
    ratio: Ratio


class Simulated(Curves):
    """One algorithm's part of a simulation: its curves, its options, and what a deployment would promise."""

    def __init__(self, simulated: Any, keep: Any) -> None:
        s = simulated
        super().__init__(s.curves, keep, string(s.label))
        self.labelled = bool(s.label != ffi.NULL)  #: of a federation or of bandits, not of one party alone
        self.planned_agents: int = s.agents
        self.acting: int = s.acting  #: agents that search to the end; 0: all
        self.trials: int = s.trials  #: after the initial points; pulls of a bandit
        self.sends: bool = s.sends  #: an algorithm of a federation, whose agents send messages
        self.dim: int = s.dim  #: of an objective that takes any dimension; else 0
        self.options: Dict[str, Any] = _object(s.options)  #: in force
        self.chosen: Dict[str, Any] = _object(s.shown)  #: the same, with what the algorithm chose in their place
        self.given: Dict[str, Any] = _object(s.given)  #: those that were given
        self.theorem = string(s.theorem) or ""  #: whether one is about these options
        self.expect: Optional[Dict[str, Any]] = _object(s.expect) or None  #: what a study may gain at best
        #: Who would add up messages and deal the noise, what a round can do without, and its bytes; None: the coordinator
        self.trustees: Optional[Dict[str, Any]] = _object(s.trustees) or None
        self.trustees_sentence = string(s.trustees_sentence)
        self.statement = string(s.statement) or ""  #: what a deployment would promise; "": nothing would be hidden
        self.scope = string(s.scope) or ""  #: of a federation: who are neighbours, and what is not protected
        self.not_private = string(s.none)  #: why a deployment would promise nothing
        self.unit = string(lib.tacit_unit_name(s.unit)) or ""  #: whom a guarantee is for
        self.n_releases: int = s.releases
        self.noise_sd: float = s.noise_sd  #: of unit="record": of the noise in a value, the largest of all agents
        self.spent: Optional[Line] = array(s.spent, (s.curves.points,), keep)  #: epsilon when a point is over
        self.guarantee = self._guarantee(s.bound)
        if self.guarantee is None:
            self.spent = None

    def _guarantee(self, bound: Any) -> Optional[Guarantee]:
        """What all releases together would cost one agent, row or record in a deployment."""
        promises = self.not_private is None and (self.sends or self.unit == "record")
        return read_guarantee(bound, self.statement) if promises and bound.accountant != ffi.NULL else None

    @property
    def protects_records(self) -> bool:
        """Noise in its values is what it promises."""
        return self.unit == "record" and self.guarantee is not None

    @property
    def votes(self) -> bool:
        """Agents vote on their length-scale before they send weights."""
        return self.chosen.get("vote") == "yes"


def _object(pointer: Any) -> Dict[str, Any]:
    made: Dict[str, Any] = json.loads(string(pointer) or "{}")
    return made


class Simulation(CurveSet[Simulated]):
    """What simulate has found: one Simulated for each algorithm. `print` shows the tables of `tacit simulate`."""

    def __init__(self, handle: Any) -> None:
        self._handle = handle
        parts = range(lib.tacit_simulation_count(handle))
        super().__init__([Simulated(lib.tacit_simulation_get(handle, i), handle) for i in parts])

    def contrasts(self) -> List[Contrast]:
        """All algorithms but the first over it: at iterations 1, 5, 10, 20 and the last; by pulls at a tenth, at half
        and at the end. Nothing with a single run."""
        rows, n = new("const tacit_contrast **"), new("size_t *")
        call(lib.tacit_simulation_contrasts, self._handle, rows, n)
        return [self._contrast(rows[0][i]) for i in range(n[0])]

    def _contrast(self, c: Any) -> Contrast:
        first, of = self[0], int(c.of)
        return Contrast(self[of].label, first.label, of, first.at[int(c.point)], ratio_of(c.ratio))

    def to_csv(self, by_agent: bool = False) -> str:
        """All points as CSV; by_agent: those of every agent, of a simulation with by_agent=True."""
        return self._text(lib.TACIT_CURVES_BY_AGENT if by_agent else lib.TACIT_CURVES_CSV)

    def to_json(self) -> str:
        """All points as JSON, with options, messages, privacy and ratios."""
        return self._text(lib.TACIT_CURVES_JSON)

    def save(self, path: File, by_agent: bool = False) -> None:
        """Writes a file for read_curves and `tacit plot`: JSON if its name ends in .json, else CSV."""
        name = os.fspath(path)
        if by_agent and name.endswith(".json"):
            raise ValueError(f"curves of agents are written as CSV, and {name} ends in .json")
        made = self.to_json() if name.endswith(".json") else self.to_csv(by_agent)
        Path(name).write_text(made, encoding="utf-8")

    def _text(self, form: int) -> str:
        return made_text(lib.tacit_simulation_text, self._handle, form)

    def _files(self, folder: str) -> List[str]:
        file = os.path.join(folder, "curves.csv")
        self.save(file)
        return [file]

    def __str__(self) -> str:
        return _simulation_text.render(self)

    __repr__ = __str__


# ---- running


class _Run:
    """tacit_simulate in a thread of its own. The caller waits: so it can be interrupted, and writes what is shown."""

    def __init__(self, plan: Plan, note: Optional[Callable[[str], None]], show_progress_bar: bool) -> None:
        self._plan, self._note, self._bar = plan, note, show_progress_bar
        self._events: "queue.SimpleQueue[Optional[str]]" = queue.SimpleQueue()  # notes; None: it has ended
        self._stopping = False
        self._label, self._steps, self._done, self._shown = "", 0, 0, ""
        self._made: Any = None
        self._raised: Optional[BaseException] = None
        plan.callback("note", self._hear)
        plan.callback("begin", self._begin)
        plan.callback("progress", self._progress, False)
        plan.callback("stopped", self._is_stopped, True)

    def run(self) -> Any:
        """The handle of what was found."""
        thread = threading.Thread(target=self._work, name="pytacit-simulate")
        try:
            thread.start()
            self._wait()
        except BaseException as why:
            self._stopping = True
            while self._is_working(thread):  # a second interruption does not wait
                pass
            raise why from self._raised
        finally:
            if self._shown:
                sys.stderr.write("\n")
        if self._raised is not None:
            raise self._raised
        made, self._made = self._made, None  # which keeps the plan, and that this object
        return made

    def _work(self) -> None:
        try:
            end = lib.tacit_simulation_free
            self._made = out(lib.tacit_simulate, "tacit_simulation *", end, self._plan.close(), keep=self._plan)
        except TacitError as why:
            self._raised = error(why.status, in_keywords(str(why)))
        except BaseException as why:
            self._raised = why
        self._events.put(None)

    def _is_working(self, thread: threading.Thread) -> bool:
        try:
            return self._events.get(timeout=0.5) is not None
        except queue.Empty:
            return thread.is_alive()

    def _wait(self) -> None:
        while True:
            try:
                event = self._events.get(timeout=0.2 if self._bar else None)
            except queue.Empty:
                self._show()
                continue
            if event is None:
                break
            self._say(event)
        if self._bar:
            self._show()

    # ---- from any thread

    def _hear(self, _user: Any, sentence: Any) -> None:
        self._events.put(string(sentence) or "")

    def _begin(self, _user: Any, label: Any, steps: int) -> None:
        self._label, self._steps, self._done = string(label) or "", steps, 0

    def _progress(self, _user: Any, done: int) -> bool:
        self._done = done
        return not self._stopping

    def _is_stopped(self, _user: Any) -> bool:
        return self._stopping

    # ---- from the caller's

    def _say(self, sentence: str) -> None:
        if self._note is not None:
            self._note(in_keywords(sentence))
        else:
            print(f"pytacit: {in_keywords(sentence)}", file=sys.stderr)

    def _show(self) -> None:
        percent = 100 * self._done // self._steps if self._steps else 0
        shown = f"{self._label}: {percent} %"
        if shown == self._shown:
            return
        sys.stderr.write("\r" + shown.ljust(len(self._shown)))
        sys.stderr.flush()
        self._shown = shown


def simulate(
    algorithm: Optional[Algorithm] = None,
    objective: Optional[str] = None,
    *,
    trials: Optional[int] = None,
    agents: Optional[int] = None,
    rounds: Optional[int] = None,
    pulls: Optional[int] = None,
    runs: Optional[int] = None,
    seed: Optional[int] = None,
    epsilon: Optional[float] = None,
    delta: Optional[float] = None,
    unit: Union[str, float, None] = None,
    options: Optional[Mapping[str, Any]] = None,
    versus: Union[str, Sequence[Algorithm], None] = None,
    document: Union[File, Mapping[str, Any], None] = None,
    warm: Optional[Trials] = None,
    by_agent: bool = False,
    checkpoint: Optional[File] = None,
    threads: int = 0,
    show_progress_bar: bool = False,
    note: Optional[Callable[[str], None]] = None,
    **others: Any,
) -> Simulation:
    """Runs algorithms on an objective whose optimum is known, and measures their regret, without noise.

        found = pytacit.simulate("dp-fts-de", agents=200, rounds=20, epsilon=5, versus=["ts", "fts"])
        print(found)
        found.plot("regret.png")

    One party searches alone; agents, or whatever only a federation has, make a federation of one process; pulls make
    bandits. A run has its own seed and objective, both made from seed and the number of the run: algorithms that are
    compared meet the same, and the result depends neither on threads nor on having been interrupted.

    NOT PRIVATE: noise comes from the seed. What is said of privacy is what a deployment would promise.

    Keywords are the options of `tacit simulate`, with underscores. Besides:
    algorithm: its name, or {"name": ..., option: ...}. options: options of the algorithm, by name.
    versus: names, "NAME,OPTION=VALUE,..." or {"name": ..., option: ...}, to be compared on the same runs.
    document: a study's document, or a file of it: algorithm, trials, seed, federation and privacy are taken.
    unit: "record": epsilon and delta protect single validation records. A number: a distance of 1, of a curator.
    warm: trials of a federation that exist before: rows with agent, value and the parameters, or a CSV file of them.
    by_agent: keep the curves of every agent. threads: that compute; 0 is one for each core.
    checkpoint: keeps finished runs of a federation or of bandits in this file; the same call goes on there, also after
    the process was killed. note: gets sentences that the caller should know; else they go to standard error.
    Interrupted (KeyboardInterrupt), it ends after the trials that run.
    """
    require_same_version("simulate")
    fields: Dict[str, Any] = {
        "objective": objective,
        "trials": trials,
        "agents": agents,
        "rounds": rounds,
        "pulls": pulls,
        "runs": runs,
        "epsilon": epsilon,
        "delta": delta,
        "checkpoint": checkpoint,
        **_known(others),
    }
    plan = Plan()
    plan.set_algorithm(algorithm, options)
    plan.set_versus(versus)
    plan.set_seed(seed)
    plan.set_unit(unit)
    plan.set_document(document)
    plan.set_warm(warm)
    plan.set_fields(fields)
    plan.c.by_agent = flag(by_agent, "by_agent")
    plan.c.threads = whole(threads, "threads")
    return Simulation(_Run(plan, note, show_progress_bar).run())


def _known(others: Dict[str, Any]) -> Dict[str, Any]:
    """Keywords that are fields of a plan; others are refused."""
    unknown = [name for name in others if name not in _fields.read()]
    if unknown:
        raise TypeError(f"simulate has no keyword {unknown[0]}; it has {', '.join(keywords())}")
    return others


def keywords() -> List[str]:
    """All keywords of simulate."""
    named = simulate.__kwdefaults__ or {}
    return sorted({"algorithm", "objective", *named, *_fields.read()})


def _help() -> str:
    lines = [
        f"    {f.keyword}: {in_keywords(f.help)} ({f.allowed}{'' if f.default is None else f', default {f.default}'})"
        for f in _fields.read().values()
    ]
    return "\n".join(["", "    Options of `tacit simulate`, as <tacit/experimental/fields.h> has them:", *lines, ""])


simulate.__doc__ = (simulate.__doc__ or "") + _help()
