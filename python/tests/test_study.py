"""Studies as a user meets them: spaces, ask and tell, what is stored, what is refused and how it is said."""

from __future__ import annotations

import pickle
import sys

import pytest
from conftest import SPACE, bowl

import pytacit
from pytacit import TrialState


def test_params_are_typed_as_the_space_says(study):
    for _ in range(20):
        params = study.ask().params
        assert list(params) == ["x", "n", "kind"]
        assert type(params["x"]) is float and -5 <= params["x"] <= 5
        assert type(params["n"]) is int and 1 <= params["n"] <= 64
        assert params["kind"] in ("plain", "odd one")


def test_ask_and_tell(study):
    first, second = study.ask(), study.ask()
    assert (first.number, second.number, first.state) == (0, 1, TrialState.RUNNING)
    study.tell(second, 2.5)
    study.tell(first.number, state=TrialState.FAIL, reason="the disk was full")
    assert [trial.state for trial in study.trials] == [TrialState.FAIL, TrialState.COMPLETE]
    assert study.trials[0].reason == "the disk was full" and study.trials[0].value is None
    assert (study.best_value, study.best_params, study.best_trial.number) == (2.5, second.params, 1)
    assert study.get_trials(TrialState.FAIL)[0].number == 0
    assert study.get_trial(1).duration is not None


def test_a_point_of_ones_own(study):
    wanted = {"x": 0.1, "n": 7, "kind": "odd one"}
    assert study.enqueue_trial(wanted) == 0
    assert study.trials[0].state == TrialState.WAITING
    trial = study.ask()
    assert trial.params == wanted
    study.tell(trial, 1, params={"x": 1 / 3, "n": 8, "kind": "plain"})
    assert study.best_params == {"x": 1 / 3, "n": 8, "kind": "plain"}


def test_failed_points_once_more(study):
    trial = study.ask()
    study.tell(trial, state=TrialState.FAIL, reason="no power")
    assert study.rerun_failed() == 1
    assert study.rerun_failed() == 0
    again = study.ask()
    assert again.params == trial.params and again.number != trial.number
    study.tell(again, 1.0)
    assert [t.state for t in study.trials] == [TrialState.FAIL, TrialState.COMPLETE]


def test_a_failed_trial_is_deleted(study):
    failed, told = study.ask(), study.ask()
    study.tell(failed, state=TrialState.FAIL, reason="no power")
    study.tell(told, 1.0)
    with pytest.raises(pytacit.StateError, match="trial 1 is COMPLETE, and only a failed trial can be deleted"):
        study.delete_trial(1)
    study.delete_trial(failed)
    study.delete_trial(failed.number)
    assert [t.number for t in study.trials] == [1]
    gone = study.get_trial(0)
    assert (gone.state, gone.reason) == (TrialState.DELETED, "no power")
    assert study.get_trials(TrialState.DELETED) == [gone] and not study.get_trials(TrialState.FAIL)
    assert study.rerun_failed() == 0
    assert study.ask().number == 2
    with pytest.raises(pytacit.NotFoundError, match="there is no trial 9"):
        study.delete_trial(9)


@pytest.mark.parametrize(
    "params, said",
    [
        ({"x": 0, "n": 7}, "params has no kind; the space has x, n, kind"),
        ({"x": 0, "n": 7, "kind": "plain", "y": 1}, "params has 'y', which is not in the space"),
        ({"x": 6, "n": 7, "kind": "plain"}, "x"),
        ({"x": 0, "n": 7.5, "kind": "plain"}, "n"),
        ({"x": 0, "n": 7, "kind": "none"}, "kind"),
        ({"x": float("nan"), "n": 7, "kind": "plain"}, "x"),
    ],
)
def test_points_outside_of_the_space_are_refused(study, params, said):
    with pytest.raises(ValueError, match=said):
        study.enqueue_trial(params)
    assert study.trials == []


def test_types_that_are_no_values(study):
    for wrong in (None, [1], True, b"1"):
        with pytest.raises(TypeError, match="params.x must be a number or a str"):
            study.enqueue_trial({"x": wrong, "n": 7, "kind": "plain"})
    trial = study.ask()
    for wrong in ("1", [1], {}):
        with pytest.raises(TypeError, match="value must be a number"):
            study.tell(trial, wrong)
    for wrong in (-1, 2**64):
        with pytest.raises(ValueError, match="trial must be 0 or more"):
            study.tell(wrong, 1)
    with pytest.raises(ValueError, match="tell either a value or state"):
        study.tell(trial)
    with pytest.raises(ValueError, match="tell either a value or state"):
        study.tell(trial, 1, TrialState.FAIL)
    with pytest.raises(ValueError, match="state must be COMPLETE, FAIL or PRUNED"):
        study.tell(trial, 1, TrialState.RUNNING)


