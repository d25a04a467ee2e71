"""Requests of agents and answers of coordinators, for programs that carry them by a way of their own.

An Agent whose coordinator is a function calls it with each Request; Coordinator.answer answers one where it arrives.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Callable, List, Optional

from ._library import ffi, lib, string, struct, text


@dataclass(frozen=True)
class Request:
    """A request of the coordinator's protocol. It has tokens in it: keep it secret."""

    method: str  #: "POST"
    path: str  #: "/v1/studies/ward", without the query
    query: Optional[str] = None
    protocol: Optional[str] = None  #: the version that it is written in
    bearer: Optional[str] = field(default=None, repr=False)  #: the token of who asks
    signature: Optional[str] = field(default=None, repr=False)
    idempotency: Optional[str] = field(default=None, repr=False)  #: under the same key, the same answer
    body: Optional[str] = field(default=None, repr=False)  #: JSON


@dataclass(frozen=True)
class Answer:
    """What a coordinator answered."""

    status: int  #: of HTTP: 200, 404
    body: str = field(default="", repr=False)
    waits: bool = False  #: "not yet": to be asked again when something has changed


#: Carries a request to the coordinator and returns its answer. What it raises ends the call of the agent that asked.
Exchange = Callable[[Request], Answer]

#: The members of tacit_request that are texts, which are the fields of a Request but for its body.
TEXTS = ("method", "path", "query", "protocol", "bearer", "signature", "idempotency")


def read_request(asked: Any) -> Request:
    """A tacit_request, as the library hands it out."""
    body = bytes(ffi.buffer(asked.body, asked.body_size)).decode("utf-8") if asked.body_size else None
    texts = {name: string(getattr(asked, name)) for name in TEXTS}
    return Request(texts.pop("method") or "", texts.pop("path") or "", body=body, **texts)


def write_request(request: Request) -> "tuple[Any, List[Any]]":
    """A tacit_request for the library, and the texts that it points at."""
    made = struct("tacit_request")
    kept = [text(getattr(request, name), name) for name in TEXTS]
    for name, value in zip(TEXTS, kept):
        setattr(made, name, value)
    body = text(request.body, "body")
    made.body, made.body_size = body, 0 if request.body is None else len(request.body.encode("utf-8"))
    return made, kept + [body]


def read_answer(response: Any) -> Answer:
    """A tacit_response."""
    return Answer(
        int(lib.tacit_response_status(response)),
        string(lib.tacit_response_body(response)) or "",
        bool(lib.tacit_response_waits(response)),
    )
