"""Simulations: the numbers of `tacit simulate`, from keywords; curves, comparisons, files, interruptions."""

from __future__ import annotations

import gc
import json
import math
import os
import platform
import re
import shlex
import signal
import subprocess
import sys
import threading
import time

import pytest

import pytacit
from pytacit import _fields, _library, simulation
from pytacit._library import ffi, lib

TACIT = os.environ.get("TACIT_BIN", "tacit")

# Keywords, and the same as options of the program.
ONE = (
    {"algorithm": "gp-ei", "objective": "branin", "trials": 12, "runs": 3, "seed": 5, "options": {"init": 4}},
    "--algorithm gp-ei --objective branin --trials 12 --runs 3 --seed 5 --set init=4",
)
REPLIES = (
    {"algorithm": {"name": "ldp-tgp", "epsilon": 1}, "objective": "rkhs-se", "trials": 20, "runs": 2},
    "--algorithm ldp-tgp --set epsilon=1 --objective rkhs-se --trials 20 --runs 2",
)
CURATOR = (
    {
        "algorithm": "po-gp-ucb",
        "objective": "gp-sample",
        "grid": 20,
        "epsilon": 2.7,
        "unit": 0.0283,
        "trials": 8,
        "runs": 2,
    },
    "--algorithm po-gp-ucb --objective gp-sample --grid 20 --epsilon 2.7 --unit 0.0283 --trials 8 --runs 2",
)
FEDERATION = (
    {"algorithm": "dp-fts-de", "agents": 20, "rounds": 4, "runs": 2, "epsilon": 5, "delta": 1e-3, "drop": 0.1},
    "--algorithm dp-fts-de --agents 20 --rounds 4 --runs 2 --epsilon 5 --delta 1e-3 --drop 0.1",
)
SEVERAL = (
    {
        "algorithm": "dp-fts-de",
        "agents": 20,
        "rounds": 3,
        "runs": 5,
        "epsilon": 5,
        "versus": ["random", {"name": "fts", "features": 40}, {"name": "dp-fts-de", "epsilon": 2}],
    },
    "--algorithm dp-fts-de --agents 20 --rounds 3 --runs 5 --epsilon 5"
    " --versus 'random; fts,features=40; dp-fts-de,epsilon=2'",
)
RECORDS = (
    {
        "algorithm": "fts",
        "agents": 4,
        "rounds": 3,
        "runs": 2,
        "unit": "record",
        "records": [300, 5000],
        "range": (-5, 5),
        "epsilon": 1,
        "versus": "gp-ei; gp-ei,unit=none",
    },
    "--algorithm fts --agents 4 --rounds 3 --runs 2 --unit record --records 300,5000 --range -5:5"
    " --epsilon 1 --versus 'gp-ei; gp-ei,unit=none'",
)
BANDITS = (
    {
        "algorithm": "fed-hct",
        "objective": "garland",
        "shift": 0.05,
        "agents": 4,
        "pulls": 5000,
        "runs": 5,
        "versus": ["hct"],
    },
    "--algorithm fed-hct --objective garland --shift 0.05 --agents 4 --pulls 5000 --runs 5 --versus hct",
)
ALONE = (
    {"algorithm": "ts", "agents": 3, "rounds": 2, "runs": 1, "tell": "none"},
    "--algorithm ts --agents 3 --rounds 2 --runs 1 --tell none",
)
ONE_RECORD = ({**RECORDS[0], "versus": None}, RECORDS[1][: RECORDS[1].index(" --versus")])
KINDS = {
    "one": ONE,
    "replies": REPLIES,
    "curator": CURATOR,
    "federation": FEDERATION,
    "several": SEVERAL,
    "records": RECORDS,
    "one-record": ONE_RECORD,
    "bandits": BANDITS,
    "alone": ALONE,
}


def program(*options):
    """What `tacit simulate` writes; options as one types them."""
    command = [TACIT, "simulate", "--quiet", *shlex.split(" ".join(options))]
    return subprocess.run(command, stdout=subprocess.PIPE, check=True, text=True, encoding="utf-8").stdout


def without_clock(text):
    return re.sub(r'\d+\.\d\d s\b|"(seconds|pulls_per_second)": ?[0-9.e+]+', "TIME", text)


def small(**more):
    return pytacit.simulate("random", trials=6, runs=3, seed=1, **more)


def small_federation(**more):
    return pytacit.simulate("random", agents=3, rounds=3, runs=5, versus=["ts"], objective="branin", **more)


# ---- the numbers of the program


