"""study.optimize: tacit's worker (<tacit/worker.h>) with a Python function, in one thread or in several.

Each thread is a worker of its own, whose function and callbacks run in that thread: so leases are renewed while a
function computes, trials that a killed process left are taken up again, and a coordinator that is away is waited for.
What a Python function raises never crosses C: it is kept, the worker is stopped, and then it is raised. Where
validation records are protected (<tacit/records.h>) the worker is not stopped: nobody may see that an evaluation
failed, so the trials that are left are run, too, and then it is raised.
"""

from __future__ import annotations

import logging
import os
import sys
import threading
from typing import (
    TYPE_CHECKING,
    Any,
    Callable,
    Dict,
    Iterable,
    List,
    Mapping,
    Optional,
    Sequence,
    Tuple,
    Type,
    Union,
    cast,
)

from ._library import call, callback, escape, ffi, has_escaped, lib, string, struct, whole
from ._prune import Pruned, RunningTrial, Rule, rule_of, takes_trial
from .errors import CancelledError
from .trial import Trial

if TYPE_CHECKING:
    from .study import Study

#: The values are float, int, or the text of a choice, as the space says. An objective of two arguments gets the
#: running trial, too. It returns the value, or all outcomes by name.
Objective = Union[
    Callable[[Dict[str, Any]], Union[float, Mapping[str, float]]],
    Callable[[Dict[str, Any], RunningTrial], Optional[float]],
]
Callback = Callable[["Study", Trial], None]

#: What a person at this machine may want to read: reasons of failures, a coordinator that is away.
logger = logging.getLogger("pytacit")

#: Threads of one call, as many as a worker of the library may have.
MOST_JOBS = 1024

# What an evaluation returns; any status but the other two is a failure.
OK, CANCELLED, FAILED = int(lib.TACIT_OK), int(lib.TACIT_E_CANCELLED), int(lib.TACIT_E_ARG)


class Run:
    """One call of optimize: what its threads share."""

    def __init__(
        self,
        study: "Study",
        objective: Objective,
        tickets: int,
        as_planned: bool,
        time_ms: int,
        catch: Tuple[Type[BaseException], ...],
        callbacks: Sequence[Callback],
        progress: Optional["Progress"] = None,
        agent: Any = None,
        alone: bool = False,
        jobs: int = 1,
        prune: Rule = None,
    ) -> None:
        self.study = study
        self.objective = objective
        self.as_planned = as_planned  # trials of other processes count, too
        self.time_ms = time_ms
        self.catch = catch
        self.callbacks = callbacks
        self.progress = progress
        self.agent = agent  # a tacit_agent: it says what comes next, and takes up again what was interrupted
        self.jobs = jobs  # of an agent: threads of the library, which share one Worker
        self.alone = alone  # what is running was left behind by an earlier process, and is taken up again
        self.rule = rule_of(prune)
        self.takes_trial = takes_trial(objective)
        if self.takes_trial and len(study.outcome_names) > 1:
            raise TypeError("a study with several outcomes takes no intermediate values: func must take params alone")
        if prune is not None and not self.takes_trial:
            raise TypeError("prune is for a func of two arguments, (params, trial), which reports by trial.report")
        self.hides_failures = study.noise_sd > 0
        self.stopping = False
        self.raised: Optional[BaseException] = None
        self._evaluation_failed: Optional[Exception] = None  # where failures are hidden
        self._warned = False  # of an objective that returns no number
        self._tickets = tickets  # trials that may still be started
        self._lock = threading.Lock()
        self._one_callback = threading.Lock()
        self._changed = threading.Condition()  # of the three that follow
        self._working = self._ended = 0  # threads
        self._closed = False

    def take_ticket(self) -> bool:
        """May one more trial be started?"""
        with self._lock:
            if self._tickets == 0:
                return False
            self._tickets -= 1
            return True

    def fail(self, why: BaseException) -> None:
        """Ends the run; the first exception is the one that is raised."""
        with self._lock:
            self.raised = self.raised or why
            self.stopping = True

    def fail_evaluation(self, why: Exception) -> None:
        """The objective raised what `catch` does not list."""
        if not self.hides_failures:
            self.fail(why)
            return
        if self.alone:  # the caller has a loop of its own, which goes on as if nothing had failed
            logger.warning("the objective raised an exception; records are protected, so it is not raised", exc_info=why)
            return
        with self._lock:
            first = self._evaluation_failed is None
            self._evaluation_failed = self._evaluation_failed or why
        if first:
            logger.warning(
                "the objective raised an exception; records are protected, so the other trials are run before it is "
                "raised: that one failed must not be seen. Each costs its part of epsilon; interrupt (Ctrl-C) to stop"
            )

    def warn_of_no_number(self, number: int, why: "NotANumber") -> None:
        """Nothing is raised, for the trial has failed like any other; where failures are hidden the library warns."""
        with self._lock:
            first = not self._warned and not self.hides_failures
            self._warned = self._warned or first
        if first:
            logger.warning("trial %d failed: %s; of others that fail so nothing is said here", number, why)

    def told(self, number: int) -> None:
        """A trial is finished: callbacks hear of it, one at a time."""
        if not self.callbacks and not self.progress:
            return
        with self._one_callback:
            if self.progress:
                self.progress.step(self.study)
            if self.callbacks:
                trial = self.study.get_trial(number)
                for called in self.callbacks:
                    called(self.study, trial)

    def work(self, jobs: int) -> None:
        """Runs trials in this thread, or in several beside it; raises what ended them."""
        if jobs == 1:
            Worker(self).run()
        else:
            self._work_in_threads(jobs)
        raised = self.raised or self._evaluation_failed
        if raised is not None:
            raise raised

    def _work_in_threads(self, jobs: int) -> None:
        """Thread.join is not used: in some versions of Python a thread counts as ended once its join is interrupted."""
        try:
            for i in range(jobs):
                threading.Thread(target=self._work_there, name=f"pytacit-{i}").start()
            with self._changed:
                self._changed.wait_for(lambda: self._ended == jobs)
        except BaseException as why:  # it was interrupted, or the system has no more threads
            self.fail(why)
            with self._changed:  # what runs is finished and told; a second interruption does not wait for it
                self._closed = True
                self._changed.wait_for(lambda: self._working == 0)

    def _work_there(self) -> None:
        with self._changed:
            if self._closed:
                return
            self._working += 1
        try:
            Worker(self).run()
        except BaseException as why:  # raised again by the thread that called optimize
            self.fail(why)
        with self._changed:
            self._working -= 1
            self._ended += 1
            self._changed.notify_all()


