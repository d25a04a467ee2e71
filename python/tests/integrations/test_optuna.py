"""TacitSampler: what it promises, and the tests that Optuna ships for samplers."""

from __future__ import annotations

import copy
import logging
import math
import pickle
import subprocess
import sys
from typing import Any, Callable, List

import numpy
import optuna
import pytest
from optuna.distributions import CategoricalDistribution, FloatDistribution, IntDistribution
from optuna.samplers import BaseSampler
from optuna.testing import pytest_samplers as suite
from optuna.trial import TrialState, create_trial

import pytacit
from pytacit import optuna as module
from pytacit.optuna import TacitSampler

optuna.logging.set_verbosity(optuna.logging.ERROR)
SINGLE_PARTY = ["gp-ei", "gp-ucb", "ts", "sobol", "random"]


def mixed(trial: optuna.Trial) -> float:
    x = trial.suggest_float("x", -5, 5)
    n = trial.suggest_int("n", 1, 64, log=True)
    kind = trial.suggest_categorical("a kind/of", [None, True, 1.5])
    step = trial.suggest_float("step", -10.2, 10.2, step=0.1)
    return (x - 2) ** 2 + (kind is None) + abs(step) / 10 + n / 64


def line(trial: optuna.Trial) -> float:
    return (trial.suggest_float("x", 0, 1) - 0.3) ** 2


def run(objective: Callable[[optuna.Trial], float] = mixed, n: int = 12, **options: Any) -> optuna.Study:
    study = optuna.create_study(sampler=TacitSampler(**{"seed": 1, **options}))
    study.optimize(objective, n_trials=n)
    return study


def params(study: optuna.Study) -> List[Any]:
    return [t.params for t in study.trials]


@pytest.fixture
def calls(monkeypatch: pytest.MonkeyPatch) -> List[str]:
    """The functions of the optimizer that are called, by name."""
    made: List[str] = []
    names = {getattr(module.lib, f"tacit_optimizer_{n}"): n for n in ("new", "ask", "tell_outcomes", "add_outcomes", "fail")}
    real_call, real_out = module.call, module.out

    def call(function: Any, *arguments: Any) -> None:
        real_call(function, *arguments)  # first: what is refused is not recorded
        made.append(names.get(function, ""))

    def out(function: Any, *arguments: Any, **more: Any) -> Any:
        made.append(names.get(function, ""))
        return real_out(function, *arguments, **more)

    monkeypatch.setattr(module, "call", call)
    monkeypatch.setattr(module, "out", out)
    return made


# ---- Optuna's own tests


class OptunaSuite:
    @pytest.fixture(params=["gp-ei", "ts"])
    def sampler(self, request: pytest.FixtureRequest) -> Callable[[], BaseSampler]:
        return lambda: TacitSampler(algorithm=request.param, seed=1)


class TestBasic(OptunaSuite, suite.BasicSamplerTestCase):
    """For every sampler."""


class TestRelative(OptunaSuite, suite.RelativeSamplerTestCase):
    """For samplers that sample parameters together."""


class TestMultiObjective(suite.MultiObjectiveSamplerTestCase):
    """For samplers of studies with several values."""

    @pytest.fixture
    def sampler(self) -> Callable[[], BaseSampler]:
        return lambda: TacitSampler(seed=1)


class TestSingleOnly(suite.SingleOnlySamplerTestCase):
    """For samplers of studies with one value."""

    @pytest.fixture
    def sampler(self) -> Callable[[], BaseSampler]:
        return lambda: TacitSampler(algorithm="ts", seed=1)


# ---- results


@pytest.mark.parametrize("algorithm", SINGLE_PARTY)
def test_one_seed_gives_the_same_bits(algorithm):
    first, again, other = (run(algorithm=algorithm, seed=seed) for seed in (3, 3, 4))
    assert params(first) == params(again)
    assert params(first) != params(other)


@pytest.mark.parametrize("direction, sign", [("minimize", 1), ("maximize", -1)])
def test_it_finds_the_optimum_in_both_directions(direction, sign):
    study = optuna.create_study(direction=direction, sampler=TacitSampler(seed=1))
    study.optimize(lambda t: sign * line(t), n_trials=20)
    assert abs(study.best_params["x"] - 0.3) < 0.01