@pytest.mark.parametrize("kind", KINDS)
def test_the_numbers_are_those_of_the_program(kind, own_folder):
    keywords, options = KINDS[kind]
    found = pytacit.simulate(**keywords)
    assert without_clock(found.to_json()) == without_clock(program(options, "--format json"))
    assert found.to_csv() == program(options, "--format csv")
    shown = program(options).splitlines()
    rows = [line for line in shown if re.match(r" *\d+  ", line)]
    assert len(rows) >= 3
    mine = [without_clock(line) for line in str(found).splitlines()]
    assert set(mine) <= {without_clock(line) for line in shown}
    assert set(rows) <= set(mine)
    assert repr(found) == str(found)


@pytest.mark.parametrize("kind", ["several", "records", "federation", "curator", "replies"])
def test_what_is_not_private_says_so(kind):
    keywords, options = KINDS[kind]
    said = str(pytacit.simulate(**keywords))
    assert "NOT PRIVATE: seeded." in said
    shown = program(options)
    assert said[said.index("NOT PRIVATE") :].strip() == shown[shown.index("NOT PRIVATE") :].strip()


def parts(found):
    made = json.loads(found.to_json())
    return made.get("results", [made])


@pytest.mark.parametrize("kind", KINDS)
def test_curves_are_those_of_the_json(kind):
    found = pytacit.simulate(**KINDS[kind][0])
    for c, part in zip(found, parts(found)):
        assert c.at == part["pulls" if c.by_pulls else "iterations"]
        assert c.cumulative_mean == part["cumulative_regret"]["mean"]
        assert c.cumulative_se == part["cumulative_regret"]["se"]
        assert (c.runs, c.seed, c.algorithm, c.objective) == tuple(
            part[name] for name in ("runs", "seed", "algorithm", "objective")
        )
        assert c.chosen == part["options"]
        n = len(c.at)
        if c.by_pulls:
            assert c.simple is c.simple_mean is c.simple_se is None
        else:
            assert c.simple_mean == part["simple_regret"]["mean"]
            assert c.simple_se == part["simple_regret"]["se"]
            assert c.simple.shape == (c.runs, n)
        assert c.cumulative.shape == (c.runs, n)
        assert len(c.cumulative) == c.runs and all(len(run) == n for run in c.cumulative)
        for i in (0, n - 1):
            mean = math.fsum(run[i] for run in c.cumulative) / c.runs
            assert c.cumulative_mean[i] == pytest.approx(mean, rel=1e-12)
    assert found.labels == [part.get("label", part["algorithm"]) for part in parts(found)]


def test_what_a_federation_sent_and_would_promise():
    found = pytacit.simulate(**FEDERATION[0])
    (c,), (part,) = found, parts(found)
    promise, messages = part["privacy"]["if_deployed"], part["messages"]
    assert (c.guarantee.epsilon, c.guarantee.delta) == (promise["epsilon"], promise["delta"])
    assert c.guarantee.accountant == promise["bound"]
    assert c.guarantee.epsilon <= 5 and c.guarantee.delta == 1e-3
    assert c.spent[-1] == promise["epsilon"] and c.spent[0] == 0
    assert (c.n_releases, len(c.releases)) == (promise["releases"], promise["releases"])
    assert [release["round"] for release in c.releases] == sorted({release["round"] for release in c.releases})
    assert all(release["event"]["parameter"] > 0 for release in c.releases)
    assert (c.unit, c.sends, c.votes, c.not_private, c.relayed) == ("agent", True, True, None, False)
    assert c.statement == part["privacy"]["statement"] and c.scope in c.statement
    assert c.expect == part["expect"] and "20 agents at epsilon 5" in c.expect["sentence"]
    for name, key in (("messages", "count"), ("bytes", "bytes"), ("lost", "lost"), ("releases", "releases")):
        assert c.counts[0]["sent"][name] == messages[key]
    assert len(c.counts) == 2 and 0 < c.counts[1]["sent"]["lost"] < c.counts[1]["sent"]["messages"]
    assert (c.planned_agents, c.agents, c.acting, c.trials, c.dim) == (20, 20, 0, 4, 1)


def test_an_algorithm_that_promises_nothing_has_no_epsilon():
    several = pytacit.simulate(**SEVERAL[0])
    fts, alone = several[2], several["random"]
    assert fts.not_private == "messages are handed on as they are, without noise" and fts.relayed
    assert (fts.guarantee, fts.spent, alone.guarantee, alone.spent, alone.sends) == (None, None, None, None, False)
    assert several[3].guarantee.epsilon <= 2 < several[0].guarantee.epsilon <= 5
    bare = pytacit.simulate(
        "dp-fts-de", agents=20, rounds=2, runs=1, options={"noise_multiplier": 0, "vote_multiplier": 0}
    )
    assert bare[0].not_private and bare[0].releases
    assert (bare[0].guarantee, bare[0].spent) == (None, None) and "epsilon" not in str(bare)


