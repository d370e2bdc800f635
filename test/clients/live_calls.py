"""Both clients lose a response or not, wait for an email, hear it, and read it.

Run by python-package.test.ts: exceptions fail the test.
"""

import asyncio
import os
import smtplib

import httpx2
from inlet_client import AsyncInlet, Inlet, InletError, RejectEmail

URL, TOKEN = os.environ["INLET_API_URL"], os.environ["INLET_TOKEN"]


def send(to, subject):
    text = f"From: ann@sender.example\r\nSubject: {subject}\r\n\r\nhello\r\n"
    with smtplib.SMTP("127.0.0.1", int(os.environ["SMTP_PORT"])) as smtp:
        smtp.sendmail("ann@sender.example", [to], text)


def of(created):
    return {"address_id": created["id"], "since": created["created_at"]}


class Losing(httpx2.HTTPTransport):
    losses = 0

    def handle_request(self, request):
        response = super().handle_request(request)
        if self.losses == 0:
            self.losses = 1
            response.close()
            raise httpx2.ReadError("lost")
        return response


def sync():
    with Inlet(URL, TOKEN, http_client=httpx2.Client(transport=Losing())) as inlet:
        hook = {"webhook_url": None}
        created = inlet.addresses.create(**hook, description="lost by Python")
        found = [one["id"] for one in inlet.addresses.list(search="lost by Python", limit=1)]
        assert found == [created["id"]], found
        send(created["address"], "sync")
        email = inlet.wait_for_email(created["address"], since=created["created_at"], payload=True)
        assert email["payload"]["content"]["text"].strip() == "hello", email
        event = next(inlet.events(types=["email.received"], **of(created)))
        assert event["event_id"] == email["event_id"]
        assert inlet.deliveries.get_email(email["event_id"])["headers"]["subject"] == "sync"
        assert next(inlet.stream.stream_events())
        try:
            inlet.wait_for_email(created["id"], timeout=1)
        except InletError as error:
            assert error.kind == "no_email", error
        inlet.addresses.delete(created["id"])
        try:
            inlet.addresses.get(created["id"])
        except InletError as error:
            assert (error.kind, error.status) == ("not_found", 404)
            assert inlet.request("GET", "/account").json()["id"]
            return email["event_id"]


async def asynchronous():
    async with AsyncInlet(URL, TOKEN) as inlet:
        created = await inlet.addresses.create(webhook_url=None)
        waiting = asyncio.create_task(inlet.wait_for_email(created, payload=True))
        await asyncio.to_thread(send, created["address"], "async")
        email = await waiting
        assert email["payload"]["headers"]["subject"] == "async"
        async for event in inlet.events(types=["email.received"], **of(created)):
            assert event["event_id"] == email["event_id"]
            break
        await pull(inlet)
        async for delivery in inlet.deliveries.list(address_id=created["id"], subject="async"):
            return delivery["event_id"]


async def pull(inlet):
    created = await inlet.addresses.create(webhook_url=None, mode="pull")
    for subject in ("first", "second", "third"):
        await asyncio.to_thread(send, created["address"], subject)
    stop, seen, errors = asyncio.Event(), [], []

    async def handle(email):
        subject = email["payload"]["headers"]["subject"]
        seen.append((subject, email["retry_count"]))
        if len(seen) >= 3:
            stop.set()
        if subject == "first":
            raise ValueError("not now")
        if subject == "second":
            raise RejectEmail("never")

    await inlet.pull_emails(created, handle, stop=stop, on_error=errors.append)
    assert sorted(seen) == [("first", 0), ("second", 0), ("third", 0)], seen
    assert sorted(str(error) for error in errors) == ["never", "not now"], errors
    listed = [one async for one in inlet.deliveries.list(address_id=created["id"])]
    statuses = {one["subject"]: one["status"] for one in listed}
    assert statuses == {"first": "retrying", "second": "failed", "third": "delivered"}, statuses


assert sync() and asyncio.run(asynchronous())
print("done")
