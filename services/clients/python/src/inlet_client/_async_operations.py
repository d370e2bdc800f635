"""The operations of the REST API, for asyncio, from its OpenAPI document. Generated: do not edit."""

from __future__ import annotations

import sys
from collections.abc import AsyncIterator
from typing import cast

if sys.version_info >= (3, 12):
    from typing import Unpack
else:
    from typing_extensions import Unpack

from . import types as t
from ._async_transport import AsyncCaller, AsyncListing
from ._request import CallOptions, Operation


class Addresses:
    """Email addresses, and the webhook URL of each."""

    def __init__(self, caller: AsyncCaller) -> None:
        self._caller = caller

    async def create(
        self, *, options: CallOptions | None = None, **fields: Unpack[t.CreateAddressRequest]
    ) -> t.AddressWithSecret:
        """Create an address: `POST /addresses`

        Needs the permission `addresses:write`.
        """
        operation = Operation("POST", "/addresses", body="application/json", is_keyed=True)
        return cast("t.AddressWithSecret", await self._caller.call(operation, (), dict(fields), options))

    def list(
        self, *, options: CallOptions | None = None, **fields: Unpack[t.ListAddressesFields]
    ) -> AsyncListing[t.ListAddressesResponse, t.AddressListItem]:
        """List addresses, newest first: `GET /addresses`

        Needs the permission `addresses:read`.
        """
        operation = Operation("GET", "/addresses", max_items=100)
        return self._caller.listing(operation, (), dict(fields), options)

    async def get(self, address_id: str, /, *, options: CallOptions | None = None) -> t.Address:
        """Get an address; with secrets:read, it has the webhook secret: `GET /addresses/{address_id}`

        Needs the permission `addresses:read`.
        """
        operation = Operation("GET", "/addresses/{address_id}")
        return cast("t.Address", await self._caller.call(operation, (address_id,), {}, options))

    async def update(
        self, address_id: str, /, *, options: CallOptions | None = None, **fields: Unpack[t.UpdateAddressRequest]
    ) -> t.Address:
        """Change an address: where its webhooks go and how, what it accepts, its lifetime or its enabled state: `PATCH /addresses/{address_id}`

        Needs the permission `addresses:write`.
        """
        operation = Operation("PATCH", "/addresses/{address_id}", body="application/json")
        return cast("t.Address", await self._caller.call(operation, (address_id,), dict(fields), options))

    async def delete(self, address_id: str, /, *, options: CallOptions | None = None) -> t.Deleted:
        """Delete an address permanently: `DELETE /addresses/{address_id}`

        Needs the permission `addresses:write`.
        """
        operation = Operation("DELETE", "/addresses/{address_id}")
        return cast("t.Deleted", await self._caller.call(operation, (address_id,), {}, options))

    async def rotate_webhook_secret(
        self, address_id: str, /, *, options: CallOptions | None = None
    ) -> t.AddressWithSecret:
        """Rotate the webhook secret; during the overlap, both the old and the new secret sign: `POST /addresses/{address_id}/rotate-secret`

        Needs the permission `addresses:write`.
        """
        operation = Operation("POST", "/addresses/{address_id}/rotate-secret", is_keyed=True)
        return cast("t.AddressWithSecret", await self._caller.call(operation, (address_id,), {}, options))

    async def send_test_webhook(
        self, address_id: str, /, *, options: CallOptions | None = None
    ) -> t.WebhookTest:
        """Send a sample payload now and return the response of the receiver; no delivery is recorded: `POST /addresses/{address_id}/test`

        Needs the permission `addresses:write`.
        """
        operation = Operation("POST", "/addresses/{address_id}/test", is_keyed=True)
        return cast("t.WebhookTest", await self._caller.call(operation, (address_id,), {}, options))

    async def get_webhook_secret(
        self, address_id: str, /, *, options: CallOptions | None = None
    ) -> t.GetWebhookSecretResponse:
        """Get the webhook secret, and how long a former one also signs; each view is an event: `GET /addresses/{address_id}/secret`

        Needs the permission `secrets:read`.
        """
        operation = Operation("GET", "/addresses/{address_id}/secret")
        return cast("t.GetWebhookSecretResponse", await self._caller.call(operation, (address_id,), {}, options))

    async def create_reply_address(
        self, address_id: str, /, *, options: CallOptions | None = None, **fields: Unpack[t.CreateReplyAddressRequest]
    ) -> t.CreateReplyAddressResponse:
        """Make a signed reply address; programs can make them without a request, too: `POST /addresses/{address_id}/reply-addresses`

        Needs the permission `addresses:write`.
        """
        operation = Operation("POST", "/addresses/{address_id}/reply-addresses", body="application/json", is_keyed=True)
        return cast("t.CreateReplyAddressResponse", await self._caller.call(operation, (address_id,), dict(fields), options))

    async def get_reply_key(
        self, address_id: str, /, *, options: CallOptions | None = None
    ) -> t.GetReplyKeyResponse:
        """Get the key that signs reply addresses; each view is an event: `GET /addresses/{address_id}/reply-key`

        Needs the permission `secrets:read`.
        """
        operation = Operation("GET", "/addresses/{address_id}/reply-key")
        return cast("t.GetReplyKeyResponse", await self._caller.call(operation, (address_id,), {}, options))

    async def rotate_reply_key(
        self, address_id: str, /, *, options: CallOptions | None = None, **fields: Unpack[t.RotateReplyKeyRequest]
    ) -> t.RotateReplyKeyResponse:
        """Rotate the key of reply addresses; during the overlap, those of both keys are accepted: `POST /addresses/{address_id}/rotate-reply-key`

        Needs the permission `addresses:write`.
        """
        operation = Operation("POST", "/addresses/{address_id}/rotate-reply-key", body="application/json", is_keyed=True)
        return cast("t.RotateReplyKeyResponse", await self._caller.call(operation, (address_id,), dict(fields), options))


