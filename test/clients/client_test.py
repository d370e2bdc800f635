"""inlet-client without a server: every operation, retries, lists and streams."""

import asyncio
import inspect
import json
import os
import time
from typing import Any, Callable, Iterator, Union

import httpx2
import pytest
from inlet_client import AsyncInlet, Inlet, InletError
from inlet_client._request import Config, Operation, pause_before_retry

API = "https://api.example/v1"
Reply = Callable[[], httpx2.Response]


def reply(body: Any, status: int = 200, **headers: str) -> Reply:
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return lambda: httpx2.Response(status, json=body, headers=named)


def problem(status: int, error: str, **headers: str) -> Reply:
    return reply({"error": error, "message": f"it is {error}"}, status, **headers)


def lost() -> httpx2.Response:
    raise httpx2.ConnectError("lost")


def silent() -> httpx2.Response:
    raise httpx2.ReadTimeout("silent")


class Driver:
    """Either client, called the same way. The last reply is given again and again."""

    def __init__(self, style: str, replies: list[Reply], **settings: Any) -> None:
        self.requests: list[httpx2.Request] = []
        self._replies = replies
        transport = httpx2.MockTransport(self._reply)
        self.is_async = style == "async"
        client: Any = httpx2.AsyncClient if self.is_async else httpx2.Client
        kind: Any = AsyncInlet if self.is_async else Inlet
        http = client(transport=transport)
        self.inlet = kind(settings.pop("api_url", API), "svc_test_x", http_client=http, **settings)

    def _reply(self, request: httpx2.Request) -> httpx2.Response:
        self.requests.append(request)
        return self._replies[min(len(self.requests), len(self._replies)) - 1]()

    def run(self, result: Any) -> Any:
        return asyncio.run(result) if inspect.iscoroutine(result) else result

    def items(self, listing: Any) -> list[Any]:
        async def collected() -> list[Any]:
            return [item async for item in listing]

        return asyncio.run(collected()) if self.is_async else list(listing)


Make = Callable[..., Driver]


