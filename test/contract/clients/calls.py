"""Calls every operation with a generated client. Any exception fails the test."""

import datetime
import io
import json
import os
import time
import urllib.parse

from inlet_client import AuthenticatedClient, Client
from inlet_client.api.account import get_account, update_account
from inlet_client.api.addresses import (
    create_address,
    create_reply_address,
    delete_address,
    get_address,
    get_reply_key,
    list_addresses,
    get_webhook_secret,
    rotate_reply_key,
    rotate_webhook_secret,
    send_test_webhook,
    update_address,
)
from inlet_client.api.billing import get_billing, get_invoice_pdf, list_invoices
from inlet_client.api.deliveries import (
    cancel_delivery,
    drop_delivery,
    erase_delivery_content,
    get_delivery,
    get_delivery_email,
    get_delivery_html,
    get_delivery_payload,
    list_deliveries,
    list_deliveries_of_email,
    get_replay_window,
    list_due_deliveries,
    list_newest_deliveries,
    release_delivery,
    replay_deliveries,
    replay_delivery,
    retry_delivery,
    sign_delivery,
    submit_email,
    test_expression,
    test_rules,
    wait_for_delivery,
)
from inlet_client.api.domains import (
    connect_domain,
    create_domain,
    delete_domain,
    get_domain,
    list_domains,
    update_domain,
    verify_domain,
)
from inlet_client.api.files import get_attachment, get_linked_invoice_pdf, get_raw_email
from inlet_client.api.lists import (
    create_sender_list,
    delete_sender_list,
    export_sender_list,
    get_sender_list,
    list_sender_lists,
    update_sender_list,
)
from inlet_client.api.buckets import (
    create_bucket,
    delete_bucket,
    get_bucket,
    list_buckets,
    test_bucket,
    update_bucket,
)
from inlet_client.api.notifications import (
    create_notification,
    delete_notification,
    get_notification,
    get_notification_delivery,
    get_notification_secret,
    list_notification_deliveries,
    list_notifications,
    rotate_notification_secret,
    send_test_notification,
    update_notification,
)
from inlet_client.api.receivers import (
    acknowledge_emails,
    create_receiver,
    delete_receiver,
    get_receiver,
    get_receiver_keys,
    get_receiver_secret,
    lease_emails,
    list_receivers,
    renew_leases,
    return_emails,
    rotate_receiver_secret,
    send_test_to_receiver,
    update_receiver,
)
from inlet_client.api.members import (
    create_member_link,
    delete_member,
    invite_member,
    list_members,
    update_member,
)
from inlet_client.api.sessions import (
    create_dashboard_link,
    create_session,
    delete_current_session,
    delete_session,
    get_current_session,
    get_single_sign_on,
    list_sessions,
)
from inlet_client.api.tokens import create_token, delete_token, list_tokens
from inlet_client.api.usage import get_usage, get_usage_series, list_usage_events
from inlet_client.models import (
    AcknowledgeEmailsRequest,
    AddressWithSecret,
    CreateAddressRequest,
    CreateBucketRequest,
    CreateBucketRequestCredentials,
    CreateDashboardLinkRequest,
    CreateDomainRequest,
    CreateMemberLinkRequest,
    CreateNotificationRequest,
    CreateReceiverRequest,
    CreateReplyAddressRequest,
    CreateSenderListRequest,
    CreateSessionRequest,
    CreateTokenRequest,
    Error,
    InviteMemberRequest,
    MtaStsMode,
    Permission,
    RenewLeasesRequest,
    ReplayDeliveriesRequest,
    ReturnEmailsRequest,
    Role,
    RotateReplyKeyRequest,
    TestExpressionRequest,
    TestRulesRequest,
    UpdateAccountRequest,
    UpdateAccountRequestSettings,
    UpdateAddressRequest,
    UpdateBucketRequest,
    UpdateDomainRequest,
    UpdateMemberRequest,
    UpdateNotificationRequest,
    UpdateReceiverRequest,
    UpdateSenderListRequest,
    WebhookMode,
    WebhookSigning,
)
from inlet_client.types import File

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
assert ok(list_addresses, ids=address.id, is_failing=False).pagination.total == 1
assert ok(get_address, address.id).webhook_url == facts["webhookUrl"]
assert ok(update_address, address.id, body=UpdateAddressRequest(is_enabled=False)).is_enabled is False
rotated = ok(rotate_webhook_secret, address.id).webhook_secret
assert rotated != address.webhook_secret
assert ok(get_webhook_secret, address.id).webhook_secret == rotated
assert ok(send_test_webhook, address.id).outcome == "accepted"
assert ok(update_address, address.id, body=UpdateAddressRequest(reply_addresses=True)).reply_addresses
reply_key = ok(get_reply_key, address.id).reply_key
ticket = CreateReplyAddressRequest(reference="ticket-42", sender="ann@sender.example")
assert ok(create_reply_address, address.id, body=ticket).sender == "ann@sender.example"
overlap = RotateReplyKeyRequest(overlap_hours=720)
assert ok(rotate_reply_key, address.id, body=overlap).reply_key != reply_key
assert ok(delete_address, address.id).deleted is True