class Receivers:
    """Further webhook URLs of an address."""

    def __init__(self, caller: AsyncCaller) -> None:
        self._caller = caller

    async def create(
        self, address_id: str, /, *, options: CallOptions | None = None, **fields: Unpack[t.CreateReceiverRequest]
    ) -> t.ReceiverWithSecret:
        """Create a further receiver of an address; it has 10 at most: `POST /addresses/{address_id}/receivers`

        Needs the permission `addresses:write`.
        """
        operation = Operation("POST", "/addresses/{address_id}/receivers", body="application/json", is_keyed=True)
        return cast("t.ReceiverWithSecret", await self._caller.call(operation, (address_id,), dict(fields), options))

    def list(
        self, address_id: str, /, *, options: CallOptions | None = None
    ) -> AsyncListing[t.ListReceiversResponse, t.Receiver]:
        """List the receivers of an address: the first one, then the further ones, oldest first: `GET /addresses/{address_id}/receivers`

        Needs the permission `addresses:read`.
        """
        operation = Operation("GET", "/addresses/{address_id}/receivers", max_items=0)
        return self._caller.listing(operation, (address_id,), {}, options)

    async def get(
        self, address_id: str, receiver_id: str, /, *, options: CallOptions | None = None
    ) -> t.Receiver:
        """Get a receiver of an address: `GET /addresses/{address_id}/receivers/{receiver_id}`

        Needs the permission `addresses:read`.
        """
        operation = Operation("GET", "/addresses/{address_id}/receivers/{receiver_id}")
        return cast("t.Receiver", await self._caller.call(operation, (address_id, receiver_id,), {}, options))

    async def update(
        self, address_id: str, receiver_id: str, /, *, options: CallOptions | None = None, **fields: Unpack[t.UpdateReceiverRequest]
    ) -> t.Receiver:
        """Change the settings of a receiver; those of the first one are those of its address: `PATCH /addresses/{address_id}/receivers/{receiver_id}`

        Needs the permission `addresses:write`.
        """
        operation = Operation("PATCH", "/addresses/{address_id}/receivers/{receiver_id}", body="application/json")
        return cast("t.Receiver", await self._caller.call(operation, (address_id, receiver_id,), dict(fields), options))

    async def delete(
        self, address_id: str, receiver_id: str, /, *, options: CallOptions | None = None
    ) -> t.Deleted:
        """Delete a further receiver; its waiting deliveries continue: `DELETE /addresses/{address_id}/receivers/{receiver_id}`

        Needs the permission `addresses:write`.
        """
        operation = Operation("DELETE", "/addresses/{address_id}/receivers/{receiver_id}")
        return cast("t.Deleted", await self._caller.call(operation, (address_id, receiver_id,), {}, options))

    async def get_secret(
        self, address_id: str, receiver_id: str, /, *, options: CallOptions | None = None
    ) -> t.GetReceiverSecretResponse:
        """Get the webhook secret of a receiver; each view is an event: `GET /addresses/{address_id}/receivers/{receiver_id}/secret`

        Needs the permission `secrets:read`.
        """
        operation = Operation("GET", "/addresses/{address_id}/receivers/{receiver_id}/secret")
        return cast("t.GetReceiverSecretResponse", await self._caller.call(operation, (address_id, receiver_id,), {}, options))

    async def rotate_secret(
        self, address_id: str, receiver_id: str, /, *, options: CallOptions | None = None
    ) -> t.ReceiverWithSecret:
        """Rotate the webhook secret; during the overlap, both the old and the new secret sign: `POST /addresses/{address_id}/receivers/{receiver_id}/rotate-secret`

        Needs the permission `addresses:write`.
        """
        operation = Operation("POST", "/addresses/{address_id}/receivers/{receiver_id}/rotate-secret", is_keyed=True)
        return cast("t.ReceiverWithSecret", await self._caller.call(operation, (address_id, receiver_id,), {}, options))

    async def send_test_to_receiver(
        self, address_id: str, receiver_id: str, /, *, options: CallOptions | None = None
    ) -> t.WebhookTest:
        """Send a sample payload now and return the response of the receiver; no delivery is recorded: `POST /addresses/{address_id}/receivers/{receiver_id}/test`

        Needs the permission `addresses:write`.
        """
        operation = Operation("POST", "/addresses/{address_id}/receivers/{receiver_id}/test", is_keyed=True)
        return cast("t.WebhookTest", await self._caller.call(operation, (address_id, receiver_id,), {}, options))

    async def get_keys(
        self, receiver_id: str, /, *, options: CallOptions | None = None
    ) -> t.JsonWebKeySet:
        """Get the public keys of a receiver whose webhooks are signed with ed25519: `GET /receivers/{receiver_id}/jwks.json`"""
        operation = Operation("GET", "/receivers/{receiver_id}/jwks.json")
        return cast("t.JsonWebKeySet", await self._caller.call(operation, (receiver_id,), {}, options))

    async def lease_emails(
        self, address_id: str, receiver_id: str, /, *, options: CallOptions | None = None, **fields: Unpack[t.LeaseEmailsFields]
    ) -> t.LeasedEmails:
        """Lease the next emails of a receiver with the mode pull; those that are not acknowledged come again: `GET /addresses/{address_id}/receivers/{receiver_id}/next`

        Needs the permission `deliveries:consume`.
        """
        operation = Operation("GET", "/addresses/{address_id}/receivers/{receiver_id}/next")
        return cast("t.LeasedEmails", await self._caller.call(operation, (address_id, receiver_id,), dict(fields), options))

    async def acknowledge_emails(
        self, address_id: str, receiver_id: str, /, *, options: CallOptions | None = None, **fields: Unpack[t.AcknowledgeEmailsRequest]
    ) -> t.LeaseResult:
        """Acknowledge leased emails: their deliveries have ended: `POST /addresses/{address_id}/receivers/{receiver_id}/ack`

        Needs the permission `deliveries:consume`.
        """
        operation = Operation("POST", "/addresses/{address_id}/receivers/{receiver_id}/ack", body="application/json", is_keyed=True)
        return cast("t.LeaseResult", await self._caller.call(operation, (address_id, receiver_id,), dict(fields), options))

    async def return_emails(
        self, address_id: str, receiver_id: str, /, *, options: CallOptions | None = None, **fields: Unpack[t.ReturnEmailsRequest]
    ) -> t.LeaseResult:
        """Return leased emails: they come again as the schedule says, or have failed: `POST /addresses/{address_id}/receivers/{receiver_id}/nack`

        Needs the permission `deliveries:consume`.
        """
        operation = Operation("POST", "/addresses/{address_id}/receivers/{receiver_id}/nack", body="application/json", is_keyed=True)
        return cast("t.LeaseResult", await self._caller.call(operation, (address_id, receiver_id,), dict(fields), options))

    async def renew_leases(
        self, address_id: str, receiver_id: str, /, *, options: CallOptions | None = None, **fields: Unpack[t.RenewLeasesRequest]
    ) -> t.LeaseResult:
        """Renew leases from now on, for work that takes longer; for 12 hours at most: `POST /addresses/{address_id}/receivers/{receiver_id}/renew`

        Needs the permission `deliveries:consume`.
        """
        operation = Operation("POST", "/addresses/{address_id}/receivers/{receiver_id}/renew", body="application/json", is_keyed=True)
        return cast("t.LeaseResult", await self._caller.call(operation, (address_id, receiver_id,), dict(fields), options))


