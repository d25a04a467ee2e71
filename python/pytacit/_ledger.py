"""Ledgers: everything that a party has released, what it cost, and whether anybody has changed it since."""

from __future__ import annotations

import json
import math
import os
import threading
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Dict, List, Mapping, Optional, Union

from ._events import Event, read_event
from ._guarantee import UNITS, delta_of, one_of
from ._library import Handle, call, callback, error, ffi, lib, made_text, new, out, string, struct, text
@dataclass(frozen=True)
class Head:
    """The end of a chain: how many entries there are, and the hash of the last one, which covers all of them."""

    seq: int
    hash: str


@dataclass(frozen=True)
class LedgerEntry:
    """One entry: what was released, what it cost, and whom."""

    seq: int  #: 1, 2, 3, ...
    study: str  #: the hash of the study
    round: int
    unit: str  #: whose data
    subject: Optional[str]  #: the one that is charged; None: every one
    event: Event  #: what accountants are told
    distance: float  #: of discrete noise from the continuous one of the event: added to delta
    relation: str  #: between its neighbours
    mechanism: str
    adjacency: str  #: which two data sets are hard to tell apart
    is_private: bool
    not_private: Optional[str]  #: why not; None: it is
    rows: int  #: the release is a table of rows x cols; a value is offset + step * word
    cols: int
    offset: float
    step: float
    release: str  #: the hash of its exact bytes
    head: str  #: of the chain after this entry


@dataclass(frozen=True)
class Spent:
    """What one unit has spent over all studies of a ledger. str() of it is its statement."""

    unit: str
    subject: Optional[str]  #: whose: the worst-off one; None: every one
    epsilon: float  #: a proved upper bound; inf: NOT PRIVATE
    lower: float  #: a proved lower bound on the tight value; 0: none is known
    delta: float
    accountant: str  #: whose bound it is
    releases: int  #: that charge this unit
    is_private: bool  #: all of them were
    not_private: Optional[str]  #: why the first one that was not was not
    relation: Optional[str]  #: between the neighbours of all of them; None: none was private
    statement: str

    def __str__(self) -> str:
        return self.statement


class Ledger(Handle):
    """A ledger that is looked at: read_ledger opens one of a storage, import_ledger one that somebody has exported.

    Every entry was checked when it was opened. Several threads may use it. It is closed with its last reference, by
    close(), or as a context manager.
    """

    def __init__(self, handle: Any) -> None:
        self._handle = handle
        self._lock = threading.Lock()  # a handle serves one thread at a time

    @property
    def name(self) -> str:
        """Its name, which is part of the chain."""
        handle = self._open()  # held: the name lives as long as the handle
        return string(lib.tacit_ledger_name(handle)) or ""

    @property
    def not_private(self) -> Optional[str]:
        """Why the study of this name is not private: its coordinator hands messages on as they are, without entries."""
        handle = self._open()
        return string(lib.tacit_ledger_not_private(handle)) or None

    def __repr__(self) -> str:
        return f"<pytacit.privacy.Ledger {self.name if self._handle is not None else '(closed)'}>"

    @property
    def head(self) -> Head:
        """The end of the chain as it is now, with what others have added."""
        with self._lock:
            return self._head()

    @property
    def entries(self) -> List[LedgerEntry]:
        """All entries as they are now, with what others have added."""
        with self._lock:
            return [self._entry(seq) for seq in range(1, self._head().seq + 1)]

    # ---- what was spent

    def spent(
        self,
        unit: str,
        subject: Optional[str] = None,
        delta: Optional[float] = None,
        accountant: Optional[str] = None,
        *,
        members: Optional[int] = None,
    ) -> Spent:
        """What one unit has spent over all studies; subject: which one, None is the worst-off of all.

        unit: "agent", "row", "user" or "record". delta: None is min(1e-5, 1/N^2) of N members. accountant: None is
        "pld" for the releases of one study and a filter for those of several, which holds for every way of choosing
        later studies in view of earlier releases; with a name you say that all were planned before the first.
        """
        number, chosen = one_of(unit, UNITS, "unit"), delta_of(delta, members)
        with self._lock:
            return self._spent(number, subject, accountant, chosen)

    def spent_by_unit(
        self, delta: Optional[float] = None, accountant: Optional[str] = None, *, members: Optional[int] = None
    ) -> List[Spent]:
        """What the worst-off one of each kind of unit that the ledger has spent: `tacit privacy status`."""
        chosen = delta_of(delta, members)
        with self._lock:
            return self._spent_by_unit(accountant, chosen)

    # ---- for strangers

    def export(
        self, delta: Optional[float] = None, accountant: Optional[str] = None, *, members: Optional[int] = None
    ) -> Dict[str, Any]:
        """All entries and hashes, with events in the words of dp_accounting: public values only.

        With a delta, or members, also what the ledger claims at it, so that others can compute it again: `tacit privacy
        export`. An epsilon that is not proved is None there.
        """
        claimed = None if delta is None and members is None else delta_of(delta, members)
        with self._lock:
            made: Dict[str, Any] = json.loads(made_text(lib.tacit_ledger_export, self._open()))
            if claimed is not None:
                made["claims"] = [_claim(spent, accountant) for spent in self._spent_by_unit(accountant, claimed)]
        return made

    def verify(self, seen: Optional[Head] = None) -> None:
        """Reads the stored ledger again from the first entry and checks all of it; seen: that it has this earlier head.

        CorruptError names the entry that is wrong, or says that the ledger was rolled back or replaced.
        """
        head = ffi.NULL
        if seen is not None:
            head = new("tacit_head *")
            head.seq, digits = seen.seq, _digits(seen.hash)
            ffi.memmove(head.hash.bytes, digits, len(digits))
        with self._lock:
            call(lib.tacit_ledger_verify, self._open(), head)

    # ---- the end

    def close(self) -> None:
        """Ends this handle; the ledger stays in its storage."""
        with self._lock:
            self._handle = None

    def __enter__(self) -> Ledger:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    # ---- inside; the lock is held

    def _open(self) -> Any:
        handle = self._handle
        if handle is None:
            raise ValueError("the ledger is closed")
        return handle

    def _head(self) -> Head:
        head = new("tacit_head *")
        call(lib.tacit_ledger_head, self._open(), head)
        return Head(head.seq, _hash(head.hash))

    def _raw(self, seq: int) -> Any:
        entry = struct("tacit_ledger_entry")
        call(lib.tacit_ledger_get, self._open(), seq, entry)
        return entry

    def _entry(self, seq: int) -> LedgerEntry:
        e = self._raw(seq)
        return LedgerEntry(
            seq=e.seq,
            study=_hash(e.study),
            round=e.round,
            unit=string(lib.tacit_unit_name(e.unit)) or "",
            subject=string(e.subject) or None,
            event=read_event(e.event),
            distance=e.distance,
            relation=string(e.relation) or "",
            mechanism=string(e.mechanism) or "",
            adjacency=string(e.adjacency) or "",
            is_private=e.is_private,
            not_private=string(e.not_private) or None,
            rows=e.rows,
            cols=e.cols,
            offset=e.offset,
            step=e.step,
            release=_hash(e.release),
            head=_hash(e.head),
        )

    def _spent(self, unit: int, subject: Optional[str], accountant: Optional[str], delta: float) -> Spent:
        spent = struct("tacit_spent")
        about, named = text(subject, "subject"), text(accountant, "accountant")
        call(lib.tacit_ledger_spent, self._open(), unit, about, named, delta, spent)
        statement = made_text(lib.tacit_ledger_statement, self._open(), unit, about, named, delta)
        return Spent(
            unit=string(lib.tacit_unit_name(unit)) or "",
            subject=string(spent.subject) or None,
            epsilon=spent.epsilon if spent.is_private else math.inf,
            lower=spent.lower,
            delta=spent.delta,
            accountant=string(spent.accountant) or "",
            releases=spent.releases,
            is_private=spent.is_private,
            not_private=string(spent.not_private) or None,
            relation=string(spent.relation),
            statement=statement,
        )

    def _spent_by_unit(self, accountant: Optional[str], delta: float) -> List[Spent]:
        there = {self._raw(seq).unit for seq in range(1, self._head().seq + 1)}
        return [self._spent(unit, None, accountant, delta) for unit in sorted(there)]