def test_values_have_the_types_and_grids_of_their_distributions():
    for trial in run(n=15).trials:
        assert type(trial.params["x"]) is float and type(trial.params["n"]) is int
        assert trial.params["a kind/of"] in (None, True, 1.5)
        assert math.isclose(trial.params["step"] * 10, round(trial.params["step"] * 10), abs_tol=1e-9)


@pytest.mark.parametrize(
    "distribution",
    [
        FloatDistribution(-1, 1),
        FloatDistribution(1e-7, 1, log=True),
        FloatDistribution(-10.2, 10.2, step=0.1),
        IntDistribution(-7, 8, step=5),
        IntDistribution(1, 100, log=True),
        IntDistribution(2**60, 2**60 + 9),
        CategoricalDistribution([None, False, "", 2.5]),
    ],
)
def test_a_value_goes_to_tacit_and_back(distribution):
    study = optuna.create_study(sampler=optuna.samplers.RandomSampler(seed=1))
    for _ in range(30):
        value = study.ask({"x": distribution}).params["x"]
        number = module._number(distribution, value)
        assert number is not None
        back = module._value(distribution, number)
        assert type(back) is type(value)
        assert back == (pytest.approx(value) if isinstance(value, float) else value)


# ---- history: told once


def test_every_trial_is_told_once(calls):
    run(n=10)
    assert calls.count("new") == 2  # one tries the options
    assert calls.count("add_outcomes") == 1  # the first trial, which was sampled independently
    assert calls.count("ask") == 9
    assert calls.count("tell_outcomes") == 8  # the last one waits for the next ask


def test_a_sampler_reads_the_history_of_others(calls):
    study = optuna.create_study(sampler=optuna.samplers.RandomSampler(seed=1))
    study.optimize(mixed, n_trials=5)
    study.sampler = TacitSampler(seed=1)
    study.optimize(mixed, n_trials=2)
    study.add_trial(create_trial(params=study.trials[0].params, distributions=study.trials[0].distributions, value=1.0))
    study.optimize(mixed, n_trials=1)
    assert (calls.count("add_outcomes"), calls.count("tell_outcomes"), calls.count("ask")) == (6, 2, 3)


def test_open_trials_go_to_different_points():
    study = run(line, 8)
    space = {"x": FloatDistribution(0, 1)}
    open_trials = [study.ask(space) for _ in range(6)]
    assert len({t.params["x"] for t in open_trials}) == 6
    for trial in reversed(open_trials):  # told in another order
        study.tell(trial, line(trial))
    study.optimize(line, n_trials=2)
    assert len(study.trials) == 16


@pytest.mark.parametrize("n_jobs", [2, 4])
def test_threads(n_jobs, calls):
    study = optuna.create_study(sampler=TacitSampler(seed=1))
    study.optimize(mixed, n_trials=24, n_jobs=n_jobs)
    assert all(t.state == TrialState.COMPLETE for t in study.trials) and len(study.trials) == 24
    assert calls.count("new") == 2  # reseed_rng, once a trial, makes no new one
    assert calls.count("add_outcomes") <= n_jobs + 1


def test_processes_share_a_storage(tmp_path):
    url = f"sqlite:///{tmp_path}/optuna.db"
    optuna.create_study(study_name="s", storage=url)
    program = (
        "import optuna, sys; from pytacit.optuna import TacitSampler\n"
        "s = optuna.load_study(study_name='s', storage=sys.argv[1], sampler=TacitSampler())\n"
        "s.optimize(lambda t: (t.suggest_float('x', 0, 1) - 0.3) ** 2, n_trials=8)\n"
    )
    processes = [subprocess.Popen([sys.executable, "-c", program, url], stderr=subprocess.PIPE) for _ in range(2)]
    for process in processes:
        _, errors = process.communicate()
        assert process.returncode == 0, errors
    study = optuna.load_study(study_name="s", storage=url, sampler=TacitSampler(seed=1))
    study.optimize(line, n_trials=1)
    assert len(study.trials) == 17 and study.best_value < 0.01


def test_enqueued_trials_are_told_where_they_were(calls):
    study = run(line, 4)
    study.enqueue_trial({"x": 0.25})
    with pytest.warns(UserWarning, match="out of range"):
        study.enqueue_trial({"x": 7.0})
        study.optimize(line, n_trials=4)
    assert [t.params["x"] for t in study.trials[4:6]] == [0.25, 7.0]
    assert calls.count("add_outcomes") == 2  # trial 0 and 0.25; 7.0 is not in the space