class Lists:
    """Senders that rules and filters name."""

    def __init__(self, caller: AsyncCaller) -> None:
        self._caller = caller

    def list(
        self, *, options: CallOptions | None = None
    ) -> AsyncListing[t.ListSenderListsResponse, t.SenderList]:
        """List the sender lists of the account by name: `GET /lists`

        Needs the permission `addresses:read`.
        """
        operation = Operation("GET", "/lists", max_items=0)
        return self._caller.listing(operation, (), {}, options)

    async def create(
        self, *, options: CallOptions | None = None, **fields: Unpack[t.CreateSenderListRequest]
    ) -> t.SenderList:
        """Create a list of senders for rules and filters: `POST /lists`

        Needs the permission `addresses:write`.
        """
        operation = Operation("POST", "/lists", body="application/json", is_keyed=True)
        return cast("t.SenderList", await self._caller.call(operation, (), dict(fields), options))

    async def get(self, list_id: str, /, *, options: CallOptions | None = None) -> t.SenderList:
        """Get a sender list without its entries: `GET /lists/{list_id}`

        Needs the permission `addresses:read`.
        """
        operation = Operation("GET", "/lists/{list_id}")
        return cast("t.SenderList", await self._caller.call(operation, (list_id,), {}, options))

    async def update(
        self, list_id: str, /, *, options: CallOptions | None = None, **fields: Unpack[t.UpdateSenderListRequest]
    ) -> t.SenderList:
        """Change the description or the entries of a sender list; the next email is judged by them: `PATCH /lists/{list_id}`

        Needs the permission `addresses:write`.
        """
        operation = Operation("PATCH", "/lists/{list_id}", body="application/json")
        return cast("t.SenderList", await self._caller.call(operation, (list_id,), dict(fields), options))

    async def delete(self, list_id: str, /, *, options: CallOptions | None = None) -> t.Deleted:
        """Delete a sender list; rules that name it then fail, and do nothing: `DELETE /lists/{list_id}`

        Needs the permission `addresses:write`.
        """
        operation = Operation("DELETE", "/lists/{list_id}")
        return cast("t.Deleted", await self._caller.call(operation, (list_id,), {}, options))

    async def export(self, list_id: str, /, *, options: CallOptions | None = None) -> str:
        """Get the entries of a sender list as text, one in each line: `GET /lists/{list_id}/entries`

        Needs the permission `addresses:read`.
        """
        operation = Operation("GET", "/lists/{list_id}/entries", response="text")
        return cast("str", await self._caller.call(operation, (list_id,), {}, options))


class Domains:
    """Your own domains, with the DNS records that they need."""

    def __init__(self, caller: AsyncCaller) -> None:
        self._caller = caller

    async def create(
        self, *, options: CallOptions | None = None, **fields: Unpack[t.CreateDomainRequest]
    ) -> t.Domain:
        """Claim a domain; the response contains the DNS records to create: `POST /domains`

        Needs the permission `domains:write`.
        """
        operation = Operation("POST", "/domains", body="application/json", is_keyed=True)
        return cast("t.Domain", await self._caller.call(operation, (), dict(fields), options))

    def list(
        self, *, options: CallOptions | None = None, **fields: Unpack[t.ListDomainsFields]
    ) -> AsyncListing[t.ListDomainsResponse, t.Domain]:
        """List the domains of the account, newest first: `GET /domains`

        Needs the permission `domains:read`.
        """
        operation = Operation("GET", "/domains", max_items=100)
        return self._caller.listing(operation, (), dict(fields), options)

    async def get(self, domain_id: str, /, *, options: CallOptions | None = None) -> t.Domain:
        """Get a domain with its required DNS records: `GET /domains/{domain_id}`

        Needs the permission `domains:read`.
        """
        operation = Operation("GET", "/domains/{domain_id}")
        return cast("t.Domain", await self._caller.call(operation, (domain_id,), {}, options))

    async def update(
        self, domain_id: str, /, *, options: CallOptions | None = None, **fields: Unpack[t.UpdateDomainRequest]
    ) -> t.Domain:
        """Change the MTA-STS policy of a domain; `enforce` is refused while the certificate of the MX hosts does not cover each of them: `PATCH /domains/{domain_id}`

        Needs the permission `domains:write`.
        """
        operation = Operation("PATCH", "/domains/{domain_id}", body="application/json")
        return cast("t.Domain", await self._caller.call(operation, (domain_id,), dict(fields), options))

    async def delete(self, domain_id: str, /, *, options: CallOptions | None = None) -> t.Deleted:
        """Delete a domain that has no addresses: `DELETE /domains/{domain_id}`

        Needs the permission `domains:write`.
        """
        operation = Operation("DELETE", "/domains/{domain_id}")
        return cast("t.Deleted", await self._caller.call(operation, (domain_id,), {}, options))

    async def verify(self, domain_id: str, /, *, options: CallOptions | None = None) -> t.Domain:
        """Check the DNS now: the TXT record verifies the domain permanently; the response also reports its MX records: `POST /domains/{domain_id}/verify`

        Needs the permission `domains:write`.
        """
        operation = Operation("POST", "/domains/{domain_id}/verify", is_keyed=True)
        return cast("t.Domain", await self._caller.call(operation, (domain_id,), {}, options))


