"""Several objectives and constraints: what a function returns, what is told, the best, the front, and what is refused."""

from __future__ import annotations

import pytest

import pytacit
from pytacit import TrialState

SPACE = {"x": pytacit.FloatDistribution(0, 1)}
TWO = {"error": "minimize", "gain": "maximize"}


def several(storage="memory:", **more):
    return pytacit.create_study(
        "m", SPACE, storage=storage, objectives=TWO, constraints={"memory": {"max": 10}}, seed=1, trials=12, **more
    )


def bounded():
    return pytacit.create_study(
        "b", SPACE, "minimize", "memory:", constraints={"memory": {"max": 10}, "recall": {"min": 0.5}}, seed=1
    )


def tell(study, *outcomes):
    trial = study.ask()
    study.tell(trial, dict(zip(study.outcome_names, outcomes)))
    return trial.number


def test_the_document_has_them():
    study = several()
    assert study.document["objectives"] == TWO and "direction" not in study.document
    assert study.document["constraints"] == {"memory": {"max": 10.0}}
    assert study.outcome_names == ["error", "gain", "memory"]
    assert bounded().outcome_names == ["value", "memory", "recall"]
    plain = pytacit.create_study("p", SPACE, "minimize", "memory:")
    assert plain.outcome_names == ["value"]
    trial = plain.ask()
    plain.tell(trial, 2.5)
    told = plain.get_trial(0)
    assert (told.outcomes, told.feasible, told.violation) == ({"value": 2.5}, True, 0.0)


@pytest.mark.parametrize(
    "more, said",
    [
        ({}, 'direction is missing: say "minimize" or "maximize"'),
        ({"direction": "minimize", "objectives": TWO}, "direction and objectives must not both be given"),
        ({"objectives": {"a": "minimize"}}, "objectives must have 2 to 4 members, got 1: one objective is said by"),
        ({"objectives": TWO, "constraints": {"m": {}}}, 'constraints.m must have "min" or "max" or both'),
        ({"objectives": TWO, "algorithm": "gp-ucb"}, "which is told one value a trial; those that are told several are"),
    ],
)
def test_what_cannot_be(more, said):
    with pytest.raises(pytacit.TacitError) as refused:
        pytacit.create_study("r", SPACE, storage="memory:", **more)
    assert said in str(refused.value)


def test_optimize_takes_a_dict():
    study = several()
    study.optimize(lambda p: {"memory": 8 + 4 * p["x"], "error": p["x"], "gain": 1 - p["x"], "note": "x"}, 8)
    for trial in study.trials:
        x = trial.params["x"]
        assert trial.outcomes == {"error": x, "gain": 1 - x, "memory": 8 + 4 * x}
        assert trial.value == x and trial.feasible == (trial.outcomes["memory"] <= 10)
    best = min((t for t in study.trials if t.feasible), key=lambda t: t.outcomes["error"])
    assert [t.number for t in study.front()] == [best.number]
    side = (1 - best.outcomes["error"]) * best.outcomes["gain"]
    assert study.hypervolume({"error": 1, "gain": 0}) == pytest.approx(side)


def test_several_threads():
    study = several()
    study.optimize(lambda p: {"error": p["x"], "gain": 1, "memory": 1}, 6, n_jobs=3)
    assert len(study.get_trials(TrialState.COMPLETE)) == 6


@pytest.mark.parametrize(
    "made, reason",
    [
        (1.0, "the objective must return a dict with a number for each of error, gain, memory, got float"),
        ({"error": 1, "gain": 2}, "the objective must return a number for each of error, gain, memory; there is none for memory"),
        ({"error": 1, "gain": "2", "memory": 3}, "the objective must return a number, got str"),
        ({"error": 1, "gain": float("nan"), "memory": 3}, "gain is nan"),
    ],
)
def test_what_is_left_out_is_a_failure(made, reason):
    study = several()
    study.optimize(lambda p: made, 1)
    assert (study.trials[0].state, study.trials[0].reason) == (TrialState.FAIL, reason)
    assert study.trials[0].outcomes == {} and not study.trials[0].feasible and study.trials[0].violation is None