class Worker:
    """One thread's worker."""

    def __init__(self, run: Run) -> None:
        self._run = run
        self._study = run.study
        self._ticket = False
        self._running: Optional[int] = None  # a trial that was not told
        opts = struct("tacit_worker_opts")
        # The callbacks are members of this object: they live as long as the call.
        self._names = run.study.outcome_names
        self._evaluate_c = callback("tacit_evaluate_trial", self._evaluate, CANCELLED, self._escape)
        self._stop_c = callback("bool(void *)", self._stop, True, self._escape)
        self._listen_c = callback("void(void *, const tacit_worker_event *)", self._listen, None, self._escape)
        opts.evaluate_trial, opts.stop, opts.listen = self._evaluate_c, self._stop_c, self._listen_c
        opts.time_ms, opts.alone, opts.jobs = run.time_ms, run.alone, run.jobs
        opts.trials = 0 if run.as_planned else 2**62  # beside the tickets
        self._opts = opts

    def run(self) -> None:
        """Until there is no ticket, or a reason to end."""
        try:
            if self._run.agent is None:
                call(lib.tacit_worker_run, self._study._open(), self._opts, ffi.NULL)
            else:
                call(lib.tacit_agent_work, self._run.agent, self._opts)
        except CancelledError:
            pass  # by ourselves: _stop or _evaluate said so
        finally:
            self._give_back()

    def _give_back(self) -> None:
        if self._running is not None and self._run.agent is None and not self._run.alone:
            self._study._give_back(self._running)

    def _escape(self, kind: Any, exception: Any, traceback: Any) -> None:
        self._run.stopping = True
        escape(kind, exception, traceback)

    def _stop(self, _user: Any) -> bool:
        """Asked before each trial, and while one runs: takes the ticket of the trial that comes next."""
        if self._run.stopping or has_escaped():
            return True
        if not self._ticket:
            self._ticket = self._run.take_ticket()
        return not self._ticket

    def _listen(self, _user: Any, event: Any) -> None:
        kind = event.kind
        if kind == lib.TACIT_WORKER_STARTED:
            self._running = event.trial
        elif kind == lib.TACIT_WORKER_TOLD:
            self._ticket, self._running = False, None
            self._run.told(event.trial)
        elif kind == lib.TACIT_WORKER_NOTE:
            logger.warning("%s", string(event.text))

    def _call(self, trial: RunningTrial) -> Any:
        """What the objective returns; an end that the trial was advised to is one like Pruned."""
        objective: Any = self._run.objective
        if not self._run.takes_trial:
            return objective(trial.params)
        value = objective(trial.params, trial)
        if value is None and trial.should_stop():
            raise Pruned
        return value

    def _evaluate(self, _user: Any, e: Any, err: Any) -> int:
        trial = RunningTrial(self._study, e.trial, {}, self._run.rule)
        try:
            trial.params = self._study._space.params(e.values)
            made = self._call(trial)
            numbers = as_floats(made, self._names) if len(self._names) > 1 else [as_float(made)]
            e.outcomes[0 : len(numbers)] = numbers
            return OK
        except Pruned as why:
            e.pruned = 1
            _say(err, _text(why) or trial._why())
            return OK
        except NotANumber as why:
            self._run.warn_of_no_number(e.trial, why)
            return _failed(err, str(why))
        except Exception as why:
            if not isinstance(why, self._run.catch):
                self._run.fail_evaluation(why)
            return _failed(err, describe(why))
        except BaseException as why:  # KeyboardInterrupt: the trial is not told, and will be run again
            self._run.fail(why)
            return CANCELLED


