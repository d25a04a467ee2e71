"""A party of a federated study: it evaluates on its own data and shares what the study's algorithm makes of it."""

from __future__ import annotations

import contextlib
import datetime
import json
import sys
import threading
from dataclasses import dataclass, field
from typing import Any, Callable, Dict, Generator, Iterable, List, Literal, Mapping, Optional, Union

from ._library import (
    Handle,
    call,
    callback,
    error,
    ffi,
    flag,
    given,
    has_network,
    is_stopped,
    lib,
    made_text,
    new,
    out,
    owned,
    real,
    string,
    struct,
    text,
    whole,
)
from ._optimize import Callback, Objective, Run, exceptions, functions, jobs_of
from ._prune import Rule
from .exchange import Answer, Exchange, read_request
from .study import Catch, Study, records_opts
from .trial import moment

#: What an agent has to do next.
Next = Literal["trial", "wait", "done"]


@dataclass(frozen=True)
class AgentRound:
    """One round: the message that the agent made, what it cost, and what came back."""

    round: int
    about: str  #: what agents send in this round; "": all rounds are about the same
    state: str  #: "ready", "withheld", "leaving", "sent" or "before", as <tacit/agent.h> has them
    message: Optional[bytes] = field(repr=False)  #: as it was made
    hash: str  #: of it: BLAKE2b-256
    made: Optional[datetime.datetime]
    numbers: Optional[List[float]] = field(repr=False)  #: the message as a vector; None: it is none
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
        coordinator: Union[str, Exchange],
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
        ca: Optional[str] = None,
        proxy: Optional[str] = None,
        roster: Optional[str] = None,
    ) -> None:
        """Joins.

        coordinator, fingerprint: the URL and the key, as `tacit serve` prints them; or a function that carries a
        Request to the coordinator by another way and returns its Answer. token: to join, once.
        storage: the agent's own, for its key, its trials and its ledger. epsilon, delta: what that ledger may spend in
        all; 0: epsilon 10, and no study that may spend more. ledger: its name; studies on the same data share one.
        local_name: what the storage calls the study. records: of a study that protects validation records: how many
        there are, or a dictionary of what Study.protect takes. consider: gets the study's document before a place is
        taken, returns None, and raises an exception to refuse it. note: gets sentences that a person may want to read; None: they
        go to standard error. patience_s: so long a coordinator may stay silent. test_seed: NOT PRIVATE.
        ca, proxy: as in create_study. roster: in a study with trustees, the fingerprint that its roster must have.
        """
        if not has_network:
            raise error(lib.TACIT_E_UNSUPPORTED, "Agent needs libtacit-net, with the network built in; it is not here")
        self._busy = threading.Lock()  # while run is under way: a handle serves one thread at a time
        self._consider, self._note = consider, note
        self._exchange = None if isinstance(coordinator, str) else coordinator
        self._said: Any = None  # the answer that the library reads now
        self._storage, self._called = storage, local_name or study
        opts = struct("tacit_agent_opts")
        texts: Dict[str, Any] = {
            "coordinator": text(None, "") if callable(coordinator) else given(coordinator, "coordinator"),
            "fingerprint": text(fingerprint, "fingerprint"),
            "ca": text(ca, "ca"),
            "proxy": text(proxy, "proxy"),
            "roster": text(roster, "roster"),
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
        carried = "tacit_status(void *, const tacit_request *, tacit_agent_answer *, tacit_error *)"
        kept = [callback("bool(void *)", is_stopped, True), callback("void(void *, const char *)", self._hear)]
        opts.stop, opts.note = kept
        if self._consider is not None:
            consider = callback(offered, self._offered, lib.TACIT_E_STATE)
            opts.consider = consider
            kept.append(consider)
        if self._exchange is not None:
            exchange = callback(carried, self._carry, lib.TACIT_E_CANCELLED)
            opts.exchange = exchange
            kept.append(exchange)
        return kept

    def _offered(self, _user: Any, offer: Any, _err: Any) -> int:
        answer: Any = None if self._consider is None else self._consider(json.loads(string(offer.document) or "{}"))
        if answer is not None:
            raise TypeError(
                f"consider must return None, or raise an exception to refuse the study, got {type(answer).__name__}"
            )
        return int(lib.TACIT_OK)

    def _carry(self, _user: Any, asked: Any, answer: Any, _err: Any) -> int:
        assert self._exchange is not None
        said: Any = self._exchange(read_request(asked))
        if not isinstance(said, Answer):
            raise TypeError(f"coordinator must return a pytacit.Answer, got {type(said).__name__}")
        body = said.body.encode("utf-8")
        self._said = new("char[]", body)
        answer.status, answer.body, answer.body_size = whole(said.status, "status"), self._said, len(body)
        return int(lib.TACIT_OK)

    def _hear(self, _user: Any, said: Any) -> None:
        self._say(string(said) or "")

    def _say(self, sentence: str) -> None:
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
        return made_text(lib.tacit_agent_promise, self._open())

    @property
    def study(self) -> Study:
        """The agent's own trials; they never leave its storage. The agent is open as long as this is."""
        handle = self._open()
        return Study(owned(lib.tacit_agent_study(handle), lambda _study: None, keep=handle))

    # ---- working

    def run(
        self,
        func: Objective,
        catch: Catch = (),
        callbacks: Optional[Iterable[Callback]] = None,
        *,
        n_jobs: int = 1,
        prune: Rule = None,
    ) -> None:
        """Evaluates func(params) and takes part in rounds until the study is done.

        n_jobs: so many trials at the same time, in threads, between two looks at the rounds; -1 is one for each core.
        catch, callbacks and prune are those of Study.optimize; intermediate values stay in the agent's storage. Interrupted, it goes on
        with the same trial when it is called again, here or in another process.
        """
        self._work("run", func, catch, callbacks, prune, jobs_of(n_jobs))
        rounds = self.inspect()
        withheld = sum(sent.state == "withheld" for sent in rounds)
        if withheld:
            self._say(
                f"{withheld} of {len(rounds)} messages were withheld: the ledger's own limit (epsilon, delta) did not "
                "allow their price, and this agent searched without what the others found"
            )

    def step(self, wait_s: float = 0.0) -> Next:
        """For programs with a loop of their own: does what rounds ask for, as far as it can be done now.

        Returns what comes next: "trial": call evaluate, then step again; "wait": a round is not over, step again
        later; "done". wait_s: so long the coordinator may hold a question that it cannot answer yet.
        """
        found = new("tacit_agent_next *")
        with self._at_work("step"):
            call(lib.tacit_agent_step, self._open(), real(wait_s, "wait_s"), found)
        names: Dict[int, Next] = {lib.TACIT_AGENT_TRIAL: "trial", lib.TACIT_AGENT_DONE: "done"}
        return names.get(found[0], "wait")

    def evaluate(
        self,
        func: Objective,
        catch: Catch = (),
        callbacks: Optional[Iterable[Callback]] = None,
        *,
        prune: Rule = None,
    ) -> None:
        """After step has returned "trial": evaluates func(params) once, as run does.

        A trial that was interrupted, here or in an earlier process, comes first. Where records are protected, what func
        raises is only logged (logger "pytacit"): if the loop ended there, others would see that the evaluation failed.
        """
        self._work("evaluate", func, catch, callbacks, prune)

    @contextlib.contextmanager
    def _at_work(self, what: str) -> Generator[None, None, None]:
        """One call at a time works with the handle."""
        if not self._busy.acquire(blocking=False):
            raise RuntimeError(
                f"{what} was called by a function or a callback of run on the same agent, or by a second thread"
            )
        try:
            yield
        finally:
            self._busy.release()

    def _work(
        self,
        what: str,
        func: Objective,
        catch: Catch,
        callbacks: Optional[Iterable[Callback]],
        prune: Rule,
        jobs: int = 1,
    ) -> None:
        if not callable(func):
            raise TypeError(f"func must be a function of a dict, got {type(func).__name__}")
        caught, called = exceptions(catch), functions(callbacks)
        once = what == "evaluate"
        with self._at_work(what):
            study = self.study
            agent, tickets = (None, 1) if once else (self._open(), 2**62)
            run = Run(
                study, func, tickets, not once, 0, caught, called, agent=agent, alone=once, jobs=jobs, prune=prune
            )
            try:
                run.work(1)
            finally:  # an exception that somebody keeps does not keep the agent open
                run.agent = agent = None
                study.close()

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
