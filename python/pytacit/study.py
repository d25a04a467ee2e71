"""Studies: create or load one, let it optimize a function, or ask for trials and tell their values yourself."""

from __future__ import annotations

import contextlib
import json
import math
import os
import threading
from typing import (
    TYPE_CHECKING,
    Any,
    Dict,
    Generator,
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

from . import _optimize
from ._library import (
    Handle,
    as_json,
    call,
    callback,
    ffi,
    given,
    is_stopped,
    lib,
    made_text,
    milliseconds,
    new,
    out,
    owned,
    pause,
    real,
    require_same_version,
    string,
    struct,
    text,
    whole,
)
from ._optimize import Callback, Objective
from ._prune import Rule, Verdict, report_step, rule_of
from .errors import TacitError, UnsupportedError
from .space import Parameter, Space, space_json
from .trial import Importance, ParamValue, Recommendation, Trial, TrialState, moment

if TYPE_CHECKING:
    import pandas

#: Where studies are unless another storage is named: a file in the working folder.
DEFAULT_STORAGE = "sqlite:///tacit.db"

Catch = Union[Type[BaseException], Tuple[Type[BaseException], ...]]


class _Storage:
    """A storage and how to reach it: what the C calls take, kept alive."""

    def __init__(
        self,
        url: str,
        token: Optional[str],
        fingerprint: Optional[str],
        patience_s: float,
        threads: int,
        ca: Optional[str] = None,
        proxy: Optional[str] = None,
    ) -> None:
        self.url = given(url, "storage")
        opts = struct("tacit_storage_opts")
        self._token, self._fingerprint = text(token, "token"), text(fingerprint, "fingerprint")
        self._ca, self._proxy = text(ca, "ca"), text(proxy, "proxy")
        self._stop = callback("bool(void *)", is_stopped, True)
        self._wait = callback("bool(void *, int64_t, const char *)", pause, False)
        opts.token, opts.fingerprint = self._token, self._fingerprint
        opts.ca, opts.proxy = self._ca, self._proxy
        opts.patience_s, opts.threads, opts.stop = real(patience_s, "patience_s"), _threads(threads), self._stop
        opts.wait = self._wait
        self.opts = opts


def _threads(threads: int) -> int:
    return -1 if threads == -1 else whole(threads, "threads", 2**31 - 1)


class Study(Handle):
    """A study: its trials are in its storage, and whoever opens it goes on with them.

    A study may be used by several threads. It is closed with its last reference, by close(), or as a context manager.
    """

    def __init__(self, handle: Any) -> None:
        self._handle = handle
        self._points: Optional[Space] = Space(lib.tacit_study_space(handle), handle)
        self._names = _outcome_names(handle)
        self._run: Optional[_optimize.Run] = None
        self._busy = threading.Lock()  # as long as there is one

    # ---- what it is

    @property
    def study_name(self) -> str:
        """Its name."""
        handle = self._open()  # held: the name lives as long as the handle
        return string(lib.tacit_study_name(handle)) or ""

    @property
    def document(self) -> Dict[str, Any]:
        """The study's document, with everything that was left to defaults."""
        handle = self._open()  # held: the document lives as long as the handle
        written = made_text(lib.tacit_document_text, lib.tacit_study_document(handle))
        made: Dict[str, Any] = json.loads(written)
        return made

    @property
    def direction(self) -> str:
        """ "minimize" or "maximize"; of several objectives that of the first."""
        handle = self._open()  # held: the document lives as long as the handle
        return "maximize" if lib.tacit_document_maximizes(lib.tacit_study_document(handle)) else "minimize"

    @property
    def outcome_names(self) -> List[str]:
        """What a trial comes to, in the order of the document: objectives, then what constraints bound. ["value"], unless
        the study has several objectives or constraints.
        """
        return list(self._names)

    def __repr__(self) -> str:
        return f"<pytacit.Study {self.study_name if self._handle is not None else '(closed)'}>"

    # ---- optimize

    def optimize(
        self,
        func: Objective,
        n_trials: Optional[int] = None,
        timeout: Optional[float] = None,
        n_jobs: int = 1,
        catch: Catch = (),
        callbacks: Optional[Iterable[Callback]] = None,
        show_progress_bar: bool = False,
        *,
        prune: Rule = None,
    ) -> None:
        """Evaluates func(params) at one point after the other, and tells the study what came of it.

        A func of two arguments, func(params, trial), reports intermediate values by trial.report(step, value). prune
        is the rule that ends trials early: "median", "asha" or a pytacit.Prune. Where trial.should_stop() is true then,
        func raises pytacit.Pruned or returns None, and the trial is PRUNED; with another value it is COMPLETE.

        In a study with several objectives or with constraints func returns a dict with a number for each outcome
        (outcome_names); one that has none for an outcome is a failure.
        n_trials: so many by this call; None: until as many are finished as the study plans (document["trials"]).
        timeout: after so many seconds nothing is started any more; what runs is finished.
        n_jobs: so many threads; -1 is one for each core.
        catch: exceptions of func that are no reason to end. Any exception makes its trial FAIL, with the reason, which
        is the exception's text and kept with the trial, of a study at a coordinator there;
        one that is not listed here is then raised. A value that is not a finite number is a failure, too.
        Where records are protected, a failed trial is told as the worse end of the range with noise, so that nobody
        sees that it failed; its reason is only logged here (logger "pytacit"), and an exception that is not listed
        is raised once the trials that are left were run.
        callbacks: each is called with the study and the trial after a trial was told, one at a time.

        Interrupted (KeyboardInterrupt), nothing that was told is lost. The trial that ran is given back, and
        evaluated at the same point by the next call; with several threads those that run are finished first.
        """
        if not callable(func):
            raise TypeError(f"func must be a function of a dict, got {type(func).__name__}")
        limit = math.inf if timeout is None else real(timeout, "timeout")
        if not limit >= 0:
            raise ValueError(f"timeout must be 0 or more seconds, got {timeout}")
        wanted = self._left() if n_trials is None else whole(n_trials, "n_trials")
        run = _optimize.Run(
            self,
            func,
            wanted,
            n_trials is None,
            0 if limit > 1e9 else milliseconds(limit, "timeout"),
            _optimize.exceptions(catch),
            _optimize.functions(callbacks),
            _optimize.Progress(wanted) if show_progress_bar else None,
            prune=prune,
        )
        jobs = min(_optimize.jobs_of(n_jobs), max(wanted, 1))
        if limit > 0 and (n_trials is None or wanted > 0):
            self._optimize(run, jobs)

    def _optimize(self, run: _optimize.Run, jobs: int) -> None:
        if not self._busy.acquire(blocking=False):
            raise RuntimeError(
                "optimize was called by a function or a callback of optimize on the same study, or by a second thread"
            )
        try:
            self._run = run
            run.work(jobs)
        finally:
            self._run = None
            self._busy.release()
            if run.progress:
                run.progress.close()

    def stop(self) -> None:
        """Of a callback or an objective: optimize ends after the trials that run."""
        run = self._run
        if run is None:
            raise RuntimeError("stop is for callbacks and objectives while optimize runs")
        run.stopping = True

    def _left(self) -> int:
        summary = self._summary()
        finished = 0 if summary.finished == lib.TACIT_UNKNOWN else summary.finished
        return int(max(0, summary.planned - finished))

    # ---- ask and tell

    def ask(self, worker: Optional[str] = None, lease_s: Optional[float] = None) -> Trial:
        """Takes the next trial, to be evaluated and told.

        worker: who asks; the same name gets its unfinished trial back first. lease_s: after so long others get it.
        """
        opts, name = struct("tacit_ask_opts"), text(worker, "worker")
        opts.worker, opts.lease_ms = name, 0 if lease_s is None else milliseconds(lease_s, "lease_s")
        pointer = new("tacit_trials **")
        try:
            call(lib.tacit_study_ask_many, self._open(), opts, pointer)
        except BaseException:
            if pointer[0] != ffi.NULL:  # it was asked for, and then interrupted
                self._give_back(self._trials(pointer[0])[0].number)
            raise
        return self._trials(pointer[0])[0]

    def tell(
        self,
        trial: Union[Trial, int],
        value: Union[float, Mapping[str, float], None] = None,
        state: Optional[TrialState] = None,
        *,
        reason: Optional[str] = None,
        params: Optional[Mapping[str, ParamValue]] = None,
        noise_sd: float = 0.0,
    ) -> None:
        """Tells the value of a trial, or that it failed (state=TrialState.FAIL, with a reason), or that it was ended
        early (state=TrialState.PRUNED), with its last intermediate value; the reason is by which rule, say.

        value: a number; in a study with several objectives or with constraints a dict of all outcomes by name.
        params: the point really run, where it was another than asked for. noise_sd: the standard deviation of
        noise that is known to be in the value.
        """
        number = whole(trial.number if isinstance(trial, Trial) else trial, "trial")
        failed, pruned = state == TrialState.FAIL, state == TrialState.PRUNED
        if state not in (None, TrialState.COMPLETE, TrialState.FAIL, TrialState.PRUNED):
            shown = state.name if isinstance(state, TrialState) else type(state).__name__
            raise ValueError(f"state must be COMPLETE, FAIL or PRUNED, got {shown}")
        if (failed or pruned) != (value is None):
            raise ValueError("tell either a value or state=TrialState.FAIL or TrialState.PRUNED")
        report = struct("tacit_report")
        why = text(reason, "reason")
        report.reason = why
        if failed:
            report.kind = lib.TACIT_REPORT_FAILED
        elif pruned:
            report.kind = lib.TACIT_REPORT_PRUNED
        elif isinstance(value, Mapping) and len(self._names) > 1:
            report.kind = lib.TACIT_REPORT_VALUE
            outcomes = self._outcomes(value, "value", self._names)
            report.outcomes, report.n_outcomes = outcomes, len(self._names)
        else:
            report.kind = lib.TACIT_REPORT_VALUE
            report.value = real(value, "value")
        report.noise_sd = real(noise_sd, "noise_sd")
        point = ffi.NULL if params is None else self._space.point(params)
        report.point = point
        call(lib.tacit_study_report, self._open(), number, report)

    def report(self, trial: Union[Trial, int], step: int, value: float, prune: Rule = None) -> Verdict:
        """Reports what a running trial has come to at a step. By the rule: should it be ended early?

        A report takes the place of those that the trial made for this step and for later ones. Whatever the verdict is,
        the trial runs until it is told: with state=TrialState.PRUNED, say.
        """
        number = whole(trial.number if isinstance(trial, Trial) else trial, "trial")
        return report_step(self, number, step, value, rule_of(prune))

    def enqueue_trial(self, params: Mapping[str, ParamValue]) -> int:
        """A point to be tried before any that is computed. Returns the number of its trial."""
        number = new("uint64_t *")
        call(lib.tacit_study_enqueue, self._open(), self._space.point(params), number)
        return int(number[0])

    def rerun_failed(self) -> int:
        """The points of failed trials once more, before any that is computed. Returns how many were queued.

        Each point is queued once, and none at which another trial waits, runs or has succeeded: the same again does
        nothing. The failed trials stay as they are.
        """
        queued = new("uint64_t *")
        call(lib.tacit_study_rerun_failed, self._open(), queued)
        return int(queued[0])

    def delete_trial(self, trial: Union[Trial, int]) -> None:
        """Deletes a failed trial, for good: it is in no list but get_trials(TrialState.DELETED), and in no count.

        It no longer counts towards the trials that are planned, and its point may be proposed again; its number is not
        used again. The same again does nothing. Another trial is refused (StateError): the trials after it were proposed
        with its value. At a coordinator it takes the operator's token.
        """
        number = whole(trial.number if isinstance(trial, Trial) else trial, "trial")
        call(lib.tacit_study_delete_trial, self._open(), number)

    # ---- looking

    def get_trials(self, state: Optional[TrialState] = None) -> List[Trial]:
        """The trials, or those of a state, in the order of their numbers."""
        query = struct("tacit_trial_query")
        if state is not None:
            if not isinstance(state, TrialState):
                raise TypeError(f"state must be a TrialState, got {type(state).__name__}")
            query.state = int(state)
        pointer = new("tacit_trials **")
        call(lib.tacit_study_trials, self._open(), query, pointer)
        return self._trials(pointer[0])

    @property
    def trials(self) -> List[Trial]:
        """All trials but deleted ones, in the order of their numbers."""
        return self.get_trials()

    def get_trial(self, number: int) -> Trial:
        """One trial, by its number."""
        return self._one(lib.tacit_study_trial, whole(number, "number"))

    @contextlib.contextmanager
    def _naming_front(self) -> Generator[None, None, None]:
        """A refusal to say which trial is the best says what there is in its place."""
        try:
            yield
        except UnsupportedError as why:
            handle = self._open()  # held: the document lives as long as the handle
            if lib.tacit_document_objectives(lib.tacit_study_document(handle)) < 2:
                raise
            raise UnsupportedError(f"{why}: see front()", why.status, why.name) from None

    @property
    def best_trial(self) -> Trial:
        """The best complete trial; of equals, the first. With constraints the best of those that are feasible, or,
        where none is, the one with the least violation. With several objectives there is none: see front().
        """
        with self._naming_front():
            return self._one(lib.tacit_study_best)

    def front(self) -> List[Trial]:
        """The feasible trials that no other one dominates, the best of the first objective first. Of one objective:
        those that have the best value.
        """
        pointer = new("tacit_trials **")
        call(lib.tacit_study_front, self._open(), pointer)
        return self._trials(pointer[0])

    def hypervolume(self, reference: Optional[Mapping[str, float]] = None) -> float:
        """The volume that the front dominates, up to a reference point: a value for each objective, by name. None: that
        of the study.
        """
        handle = self._open()  # held: the document lives as long as the handle
        objectives = self._names[: lib.tacit_document_objectives(lib.tacit_study_document(handle))]
        volume = new("double *")
        point = ffi.NULL if reference is None else self._outcomes(reference, "reference", objectives)
        call(lib.tacit_study_hypervolume, handle, point, volume)
        return float(volume[0])

    @property
    def best_value(self) -> float:
        """Its value."""
        value = self.best_trial.value
        assert value is not None
        return value

    @property
    def best_params(self) -> Dict[str, Any]:
        """Its parameters."""
        return self.best_trial.params

    def recommend(self, by: str = "auto") -> Recommendation:
        """The trial to take: of noisy values the best is mostly a lucky one.

        by: "model", the point that was tried where the mean of the algorithm's model is best; "seen", best_trial; or
        "auto", which is by the model where the values are noisy, and says why. Once trials were ended early,
        what the model takes for noise does not count, for their values are not final. None of them is ever the one.
        """
        ways = {"auto": lib.TACIT_BY_AUTO, "model": lib.TACIT_BY_MODEL, "seen": lib.TACIT_BY_SEEN}
        if by not in ways:
            raise ValueError(f"by must be 'auto', 'model' or 'seen', got {by!r}")
        pointer = new("tacit_recommendation **")
        with self._naming_front():
            call(lib.tacit_study_recommend, self._open(), ways[by], pointer)
        r = owned(pointer[0], lib.tacit_recommendation_free)
        model = r.by == lib.TACIT_BY_MODEL
        return Recommendation(
            trial=self._trial(r.trial),
            by=string(lib.tacit_recommend_by_name(r.by)) or "",
            because=string(r.because) or "",
            mean=r.mean if model else None,
            sd=r.sd if model else None,
        )

    def importances(self, of: Optional[str] = None) -> Dict[str, Importance]:
        """How much each parameter matters, by a Gaussian process over all complete trials; the most important first.

        of: the outcome that is modelled (outcome_names); None: the first objective.

        Where values are private replies or carry noise this is post-processing of them, and costs nothing.
        """
        require_same_version("importances")
        handle = self._open()
        if of is not None and of not in self._names:
            raise ValueError(f"of must be one of {', '.join(self._names)}, got {of!r}")
        outcome = self._names.index(of) if of is not None else 0
        model = out(
            lib.tacit_surrogate_new_of, "tacit_surrogate *", lib.tacit_surrogate_free, handle, outcome, keep=handle
        )
        pointer = new("tacit_importances **")
        call(lib.tacit_surrogate_importances, model, pointer)
        listed = owned(pointer[0], lib.tacit_importances_free)
        found = [lib.tacit_importances_get(listed, i) for i in range(lib.tacit_importances_count(listed))]
        return {
            string(of.name) or "": Importance(
                of.first, (of.first_low, of.first_high), of.total, (of.total_low, of.total_high)
            )
            for of in found
        }

    def trials_dataframe(self) -> "pandas.DataFrame":
        """The trials as a table of pandas, with Optuna's names of columns."""
        try:
            import pandas
        except ImportError:
            raise ImportError("trials_dataframe needs pandas: pip install pandas, or use study.trials") from None
        rows: List[Dict[str, Any]] = []
        for trial in self.trials:
            row: Dict[str, Any] = {
                "number": trial.number,
                "value": trial.value,
                "datetime_start": trial.datetime_start,
                "datetime_complete": trial.datetime_complete,
                "duration": trial.duration,
            }
            if len(self._names) > 1:
                row.update({f"values_{name}": trial.outcomes.get(name) for name in self._names})
                row["feasible"] = trial.feasible
            row.update({f"params_{name}": value for name, value in trial.params.items()})
            row["state"] = trial.state.name
            rows.append(row)
        return pandas.DataFrame(rows)

    # ---- records

    def protect(
        self,
        records: int = 0,
        *,
        class_floor: int = 0,
        per_person: int = 0,
        range: Optional[Tuple[float, float]] = None,
        sensitivity: float = 0.0,
        ledger: Optional[str] = None,
        ledger_storage: Optional[str] = None,
        epsilon: float = 0.0,
        delta: float = 0.0,
        trainer: Union[str, Mapping[str, Any], None] = None,
        test_seed: Optional[int] = None,
    ) -> str:
        """Declares the validation records of a study with privacy={"unit": "record", ...}; once, before anything is
        evaluated. Every value then gets noise before the study, its storage or a coordinator sees it. Returns the
        statement: who is protected, how much, and what is not.

        records: how many there are. range: (low, high), to which func clips the loss of each record before it takes the
        mean. ledger, ledger_storage: which ledger pays; None: "records", in the study's storage, and for a study at a
        coordinator in $XDG_STATE_HOME/tacit/records.db (~/.local/state/tacit). The others are those of
        tacit_records_opts in <tacit/records.h>. test_seed: NOT PRIVATE.
        """
        opts, _kept = records_opts(
            records,
            class_floor=class_floor,
            per_person=per_person,
            range=range,
            sensitivity=sensitivity,
            ledger=ledger,
            ledger_storage=ledger_storage,
            epsilon=epsilon,
            delta=delta,
            trainer=trainer,
            test_seed=test_seed,
        )
        call(lib.tacit_study_protect, self._open(), opts)
        return self.protection

    @property
    def protection(self) -> str:
        """Of a study whose records were declared: who is protected, how much, and what is not."""
        return made_text(lib.tacit_study_protection, self._open())

    @property
    def noise_sd(self) -> float:
        """The standard deviation of the noise of one evaluation; 0: no records were declared."""
        return float(lib.tacit_study_noise_sd(self._open()))

    # ---- the end

    def close(self) -> None:
        """Ends this handle, once calls that are under way have returned; the study stays in its storage."""
        self._handle = self._points = None

    def __enter__(self) -> "Study":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    # ---- inside

    def _open(self) -> Any:
        handle = self._handle
        if handle is None:
            raise ValueError("the study is closed")
        return handle

    @property
    def _space(self) -> Space:
        space = self._points
        if space is None:
            raise ValueError("the study is closed")
        return space

    def _give_back(self, number: int) -> None:
        """Others may have at once what was interrupted. A coordinator's client waits for the end of the lease."""
        try:
            call(lib.tacit_study_requeue, self._open(), number)
        except (TacitError, ValueError):  # it is not running any more, or the study is closed
            pass

    def _summary(self) -> Any:
        summary = struct("tacit_study_summary")
        call(lib.tacit_study_summarize, self._open(), summary)
        return summary

    def _outcomes(self, given: Any, what: str, names: List[str]) -> Any:
        """A number for each of these names, in their order."""
        if not isinstance(given, Mapping):
            raise TypeError(f"{what} must be a dict with a number for each of {', '.join(names)}, got {type(given).__name__}")
        given = cast("Mapping[str, Any]", given)
        for name in given:
            if name not in names:
                raise ValueError(f"{what} has {name!r}; the outcomes are {', '.join(names)}")
        for name in names:
            if name not in given:
                raise ValueError(f"{what} has no {name}; the outcomes are {', '.join(names)}")
        return new("double[]", [real(given[name], f"{what}[{name!r}]") for name in names])

    def _one(self, function: Any, *arguments: Any) -> Trial:
        pointer = new("tacit_trial **")
        call(function, self._open(), *arguments, pointer)
        return self._trial(owned(pointer[0], lib.tacit_trial_free))

    def _trials(self, listed: Any) -> List[Trial]:
        listed = owned(listed, lib.tacit_trials_free)
        return [self._trial(lib.tacit_trials_get(listed, i)) for i in range(lib.tacit_trials_count(listed))]

    def _trial(self, t: Any) -> Trial:
        return Trial(
            number=t.number,
            state=TrialState(t.state),
            params=self._space.params(t.values),
            value=None if math.isnan(t.value) or t.state != TrialState.COMPLETE else t.value,
            reason=string(t.reason),
            worker=string(t.worker),
            pulls=t.pulls,
            datetime_start=moment(t.asked_ms),
            datetime_complete=moment(t.told_ms),
            intermediate_values={t.steps[i].step: t.steps[i].value for i in range(t.n_steps)},
            outcomes={self._names[i]: t.outcomes[i] for i in range(t.n_outcomes)},
            feasible=bool(t.feasible),
            violation=None if math.isnan(t.violation) else t.violation,
        )


def _outcome_names(handle: Any) -> List[str]:
    document = lib.tacit_study_document(handle)
    names: List[str] = []
    for i in range(lib.tacit_document_outcomes(document)):
        of = struct("tacit_outcome")
        call(lib.tacit_document_outcome, document, i, of)
        names.append(string(of.name) or "")
    return names


def records_opts(
    records: int = 0,
    *,
    class_floor: int = 0,
    per_person: int = 0,
    range: Optional[Tuple[float, float]] = None,
    trainer: Union[str, Mapping[str, Any], None] = None,
    test_seed: Optional[int] = None,
    ledger: Optional[str] = None,
    ledger_storage: Optional[str] = None,
    **numbers: float,
) -> Tuple[Any, Any]:
    """A tacit_records_opts, and the texts that it points at. numbers: sensitivity, epsilon, delta."""
    opts = struct("tacit_records_opts")
    opts.records, opts.class_floor = whole(records, "records"), whole(class_floor, "class_floor")
    opts.per_person = whole(per_person, "per_person")
    for name, number in numbers.items():
        if name not in ("sensitivity", "epsilon", "delta"):
            raise TypeError(f"records have no option {name}")
        setattr(opts, name, real(number, name))
    if range is not None:
        opts.low, opts.high = _bounds(range)
    event = as_json(trainer, "trainer") if isinstance(trainer, Mapping) else trainer
    kept = text(ledger, "ledger"), text(ledger_storage, "ledger_storage"), text(event, "trainer")
    opts.ledger, opts.ledger_storage, opts.trainer = kept
    if test_seed is not None:
        opts.test_seed = whole(test_seed, "test_seed")
    return opts, kept


def _bounds(given: Any) -> Tuple[float, float]:
    try:
        low, high = given
    except (TypeError, ValueError):
        raise TypeError(f"range must be a pair (low, high), got {given!r}") from None
    return real(low, "range[0]"), real(high, "range[1]")


# ---- documents

#: What a study searches: the parameters by name, or a CSV file of candidates.
SearchSpace = Union[Mapping[str, Parameter], str, "os.PathLike[str]"]


def study_document(
    name: str,
    space: SearchSpace,
    direction: Optional[str] = None,
    *,
    objectives: Optional[Mapping[str, str]] = None,
    constraints: Optional[Mapping[str, Mapping[str, float]]] = None,
    reference: Optional[Mapping[str, float]] = None,
    algorithm: Union[str, Mapping[str, Any], None] = None,
    trials: Optional[int] = None,
    seed: Optional[int] = None,
    federation: Optional[Mapping[str, Any]] = None,
    privacy: Union[str, Mapping[str, Any], None] = None,
    linear: Optional[Sequence[str]] = None,
) -> Dict[str, Any]:
    """A study document: what create_study and Coordinator.create_study make a study of, and privacy.plan prices."""
    document: Dict[str, Any] = {"name": name}
    if isinstance(space, Mapping):
        document["space"] = space_json(space)
    elif isinstance(space, (str, os.PathLike)):
        document["points"] = os.fspath(space)
    else:
        raise TypeError(f"space must be a dict of parameters or the path of a CSV file, got {type(space).__name__}")
    if isinstance(linear, (str, bytes)):
        raise TypeError(f'linear must be a list of constraints such as ["x + 2*y <= 3"], got {linear!r}')
    more: Dict[str, Any] = {
        "direction": direction,
        "objectives": objectives,
        "constraints": constraints,
        "reference": reference,
        "linear": None if linear is None else list(linear),
        "algorithm": algorithm,
        "trials": trials,
        "seed": seed,
        "federation": federation,
        "privacy": privacy,
    }
    document.update({key: value for key, value in more.items() if value is not None})
    return document


# ---- opening


def create_study(
    name: str,
    space: SearchSpace,
    direction: Optional[str] = None,
    storage: str = DEFAULT_STORAGE,
    *,
    objectives: Optional[Mapping[str, str]] = None,
    constraints: Optional[Mapping[str, Mapping[str, float]]] = None,
    reference: Optional[Mapping[str, float]] = None,
    algorithm: Union[str, Mapping[str, Any], None] = None,
    trials: Optional[int] = None,
    seed: Optional[int] = None,
    privacy: Union[str, Mapping[str, Any], None] = None,
    linear: Optional[Sequence[str]] = None,
    token: Optional[str] = None,
    fingerprint: Optional[str] = None,
    patience_s: float = 0.0,
    threads: int = 0,
    ca: Optional[str] = None,
    proxy: Optional[str] = None,
) -> Study:
    """Creates a study, or opens it if it is there already with the same description.

    space: the parameters by name; or a CSV file of candidates. direction: "minimize" or "maximize"; it is never
    guessed. objectives: in its place 2 to 4 of them, {"error": "minimize", "latency": "minimize"}. constraints: outcomes
    of a trial that must lie in bounds, {"memory_mb": {"max": 512}, "recall": {"min": 0.9}}. reference: of several
    objectives, from where on hypervolume counts, {"error": 1, "latency": 10}; None: the search finds one. storage: "sqlite:///FILE",
    "postgresql://HOST/DATABASE", "memory:" (gone with the last handle), or "https://HOST:PORT" of a coordinator, with the operator's token and the fingerprint that `tacit serve` prints.
    algorithm: its name, or {"name": ..., option: ...}; None: gp-ei. trials: how many are planned. seed: repeats
    the same search. privacy: as a study document has it, {"unit": "record", "epsilon": 1, ...}. linear: constraints
    that no point violates, ["x + 2*y <= 3", "a <= b"], on numbers and bools without conditions.
    patience_s: so long a coordinator may be away. threads: that compute, -1 is one for each core. ca: a file with the
    certificates of authorities, besides or instead of the fingerprint. proxy: "http://HOST:PORT" on the way to a
    coordinator, or "none"; None: https_proxy and no_proxy of the environment.
    """
    document = study_document(
        name,
        space,
        direction,
        objectives=objectives,
        constraints=constraints,
        reference=reference,
        algorithm=algorithm,
        trials=trials,
        seed=seed,
        privacy=privacy,
        linear=linear,
    )
    where = _Storage(storage, token, fingerprint, patience_s, threads, ca, proxy)
    written = text(as_json(document, ""), "document")
    made, end = lib.tacit_study_create, lib.tacit_study_close
    return Study(out(made, "tacit_study *", end, where.url, written, where.opts, keep=where))


def load_study(
    name: str,
    storage: str = DEFAULT_STORAGE,
    *,
    token: Optional[str] = None,
    fingerprint: Optional[str] = None,
    patience_s: float = 0.0,
    threads: int = 0,
    ca: Optional[str] = None,
    proxy: Optional[str] = None,
) -> Study:
    """Opens a study by its name; arguments as in create_study. At a coordinator a client's token is enough."""
    where = _Storage(storage, token, fingerprint, patience_s, threads, ca, proxy)
    called = given(name, "name")
    made, end = lib.tacit_study_open, lib.tacit_study_close
    return Study(out(made, "tacit_study *", end, where.url, called, where.opts, keep=where))


def _open_storage(where: _Storage) -> Any:
    made, end = lib.tacit_storage_open, lib.tacit_storage_close
    return out(made, "tacit_storage *", end, where.url, where.opts, keep=where)


def delete_study(
    name: str,
    storage: str = DEFAULT_STORAGE,
    *,
    token: Optional[str] = None,
    fingerprint: Optional[str] = None,
    ca: Optional[str] = None,
    proxy: Optional[str] = None,
) -> None:
    """Erases a study with its trials, for good. Privacy ledgers stay: what was spent is spent."""
    handle = _open_storage(_Storage(storage, token, fingerprint, 0.0, 0, ca, proxy))
    call(lib.tacit_storage_erase, handle, given(name, "name"))


def get_all_study_names(
    storage: str = DEFAULT_STORAGE,
    *,
    token: Optional[str] = None,
    fingerprint: Optional[str] = None,
    ca: Optional[str] = None,
    proxy: Optional[str] = None,
) -> List[str]:
    """The names of the studies of a storage, in the order of their creation."""
    handle = _open_storage(_Storage(storage, token, fingerprint, 0.0, 0, ca, proxy))
    pointer = new("tacit_studies **")
    call(lib.tacit_storage_list, handle, lib.TACIT_LIST_NAMES, pointer)
    listed = owned(pointer[0], lib.tacit_studies_free)
    return [string(lib.tacit_studies_get(listed, i).name) or "" for i in range(lib.tacit_studies_count(listed))]