class Deliveries:
    """Received emails, the attempts to deliver them, replays, and tests of rules."""

    def __init__(self, caller: AsyncCaller) -> None:
        self._caller = caller

    def list(
        self, *, options: CallOptions | None = None, **fields: Unpack[t.ListDeliveriesFields]
    ) -> AsyncListing[t.ListDeliveriesResponse, t.DeliveryListItem]:
        """List deliveries, newest first; an email appears within two seconds: `GET /deliveries`

        Needs the permission `deliveries:read`.
        """
        operation = Operation("GET", "/deliveries", max_items=100)
        return self._caller.listing(operation, (), dict(fields), options)

    def list_newest(
        self, *, options: CallOptions | None = None, **fields: Unpack[t.ListNewestDeliveriesFields]
    ) -> AsyncListing[t.ListNewestDeliveriesResponse, t.DeliveryListItem]:
        """List the newest email of each of these addresses: `GET /deliveries/newest`

        Needs the permission `deliveries:read`.
        """
        operation = Operation("GET", "/deliveries/newest", max_items=0)
        return self._caller.listing(operation, (), dict(fields), options)

    def list_due(
        self, *, options: CallOptions | None = None, **fields: Unpack[t.ListDueDeliveriesFields]
    ) -> AsyncListing[t.ListDueDeliveriesResponse, t.DeliveryListItem]:
        """List deliveries that wait for a retry; those that are due next come first: `GET /deliveries/due`

        Needs the permission `deliveries:read`.
        """
        operation = Operation("GET", "/deliveries/due", max_items=100)
        return self._caller.listing(operation, (), dict(fields), options)

    async def get(
        self, event_id: str, /, *, options: CallOptions | None = None, **fields: Unpack[t.GetDeliveryFields]
    ) -> t.Delivery:
        """Get a delivery with its last 100 attempts: `GET /deliveries/{event_id}`

        Needs the permission `deliveries:read`.
        """
        operation = Operation("GET", "/deliveries/{event_id}")
        return cast("t.Delivery", await self._caller.call(operation, (event_id,), dict(fields), options))

    def list_of_email(
        self, event_id: str, /, *, options: CallOptions | None = None
    ) -> AsyncListing[t.ListDeliveriesOfEmailResponse, t.DeliveryListItem]:
        """List the deliveries of the same email to all receivers of its address: `GET /deliveries/{event_id}/receivers`

        Needs the permission `deliveries:read`.
        """
        operation = Operation("GET", "/deliveries/{event_id}/receivers", max_items=0)
        return self._caller.listing(operation, (event_id,), {}, options)

    async def get_payload(
        self, event_id: str, /, *, options: CallOptions | None = None
    ) -> t.WebhookPayload:
        """Get the JSON payload as it was last sent: `GET /deliveries/{event_id}/payload`

        Needs the permission `deliveries:read`.
        """
        operation = Operation("GET", "/deliveries/{event_id}/payload")
        return cast("t.WebhookPayload", await self._caller.call(operation, (event_id,), {}, options))

    async def replay(self, event_id: str, /, *, options: CallOptions | None = None) -> t.Delivery:
        """Replay a delivery that has ended, or is held, while its email is stored: `POST /deliveries/{event_id}/replay`

        Needs the permission `deliveries:decide`.
        """
        operation = Operation("POST", "/deliveries/{event_id}/replay", is_keyed=True)
        return cast("t.Delivery", await self._caller.call(operation, (event_id,), {}, options))

    async def retry(self, event_id: str, /, *, options: CallOptions | None = None) -> t.Delivery:
        """Make the next attempt of a waiting delivery due now: `POST /deliveries/{event_id}/retry`

        Needs the permission `deliveries:decide`.
        """
        operation = Operation("POST", "/deliveries/{event_id}/retry", is_keyed=True)
        return cast("t.Delivery", await self._caller.call(operation, (event_id,), {}, options))

    async def cancel(self, event_id: str, /, *, options: CallOptions | None = None) -> t.Delivery:
        """End a waiting delivery as failed, without further attempts: `POST /deliveries/{event_id}/cancel`

        Needs the permission `deliveries:decide`.
        """
        operation = Operation("POST", "/deliveries/{event_id}/cancel", is_keyed=True)
        return cast("t.Delivery", await self._caller.call(operation, (event_id,), {}, options))

    async def get_replay_window(
        self, *, options: CallOptions | None = None
    ) -> t.GetReplayWindowResponse:
        """Get how long delivered emails can be replayed: `GET /deliveries/replay`

        Needs the permission `deliveries:read`.
        """
        operation = Operation("GET", "/deliveries/replay")
        return cast("t.GetReplayWindowResponse", await self._caller.call(operation, (), {}, options))

    async def replay_deliveries(
        self, *, options: CallOptions | None = None, **fields: Unpack[t.ReplayDeliveriesRequest]
    ) -> t.ReplayDeliveriesResponse:
        """Replay many deliveries, oldest first, at a constant rate: `POST /deliveries/replay`

        Needs the permission `deliveries:decide`.
        """
        operation = Operation("POST", "/deliveries/replay", body="application/json", is_keyed=True)
        return cast("t.ReplayDeliveriesResponse", await self._caller.call(operation, (), dict(fields), options))

    async def release(self, event_id: str, /, *, options: CallOptions | None = None) -> t.Delivery:
        """Deliver an email that rules held or dropped, to all its receivers: `POST /deliveries/{event_id}/release`

        Needs the permission `deliveries:decide`.
        """
        operation = Operation("POST", "/deliveries/{event_id}/release", is_keyed=True)
        return cast("t.Delivery", await self._caller.call(operation, (event_id,), {}, options))

    async def drop(self, event_id: str, /, *, options: CallOptions | None = None) -> t.Delivery:
        """Drop a held email: none of its receivers gets it, unless it is released later: `POST /deliveries/{event_id}/drop`

        Needs the permission `deliveries:decide`.
        """
        operation = Operation("POST", "/deliveries/{event_id}/drop", is_keyed=True)
        return cast("t.Delivery", await self._caller.call(operation, (event_id,), {}, options))

    async def submit_email(
        self, content: bytes | str, /, *, options: CallOptions | None = None, **fields: Unpack[t.SubmitEmailFields]
    ) -> t.SubmitEmailResponse:
        """Submit an email that another mail server or a worker received: `POST /intake`

        Needs the permission `mail:submit`.
        """
        operation = Operation("POST", "/intake", body="message/rfc822", headers=("Svc-Rcpt-To", "Svc-Mail-From", "Svc-Remote-Ip", "Svc-Helo-Domain", ))
        return cast("t.SubmitEmailResponse", await self._caller.call(operation, (), dict(fields), options, content))

    async def erase_content(
        self, event_id: str, /, *, options: CallOptions | None = None
    ) -> t.Delivery:
        """Erase the content of an email everywhere, for all receivers; a delivery that waits for a later attempt is canceled first: `DELETE /deliveries/{event_id}/content`

        Needs the permission `deliveries:erase`.
        """
        operation = Operation("DELETE", "/deliveries/{event_id}/content")
        return cast("t.Delivery", await self._caller.call(operation, (event_id,), {}, options))

    async def get_email(self, event_id: str, /, *, options: CallOptions | None = None) -> t.Email:
        """Get the email of a delivery without its HTML and the contents of attachments: `GET /deliveries/{event_id}/email`

        Needs the permission `deliveries:read`.
        """
        operation = Operation("GET", "/deliveries/{event_id}/email")
        return cast("t.Email", await self._caller.call(operation, (event_id,), {}, options))

    async def get_html(self, event_id: str, /, *, options: CallOptions | None = None) -> str:
        """Get the HTML body as a page that runs nothing and fetches nothing: `GET /deliveries/{event_id}/html`

        Needs the permission `deliveries:read`.
        """
        operation = Operation("GET", "/deliveries/{event_id}/html", response="text")
        return cast("str", await self._caller.call(operation, (event_id,), {}, options))

    async def sign(
        self, event_id: str, /, *, options: CallOptions | None = None
    ) -> t.SignedWebhook:
        """Sign the stored payload again, to send it by hand to a receiver under development: `POST /deliveries/{event_id}/signature`

        Needs the permission `deliveries:decide`.
        """
        operation = Operation("POST", "/deliveries/{event_id}/signature", is_keyed=True)
        return cast("t.SignedWebhook", await self._caller.call(operation, (event_id,), {}, options))

    async def test_expression(
        self, *, options: CallOptions | None = None, **fields: Unpack[t.TestExpressionRequest]
    ) -> t.ExpressionTest:
        """Try an expression on a stored email, or on one in the request: `POST /expressions/test`

        Needs the permission `deliveries:read`.
        """
        operation = Operation("POST", "/expressions/test", body="application/json", is_keyed=True)
        return cast("t.ExpressionTest", await self._caller.call(operation, (), dict(fields), options))

    async def test_rules(
        self, *, options: CallOptions | None = None, **fields: Unpack[t.TestRulesRequest]
    ) -> t.RulesTest:
        """Try the present rules, or others, on a stored email or on one in the request: `POST /rules/test`

        Needs the permission `deliveries:read`.
        """
        operation = Operation("POST", "/rules/test", body="application/json", is_keyed=True)
        return cast("t.RulesTest", await self._caller.call(operation, (), dict(fields), options))

    async def wait_for_delivery(
        self, *, options: CallOptions | None = None, **fields: Unpack[t.WaitForDeliveryFields]
    ) -> t.AwaitedDelivery | None:
        """Wait for the next email of an address; 204 when none arrives in time: `GET /deliveries/wait`

        Needs the permission `deliveries:read`.
        """
        operation = Operation("GET", "/deliveries/wait")
        return cast("t.AwaitedDelivery | None", await self._caller.call(operation, (), dict(fields), options))


