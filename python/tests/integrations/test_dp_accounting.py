"""Events and epsilons beside dp_accounting's: needs pip's dp-accounting."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import dp_accounting
import pytest
from dp_accounting import dp_event, pld, rdp
from test_privacy_ledger import Party, looked

import pytacit
from pytacit import privacy
from pytacit.privacy import Gaussian, Laplace, NonPrivate, Pure

DELTA = 1e-5
GAUSSIAN = dp_event.GaussianDpEvent(1.1)
SGD = dp_event.SelfComposedDpEvent(dp_event.PoissonSampledDpEvent(0.01, GAUSSIAN), 1000)


@pytest.mark.parametrize(
    "event, read",
    [
        (SGD, [Gaussian(1.1, count=1000, sampling_rate=0.01)]),
        (dp_event.NonPrivateDpEvent(), [NonPrivate()]),
        (dp_event.NoOpDpEvent(), []),
        (dp_event.ComposedDpEvent([SGD, GAUSSIAN, GAUSSIAN]),
         [Gaussian(1.1, count=1000, sampling_rate=0.01), Gaussian(1.1, count=2)]),
    ],
)  # fmt: skip
def test_events_are_read(event, read):
    assert privacy.from_dp_accounting(event) == read


def test_a_laplace_event_is_no_weaker():
    (event,) = privacy.from_dp_accounting(dp_event.LaplaceDpEvent(3.0))
    assert isinstance(event, Laplace) and 1 / 3.0 <= event.epsilon < (1 / 3.0) * (1 + 1e-15)


def test_what_has_no_price_is_named():
    with pytest.raises(pytacit.ArgumentError, match='^dp_event: the event "SampledWithoutReplacementDpEvent" has no'):
        privacy.from_dp_accounting(dp_event.SampledWithoutReplacementDpEvent(100, 10, GAUSSIAN))


RELATIONS = {
    "add-remove": dp_accounting.NeighboringRelation.ADD_OR_REMOVE_ONE,
    "replace-one": dp_accounting.NeighboringRelation.REPLACE_ONE,
}


@pytest.mark.parametrize("event", [SGD, dp_event.SelfComposedDpEvent(dp_event.GaussianDpEvent(8.0), 40)])
def test_epsilons_agree(event):
    """Their privacy loss distributions round up on a grid of 10^-4, and ours may be tighter by so much."""
    ours = privacy.account(privacy.from_dp_accounting(event), DELTA, unit="record", relation="add-remove")
    theirs = pld.PLDAccountant(RELATIONS["add-remove"]).compose(event).get_epsilon(DELTA)
    assert ours.lower <= theirs * (1 + 1e-6) and abs(ours.epsilon - theirs) < 0.002 * theirs
    by_rdp = privacy.account(privacy.from_dp_accounting(event), DELTA, "rdp").epsilon
    assert by_rdp <= rdp.RdpAccountant().compose(event).get_epsilon(DELTA) * 1.002 and by_rdp >= ours.lower


@pytest.mark.parametrize("relation", RELATIONS)
def test_epsilons_agree_without_sampling(relation):
    event = dp_event.SelfComposedDpEvent(dp_event.GaussianDpEvent(5.0), 3)
    ours = privacy.account(privacy.from_dp_accounting(event), DELTA, unit="record", relation=relation).epsilon
    theirs = pld.PLDAccountant(RELATIONS[relation]).compose(event).get_epsilon(DELTA)
    assert abs(ours - theirs) < 0.002 * theirs


@pytest.mark.parametrize("shape", [1, 0.5, None])
def test_searches_cost_no_more(shape):
    how = {"distribution": "poisson"} if shape is None else {"shape": shape}
    ours = privacy.tune(privacy.from_dp_accounting(SGD), 10, DELTA, **how)
    event = dp_event.RepeatAndSelectDpEvent(SGD, 10, float("inf") if shape is None else shape)
    theirs = rdp.RdpAccountant().compose(event).get_epsilon(DELTA)
    assert 0.95 * theirs < ours.guarantee.epsilon <= theirs * 1.002


def test_randomised_response_needs_its_epsilon():
    event = Pure(1.0).to_json()
    made = dp_event.RandomizedResponseDpEvent(event["noise_parameter"], event["num_buckets"])
    with pytest.raises(pytacit.ArgumentError, match="epsilon is missing"):
        privacy.from_dp_accounting(made)


def test_an_exported_ledger_is_computed_again(own_folder):
    party = Party("main")
    for i in range(3):
        party.sum("ward", i)
    exported = looked().export(DELTA)
    checker = Path(__file__).resolve().parents[3] / "examples/python/check_ledger.py"
    for factor, status in ((1, 0), (0.9, 1)):  # a claim that is too small is found
        exported["claims"][0]["epsilon"] *= factor
        (own_folder / "export.json").write_text(json.dumps(exported))
        assert subprocess.run([sys.executable, str(checker), "export.json"]).returncode == status