domain = ok(create_domain, body=CreateDomainRequest(domain="python.example"))
assert ok(list_domains).pagination.total >= 1
assert ok(get_domain, domain.id).domain == "python.example"
looked = ok(verify_domain, domain.id)
assert not looked.is_verified and looked.verification.found == []
assert ok(connect_domain, domain.id).url is None
asked = UpdateDomainRequest(mta_sts=MtaStsMode("testing"))
assert ok(update_domain, domain.id, body=asked).mta_sts == "testing"
ok(delete_domain, domain.id)

since = datetime.datetime(2020, 1, 1, tzinfo=datetime.timezone.utc)
listed = ok(list_deliveries, start_date=since, address_id=facts["addressId"])
assert listed.data[0].event_id == event_id
assert ok(list_deliveries, subject="no such word", verdict="spam,spf=fail").data == []
assert ok(get_delivery, event_id).attempts[0].outcome == "accepted"
assert ok(get_delivery_payload, event_id).headers.subject == "for clients"
assert ok(get_delivery_email, event_id).headers.subject == "for clients"
tried = TestExpressionRequest(when='subject == "for clients"', event_id=event_id)
assert ok(test_expression, body=tried).result is True
assert b"hello" in ok(get_delivery_html, event_id).payload.read()
assert ok(sign_delivery, event_id).headers.webhook_id == event_id
to_retry, to_cancel = facts["sleeping"]["Python"]
ok(get_replay_window)
assert to_retry in [item.event_id for item in ok(list_due_deliveries).data]
assert len(ok(list_newest_deliveries, address_ids=address.id).data) <= 1
assert ok(retry_delivery, to_retry).status == "retrying"
assert ok(cancel_delivery, to_cancel).outcome == "canceled"
assert ok(erase_delivery_content, to_cancel).subject is None
for _ in range(100):  # the replay of another client may be in flight
    if ok(get_delivery, event_id).status == "delivered":
        break
    time.sleep(0.1)
ok(replay_delivery, event_id)
held = facts["held"]["Python"]
assert ok(get_delivery, held).ruling.action == "hold"
assert ok(drop_delivery, held).status == "dropped"
assert ok(release_delivery, held).status == "pending"
assert ok(test_rules, body=TestRulesRequest(event_id=event_id)).action == "deliver"
listing = ok(create_sender_list, body=CreateSenderListRequest(name="python", entries=["a.example"]))
assert listing.id in [one.id for one in ok(list_sender_lists).data]
assert ok(get_sender_list, listing.id).entry_count == 1
assert ok(update_sender_list, listing.id, body=UpdateSenderListRequest(add=["b.example"])).entry_count == 2
assert ok(export_sender_list, listing.id).payload.read() == b"a.example\nb.example\n"
assert ok(delete_sender_list, listing.id).deleted is True
new_bucket = CreateBucketRequest(
    name="python-files",
    endpoint="https://s3.example.com",
    bucket="example-mail",
    credentials=CreateBucketRequestCredentials(access_key_id="id", secret_access_key="secret"),
)
bucket = ok(create_bucket, body=new_bucket)
assert bucket.id in [one.id for one in ok(list_buckets).data]
assert ok(get_bucket, bucket.id).access_key_id == "id"
assert ok(update_bucket, bucket.id, body=UpdateBucketRequest(region="auto")).region == "auto"
assert ok(test_bucket, bucket.id).ok is False
assert ok(delete_bucket, bucket.id).deleted is True
day = datetime.date(2020, 1, 1)
assert ok(replay_deliveries, body=ReplayDeliveriesRequest(start_date=day, end_date=day)).queued == 0
searched = ReplayDeliveriesRequest(start_date=day, end_date=day, sender="ann", verdict="spam")
assert ok(replay_deliveries, body=searched).queued == 0

raw = ok(get_raw_email, event_id, **link["raw"])
assert b"Subject: for clients" in raw.payload.read()
assert ok(get_attachment, event_id, "0", **link["attachment"]).payload.read() == b"one file"

assert ok(get_usage).period.current is True
daily = ok(get_usage_series)
assert len(daily.data) == 30
assert daily.total.received > 0
assert len(ok(list_usage_events).data) > 0
assert ok(get_billing).subscription.status == "active"
listed = ok(list_invoices).data[0]
assert listed.id == facts["invoiceId"]
assert ok(get_invoice_pdf, facts["invoiceId"]).payload.read().startswith(b"%PDF")
signed = dict(urllib.parse.parse_qsl(urllib.parse.urlsplit(listed.invoice_pdf).query))
linked = ok(
    get_linked_invoice_pdf,
    listed.id,
    expires=int(signed["expires"]),
    signature=signed["signature"],
)
assert linked.payload.read().startswith(b"%PDF")

