"""What promises cost: published numbers, closed forms computed again here, and the program's answers."""

from __future__ import annotations

import json
import math
import os
import pickle
import re
import subprocess
import warnings
from pathlib import Path

import pytest

import pytacit
from pytacit import privacy
from pytacit.privacy import Filter, Gaussian, Laplace, NonPrivate, Pure, Renyi

TACIT = os.environ.get("TACIT_BIN", "tacit")
ROOT = Path(__file__).resolve().parents[2]
N200, N29 = 200**-1.1, 0.024624
SGD = Gaussian(1.1, count=1000, sampling_rate=0.01)


def program(*words):
    """What `tacit privacy` answers as JSON."""
    command = [TACIT, "privacy", *map(str, words), "--format", "json", "--quiet"]
    return json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE, universal_newlines=True).stdout)


def phi(x):
    return math.erfc(-x / math.sqrt(2)) / 2


def gaussian_epsilon(mu, delta):
    """The least epsilon of a Gaussian release: Phi(mu/2 - e/mu) - exp(e) Phi(-mu/2 - e/mu) = delta, by bisection."""
    low, high = 0.0, 100.0
    for _ in range(200):
        middle = (low + high) / 2
        if phi(mu / 2 - middle / mu) - math.exp(middle) * phi(-mu / 2 - middle / mu) <= delta:
            high = middle
        else:
            low = middle
    return high


# ---- events


def test_events_are_what_dp_accounting_calls_them():
    assert Gaussian(2).to_json() == {"dp_event": "Gaussian", "noise_multiplier": 2.0}
    sampled = {"dp_event": "PoissonSampled", "sampling_probability": 0.01,
               "event": {"dp_event": "Gaussian", "noise_multiplier": 1.1}}  # fmt: skip
    assert SGD.to_json() == {"dp_event": "SelfComposed", "count": 1000, "event": sampled}
    assert Laplace(epsilon=0.5).to_json() == {"dp_event": "Laplace", "noise_multiplier": 2.0, "epsilon": 0.5}
    assert Pure(1.0).to_json()["dp_event"] == "RandomizedResponse"
    assert NonPrivate().to_json() == {"dp_event": "NonPrivate"}
    assert Renyi(8, 0.25).to_json() == {"dp_event": "RenyiBound", "order": 8, "divergence": 0.25}
    fixed = Gaussian(4, sampling_rate=0.5, sampling="fixed-size").to_json()
    assert (fixed["dp_event"], fixed["sampling_probability"]) == ("SampledWithoutReplacement", 0.5)
    assert SGD.replaced().to_json()["event"]["group_size"] == 2


@pytest.mark.parametrize(
    "event",
    [SGD, Gaussian(2.5), Laplace(epsilon=0.1, count=3), Pure(0.3, count=2, sampling_rate=0.25), NonPrivate(7)],
)
def test_events_come_back_from_json(event):
    assert privacy.from_json(event.to_json()) == [event]
    assert privacy.from_json(json.dumps(event.to_json())) == [event]
    assert pickle.loads(pickle.dumps(event)) == event


def test_events_cost_more_for_replacing_a_member():
    assert Gaussian(5.0, count=3).replaced() == Gaussian(2.5, count=3)
    assert Laplace(epsilon=0.5).replaced() == Laplace(epsilon=1.0)
    assert SGD.replaced() == Gaussian(1.1, count=1000, sampling_rate=0.01, sampling="poisson-replaced")
    assert Renyi(8, 0.5).replaced() == NonPrivate()


def test_equal_events_are_read_once():
    inner = {"dp_event": "GaussianDpEvent", "noise_multiplier": 2}
    both = [inner, {"class_name": "SelfComposedDpEvent", "module_name": "x", "count": 4, "event": inner}]
    text = {"dp_event": "Composed", "events": [*both, {"dp_event": "NoOp"}, SGD.to_json()]}
    assert privacy.from_json(text) == [Gaussian(2.0, count=5), SGD]


def test_steps_of_opacus():
    class Accountant:
        history = [(1.1, 0.01, 1000), (2.0, 1.0, 3)]

    steps = [SGD, Gaussian(2.0, count=3)]
    assert privacy.from_opacus(Accountant()) == steps
    assert privacy.from_opacus({"history": Accountant.history, "mechanism": "rdp"}) == steps
    assert privacy.from_opacus({"history": []}) == []


def test_steps_of_opacus_are_about_records():
    steps = privacy.from_opacus({"history": [(1.1, 0.01, 1000)]})
    one = privacy.account(steps, 1e-5)
    assert one.statement.startswith("every record") and "is added or removed" in one.statement
    assert one == privacy.account(SGD, 1e-5, unit="record", relation="add-remove")
    assert privacy.account_all(steps, 1e-5)["pld"] == one
    replaced = privacy.account(steps, 1e-5, relation="replace-one")
    assert replaced.epsilon > one.epsilon and "is replaced" in replaced.statement


