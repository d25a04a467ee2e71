"""What a Flower message carries: JSON with the requests of an agent in one direction, and their answers in the other.

A query goes from the ServerApp to a ClientApp:
    {"version": 1, "study": "ward", "token": "...", "answers": [{"to": KEY, "status": 200, "body": "..."}]}
A reply comes back:
    {"version": 1, "outcome": "wait", "agent": 0, "requests": [{"method": "GET", "path": "/v1/studies/ward"}]}
"""

from __future__ import annotations

import hashlib
import json
import re
from dataclasses import asdict, dataclass, fields, replace
from typing import Any, Dict, List, Mapping, Optional

from ..exchange import Answer, Request

VERSION = 1

#: What came of a query. "wait": requests have no answer yet, or a round is not over. "more": there are more trials to
#: evaluate. "busy": an earlier query is still at work. "refused": the node takes no part. "done", "failed".
OUTCOMES = ("wait", "more", "busy", "done", "refused", "failed")

#: An agent never sends more.
REQUESTS_MOST = 1000
BYTES_MOST = 64 << 20


class BundleError(ValueError):
    """What came is not a bundle."""


@dataclass(frozen=True)
class Query:
    """What a node gets to go on with."""

    study: str
    token: Optional[str]  # to join; None: the node has its place
    answers: Dict[str, Answer]  # by the key of their requests


@dataclass(frozen=True)
class Reply:
    """What a node has asked, and how far it came."""

    outcome: str
    agent: Optional[int]  # its number on the roster; None: it did not get as far as that
    requests: List[Request]  # of this query, in the order in which they were asked


def key_of(request: Request) -> str:
    """Tells requests apart: an answer names its request by it."""
    return _hash(json.dumps(asdict(request), sort_keys=True))


def ask_once(request: Request) -> Request:
    """Gives an enrolment an Idempotency-Key: the coordinator then repeats its answer.

    Without one, a second enrolment would end the access token that the answer to the first one brings.
    """
    if request.method != "POST" or not request.path.endswith("/agents"):
        return request
    return replace(request, idempotency=_hash(request.body or ""))


def _hash(text: str) -> str:
    return hashlib.blake2b(text.encode("utf-8"), digest_size=16).hexdigest()


# ---- writing


def write_query(query: Query) -> bytes:
    """As a message carries it."""
    answers = [{"to": key, "status": a.status, "body": a.body} for key, a in query.answers.items()]
    return _write({"study": query.study, "token": query.token, "answers": answers})


def write_reply(reply: Reply) -> bytes:
    """As a message carries it."""
    requests = [{k: v for k, v in asdict(request).items() if v is not None} for request in reply.requests]
    return _write({"outcome": reply.outcome, "agent": reply.agent, "requests": requests})


def _write(members: Mapping[str, Any]) -> bytes:
    return json.dumps({"version": VERSION, **members}).encode("utf-8")


# ---- reading


def read_query(content: Any) -> Query:
    """BundleError: it is none, and what is wrong."""
    members = _read(content, "query")
    answers: Dict[str, Answer] = {}
    for given in _list(members, "answers", "query"):
        status, body = _member(given, "status", int, "answer"), _member(given, "body", str, "answer")
        answers[_member(given, "to", str, "answer")] = Answer(status, body)
    return Query(_member(members, "study", str, "query"), _member(members, "token", str, "query", True), answers)


def read_reply(content: Any) -> Reply:
    """BundleError: it is none, and what is wrong."""
    members = _read(content, "reply")
    outcome = _member(members, "outcome", str, "reply")
    if outcome not in OUTCOMES:
        raise BundleError(f"outcome of a reply must be one of {', '.join(OUTCOMES)}, got {outcome[:40]!r}")
    requests = [_request(given) for given in _list(members, "requests", "reply")]
    if len(requests) > REQUESTS_MOST:
        raise BundleError(f"a reply must have {REQUESTS_MOST} requests or fewer, got {len(requests)}")
    return Reply(outcome, _member(members, "agent", int, "reply", True), requests)


def _request(given: Any) -> Request:
    needed = ("method", "path")
    texts = {f.name: _member(given, f.name, str, "request", f.name not in needed) for f in fields(Request)}
    for name, text in texts.items():
        if text is not None and re.search("[\0\ud800-\udfff]", text):
            raise BundleError(f"{name} of a request must not have a character of code 0 or half a surrogate pair")
    return Request(**texts)


def _read(content: Any, what: str) -> Dict[str, Any]:
    if not isinstance(content, bytes):
        raise BundleError(f"a {what} of tacit must be bytes, got {type(content).__name__}")
    if len(content) > BYTES_MOST:
        raise BundleError(f"a {what} of tacit must have {BYTES_MOST >> 20} MiB or fewer, got {len(content)} bytes")
    try:
        members: Any = json.loads(content.decode("utf-8"))
    except (ValueError, RecursionError):
        raise BundleError(f"a {what} of tacit must be JSON, and this one is not") from None
    version = _member(members, "version", int, what)
    if version != VERSION:
        raise BundleError(
            f"the {what} is of version {version} and this pytacit speaks version {VERSION}: install the same pytacit "
            "for the ServerApp and for all SuperNodes"
        )
    return members


def _list(members: Any, name: str, what: str) -> List[Any]:
    return _member(members, name, list, what)


def _member(members: Any, name: str, kind: type, what: str, optional: bool = False) -> Any:
    """A member of a JSON object, which must be of this kind."""
    if not isinstance(members, dict):
        raise BundleError(f"a {what} must be an object, got {_kind(members)}")
    known: Dict[str, Any] = members  # pyright: ignore
    value = known.get(name)
    if value is None and optional:
        return None
    if not isinstance(value, kind) or isinstance(value, bool):
        raise BundleError(f"{name} of a {what} must be {kind.__name__}, got {_kind(value)}")
    return value


def _kind(value: Any) -> str:
    return "nothing" if value is None else type(value).__name__
