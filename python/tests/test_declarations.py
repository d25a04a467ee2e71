"""The binding against the library: layouts, numbers, first values. Nothing is compiled.

A struct that begins with `size` must not have anything in members that the library does not know. So a struct of 8
bytes more than cffi counts, with something in them, is refused; if the library's were larger, it would be taken. And
something in the last member that cffi knows is not refused as unknown; if the library's were smaller, it would be.
"""

from __future__ import annotations

import re

import pytest

import pytacit
from pytacit import _declarations, _library
from pytacit._library import ffi, lib, struct

RECORD_STUDY = (
    b'{"name": "r", "direction": "minimize", "trials": 5, "space": {"x": {"type": "float", "low": 0, "high": 1}},'
    b' "privacy": {"unit": "record", "epsilon": 1, "delta": 1e-5, "metric": "error"}}'
)


def larger(name, last):
    """A struct as its macro begins it, 8 bytes longer; `last` is in them."""
    size = ffi.sizeof(name)
    room = ffi.new("char[]", size + 8)
    ffi.memmove(room, struct(name), size)
    made = ffi.cast(f"{name} *", room)
    made.size = size + 8
    room[size] = bytes([last])
    return made, room


def last_member(name):
    return ffi.typeof(name).fields[-1][0]


def with_last_member(name):
    """A struct with something in its last member, whatever it is; and what that points at."""
    made, word = struct(name), ffi.new("char[]", b"something")
    kind = ffi.typeof(name).fields[-1][1].type
    setattr(made, last_member(name), ffi.cast(kind, word) if kind.kind in ("pointer", "function") else 1)
    return made, word


def document(text):
    made = ffi.new("tacit_document **")
    _library.call(lib.tacit_document_parse, made, text)
    return ffi.gc(made[0], lib.tacit_document_free)


def evaluate():
    return ffi.callback("tacit_evaluate", lambda *_: 0)


def try_storage(opts, study):
    made = ffi.new("tacit_storage **")
    status = lib.tacit_storage_open(made, b"memory:", opts, ffi.NULL)
    lib.tacit_storage_close(made[0])
    return status


def try_ask(opts, study):
    made = ffi.new("tacit_trials **")
    status = lib.tacit_study_ask_many(study._open(), opts, made, ffi.NULL)
    lib.tacit_trials_free(made[0])
    return status


def try_report(opts, study):
    return lib.tacit_study_report(study._open(), study.ask().number, opts, ffi.NULL)


def try_query(opts, study):
    made = ffi.new("tacit_trials **")
    status = lib.tacit_study_trials(study._open(), opts, made, ffi.NULL)
    lib.tacit_trials_free(made[0])
    return status


def try_records(opts, study):
    opts.records = 100
    return lib.tacit_records_check(document(RECORD_STUDY), opts, ffi.NULL)


def try_worker(opts, study):
    function = evaluate()
    opts.evaluate = function
    return lib.tacit_worker_check(lib.tacit_study_document(study._open()), opts, ffi.NULL)


def try_repeats(opts, study):
    return lib.tacit_account_best_of(opts, ffi.NULL, 0, 1e-5, struct("tacit_guarantee"), ffi.NULL)


def try_guarantee(opts, study):
    opts.accountant = name = ffi.new("char[]", b"pld")
    made = ffi.new("char **")
    status = lib.tacit_statement(opts, 1, lib.TACIT_UNIT_AGENT, lib.TACIT_DP_ALL, made, ffi.NULL)
    lib.tacit_text_free(made[0])
    del name
    return status


def try_prune(rule, study):
    number, point = ffi.new("uint64_t *"), ffi.new("double[8]")
    assert lib.tacit_study_ask(study._open(), number, point, ffi.NULL) == lib.TACIT_OK
    return lib.tacit_study_report_step(study._open(), number[0], 1, 0.5, rule, ffi.NULL, ffi.NULL)


TAKEN = {
    "tacit_storage_opts": try_storage,
    "tacit_ask_opts": try_ask,
    "tacit_report": try_report,
    "tacit_prune": try_prune,
    "tacit_trial_query": try_query,
    "tacit_records_opts": try_records,
    "tacit_worker_opts": try_worker,
    "tacit_repeats": try_repeats,
    "tacit_guarantee": try_guarantee,
}


@pytest.mark.parametrize("name", TAKEN)
def test_structs_that_the_library_takes_have_its_size(name, study):
    assert TAKEN[name](struct(name), study) == lib.TACIT_OK
    made, _room = larger(name, 0)
    assert TAKEN[name](made, study) == lib.TACIT_OK
    made, _room = larger(name, 1)
    assert TAKEN[name](made, study) == lib.TACIT_E_UNSUPPORTED
    made, _word = with_last_member(name)
    assert TAKEN[name](made, study) != lib.TACIT_E_UNSUPPORTED


