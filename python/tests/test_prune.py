"""Intermediate values: reports, the rules that end trials early, and what an objective may do about it."""

from __future__ import annotations

import re

import pytest

import pytacit
from pytacit import Prune, Pruned, TrialState, Verdict

SPACE = {"x": pytacit.FloatDistribution(0, 1)}


@pytest.fixture
def random_study():
    with pytacit.create_study("curves", SPACE, "minimize", "memory:", algorithm="random", trials=30, seed=3) as made:
        yield made


def states(study):
    return [trial.state.name for trial in study.trials]


def curve(params, trial):
    """Falls to x: it is plain from the first step on which trial is better."""
    value = None
    for step in range(1, 10):
        value = params["x"] + 1 / step
        trial.report(step, value)
        if trial.should_stop():
            raise Pruned
    return value


@pytest.mark.parametrize("rule", ["median", "asha", Prune("median", min_trials=3), Prune("asha", factor=2)])
def test_a_rule_ends_the_worse_trials(random_study, rule):
    random_study.optimize(curve, prune=rule)
    ended = random_study.get_trials(TrialState.PRUNED)
    assert len(random_study.trials) == 30 and set(states(random_study)) == {"COMPLETE", "PRUNED"}
    assert 5 < len(ended) < 27
    for trial in ended:
        last = max(trial.intermediate_values)
        assert trial.value is None and trial.state.is_finished() and last < 10
        assert trial.intermediate_values[last] == trial.params["x"] + 1 / last
        name = rule if isinstance(rule, str) else rule.rule
        said = rf"pruned at step {last} with [0-9.]+ \({name} [0-9.]+ of \d+ trials\)"
        assert re.fullmatch(said, trial.reason)
    best = random_study.best_trial
    assert best.params["x"] == min(trial.params["x"] for trial in random_study.trials)
    assert list(best.intermediate_values) == list(range(1, 10))


def test_unfinished_values_are_not_noise():
    """The model would take what pruned trials came to for noise, though the curves have none."""
    with pytacit.create_study("taken", SPACE, "minimize", "memory:", algorithm="gp-ei", trials=30, seed=1) as study:
        study.optimize(curve, prune=Prune("asha", factor=2))
        ended = len(study.get_trials(TrialState.PRUNED))
        found = study.recommend()
        assert found.by == "seen" and found.trial.number == study.best_trial.number
        assert found.because == f"{ended} trials were ended early and their values are not final"
        assert study.recommend("model").because == f"it was asked for; {found.because}, yet the model counts them"


def test_a_report_that_is_not_taken_ends_nothing(random_study, caplog):
    """A trial makes 10,000 reports at most."""

    def chatty(params, trial):
        for step in range(10_002):
            trial.report(step, params["x"])
            assert not (trial.should_stop() and step > 9_999)
        return params["x"]

    random_study.optimize(chatty, n_trials=1)
    (trial,) = random_study.trials
    assert trial.state == TrialState.COMPLETE and len(trial.intermediate_values) == 10_000
    (said,) = [record.getMessage() for record in caplog.records]
    assert said.startswith("trial 0: the intermediate value of step 10000 is not taken, and the trial goes on: ")


def test_without_a_rule_every_trial_runs_to_its_end(random_study):
    random_study.optimize(curve, n_trials=8)
    assert states(random_study) == ["COMPLETE"] * 8


def test_an_objective_may_return_to_end(random_study):
    def returning(params, trial):
        for step in range(3):
            trial.report(step, params["x"])
            if trial.should_stop():
                assert trial.verdict.stop and trial.verdict.bound < params["x"]
                return None
        return params["x"]

    random_study.optimize(returning, prune=Prune("median", min_trials=1))
    assert set(states(random_study)) == {"COMPLETE", "PRUNED"}


def test_the_step_comes_first(random_study):
    def as_elsewhere(params, trial):
        trial.report(0.5, 1)

    why = "step must be a whole number, got float: the step comes first, then the value"
    with pytest.raises(TypeError, match=f"^{why}$"):
        random_study.optimize(as_elsewhere, n_trials=1)
    with pytest.raises(TypeError, match=f"^{why}$"):
        random_study.report(random_study.ask(), 0.5, 1)


def test_none_is_no_value_where_nothing_was_to_stop(random_study, caplog):
    def silent(params, trial):
        trial.report(1, 0.5)

    random_study.optimize(silent, n_trials=1)
    said = "trial 0 failed: the objective must return a number, got NoneType; of others that fail so nothing is said here"
    assert [record.getMessage() for record in caplog.records if record.name == "pytacit"] == [said]
    (trial,) = random_study.trials
    assert trial.state is TrialState.FAIL and trial.reason == "the objective must return a number, got NoneType"


def test_pruned_without_a_report_has_failed(random_study):
    def mute(params):
        raise Pruned

    random_study.optimize(mute, n_trials=1)
    (trial,) = random_study.trials
    assert trial.state is TrialState.FAIL and trial.reason == "it was pruned without an intermediate value"


def test_threads_are_judged_by_what_all_of_them_report(random_study):
    random_study.optimize(curve, n_jobs=3, prune="asha")
    assert len(random_study.trials) == 30 and set(states(random_study)) == {"COMPLETE", "PRUNED"}


