"""study.optimize: how many, in how many threads, and whatever an objective or a callback may do."""

from __future__ import annotations

import sys
import threading

import pytest
from conftest import SPACE, bowl

import pytacit
from pytacit import TrialState


def states(study):
    return [trial.state.name for trial in study.trials]


def test_as_many_as_planned_and_no_more(study):
    study.optimize(bowl)
    assert states(study) == ["COMPLETE"] * 12
    study.optimize(bowl)
    assert len(study.trials) == 12
    study.optimize(bowl, n_trials=3)
    assert len(study.trials) == 15
    assert study.best_value == min(bowl(trial.params) for trial in study.trials)


@pytest.mark.parametrize("jobs", [2, 5, -1])
def test_threads_run_exactly_what_was_asked_for(study, jobs):
    study.optimize(bowl, n_jobs=jobs)
    assert states(study) == ["COMPLETE"] * 12
    study.optimize(bowl, n_trials=7, n_jobs=jobs)
    assert states(study) == ["COMPLETE"] * 19
    assert all(trial.value == bowl(trial.params) for trial in study.trials)


def test_threads_run_at_the_same_time(study):
    together = threading.Barrier(3, timeout=60)  # passes only if three objectives are inside of it at once

    def meet(params):
        together.wait()
        return 1

    study.optimize(meet, n_trials=6, n_jobs=3)
    assert states(study) == ["COMPLETE"] * 6


def test_one_job_runs_in_the_thread_of_the_caller(study):
    seen = set()
    study.optimize(lambda params: seen.add(threading.get_ident()) or 1.0, n_trials=3)
    assert seen == {threading.get_ident()}


@pytest.mark.parametrize("jobs", [1, 3])
def test_an_exception_fails_its_trial_and_is_raised(study, jobs):
    def broken(params):
        raise KeyError("no such layer")

    with pytest.raises(KeyError, match="no such layer"):
        study.optimize(broken, n_jobs=jobs)
    failed = study.get_trials(TrialState.FAIL)
    assert 1 <= len(failed) <= jobs and set(states(study)) <= {"FAIL", "STALE"}
    assert failed[0].reason == "KeyError: 'no such layer'"


def test_an_exception_that_is_caught_fails_its_trial_alone(study):
    calls = []

    def sometimes(params):
        calls.append(1)
        if len(calls) % 2:
            raise ZeroDivisionError
        return 1

    study.optimize(sometimes, n_trials=4, catch=ArithmeticError)
    assert states(study) == ["FAIL", "COMPLETE", "FAIL", "COMPLETE"]
    assert study.trials[0].reason == "ZeroDivisionError"
    with pytest.raises(ZeroDivisionError):
        study.optimize(sometimes, n_trials=4, catch=(OSError, KeyError))


@pytest.mark.parametrize(
    "returned, reason",
    [
        (None, "the objective must return a number, got NoneType"),
        ("1.5", "the objective must return a number, got str"),
        ([1], "the objective must return a number, got list"),
        (1j, "the objective must return a number, got complex"),
        (float("nan"), "value is"),
        (float("-inf"), "value is"),
    ],
)
def test_what_is_no_finite_number_is_a_failure(study, returned, reason):
    study.optimize(lambda params: returned, n_trials=2)
    assert states(study) == ["FAIL", "FAIL"]
    assert study.trials[0].reason.startswith(reason)


def test_reasons_of_any_text(study):
    def broken(params):
        raise ValueError("ä\0\ud800" * 1000)

    study.optimize(broken, n_trials=1, catch=ValueError)
    assert study.trials[0].reason.startswith("ValueError: ä")


def test_interrupted_in_an_objective(study):
    seen = []

    def interrupted(params):
        seen.append(params)
        if len(seen) == 3:
            raise KeyboardInterrupt
        return bowl(params)

    with pytest.raises(KeyboardInterrupt):
        study.optimize(interrupted)
    assert states(study)[:2] == ["COMPLETE", "COMPLETE"] and states(study)[2] == "STALE"
    study.optimize(interrupted)
    assert states(study) == ["COMPLETE"] * 12
    assert seen[3] == seen[2], "the interrupted trial is not taken up at the same point"


def test_exit_leaves_the_trial_to_others(study):
    def leave(params):
        raise SystemExit(3)

    with pytest.raises(SystemExit):
        study.optimize(leave, n_jobs=2)
    assert "COMPLETE" not in states(study) and "FAIL" not in states(study)
    study.optimize(bowl)
    assert states(study).count("COMPLETE") == 12


def test_callbacks_hear_of_every_trial_and_may_stop(study):
    heard = []

    def hear(of, trial):
        assert of is study and trial.state is TrialState.COMPLETE
        heard.append((trial.number, of.best_value))
        if len(heard) == 4:
            of.stop()

    study.optimize(bowl, callbacks=[hear])
    assert [number for number, _ in heard] == [0, 1, 2, 3] and len(study.trials) == 4
    with pytest.raises(RuntimeError, match="stop is for callbacks"):
        study.stop()