def test_a_report_is_held_to_its_cap():
    privacy.check_within([SGD], [Gaussian(1.0, count=1000, sampling_rate=0.02)])
    with pytest.raises(pytacit.BudgetError, match="dp_event reports 1000 times Gaussian.1.1. at sampling rate 0.01"):
        privacy.check_within(SGD, Gaussian(1.1, count=999, sampling_rate=0.01))


@pytest.mark.parametrize(
    "make, kind, sentence",
    [
        (lambda: Gaussian(-1), pytacit.ArgumentError, "noise_multiplier must be in (0, 1e6], got -1"),
        (lambda: Gaussian("1"), TypeError, "noise_multiplier must be a number, got str"),
        (lambda: Gaussian(math.nan), pytacit.ArgumentError, "noise_multiplier must be in (0, 1e6], got nan"),
        (lambda: Gaussian(1, sampling_rate=0), pytacit.ArgumentError, "sampling_rate must be in (0, 1], got 0"),
        (lambda: Gaussian(1, count=-1), ValueError, "count must be 0 or more and at most 9223372036854775807, got -1"),
        (lambda: Gaussian(1, count=1.5), TypeError, "count must be a whole number, got float"),
        (lambda: Gaussian(1, count=10**16), pytacit.ArgumentError, f"count must be at most 1e15, got {10**16}"),
        (lambda: Gaussian(1, sampling="x"), ValueError,
         "sampling must be one of poisson, fixed-size, poisson-replaced, got 'x'"),
        (lambda: Laplace(epsilon=0), pytacit.ArgumentError, "epsilon must be in (0, 1e6], got 0"),
        (lambda: Pure("a"), TypeError, "epsilon must be a number, got str"),
        (lambda: Renyi(1, 0.1), pytacit.ArgumentError,
         "the order of a divergence must be an integer in 2..1024, without sampling, got 1 / 1"),
        (lambda: privacy.from_json({"dp_event": "TreeAggregation"}), pytacit.ArgumentError,
         'dp_event: the event "TreeAggregation" has no price here. Events: Gaussian, Laplace, RandomizedResponse, '
         "NonPrivate, NoOp, PoissonSampled, SelfComposed, Composed"),
        (lambda: privacy.from_json('{"dp_event": 1}'), pytacit.ArgumentError,
         "dp_event.dp_event must be a string, got a number"),
        (lambda: privacy.from_opacus(3), TypeError,
         "accountant must be an accountant of Opacus's or its state_dict(), got int"),
        (lambda: privacy.from_opacus({"mechanism": "rdp"}), TypeError,
         "accountant must be an accountant of Opacus's or its state_dict(), got dict"),
        (lambda: privacy.from_dp_accounting(3), TypeError, "event must be a DpEvent of dp_accounting's, got int"),
        (lambda: privacy.check_within(SGD, "x"), TypeError,
         "cap must be an event such as Gaussian(1.0), or several, got str"),
    ],
)  # fmt: skip
def test_what_is_no_event(make, kind, sentence):
    with pytest.raises(kind) as raised:
        make()
    assert str(raised.value) == sentence


def test_the_epsilon_of_laplace_noise_is_named():
    with pytest.raises(TypeError):
        Laplace(0.1)


# ---- accounting


@pytest.mark.parametrize(
    "rate, noise, rounds, delta, published",
    [
        (0.15, 1.0, 40, N200, 5.93), (0.25, 1.0, 40, N200, 9.91), (0.50, 1.0, 40, N200, 20.12),
        (0.25, 1.2, 40, N200, 7.39), (0.25, 1.5, 40, N200, 5.22),
        (0.35, 1.0, 60, N29, 15.17), (0.35, 1.6, 60, N29, 7.12), (0.35, 2.0, 60, N29, 5.14),
        (0.35, 3.0, 60, N29, 3.05), (0.35, 4.0, 60, N29, 2.16), (0.10, 1.0, 60, N29, 3.75),
        (0.15, 1.0, 60, N29, 5.98), (0.20, 1.0, 60, N29, 7.69), (0.25, 1.0, 60, N29, 9.82),
    ],
)  # fmt: skip
def test_the_privacy_losses_of_the_papers(rate, noise, rounds, delta, published):
    found = privacy.account(Gaussian(noise, count=rounds, sampling_rate=rate), delta, "moments")
    assert abs(found.epsilon - published) < 0.005
    assert found.accountant == "moments" and found.order >= 1