def test_a_partly_enqueued_trial_is_told_at_its_point(calls):
    study = run(mixed, 4)
    study.enqueue_trial({"n": 17})
    study.optimize(mixed, n_trials=2)
    assert study.trials[4].params["n"] == 17
    assert calls.count("ask") == 5 and calls.count("tell_outcomes") == 4


# ---- trials without a value


def test_failed_trials_are_not_told_and_not_asked_again(calls):
    def objective(trial: optuna.Trial) -> float:
        value = line(trial)
        if trial.number % 3 == 2:
            raise ArithmeticError("no")
        return float("nan") if trial.number == 4 else value

    study = optuna.create_study(sampler=TacitSampler(seed=1))
    study.optimize(objective, n_trials=12, catch=ArithmeticError)
    assert [t.number for t in study.trials if t.state == TrialState.FAIL] == [2, 4, 5, 8, 11]
    assert calls.count("fail") == 4 and calls.count("tell_outcomes") == 6
    assert len({t.params["x"] for t in study.trials}) == 12


@pytest.mark.parametrize("considered, told, failed", [(False, 4, 4), (True, 8, 0)])
def test_pruned_trials(considered, told, failed, calls):
    def objective(trial: optuna.Trial) -> float:
        value = line(trial)
        trial.report(value + 1, 0)
        if trial.number % 2:
            raise optuna.TrialPruned
        return value

    study = optuna.create_study(sampler=TacitSampler(seed=1, consider_pruned_trials=considered))
    study.optimize(objective, n_trials=10)
    assert (calls.count("tell_outcomes"), calls.count("fail")) == (told, failed)


@pytest.mark.parametrize("pruner", [optuna.pruners.MedianPruner(n_startup_trials=2), optuna.pruners.HyperbandPruner()])
def test_with_a_pruner(pruner):
    def objective(trial: optuna.Trial) -> float:
        value = line(trial)
        for step in range(5):
            trial.report(value + 1 / (step + 1), step)
            if trial.should_prune():
                raise optuna.TrialPruned
        return value

    study = optuna.create_study(sampler=TacitSampler(seed=1), pruner=pruner)
    study.optimize(objective, n_trials=20)
    assert study.best_value < 0.05


@pytest.mark.parametrize("infinite", [math.inf, -math.inf])
def test_infinite_values(infinite, calls):
    study = optuna.create_study(sampler=TacitSampler(seed=1))
    study.optimize(lambda t: infinite * (1 + 0 * line(t)) if t.number in (0, 5) else line(t), n_trials=12)
    assert calls.count("add_outcomes") == 0  # the first one: there was no finite value to put in its place
    assert calls.count("tell_outcomes") == 10 and calls.count("fail") == 0


# ---- search spaces


def branches(trial: optuna.Trial) -> float:
    if trial.suggest_categorical("left", [True, False]):
        return trial.suggest_float("y", 0, 1)
    return 1 + trial.suggest_float("z", 0, 1)


@pytest.mark.parametrize("wanted", [True, False])
def test_branches_are_sampled_independently_with_a_warning(wanted, caplog):
    with caplog.at_level(logging.WARNING, logger="pytacit.optuna"):
        study = run(branches, 12, warn_independent_sampling=wanted)
    assert all(t.state == TrialState.COMPLETE for t in study.trials)
    assert ("'y'" in caplog.text or "'z'" in caplog.text) == wanted
    assert "trial 0 " not in caplog.text


def test_the_independent_sampler_is_the_users():
    class Half(optuna.samplers.RandomSampler):
        def sample_independent(self, study, trial, param_name, param_distribution):
            return 0.5

    study = run(line, 3, independent_sampler=Half())
    assert study.trials[0].params["x"] == 0.5 and study.trials[1].params["x"] != 0.5


def test_a_changed_space_gets_a_new_optimizer_with_the_history(calls):
    study = run(lambda t: line(t) + t.suggest_float("y", 0, 1), 5)
    study.optimize(line, n_trials=3)  # trial 5 has no y: from then on x alone is common
    assert calls.count("new") == 3
    assert calls.count("add_outcomes") == 1 + 6  # trial 0, and then trials 0 to 5 anew
    assert len(study.trials) == 8