class NotANumber(Exception):
    """An objective returned something else."""


def as_float(value: Any) -> float:
    """What an objective returned, as a number; numpy's scalars are numbers, too."""
    try:
        if value is None or isinstance(value, (str, bytes)):
            raise TypeError
        return float(value)
    except OverflowError:
        raise NotANumber("the objective must return a number up to 1.8e308, got a larger one") from None
    except (TypeError, ValueError):
        raise NotANumber(f"the objective must return a number, got {type(value).__name__}") from None


def as_floats(value: Any, names: Sequence[str]) -> List[float]:
    """What an objective of several outcomes returned, in the order of their names; it may have more members."""
    wanted = ", ".join(names)
    if not isinstance(value, Mapping):
        raise NotANumber(f"the objective must return a dict with a number for each of {wanted}, got {type(value).__name__}")
    made = cast("Mapping[str, Any]", value)
    for name in names:
        if name not in made:
            raise NotANumber(f"the objective must return a number for each of {wanted}; there is none for {name}")
    return [as_float(made[name]) for name in names]


def _text(why: BaseException) -> str:
    """What an exception says. That comes from a method, which may fail, too."""
    try:
        return str(why)
    except Exception:
        return ""


def describe(why: BaseException) -> str:
    """An exception as the reason of a failure."""
    kind, said = type(why).__name__, _text(why)
    return f"{kind}: {said}" if said else kind


def _say(err: Any, reason: str) -> None:
    room = ffi.sizeof(err.msg)
    short = reason.replace("\0", " ").encode("utf-8", "replace")[: room - 1].decode("utf-8", "ignore")
    err.msg = short.encode("utf-8")


def _failed(err: Any, reason: str) -> int:
    err.code = FAILED
    _say(err, reason)
    return FAILED


class Progress:
    """A line on standard error that says how far a run is."""

    def __init__(self, total: int) -> None:
        self._total = total
        self._done = 0
        self._width = 0

    def step(self, study: "Study") -> None:
        """One more is finished."""
        self._done += 1
        summary = study._summary()
        best = summary.best
        said = f", best {best:g}" if best == best else f", front of {summary.front}" if summary.objectives > 1 else ""
        shown = f"{self._done}/{self._total} trials" + said
        sys.stderr.write("\r" + shown.ljust(self._width))
        sys.stderr.flush()
        self._width = len(shown)

    def close(self) -> None:
        """Ends the line."""
        if self._done:
            sys.stderr.write("\n")


def jobs_of(n_jobs: int) -> int:
    """-1 is one for each core."""
    if n_jobs == -1:
        return os.cpu_count() or 1
    if whole(n_jobs, "n_jobs", MOST_JOBS) == 0:
        raise ValueError("n_jobs must be 1 or more, or -1 for one for each core, got 0")
    return int(n_jobs)


def exceptions(catch: Any) -> Tuple[Type[BaseException], ...]:
    """`catch` as a tuple of classes."""
    classes = cast("Tuple[Any, ...]", catch if isinstance(catch, tuple) else (catch,))
    for kind in classes:
        if not (isinstance(kind, type) and issubclass(kind, BaseException)):
            shown = kind.__name__ if isinstance(kind, type) else f"a value of type {type(kind).__name__}"
            raise TypeError(f"catch must be a class of exceptions or a tuple of such classes, got {shown}")
    return classes


def functions(callbacks: Any) -> List[Callback]:
    """`callbacks` as a list of functions."""
    if callbacks is None:
        return []
    if not isinstance(callbacks, Iterable):
        raise TypeError(f"callbacks must be a list of functions, got {type(callbacks).__name__}")
    made = list(cast("Iterable[Callback]", callbacks))
    for one in made:
        if not callable(one):
            raise TypeError(f"callbacks must be functions of a study and a trial, got {type(one).__name__}")
    return made