def test_ask_and_tell():
    study = several()
    trial = study.ask()
    with pytest.raises(pytacit.TacitError, match=r"study m is told 3 outcomes of a trial \(error, gain, memory\), got 1"):
        study.tell(trial, 1.0)
    with pytest.raises(ValueError, match="value has no memory; the outcomes are error, gain, memory"):
        study.tell(trial, {"error": 1, "gain": 2})
    with pytest.raises(ValueError, match="value has 'm'; the outcomes are error, gain, memory"):
        study.tell(trial, {"error": 1, "gain": 2, "m": 3})
    with pytest.raises(pytacit.TacitError, match="the outcomes of trial 0 must be finite numbers, got inf"):
        study.tell(trial, {"error": 1, "gain": 2, "memory": float("inf")})
    study.tell(trial, {"memory": 11, "error": 1, "gain": 2})
    told = study.get_trial(0)
    assert told.outcomes == {"error": 1, "gain": 2, "memory": 11}
    assert not told.feasible and told.violation == pytest.approx(0.1)


def test_the_best_is_feasible_where_one_is():
    study = bounded()
    tell(study, 1, 30, 1)
    assert tell(study, 9, 15, 0.5) == study.best_trial.number
    assert not study.best_trial.feasible and study.best_trial.violation == 0.5
    assert study.recommend("seen").because == "no trial is feasible yet, and this one misses its bounds by least"
    tell(study, 20, 10, 0.5)
    assert study.best_value == 20 and study.best_trial.feasible


def test_a_reference_of_the_study():
    study = pytacit.create_study(
        "aimed",
        {"x": pytacit.FloatDistribution(0, 1)},
        objectives={"error": "minimize", "gain": "maximize"},
        reference={"gain": 0, "error": 4},
        storage="memory:",
    )
    assert study.document["reference"] == {"error": 4, "gain": 0}
    tell_all = ({"error": 1, "gain": 5}, {"error": 2, "gain": 9})
    for outcomes in tell_all:
        study.tell(study.ask(), outcomes)
    assert study.hypervolume() == study.hypervolume({"gain": 0, "error": 4}) == pytest.approx(1 * 5 + 2 * 9)
    with pytest.raises(pytacit.ArgumentError, match="reference must not be NULL: the document of study m has none"):
        several().hypervolume()
    with pytest.raises(pytacit.ArgumentError, match="reference goes with objectives: one objective has no hypervolume"):
        pytacit.create_study(
            "one", {"x": pytacit.FloatDistribution(0, 1)}, "minimize", reference={"value": 1}, storage="memory:"
        )


def test_the_front_has_no_best():
    study = several()
    for outcomes in ((3, 9, 1), (1, 5, 10), (2, 5, 1), (0, 99, 11)):
        tell(study, *outcomes)
    assert [t.number for t in study.front()] == [1, 0]
    assert study.hypervolume({"gain": 0, "error": 4}) == pytest.approx(1 * 9 + 2 * 5)
    with pytest.raises(pytacit.UnsupportedError, match="study m has 2 objectives, and so a front in place of one best trial: see front"):
        _ = study.best_trial
    for ask in (lambda: study.best_value, lambda: study.best_params, study.recommend):
        with pytest.raises(pytacit.UnsupportedError, match=r"see front\(\)$"):
            ask()
    with pytest.raises(ValueError, match="reference has no gain; the outcomes are error, gain"):
        study.hypervolume({"error": 4})
    with pytest.raises(TypeError, match="reference must be a dict with a number for each of error, gain, got list"):
        study.hypervolume([4, 0])  # type: ignore[arg-type]


def test_importances_are_those_of_one_outcome():
    space = {"x": pytacit.FloatDistribution(0, 1), "y": pytacit.FloatDistribution(0, 1)}
    study = pytacit.create_study(
        "i", space, storage="memory:", objectives=TWO, constraints={"memory": {"max": 10}}, algorithm="sobol", seed=1
    )
    study.optimize(lambda p: {"error": p["x"], "gain": p["y"], "memory": p["x"] + 3 * p["y"]}, n_trials=20)
    assert study.importances() == study.importances("error")
    assert [next(iter(study.importances(of))) for of in study.outcome_names] == ["x", "y", "y"]
    assert 0.05 < study.importances("memory")["x"].first < 0.15  # 1/10
    with pytest.raises(ValueError, match="of must be one of error, gain, memory, got 'latency'"):
        study.importances("latency")


def test_a_file_keeps_them():
    tell(several("sqlite:///m.db"), 1, 2, 3)
    again = pytacit.load_study("m", "sqlite:///m.db")
    assert again.trials[0].outcomes == {"error": 1, "gain": 2, "memory": 3}
    assert again.outcome_names == ["error", "gain", "memory"]


def test_progress_says_how_large_the_front_is(capsys):
    several().optimize(lambda p: {"error": p["x"], "gain": p["x"], "memory": 1}, 2, show_progress_bar=True)
    assert "2/2 trials, front of " in capsys.readouterr().err