def test_what_tacit_cannot_hold_is_sampled_independently():
    def objective(trial: optuna.Trial) -> float:
        trial.suggest_categorical("many", list(range(1001)))
        trial.suggest_int("wide", 0, 2**60)
        trial.suggest_int("wide log", 1, 2**53, log=True)
        trial.suggest_int("high log", 2**53, 2**53 + 10**6, log=True)
        trial.suggest_float("steps", 0, 1, step=1e-13)
        trial.suggest_float("ratio", 1e-10, 1e300, log=True)
        trial.suggest_int("one", 3, 3)
        return line(trial)

    study = run(objective, 4, warn_independent_sampling=False)
    assert list(study.sampler.infer_relative_search_space(study, study.trials[-1])) == ["x"]
    assert study.trials[-1].params["one"] == 3


def test_parameters_that_are_too_many_are_sampled_independently():
    study = run(lambda t: sum(t.suggest_float(f"x{i:03}", 0, 1) for i in range(300)), 4, warn_independent_sampling=False)
    common = study.sampler.infer_relative_search_space(study, study.trials[-1])
    assert list(common) == [f"x{i:03}" for i in range(256)]
    assert all(len(trial.params) == 300 for trial in study.trials)


# ---- more than one study, copies


def test_two_studies_with_one_sampler():
    sampler = TacitSampler(seed=1)
    up = optuna.create_study(direction="maximize", sampler=sampler)
    down = optuna.create_study(sampler=sampler)
    for _ in range(15):
        up.optimize(lambda t: -line(t), n_trials=1)
        down.optimize(mixed, n_trials=1)
    assert abs(up.best_params["x"] - 0.3) < 0.02
    assert len(down.trials) == 15


def test_a_deleted_study_is_forgotten(tmp_path, calls):
    url, sampler = f"sqlite:///{tmp_path}/optuna.db", TacitSampler(seed=1)
    storage = optuna.storages.RDBStorage(url)
    for _ in range(2):  # SQLite gives the second one the number of the first
        study = optuna.create_study(study_name="s", storage=storage, sampler=sampler)
        study.optimize(line, n_trials=4)
        optuna.delete_study(study_name="s", storage=storage)
    assert calls.count("new") == 3 and calls.count("add_outcomes") == 2


@pytest.mark.parametrize("copied", [copy.deepcopy, lambda s: pickle.loads(pickle.dumps(s))])
def test_a_copy_goes_on_with_an_optimizer_of_its_own(copied, calls):
    study = run(line, 6)
    study.sampler = copied(study.sampler)
    study.optimize(line, n_trials=3)
    assert calls.count("new") == 3 and calls.count("add_outcomes") == 7  # trial 0, and then all six
    assert len({t.params["x"] for t in study.trials}) == 9


@pytest.mark.parametrize("seed, same", [(1, True), (None, False)])
def test_copies_draw_the_same_only_with_a_seed(seed, same):
    sampler = TacitSampler(seed=seed, independent_sampler=optuna.samplers.RandomSampler(seed=1))
    studies = [optuna.create_study(sampler=copy.deepcopy(sampler)) for _ in range(2)]
    for study in studies:
        study.optimize(line, n_trials=4)
    assert (params(studies[0]) == params(studies[1])) == same


def test_reseeded_samplers_draw_differently():
    samplers = [TacitSampler(seed=1) for _ in range(2)]
    samplers[1].reseed_rng()
    studies = [optuna.create_study(sampler=s) for s in samplers]
    for study in studies:
        study.optimize(line, n_trials=4)
    assert not {t.params["x"] for t in studies[0].trials} & {t.params["x"] for t in studies[1].trials}


# ---- refusals


def test_directions_that_an_algorithm_does_not_take_are_refused():
    study = optuna.create_study(directions=["minimize", "maximize"], sampler=TacitSampler(algorithm="ts"))
    with pytest.raises(ValueError, match="2 directions: algorithm ts takes one objective .* gp-ei, random and sobol take more"):
        study.optimize(lambda t: (line(t), 1.0), n_trials=1)
    study = optuna.create_study(directions=["minimize"] * 5, sampler=TacitSampler())
    with pytest.raises(ValueError, match="TacitSampler takes 1 to 4 directions, got a study with 5: use one of Optuna's"):
        study.optimize(lambda t: [line(t)] * 5, n_trials=1)


# ---- several objectives