def test_records():
    found = pytacit.simulate(**RECORDS[0])
    first, second, third = found
    promise = parts(found)[0]["privacy"]["if_deployed"]
    assert first.protects_records and second.protects_records and not third.protects_records
    assert promise["unit"] == first.unit == "record"
    assert first.noise_sd == max(promise["noise_sd"]) > 0
    assert (third.noise_sd, third.guarantee) == (0, None)


def test_bandits():
    found = pytacit.simulate(**BANDITS[0])
    (federated, alone), (part, _) = found, parts(found)
    talk = part["communication"]
    for name in ("rounds", "last_round_at", "numbers_up", "numbers_down"):
        assert sum(count[name] for count in federated.counts) / 5 == pytest.approx(talk[name])
    assert talk["rounds"] > 0 and all(count["rounds"] == 0 for count in alone.counts)
    assert (federated.seconds, federated.pulls) == (part["seconds"], 5 * 4 * 5000)
    assert (federated.planned_agents, federated.trials, federated.by_pulls) == (4, 5000, True)


def test_curves_of_agents(own_folder):
    found = small_federation(by_agent=True)
    for c in found:
        assert c.agent_simple.shape == c.agent_cumulative.shape == (5, 3, 4)
        for run in range(5):
            for point in range(4):
                mean = sum(agent[point] for agent in c.agent_simple[run]) / 3
                assert c.simple[run][point] == pytest.approx(mean, rel=1e-12)
    found.save("a.csv", by_agent=True)
    assert len((own_folder / "a.csv").read_text().splitlines()) == 1 + 2 * 5 * 3 * 4
    assert pytacit.read_curves("a.csv")["ts"].agent_simple[4][2][-1] == found["ts"].agent_simple[4][2][-1]
    with pytest.raises(pytacit.StateError, match="^the plan has no by_agent: curves of agents are not kept$"):
        small_federation().to_csv(by_agent=True)
    with pytest.raises(ValueError, match="^curves of agents are written as CSV, and a.json ends in .json$"):
        found.save("a.json", by_agent=True)


# ---- repeatability


def test_the_same_seed_gives_the_same_bits():
    again = [small_federation(seed=4, threads=threads) for threads in (1, 1, 3)]
    assert again[0].to_csv() == again[1].to_csv() == again[2].to_csv()
    assert again[0][0].simple == again[2][0].simple
    assert small_federation(seed=5).to_csv() != again[0].to_csv()