def test_steps_that_go_back_are_warned_of_once(random_study, caplog):
    def going_back(params, trial):
        for step in [1, 2, 3, 2, 1]:
            trial.report(step, params["x"])
        return params["x"]

    random_study.optimize(going_back, n_trials=2)
    notes = [record.getMessage() for record in caplog.records if record.name == "pytacit"]
    assert notes == [
        f"trial {i}: step 2 came after step 3, and takes the place of what it had from there on: steps must grow"
        for i in range(2)
    ]
    assert [list(trial.intermediate_values) for trial in random_study.trials] == [[1], [1]]


def test_a_reason_of_ones_own(random_study):
    def diverges(params, trial):
        trial.report(1, 0.25)
        raise Pruned("it diverged")

    random_study.optimize(diverges, n_trials=1)
    assert random_study.trials[0].reason == "pruned at step 1 with 0.25 (it diverged)"


def test_by_hand(random_study):
    first, second = random_study.ask(), random_study.ask()
    assert random_study.report(first, 1, 0.25) == Verdict(False, 1, 0.25, None, 0)
    random_study.tell(first, 0.25)
    rule = Prune("median", warmup=2, min_trials=1)
    assert random_study.report(second, 1, 0.5, rule) == Verdict(False, 1, 0.5, None, 0)
    assert random_study.report(second, 2, 0.5, rule) == Verdict(True, 2, 0.5, 0.25, 1)
    random_study.tell(second, state=TrialState.PRUNED, reason="it was enough")
    ended = random_study.get_trial(second.number)
    assert ended.reason == "pruned at step 2 with 0.5 (it was enough)"
    assert ended.state is TrialState.PRUNED and ended.intermediate_values == {1: 0.5, 2: 0.5}
    with pytest.raises(pytacit.StateError, match="told already: it is PRUNED"):
        random_study.report(second, 3, 0.5)


def test_a_killed_trial_begins_its_curve_again(tmp_path):
    storage = f"sqlite:///{tmp_path}/s.db"
    study = pytacit.create_study("again", SPACE, "minimize", storage, trials=1, seed=3)
    runs = []

    def interrupted(params, trial):
        runs.append(trial.number)
        for step in range(1, 4):
            trial.report(step, 10 * len(runs) + step)
            if step == 2 and len(runs) == 1:
                raise KeyboardInterrupt
        return 1.0

    with pytest.raises(KeyboardInterrupt):
        study.optimize(interrupted)
    assert study.trials[0].intermediate_values == {1: 11, 2: 12}
    study.close()
    with pytacit.load_study("again", storage) as study:
        study.optimize(interrupted)
        assert runs == [0, 0]
        assert study.trials[0].intermediate_values == {1: 21, 2: 22, 3: 23}


@pytest.mark.parametrize(
    ("prune", "kind", "why"),
    [
        ("best", ValueError, "prune must be 'none', 'median' or 'asha', got 'best'"),
        (3, TypeError, "prune must be 'none', 'median', 'asha' or a pytacit.Prune, got int"),
        (Prune("asha", factor=-1), ValueError, "factor must be 0 or more"),
    ],
)
def test_a_rule_that_is_none(random_study, prune, kind, why):
    with pytest.raises(kind, match=why):
        random_study.optimize(curve, prune=prune)
    assert random_study.trials == []


def test_a_rule_is_for_objectives_that_report(random_study):
    with pytest.raises(TypeError, match=r"prune is for a func of two arguments, \(params, trial\)"):
        random_study.optimize(lambda params: 1.0, prune="median")


@pytest.mark.parametrize(
    ("step", "value", "kind", "why"),
    [
        (-1, 1.0, ValueError, "step must be 0 or more"),
        (0.5, 1.0, TypeError, "step must be a whole number, got float"),
        (1, "a", TypeError, "value must be a number, got str"),
        (1, float("nan"), ValueError, "the value of trial 0 at step 1 must be a finite number, got nan"),
    ],
)
def test_reports_that_are_none(random_study, step, value, kind, why):
    trial = random_study.ask()
    with pytest.raises(kind, match=why):
        random_study.report(trial, step, value)


def test_a_study_that_protects_records_takes_no_steps():
    privacy = {"unit": "record", "epsilon": 4, "delta": 1e-5, "metric": "error"}
    with pytacit.create_study("r", SPACE, "minimize", "memory:", trials=4, privacy=privacy) as study:
        with pytest.raises(pytacit.UnsupportedError, match='plans 4 for 4 trials; give it "evaluations" in "privacy", 8 for'):
            study.report(0, 1, 0.5)


def test_evaluations_of_records_that_are_planned(tmp_path):
    privacy = {"unit": "record", "epsilon": 4, "delta": 1e-5, "metric": "error", "evaluations": 12}
    told = {}

    def train(params, trial):
        for step in (1, 2, 3):
            trial.report(step, 0.25)
            if trial.verdict is not None:
                told[trial.number, step] = trial.verdict.value
        return 0.25

    with pytacit.create_study("r", SPACE, "minimize", f"sqlite:///{tmp_path}/r.db", trials=4, privacy=privacy) as study:
        assert "over the 12 evaluations" in study.protect(records=90000)
        study.optimize(train, prune="median")
        assert sorted(told) == [(i, step) for i in range(4) for step in (1, 2)]  # the third is not paid for
        assert all(value != 0.25 and abs(value - 0.25) < 0.01 for value in told.values())
        for trial in study.trials:
            assert trial.intermediate_values == {step: told[trial.number, step] for step in (1, 2)}