@pytest.mark.skipif(not pytacit.has_network, reason="tacit was built without the network")
def test_the_options_of_agents_have_their_size():
    joined = ffi.new("tacit_agent **")
    for last, status in ((0, lib.TACIT_E_ARG), (1, lib.TACIT_E_UNSUPPORTED)):  # E_ARG: no study is named
        made, _room = larger("tacit_agent_opts", last)
        assert lib.tacit_agent_join(joined, made, ffi.NULL) == status
    made, roster = struct("tacit_agent_opts"), ffi.new("char[]", b"sha256//x")
    assert last_member("tacit_agent_opts") == "roster"
    made.roster = roster
    assert lib.tacit_agent_join(joined, made, ffi.NULL) == lib.TACIT_E_ARG


def test_structs_that_the_library_fills_in_have_its_size(study):
    made, room = larger("tacit_study_summary", 7)
    last = last_member("tacit_study_summary")
    setattr(made, last, 3)
    assert lib.tacit_study_summarize(study._open(), made, ffi.NULL) == lib.TACIT_OK
    assert last == "front" and made.front == 0, "the last member is not written"
    assert made.best != made.best and made.pruned == 0
    assert room[ffi.sizeof("tacit_study_summary")] == b"\0", "what comes after it is not set to 0"
    assert (made.planned, made.best_trial) == (12, lib.TACIT_UNKNOWN)


def fill_guarantee(made):
    event = ffi.new("tacit_dp_event *", (lib.TACIT_DP_GAUSSIAN, 4.0, lib.TACIT_DP_POISSON, 0.5, 3))
    _library.call(lib.tacit_account, b"rdp", event, 1, 1e-5, made)
    return made.order > 1 and made.delta == 1e-5 and ffi.string(made.accountant) == b"rdp"


def ledger_of_one_entry():
    """A ledger with a number as it is, of an agent."""
    made, release, receipt = ffi.new("tacit_ledger **"), ffi.new("tacit_release **"), ffi.new("tacit_receipt **")
    number, charge, study = ffi.new("double[]", [0.5]), struct("tacit_charge"), ffi.new("char[]", b"s")
    charge.study, charge.round = study, 3
    _library.call(lib.tacit_ledger_create, made, b"memory:", b"l")
    _library.call(lib.tacit_none_release, release, 1, 1, number, lib.TACIT_UNIT_AGENT, b"why")
    _library.call(lib.tacit_ledger_release, made[0], ffi.NULL, charge, release[0], receipt)
    lib.tacit_receipt_free(receipt[0])
    lib.tacit_release_free(release[0])
    return ffi.gc(made[0], lib.tacit_ledger_close)


def fill_entry(made):
    ledger = ledger_of_one_entry()
    _library.call(lib.tacit_ledger_get, ledger, 1, made)
    return (made.seq, made.round, made.rows, ffi.string(made.relation)) == (1, 3, 1, b"zero-out")


def fill_spent(made):
    ledger = ledger_of_one_entry()
    _library.call(lib.tacit_ledger_spent, ledger, lib.TACIT_UNIT_AGENT, ffi.NULL, ffi.NULL, 1e-5, made)
    return (made.releases, made.is_private, made.relation) == (1, False, ffi.NULL)


FILLED = {"tacit_guarantee": fill_guarantee, "tacit_ledger_entry": fill_entry, "tacit_spent": fill_spent}


@pytest.mark.parametrize("name", FILLED)
def test_structs_of_privacy_that_the_library_fills_in_have_its_size(name):
    made, room = larger(name, 7)
    assert FILLED[name](made)
    assert room[ffi.sizeof(name)] == b"\0", "what comes after it is not set to 0"


def test_structs_of_plans_have_their_size():
    planned = ffi.new("tacit_plan **")
    _library.call(lib.tacit_plan_new, planned, document(RECORD_STUDY))
    _library.call(lib.tacit_plan_cost, planned[0])
    summary = lib.tacit_plan_summarize(planned[0])
    assert summary.size == ffi.sizeof("tacit_plan_summary") and summary.releases == 5
    assert lib.tacit_plan_get(planned[0], 0).size == ffi.sizeof("tacit_planned")
    lib.tacit_plan_free(planned[0])


