"""A coordinator in this process, over HTTPS: for notebooks, tests and small federations.

It is what `tacit serve` runs (<tacit/coordinator.h>). Who has the object is the operator.
"""

from __future__ import annotations

import ipaddress
import json
from typing import Any, Dict, Mapping, Optional, Sequence, Union

from ._library import (
    Handle,
    as_json,
    call,
    error,
    ffi,
    flag,
    given,
    has_network,
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
from .errors import BY_NAME, ConflictError
from .exchange import Answer, Request, read_answer, write_request
from .study import SearchSpace, study_document


class Coordinator(Handle):
    """Serves the studies of a storage as long as it is open.

        with pytacit.Coordinator("sqlite:///coordinator.db") as coordinator:
            coordinator.create_study("ward", space, "minimize", algorithm="dp-fts-de", agents=3, ...)
            token = coordinator.invite("ward", uses=3)
            agent = pytacit.Agent(coordinator.url, "ward", token, coordinator.fingerprint, ...)

    It may be used by several threads, and agents may be threads of the same process. All that it has acknowledged is
    in its storage: a process may be killed, and another goes on with the same storage.
    """

    def __init__(
        self,
        storage: str = "sqlite:///coordinator.db",
        *,
        listen: Optional[str] = "127.0.0.1:0",
        host: Optional[str] = None,
        allow_other_machines: bool = False,
        threads: int = 0,
        test_seed: Optional[int] = None,
    ) -> None:
        """Opens the storage, which is made if it is absent, and listens.

        storage: "sqlite:///FILE", "postgresql://HOST/DATABASE", or "memory:" (gone with this object). listen: an
        address and a port, 0 is any that is free; an address that other machines reach needs allow_other_machines.
        None: it does not listen, and answers what the program hands to answer().
        host: the name for the certificate, where it is not that of listen. threads: that answer; 0: 32.
        test_seed: noise, keys and tokens come from it: NOT PRIVATE.
        """
        if not has_network:
            raise error(
                lib.TACIT_E_UNSUPPORTED, "Coordinator needs libtacit-net, with the network built in; it is not here"
            )
        if not flag(allow_other_machines, "allow_other_machines") and listen is not None and not _is_here(listen):
            raise ValueError(
                f"listen is {listen}, which other machines may reach: say allow_other_machines=True, or listen at "
                "127.0.0.1"
            )
        self._token: Optional[str] = None  # the operator's, where this object was shown it
        opts, where = struct("tacit_coordinator_opts"), given(storage, "storage")
        opts.storage = where
        if test_seed is not None:
            opts.test_seed = whole(test_seed, "test_seed")
        server = new("tacit_server **")

        def end(coordinator: Any) -> None:
            lib.tacit_server_stop(server[0])  # NULL until it is started
            lib.tacit_coordinator_close(coordinator)

        self._handle: Any = None
        self._url: Optional[str] = None  # it does not listen
        self._fingerprint: Optional[str] = None
        handle = out(lib.tacit_coordinator_open, "tacit_coordinator *", end, opts)
        if listen is not None:
            self._start(server, handle, listen, host, threads)
        self._handle = handle

    def _start(self, server: Any, handle: Any, listen: str, host: Optional[str], threads: int) -> None:
        serving, address, name = struct("tacit_server_opts"), given(listen, "listen"), text(host, "host")
        serving.listen, serving.host, serving.threads = address, name, whole(threads, "threads", 2**31 - 1)
        call(lib.tacit_server_start, server, handle, serving)
        self._url = string(lib.tacit_server_url(server[0]))
        self._fingerprint = string(lib.tacit_server_fingerprint(server[0]))

    # ---- where it is

    @property
    def url(self) -> str:
        """Where agents and clients find it: "https://127.0.0.1:PORT"."""
        return self._listening(self._url)

    @property
    def fingerprint(self) -> str:
        """Of its key: who joins compares it. The same for a storage, whenever it is opened."""
        return self._listening(self._fingerprint)

    def _listening(self, known: Optional[str]) -> str:
        self._open()
        if known is None:
            raise ValueError("the coordinator does not listen: it was opened with listen=None")
        return known

    def __repr__(self) -> str:
        where = "(closed)" if self._handle is None else self._url or "(does not listen)"
        return f"<pytacit.Coordinator {where}>"

    # ---- the operator's

    def create_study(
        self,
        name: str,
        space: SearchSpace,
        direction: Optional[str] = None,
        *,
        objectives: Optional[Mapping[str, str]] = None,
        constraints: Optional[Mapping[str, Mapping[str, float]]] = None,
        reference: Optional[Mapping[str, float]] = None,
        algorithm: Union[str, Mapping[str, Any], None] = None,
        trials: Optional[int] = None,
        seed: Optional[int] = None,
        agents: Optional[int] = None,
        deadline_s: Optional[float] = None,
        federation: Optional[Mapping[str, Any]] = None,
        privacy: Union[str, Mapping[str, Any], None] = None,
        linear: Optional[Sequence[str]] = None,
    ) -> str:
        """Creates a study and returns its name. A federated one has agents, or federation={"agents": ...}; without
        them it is a served one, whose trials this coordinator computes.

        deadline_s: after so long a round ends with those who came. privacy: a federated study must say it, and may say
        "none". The rest is as in pytacit.create_study. A study
        that is there already is a ConflictError.
        """
        if federation is not None and not isinstance(federation, Mapping):
            raise TypeError(f"federation must be a dict, got {type(federation).__name__}")
        together: Dict[str, Any] = dict(federation or {})
        for key, value in (("agents", agents), ("deadline_s", deadline_s)):
            if value is not None and key in together:
                raise ValueError(f"{key} is given twice: by itself and in federation")
            if value is not None:
                together[key] = value
        document = study_document(
            name,
            space,
            direction,
            objectives=objectives,
            constraints=constraints,
            reference=reference,
            algorithm=algorithm,
            trials=trials,
            seed=seed,
            federation=together or None,
            privacy=privacy,
            linear=linear,
        )
        self.create(document)
        return name

    def create(self, document: Mapping[str, Any], reuse: bool = False) -> None:
        """Creates the study that a study document describes. reuse: a study of the same description that is there
        already is taken as it is; of another description, it is a StateError that names the field.
        """
        written = as_json(document, "")
        try:
            call(lib.tacit_coordinator_create, self._open(), text(written, "document"))
        except ConflictError:
            if not reuse:
                raise
            self._compare(str(document["name"]), written)

    def _compare(self, name: str, written: str) -> None:
        kept = str(self.request("GET", _path(name))["document"])
        points = self._answer(Request("GET", f"{_path(name)}/points"), as_operator=True)
        candidates = text(points.body, "points") if points.status == 200 else ffi.NULL
        made, end = "tacit_document *", lib.tacit_document_free
        stored = out(lib.tacit_document_restore, made, end, text(kept, "document"), candidates)
        given = out(lib.tacit_document_parse, made, end, text(written, "document"))
        call(lib.tacit_document_same, stored, given)
        trials = lib.tacit_document_trials(stored), lib.tacit_document_trials(given)
        if trials[0] != trials[1]:
            sentence = f"trials is {trials[0]} in the stored study but {trials[1]} in the one given"
            raise error(lib.TACIT_E_STATE, sentence)

    def invite(self, study: str, uses: Optional[int] = None, expires_s: float = 0.0) -> str:
        """A token with which `uses` agents may join a federated study (None: as many as it has places); of a served
        study any number of clients share one, and uses is not given. expires_s: seconds until it ends; 0: never.
        """
        if uses is None:
            uses = int(self.study_state(study).get("agents") or 0)
        seconds = real(expires_s, "expires_s")
        named = given(study, "study")
        return made_text(lib.tacit_coordinator_invite, self._open(), named, whole(uses, "uses"), seconds)

    def operator_token(self, another: bool = False) -> str:
        """The operator's token, for create_study(..., storage=c.url, token=...) and `tacit remote`.

        A storage shows its first one once; later objects say another=True, and those that there are stay valid. What
        is asked of this object needs none.
        """
        if self._token is not None and not another:
            return self._token
        pointer = new("char **")
        call(lib.tacit_coordinator_operator_token, self._open(), flag(another, "another"), pointer)
        if pointer[0] == ffi.NULL:
            raise error(
                lib.TACIT_E_STATE,
                "the operator's token of this storage was shown when it was made: operator_token(another=True) makes "
                "one more",
            )
        self._token = string(owned(pointer[0], lib.tacit_text_free)) or ""
        return self._token

    # ---- looking

    def study_state(self, study: str) -> Dict[str, Any]:
        """How a study stands: its document and state, and of a federated one its roster and round."""
        state = self.request("GET", _path(study))
        state["document"] = json.loads(state["document"])
        return state

    def study_ledger(self, study: str) -> Dict[str, Any]:
        """The ledger of a federated study, as others may check it: what tacit_ledger_import reads."""
        return self.request("GET", _path(study) + "/privacy")

    def request(self, method: str, path: str, body: Optional[Mapping[str, Any]] = None) -> Dict[str, Any]:
        """An operator's request, answered in this process: the routes are those of <tacit/net.h>."""
        written = None if body is None else as_json(body, "body")
        answered = self._answer(Request(method, path, body=written), as_operator=True)
        answer: Dict[str, Any] = json.loads(answered.body or "{}")
        if answered.status >= 300:
            said = answer.get("detail") or answer.get("title") or f"HTTP status {answered.status}"
            raise error(_code(answered.status, answer), str(said))
        return answer

    # ---- requests that came by another way

    def answer(self, request: Request) -> Answer:
        """Answers a request of anybody's, which has its own token. A refusal is an answer, too."""
        return self._answer(request, as_operator=False)

    def _answer(self, request: Request, as_operator: bool) -> Answer:
        pointer = new("tacit_response **")
        asked, _kept = write_request(request)
        asked.as_operator = as_operator
        call(lib.tacit_coordinator_handle, self._open(), asked, pointer)
        return read_answer(owned(pointer[0], lib.tacit_response_free))

    def tick(self) -> None:
        """Closes rounds that are complete or whose time is up. One that listens does it by itself; for one that does
        not, call this after requests and every second.
        """
        call(lib.tacit_coordinator_tick, self._open(), ffi.NULL)

    # ---- the end

    def close(self) -> None:
        """Answers what was asked, then ends. Agents that are left wait for it to come back."""
        self._handle = None

    def __enter__(self) -> "Coordinator":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _open(self) -> Any:
        handle = self._handle
        if handle is None:
            raise ValueError("the coordinator is closed")
        return handle


def _path(study: str) -> str:
    if not isinstance(study, str):
        raise TypeError(f"study must be a str, got {type(study).__name__}")
    if not study or "/" in study:
        raise ValueError(f"study must be the name of a study, got {study!r}")
    return f"/v1/studies/{study}"


def _is_here(listen: str) -> bool:
    """An address of loopback; what is no address at all, the library refuses."""
    host = listen.rpartition(":")[0].strip("[]") if isinstance(listen, str) else ""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return True


def _code(status: int, refusal: Mapping[str, Any]) -> int:
    """The code of a refusal: the word of its type, "urn:tacit:problem:not-found". What failed inside is E_IO."""
    name = "E_" + str(refusal.get("type")).rpartition(":")[2].replace("-", "_").upper()
    if status >= 500 and status != 501:
        name = "E_IO"
    elif name not in BY_NAME:
        name = {404: "E_NOT_FOUND", 405: "E_UNSUPPORTED"}.get(status, "E_STATE")
    return int(getattr(lib, f"TACIT_{name}"))