# Poisson sampling, 40 rounds, delta 200^-1.1: by Abadi's accountant, by Renyi divergences, and tight.
SAMPLED = [
    (0.15, 1.0, 5.9341, 4.8530, 3.9636),
    (0.25, 1.0, 9.9085, 8.3621, 7.0538),
    (0.50, 1.0, 20.1231, 17.8850, 15.7100),
    (0.25, 1.2, 7.3906, 6.1103, 5.1524),
    (0.25, 1.5, 5.2225, 4.2678, 3.5972),
]


@pytest.mark.parametrize("rate, noise, moments, rdp, tight", SAMPLED)
def test_accountants_agree_with_other_implementations(rate, noise, moments, rdp, tight):
    found = privacy.account_all(Gaussian(noise, count=40, sampling_rate=rate), N200)
    assert list(found) == ["pld", "rdp", "moments"]  # the closed form and pure sums do not apply
    assert abs(found["moments"].epsilon - moments) < 1e-4
    assert abs(found["rdp"].epsilon - rdp) < 0.01
    best = found["pld"]
    assert best.lower <= best.epsilon and abs(best.lower - tight) < 0.002 and abs(best.epsilon - tight) < 0.002
    assert best.order is None and best.delta == N200


@pytest.mark.parametrize(
    "mu, delta, golden",
    [
        (0.5, 1e-5, 1.993091), (1, 1e-5, 4.377178), (2, 1e-5, 9.997256), (4, 1e-5, 24.381611),
        (0.5, 1e-6, 2.254085), (1, 1e-6, 4.886554), (2, 1e-6, 10.997151), (4, 1e-6, 26.356964),
    ],
)  # fmt: skip
def test_gaussian_noise_costs_what_the_closed_form_says(mu, delta, golden):
    expected = gaussian_epsilon(mu, delta)
    assert abs(expected - golden) < 1e-6
    for events in (Gaussian(1 / mu), [Gaussian(2 / mu, count=3), Gaussian(2 / mu)]):
        found = privacy.account(events, delta)
        assert expected * (1 - 1e-9) <= found.epsilon <= expected * (1 + 1e-6)
        assert found.accountant == "gaussian"


def test_pure_epsilons_add_up():
    found = privacy.account([Laplace(epsilon=0.1, count=100), Pure(0.5, count=2)], 1e-5, "pure")
    assert 11 <= found.epsilon < 11 + 1e-9 and found.delta == 0 and found.accountant == "pure"


def test_relations():
    """dp_accounting's privacy loss distributions have 0.725522 and 1.554982."""
    for relation, golden in (("add-remove", 0.725522), ("replace-one", 1.554982)):
        found = privacy.account(Gaussian(5), 1e-5, unit="record", relation=relation)
        assert abs(found.epsilon - golden) < 1e-6
    assert abs(privacy.account(SGD, 1e-5, unit="record", relation="replace-one").epsilon - 3.42) < 0.01


def test_nobody_sees_an_epsilon_without_its_statement():
    found = privacy.account(Gaussian(1.0, count=40, sampling_rate=0.25), N200)
    assert str(found) == found.statement
    shown = re.match(r"every agent: epsilon (\S+), delta (\S+) \(pld\) over 40 releases\. Neighbours: ", str(found))
    assert shown and float(shown[1]) >= found.epsilon and float(shown[2]) >= N200
    assert shown[1] == privacy.epsilon_text(found.epsilon) and shown[2] == privacy.delta_text(N200)
    assert "Not protected: being on the roster" in str(found)
    trained = privacy.account(SGD, 1e-5, unit="record", relation="add-remove")
    assert "every record: epsilon 1.5" in str(trained) and "is added or removed" in str(trained)
    assert "over 0 releases" in str(privacy.account([], 1e-5)) and privacy.account([], 1e-5).epsilon == 0


def test_what_is_not_private_says_so():
    for events in (NonPrivate(), [Gaussian(5), NonPrivate()]):
        found = privacy.account(events, 1e-5)
        assert found.epsilon == math.inf
        assert str(found).startswith("NOT PRIVATE: every agent: no guarantee (pld) over ")
        assert "epsilon" not in str(found)
    searched = privacy.tune(NonPrivate(), 10, 1e-5)
    assert str(searched).startswith("NOT PRIVATE: The best of K private runs: no guarantee (rdp;")


def test_numbers_are_rounded_to_the_safe_side():
    assert (privacy.epsilon_text(1.0000001), privacy.epsilon_text(math.inf)) == ("1.00001", "infinite")
    assert (privacy.delta_text(1e-5), privacy.lower_text(0.99999999)) == ("1e-05", "0.999999")
    with pytest.raises(TypeError, match="epsilon must be a number, got str"):
        privacy.epsilon_text("1")


def test_the_names_of_accountants():
    assert privacy.accountants() == ["pld", "rdp", "moments", "gaussian", "pure"]


