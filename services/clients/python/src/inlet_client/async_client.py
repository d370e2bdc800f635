"""The async client."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Mapping, Sequence
from datetime import datetime
from types import TracebackType
from typing import Any, cast

import httpx2

from . import types as t
from ._async_operations import Operations
from ._pull import (
    ACK,
    NACK,
    NEXT,
    ONCE,
    RENEW,
    AsyncHandle,
    Failures,
    Leases,
    OnError,
    Stop,
    async_handled,
    report,
    return_fields,
)
from ._pull import WAIT as WAIT_FOR_EMAILS
from ._request import (
    MAX_RETRIES,
    TIMEOUT,
    CallOptions,
    Config,
    Operation,
    Request,
    checked_api_url,
    iso_time,
)
from ._stream import SILENCE, STREAM, STREAM_OPTIONS, EventReader, stream_fields
from ._async_transport import AsyncCaller
from ._wait import (
    CLOCK,
    FIND,
    PAYLOAD,
    PAYLOAD_PAUSE,
    PAYLOAD_TRIES,
    WAIT,
    AwaitedEmail,
    Wait,
)
from .errors import InletError


class AsyncInlet(Operations):
    """Groups of operations, such as `addresses` and `deliveries`, and what needs several calls.

    `api_url`: such as `https://mail.example.com/v1`; `/v1` is added to an origin.
    `timeout`: seconds without progress, for one attempt.
    `max_retries`: how often a failed call is repeated, where this is safe.
    `http_client`: a client of your own, for proxies, private authorities, and tests.
    `allow_http`: allows an `http:` URL of another machine, which sends the token unencrypted.
    """

    def __init__(
        self,
        api_url: str,
        token: str,
        *,
        timeout: float = TIMEOUT,
        max_retries: int = MAX_RETRIES,
        http_client: httpx2.AsyncClient | None = None,
        allow_http: bool = False,
    ) -> None:
        url = checked_api_url(api_url, allow_http)
        self._config = Config(url, token, timeout, max_retries)
        self._http = http_client or httpx2.AsyncClient()
        self._caller = AsyncCaller(self._config, self._http)
        super().__init__(self._caller)

    async def __aenter__(self) -> AsyncInlet:
        return self

    async def __aexit__(
        self,
        exc_type: type[BaseException] | None,
        exc: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        await self.aclose()

    async def aclose(self) -> None:
        """Closes the connections."""
        await self._http.aclose()

    async def wait_for_email(
        self,
        address: str | t.Address | t.AddressWithSecret | t.AddressListItem,
        *,
        since: str | datetime | None = None,
        code: bool = False,
        link: bool = False,
        link_text: str | None = None,
        link_host: str | None = None,
        payload: bool = False,
        timeout: float = 60,
    ) -> AwaitedEmail:
        """Waits for an email. Raises InletError `no_email` when none arrives in time.

        `address`: what `addresses.create` returned, an id, or the address itself.
        `since`: an email that arrived since then counts, too: the oldest. By default since the
        address was created, if it is an object, else since this call.
        `code`, `link`: for one with a code or a link; the address must extract `codes` or `links`.
        `link_text`, `link_host`: for one with a link of that text, host, or a domain above it.
        `payload`: reads the content of the email, too.
        `timeout`: seconds.
        """
        given = address if isinstance(address, str) else cast("Mapping[str, Any]", address)
        wait = Wait(given, since, code, link, timeout, link_text, link_host)
        if wait.since is None:
            request = self._config.request(CLOCK, (), {}, None)
            wait.take_clock((await self._caller.send(request)).headers)
        if wait.wanted_address is not None:
            fields = {"address": wait.wanted_address, "limit": 1}
            wait.take_address(await self._caller.call(FIND, (), fields, None))
        while True:
            found = await self._caller.call(WAIT, (), wait.fields(), None)
            if found is not None:
                break
            wait.check_deadline()
        if payload:
            found["payload"] = await self._payload(found["event_id"])
        return cast("AwaitedEmail", found)

    async def _payload(self, event_id: str) -> Any:
        for tries in range(1, PAYLOAD_TRIES + 1):
            try:
                return await self._caller.call(PAYLOAD, (event_id,), {}, None)
            except InletError as error:
                if error.kind != "not_found" or tries == PAYLOAD_TRIES:
                    raise
            await asyncio.sleep(PAYLOAD_PAUSE)

    async def pull_emails(
        self,
        address: str | t.Address | t.AddressWithSecret | t.AddressListItem,
        handle: AsyncHandle,
        *,
        receiver: str | None = None,
        max: int = 10,
        lease: int = 300,
        stop: Stop | None = None,
        on_error: OnError | None = None,
    ) -> None:
        """Leases the emails of a receiver with the mode pull, and handles one after the other.

        `address`: what `addresses.create` returned, an id, or the address itself.
        `handle`: called for each email. When it returns, the email is acknowledged. When it
        raises, the email is returned and comes again later; with RejectEmail, it has failed.
        `receiver`: a further receiver (`rcv_…`); by default the first one.
        `max`: emails that are leased together.
        `lease`: seconds. Renewed between emails: `handle` must take less.
        `stop`: ends the loop after the present emails, such as asyncio.Event.
        `on_error`: called with an error of `handle`, and of a call that will be repeated.
        Raises InletError when the API refuses the calls for good.
        """
        ids = await self._pulled_from(address, receiver)
        failures = Failures()
        while stop is None or not stop.is_set():
            try:
                asked = {"max": max, "wait": WAIT_FOR_EMAILS, "lease": lease}
                page = await self._caller.call(NEXT, ids, asked, ONCE)
                failures.reset()
            except InletError as error:
                pause = failures.pause(error)
                if pause is None:
                    raise
                report(on_error, error)
                await asyncio.sleep(pause)
                continue
            leases = Leases(page["data"], lease)
            for email in page["data"]:
                await self._tell(RENEW, ids, leases.renewal(), on_error)
                operation = ACK
                fields: dict[str, Any] = {"lease_ids": [email["lease_id"]]}
                try:
                    if email["payload"] is None:
                        email["payload"] = await self._payload(email["event_id"])
                    await async_handled(handle, email)
                except Exception as error:
                    operation, fields = NACK, return_fields(email, error)
                    report(on_error, error)
                leases.end(email)
                await self._tell(operation, ids, fields, on_error)

    async def _pulled_from(self, address: Any, receiver: str | None) -> tuple[str, str]:
        found = address if isinstance(address, str) else str(address["id"])
        if "@" in found:
            page = await self._caller.call(FIND, (), {"address": found, "limit": 1}, None)
            if not page["data"]:
                raise InletError("not_found", f"There is no address {found}")
            found = str(page["data"][0]["id"])
        return found, receiver or found

    async def _tell(
        self,
        operation: Operation,
        ids: tuple[str, str],
        fields: dict[str, Any] | None,
        on_error: OnError | None,
    ) -> None:
        """A lease that cannot be ended now ends by itself, and the email comes again."""
        try:
            if fields is not None:
                await self._caller.call(operation, ids, fields, None)
        except InletError as error:
            report(on_error, error)

    async def events(
        self,
        *,
        types: Sequence[str] | None = None,
        address_id: str | None = None,
        receiver_id: str | None = None,
        since: str | datetime | None = None,
    ) -> AsyncIterator[t.LiveEvent]:
        """What happens in the account, as it happens, across reconnects.

        `types`: only these, such as `["email.received"]`. `stream.ready` and `stream.gap`, which
        says that events may be missing, come without `types`, or when it lists them.
        """
        reader = EventReader(types)
        start = iso_time(since) if since is not None else None
        fields = stream_fields(types, address_id, receiver_id, start)
        options: CallOptions = {**STREAM_OPTIONS, "timeout": SILENCE}
        while True:
            pause: float | None
            try:
                request = self._config.request(STREAM, (), fields, options)
                async for chunk in self._caller.chunks(reader.begin(request)):
                    for event in reader.events(chunk):
                        yield event
                pause = reader.pause(None)
            except InletError as error:
                pause = reader.pause(error)
                if pause is None:
                    raise
            await asyncio.sleep(pause or 0)

    async def request(
        self,
        method: str,
        path: str,
        *,
        query: Mapping[str, str] | None = None,
        content: bytes | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> httpx2.Response:
        """Any request below /v1, with the token and the retries of the other calls."""
        base = self._config.request(CLOCK, (), {}, {"headers": dict(headers or {})})
        return await self._caller.send(
            Request(
                method=method,
                path=path,
                query=dict(query or {}),
                headers=base.headers,
                content=content,
                timeout=base.timeout,
                max_retries=base.max_retries,
            )
        )