def test_failures_carry_the_sentence_of_the_library(study):
    with pytest.raises(pytacit.StateError) as no_best:
        study.best_value
    assert (no_best.value.name, no_best.value.status) == ("E_STATE", 4)
    assert "complete" in str(no_best.value)
    with pytest.raises(pytacit.NotFoundError):
        study.tell(99, 1)
    with pytest.raises(pytacit.ArgumentError):
        study.tell(study.ask(), float("inf"))
    again = pickle.loads(pickle.dumps(no_best.value))
    assert (type(again), str(again), again.name) == (pytacit.StateError, str(no_best.value), "E_STATE")


@pytest.mark.parametrize(
    "given, said",
    [
        ({"direction": "up"}, 'direction must be "minimize" or "maximize", got "up"'),
        ({"space": {}}, "space"),
        ({"space": {"x": {"type": "float", "low": 1, "high": 0}}}, "x"),
        ({"algorithm": "gp-eye"}, "gp-eye"),
        ({"algorithm": {"name": "gp-ei", "colour": 1}}, "colour"),
        ({"trials": 0}, "trials"),
        ({"name": "a b"}, "name"),
        ({"privacy": {"unit": "planet"}}, "planet"),
    ],
)
def test_documents_that_are_wrong(given, said):
    arguments = {"name": "s", "space": SPACE, "direction": "minimize", "storage": "sqlite:///s.db", **given}
    with pytest.raises(pytacit.ArgumentError, match=said):
        pytacit.create_study(**arguments)
    with pytest.raises(pytacit.NotFoundError):  # no file was made
        pytacit.get_all_study_names("sqlite:///s.db")


def test_arguments_of_other_types():
    with pytest.raises(TypeError, match="space.x must be a FloatDistribution"):
        pytacit.create_study("s", {"x": 1}, "minimize", "memory:")
    with pytest.raises(TypeError, match="storage must be a str"):
        pytacit.create_study("s", SPACE, "minimize", 7)
    with pytest.raises(ValueError, match="name must not have a character of code 0"):
        pytacit.load_study("a\0b", "memory:")


def test_studies_stay_in_their_storage():
    made = pytacit.create_study("kept", SPACE, "maximize", trials=5, seed=3, algorithm={"name": "random"})
    made.tell(made.ask(), 4)
    made.close()
    with pytest.raises(ValueError, match="the study is closed"):
        made.ask()
    with pytacit.load_study("kept") as again:
        assert (again.study_name, again.direction, again.best_value) == ("kept", "maximize", 4)
        assert again.document["seed"] == 3
    with pytest.raises(pytacit.StateError, match="seed"):
        pytacit.create_study("kept", SPACE, "maximize", trials=5, seed=4, algorithm={"name": "random"})
    pytacit.create_study("other", SPACE, "minimize")
    assert pytacit.get_all_study_names() == ["kept", "other"]
    pytacit.delete_study("kept")
    assert pytacit.get_all_study_names() == ["other"]
    with pytest.raises(pytacit.NotFoundError):
        pytacit.load_study("kept")


def test_a_worker_gets_its_trial_back(study):
    mine, other = study.ask(worker="me"), study.ask(worker="you", lease_s=3600)
    assert study.ask(worker="me").number == mine.number != other.number
    assert study.get_trial(mine.number).worker == "me"
    with pytest.raises(pytacit.ArgumentError):
        study.ask(worker="me", lease_s=0.5)


def test_candidates_of_a_file(own_folder):
    (own_folder / "points.csv").write_text("width,depth\n1,10\n2.5,20\n3,30\n")
    study = pytacit.create_study("finite", own_folder / "points.csv", "minimize", "memory:", algorithm="random")
    assert study.enqueue_trial({"point": 2}) == 0
    assert study.enqueue_trial({"width": 2.5, "depth": 20}) == 1
    study.optimize(lambda params: -params["depth"], n_trials=2)
    assert study.best_params == {"point": 2, "width": 3.0, "depth": 30.0}
    assert study.trials[1].params == {"point": 1, "width": 2.5, "depth": 20.0}
    with pytest.raises(pytacit.NotFoundError):
        study.enqueue_trial({"width": 2.5, "depth": 30})


def test_records_are_protected():
    promise = {"unit": "record", "epsilon": 1, "delta": 1e-5, "metric": "error"}
    study = pytacit.create_study("ward", {"x": SPACE["x"]}, "minimize", privacy=promise, trials=4, seed=1)
    with pytest.raises(pytacit.StateError):
        study.ask()
    with pytest.raises(pytacit.ArgumentError, match="records"):
        study.protect()
    assert "NOT PRIVATE" not in study.protect(records=1200)
    with pytest.raises(pytacit.StateError):
        study.protect(records=1200)
    assert study.noise_sd > 0 and "record" in study.protection
    study.optimize(lambda params: 0.25)
    values = [trial.value for trial in study.trials]
    assert len(values) == 4 and all(value != 0.25 for value in values), "a value has no noise"
    with pytest.raises(pytacit.BudgetError):
        study.optimize(lambda params: 0.25, n_trials=1)
    assert len(study.trials) == 4