def test_delta():
    assert [privacy.delta_default(n) for n in (1, 100, 1000)] == [1e-5, 1e-5, 1e-6]
    assert privacy.account(SGD, members=1000).delta == 1e-6
    with pytest.warns(UserWarning) as warned:
        privacy.account(SGD, N200, members=200)
    assert [str(w.message) for w in warned] == ["delta 0.00294352 is above 1/N^2 = 2.5e-05 for 200 members"]
    assert warned[0].filename == __file__
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        privacy.account(SGD, 1e-5, members=200)


@pytest.mark.parametrize(
    "asked, kind, sentence",
    [
        (lambda: privacy.account(SGD), ValueError,
         "a delta is needed: give delta, or members=N for min(1e-5, 1/N^2)"),
        (lambda: privacy.account(SGD, 0), pytacit.ArgumentError, "delta must be in (0, 1), got 0"),
        (lambda: privacy.account(SGD, "1"), TypeError, "delta must be a number, got str"),
        (lambda: privacy.account(SGD, members=0), ValueError, "members must be 1 or more, got 0"),
        (lambda: privacy.account(SGD, 0.005, members=200), pytacit.ArgumentError,
         "delta must be below 1/N = 0.005 for 200 agents, got 0.005: such a delta allows to publish all of one "
         "agent's data"),
        (lambda: privacy.account(SGD, 1e-5, "clt"), pytacit.NotFoundError,
         'there is no accountant "clt". Accountants: pld, rdp, moments, gaussian, pure'),
        (lambda: privacy.account(SGD, 1e-5, "gaussian"), pytacit.UnsupportedError,
         'accountant "gaussian" has no formula for Gaussian(1.1) Poisson-sampled (rate 0.01); "pld" and "rdp" take '
         "every event"),
        (lambda: privacy.account(3, 1e-5), TypeError,
         "events must be an event such as Gaussian(1.0), or several, got int"),
        (lambda: privacy.account([SGD, 3], 1e-5), TypeError,
         "events must be an event such as Gaussian(1.0), or several, got int"),
        (lambda: privacy.account(SGD, 1e-5, unit="house"), ValueError,
         "unit must be one of agent, row, user, record, got 'house'"),
        (lambda: privacy.account(SGD, 1e-5, unit="row"), pytacit.ArgumentError,
         "sampling with a rate below 1 is accounted for agents only, got rate 0.01 for unit row; what its releases "
         "cost at rate 1 bounds every rate"),
        (lambda: privacy.account(SGD, 1e-5, relation="zero-out"), ValueError,
         "relation must be one of add-remove, replace-one, got 'zero-out'"),
        (lambda: privacy.account(Gaussian(1, sampling="fixed-size", sampling_rate=0.5), 1e-5, relation="add-remove"),
         ValueError,
         'sampling "fixed-size" is about replacing a member; it has no guarantee for relation="add-remove"'),
        (lambda: privacy.account(SGD.replaced(), 1e-5, relation="add-remove"), ValueError,
         'sampling "poisson-replaced" is about replacing a member; it has no guarantee for relation="add-remove"'),
        (lambda: privacy.account([SGD.replaced(), Gaussian(1)], 1e-5), ValueError,
         'events with sampling "poisson-replaced" are about replacing a member and the others are not: describe all '
         'of them for adding or removing one, and give relation="replace-one"'),
        (lambda: privacy.account([SGD, Gaussian(4, sampling="fixed-size", sampling_rate=0.5)], 1e-5),
         pytacit.UnsupportedError,
         "events with fixed-size sampling hold for substitution and the others for zero-out adjacency; they have no "
         "common guarantee"),
        (lambda: privacy.calibrate(-1, 1e-5), pytacit.ArgumentError, "epsilon must be in (0, 1e6], got -1"),
        (lambda: privacy.calibrate("1", 1e-5), TypeError, "epsilon must be a number, got str"),
        (lambda: privacy.calibrate(1, 1e-5, -1), ValueError,
         "releases must be 0 or more and at most 9223372036854775807, got -1"),
        (lambda: privacy.calibrate(1, 1e-5, sampling="poisson-replaced"), ValueError,
         "sampling must be one of poisson, fixed-size, got 'poisson-replaced'"),
        (lambda: privacy.calibrate(1e-6, 1e-12, 10**15), pytacit.NumericError,
         f"no noise_multiplier up to 1e6 keeps {10**15} rounds within epsilon 1e-06 at delta 1e-12"),
        (lambda: privacy.calibrate(1, 1e-5, sampling_rate=0.5, unit="record"), pytacit.ArgumentError,
         "sampling with a rate below 1 is accounted for agents only, got rate 0.5 for unit record; what its releases "
         "cost at rate 1 bounds every rate"),
        (lambda: privacy.analytic_gaussian(0, 1e-5), pytacit.ArgumentError, "epsilon must be in (0, 1e6], got 0"),
        (lambda: privacy.tune(SGD, 0.5, 1e-5), ValueError,
         "trials must be the mean of a number of runs, from 1 to 1e9, got 0.5"),
        (lambda: privacy.tune(SGD, 10, 1e-5, shape=-1), pytacit.ArgumentError, "shape must be in [0, 1e3], got -1"),
        (lambda: privacy.tune(SGD, 10, 1e-5, distribution="poisson", shape=1), pytacit.ArgumentError,
         "shape must be 0 for Poisson, got 1"),
        (lambda: privacy.tune(SGD, 10, 1e-5, distribution="geometric"), ValueError,
         "distribution must be one of negative-binomial, poisson, got 'geometric'"),
        (lambda: privacy.tune("x", 10, 1e-5), TypeError,
         "run must be an event such as Gaussian(1.0), or several, got str"),
        (lambda: privacy.tune(SGD, 10), ValueError,
         "a delta is needed: give delta, or members=N for min(1e-5, 1/N^2)"),
        (lambda: privacy.calibrate_tune(0, 10, 1e-5), pytacit.ArgumentError, "epsilon must be in (0, 1e6], got 0"),
    ],
)  # fmt: skip
def test_what_has_no_answer(asked, kind, sentence):
    with pytest.raises(kind) as raised:
        asked()
    assert str(raised.value) == sentence


