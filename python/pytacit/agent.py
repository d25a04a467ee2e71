"""A party of a federated study: it evaluates on its own data and shares what the study's algorithm makes of it."""

from __future__ import annotations

import datetime
import json
import sys
import threading
from dataclasses import dataclass
from typing import Any, Callable, Dict, Iterable, List, Mapping, Optional, Union

from ._library import (
    Handle,
    call,
    callback,
    error,
    ffi,
    flag,
    given,
    has_escaped,
    has_network,
    lib,
    new,
    out,
    owned,
    real,
    string,
    struct,
    text,
    whole,
)
from ._optimize import Callback, Objective, Run, exceptions, functions
from .study import Catch, Study, records_opts
from .trial import moment


@dataclass(frozen=True)
class AgentRound:
    """One round: the message that the agent made, what it cost, and what came back."""

    round: int
    about: str  #: what agents send in this round; "": all rounds are about the same
    state: str  #: "ready", "withheld", "leaving", "sent" or "before", as <tacit/agent.h> has them
    message: Optional[bytes]  #: as it was made
    hash: str  #: of it: BLAKE2b-256
    made: Optional[datetime.datetime]
    numbers: Optional[List[float]]  #: the message as a vector; None: it is none
    ledger: Optional[str]  #: where it is paid for; None: it is not
    epsilon: Optional[float]  #: what it costs by itself at delta
    delta: Optional[float]  #: of the study
    not_private: Optional[str]  #: why the study protects nothing; None: it does
    heard: int  #: broadcasts, or messages of others
    heard_bytes: int
    skipped: Optional[str]  #: why the round ended without a broadcast; None: it did not