@pytest.fixture(params=["sync", "async"])
def make(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Make:
    async def no_sleep(_: float) -> None: ...

    monkeypatch.setattr(time, "sleep", lambda _: None)
    monkeypatch.setattr(asyncio, "sleep", no_sleep)
    return lambda replies, **settings: Driver(request.param, replies, **settings)


def documented() -> list[str]:
    with open(os.environ["OPENAPI"]) as file:
        paths = json.load(file)["paths"]
    return sorted(f"{method.upper()} {path}" for path, methods in paths.items() for method in methods)


def test_every_operation_of_the_document_is_called_and_no_other(make: Make) -> None:
    called = []
    groups = [name for name in vars(make([]).inlet) if not name.startswith("_")]
    for group in groups:
        methods = inspect.getmembers(getattr(make([]).inlet, group), inspect.ismethod)
        for name, method in methods:
            if name.startswith("_"):
                continue
            driver = make([reply({"data": []})])
            parameters = inspect.signature(method).parameters.values()
            ids = [f"{{{one.name}}}" for one in parameters if one.kind is one.POSITIONAL_ONLY]
            result = getattr(getattr(driver.inlet, group), name)(*ids)
            if hasattr(result, "page"):
                driver.run(result.page())
            elif inspect.isgenerator(result) or inspect.isasyncgen(result):
                driver.items(result)
            else:
                driver.run(result)
            [request] = driver.requests
            path = request.url.path.removeprefix("/v1")
            called.append(f"{request.method} {path}")
    assert sorted(called) == documented()


def test_the_sync_client_is_the_async_one_in_words_and_arguments() -> None:
    inlet, async_inlet = (Driver(kind, []).inlet for kind in ("sync", "async"))
    groups = [name for name in vars(inlet) if not name.startswith("_")]
    assert groups == [name for name in vars(async_inlet) if not name.startswith("_")]
    pairs = [(inlet, async_inlet)]
    pairs += [(getattr(inlet, name), getattr(async_inlet, name)) for name in groups]
    for sync, other in pairs:
        methods = dict(inspect.getmembers(other, inspect.ismethod))
        for name, method in inspect.getmembers(sync, inspect.ismethod):
            if name in ("__enter__", "__exit__", "__init__", "close"):
                continue
            assert not inspect.iscoroutinefunction(method) and not inspect.isasyncgenfunction(method)
            same = methods.pop(name)
            arguments, others = (inspect.signature(one).parameters for one in (method, same))
            assert list(arguments) == list(others)
            words = (inspect.getdoc(same) or "").replace("asyncio.Event", "threading.Event")
            assert inspect.getdoc(method) == (words or None)
        assert set(methods) <= {"__aenter__", "__aexit__", "__init__", "aclose"}


def test_fields_are_query_headers_or_body(make: Make) -> None:
    driver = make([reply({"recipients": [], "data": []})])
    driver.run(driver.inlet.deliveries.submit_email("Subject: x\r\n\r\n", svc_rcpt_to="a@b.example"))
    driver.run(driver.inlet.addresses.create(webhook_url="https://a.example", description=None))
    driver.run(driver.inlet.addresses.list(is_enabled=True, search="a b").page())
    submitted, created, listed = driver.requests
    assert submitted.headers["svc-rcpt-to"] == "a@b.example"
    assert submitted.headers["content-type"] == "message/rfc822"
    assert "idempotency-key" not in submitted.headers
    assert json.loads(created.content) == {"webhook_url": "https://a.example", "description": None}
    assert dict(listed.url.params) == {"is_enabled": "true", "search": "a b"}


@pytest.mark.parametrize("name", ["", ".", ".."])
def test_what_is_no_id_is_refused_and_others_are_encoded(make: Make, name: str) -> None:
    driver = make([reply({})])
    with pytest.raises(ValueError):
        driver.run(driver.inlet.addresses.delete(name))
    driver.run(driver.inlet.addresses.get("a/../b"))
    assert [str(one.url) for one in driver.requests] == [f"{API}/addresses/a%2F..%2Fb"]


@pytest.mark.parametrize("url", ["ftp://api.example", "http://api.example/v1", "api.example"])
def test_a_url_that_is_none_or_not_safe_is_refused(make: Make, url: str) -> None:
    with pytest.raises(ValueError):
        make([], api_url=url)


def test_an_origin_gets_v1_and_a_redirect_is_an_error(make: Make) -> None:
    redirect = reply({}, 307, location="/x")
    driver = make([redirect], api_url="http://127.0.0.1:8080/")
    with pytest.raises(InletError) as caught:
        driver.run(driver.inlet.account.get())
    assert (caught.value.kind, caught.value.status) == ("unexpected_response", 307)
    assert [str(one.url) for one in driver.requests] == ["http://127.0.0.1:8080/v1/account"]


def test_an_error_has_its_facts(make: Make) -> None:
    details = {"field": "webhook_url", "code": "not_https"}
    body = {"error": "validation_failed", "message": "must be https", "details": details}
    driver = make([reply(body, 422, x_request_id="req_1")])
    with pytest.raises(InletError, match=r"must be https \(field webhook_url\)") as caught:
        driver.run(driver.inlet.addresses.create(webhook_url="x"))
    error = caught.value
    facts = (error.kind, error.status, error.request_id, error.details)
    assert facts == ("validation_failed", 422, "req_1", details)


@pytest.mark.parametrize(
    ("given", "kind"),
    [
        (lambda: httpx2.Response(200, text="<html>"), "unexpected_response"),
        (reply({}), "unexpected_response"),
        (lambda: httpx2.Response(502, text="Bad Gateway"), "unexpected_response"),
        (lost, "unreachable"),
        (silent, "timeout"),
    ],
)
def test_what_is_no_answer_of_inlet(make: Make, given: Reply, kind: str) -> None:
    driver = make([given], max_retries=0)
    with pytest.raises(InletError) as caught:
        driver.run(driver.inlet.addresses.list().page())
    assert caught.value.kind == kind


def test_a_repeated_post_has_the_same_key_which_the_caller_can_choose(make: Make) -> None:
    driver = make([lost, problem(503, "unavailable"), reply({"id": "addr_1"}, 201)])
    driver.run(driver.inlet.addresses.create(webhook_url="https://a.example"))
    options = {"idempotency_key": "k", "headers": {"X-Request-Id": "r"}}
    driver.run(driver.inlet.addresses.create(webhook_url="https://a.example", options=options))
    keys = [one.headers["idempotency-key"] for one in driver.requests]
    assert len(keys[0]) == 36
    assert keys == [keys[0]] * 3 + ["k"]
    assert driver.requests[-1].headers["x-request-id"] == "r"


def failure(status: Union[int, None] = None, retry_after: Union[int, None] = None) -> InletError:
    kind = "unreachable" if status is None else "unavailable"
    return InletError(kind, "", status=status, retry_after=retry_after)


@pytest.mark.parametrize(
    ("error", "is_repeatable", "pause"),
    [
        (failure(), True, 0.5),
        (failure(), False, None),
        (failure(503), True, 0.5),
        (failure(503), False, None),
        (failure(503, 7), True, 7.5),
        (failure(429, 17), False, 17.5),
        (failure(429, 3600), True, None),
        (failure(409), True, None),
        (failure(409, 1), True, 1.5),
        (failure(404), True, None),
        (InletError("no_email", ""), True, None),
    ],
)
def test_whether_and_when_it_is_repeated(
    error: InletError, is_repeatable: bool, pause: Union[float, None]
) -> None:
    assert pause_before_retry(error, 1, 2, is_repeatable, 1) == pause
    assert pause_before_retry(error, 3, 2, is_repeatable, 1) is None


def test_pauses_double_up_to_eight_seconds() -> None:
    pauses = [pause_before_retry(failure(), attempt, 9, True, 1) for attempt in range(1, 7)]
    assert pauses == [0.5, 1, 2, 4, 8, 8]


def test_all_pages_are_read_and_moved_items_come_once(make: Make) -> None:
    def page(ids: list[int], has_more: bool) -> Reply:
        return reply({"data": [{"id": one} for one in ids], "pagination": {"has_more": has_more}})

    driver = make([page([5, 4], True), page([4, 3], True), page([2], False)])
    found = driver.items(driver.inlet.addresses.list(limit=2))
    assert [one["id"] for one in found] == [5, 4, 3, 2]
    assert [one.url.params["offset"] for one in driver.requests] == ["0", "2", "4"]


def test_a_list_without_pages_is_read_once(make: Make) -> None:
    driver = make([reply({"data": [{"id": "token_1"}]})])
    assert driver.items(driver.inlet.tokens.list()) == [{"id": "token_1"}]
    assert [str(one.url) for one in driver.requests] == [f"{API}/account/tokens"]


class Bytes(httpx2.SyncByteStream, httpx2.AsyncByteStream):
    """A body that arrives byte by byte."""

    def __init__(self, text: str) -> None:
        self._bytes = [bytes([one]) for one in text.encode()]

    def __iter__(self) -> Iterator[bytes]:
        yield from self._bytes

    async def __aiter__(self) -> Any:
        for one in self._bytes:
            yield one


def heard(driver: Driver, **fields: Any) -> list[str]:
    """The subjects and types of a stream, until the API refuses it."""
    found: list[str] = []

    async def listen() -> None:
        async for event in driver.inlet.events(**fields):
            found.append(event["type"])

    with pytest.raises(InletError, match="forbidden"):
        if driver.is_async:
            asyncio.run(listen())
        else:
            for event in driver.inlet.events(**fields):
                found.append(event["type"])
    return found


def test_a_stream_is_read_across_chunks_and_reconnects(make: Make) -> None:
    text = 'id: 1\nevent: a\ndata: {"type":"ü"}\n\n: heartbeat\n\nid: 2\r\ndata: {"type":\ndata: "b"}\r\n\r\n'
    driver = make([lambda: httpx2.Response(200, stream=Bytes(text)), problem(403, "forbidden")])
    assert heard(driver) == ["ü", "b"]
    assert [one.headers.get("last-event-id") for one in driver.requests] == [None, "2"]


def test_a_stream_with_types_has_no_others(make: Make) -> None:
    types = ["stream.ready", "email.received", "stream.gap"]
    text = "".join(f'data: {{"type":"{one}"}}\n\n' for one in types)
    driver = make([lambda: httpx2.Response(200, text=text), problem(403, "forbidden")])
    assert heard(driver, types=types[1:]) == types[1:]
    assert dict(driver.requests[0].url.params) == {"types": "email.received"}


def test_no_text_of_an_object_has_the_token() -> None:
    config = Config(API, "svc_test_secret", timeout=1, max_retries=0)
    request = config.request(Operation("GET", "/account"), (), {}, None)
    assert request.headers["authorization"] == "Bearer svc_test_secret"
    assert "svc_test_secret" not in repr(config) + repr(request)