def _claim(spent: Spent, accountant: Optional[str]) -> Dict[str, Any]:
    """As `tacit privacy export` has it."""
    return {
        "unit": spent.unit,
        "subject": spent.subject,
        "relation": spent.relation,
        "epsilon": spent.epsilon if math.isfinite(spent.epsilon) else None,
        "delta": spent.delta,
        "accountant": accountant or "auto",
        "bound": spent.accountant,
        "releases": spent.releases,
        "private": spent.is_private,
        "not_private": spent.not_private,
        "statement": spent.statement,
    }


def _hash(h: Any) -> str:
    digits = new("char[65]")
    lib.tacit_hash_text(ffi.addressof(h), digits)
    return string(digits) or ""


def _digits(written: str) -> bytes:
    """The 32 bytes of a hash."""
    try:
        made = bytes.fromhex(written)
    except ValueError:
        made = b""
    if len(made) != 32:
        raise ValueError(f"seen.hash must be 64 hexadecimal digits, got {written!r}")
    return made


# ---- opening


def read_ledger(storage: str, name: str = "agent") -> Ledger:
    """Opens a ledger that is there, to look at it: its entries are read and checked.

    NotFoundError: there is none of this name, or no such storage; none is made. CorruptError names the wrong entry.
    """
    where, called = text(storage, "storage"), text(name, "name")
    return Ledger(out(lib.tacit_ledger_open, "tacit_ledger *", lib.tacit_ledger_close, where, called))


def import_ledger(export: Union[Mapping[str, Any], str, "os.PathLike[str]"]) -> Ledger:
    """A ledger that somebody has exported, as a dictionary or as the file of it: everything in it is checked."""
    written = json.dumps(dict(export)) if isinstance(export, Mapping) else _read_file(export)
    return Ledger(out(lib.tacit_ledger_import, "tacit_ledger *", lib.tacit_ledger_close, text(written, "export")))


def _read_file(file: Union[str, "os.PathLike[str]"]) -> str:
    try:
        return Path(file).read_text(encoding="utf-8")
    except FileNotFoundError:
        raise error(lib.TACIT_E_NOT_FOUND, f"there is no file {os.fspath(file)}") from None
    except UnicodeDecodeError:
        raise error(lib.TACIT_E_CORRUPT, f"{os.fspath(file)} is not the file of an exported ledger") from None


def get_all_ledger_names(storage: str) -> List[str]:
    """The names of the ledgers of a storage, in the order in which they were made."""
    names: List[str] = []

    def add(_user: Any, name: Any) -> None:
        names.append(string(name) or "")

    visit = callback("void(void *, const char *)", add)
    call(lib.tacit_ledger_list, text(storage, "storage"), visit, ffi.NULL)
    return names
