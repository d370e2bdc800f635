"""Pulling emails: what the calls say, for the sync and the async client."""

from __future__ import annotations

import random
import time
from collections.abc import Awaitable, Callable, Mapping
from typing import Any, Protocol, Union

from . import types as t
from ._request import CallOptions, Operation, pause_before_retry
from .errors import InletError

WAIT = 30  # seconds
REASON_MAX = 500
LONGEST_PAUSE_AFTER = 5
_PATH = "/addresses/{address_id}/receivers/{receiver_id}"
NEXT = Operation("GET", f"{_PATH}/next")
ACK = Operation("POST", f"{_PATH}/ack", body="application/json", is_keyed=True)
NACK = Operation("POST", f"{_PATH}/nack", body="application/json", is_keyed=True)
RENEW = Operation("POST", f"{_PATH}/renew", body="application/json", is_keyed=True)
# the loop repeats it
ONCE: CallOptions = {"max_retries": 0}


OnError = Callable[[BaseException], object]


class RejectEmail(Exception):
    """Raised by `handle`: no later attempt would succeed, so the delivery has failed."""


class PulledEmail(t.LeasedEmail):
    """An email with its payload, however large it is."""

    payload: t.WebhookPayload  # type: ignore[misc]


AsyncHandle = Callable[[PulledEmail], Union[Awaitable[None], None]]
Handle = Callable[[PulledEmail], object]


class Stop(Protocol):
    """Such as threading.Event or asyncio.Event."""

    def is_set(self) -> bool: ...


def report(on_error: OnError | None, error: BaseException) -> None:
    if on_error is not None:
        on_error(error)


async def async_handled(handle: AsyncHandle, email: Any) -> None:
    handling = handle(email)
    if handling is not None:
        await handling


def handled(handle: Handle, email: Any) -> None:
    handle(email)


def return_fields(email: Mapping[str, Any], error: BaseException) -> dict[str, Any]:
    reason = str(error) or type(error).__name__
    return {
        "lease_ids": [email["lease_id"]],
        "reason": reason[:REASON_MAX],
        "is_final": isinstance(error, RejectEmail),
    }


class Leases:
    """Of one call. They are renewed together, before the next email is handled."""

    def __init__(self, emails: list[Any], seconds: int) -> None:
        self._seconds = seconds
        self._renew_at = time.monotonic() + seconds / 3
        self.open = [email["lease_id"] for email in emails]

    def end(self, email: Mapping[str, Any]) -> None:
        self.open.remove(email["lease_id"])

    def renewal(self) -> dict[str, Any] | None:
        """What to send, when it is time."""
        if not self.open or time.monotonic() < self._renew_at:
            return None
        self._renew_at = time.monotonic() + self._seconds / 3
        return {"lease_ids": list(self.open), "lease": self._seconds}


class Failures:
    """Of calls, one after the other."""

    def __init__(self) -> None:
        self._count = 0

    def reset(self) -> None:
        self._count = 0

    def pause(self, error: InletError) -> float | None:
        """Seconds until the next call; None when there is none."""
        self._count = min(self._count + 1, LONGEST_PAUSE_AFTER)
        return pause_before_retry(error, self._count, self._count, True, random.random())
