"""Ledgers that are looked at: entries, what was spent, exports for strangers, and what somebody has changed."""

from __future__ import annotations

import contextlib
import copy
import hashlib
import json
import math
import os
import sqlite3
import struct as binary
import threading

import pytest
from test_privacy import RECORDS, gaussian_epsilon, program

import pytacit
from pytacit import privacy
from pytacit._library import call, ffi, lib, out, struct, text
from pytacit.privacy import Gaussian, Head, Laplace, NonPrivate

STORAGE = "sqlite:///ledger.db"


# ---- a party that releases


class Party:
    """Releases to a ledger, as a program in C does."""

    def __init__(self, name, storage=STORAGE):
        where, called = text(storage, "storage"), text(name, "name")
        self.ledger = out(lib.tacit_ledger_create, "tacit_ledger *", lib.tacit_ledger_close, where, called)

    def commit(self, release, study, round, subject=None):
        """The bytes that left."""
        charge, said, about = struct("tacit_charge"), text(study, "study"), text(subject, "subject")
        charge.study, charge.round, charge.subject = said, round, about
        receipt = out(
            lambda made, err: lib.tacit_ledger_release(self.ledger, ffi.NULL, charge, release, made, err),
            "tacit_receipt *",
            lib.tacit_receipt_free,
        )
        return bytes(ffi.buffer(lib.tacit_receipt_bytes(receipt), lib.tacit_receipt_size(receipt)))

    def sum(self, study, round, noise=2.0, rate=1.0):
        """A Gaussian sum over three agents."""
        plan = struct("tacit_sum_plan")
        plan.agents, plan.width, plan.clip_norm, plan.noise_multiplier, plan.sampling_rate = 3, 2, 1, noise, rate
        adding = out(lib.tacit_sum_open, "tacit_sum *", lib.tacit_sum_free, plan)
        call(lib.tacit_sum_fold, adding, 0, ffi.new("double[]", [0.5, -0.5]))
        closing, end = lib.tacit_sum_close, lib.tacit_release_free
        release = out(lambda made, err: closing(adding, made, err), "tacit_release *", end)
        return self.commit(release, study, round)

    def reply(self, study, round, user, epsilon=0.5):
        """A number of one user, with Laplace noise."""
        kind, end = lib.TACIT_REPLY_LAPLACE, lib.tacit_release_free
        drawing = out(lib.tacit_reply_new, "tacit_reply *", lib.tacit_reply_free, kind, epsilon, 0.0, 1.0)
        release = out(lambda made, err: lib.tacit_reply_release(drawing, 0.25, made, err), "tacit_release *", end)
        return self.commit(release, study, round, user)

    def show(self, study, round, why):
        """A number as it is."""
        number, said, unit = ffi.new("double[]", [0.75]), text(why, "why"), lib.TACIT_UNIT_AGENT
        release = out(lib.tacit_none_release, "tacit_release *", lib.tacit_release_free, 1, 1, number, unit, said)
        return self.commit(release, study, round)


@pytest.fixture
def party():
    return Party("main")


def looked(name="main"):
    return privacy.read_ledger(STORAGE, name)


# ---- entries


def hashed(kind, data):
    """As src/privacy/ledger_entry.c has it."""
    return hashlib.blake2b(f"tacit {kind} 1\0".encode() + data, digest_size=32).hexdigest()


def test_entries(party):
    left = [party.sum("ward", 0), party.reply("ward", 1, "ann"), party.show("ward", 2, "it is a test")]
    ledger = looked()
    summed, replied, shown = ledger.entries
    assert [entry.seq for entry in ledger.entries] == [1, 2, 3] and [e.round for e in ledger.entries] == [0, 1, 2]
    assert [hashed("release", sent) for sent in left] == [entry.release for entry in ledger.entries]
    assert summed.unit == "agent" and summed.subject is None and summed.relation == "zero-out"
    assert summed.mechanism == "gaussian-sum" and summed.is_private and summed.not_private is None
    assert abs(summed.event.noise_multiplier - 2) < 1e-6 and summed.event.count == 1
    assert (summed.rows, summed.cols) == (1, 2) and summed.step > 0 and summed.distance > 0
    assert (replied.unit, replied.subject, replied.event) == ("user", "ann", Laplace(epsilon=replied.event.epsilon))
    assert abs(replied.event.epsilon - 0.5) < 1e-6
    assert isinstance(shown.event, NonPrivate) and not shown.is_private and shown.not_private == "it is a test"
    assert binary.unpack("<d", left[2]) == (0.75,)
    assert ledger.name == "main" and repr(ledger) == "<pytacit.privacy.Ledger main>"
    assert ledger.head == Head(3, shown.head)
    assert {entry.study for entry in ledger.entries} == {hashed("study", b"ward")}