@pytest.mark.parametrize("given", [1, (0, 1, 2), "0:1", (0, None)])
def test_a_range_is_a_pair_of_numbers(given):
    promise = {"unit": "record", "epsilon": 1, "delta": 1e-5, "range": [0, 1]}
    study = pytacit.create_study("ward", {"x": SPACE["x"]}, "minimize", privacy=promise, trials=4, seed=1)
    with pytest.raises(TypeError, match="range"):
        study.protect(records=1000, range=given)
    with pytest.raises(pytacit.ArgumentError, match="range"):
        study.protect(records=1000, range=(0, 2))
    assert "at most 0.001" in study.protect(records=1000, range=(0, 1))


def test_the_same_seed_is_the_same_search(study):
    again = pytacit.create_study("bowl", SPACE, "minimize", "sqlite:///b.db", algorithm="random", seed=1, trials=12)
    study.optimize(bowl)
    again.optimize(bowl)
    assert [t.params for t in study.trials] == [t.params for t in again.trials]


CONDITIONAL = {
    "gamma": pytacit.FloatDistribution(1e-4, 1, log=True, when={"kernel": ["rbf", "poly"]}),
    "kernel": pytacit.CategoricalDistribution(["linear", "rbf", "poly"]),
    "degree": pytacit.IntDistribution(2, 5, when={"kernel": "poly"}),
    "batch": pytacit.CategoricalDistribution([16, 32, 0.5], ordered=True),
    "shrink": pytacit.CategoricalDistribution([True, False]),
    "cache": pytacit.CategoricalDistribution([1, 2], when={"shrink": True}),
}


@pytest.fixture
def conditional():
    with pytacit.create_study("svm", CONDITIONAL, "minimize", "memory:", trials=20, seed=2) as made:
        yield made


def test_conditional_parameters(conditional):
    seen = []

    def train(params):
        assert ("gamma" in params) == (params["kernel"] != "linear")
        assert ("degree" in params) == (params["kernel"] == "poly")
        assert ("cache" in params) == params["shrink"]
        assert type(params["shrink"]) is bool and type(params.get("cache", 1)) is int
        assert params["batch"] in (16, 32, 0.5) and type(params["batch"]) is (float if params["batch"] == 0.5 else int)
        seen.append(params)
        return params["batch"] + params.get("gamma", 0)

    conditional.optimize(train)
    assert [trial.params for trial in conditional.trials] == seen and len({p["kernel"] for p in seen}) == 3
    assert conditional.best_params["batch"] == 0.5
    space = conditional.document["space"]
    assert space["shrink"] == {"type": "bool"}
    assert space["batch"] == {"type": "choice", "choices": [16, 32, 0.5], "ordered": True}
    assert space["gamma"]["when"] == {"kernel": ["rbf", "poly"]} and space["degree"]["when"] == {"kernel": "poly"}


def test_conditional_points_of_ones_own(conditional):
    plain = {"kernel": "linear", "batch": 16, "shrink": False}
    conditional.enqueue_trial({**plain, "gamma": None})
    trial = conditional.ask()
    assert trial.params == plain
    other = {"gamma": 0.5, "kernel": "rbf", "batch": 0.5, "shrink": True, "cache": 2}
    conditional.tell(trial, 1, params=other)
    assert conditional.best_params == other


@pytest.mark.parametrize(
    "change, said",
    [
        ({"gamma": 0.5}, "params must not have gamma where kernel is linear"),
        ({"kernel": "rbf"}, "params has no gamma, which is needed where kernel is rbf"),
        ({"kernel": "rbf", "gamma": None}, "params has no gamma, which is needed where kernel is rbf"),
        ({"kernel": "rbf", "gamma": 2}, "gamma must be from 0.0001 to 1, got 2"),
        ({"batch": 17}, "batch is 17 but must be one of 16, 32, 0.5"),
        ({"shrink": 1}, "shrink is 1 but must be one of false, true"),
        ({"batch": True}, "params.batch must be a number or a str, got bool"),
    ],
)
def test_conditional_points_that_are_refused(conditional, change, said):
    with pytest.raises((ValueError, TypeError), match=said):
        conditional.enqueue_trial({"kernel": "linear", "batch": 16, "shrink": False, **change})
    assert conditional.trials == []


def test_conditions_that_are_wrong():
    wrong = {"x": pytacit.FloatDistribution(0, 1, when={"y": "a"})}
    with pytest.raises(ValueError, match='space.x.when: there is no parameter "y"'):
        pytacit.create_study("s", wrong, "minimize", "memory:")
    with pytest.raises(TypeError, match="when must be a dict of one parameter, got str"):
        pytacit.create_study("s", {"x": pytacit.FloatDistribution(0, 1, when="y")}, "minimize", "memory:")