def test_an_event_has_its_layout():
    """It has no size: every member is read where it was written."""
    events = ffi.new("tacit_dp_event[]", 2)
    events[1].mechanism, events[1].parameter, events[1].count = lib.TACIT_DP_GAUSSIAN, 1.25, 7
    events[1].sampling, events[1].sampling_rate = lib.TACIT_DP_POISSON, 0.5
    made = ffi.new("char **")
    _library.call(lib.tacit_dp_event_json, events + 1, made)
    written = ffi.string(made[0])
    lib.tacit_text_free(made[0])
    assert written == (
        b'{"dp_event":"SelfComposed","count":7,"event":{"dp_event":"PoissonSampled","sampling_probability":0.5,'
        b'"event":{"dp_event":"Gaussian","noise_multiplier":1.25}}}'
    )
    found, n = ffi.new("tacit_dp_event[]", 2), ffi.new("size_t *")
    both = b'{"dp_event":"Composed","events":[{"dp_event":"NonPrivate"},%s]}' % written
    _library.call(lib.tacit_dp_event_parse, both, found, 2, n)
    assert n[0] == 2 and found[0].mechanism == lib.TACIT_DP_NONPRIVATE
    for member, _ in ffi.typeof("tacit_dp_event").fields:
        assert getattr(found[1], member) == getattr(events[1], member), member


def test_structs_that_the_library_makes_have_its_size(study):
    study.tell(study.ask(), 1)
    trial = ffi.new("tacit_trial **")
    assert lib.tacit_study_best(study._open(), trial, ffi.NULL) == lib.TACIT_OK
    assert trial[0].size == ffi.sizeof("tacit_trial")
    lib.tacit_trial_free(trial[0])
    listed = ffi.new("tacit_algorithms **")
    assert lib.tacit_algorithms_new(listed, b"gp-ei", ffi.NULL) == lib.TACIT_OK
    assert lib.tacit_algorithms_get(listed[0], 0).size == ffi.sizeof("tacit_algorithm")
    assert lib.tacit_algorithms_option(listed[0], 0, 0).size == ffi.sizeof("tacit_option")
    lib.tacit_algorithms_free(listed[0])


def test_first_values_are_those_of_the_macros():
    assert struct("tacit_records_opts").test_seed == -1
    assert struct("tacit_records_opts").per_person == 0
    assert struct("tacit_report").kind == lib.TACIT_REPORT_VALUE
    repeats = struct("tacit_repeats")
    assert (repeats.kind, repeats.mean, repeats.shape) == (lib.TACIT_REPEATS_NEGATIVE_BINOMIAL, 1, 1)
    agent = struct("tacit_agent_opts")
    assert (agent.patience_s, agent.test_seed, agent.test_key, agent.stop) == (3600, -1, 0, ffi.NULL)
    assert agent.size == ffi.sizeof("tacit_agent_opts")
    search = struct("tacit_search_opts")
    assert (search.repeats.size, search.repeats.kind) == (
        ffi.sizeof("tacit_repeats"),
        lib.TACIT_REPEATS_NEGATIVE_BINOMIAL,
    )


def test_every_struct_with_a_macro_can_be_begun():
    assert ffi.string(struct("tacit_optimizer_opts").algorithm) == b"gp-ei"
    begun = _library._declared.initial
    assert len(begun) > 20
    for name in begun:
        assert struct(name).size == ffi.sizeof(name)


def test_numbers_are_those_of_the_headers():
    headers = _declarations.find_headers()
    found = 0
    for header in sorted(headers.rglob("*.h")):
        for name, value in re.findall(r"^#define (TACIT_\w+) +(\d+|UINT64_MAX)(?![\d.])", header.read_text(), re.M):
            if not name.endswith("_SIZE"):
                found += 1
                assert getattr(lib, name) == (2**64 - 1 if value == "UINT64_MAX" else int(value)), name
    assert found >= 10


def test_every_public_function_is_there():
    folder = _declarations.find_headers()
    headers = sorted(folder.rglob("*.h"))
    assert {str(header.relative_to(folder)) for header in headers} == {f"{name}.h" for name in _declarations.HEADERS}
    text = "\n".join(_declarations.plain(header.read_text()) for header in headers)
    declared = re.findall(r"^TACIT_API[^;(]*?\b(tacit_\w+)\(", text, re.M)
    assert len(declared) > 150
    if pytacit.has_network:
        assert [name for name in declared if not callable(getattr(lib, name, None))] == []


def test_every_status_has_an_exception():
    statuses = [name for name in dir(lib) if re.fullmatch(r"TACIT_E_[A-Z_]+", name)]
    assert len(statuses) == 13
    for name in statuses:
        raised = _library.error(getattr(lib, name), "why")
        assert (raised.name, raised.status, str(raised)) == (name[6:], getattr(lib, name), "why")
        assert type(raised) is not pytacit.TacitError