ASKED = [
    (Gaussian(1.0, count=40, sampling_rate=0.25), {},
     "--noise-multiplier 1 --sampling-rate 0.25 --rounds 40"),
    (Gaussian(8.0, count=40), {"unit": "row"}, "--noise-multiplier 8 --rounds 40 --unit row"),
    (Laplace(epsilon=0.1, count=100), {"unit": "user"}, "--mechanism laplace --epsilon 0.1 --rounds 100 --unit user"),
    (Pure(1.0, count=3), {"accountant": "pure"}, "--mechanism pure --epsilon 1 --rounds 3 --accountant pure"),
    (Gaussian(4.0, count=5, sampling_rate=0.1, sampling="fixed-size"), {"accountant": "rdp"},
     "--noise-multiplier 4 --sampling-rate 0.1 --rounds 5 --sampling fixed-size --accountant rdp"),
    (SGD, {"unit": "record", "relation": "add-remove"},
     "--noise-multiplier 1.1 --sampling-rate 0.01 --rounds 1000 --unit record --relation add-remove"),
    (SGD, {"unit": "record", "relation": "replace-one"},
     "--noise-multiplier 1.1 --sampling-rate 0.01 --rounds 1000 --unit record --relation replace-one"),
    (Gaussian(4.0, sampling_rate=0.5, sampling="fixed-size"), {"relation": "replace-one"},
     "--noise-multiplier 4 --sampling-rate 0.5 --sampling fixed-size --relation replace-one"),
]  # fmt: skip


@pytest.mark.parametrize("event, how, options", ASKED)
def test_the_program_accounts_alike(event, how, options):
    found, said = privacy.account(event, 1e-5, **how), program("account", "--delta", 1e-5, *options.split())
    expected = (said["epsilon"], said["epsilon_lower"], said["delta"], said["bound"], said["order"], said["statement"])
    assert (found.epsilon, found.lower, found.delta, found.accountant, found.order, found.statement) == expected


# ---- the noise that a promise needs


@pytest.mark.parametrize(
    "epsilon, releases, golden",
    [(1, 40, 23.594), (2, 40, 12.610), (4, 40, 6.838), (8, 40, 3.796),
     (1, 60, 28.897), (2, 60, 15.444), (4, 60, 8.375), (8, 60, 4.649)],
)  # fmt: skip
def test_noise_for_a_promise(epsilon, releases, golden):
    found = privacy.calibrate(epsilon, 1e-5, releases)
    assert abs(found.noise_multiplier - golden) < 0.001
    least = gaussian_epsilon(math.sqrt(releases) / found.noise_multiplier, 1e-5)
    assert epsilon * (1 - 1e-5) <= least <= epsilon and least <= found.guarantee.epsilon <= epsilon
    assert found.event == Gaussian(found.noise_multiplier, count=releases)
    assert privacy.account(found.event, 1e-5) == found.guarantee
    shown = re.match(r"Noise multiplier (\S+): every agent: epsilon ", str(found))
    assert shown and float(shown[1]) >= found.noise_multiplier