class Refusals:
    """Email that Inlet refused, and why."""

    def __init__(self, caller: AsyncCaller) -> None:
        self._caller = caller

    def list(
        self, *, options: CallOptions | None = None, **fields: Unpack[t.ListRefusalsFields]
    ) -> AsyncListing[t.ListRefusalsResponse, t.Refusal]:
        """List refused email, the last one first; a refusal appears within five seconds: `GET /refusals`

        Needs the permission `deliveries:read`.
        """
        operation = Operation("GET", "/refusals", max_items=100)
        return self._caller.listing(operation, (), dict(fields), options)

    async def delete_refusals_of_sender(
        self, *, options: CallOptions | None = None, **fields: Unpack[t.DeleteRefusalsOfSenderFields]
    ) -> t.DeleteRefusalsOfSenderResponse:
        """Erase all refusals of a sender: `DELETE /refusals`

        Needs the permission `deliveries:erase`.
        """
        operation = Operation("DELETE", "/refusals")
        return cast("t.DeleteRefusalsOfSenderResponse", await self._caller.call(operation, (), dict(fields), options))

    async def count_refusals(
        self, *, options: CallOptions | None = None, **fields: Unpack[t.CountRefusalsFields]
    ) -> t.CountRefusalsResponse:
        """Count refusals: all of the records whose last one is in the range: `GET /refusals/count`

        Needs the permission `deliveries:read`.
        """
        operation = Operation("GET", "/refusals/count")
        return cast("t.CountRefusalsResponse", await self._caller.call(operation, (), dict(fields), options))

    async def get(self, refusal_id: str, /, *, options: CallOptions | None = None) -> t.Refusal:
        """Get a refusal: `GET /refusals/{refusal_id}`

        Needs the permission `deliveries:read`.
        """
        operation = Operation("GET", "/refusals/{refusal_id}")
        return cast("t.Refusal", await self._caller.call(operation, (refusal_id,), {}, options))

    async def delete(self, refusal_id: str, /, *, options: CallOptions | None = None) -> t.Deleted:
        """Erase a refusal: nothing else is stored of the email: `DELETE /refusals/{refusal_id}`

        Needs the permission `deliveries:erase`.
        """
        operation = Operation("DELETE", "/refusals/{refusal_id}")
        return cast("t.Deleted", await self._caller.call(operation, (refusal_id,), {}, options))


class Stream:
    """Events as they happen."""

    def __init__(self, caller: AsyncCaller) -> None:
        self._caller = caller

    def stream_events(
        self, *, options: CallOptions | None = None, **fields: Unpack[t.StreamEventsFields]
    ) -> AsyncIterator[bytes]:
        """Receive events as they happen, as server-sent events (text/event-stream): `GET /stream`"""
        operation = Operation("GET", "/stream", response="stream")
        return self._caller.stream(operation, (), dict(fields), options)


class Usage:
    """Counters of the billing period, and the audit trail."""

    def __init__(self, caller: AsyncCaller) -> None:
        self._caller = caller

    async def get(self, *, options: CallOptions | None = None) -> t.Usage:
        """Get the usage of the current billing period, and the limit of the plan; an email counts at its time of receipt, within two seconds: `GET /usage`

        Needs the permission `usage:read`.
        """
        operation = Operation("GET", "/usage")
        return cast("t.Usage", await self._caller.call(operation, (), {}, options))

    async def get_series(
        self, *, options: CallOptions | None = None, **fields: Unpack[t.GetUsageSeriesFields]
    ) -> t.GetUsageSeriesResponse:
        """Get emails and latencies by day or by hour, oldest first: `GET /usage/daily`

        Needs the permission `usage:read`.
        """
        operation = Operation("GET", "/usage/daily")
        return cast("t.GetUsageSeriesResponse", await self._caller.call(operation, (), dict(fields), options))

    def list_events(
        self, *, options: CallOptions | None = None, **fields: Unpack[t.ListUsageEventsFields]
    ) -> AsyncListing[t.ListUsageEventsResponse, t.UsageEvent]:
        """List events, newest first: received emails, delivery attempts, and changes of addresses and tokens: `GET /usage/events`

        Needs the permission `usage:read`.
        """
        operation = Operation("GET", "/usage/events", max_items=1000)
        return self._caller.listing(operation, (), dict(fields), options)


