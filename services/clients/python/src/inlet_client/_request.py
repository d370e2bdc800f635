"""What a call sends, and when it is repeated: without I/O, for the sync and the async client."""

from __future__ import annotations

import json
import re
import uuid
from collections.abc import Awaitable, Callable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timezone
from typing import Any, Literal, TypedDict
from urllib.parse import quote, urlsplit

from .errors import InletError
from .types import VERSION

TIMEOUT = 30.0
MAX_RETRIES = 2
_JSON = "application/json"
_SAFE_METHODS = {"GET", "HEAD", "PUT", "DELETE"}
_LOOPBACK = re.compile(r"localhost|127(\.[0-9]+){3}|::1")
_TEMPORARY = {408, 500, 502, 503, 504}  # these may have had an effect before they failed
_FIRST_PAUSE = 0.5
_MAX_PAUSE = 8.0
_MAX_RETRY_AFTER = 60  # a limit that ends later is reported instead
_REMEMBERED_MAX = 10_000

# How a list asks for a page.
AsyncRead = Callable[[dict[str, Any]], Awaitable[dict[str, Any]]]
Read = Callable[[dict[str, Any]], dict[str, Any]]


class CallOptions(TypedDict, total=False):
    """Options of one call."""

    timeout: float
    """Seconds without progress, for one attempt. The time that the API itself waits is added."""
    max_retries: int
    """How often the call is repeated, where this is safe."""
    idempotency_key: str
    """A repeated POST with the same key has no second effect for 24 hours."""
    headers: dict[str, str]


@dataclass(frozen=True)
class Operation:
    """An operation of the API, as the generated classes describe it."""

    method: str
    path: str
    body: str | None = None
    query: tuple[str, ...] = ()
    """Fields that belong to the query, for an operation with a JSON body."""
    headers: tuple[str, ...] = ()
    """Fields that are sent as headers."""
    is_keyed: bool = False
    """Takes an Idempotency-Key."""
    response: Literal["json", "text", "bytes", "stream"] = "json"
    max_items: int | None = None
    """For lists: items of the largest page; 0 for a list without pages."""


@dataclass(frozen=True)
class Request:
    method: str
    path: str
    query: dict[str, str] = field(default_factory=dict)
    headers: dict[str, str] = field(default_factory=dict, repr=False)  # has the token
    content: bytes | None = None
    timeout: float = TIMEOUT
    max_retries: int = MAX_RETRIES

    @property
    def is_repeatable(self) -> bool:
        """A second attempt has no second effect."""
        has_key = self.method == "POST" and "idempotency-key" in self.headers
        return self.method in _SAFE_METHODS or has_key


@dataclass(frozen=True)
class Config:
    api_url: str
    token: str = field(repr=False)
    timeout: float
    max_retries: int

    def request(
        self,
        operation: Operation,
        ids: tuple[str, ...],
        fields: Mapping[str, Any],
        options: CallOptions | None,
        content: bytes | str | None = None,
    ) -> Request:
        given: CallOptions = options or {}
        rest = {name: value for name, value in fields.items()}
        headers = {
            "authorization": f"Bearer {self.token}",
            "user-agent": f"inlet-client-python/{VERSION}",
        }
        if operation.body is not None:
            headers["content-type"] = operation.body
        for name in operation.headers:
            value = rest.pop(name.lower().replace("-", "_"), None)
            if value is not None:
                headers[name.lower()] = _text(value)
        key = given.get("idempotency_key") or (str(uuid.uuid4()) if operation.is_keyed else None)
        if key is not None:
            headers["idempotency-key"] = key
        for name, value in given.get("headers", {}).items():
            headers[name.lower()] = value
        query = rest
        body = content.encode() if isinstance(content, str) else content
        if operation.body == _JSON:
            query = {name: rest.pop(name) for name in operation.query if name in rest}
            body = json.dumps(rest).encode()
        waits = query.get("timeout", query.get("wait"))
        return Request(
            method=operation.method,
            path=path_of(operation.path, ids),
            query={name: _text(value) for name, value in query.items() if value is not None},
            headers=headers,
            content=body,
            timeout=given.get("timeout", self.timeout) + (waits if isinstance(waits, int) else 0),
            max_retries=given.get("max_retries", self.max_retries),
        )

    def url(self, request: Request) -> str:
        return f"{self.api_url}{request.path}"


