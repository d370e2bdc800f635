"""Failures of calls and of webhooks."""

from __future__ import annotations

import json
import re
import time
from collections.abc import Mapping
from typing import Any


class InletError(Exception):
    """A call failed. Decide by `kind` and `details["code"]`; the message is for people."""

    def __init__(
        self,
        kind: str,
        message: str,
        *,
        status: int | None = None,
        request_id: str | None = None,
        details: dict[str, Any] | None = None,
        retry_after: int | None = None,
    ) -> None:
        super().__init__(message)
        self.kind = kind
        """`error` of the response, or `unreachable`, `timeout`, `unexpected_response`, `no_email`."""
        self.status = status
        """Of the response, if there was one."""
        self.request_id = request_id
        """Quote it to support."""
        self.details = details
        """For `validation_failed` and some `conflict`: `field` and `code`."""
        self.retry_after = retry_after
        """Seconds, when the API says so."""


class WebhookVerificationError(Exception):
    """The request is not from Inlet, or too old. Respond with 401."""

    def __init__(self, kind: str, message: str) -> None:
        super().__init__(message)
        self.kind = kind
        """`header`, `timestamp`, `signature` or `body`."""


def error_of(status: int, headers: Mapping[str, str], text: str) -> InletError:
    """The failure that a response reports. `headers` ignore case."""
    body = _parsed(text)
    kind, message, details = body.get("error"), body.get("message"), body.get("details")
    if not isinstance(details, dict):
        details = None
    facts: dict[str, Any] = {
        "status": status,
        "request_id": headers.get("x-request-id"),
        "details": details,
        "retry_after": _retry_after(headers, body.get("retry_after")),
    }
    if not isinstance(kind, str) or not isinstance(message, str):
        return InletError("unexpected_response", f"The server responded with {status}", **facts)
    field = f" (field {details['field']})" if details and "field" in details else ""
    return InletError(kind, f"{message}{field}", **facts)


def _parsed(text: str) -> dict[str, Any]:
    try:
        body = json.loads(text)
    except ValueError:
        return {}
    return body if isinstance(body, dict) else {}


def _retry_after(headers: Mapping[str, str], from_body: object) -> int | None:
    """Retry-After in seconds, the only form that Inlet sends; else the end of the window."""
    header = headers.get("retry-after", "")
    if re.fullmatch("[0-9]{1,9}", header):
        return int(header)
    if isinstance(from_body, int):
        return from_body
    reset = headers.get("x-ratelimit-reset", "")
    if headers.get("x-ratelimit-remaining") != "0" or not re.fullmatch("[0-9]{1,12}", reset):
        return None
    return max(0, int(reset) - int(time.time()))
