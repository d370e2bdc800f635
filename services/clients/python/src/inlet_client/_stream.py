"""Events of GET /stream: how they are read, and what continues after a lost connection."""

from __future__ import annotations

import codecs
import json
import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, cast

from . import types as t
from ._request import CallOptions, Operation, Request, pause_before_retry
from .errors import InletError

SILENCE = 45.0  # seconds: three heartbeats
LINE_MAX_CHARS = 1_000_000  # the longest line that the API sends is far below it
_LONGEST_PAUSE_AFTER = 5
STREAM = Operation("GET", "/stream", response="stream")
STREAM_OPTIONS: CallOptions = {"headers": {"accept": "text/event-stream"}}


@dataclass
class EventReader:
    """Turns the bytes of all connections into events, and remembers the last id."""

    types: Sequence[str] | None
    last_id: str | None = None
    failures: int = 0
    _rest: str = ""
    _data: list[str] = field(default_factory=list)
    _decoder: codecs.IncrementalDecoder = field(
        default_factory=lambda: codecs.getincrementaldecoder("utf-8")(errors="replace")
    )

    def begin(self, request: Request) -> Request:
        """The request of the next connection."""
        self._rest, self._data = "", []
        self._decoder.reset()
        if self.last_id is None:
            return request
        return replace(request, headers={**request.headers, "last-event-id": self.last_id})

    def events(self, chunk: bytes) -> Iterator[t.LiveEvent]:
        """https://html.spec.whatwg.org/multipage/server-sent-events.html"""
        self.failures = 0
        *lines, self._rest = (self._rest + self._decoder.decode(chunk)).split("\n")
        if len(self._rest) > LINE_MAX_CHARS:
            raise InletError("unexpected_response", "The stream has a line that is too long")
        for line in lines:
            name, _, value = line.rstrip("\r").partition(":")
            value = value.removeprefix(" ")
            if name == "id":
                self.last_id = value
            elif name == "data":
                self._data.append(value)
            elif name == "" and value == "" and self._data:
                event = cast("t.LiveEvent", json.loads("\n".join(self._data)))
                self._data = []
                if self.types is None or event["type"] in self.types:
                    yield event

    def pause(self, error: InletError | None) -> float | None:
        """Seconds until the next connection; None when the API refuses the stream for good."""
        lost = error or InletError("unreachable", "The stream ended")
        self.failures = min(self.failures + 1, _LONGEST_PAUSE_AFTER)
        return pause_before_retry(lost, self.failures, self.failures, True, random.random())


def stream_fields(
    types: Sequence[str] | None, address_id: str | None, receiver_id: str | None, since: str | None
) -> dict[str, Any]:
    """`stream.ready` and `stream.gap` always come, so they are no filter."""
    named = [one for one in types or () if not one.startswith("stream.")]
    return {
        "types": ",".join(named) or None,
        "address_id": address_id,
        "receiver_id": receiver_id,
        "since": since,
    }