@pytest.mark.parametrize("jobs", [1, 2])
def test_a_callback_that_raises_ends_it(study, jobs):
    def broken(of, trial):
        raise LookupError("where is it?")

    with pytest.raises(LookupError, match="where is it"):
        study.optimize(bowl, callbacks=[broken], n_jobs=jobs)
    assert 1 <= len(study.get_trials(TrialState.COMPLETE)) <= jobs
    study.optimize(bowl)
    assert states(study) == ["COMPLETE"] * 12


def test_nested_calls_are_refused(study):
    with pytest.raises(RuntimeError, match="optimize was called by a function"):
        study.optimize(lambda params: study.optimize(bowl))


def test_no_time_is_no_trial(study):
    study.optimize(bowl, timeout=0)
    study.optimize(bowl, n_trials=0)
    assert study.trials == []
    study.optimize(bowl, timeout=3600)
    assert len(study.trials) == 12


def test_a_time_limit_ends_it():
    study = pytacit.create_study("long", SPACE, "minimize", "memory:", algorithm="random", trials=1000000)
    study.optimize(lambda params: threading.Event().wait(0.01) or 1, timeout=0.2)
    assert 1 <= len(study.trials) < 1000000 and "RUNNING" not in states(study)


@pytest.mark.parametrize(
    "arguments, kind, said",
    [
        ({"n_trials": -1}, ValueError, "n_trials must be 0 or more"),
        ({"n_trials": 1.5}, TypeError, "n_trials must be a whole number"),
        ({"n_jobs": 0}, ValueError, "n_jobs must be 1 or more"),
        ({"n_jobs": -2}, ValueError, "n_jobs must be 0 or more"),
        ({"timeout": -1}, ValueError, "timeout must be 0 or more"),
        ({"timeout": float("nan")}, ValueError, "timeout must be 0 or more"),
    ],
)
def test_arguments_that_are_wrong(study, arguments, kind, said):
    with pytest.raises(kind, match=said):
        study.optimize(bowl, **arguments)
    with pytest.raises(TypeError, match="func must be a function"):
        study.optimize(7)


def test_progress(study, capsys):
    study.optimize(lambda params: 2.0, n_trials=2, show_progress_bar=True)
    assert capsys.readouterr().err == "\r1/2 trials, best 2\r2/2 trials, best 2\n"


LOOKS = [
    lambda study: study.tell(study.ask(), 1),
    lambda study: study.document["name"] == "s" or 1 / 0,
    lambda study: study.study_name == "s" or 1 / 0,
    lambda study: study.direction == "minimize" or 1 / 0,
]


@pytest.mark.parametrize("look", LOOKS, ids=["tell", "document", "name", "direction"])
def test_handles_may_be_closed_while_others_use_them(look):
    wide = {f"x{i}": pytacit.FloatDistribution(0, 1) for i in range(30)}
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        for _ in range(40):
            study = pytacit.create_study("s", wide, "minimize", "memory:", algorithm="random")
            looked, ended, refused = threading.Barrier(4, timeout=60), [], "the study is closed"

            def work(study=study, looked=looked, ended=ended):
                try:
                    look(study)
                    looked.wait()
                    while True:
                        look(study)
                except BaseException as why:
                    ended.append(why)

            threads = [threading.Thread(target=work) for _ in range(3)]
            for thread in threads:
                thread.start()
            looked.wait()
            study.close()
            for thread in threads:
                thread.join()
            assert [(type(why), str(why)) for why in ended] == [(ValueError, refused)] * 3
    finally:
        sys.setswitchinterval(interval)


# ---- where records are protected nobody may see that an evaluation failed


@pytest.fixture
def protected():
    study = pytacit.create_study(
        "ward",
        {"x": pytacit.FloatDistribution(0, 1)},
        "minimize",
        "sqlite:///ward.db",
        trials=6,
        privacy={"unit": "record", "epsilon": 1, "delta": 1e-5, "range": [0, 1]},
    )
    study.protect(records=1000, range=(0, 1))
    return study


@pytest.mark.parametrize("jobs", [1, 2])
def test_a_failure_does_not_show_where_records_are_protected(protected, caplog, jobs):
    calls = []

    def fails_once(params):
        calls.append(params)
        if len(calls) == 2:
            raise ValueError("record 17 has no age")
        return 0.5

    with pytest.raises(ValueError, match="record 17 has no age"):
        protected.optimize(fails_once, n_jobs=jobs)
    assert len(calls) == 6
    assert states(protected) == ["COMPLETE"] * 6
    assert all(trial.reason is None for trial in protected.trials)
    assert "the other trials are run before it is raised" in caplog.text
    assert "ValueError: record 17 has no age" in caplog.text


def test_failures_that_are_expected_are_said_where_records_are_protected(protected, caplog):
    protected.optimize(lambda params: params["depth"], catch=KeyError)
    assert states(protected) == ["COMPLETE"] * 6
    assert caplog.text.count("failed (KeyError: 'depth'); it is told as the worse end of the range") == 6


def test_an_interruption_ends_a_protected_study_at_once(protected):
    calls = []

    def is_interrupted(params):
        calls.append(params)
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        protected.optimize(is_interrupted)
    assert len(calls) == 1 and states(protected) == ["STALE"]