class Agent(Handle):
    """Takes a place in a federated study, or comes back to the one that its storage has.

    Everything that an agent does is in its storage before it has an effect outside: it may be interrupted or killed at
    any time, and goes on when it is made again, then without a token.
    """

    def __init__(
        self,
        coordinator: str,
        study: str,
        token: Optional[str] = None,
        fingerprint: Optional[str] = None,
        *,
        storage: str = "sqlite:///agent.db",
        epsilon: float = 0.0,
        delta: float = 0.0,
        ledger: Optional[str] = None,
        local_name: Optional[str] = None,
        records: Union[int, Mapping[str, Any], None] = None,
        consider: Optional[Callable[[Dict[str, Any]], None]] = None,
        note: Optional[Callable[[str], None]] = None,
        accept_not_private: bool = False,
        accept_restored: bool = False,
        patience_s: Optional[float] = None,
        test_seed: Optional[int] = None,
        test_key: int = 0,
    ) -> None:
        """Joins.

        coordinator, fingerprint: the URL and the key, as `tacit serve` prints them. token: to join, once.
        storage: the agent's own, for its key, its trials and its ledger. epsilon, delta: what that ledger may spend in
        all; 0: epsilon 10, and no study that may spend more. ledger: its name; studies on the same data share one.
        local_name: what the storage calls the study. records: of a study that protects validation records: how many
        there are, or a dictionary of what Study.protect takes. consider: gets the study's document before a place is
        taken, and raises an exception to refuse it. note: gets sentences that a person may want to read; None: they
        go to standard error. patience_s: so long a coordinator may stay silent. test_seed: NOT PRIVATE.
        """
        if not has_network:
            raise error(lib.TACIT_E_UNSUPPORTED, "Agent needs libtacit-net, with the network built in; it is not here")
        self._busy = threading.Lock()  # while run is under way: a handle serves one thread at a time
        self._consider, self._note = consider, note
        self._storage, self._called = storage, local_name or study
        opts = struct("tacit_agent_opts")
        texts: Dict[str, Any] = {
            "coordinator": given(coordinator, "coordinator"),
            "fingerprint": text(fingerprint, "fingerprint"),
            "study": given(study, "study"),
            "storage": given(storage, "storage"),
            "as": text(local_name, "local_name"),
            "join_token": text(token, "token"),
            "ledger": text(ledger, "ledger"),
        }
        for name, value in texts.items():
            setattr(opts, name, value)
        opts.epsilon, opts.delta = real(epsilon, "epsilon"), real(delta, "delta")
        opts.accept_not_private = flag(accept_not_private, "accept_not_private")
        opts.accept_restored = flag(accept_restored, "accept_restored")
        if patience_s is not None:
            opts.patience_s = real(patience_s, "patience_s")
        if test_seed is not None:
            opts.test_seed, opts.test_key = whole(test_seed, "test_seed"), whole(test_key, "test_key")
        mine, _kept = records_opts(**records) if isinstance(records, Mapping) else records_opts(records or 0)
        opts.records = mine if records is not None else ffi.NULL
        called = self._callbacks(opts)
        joined, end = lib.tacit_agent_join, lib.tacit_agent_close
        self._handle: Any = out(joined, "tacit_agent *", end, opts, keep=called)

    def _callbacks(self, opts: Any) -> List[Any]:
        """Sets the callbacks; they live as long as the handle does."""
        offered = "tacit_status(void *, const tacit_agent_offer *, tacit_error *)"
        stop = callback("bool(void *)", lambda _user: has_escaped(), True)
        note = callback("void(void *, const char *)", self._hear)
        opts.stop, opts.note = stop, note
        if self._consider is None:
            return [stop, note]
        consider = callback(offered, self._offered, lib.TACIT_E_STATE)
        opts.consider = consider
        return [stop, note, consider]

    def _offered(self, _user: Any, offer: Any, _err: Any) -> int:
        if self._consider is not None:
            self._consider(json.loads(string(offer.document) or "{}"))
        return int(lib.TACIT_OK)

    def _hear(self, _user: Any, said: Any) -> None:
        sentence = string(said) or ""
        if self._note is not None:
            self._note(sentence)
        else:
            print(f"pytacit: {sentence}", file=sys.stderr)

    # ---- what it is

    @property
    def number(self) -> int:
        """Its place on the roster."""
        return int(lib.tacit_agent_number(self._open()))

    @property
    def promise(self) -> str:
        """What the study may spend, for whom and towards whom, or why it is NOT PRIVATE."""
        pointer = new("char **")
        call(lib.tacit_agent_promise, self._open(), pointer)
        return string(owned(pointer[0], lib.tacit_text_free)) or ""

    @property
    def study(self) -> Study:
        """The agent's own trials; they never leave its storage. The agent is open as long as this is."""
        handle = self._open()
        return Study(owned(lib.tacit_agent_study(handle), lambda _study: None, keep=handle))

    # ---- working

    def run(self, func: Objective, catch: Catch = (), callbacks: Optional[Iterable[Callback]] = None) -> None:
        """Evaluates func(params) and takes part in rounds until the study is done.

        catch and callbacks are those of Study.optimize. Interrupted, it goes on with the same trial when it is
        called again, here or in another process.
        """
        if not callable(func):
            raise TypeError(f"func must be a function of a dict, got {type(func).__name__}")
        caught, called = exceptions(catch), functions(callbacks)
        if not self._busy.acquire(blocking=False):
            raise RuntimeError(
                "run was called by a function or a callback of run on the same agent, or by a second thread"
            )
        try:
            study = self.study
            run = Run(study, func, 2**62, True, 0, caught, called, agent=self._open())
            try:
                run.work(1)
            finally:  # an exception that somebody keeps does not keep the agent open
                run.agent = None
                study.close()
        finally:
            self._busy.release()

    # ---- what left this machine

    def inspect(self) -> List[AgentRound]:
        """What left this machine: every round with its message, its price, and what came back."""
        pointer = new("tacit_traffic **")
        call(lib.tacit_agent_inspect, pointer, text(self._storage, "storage"), text(self._called, "study"))
        traffic = owned(pointer[0], lib.tacit_traffic_free)
        return [_round(lib.tacit_traffic_get(traffic, i)) for i in range(lib.tacit_traffic_count(traffic))]

    # ---- the end

    def close(self) -> None:
        """Ends this handle, once calls that are under way have returned; another process may be this agent then."""
        self._handle = None

    def __enter__(self) -> "Agent":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _open(self) -> Any:
        handle = self._handle
        if handle is None:
            raise ValueError("the agent is closed")
        return handle


def _round(r: Any) -> AgentRound:
    digits = new("char[65]")
    lib.tacit_hash_text(ffi.addressof(r.hash), digits)
    paid = r.ledger != ffi.NULL
    return AgentRound(
        round=r.round,
        about=string(r.about) or "",
        state=string(lib.tacit_message_state_name(r.state)) or "",
        message=None if r.message == ffi.NULL else bytes(ffi.buffer(r.message, r.message_size)),
        hash=string(digits) or "",
        made=moment(r.made_ms),
        numbers=None if r.numbers == ffi.NULL else list(ffi.unpack(r.numbers, r.n_numbers)),
        ledger=string(r.ledger),
        epsilon=r.epsilon if paid and r.epsilon == r.epsilon else None,
        delta=r.delta or None,
        not_private=string(r.not_private) or None,
        heard=r.heard,
        heard_bytes=r.heard_bytes,
        skipped=string(r.skipped),
    )