def test_linear_constraints():
    space = {"x": pytacit.FloatDistribution(0, 1), "n": pytacit.IntDistribution(1, 8)}
    asked = ["8*x + n <= 5", "n >= 2*x + 1.5"]
    with pytacit.create_study("s", space, "minimize", "memory:", seed=1, trials=30, linear=asked) as study:
        study.optimize(lambda p: -p["x"] - p["n"])
        assert all(8 * t.params["x"] + t.params["n"] <= 5 + 1e-9 for t in study.trials)
        assert all(t.params["n"] >= 2 * t.params["x"] + 1.5 - 1e-9 for t in study.trials)
        assert study.best_value < -4.9
        assert study.document["linear"] == ["8*x + n <= 5", "2*x - n <= -1.5"]
        said = r"the point violates the constraint 8\*x \+ n <= 5: its left side is 12"
        with pytest.raises(ValueError, match=said):
            study.enqueue_trial({"x": 1, "n": 4})
    with pytest.raises(ValueError, match=r'linear\[0\]: the constraint "x >= 2": no point of the space'):
        pytacit.create_study("s", space, "minimize", "memory:", linear=["x >= 2"])
    with pytest.raises(TypeError, match="linear must be a list of constraints"):
        pytacit.create_study("s", space, "minimize", "memory:", linear="x <= 1")


def test_dataframe(study, monkeypatch):
    study.optimize(bowl, n_trials=2)
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(ImportError, match="trials_dataframe needs pandas"):
        study.trials_dataframe()

    class Pandas:
        DataFrame = staticmethod(lambda rows: rows)

    monkeypatch.setitem(sys.modules, "pandas", Pandas)
    rows = study.trials_dataframe()
    assert [row["number"] for row in rows] == [0, 1]
    assert rows[1]["params_x"] == study.trials[1].params["x"] and rows[1]["state"] == "COMPLETE"


def test_a_recommendation_of_noisy_values_is_by_the_model(tmp_path):
    space = {"x": pytacit.FloatDistribution(0, 1)}
    study = pytacit.create_study("noisy", space, "minimize", f"sqlite:///{tmp_path}/r.db", algorithm="gp-ei", seed=1)
    for i in range(30):
        trial = study.ask()
        luck = 0.4 if i % 2 else -0.4  # as large as the function
        study.tell(trial, (trial.params["x"] - 0.3) ** 2 + luck)
    found, seen = study.recommend(), study.recommend("seen")
    assert (found.by, seen.by) == ("model", "seen")
    assert seen.trial == study.best_trial and seen.mean is None and seen.sd is None
    assert seen.because == "it was asked for" and found.because.startswith("the model takes ")
    assert found.params == found.trial.params and found.sd > 0
    assert found.mean > seen.trial.value  # the best value was a lucky one
    assert study.recommend("model").trial == found.trial


def test_what_cannot_be_recommended_is_said(study):
    with pytest.raises(pytacit.StateError, match="no trial of .* is complete yet"):
        study.recommend()
    study.tell(study.ask(), 1)
    assert study.recommend().by == "seen"
    with pytest.raises(ValueError, match="by must be 'auto', 'model' or 'seen', got 'best'"):
        study.recommend("best")


def test_importances():
    """Of an additive function they are the shares of its parts: x has 4/12 and kind 8/3 of 3."""
    space = {
        "idle": pytacit.IntDistribution(1, 9),
        "x": pytacit.FloatDistribution(0, 1),
        "kind": pytacit.CategoricalDistribution(["a", "b", "c"]),
    }
    with pytacit.create_study("add", space, "minimize", "memory:", algorithm="sobol", seed=1) as study:
        study.optimize(lambda params: 2 * params["x"] + 2 * "abc".index(params["kind"]), n_trials=7)
        with pytest.raises(pytacit.StateError, match="needs at least 8 completed trials, there are 7"):
            study.importances()
        study.optimize(lambda params: 2 * params["x"] + 2 * "abc".index(params["kind"]), n_trials=33)
        found = study.importances()
        assert list(found) == ["kind", "x", "idle"]
        for name, share in (("kind", 8 / 9), ("x", 1 / 9), ("idle", 0)):
            of = found[name]
            assert isinstance(of, pytacit.Importance)
            assert abs(of.first - share) < 0.02 and abs(of.total - share) < 0.02
            assert of.first_range[0] <= share + 0.02 and of.first_range[1] >= share - 0.02
            assert 0 <= of.total_range[0] <= of.total_range[1] <= 1
        assert study.importances() == found
    with pytest.raises(ValueError, match="the study is closed"):
        study.importances()