@pytest.mark.parametrize(
    "how, options",
    [
        ({"releases": 40, "sampling_rate": 0.25}, "--rounds 40 --sampling-rate 0.25"),
        ({"releases": 3, "accountant": "rdp", "unit": "user"}, "--rounds 3 --accountant rdp --unit user"),
        ({"releases": 1000, "sampling_rate": 0.01, "unit": "record", "relation": "replace-one"},
         "--rounds 1000 --sampling-rate 0.01 --unit record --relation replace-one"),
        ({"releases": 10, "unit": "record", "relation": "replace-one"},
         "--rounds 10 --unit record --relation replace-one"),
        ({"sampling_rate": 0.1, "sampling": "fixed-size", "accountant": "rdp"},
         "--sampling-rate 0.1 --sampling fixed-size --accountant rdp"),
    ],
)  # fmt: skip
def test_the_program_calibrates_alike(how, options):
    found = privacy.calibrate(2, 1e-5, **how)
    said = program("calibrate", "--epsilon", 2, "--delta", 1e-5, *options.split())
    assert found.noise_multiplier == said["noise_multiplier"]
    assert (found.guarantee.epsilon, found.guarantee.statement) == (said["epsilon"], said["statement"])


@pytest.mark.parametrize("epsilon, golden", [(1, 3.730631635), (2.7, 1.526213749), (10, 0.49988862), (50, 0.1498)])
def test_the_analytic_gaussian(epsilon, golden):
    sd = privacy.analytic_gaussian(epsilon, 1e-5)
    assert abs(sd - golden) < 5e-5
    assert epsilon * (1 - 1e-5) <= gaussian_epsilon(1 / sd, 1e-5) <= epsilon * (1 + 1e-9)


# ---- the best of several runs


def best_of_rows():
    """dp_accounting's epsilons of the best of K runs: q, z, rounds, delta, mean, shape, two epsilons."""
    page = (ROOT / "src/privacy/best_of_golden.h").read_text(encoding="utf-8")
    rows = re.findall(r"^    \{([-+.e\dINFTY, ]+)\},$", page, re.M)
    return [[math.inf if word.strip() == "INFINITY" else float(word) for word in row.split(",")] for row in rows]


def test_searches_cost_no_more_than_dp_accounting_says():
    rows = best_of_rows()
    assert len(rows) > 200
    for rate, noise, rounds, delta, mean, shape, at_integers, epsilon in rows:
        run = Gaussian(noise, count=int(rounds), sampling_rate=rate)
        how = {"distribution": "poisson"} if shape == math.inf else {"shape": shape}
        found = privacy.tune(run, mean, delta, **how)
        assert 0 < found.guarantee.epsilon <= min(at_integers * (1 + 1e-9), epsilon * 1.002)
        assert found.one_run.epsilon <= found.guarantee.epsilon


def test_a_search():
    found = privacy.tune(SGD, 10, 1e-5)
    assert privacy.epsilon_text(found.guarantee.epsilon) == "3.43281"
    assert privacy.epsilon_text(found.one_run.epsilon) == "1.71172"
    assert found.one_run == privacy.account(SGD, 1e-5, "rdp") and found.noise_multiplier is None
    assert (found.run, found.trials, found.distribution, found.shape) == ((SGD,), 10, "negative-binomial", 1)
    assert str(found).startswith(
        "The best of K private runs: epsilon 3.43281, delta 1e-05 (rdp; Papernot and Steinke 2022), where K is "
        "truncated negative binomial with mean 10 and shape 1. Neighbours: those of a run's releases. It holds if"
    )
    dearer = privacy.tune([SGD], 10, members=100, distribution="poisson")
    assert 3.639 < dearer.guarantee.epsilon < 3.63907 and dearer.shape is None
    assert ", which is nothing where K is 0. A search" in str(dearer)
    replaced = privacy.tune(SGD, 10, 1e-5, unit="record", relation="replace-one")
    assert replaced.one_run.epsilon > found.one_run.epsilon and replaced.guarantee.epsilon > found.guarantee.epsilon
    assert "every record: " in str(replaced.one_run)


def test_noise_for_a_search():
    found = privacy.calibrate_tune(2, 10, 1e-5, 1000, 0.01)
    assert 1.99999 < found.guarantee.epsilon <= 2
    assert found.run == (Gaussian(found.noise_multiplier, count=1000, sampling_rate=0.01),)
    again = privacy.tune(found.run, 10, 1e-5)
    assert again.guarantee == found.guarantee and again.one_run == found.one_run


@pytest.mark.parametrize(
    "run, how, options",
    [
        (SGD, {"trials": 10}, "--trials 10 --noise-multiplier 1.1 --sampling-rate 0.01 --rounds 1000"),
        (Gaussian(4.0, count=3), {"trials": 2.5, "distribution": "poisson"},
         "--trials 2.5 --distribution poisson --noise-multiplier 4 --rounds 3"),
        (Pure(0.1), {"trials": 7, "shape": 0.5}, "--trials 7 --shape 0.5 --mechanism pure --epsilon 0.1"),
    ],
)  # fmt: skip
def test_the_program_tunes_alike(run, how, options):
    found, said = privacy.tune(run, delta=1e-5, **how), program("tune", "--delta", 1e-5, *options.split())
    assert (found.guarantee.epsilon, found.guarantee.order) == (said["epsilon"], said["order"])
    assert str(found) == said["statement"]
    assert found.one_run.epsilon == said["epsilon_of_one_run"]
    assert found.shape == said["event"]["shape"] and found.run[0].to_json() == said["event"]["event"]


