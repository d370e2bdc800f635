"""Sends the requests of the async client, and reads its lists."""

from __future__ import annotations

import asyncio
import random
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any, Generic, TypeVar, cast

import httpx2

from ._request import (
    AsyncRead,
    CallOptions,
    Config,
    Operation,
    Request,
    Walk,
    json_of,
    page_of,
    pause_before_retry,
)
from .errors import InletError, error_of

PageT = TypeVar("PageT")
ItemT = TypeVar("ItemT")


class AsyncListing(Generic[PageT, ItemT]):
    """A list: iterate over all its items, page by page. It calls the API when it is read."""

    def __init__(
        self,
        read: AsyncRead,
        operation: Operation,
        fields: dict[str, Any],
    ) -> None:
        self._read = read
        self._operation = operation
        self._fields = fields

    async def page(self) -> PageT:
        """One page: `limit` and `offset` say which."""
        return cast("PageT", await self._read(self._fields))

    async def __aiter__(self) -> AsyncIterator[ItemT]:
        walk = Walk(self._operation, self._fields)
        while not walk.is_over:
            for item in walk.new_items(await self._read(walk.fields())):
                yield item


class AsyncCaller:
    """Calls operations with a token, timeouts and retries."""

    def __init__(self, config: Config, http: httpx2.AsyncClient) -> None:
        self._config = config
        self._http = http

    async def call(
        self,
        operation: Operation,
        ids: tuple[str, ...],
        fields: dict[str, Any],
        options: CallOptions | None,
        content: bytes | str | None = None,
    ) -> Any:
        request = self._config.request(operation, ids, fields, options, content)
        response = await self.send(request)
        if operation.response == "bytes":
            return response.content
        if operation.response == "text":
            return response.text
        return None if response.status_code == 204 else json_of(response.text, response.status_code)

    def listing(
        self,
        operation: Operation,
        ids: tuple[str, ...],
        fields: dict[str, Any],
        options: CallOptions | None,
    ) -> AsyncListing[Any, Any]:
        async def read(wanted: dict[str, Any]) -> dict[str, Any]:
            return page_of(await self.call(operation, ids, wanted, options))

        return AsyncListing(read, operation, fields)

    async def stream(
        self,
        operation: Operation,
        ids: tuple[str, ...],
        fields: dict[str, Any],
        options: CallOptions | None,
    ) -> AsyncIterator[bytes]:
        request = self._config.request(operation, ids, fields, options)
        async for chunk in self.chunks(request):
            yield chunk

    async def chunks(self, request: Request) -> AsyncIterator[bytes]:
        """The body of a response, as it arrives."""
        async with self._opened(request) as response:
            async for chunk in response.aiter_bytes():
                yield chunk

    async def send(self, request: Request) -> httpx2.Response:
        """A success. Raises InletError for every other response, and without one."""
        attempt = 1
        while True:
            try:
                async with self._opened(request) as response:
                    await response.aread()
                    return response
            except InletError as error:
                pause = pause_before_retry(
                    error, attempt, request.max_retries, request.is_repeatable, random.random()
                )
                if pause is None:
                    raise
            attempt += 1
            await asyncio.sleep(pause)

    @asynccontextmanager
    async def _opened(self, request: Request) -> AsyncIterator[httpx2.Response]:
        try:
            async with self._http.stream(
                request.method,
                self._config.url(request),
                params=request.query,
                headers=request.headers,
                content=request.content,
                timeout=request.timeout,
                follow_redirects=False,  # the API sends none, and a token is for one server
            ) as response:
                if not response.is_success:
                    await response.aread()
                    raise error_of(response.status_code, response.headers, response.text)
                yield response
        except httpx2.TimeoutException as error:
            raise InletError("timeout", f"No response for {request.timeout} seconds") from error
        except httpx2.TransportError as error:
            message = f"The API at {self._config.api_url} does not respond"
            raise InletError("unreachable", message) from error