class Billing:
    """The subscription, its costs, and invoices."""

    def __init__(self, caller: AsyncCaller) -> None:
        self._caller = caller

    async def get(self, *, options: CallOptions | None = None) -> t.Billing:
        """Get the subscription, usage and cost of the current period; test mail is never billed: `GET /billing`

        Needs the permission `billing:read`.
        """
        operation = Operation("GET", "/billing")
        return cast("t.Billing", await self._caller.call(operation, (), {}, options))

    def list_invoices(
        self, *, options: CallOptions | None = None, **fields: Unpack[t.ListInvoicesFields]
    ) -> AsyncListing[t.ListInvoicesResponse, t.Invoice]:
        """List invoices, newest first: `GET /billing/history`

        Needs the permission `billing:read`.
        """
        operation = Operation("GET", "/billing/history", max_items=100)
        return self._caller.listing(operation, (), dict(fields), options)

    async def get_invoice_pdf(
        self, invoice_id: str, /, *, options: CallOptions | None = None
    ) -> bytes:
        """Get an invoice as a PDF: `GET /billing/invoices/{invoice_id}/pdf`

        Needs the permission `billing:read`.
        """
        operation = Operation("GET", "/billing/invoices/{invoice_id}/pdf", response="bytes")
        return cast("bytes", await self._caller.call(operation, (invoice_id,), {}, options))


class Account:
    """The account and its settings."""

    def __init__(self, caller: AsyncCaller) -> None:
        self._caller = caller

    async def get(self, *, options: CallOptions | None = None) -> t.Account:
        """Get the account of the token: `GET /account`

        Needs the permission `account:read`.
        """
        operation = Operation("GET", "/account")
        return cast("t.Account", await self._caller.call(operation, (), {}, options))

    async def update(
        self, *, options: CallOptions | None = None, **fields: Unpack[t.UpdateAccountRequest]
    ) -> t.Account:
        """Change the name, company or settings; changed retry settings apply to deliveries within 30 seconds: `PATCH /account`

        Needs the permission `account:write`.
        """
        operation = Operation("PATCH", "/account", body="application/json")
        return cast("t.Account", await self._caller.call(operation, (), dict(fields), options))


class Tokens:
    """API tokens."""

    def __init__(self, caller: AsyncCaller) -> None:
        self._caller = caller

    def list(
        self, *, options: CallOptions | None = None
    ) -> AsyncListing[t.ListTokensResponse, t.Token]:
        """List the API tokens of the account, live and test, newest first: `GET /account/tokens`

        Needs the permission `tokens:read`.
        """
        operation = Operation("GET", "/account/tokens", max_items=0)
        return self._caller.listing(operation, (), {}, options)

    async def create(
        self, *, options: CallOptions | None = None, **fields: Unpack[t.CreateTokenRequest]
    ) -> t.CreatedToken:
        """Create an API token; the token is shown only in this response: `POST /account/tokens`

        Needs the permission `tokens:write`.
        """
        operation = Operation("POST", "/account/tokens", body="application/json", is_keyed=True)
        return cast("t.CreatedToken", await self._caller.call(operation, (), dict(fields), options))

    async def delete(self, token_id: str, /, *, options: CallOptions | None = None) -> t.Deleted:
        """Revoke an API token; every API process refuses it within a second. The calling token can revoke itself: `DELETE /account/tokens/{token_id}`

        Needs the permission `tokens:write`.
        """
        operation = Operation("DELETE", "/account/tokens/{token_id}")
        return cast("t.Deleted", await self._caller.call(operation, (token_id,), {}, options))


class Members:
    """The people of the account, and what each may do."""

    def __init__(self, caller: AsyncCaller) -> None:
        self._caller = caller

    def list(
        self, *, options: CallOptions | None = None
    ) -> AsyncListing[t.ListMembersResponse, t.Member]:
        """List the people of the account and what each may do, newest first: `GET /account/members`

        Needs the permission `tokens:read`.
        """
        operation = Operation("GET", "/account/members", max_items=0)
        return self._caller.listing(operation, (), {}, options)

    async def invite(
        self, *, options: CallOptions | None = None, **fields: Unpack[t.InviteMemberRequest]
    ) -> t.InvitedMember:
        """Invite a person: the response has a single-use link, which Inlet does not send. The caller needs all permissions of the role: `POST /account/members`

        Needs the permission `tokens:write`.
        """
        operation = Operation("POST", "/account/members", body="application/json", is_keyed=True)
        return cast("t.InvitedMember", await self._caller.call(operation, (), dict(fields), options))

    async def update(
        self, member_id: str, /, *, options: CallOptions | None = None, **fields: Unpack[t.UpdateMemberRequest]
    ) -> t.Member:
        """Change the name or the role of a person; a role applies to their sessions immediately and to their tokens within a second: `PATCH /account/members/{member_id}`

        Needs the permission `tokens:write`.
        """
        operation = Operation("PATCH", "/account/members/{member_id}", body="application/json")
        return cast("t.Member", await self._caller.call(operation, (member_id,), dict(fields), options))

    async def delete(self, member_id: str, /, *, options: CallOptions | None = None) -> t.Deleted:
        """Remove a person: their sessions and tokens end with them: `DELETE /account/members/{member_id}`

        Needs the permission `tokens:write`.
        """
        operation = Operation("DELETE", "/account/members/{member_id}")
        return cast("t.Deleted", await self._caller.call(operation, (member_id,), {}, options))

    async def create_link(
        self, member_id: str, /, *, options: CallOptions | None = None, **fields: Unpack[t.CreateMemberLinkRequest]
    ) -> t.DashboardLink:
        """Create a single-use link with which a person signs in again; an earlier one stops working: `POST /account/members/{member_id}/links`

        Needs the permission `tokens:write`.
        """
        operation = Operation("POST", "/account/members/{member_id}/links", body="application/json", is_keyed=True)
        return cast("t.DashboardLink", await self._caller.call(operation, (member_id,), dict(fields), options))


