"""Imports every module of a generated client, and calls some operations. Any exception fails the test."""

import datetime
import importlib
import json
import os
import pkgutil

import inlet_client
from inlet_client import AuthenticatedClient
from inlet_client.api.addresses import (
    create_address,
    delete_address,
    get_address,
    list_addresses,
    update_address,
)
from inlet_client.api.deliveries import (
    get_delivery,
    get_delivery_html,
    get_delivery_payload,
    list_deliveries,
)
from inlet_client.api.files import get_raw_email
from inlet_client.models import AddressWithSecret, CreateAddressRequest, Error, UpdateAddressRequest

for module in pkgutil.walk_packages(inlet_client.__path__, "inlet_client."):
    importlib.import_module(module.name)

facts = json.loads(os.environ["FACTS"])
event_id, link = facts["eventId"], facts["link"]
client = AuthenticatedClient(
    base_url=os.environ["INLET_URL"],
    token=os.environ["INLET_TOKEN"],
    raise_on_unexpected_status=True,
)


def ok(module, *args, **fields):
    """The data of a success."""
    data = module.sync(*args, client=client, **fields)
    if data is None or isinstance(data, Error):
        raise RuntimeError(f"{module.__name__}: {data}")
    return data


request = CreateAddressRequest(webhook_url=facts["webhookUrl"], description="Python")
address = ok(create_address, body=request)
assert isinstance(address, AddressWithSecret)
assert isinstance(address.created_at, datetime.datetime)
assert address.id in [item.id for item in ok(list_addresses, limit=5).data]
assert ok(get_address, address.id).webhook_url == facts["webhookUrl"]
assert ok(update_address, address.id, body=UpdateAddressRequest(is_enabled=False)).is_enabled is False
assert ok(delete_address, address.id).deleted is True
assert get_address.sync(address.id, client=client).error == "not_found"

since = datetime.datetime(2020, 1, 1, tzinfo=datetime.timezone.utc)
listed = ok(list_deliveries, start_date=since, address_id=facts["addressId"])
assert listed.data[0].event_id == event_id
assert ok(get_delivery, event_id).attempts[0].outcome == "accepted"
assert ok(get_delivery_payload, event_id).headers.subject == "for clients"
assert b"hello" in ok(get_delivery_html, event_id).payload.read()
assert b"Subject: for clients" in ok(get_raw_email, event_id, **link["raw"]).payload.read()