def test_the_program_finds_the_noise_of_a_search_alike():
    words = "--trials 10 --distribution poisson --target-epsilon 2 --sampling-rate 0.01 --rounds 1000 --delta 1e-5"
    found = privacy.calibrate_tune(2, 10, 1e-5, 1000, 0.01, distribution="poisson")
    said = program("tune", *words.split())
    assert (found.noise_multiplier, found.guarantee.epsilon) == (said["noise_multiplier"], said["epsilon"])


# ---- what a study plans

WARD = {
    "name": "ward", "direction": "minimize", "trials": 30, "space": {"dose": {"type": "float", "low": 0, "high": 1}},
    "algorithm": "dp-fts-de", "federation": {"agents": 20}, "privacy": {"epsilon": 4, "delta": 1e-3},
}  # fmt: skip
RECORDS = {"unit": "record", "epsilon": 1, "delta": 1e-5, "metric": "error"}


def alike(found, said):
    """What the program prints of a plan."""
    shown = [
        (r.round, r.about or None, getattr(r.event, "noise_multiplier", None), r.epsilon, r.epsilon_so_far)
        for r in found.releases
    ]
    names = ("round", "about", "noise_multiplier", "epsilon", "epsilon_so_far")
    assert shown == [tuple(r[name] for name in names) for r in said["releases"]]
    expected = (said["delta"], said["statement"], said["usual_lengthscale"], said["expect"])
    assert (found.delta, found.statement, found.lengthscale, found.expect) == expected


def test_a_federated_study_plans(own_folder):
    (own_folder / "ward.json").write_text(json.dumps(WARD))
    found = privacy.plan(WARD)
    alike(found, program("plan", "ward.json"))
    assert privacy.plan("ward.json") == found == privacy.plan(own_folder / "ward.json")
    assert found.unit == "agent" and 3.999 < found.epsilon <= 4 and found.not_private is None
    assert found.releases[-1].epsilon_so_far == found.epsilon
    assert str(found).startswith("Nothing is spent yet. Planned: every agent: epsilon 4, delta 0.001 (gaussian) over ")
    total = privacy.account([r.event for r in found.releases], 1e-3)
    assert total.epsilon <= found.epsilon <= total.epsilon * (1 + 1e-6)  # a plan adds the distance of discrete noise
    assert found.expect["sentence"] == found.expect_sentence and found.expect_sentence in str(found)


def test_a_study_with_trustees_plans(own_folder):
    shared = dict(WARD, federation={"agents": 20, "trustees": 5})
    (own_folder / "ward.json").write_text(json.dumps(shared))
    found, central = privacy.plan(shared), privacy.plan(WARD)
    said = program("plan", "ward.json")
    alike(found, said)
    assert found.trustees == said["trustees"]
    assert {k: found.trustees[k] for k in ("count", "degree", "colluding", "dealers", "absent", "noticed", "named")} == {
        "count": 5, "degree": 3, "colluding": 1, "dealers": 4, "absent": 1, "noticed": 1, "named": 0
    }  # fmt: skip
    assert found.trustees_sentence in str(found) and found.trust in found.statement
    assert central.trustees is None and central.trustees_sentence is None and central.trust in central.statement
    assert abs(found.epsilon - central.epsilon) < 1e-5


def test_study_arguments_make_a_document():
    space = {"dose": pytacit.FloatDistribution(0, 1)}
    document = privacy.study_document(
        "ward", space, "minimize", algorithm="dp-fts-de", trials=30, federation={"agents": 20}, privacy=WARD["privacy"]
    )
    assert privacy.plan(document) == privacy.plan(WARD)


def test_a_plan_warns_of_its_delta():
    with pytest.warns(UserWarning, match="^delta 0.01 is above 1/N.2 = 0.0025 for 20 members$") as warned:
        privacy.plan(dict(WARD, privacy={"epsilon": 4, "delta": 0.01}))
    assert warned[0].filename == __file__


def test_a_study_that_protects_records_plans(own_folder):
    space = {"x": pytacit.FloatDistribution(0, 1)}
    study = pytacit.create_study("r", space, "minimize", "memory:", trials=6, privacy=RECORDS)
    found = privacy.plan(study)
    assert privacy.plan(study.document) == found
    assert found.unit == "record" and len(found.releases) == 6 and 0.99999 < found.epsilon <= 1
    assert {release.about for release in found.releases} == {"an evaluation"}
    (own_folder / "r.json").write_text(json.dumps(study.document))
    alike(found, program("plan", "r.json"))
    study.close()
    with pytest.raises(ValueError, match="the study is closed"):
        privacy.plan(study)