def checked_api_url(api_url: str, allow_http: bool) -> str:
    """With /v1. Raises ValueError for a URL that would send the token unencrypted."""
    parts = urlsplit(api_url)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise ValueError(f"{api_url} is not an HTTP URL")
    if parts.scheme == "http" and not allow_http and not _LOOPBACK.fullmatch(parts.hostname):
        raise ValueError(f"{api_url} would send the token unencrypted: use https")
    path = parts.path.rstrip("/")
    return f"{parts.scheme}://{parts.netloc}{path or '/v1'}"


def path_of(template: str, ids: tuple[str, ...]) -> str:
    """Raises ValueError for an id that would lead to another operation."""
    for one in ids:
        if not isinstance(one, str) or one in ("", ".", ".."):
            raise ValueError(f"{one!r} is not an id")
    rest = list(ids)
    return re.sub(r"\{\w+\}", lambda _: quote(rest.pop(0), safe=""), template)


def iso_time(time: str | datetime) -> str:
    if isinstance(time, str):
        return time
    return time.astimezone(timezone.utc).strftime("%Y-%m-%dT%H:%M:%S.%fZ")


def _text(value: object) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return iso_time(value) if isinstance(value, datetime) else str(value)


def pause_before_retry(
    failure: InletError, attempt: int, max_retries: int, is_repeatable: bool, random: float
) -> float | None:
    """Seconds until the next attempt; None when there is none. `attempt` counts from 1."""
    if attempt > max_retries or not _may_repeat(failure, is_repeatable):
        return None
    if failure.retry_after is None:
        return float(min(_FIRST_PAUSE * 2 ** (attempt - 1), _MAX_PAUSE)) * (0.5 + random / 2)
    if failure.retry_after > _MAX_RETRY_AFTER:
        return None
    return failure.retry_after + random * _FIRST_PAUSE


def _may_repeat(failure: InletError, is_repeatable: bool) -> bool:
    if failure.status == 429:
        return True  # refused before it did anything
    if not is_repeatable:
        return False
    if failure.status is None:
        return failure.kind in ("unreachable", "timeout")
    # 409 with Retry-After: the first attempt is still in progress
    in_progress = failure.status == 409 and failure.retry_after is not None
    return failure.status in _TEMPORARY or in_progress


class Walk:
    """Goes through the pages of a list. Items that a new one moves to the next page come once."""

    def __init__(self, operation: Operation, fields: Mapping[str, Any]) -> None:
        self._has_pages = bool(operation.max_items)
        self._limit = int(fields.get("limit") or operation.max_items or 0)
        self._offset = int(fields.get("offset") or 0)
        self._fields = dict(fields)
        self._seen: dict[str, None] = {}
        self.is_over = False

    def fields(self) -> dict[str, Any]:
        """Of the next page."""
        if not self._has_pages:
            return self._fields
        return {**self._fields, "limit": self._limit, "offset": self._offset}

    def new_items(self, page: dict[str, Any]) -> Iterator[Any]:
        self._offset += self._limit
        has_more = page.get("pagination", {}).get("has_more", False)
        self.is_over = not self._has_pages or not page["data"] or not has_more
        for item in page["data"]:
            name = item.get("id", item.get("event_id"))
            if name in self._seen:
                continue
            yield item
            if name is not None:
                self._seen[name] = None
            if len(self._seen) > _REMEMBERED_MAX:
                del self._seen[next(iter(self._seen))]


def json_of(text: str, status: int) -> Any:
    try:
        return json.loads(text)
    except ValueError as error:
        message = "The response is not JSON"
        raise InletError("unexpected_response", message, status=status) from error


def page_of(body: Any) -> dict[str, Any]:
    if isinstance(body, dict) and isinstance(body.get("data"), list):
        return body
    raise InletError("unexpected_response", "The response is not a list")