class Notifications:
    """URLs that receive events of the account."""

    def __init__(self, caller: AsyncCaller) -> None:
        self._caller = caller

    async def create(
        self, *, options: CallOptions | None = None, **fields: Unpack[t.CreateNotificationRequest]
    ) -> t.NotificationWithSecret:
        """Send events of the account to a URL, in the environment of the token: `POST /account/notifications`

        Needs the permission `account:write`.
        """
        operation = Operation("POST", "/account/notifications", body="application/json", is_keyed=True)
        return cast("t.NotificationWithSecret", await self._caller.call(operation, (), dict(fields), options))

    def list(
        self, *, options: CallOptions | None = None
    ) -> AsyncListing[t.ListNotificationsResponse, t.Notification]:
        """List the notifications of this environment, newest first; there are at most five: `GET /account/notifications`

        Needs the permission `account:read`.
        """
        operation = Operation("GET", "/account/notifications", max_items=0)
        return self._caller.listing(operation, (), {}, options)

    async def get(
        self, notification_id: str, /, *, options: CallOptions | None = None
    ) -> t.Notification:
        """Get a notification: `GET /account/notifications/{notification_id}`

        Needs the permission `account:read`.
        """
        operation = Operation("GET", "/account/notifications/{notification_id}")
        return cast("t.Notification", await self._caller.call(operation, (notification_id,), {}, options))

    async def update(
        self, notification_id: str, /, *, options: CallOptions | None = None, **fields: Unpack[t.UpdateNotificationRequest]
    ) -> t.Notification:
        """Change the URL, types, description or enabled state of a notification: `PATCH /account/notifications/{notification_id}`

        Needs the permission `account:write`.
        """
        operation = Operation("PATCH", "/account/notifications/{notification_id}", body="application/json")
        return cast("t.Notification", await self._caller.call(operation, (notification_id,), dict(fields), options))

    async def delete(
        self, notification_id: str, /, *, options: CallOptions | None = None
    ) -> t.Deleted:
        """Delete a notification; its waiting deliveries fail at their next attempt: `DELETE /account/notifications/{notification_id}`

        Needs the permission `account:write`.
        """
        operation = Operation("DELETE", "/account/notifications/{notification_id}")
        return cast("t.Deleted", await self._caller.call(operation, (notification_id,), {}, options))

    async def get_secret(
        self, notification_id: str, /, *, options: CallOptions | None = None
    ) -> t.GetNotificationSecretResponse:
        """Get the webhook secret of a notification; each view is an event: `GET /account/notifications/{notification_id}/secret`

        Needs the permission `secrets:read`.
        """
        operation = Operation("GET", "/account/notifications/{notification_id}/secret")
        return cast("t.GetNotificationSecretResponse", await self._caller.call(operation, (notification_id,), {}, options))

    async def rotate_secret(
        self, notification_id: str, /, *, options: CallOptions | None = None
    ) -> t.NotificationWithSecret:
        """Rotate the webhook secret; during the overlap, both the old and the new secret sign: `POST /account/notifications/{notification_id}/rotate-secret`

        Needs the permission `account:write`.
        """
        operation = Operation("POST", "/account/notifications/{notification_id}/rotate-secret", is_keyed=True)
        return cast("t.NotificationWithSecret", await self._caller.call(operation, (notification_id,), {}, options))

    async def send_test_notification(
        self, notification_id: str, /, *, options: CallOptions | None = None
    ) -> t.WebhookTest:
        """Send an example now and return the response of the receiver; no delivery is recorded: `POST /account/notifications/{notification_id}/test`

        Needs the permission `account:write`.
        """
        operation = Operation("POST", "/account/notifications/{notification_id}/test", is_keyed=True)
        return cast("t.WebhookTest", await self._caller.call(operation, (notification_id,), {}, options))

    def list_deliveries(
        self, notification_id: str, /, *, options: CallOptions | None = None, **fields: Unpack[t.ListNotificationDeliveriesFields]
    ) -> AsyncListing[t.ListNotificationDeliveriesResponse, t.NotificationDelivery]:
        """List the deliveries of a notification, newest first; the calls on one delivery work as for emails: `GET /account/notifications/{notification_id}/deliveries`

        Needs the permission `deliveries:read`.
        """
        operation = Operation("GET", "/account/notifications/{notification_id}/deliveries", max_items=100)
        return self._caller.listing(operation, (notification_id,), dict(fields), options)

    async def get_delivery(
        self, notification_id: str, event_id: str, /, *, options: CallOptions | None = None
    ) -> t.NotificationDeliveryDetails:
        """Get a delivery of a notification with its payload and its last 100 attempts: `GET /account/notifications/{notification_id}/deliveries/{event_id}`

        Needs the permission `deliveries:read`.
        """
        operation = Operation("GET", "/account/notifications/{notification_id}/deliveries/{event_id}")
        return cast("t.NotificationDeliveryDetails", await self._caller.call(operation, (notification_id, event_id,), {}, options))


