"""Waiting for an email: what the next call asks for, and what ends it."""

from __future__ import annotations

import email.utils
import math
import sys
import time
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timezone
from typing import Any

if sys.version_info >= (3, 12):
    from typing import NotRequired
else:
    from typing_extensions import NotRequired

from . import types as t
from ._request import Operation, iso_time
from .errors import InletError

CALL_MAX = 60  # seconds: the API waits no longer for one call
PAYLOAD_TRIES = 20
PAYLOAD_PAUSE = 0.25  # seconds; the content can be read a few seconds after the arrival
WAIT = Operation("GET", "/deliveries/wait")
FIND = Operation("GET", "/addresses")
PAYLOAD = Operation("GET", "/deliveries/{event_id}/payload")
# needs no permission and counts against no limit; its Date is the API's clock
CLOCK = Operation("GET", "/sessions/oidc")


class AwaitedEmail(t.AwaitedDelivery):
    """The delivery, with what was asked for."""

    payload: NotRequired[t.WebhookPayload]


@dataclass
class Wait:
    """One wait, as the sync and the async client perform it."""

    address: str | Mapping[str, Any]
    since: str | datetime | None
    code: bool
    link: bool
    timeout: float
    link_text: str | None = None
    link_host: str | None = None

    def __post_init__(self) -> None:
        self._deadline = time.monotonic() + self.timeout
        if self.since is None and not isinstance(self.address, str):
            self.since = str(self.address["created_at"])

    @property
    def wanted_address(self) -> str | None:
        """An email address whose id must be found first."""
        return self.address if isinstance(self.address, str) and "@" in self.address else None

    def take_address(self, page: Mapping[str, Any]) -> None:
        if not page["data"]:
            raise InletError("not_found", f"There is no address {self.address}")
        self.address = str(page["data"][0]["id"])

    def take_clock(self, headers: Mapping[str, str]) -> None:
        try:
            self.since = email.utils.parsedate_to_datetime(headers.get("date", ""))
        except (TypeError, ValueError):
            self.since = datetime.now(timezone.utc)

    def fields(self) -> dict[str, Any]:
        """Of the next call."""
        left = math.ceil(self._deadline - time.monotonic())
        return {
            "address_id": self.address if isinstance(self.address, str) else self.address["id"],
            "since": iso_time(self.since or datetime.now(timezone.utc)),
            "timeout": min(max(left, 1), CALL_MAX),
            "code": self.code or None,
            "link": self.link or None,
            "link_text": self.link_text,
            "link_host": self.link_host,
        }

    def check_deadline(self) -> None:
        if time.monotonic() < self._deadline:
            return
        what = "email with a code" if self.code else "email with a link" if self.link else "email"
        name = self.address if isinstance(self.address, str) else self.address["id"]
        message = f"No {what} arrived at {name} within {self.timeout:g} seconds"
        raise InletError("no_email", message)