def trade(n: int) -> Callable[[optuna.Trial], List[float]]:
    """Squared distances to n corners of a square: the front is the region between them."""
    corners = [(0, 0), (0.8, 0), (0, 0.8), (0.8, 0.8)][:n]

    def objective(trial: optuna.Trial) -> List[float]:
        x, y = trial.suggest_float("x", -2, 2), trial.suggest_float("y", -2, 2)
        return [(x - a) ** 2 + (y - b) ** 2 for a, b in corners]

    return objective


def several(n: int, signs: Any = None, trials: int = 16, **options: Any) -> optuna.Study:
    signs, of = signs or [1] * n, trade(n)
    directions = ["minimize" if s > 0 else "maximize" for s in signs]
    study = optuna.create_study(directions=directions, sampler=TacitSampler(**{"seed": 1, **options}))
    study.optimize(lambda t: [s * v for s, v in zip(signs, of(t))], n_trials=trials)
    return study


def volume(study: optuna.Study) -> float:
    from optuna._hypervolume import compute_hypervolume

    values = numpy.array([t.values for t in study.best_trials])
    return float(compute_hypervolume(values, numpy.array([4.0] * values.shape[1])))


@pytest.mark.parametrize("n", [2, 3, 4])
def test_several_objectives_are_searched(n):
    assert volume(several(n, trials=24)) > volume(several(n, trials=24, algorithm="random"))
    assert params(several(n)) == params(several(n))


def test_directions_are_those_of_the_study():
    assert params(several(3)) == params(several(3, [1, -1, -1])) == params(several(3, [-1, 1, -1]))


def test_other_trials_of_several_objectives_are_known(calls):
    study = optuna.create_study(directions=["minimize", "minimize"], sampler=TacitSampler(seed=1))
    of = trade(2)
    for _ in range(8):
        study.add_trial(
            create_trial(
                params={"x": 0.4, "y": 0.1 * _},
                distributions={name: FloatDistribution(-2, 2) for name in "xy"},
                values=[1.0, math.inf if _ == 7 else 2.0 - _],
            )
        )
    study.optimize(of, n_trials=2)
    assert calls.count("add_outcomes") == 8 and calls.count("tell_outcomes") == 1


def test_an_infinite_value_is_clipped_in_its_own_objective(monkeypatch):
    told: List[Any] = []
    real = module.call

    def call(function: Any, *arguments: Any) -> None:
        if function == module.lib.tacit_optimizer_tell_outcomes:
            told.append([arguments[3][0], arguments[3][1]])
        real(function, *arguments)

    monkeypatch.setattr(module, "call", call)
    study = optuna.create_study(directions=["minimize", "maximize"], sampler=TacitSampler(algorithm="random", seed=1))
    values = [[1.0, 5.0], [2.0, 7.0], [3.0, -math.inf], [-math.inf, 6.0], [0.0, 0.0]]
    study.optimize(lambda t: [t.suggest_float("x", 0, 1), *values[t.number]][1:], n_trials=5)
    assert told == [[2.0, 7.0], [3.0, 5.0], [1.0, 6.0]]


def test_failed_trials_of_several_objectives_are_told(calls):
    study = optuna.create_study(directions=["minimize", "maximize"], sampler=TacitSampler(seed=1))

    def objective(trial: optuna.Trial) -> List[float]:
        x = trial.suggest_float("x", 0, 1)
        if trial.number % 2:
            raise ArithmeticError
        return [x, x**2]

    study.optimize(objective, n_trials=6, catch=(ArithmeticError,))
    assert calls.count("fail") == 2 and calls.count("tell_outcomes") == 2


@pytest.mark.parametrize(
    "options, kind, sentence",
    [
        ({"algorithm": "gp-eii"}, pytacit.ArgumentError, "gp-eii"),
        ({"algorithm": "dp-fts-de"}, pytacit.TacitError, "dp-fts-de"),
        ({"options": {"kernl": "se"}}, pytacit.ArgumentError, "kernl"),
        ({"options": 5}, TypeError, "options must be a dictionary, got int"),
        ({"seed": -1}, ValueError, "seed"),
        ({"seed": 1.5}, TypeError, "seed"),
        ({"budget": -1}, ValueError, "budget"),
    ],
)
def test_wrong_arguments_are_refused_at_once(options, kind, sentence):
    with pytest.raises(kind, match=sentence):
        TacitSampler(**options)


def test_options_reach_the_algorithm():
    assert params(run(line, 8, options={"init": 2})) != params(run(line, 8, options={"init": 6}))