settings = UpdateAccountRequestSettings(timezone="Europe/Berlin")
ok(update_account, body=UpdateAccountRequest(settings=settings))
assert ok(get_account).settings.timezone == "Europe/Berlin"
request = CreateTokenRequest(name="generated", permissions=[Permission.USAGEREAD])
token = ok(create_token, body=request)
assert token.prefix in [item.prefix for item in ok(list_tokens).data]
ok(delete_token, token.id)
member = ok(invite_member, body=InviteMemberRequest(name="generated", role=Role.VIEWER))
assert member.id in [item.id for item in ok(list_members).data]
assert ok(update_member, member.id, body=UpdateMemberRequest(role=Role.ADMIN)).role == "admin"
assert "#code=" in ok(create_member_link, member.id, body=CreateMemberLinkRequest()).url
assert ok(delete_member, member.id).deleted is True

address_id = facts["addressId"]
body = CreateReceiverRequest(url=facts["webhookUrl"])
receiver = ok(create_receiver, address_id, body=body)
listed = [item.id for item in ok(list_receivers, address_id).data]
assert listed[0] == address_id and receiver.id in listed
assert ok(get_receiver, address_id, receiver.id).url == facts["webhookUrl"]
body = UpdateReceiverRequest(is_enabled=False)
assert ok(update_receiver, address_id, receiver.id, body=body).is_enabled is False
secret = ok(rotate_receiver_secret, address_id, receiver.id).webhook_secret
assert ok(get_receiver_secret, address_id, receiver.id).webhook_secret == secret
assert ok(send_test_to_receiver, address_id, receiver.id).outcome == "accepted"
body = UpdateReceiverRequest(signing=WebhookSigning.ED25519)
assert ok(update_receiver, address_id, receiver.id, body=body).signing == "ed25519"
assert len(ok(get_receiver_keys, receiver.id).keys) == 1
body = UpdateReceiverRequest(mode=WebhookMode.PULL)
assert ok(update_receiver, address_id, receiver.id, body=body).mode == "pull"
assert ok(lease_emails, address_id, receiver.id, wait=0).data == []
lost = [f"{event_id}.none"]
assert ok(renew_leases, address_id, receiver.id, body=RenewLeasesRequest(lost)).count == 0
assert ok(return_emails, address_id, receiver.id, body=ReturnEmailsRequest(lost)).count == 0
assert ok(acknowledge_emails, address_id, receiver.id, body=AcknowledgeEmailsRequest(lost)).count <= 1
assert ok(delete_receiver, address_id, receiver.id).deleted is True
assert len(ok(list_deliveries_of_email, event_id).data) == 1

notification = ok(create_notification, body=CreateNotificationRequest(url=facts["webhookUrl"]))
assert notification.id in [item.id for item in ok(list_notifications).data]
assert ok(get_notification, notification.id).url == facts["webhookUrl"]
update = UpdateNotificationRequest(is_enabled=False)
assert ok(update_notification, notification.id, body=update).is_enabled is False
secret = ok(rotate_notification_secret, notification.id).webhook_secret
assert ok(get_notification_secret, notification.id).webhook_secret == secret
assert ok(send_test_notification, notification.id).outcome == "accepted"
assert ok(list_notification_deliveries, notification.id).pagination.total == 0
notified = facts["notified"]
sent = ok(get_notification_delivery, notified["notification_id"], notified["event_id"])
assert sent.payload.type_ == "token.created"
assert ok(delete_notification, notification.id).deleted is True

link = ok(create_dashboard_link, body=CreateDashboardLinkRequest(expires_in_seconds=60))
code = link.url.split("#code=")[1]
signed_in = create_session.sync_detailed(client=client, body=CreateSessionRequest(code=code))
dashboard = Client(
    base_url=os.environ["INLET_URL"],
    headers={
        "Cookie": signed_in.headers["set-cookie"].split(";")[0],
        "Sec-Fetch-Site": "same-origin",
        "Inlet-Dashboard": "1",
    },
)
current = get_current_session.sync(client=dashboard)
assert current.session_id == signed_in.parsed.session_id
assert ok(list_sessions).data[0].session_id == current.session_id
assert delete_current_session.sync(client=dashboard).deleted is True
second = ok(create_session, body=CreateSessionRequest(token=os.environ["INLET_TOKEN"]))
assert ok(delete_session, second.session_id).deleted is True
assert ok(get_single_sign_on).enabled is True

mail = File(payload=io.BytesIO(b"Subject: submitted\r\n\r\nx\r\n"))
submitted = ok(submit_email, body=mail, svc_rcpt_to=facts["recipient"])
assert submitted.recipients[0].result == "accepted"

with client.get_httpx_client().stream("GET", "/stream") as stream:
    assert stream.headers["content-type"].startswith("text/event-stream")
awaited = ok(wait_for_delivery, address_id=facts["addressId"], since=since, timeout=5)
assert awaited.event_id == event_id

missing = get_address.sync(address.id, client=client)
assert isinstance(missing, Error) and missing.error == "not_found"