def test_threads_of_python():
    found = {}

    def run(seed):
        found[seed] = small_federation(seed=seed).to_csv()

    threads = [threading.Thread(target=run, args=(seed,)) for seed in (1, 2, 3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == {seed: small_federation(seed=seed).to_csv() for seed in (1, 2, 3)}


# ---- documents, trials that exist before, bounds


def test_a_document(own_folder):
    document = {
        "name": "s",
        "direction": "minimize",
        "space": {"x": {"type": "float", "low": 0, "high": 1}},
        "algorithm": {"name": "random"},
        "trials": 5,
        "seed": 9,
    }
    (own_folder / "s.json").write_text(json.dumps(document))
    taken = pytacit.simulate(document=document, runs=2)
    assert (taken[0].algorithm, taken[0].seed, len(taken[0].at)) == ("random", 9, 5)
    assert taken.to_csv() == pytacit.simulate(document="s.json", runs=2).to_csv()
    assert taken.to_csv() == pytacit.simulate(document=own_folder / "s.json", runs=2).to_csv()
    assert taken.to_csv() == program("s.json --runs 2 --format csv")
    assert pytacit.simulate("ts", document=document, runs=2, seed=3)[0].seed == 3
    study = pytacit.create_study("s", {"x": pytacit.FloatDistribution(0, 1)}, "minimize", "memory:", trials=4, seed=2)
    assert len(pytacit.simulate(document=study.document, runs=1)[0].at) == 4


def test_trials_that_exist_before(own_folder):
    rows = [{"agent": i % 3, "x1": i, "x2": 2.5, "value": 10.0 - i} for i in range(6)]
    lines = ["agent,x1,x2,value"] + [",".join(str(row[k]) for k in ("agent", "x1", "x2", "value")) for row in rows]
    (own_folder / "warm.csv").write_text("\n".join(lines) + "\n")
    options = "--algorithm ts --agents 3 --rounds 2 --runs 2 --objective branin"
    federation = {"algorithm": "ts", "agents": 3, "rounds": 2, "runs": 2, "objective": "branin"}
    expected = program(options, "--warm warm.csv", "--format csv")
    assert expected != program(options, "--format csv")
    assert pytacit.simulate(**federation, warm="warm.csv").to_csv() == expected
    assert pytacit.simulate(**federation, warm=rows).to_csv() == expected
    for row, said in (
        ({"agent": 3, "x1": 0, "x2": 0, "value": 1}, "agent must be a number from 0 to 2, got 3"),
        ({"agent": 0, "x1": 0, "value": 1}, "params has no x2; the space has x1, x2"),
        ({"agent": 0, "x1": 0, "x2": 99, "value": 1}, "x2"),
        ({"x1": 0, "x2": 0, "value": 1}, "a trial has agent, value and the parameters, and this one has no agent"),
        ({"agent": 0, "x1": 0, "x2": 0, "value": math.inf}, "value must be a finite number, got inf"),
    ):
        with pytest.raises(ValueError, match=re.escape(f"warm[1]: {said}")):
            pytacit.simulate(**federation, warm=[rows[0], row])
    (own_folder / "warm.csv").write_text("agent,x1,x2,value\n0,1,1\n")
    with pytest.raises(ValueError, match="^warm.csv:2: there are not as many fields as columns$"):
        pytacit.simulate(**federation, warm="warm.csv")


def test_bounds_of_a_table(own_folder):
    (own_folder / "t.csv").write_text("a,b,value\n" + "".join(f"{i},{i * i},{-abs(i - 4)}\n" for i in range(9)))
    (own_folder / "b.csv").write_text("column,low,high,unit\na,0,10,2\nb,0,100,10\nother,0,1,1\n")
    curator = {"algorithm": "po-gp-ucb", "objective": "table:t.csv", "epsilon": 3, "trials": 4, "runs": 2}
    options = "--algorithm po-gp-ucb --objective table:t.csv --epsilon 3 --trials 4 --runs 2"
    found = pytacit.simulate(**curator, bounds_file=own_folder / "b.csv")
    assert found.to_csv() == program(options, "--bounds-file b.csv", "--format csv")
    for lines, said in (
        ("column,low\na,0\n", "b.csv: the header must be column,low,high or column,low,high,unit"),
        ("column,low,high\na,0,much\n", "b.csv:2: bounds and units must be numbers"),
        ("column,low,high\na,0,1\n", 'column "b" has no public bounds: b.csv has no line for it'),
    ):
        (own_folder / "b.csv").write_text(lines)
        with pytest.raises(ValueError, match=f"^{re.escape(said)}$"):
            pytacit.simulate(**curator, bounds_file="b.csv")


# ---- keywords


def test_every_option_of_the_program_is_a_keyword():
    shown = subprocess.run([TACIT, "simulate", "--help"], stdout=subprocess.PIPE, check=True, text=True).stdout
    options = set(re.findall(r"^  --([a-z-]+)", shown, re.M))
    assert {"noise-scale", "by-agent", "output-epsilon"} < options
    of_the_program = {"format", "quiet", "verbose", "help", "out", "set"}
    assert {name.replace("-", "_") for name in options - of_the_program} <= set(simulation.keywords())
    for field in _fields.read().values():
        assert field.option in options
        assert f"    {field.keyword}: " in pytacit.simulate.__doc__


@pytest.mark.parametrize(
    "keywords, kind, said",
    [
        ({"algorithm": "nothing"}, pytacit.ArgumentError, 'there is no algorithm "nothing". Algorithms: gp-ei, '),
        ({"noise_scale": 0.1}, pytacit.ArgumentError, "noise_scale needs noise LAW: observations of branin have no "),
        ({"reward_low": 0.5}, pytacit.ArgumentError, "reward_low and reward_high are for pulls"),
        ({"trials": 5, "agents": 3}, pytacit.ArgumentError, "trials is for one party; a federation has rounds, "),
        ({"range": (0, 1)}, pytacit.ArgumentError, "range is for unit record"),
        ({"records": 10}, pytacit.ArgumentError, "records is for unit record"),
        ({"pulls": 9, "algorithm": "ts"}, pytacit.ArgumentError, "pulls is for bandits, and ts is none"),
        ({"options": {"x": 1}}, pytacit.ArgumentError, 'gp-ei has no option "x". Options: kernel, '),
        ({"versus": ";", "agents": 3}, pytacit.ArgumentError, "versus has an item without a name; "),
        ({"document": {"name": "s"}}, pytacit.ArgumentError, "direction is missing"),
        ({"document": "none.json"}, pytacit.NotFoundError, 'cannot read "none.json": no such file or folder'),
        ({"agents": 0}, ValueError, "agents must be a whole number in [1, 16777216], got 0"),
        ({"agents": 2.0}, TypeError, "agents must be a whole number, got float"),
        ({"runs": True}, TypeError, "runs must be a whole number, got bool"),
        ({"epsilon": 0}, ValueError, "epsilon must be a number in (0, 1000000], got 0.0"),
        ({"epsilon": math.nan}, ValueError, "epsilon must be a number in (0, 1000000], got nan"),
        ({"delta": "small"}, TypeError, "delta must be a number, got str"),
        ({"versus": 5}, TypeError, "versus must be a str or a sequence of algorithms, got int"),
        ({"noise": "loud"}, ValueError, "noise must be one of none, gaussian, uniform, student-t, pareto, own, g"),
        ({"value_negate": 1}, TypeError, "value_negate must be True or False, got int"),
        ({"objective": {}}, TypeError, "objective must be a str, a number or a list of them, got dict"),
        ({"unit": "agent"}, ValueError, "unit must be \"record\", or a number in (0, 1000000000000], got 'agent'"),
        ({"seed": -1}, ValueError, "seed must be 0 or more and at most 9223372036854775807, got -1"),
        ({"options": {"init": {}}}, TypeError, "options.init must be a str, a number or a list of them, got dict"),
        ({"algorithm": {"x": 1}}, ValueError, 'algorithm must be a name, or a dict with "name" and options, got '),
        ({"algorithm": {"name": "ts", "x": 1}, "options": {"x": 2}}, ValueError, "x is given twice: in algorithm and "),
        ({"versus": ["ts", {}]}, ValueError, 'versus[1] must be a name, or a dict with "name" and options, got {}'),
        ({"warm": []}, ValueError, "warm has no trial"),
        ({"epsilom": 1}, TypeError, "simulate has no keyword epsilom; it has accountant, acting, agents, algorithm, "),
    ],
)
def test_what_does_not_fit_is_refused_in_one_sentence(keywords, kind, said):
    with pytest.raises(kind, match=f"^{re.escape(said)}") as raised:
        pytacit.simulate(**keywords)
    assert "--" not in str(raised.value) and "\n" not in str(raised.value)


def test_a_default_that_is_given_counts_as_given():
    """plan.given: an option that would be without effect is refused also with its default."""
    with pytest.raises(pytacit.ArgumentError, match="^table_goal is for the objective table:FILE.csv, not for branin$"):
        pytacit.simulate("random", table_goal="maximize")
    assert len(pytacit.simulate("random", table_goal=None, trials=2, runs=1)) == 1


def test_notes(capfd):
    heard = []
    quiet = {"algorithm": "po-gp-ucb", "objective": "gp-sample", "grid": 10, "trials": 2, "runs": 1}
    pytacit.simulate(**quiet, note=heard.append)
    said = "po-gp-ucb sees the rows themselves; with epsilon a curator releases them."
    assert heard == [said] and capfd.readouterr().err == ""
    pytacit.simulate(**quiet)
    assert capfd.readouterr().err == f"pytacit: {said}\n"

    def complain(sentence):
        raise LookupError(sentence)

    with pytest.raises(LookupError, match=f"^{said}$"):
        pytacit.simulate(**quiet, note=complain)


def test_a_progress_bar(capfd):
    small_federation(show_progress_bar=True)
    said = capfd.readouterr().err
    assert said.endswith("ts on branin: 100 %\n") and said.startswith("\r")
    small()
    assert capfd.readouterr().err == ""


# ---- arrays


def test_arrays():
    c = small()[0]
    assert list(c.at) == [1, 2, 3, 4, 5, 6] == c.at == c.at[:] and c.at != [1, 2]
    assert (c.at[-1], c.at[1:3], len(c.at), c.at.shape) == (6, [2, 3], 6, (6,))
    assert c.simple[2][5] == c.simple[-1][-1] == c.simple.tolist()[2][5]
    assert c.simple[0] == c.simple[0].tolist() != c.simple[1]
    assert [len(run) for run in c.simple[1:]] == [6, 6]
    assert repr(c.at[0:2]) == "[1.0, 2.0]" and repr(c.at) == "Array([1.0, 2.0, 3.0, 4.0, 5.0, 6.0], shape=(6,))"
    for wrong in (6, -7):
        with pytest.raises(IndexError, match=f"^there are 6, and {wrong} is not one of them$"):
            c.at[wrong]
    with pytest.raises(TypeError):
        c.at[0] = 3
    with pytest.raises(TypeError):
        hash(c.at)


def test_arrays_keep_the_simulation_and_nothing_else_does(monkeypatch):
    freed = []
    out = simulation.out

    def watched(function, kind, end, *arguments, keep):
        return out(function, kind, lambda handle: (freed.append(handle), end(handle)), *arguments, keep=keep)

    monkeypatch.setattr(simulation, "out", watched)
    found = small()
    last, wanted = found[0].simple[2], found[0].simple[2].tolist()
    del found
    gc.collect()
    assert freed == [] and last == wanted
    del last
    assert len(freed) == 1


# ---- comparisons


def test_comparisons():
    found = small_federation()
    contrasts = found.contrasts()
    ratios = json.loads(found.to_json())["ratios"]
    assert [(c.label, c.over, c.at) for c in contrasts] == [("ts", "random", 1), ("ts", "random", 3)]
    for c, ratio in zip(contrasts, ratios):
        assert (c.label, c.at) == (ratio["label"], ratio["iteration"])
        assert (c.ratio.ratio, c.ratio.p) == (ratio["ratio"], ratio["p"])
        assert (c.ratio.low, c.ratio.high) == (ratio["low"], ratio["high"])
        assert c.ratio.low < c.ratio.ratio < c.ratio.high
        assert found.compare("ts", "random", int(c.at)) == c.ratio == found.compare(1, 0, int(c.at))
    assert found.compare(1, 0) == contrasts[-1].ratio == found[1].compare(found[0])
    assert found.compare(0, 1).ratio == pytest.approx(1 / contrasts[-1].ratio.ratio)
    other = pytacit.simulate("ts", agents=3, rounds=3, runs=5, objective="branin")
    assert found.compare(other[0], 0) == found.compare("ts", "random")
    assert str(pytacit.simulation.Ratio(1.25, 1.1, 1.5, 0.0625)) == "1.25 (1.1 to 1.5), p = 0.062"
    bare = small_federation(seed=2).compare(0, 0)
    assert bare.ratio == bare.p == 1


def test_few_runs_have_no_interval_and_one_has_no_contrast():
    ratio = small().compare(0, small(noise="gaussian")[0])
    assert math.isnan(ratio.low) and math.isnan(ratio.high)
    assert re.fullmatch(r"[0-9.e+-]+, p = [0-9.]+", str(ratio))
    alone = pytacit.simulate("random", agents=2, rounds=1, runs=1, versus="ts")
    assert alone.contrasts() == [] and "Ratios" not in str(alone)


def test_what_cannot_be_compared():
    found, other = small_federation(), small_federation(seed=8)
    with pytest.raises(pytacit.ArgumentError, match="seed|same runs"):
        found.compare(0, other[0])
    with pytest.raises(IndexError, match="^point must be from -4 to 3, got 4$"):
        found.compare(0, 1, 4)
    with pytest.raises(KeyError, match="there is no 'fts'; the labels are 'random', 'ts'"):
        found["fts"]


# ---- files


@pytest.mark.parametrize("name", ["r.csv", "r.json"])
def test_files_are_read_back(name, own_folder):
    found = small_federation()
    found.save(own_folder / name)
    read = pytacit.read_curves(name)
    assert read.labels == ["random", "ts"] == found.labels
    for mine, theirs in zip(found, read):
        kept = [i for i, mean in enumerate(mine.simple_mean) if math.isfinite(mean)]
        assert theirs.at == [mine.at[i] for i in kept]
        assert theirs.simple_mean == [mine.simple_mean[i] for i in kept]
        assert theirs.cumulative_se == [mine.cumulative_se[i] for i in kept]
        assert (theirs.runs, theirs.seed, theirs.objective) == (5, 0, "branin")
        assert (theirs.simple, theirs.counts, theirs.releases) == (None, [], [])
    assert repr(read[1]) == f"<pytacit.Curves ts on branin: 5 runs, {len(read[1].at)} points>"
    with pytest.raises(pytacit.ArgumentError):
        read.compare(0, 1)


def test_several_files_and_those_of_the_program(own_folder):
    pytacit.simulate("hct", "garland", pulls=100, runs=2).save("a.csv")
    program("--algorithm hoo --objective garland --pulls 100 --runs 2 --out b.json")
    both = pytacit.read_curves("a.csv", "b.json")
    assert both.labels == ["hct", "hoo"] and all(c.by_pulls and c.simple_mean is None for c in both)
    last = both[1].cumulative_mean[-1]
    del both
    gc.collect()
    assert last == pytacit.simulate("hoo", "garland", pulls=100, runs=2)[0].cumulative_mean[-1]


def test_other_files_are_refused(own_folder):
    (own_folder / "x.csv").write_text("a,b\n1,2\n")
    with pytest.raises(pytacit.ArgumentError, match='^x.csv has no column "algorithm": it was not written by tacit'):
        pytacit.read_curves("x.csv")
    with pytest.raises(pytacit.NotFoundError, match='"none.csv"'):
        pytacit.read_curves("none.csv")


# ---- plots without matplotlib


def test_a_plot_without_matplotlib_is_made_by_the_program(own_folder, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    found = small_federation()
    assert found.plot("a.svg", title="A title & more") is None
    drawn = (own_folder / "a.svg").read_text()
    assert "<svg" in drawn and "A title &amp; more" in drawn and ">ts<" in drawn and ">simple regret<" in drawn
    pytacit.simulate("hct", "garland", pulls=100, runs=2).save("h.csv")
    pytacit.read_curves("h.csv").plot(own_folder / "h.svg")
    assert ">cumulative regret<" in (own_folder / "h.svg").read_text()
    with pytest.raises(RuntimeError, match="^tacit plot failed: tacit: "):
        found.plot("nowhere/a.svg")
    needs = 'plot needs matplotlib: pip install matplotlib, or name a file: plot("regret.svg") needs none'
    for where in ({}, {"ax": object()}, {"ax": object(), "path": "a.svg"}):
        with pytest.raises(ImportError, match=f"^{re.escape(needs)}$"):
            found.plot(**where)
    monkeypatch.setenv("PYTACIT_LIBRARY_DIR", str(own_folder))
    monkeypatch.setenv("PATH", str(own_folder))
    with pytest.raises(ImportError, match="^plot needs matplotlib, or the program tacit, and neither is here: "):
        found.plot("a.svg")


# ---- interruptions

LONG = """
import pytacit, signal
signal.signal(signal.SIGINT, signal.default_int_handler)
try:
    pytacit.simulate({long}, show_progress_bar=True)
except KeyboardInterrupt as why:
    print(type(why.__cause__).__name__, why.__cause__, flush=True)
print(len(pytacit.simulate("random", trials=3, runs=2)[0].at), flush=True)
"""
PARTY = ('"gp-ei", "branin", trials=1000000, runs=1', "the simulation was interrupted")
AGENTS = (
    '"gp-ei", agents=8, rounds=40, runs=100000',
    "interrupted; with checkpoint FILE finished runs are kept, and the same command goes on after them",
)


@pytest.mark.parametrize("long, reason", [PARTY, AGENTS], ids=["party", "agents"])
def test_an_interruption_ends_it_and_nothing_else(python, long, reason):
    process = python(LONG.format(long=long))
    assert process.stderr.read(6) == "\ngp-ei"  # of the bar, whose \r is read as \n: it runs
    process.send_signal(signal.SIGINT)
    said, why = process.communicate(timeout=240)
    assert said == f"CancelledError {reason}\n3\n", why
    assert process.returncode == 0


def test_an_interruption_that_nobody_catches(python):
    process = python(LONG.format(long=AGENTS[0]).replace("except KeyboardInterrupt", "except LookupError"))
    assert process.stderr.read(6) == "\ngp-ei"
    process.send_signal(signal.SIGINT)
    said, why = process.communicate(timeout=240)
    assert (said, process.returncode) == ("", -signal.SIGINT) and why.rstrip().endswith("KeyboardInterrupt")


@pytest.mark.parametrize("sent", [signal.SIGINT, signal.SIGKILL])
def test_finished_runs_outlive_the_process(python, own_folder, sent):
    many = 'pytacit.simulate("ts", "branin", agents=3, rounds=6, runs={}, seed=7, checkpoint="kept", threads=1)'
    process = python(
        "import pytacit, signal\nsignal.signal(signal.SIGINT, signal.default_int_handler)\n" + many.format(100000)
    )
    kept = own_folder / "kept"
    sizes = set()
    while len(sizes) < 4 and process.poll() is None:  # a run is added after the other
        if kept.exists():
            sizes.add(kept.stat().st_size)
        time.sleep(0.01)
    process.send_signal(sent)
    process.communicate(timeout=240)
    assert process.returncode == -sent
    before = kept.read_bytes()
    resumed = eval(many.format(12))
    size = sorted(sizes)[2]  # whole runs
    assert kept.read_bytes()[:size] == before[:size]
    alone = pytacit.simulate("ts", objective="branin", agents=3, rounds=6, runs=12, seed=7)
    assert resumed.to_csv() == alone.to_csv() and resumed[0].simple == alone[0].simple
    with pytest.raises(pytacit.TacitError, match="kept"):
        pytacit.simulate("ts", objective="branin", agents=3, rounds=6, runs=12, seed=8, checkpoint="kept")


def test_a_checkpoint_is_not_run_again(own_folder):
    bandits = {"algorithm": "hct", "objective": "garland", "pulls": 2000, "runs": 3, "checkpoint": "kept"}
    first = pytacit.simulate(**bandits)
    again = pytacit.simulate(**{**bandits, "runs": 4})
    assert (first[0].pulls, again[0].pulls) == (3 * 2000, 2000)
    assert again[0].cumulative[:3] == first[0].cumulative[:]
    options = "--algorithm hct --objective garland --pulls 2000 --runs 4 --checkpoint kept"
    assert program(options, "--format csv") == again.to_csv()


# ---- the header


def raw_plan(path, value):
    """A plan of the defaults with one member set."""
    plan = ffi.new("tacit_simulation_plan *", lib.tacit_simulation_plan_default())
    owner = plan
    for member in path[:-1]:
        owner = getattr(owner, member)
    setattr(owner, path[-1], value)
    return plan


def refusal(plan):
    made, err = ffi.new("tacit_simulation **"), ffi.new("tacit_error *")
    assert lib.tacit_simulate(made, plan, err) == lib.TACIT_E_ARG
    return ffi.string(err.msg).decode()


NUMBERS = [field for field in _fields.read().values() if field.kind in ("INT", "FLOAT", "OPEN", "CHOICE")]


@pytest.mark.parametrize("field", NUMBERS, ids=lambda field: field.option)
def test_every_number_of_a_plan_is_where_the_library_reads_it(field):
    """It refuses what is too large, and names the member as it is called there."""
    most = len(field.choices) if field.kind == "CHOICE" else field.high * 2
    wrong = most if field.kind in ("FLOAT", "OPEN") else int(most)
    assert refusal(raw_plan(field.path, wrong)).startswith(f"--{field.option} must be in [")


@pytest.mark.parametrize(
    "path, said",
    [
        (("algorithm",), 'there is no algorithm "something"'),
        (("objective",), 'there is no objective "something"'),
        (("versus",), 'there is no algorithm "something"'),
        (("curator", "bounds_file"), "--bounds-file is for a curator"),
        (("records",), "--records is for --unit record"),
        (("range",), "--range is for --unit record"),
    ],
)
def test_every_text_of_a_plan_is_where_the_library_reads_it(path, said):
    word = ffi.new("char[]", b"something")
    assert refusal(raw_plan(path, word)).startswith(said)


def test_the_last_members_of_a_plan():
    assert [name for name, _ in ffi.typeof("tacit_simulation_plan").fields][-4:] == [
        "unit",
        "records",
        "range",
        "trustees",
    ]
    assert refusal(raw_plan(("unit",), lib.TACIT_PLAN_UNIT_RECORD)).startswith("--unit record needs --")


def test_a_plan_begins_with_the_defaults_of_the_fields():
    plan = lib.tacit_simulation_plan_default()
    for field in _fields.read().values():
        owner = plan
        for member in field.path[:-1]:
            owner = getattr(owner, member)
        value, default = getattr(owner, field.path[-1]), field.default
        if field.kind == "STRING":
            assert value == ffi.NULL and default is None
        elif field.kind == "CHOICE":
            assert field.choices[value] == (default or field.choices[0])
        elif field.kind == "BOOL":
            assert value is False and default == "false"
        else:
            assert value == float(default or 0), field.option
    assert plan.checkpoint_every == 5 and plan.reward_high == 1


@pytest.mark.skipif(platform.machine() != "x86_64", reason="a returned struct is the first argument on x86-64 alone")
def test_the_library_fills_in_as_many_bytes_as_a_plan_has():
    size = ffi.sizeof("tacit_simulation_plan")
    room = ffi.new("unsigned char[]", b"\xaa" * (size + 64))
    ffi.cast("void (*)(void *)", lib.tacit_simulation_plan_default)(room)
    filled = bytes(ffi.buffer(room))
    assert filled[size : size + 64] == b"\xaa" * 64
    assert filled[size - 8 : size] == bytes(8)  # trustees


def test_other_versions_of_the_library_are_refused(monkeypatch):
    monkeypatch.setattr(_library, "_declared", _library._declared._replace(version="0.0.9"))
    with pytest.raises(pytacit.UnsupportedError) as raised:
        small()
    assert str(raised.value) == (
        "simulate is experimental and needs libraries of the same version as pytacit: pytacit has the headers of tacit "
        f"0.0.9, and the libraries are of {pytacit.__version__}"
    )