class Buckets:
    """Buckets of your own for raw emails and attachments."""

    def __init__(self, caller: AsyncCaller) -> None:
        self._caller = caller

    async def create(
        self, *, options: CallOptions | None = None, **fields: Unpack[t.CreateBucketRequest]
    ) -> t.Bucket:
        """Add a bucket with an S3 API, in the environment of the token: `POST /account/buckets`

        Needs the permission `account:write`.
        """
        operation = Operation("POST", "/account/buckets", body="application/json", is_keyed=True)
        return cast("t.Bucket", await self._caller.call(operation, (), dict(fields), options))

    def list(
        self, *, options: CallOptions | None = None
    ) -> AsyncListing[t.ListBucketsResponse, t.Bucket]:
        """List the buckets of this environment by name; there are at most ten: `GET /account/buckets`

        Needs the permission `account:read`.
        """
        operation = Operation("GET", "/account/buckets", max_items=0)
        return self._caller.listing(operation, (), {}, options)

    async def get(self, bucket_id: str, /, *, options: CallOptions | None = None) -> t.Bucket:
        """Get a bucket without its secret key: `GET /account/buckets/{bucket_id}`

        Needs the permission `account:read`.
        """
        operation = Operation("GET", "/account/buckets/{bucket_id}")
        return cast("t.Bucket", await self._caller.call(operation, (bucket_id,), {}, options))

    async def update(
        self, bucket_id: str, /, *, options: CallOptions | None = None, **fields: Unpack[t.UpdateBucketRequest]
    ) -> t.Bucket:
        """Change a bucket or its credentials; files that are stored stay where they are: `PATCH /account/buckets/{bucket_id}`

        Needs the permission `account:write`.
        """
        operation = Operation("PATCH", "/account/buckets/{bucket_id}", body="application/json")
        return cast("t.Bucket", await self._caller.call(operation, (bucket_id,), dict(fields), options))

    async def delete(self, bucket_id: str, /, *, options: CallOptions | None = None) -> t.Deleted:
        """Remove a bucket from Inlet; its files stay, and emails for it are retried until a bucket has its name: `DELETE /account/buckets/{bucket_id}`

        Needs the permission `account:write`.
        """
        operation = Operation("DELETE", "/account/buckets/{bucket_id}")
        return cast("t.Deleted", await self._caller.call(operation, (bucket_id,), {}, options))

    async def test(
        self, bucket_id: str, /, *, options: CallOptions | None = None
    ) -> t.TestBucketResponse:
        """Store a small file in the bucket and remove it again: `POST /account/buckets/{bucket_id}/test`

        Needs the permission `account:write`.
        """
        operation = Operation("POST", "/account/buckets/{bucket_id}/test", is_keyed=True)
        return cast("t.TestBucketResponse", await self._caller.call(operation, (bucket_id,), {}, options))


class Sessions:
    """Signing in to the dashboard."""

    def __init__(self, caller: AsyncCaller) -> None:
        self._caller = caller

    async def create_dashboard_link(
        self, *, options: CallOptions | None = None, **fields: Unpack[t.CreateDashboardLinkRequest]
    ) -> t.DashboardLink:
        """Create a single-use link that opens the dashboard, signed in: `POST /account/dashboard-links`"""
        operation = Operation("POST", "/account/dashboard-links", body="application/json", is_keyed=True)
        return cast("t.DashboardLink", await self._caller.call(operation, (), dict(fields), options))

    async def create(
        self, *, options: CallOptions | None = None, **fields: Unpack[t.CreateSessionRequest]
    ) -> t.Session:
        """Exchange the code of a link, or an API token, for a session cookie: `POST /sessions`"""
        operation = Operation("POST", "/sessions", body="application/json")
        return cast("t.Session", await self._caller.call(operation, (), dict(fields), options))

    def list(
        self, *, options: CallOptions | None = None
    ) -> AsyncListing[t.ListSessionsResponse, t.Session]:
        """List the sessions of the account, newest first; without tokens:read only the session of this request, and those of the same member: `GET /sessions`"""
        operation = Operation("GET", "/sessions", max_items=0)
        return self._caller.listing(operation, (), {}, options)

    async def get_current_session(self, *, options: CallOptions | None = None) -> t.Session:
        """Get the session of this request: `GET /sessions/current`"""
        operation = Operation("GET", "/sessions/current")
        return cast("t.Session", await self._caller.call(operation, (), {}, options))

    async def delete_current_session(self, *, options: CallOptions | None = None) -> t.Deleted:
        """Sign out: end the session of this request: `DELETE /sessions/current`"""
        operation = Operation("DELETE", "/sessions/current")
        return cast("t.Deleted", await self._caller.call(operation, (), {}, options))

    async def delete(self, session_id: str, /, *, options: CallOptions | None = None) -> t.Deleted:
        """End a session immediately; the session of somebody else needs tokens:write: `DELETE /sessions/{session_id}`"""
        operation = Operation("DELETE", "/sessions/{session_id}")
        return cast("t.Deleted", await self._caller.call(operation, (session_id,), {}, options))

    async def get_single_sign_on(
        self, *, options: CallOptions | None = None
    ) -> t.GetSingleSignOnResponse:
        """Whether the dashboard offers to sign in through an OpenID provider: `GET /sessions/oidc`"""
        operation = Operation("GET", "/sessions/oidc")
        return cast("t.GetSingleSignOnResponse", await self._caller.call(operation, (), {}, options))


class Files:
    """Raw emails and attachments behind signed links."""

    def __init__(self, caller: AsyncCaller) -> None:
        self._caller = caller

    async def get_linked_invoice_pdf(
        self, invoice_id: str, /, *, options: CallOptions | None = None, **fields: Unpack[t.GetLinkedInvoicePdfFields]
    ) -> bytes:
        """Get an invoice as a PDF through its signed link, the invoice_pdf of an invoice: `GET /invoice-files/{invoice_id}`"""
        operation = Operation("GET", "/invoice-files/{invoice_id}", response="bytes")
        return cast("bytes", await self._caller.call(operation, (invoice_id,), dict(fields), options))

    async def get_raw_email(
        self, event_id: str, /, *, options: CallOptions | None = None, **fields: Unpack[t.GetRawEmailFields]
    ) -> bytes:
        """Get the raw email of an event through a signed link: `GET /files/{event_id}/raw`"""
        operation = Operation("GET", "/files/{event_id}/raw", response="bytes")
        return cast("bytes", await self._caller.call(operation, (event_id,), dict(fields), options))

    async def get_attachment(
        self, event_id: str, index: str, /, *, options: CallOptions | None = None, **fields: Unpack[t.GetAttachmentFields]
    ) -> bytes:
        """Get an attachment of an event (index from 0) through a signed link: `GET /files/{event_id}/attachments/{index}`"""
        operation = Operation("GET", "/files/{event_id}/attachments/{index}", response="bytes")
        return cast("bytes", await self._caller.call(operation, (event_id, index,), dict(fields), options))


class Operations:
    """Groups of operations."""

    def __init__(self, caller: AsyncCaller) -> None:
        self.addresses = Addresses(caller)
        self.receivers = Receivers(caller)
        self.lists = Lists(caller)
        self.domains = Domains(caller)
        self.deliveries = Deliveries(caller)
        self.refusals = Refusals(caller)
        self.stream = Stream(caller)
        self.usage = Usage(caller)
        self.billing = Billing(caller)
        self.account = Account(caller)
        self.tokens = Tokens(caller)
        self.members = Members(caller)
        self.notifications = Notifications(caller)
        self.buckets = Buckets(caller)
        self.sessions = Sessions(caller)
        self.files = Files(caller)