def test_a_ledger_shows_what_others_add(party):
    with looked() as ledger:
        assert ledger.head.seq == 0 and ledger.entries == []
        party.sum("ward", 0)
        assert ledger.head.seq == 1 and len(ledger.entries) == 1
        before = ledger.head
        party.sum("ward", 1)
        ledger.verify(before)
        assert ledger.spent("agent", delta=1e-5).releases == 2
    with pytest.raises(ValueError, match="^the ledger is closed$"):
        ledger.entries
    assert repr(ledger) == "<pytacit.privacy.Ledger (closed)>"


def test_several_threads_look(party):
    for i in range(5):
        party.sum("ward", i)
    ledger, seen = looked(), []

    def look():
        for _ in range(20):
            seen.append((ledger.head.seq, len(ledger.entries), ledger.spent("agent", delta=1e-5).releases))

    threads = [threading.Thread(target=look) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert seen == [(5, 5, 5)] * 80


# ---- what was spent


def test_what_was_spent(party):
    for i in range(4):
        party.sum("ward", i)
    for i, user in enumerate(["ann", "bob", "ann"]):
        party.reply("ward", 10 + i, user)
    ledger = looked()
    agents = ledger.spent("agent", delta=1e-5)
    exact = gaussian_epsilon(math.sqrt(4) / 2, 1e-5)
    assert exact * (1 - 1e-6) <= agents.epsilon <= exact * (1 + 1e-4)  # the noise is on a grid
    assert (agents.unit, agents.subject, agents.releases, agents.relation) == ("agent", None, 4, "zero-out")
    assert agents.is_private and agents.not_private is None and agents.delta == 1e-5
    assert str(agents) == agents.statement and agents.statement.startswith("every agent: epsilon 4.3")
    ann, bob = ledger.spent("user", "ann", members=100), ledger.spent("user", "bob", members=100)
    assert (ann.releases, bob.releases, ann.delta) == (6, 5, 1e-5), "an agent's releases are about its users, too"
    assert ann.epsilon > bob.epsilon > agents.epsilon and ann.subject == "ann"
    worst = ledger.spent("user", delta=1e-5)
    assert (worst.subject, worst.epsilon) == ("ann", ann.epsilon)
    assert ledger.spent_by_unit(1e-5) == [agents, worst]
    assert 2 < ledger.spent("agent", delta=1e-5, accountant="rdp").epsilon < 6
    nothing = ledger.spent("row", "r1", delta=1e-5)
    assert "agent" not in nothing.statement.split(":")[0] and nothing.unit == "row"


def test_later_studies_are_held_to_a_filter(party):
    party.sum("ward", 0)
    party.sum("home", 0)
    several = looked().spent("agent", delta=1e-5)
    assert several.accountant.endswith("-filter") and "a filter adds them up" in several.statement
    named = looked().spent("agent", delta=1e-5, accountant="pld")
    assert named.accountant == "gaussian" and "supposes that all of them were planned before" in named.statement


def test_what_is_not_private_has_no_epsilon(party):
    party.sum("ward", 0)
    party.show("ward", 1, "nobody asked for noise")
    (spent,) = looked().spent_by_unit(1e-5)
    assert spent.epsilon == math.inf and not spent.is_private
    assert spent.not_private == "nobody asked for noise"
    assert str(spent).startswith("NOT PRIVATE: nobody asked for noise. ")
    (claim,) = looked().export(1e-5)["claims"]
    assert claim["epsilon"] is None and claim["private"] is False


def test_the_records_of_a_study():
    space = {"x": pytacit.FloatDistribution(0, 1)}
    study = pytacit.create_study("r", space, "minimize", STORAGE, trials=3, seed=1, privacy=RECORDS)
    study.protect(records=1000)
    study.optimize(lambda params: params["x"])
    (name,) = privacy.get_all_ledger_names(STORAGE)
    (spent,) = looked(name).spent_by_unit(1e-5)
    assert spent.unit == "record" and spent.releases == 3 and spent.relation == "replace-one"
    assert spent.epsilon <= privacy.plan(study).epsilon <= 1 and spent.epsilon > 0.9999
    assert isinstance(looked(name).entries[0].event, Gaussian)


# ---- as the program has it


def test_the_program_says_the_same(party):
    for i in range(3):
        party.sum("ward", i)
        party.reply("home", 10 + i, "ann")
    ledger, said = looked(), program("status", "main", "--storage", STORAGE, "--delta", 1e-5)
    assert (ledger.head.seq, ledger.head.hash) == (said["entries"], said["head"])
    names = ("unit", "subject", "entries", "private", "bound", "epsilon", "epsilon_lower", "delta", "statement")
    shown = [
        (s.unit, s.subject, s.releases, s.is_private, s.accountant, s.epsilon, s.lower, s.delta, s.statement)
        for s in ledger.spent_by_unit(1e-5)
    ]
    assert shown == [tuple(unit[name] for name in names) for unit in said["units"]]
    for accountant in (None, "rdp"):
        more = [] if accountant is None else ["--accountant", accountant]
        exported = program("export", "main", "--storage", STORAGE, "--delta", 1e-5, *more)
        assert ledger.export(1e-5, accountant) == exported
    exported.pop("claims")
    assert ledger.export() == exported


# ---- for strangers


def test_an_export_is_a_ledger_for_strangers(party, own_folder):
    party.sum("ward", 0)
    party.reply("ward", 1, "ann")
    ledger = looked()
    exported = json.loads(json.dumps(ledger.export(1e-5)))
    (own_folder / "export.json").write_text(json.dumps(exported))
    for theirs in (privacy.import_ledger(exported), privacy.import_ledger(own_folder / "export.json")):
        assert theirs.entries == ledger.entries and theirs.head == ledger.head and theirs.name == "main"
        assert theirs.spent_by_unit(1e-5) == ledger.spent_by_unit(1e-5)
        theirs.verify(ledger.head)
        assert theirs.export(1e-5) == exported
    said = program("status", "./export.json", "--delta", 1e-5)
    assert said["head"] == ledger.head.hash


@pytest.mark.parametrize("field, value", [("round", 7), ("mechanism", "other"), ("distance", 0.5)])
def test_a_changed_export_is_refused(party, field, value):
    party.sum("ward", 0)
    party.sum("ward", 1)
    exported = looked().export()
    changed = copy.deepcopy(exported)
    changed["entries"][1][field] = value
    with pytest.raises(pytacit.CorruptError, match="^ledger entry 2"):
        privacy.import_ledger(changed)
    changed = copy.deepcopy(exported)
    changed["entries"][0]["event"]["noise_multiplier"] *= 2
    with pytest.raises(pytacit.CorruptError, match="^ledger entry 1"):
        privacy.import_ledger(changed)


def test_a_damaged_ledger_is_refused(party, own_folder):
    party.sum("ward", 0)
    party.sum("ward", 1)
    ledger = looked()
    ledger.verify()
    with contextlib.closing(sqlite3.connect(str(own_folder / "ledger.db"))) as db, db:
        db.execute("drop trigger ledger_keeps_values")
        entries = "from records where kind = 14 and instr(value, 'gaussian-sum') > 0"
        (_, (key, stored)) = db.execute(f"select key, value {entries} order by key").fetchall()
        db.execute("update records set value = ? where key = ? and kind = 14", (stored.replace(b"-sum", b"-sun"), key))
    for look in (ledger.verify, looked):
        with pytest.raises(pytacit.CorruptError, match="entry 2"):
            look()


def test_a_rolled_back_ledger_is_noticed(party, own_folder):
    party.sum("ward", 0)
    seen = looked().head
    Party("main", "sqlite:///other.db").sum("ward", 0)
    other = privacy.read_ledger("sqlite:///other.db", "main")
    with pytest.raises(pytacit.CorruptError, match="does not have the head that was seen after entry 1"):
        other.verify(seen)
    party.sum("ward", 1)
    later = looked().head
    with pytest.raises(pytacit.CorruptError, match="rolled back"):
        other.verify(later)
    with pytest.raises(ValueError, match="^seen.hash must be 64 hexadecimal digits, got 'abc'$"):
        looked().verify(Head(1, "abc"))
    with pytest.raises(ValueError, match="^seen.hash must be 64 hexadecimal digits, got 'abcd'$"):
        looked().verify(Head(1, "abcd"))


# ---- what is not there


def test_a_ledger_that_is_not_there_is_not_made(party, own_folder):
    party.sum("ward", 0)
    with pytest.raises(pytacit.NotFoundError, match="^there is no file absent.db$"):
        privacy.read_ledger("sqlite:///absent.db")
    with pytest.raises(pytacit.NotFoundError, match="^there is no file absent.db$"):
        privacy.get_all_ledger_names("sqlite:///absent.db")
    assert not [name for name in os.listdir(own_folder) if "absent" in name]
    with pytest.raises(pytacit.NotFoundError, match='there is no ledger "agent"'):
        privacy.read_ledger(STORAGE)
    assert privacy.get_all_ledger_names(STORAGE) == ["main"]
    Party("second")
    assert privacy.get_all_ledger_names(STORAGE) == ["main", "second"]


@pytest.mark.parametrize(
    "asked, kind, sentence",
    [
        (lambda: privacy.read_ledger(3), TypeError, "storage must be a str, got int"),
        (lambda: looked().spent("house", delta=1e-5), ValueError,
         "unit must be one of agent, row, user, record, got 'house'"),
        (lambda: looked().spent("agent"), ValueError,
         "a delta is needed: give delta, or members=N for min(1e-5, 1/N^2)"),
        (lambda: looked().spent("agent", delta=1e-5, accountant="clt"), pytacit.NotFoundError,
         'there is no accountant "clt". Accountants: pld, rdp, moments, gaussian, pure'),
        (lambda: looked().spent("agent", 3, delta=1e-5), TypeError, "subject must be a str, got int"),
        (lambda: privacy.import_ledger("absent.json"), pytacit.NotFoundError, "there is no file absent.json"),
        (lambda: privacy.import_ledger("ledger.db"), pytacit.CorruptError, "ledger.db is not the file of an exported ledger"),
        (lambda: privacy.import_ledger({}), pytacit.ArgumentError, "format is missing; it must be a string"),
    ],
)  # fmt: skip
def test_what_a_ledger_cannot_answer(party, asked, kind, sentence):
    party.sum("ward", 0)
    with pytest.raises(kind) as raised:
        asked()
    assert str(raised.value) == sentence


# ---- of an agent


@pytest.mark.skipif(not pytacit.has_network, reason="tacit was built without the network")
def test_the_ledger_of_an_agent(own_folder):
    """What the agent's own ledger has is what the study planned, and what its rounds cost."""
    space = {"dose": pytacit.FloatDistribution(0, 1)}
    with pytacit.Coordinator("sqlite:///coordinator.db") as c:
        algorithm = {"name": "dp-fts-de", "features": 20, "initial": 2}
        promise = {"epsilon": 5, "delta": 0.01}
        c.create_study("ward", space, "minimize", algorithm=algorithm, trials=3, seed=7, agents=2, privacy=promise)
        token = c.invite("ward", uses=2)
        agents = [
            pytacit.Agent(c.url, "ward", token, c.fingerprint, storage=f"sqlite:///agent{i}.db", epsilon=6, delta=0.01)
            for i in range(2)
        ]
        threads = [threading.Thread(target=a.run, args=(lambda params: params["dose"],), daemon=True) for a in agents]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(300)
            assert not thread.is_alive()
        (spent,) = privacy.read_ledger("sqlite:///agent0.db").spent_by_unit(0.01)
        assert spent.unit == "agent" and 0 < spent.epsilon <= 5 and spent.is_private
        paid = [r for r in agents[0].inspect() if r.ledger]
        assert paid and spent.epsilon >= max(r.epsilon for r in paid)
        for agent in agents:
            agent.close()
    (said,) = program("status", "agent", "--storage", "sqlite:///agent0.db", "--delta", 0.01)["units"]
    assert (spent.epsilon, spent.statement) == (said["epsilon"], said["statement"])