def test_a_finite_study_plans(own_folder):
    (own_folder / "points.csv").write_text("x,y\n0,1\n1,0\n2,2\n")
    study = pytacit.create_study("few", "points.csv", "minimize", "memory:", trials=3, privacy=RECORDS)
    (own_folder / "points.csv").unlink()
    assert len(privacy.plan(study).releases) == 3


def test_a_plan_that_is_not_private_says_so():
    found = privacy.plan(dict(WARD, privacy="none"))
    assert found.not_private == "its document promises nothing"
    assert str(found).startswith("NOT PRIVATE: its document promises nothing. ")
    assert found.epsilon == math.inf and {release.epsilon_so_far for release in found.releases} == {math.inf}


@pytest.mark.parametrize(
    "study, kind, sentence",
    [
        (3, TypeError, "study must be a dictionary, a file or a Study, got int"),
        ("absent.json", pytacit.NotFoundError, 'cannot read "absent.json": no such file or folder'),
        ({}, pytacit.ArgumentError, "name is missing; it must be a string"),
        (dict(WARD, algorithm="fts", privacy="none"), pytacit.UnsupportedError,
         "fts releases no sums: messages are handed on without noise"),
    ],
)  # fmt: skip
def test_what_has_no_plan(study, kind, sentence):
    with pytest.raises(kind) as raised:
        privacy.plan(study)
    assert str(raised.value) == sentence


def test_a_study_of_one_party_has_no_plan(study):
    with pytest.raises(pytacit.ArgumentError, match='^study "bowl" is not one of a federation'):
        privacy.plan(study)


# ---- spending that adapts


def test_what_a_filter_lets_pass_is_within_its_budget():
    budget, passed = Filter(4, 1e-6), []
    assert budget.remaining == 1
    for noise in [20.0, 15.0, 12.0, 10.0] * 50:
        event = Gaussian(noise, count=2)
        try:
            left = budget.would(event)
        except pytacit.BudgetError:
            break
        before = budget.remaining
        budget.spend(event)
        passed.append(event)
        assert budget.remaining == left < before
    assert 20 < len(passed) < 200
    assert 2 < privacy.account(passed, 1e-6, "rdp").epsilon <= 4
    spent = budget.remaining
    with pytest.raises(pytacit.BudgetError, match="^the privacy budget .epsilon 4, delta 1e-06. does not allow this"):
        budget.spend(Gaussian(1.0, count=100))
    assert budget.remaining == spent, "a refusal spends"


def test_what_is_no_budget():
    with pytest.raises(pytacit.ArgumentError, match=r"^epsilon must be in \(0, 1e6\], got -1$"):
        Filter(-1, 0.1)
    with pytest.raises(TypeError, match="^delta must be a number, got str$"):
        Filter(1, "0.1")
    with pytest.raises(TypeError, match="^event must be an event such as "):
        Filter(1, 0.1).would(3)


# ---- noise


def test_noise_has_its_variance():
    """Six standard errors of the mean square: a right sampler fails once in 10^8 runs."""
    n = 40000

    def mean_square(drawn):
        assert len(drawn) == n and {type(x) for x in drawn} == {int}
        return sum(x * x for x in drawn) / n

    first = privacy.noise_gaussian(1000, n)
    assert first != privacy.noise_gaussian(1000, n), "it repeats itself"
    assert abs(mean_square(first) - 1e6) < 1e6 * 6 * math.sqrt(2 / n)
    assert abs(mean_square(privacy.noise_laplace(1000, n)) - 2e6) < 2e6 * 6 * math.sqrt(5 / n)
    assert privacy.noise_laplace(1, 0) == []


@pytest.mark.parametrize(
    "draw, kind, sentence",
    [
        (lambda: privacy.noise_gaussian(0, 1), pytacit.ArgumentError, "sd must be in [1, 16777216], got 0"),
        (lambda: privacy.noise_gaussian(1.5, 1), TypeError, "sd must be a whole number, got float"),
        (lambda: privacy.noise_laplace(2**41, 1), pytacit.ArgumentError,
         f"scale must be in [1, 1099511627776], got {2**41}"),
        (lambda: privacy.noise_laplace(1, -1), ValueError, "n must be 0 or more and at most 1099511627776, got -1"),
    ],
)  # fmt: skip
def test_what_is_no_noise(draw, kind, sentence):
    with pytest.raises(kind) as raised:
        draw()
    assert str(raised.value) == sentence
