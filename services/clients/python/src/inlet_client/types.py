"""The types of the REST API, from its OpenAPI document. Generated: do not edit.

Ignore fields that are not here: later versions add some.
"""

from __future__ import annotations

import sys
from typing import Any, Literal

if sys.version_info >= (3, 12):
    from typing import NotRequired, TypeAlias, TypedDict
else:
    from typing_extensions import NotRequired, TypeAlias, TypedDict

VERSION = "0.1.0"


class Account(TypedDict):
    id: str
    # of the account owner
    email: str
    name: str
    # empty when there is none
    company: str
    plan: str
    # ISO 8601 in UTC, whole seconds
    created_at: str
    settings: AccountSettings


class AccountSettings(TypedDict):
    # IANA time zone name
    timezone: str
    # number of retries after a failed first attempt; a lower number shortens the schedule
    webhook_retry_attempts: int
    # hours until an address expires that is created without ttl_hours and not permanent
    default_ttl_hours: int
    # whether Inlet disables an address whose receiver has accepted nothing for too long; otherwise it only marks
    # it as failing
    disable_failing_addresses: bool
    # hours after its delivery that the content of an email is stored, unless its address says otherwise; 0: it is
    # removed when delivered; null: as long as this installation stores it
    retention_hours: int | None
    # fields that records and events of new emails do not contain, unless their address says otherwise
    redact: list[Literal["subject", "from"]]
    # whether email that contains malware is refused with 550 5.7.1 after DATA, unless another recipient accepts
    # it: then it is held; an address can say otherwise; a change applies within 30 seconds
    refuse_infected: bool
    # whether new emails can be found by the words of their text, where the installation allows it
    # (SEARCH_BODIES); not those of addresses with `redact`; a change applies within 30 seconds
    search_bodies: bool
    # whether an event email.viewed says who read which part of an email, and how: see docs/retention.md
    record_views: bool
    # evaluated in their order on the email of all addresses, before their own: see docs/rules.md; a change
    # applies within 30 seconds
    rules: list[Rule]
    # asked about the email of each address without a hook of its own, before the reply to its sender: see
    # docs/deciding-hooks.md; null: none
    hook: Hook | None


class AcknowledgeEmailsRequest(TypedDict):
    # lease_id of each email, or the event_id of one that nobody has leased
    lease_ids: list[str]


class AddressAllowedSenders(TypedDict):
    senders: list[str]
    require_authenticated: bool
    accept_forwarded: bool


class AddressAllowedAttachments(TypedDict):
    types: list[str] | None
    max_bytes: int | None


class Address(TypedDict):
    id: str
    # the receiving email address
    address: str
    # of its first receiver; null for an address whose email is only stored and read
    webhook_url: str | None
    # secret that signs the webhooks of this address; starts with whsec_; null without the permission
    # secrets:read, and with ed25519, whose private key is never shown
    webhook_secret: str | None
    is_enabled: bool
    # true when the address never expires
    is_permanent: bool
    # null for permanent addresses
    expires_at: str | None
    # number of emails that this address has received
    email_count: int
    description: str | None
    # ISO 8601 in UTC, whole seconds
    created_at: str
    # ISO 8601 in UTC, whole seconds
    updated_at: str
    # false: no new email is sent to webhook_url; further receivers get it, and it can be read
    webhook_enabled: bool
    mode: WebhookMode
    # filter in CEL: it gets only emails for which this is true; null for all
    when: str | None
    format: WebhookFormat
    signing: WebhookSigning
    # verifies its webhooks; starts with whpk_; null with hmac
    public_key: str | None
    # how Inlet authenticates to it, without secrets; null when it does not
    auth: ReceiverAuthView | None
    payload: PayloadSettings
    # spam score above which an email is refused with 550 5.7.1 after DATA, unless another recipient accepts it;
    # null: never
    spam_refuse_above: float | None
    # whose email the address accepts; other email is refused with 550 5.7.1 after DATA; null: everybody
    allowed_senders: AddressAllowedSenders | None
    # whether an email that contains malware is refused with 550 5.7.1 after DATA, unless another recipient
    # accepts it: then it is held; null: the account's
    refuse_infected: bool | None
    # which attachments the address accepts; others are refused after DATA, with 550 5.7.1 for the type and 552
    # 5.2.3 for the size, unless another recipient accepts the email; null: all
    allowed_attachments: AddressAllowedAttachments | None
    # emails that the address accepts in an hour; above, senders get 450 4.7.1 and try again; null: no limit
    max_per_hour: int | None
    # key-value pairs, by which lists and tokens choose addresses
    labels: dict[str, str]
    # evaluated in their order, after the account's: see docs/rules.md
    rules: list[Rule]
    # asked about each email before the reply to its sender: see docs/deciding-hooks.md; null: the account's
    hook: Hook | None
    # email that the address expects: its absence is an address.silent event; null: none
    expect: Expectation | None
    # when Inlet noticed that the expected email is absent; null while it arrives
    silent_since: str | None
    # whether signed reply addresses of this address are checked: see docs/reply-addresses.md
    reply_addresses: bool
    # true: email to other than its valid reply addresses is refused with 550 5.1.1; turns reply_addresses on
    reply_only: bool
    # hours after its delivery that the content of an email is stored, at most as long as this installation stores
    # it; 0: it is removed when delivered, which excludes links in the payload; null: the account's
    retention_hours: int | None
    # fields that records and events of new emails do not contain; webhooks contain them; null: the account's
    redact: list[Literal["subject", "from"]] | None
    # true when the receiver has rejected every webhook for too long
    is_failing: bool
    # secret_rotated: it has responded with 401 or 403 since its webhook secret was rotated; auth_changed: since
    # the authentication to it changed, or its token URL refuses; gone: it has responded with 410 Gone; null
    # otherwise
    failing_reason: Literal["secret_rotated", "auth_changed", "gone"] | None
    # time of the first failed attempt since the last accepted one; null when there is none
    failing_since: str | None
    # until then a former secret also signs, after a rotation; null when none does
    former_secrets_valid_until: str | None
    # the Kubernetes resource that owns the address; changes must be made there; null when there is none
    managed_by: ManagedBy | None


class AddressListItem(TypedDict):
    id: str
    # the receiving email address
    address: str
    # of its first receiver; null for an address whose email is only stored and read
    webhook_url: str | None
    is_enabled: bool
    # true when the address never expires
    is_permanent: bool
    # number of emails that this address has received
    email_count: int
    # ISO 8601 in UTC, whole seconds
    created_at: str
    # only with `include=description`
    description: NotRequired[str | None]
    # only with `include=description`
    mode: NotRequired[WebhookMode]


class AddressWithSecretAllowedSenders(TypedDict):
    senders: list[str]
    require_authenticated: bool
    accept_forwarded: bool


class AddressWithSecretAllowedAttachments(TypedDict):
    types: list[str] | None
    max_bytes: int | None


class AddressWithSecret(TypedDict):
    id: str
    # the receiving email address
    address: str
    # of its first receiver; null for an address whose email is only stored and read
    webhook_url: str | None
    # secret that signs the webhooks of this address; starts with whsec_; null with ed25519, whose private key is
    # never shown
    webhook_secret: str | None
    is_enabled: bool
    # true when the address never expires
    is_permanent: bool
    # null for permanent addresses
    expires_at: str | None
    # number of emails that this address has received
    email_count: int
    description: str | None
    # ISO 8601 in UTC, whole seconds
    created_at: str
    # ISO 8601 in UTC, whole seconds
    updated_at: str
    # false: no new email is sent to webhook_url; further receivers get it, and it can be read
    webhook_enabled: bool
    mode: WebhookMode
    # filter in CEL: it gets only emails for which this is true; null for all
    when: str | None
    format: WebhookFormat
    signing: WebhookSigning
    # verifies its webhooks; starts with whpk_; null with hmac
    public_key: str | None
    # how Inlet authenticates to it, without secrets; null when it does not
    auth: ReceiverAuthView | None
    payload: PayloadSettings
    # spam score above which an email is refused with 550 5.7.1 after DATA, unless another recipient accepts it;
    # null: never
    spam_refuse_above: float | None
    # whose email the address accepts; other email is refused with 550 5.7.1 after DATA; null: everybody
    allowed_senders: AddressWithSecretAllowedSenders | None
    # whether an email that contains malware is refused with 550 5.7.1 after DATA, unless another recipient
    # accepts it: then it is held; null: the account's
    refuse_infected: bool | None
    # which attachments the address accepts; others are refused after DATA, with 550 5.7.1 for the type and 552
    # 5.2.3 for the size, unless another recipient accepts the email; null: all
    allowed_attachments: AddressWithSecretAllowedAttachments | None
    # emails that the address accepts in an hour; above, senders get 450 4.7.1 and try again; null: no limit
    max_per_hour: int | None
    # key-value pairs, by which lists and tokens choose addresses
    labels: dict[str, str]
    # evaluated in their order, after the account's: see docs/rules.md
    rules: list[Rule]
    # asked about each email before the reply to its sender: see docs/deciding-hooks.md; null: the account's
    hook: Hook | None
    # email that the address expects: its absence is an address.silent event; null: none
    expect: Expectation | None
    # when Inlet noticed that the expected email is absent; null while it arrives
    silent_since: str | None
    # whether signed reply addresses of this address are checked: see docs/reply-addresses.md
    reply_addresses: bool
    # true: email to other than its valid reply addresses is refused with 550 5.1.1; turns reply_addresses on
    reply_only: bool
    # hours after its delivery that the content of an email is stored, at most as long as this installation stores
    # it; 0: it is removed when delivered, which excludes links in the payload; null: the account's
    retention_hours: int | None
    # fields that records and events of new emails do not contain; webhooks contain them; null: the account's
    redact: list[Literal["subject", "from"]] | None
    # true when the receiver has rejected every webhook for too long
    is_failing: bool
    # secret_rotated: it has responded with 401 or 403 since its webhook secret was rotated; auth_changed: since
    # the authentication to it changed, or its token URL refuses; gone: it has responded with 410 Gone; null
    # otherwise
    failing_reason: Literal["secret_rotated", "auth_changed", "gone"] | None
    # time of the first failed attempt since the last accepted one; null when there is none
    failing_since: str | None
    # until then a former secret also signs, after a rotation; null when none does
    former_secrets_valid_until: str | None
    # the Kubernetes resource that owns the address; changes must be made there; null when there is none
    managed_by: ManagedBy | None


class AllowedSenders(TypedDict):
    # addresses, domains (partner.example) and their subdomains (*.partner.example)
    senders: list[str]
    # whether DMARC or an aligned DKIM signature must prove the domain of From; default: true. With false, anyone
    # can write in the name of a listed author
    require_authenticated: NotRequired[bool]
    # whether the seal (ARC) of a forwarder that this installation trusts counts as proof, too; default: false
    accept_forwarded: NotRequired[bool]


class Attachment(TypedDict):
    # name in the email; attachment-<n> when it has none
    filename: str
    # MIME type
    content_type: str
    # decoded size
    size_bytes: int
    # Base64; null when the address omits attachments or has them linked
    content: str | None
    # link to the content with a limited lifetime, when the address has attachments linked
    content_url: NotRequired[str]
    # without angle brackets, of a picture in the text (cid: links of the HTML body); null for files, and when the
    # part has none
    content_id: str | None
    # what the email says of the part (Content-Disposition); null when it says nothing
    disposition: Literal["attachment", "inline"] | None
    # method of an invitation (text/calendar): REQUEST, REPLY, CANCEL …; null for every other part
    method: str | None


class Attempt(TypedDict):
    # when the attempt began
    time: str
    outcome: Literal["accepted", "refused", "busy", "unreachable", "storage_failed", "blocked"]
    # null when no answer came
    status_code: int | None
    latency_ms: int
    # why no answer came
    error: str | None
    # first KiB of the answer's body; null when it had none
    excerpt: str | None
    # Location of a redirect, which Inlet does not follow; null without one
    location: str | None


class AuthenticationSpf(TypedDict):
    result: Literal["none", "neutral", "pass", "fail", "softfail", "temperror", "permerror"]
    # domain of the record: that of the envelope sender, or of HELO for the null sender
    domain: str | None
    # explanation for people; null when there is nothing to add
    reason: str | None


class AuthenticationDkim(TypedDict):
    result: Literal["pass", "fail", "policy", "neutral", "temperror", "permerror"]
    # signer (d=)
    domain: str
    selector: str
    # whether the signer is the domain of From by the rules of DMARC
    aligned: bool
    # names of the headers that it covers, in lower case; of repeated ones the last; absent in emails of earlier
    # releases
    signed_headers: NotRequired[list[str]]
    # bytes at the end of the body that it does not cover (l=), which anybody can have added; absent when the body
    # was not hashed
    unsigned_body_bytes: NotRequired[int]
    # what it does not cover: from_not_signed, subject_not_signed, content_type_not_signed,
    # content_transfer_encoding_not_signed, content_disposition_not_signed, reply_to_not_signed, body_not_signed;
    # new ones may be added
    warnings: NotRequired[list[str]]
    # explanation for people; null when there is nothing to add
    reason: str | None


class AuthenticationDmarcAlignment(TypedDict):
    spf: bool
    dkim: bool


class AuthenticationDmarcOverride(TypedDict):
    reason: Literal["trusted_arc"]
    sealer: str


class AuthenticationDmarc(TypedDict):
    result: Literal["none", "pass", "fail", "temperror", "permerror"]
    # domain of From; null unless there is exactly one
    domain: str | None
    # policy of the domain for a fail; null without a record
    policy: Literal["none", "quarantine", "reject"] | None
    # which of the two authenticates the domain of From
    alignment: AuthenticationDmarcAlignment
    # why a fail does not count as spam; the result is still fail
    override: AuthenticationDmarcOverride | None
    # explanation for people; null when there is nothing to add
    reason: str | None


class AuthenticationArcChain(TypedDict):
    instance: int
    # domain that signed this entry
    sealer: str
    # DMARC result that the sealer reports; null when it reports none
    dmarc: str | None
    # domain of From for which the sealer reports it; null when it names none; absent in emails of earlier
    # releases
    header_from: NotRequired[str | None]


class AuthenticationArc(TypedDict):
    result: Literal["none", "pass", "fail", "temperror"]
    # forwarders in their order; trust it only if the result is pass, and only as far as you trust its sealers
    chain: list[AuthenticationArcChain]
    # explanation for people; null when there is nothing to add
    reason: str | None


class AuthenticationIprev(TypedDict):
    # permerror: the address has no name
    result: Literal["pass", "fail", "temperror", "permerror"]
    # a name of the IP address that resolves back to it; null without one
    name: str | None


class Authentication(TypedDict):
    spf: AuthenticationSpf
    # all signatures, the topmost first; empty when there are none
    dkim: list[AuthenticationDkim]
    dmarc: AuthenticationDmarc
    arc: AuthenticationArc
    iprev: AuthenticationIprev


class AwaitedDeliveryHistory(TypedDict):
    # ISO 8601 in UTC, whole seconds
    time: str
    # held and dropped by rules, by their hook, or dropped by a request; the others by a request
    did: Literal["held", "released", "dropped", "replayed", "retried", "canceled"]
    # who asked for it; inlet: rules or a hook
    actor: Literal["member", "user", "token", "operator", "resource", "inlet"]
    # name of a person, else the id of the token or session; null for inlet
    by: str | None


class AwaitedDeliveryStorage(TypedDict):
    # of the bucket in Inlet
    name: str
    endpoint: str
    # its name at the provider
    bucket: str
    # of the raw email first, if it is stored
    keys: list[str]
    # of these files, after the content was erased; gave_up: delete them yourself; null before
    deletion: Literal["under_way", "gave_up"] | None


AwaitedDelivery = TypedDict(  # a name of a field is none of Python, so this is no class
    "AwaitedDelivery",
    {
        # the payload's event_id
        "event_id": "str",
        # id of the address, or of the notification (ntf_…)
        "address_id": "str",
        # further receiver of the address (rcv_…), or the same as address_id
        "receiver_id": "str",
        # the same for the deliveries of an email to all receivers of its address
        "email_id": "str",
        # pending: not attempted yet, or not since a replay; retrying: waits for its next attempt; delivered: the
        # receiver accepted it, or it is stored and there is no webhook to send: see outcome; held: waits for a
        # release; dropped: gets no webhook
        "status": "Literal[\"pending\", \"retrying\", \"delivered\", \"failed\", \"held\", \"dropped\"]",
        # of the last attempt; or canceled; or why Inlet ended it: lost (no stream has the email any more), expired
        # (no attempt succeeded in time), unread (no consumer acknowledged it in time), backlog_full (too many emails
        # waited); or why a delivered email was stored without a webhook: no_url (its address has no webhook_url),
        # disabled (webhook_enabled is false), filtered (`when` is false). null before the first attempt
        "outcome": "Literal[\"accepted\", \"refused\", \"busy\", \"unreachable\", \"storage_failed\", \"blocked\", \"canceled\", \"lost\", \"expired\", \"unread\", \"backlog_full\", \"no_url\", \"disabled\", \"filtered\"] | None",
        # SMTP envelope sender; empty for bounces, and when redacted or erased
        "mail_from": "str",
        # the name of the address in RCPT, as the sender wrote it; null when erased, for notifications, and for emails
        # of earlier versions
        "recipient": "str | None",
        # From header; null when absent, redacted or erased
        "from": "str | None",
        # Subject header, null when absent, redacted or erased; the type of a notification
        "subject": "str | None",
        # size of the raw mail
        "size_bytes": "int",
        # ISO 8601 in UTC, whole seconds
        "received_at": "str",
        # not before this time; null when nothing is due. Of an email that a consumer asks for: from when on it can be
        # leased, or when its lease ends
        "next_attempt_at": "str | None",
        # of the last change of this record
        "updated_at": "str",
        # when a request erased the content; null when none did
        "content_erased_at": "str | None",
        # number of all attempts
        "attempt_count": "int",
        # of the response to the last attempt; null before one, and without a response
        "status_code": "int | None",
        # why the last attempt got no response; null when it got one, and before one
        "error": "str | None",
        # that rules added
        "tags": "list[str]",
        # fail: perhaps From is forged; null when not checked
        "dmarc": "str | None",
        # the conversation of the email at its address, as its headers claim it; null without message ids, and for
        # emails of earlier versions
        "thread_id": "str | None",
        # W3C trace id of the email; the `traceparent` of each of its webhooks contains it
        "trace_id": "str",
        # why the filter of the receiver failed on this email, and so counted as true; null when it did not
        "filter_error": "str | None",
        # what rules decided; null when none was evaluated
        "ruling": "Ruling | None",
        # when a request released it; null when none did
        "released_at": "str | None",
        # what rules and requests did to it, oldest first: the last 21
        "history": "list[AwaitedDeliveryHistory]",
        # files of the email in your bucket; null when there are none
        "storage": "AwaitedDeliveryStorage | None",
        # the last 100, oldest first
        "attempts": "list[DeliveryAttempt]",
        # with `code=true`: the best code of the email
        "code": "NotRequired[str]",
        # with `link=true`: the link of the email that confirms or signs in, by its words and its URL; else the first
        # one. Links that unsubscribe do not count
        "link": "NotRequired[str]",
    },
)


class BillingSubscription(TypedDict):
    plan: str
    status: SubscriptionStatus
    # ISO 8601 in UTC, whole seconds
    current_period_start: str
    # ISO 8601 in UTC, whole seconds
    current_period_end: str
    trial_end: str | None


class BillingUsage(TypedDict):
    # after a plan change: the sum of the shares of both plans, by time
    emails_included: int
    emails_used: int
    # included emails of the current plan that are left
    emails_remaining: int


class BillingCosts(TypedDict):
    # after a plan change: the sum of the shares of both plans, by time
    base_cost: float
    overage_cost: float
    # cost of the usage so far
    total_cost: float
    # estimated cost of the whole period, if usage continues at the same rate
    projected_cost: float
    # ISO 4217
    currency: str


class Billing(TypedDict):
    subscription: BillingSubscription
    usage: BillingUsage
    costs: BillingCosts
    # ISO 8601 in UTC, whole seconds
    next_billing_date: str


class Bucket(TypedDict):
    id: str
    # by which addresses and receivers name it
    name: str
    # HTTPS URL of the S3 API
    endpoint: str
    # name of the bucket at its provider
    bucket: str
    # region that is signed, such as eu-central-1; auto for R2 and GCS
    region: str
    # begins each key
    prefix: str
    # where a URL names the bucket: in its path, or before the host of the endpoint
    addressing: Literal["path", "host"]
    # the secret key is never shown
    access_key_id: str
    description: str | None
    # ISO 8601 in UTC, whole seconds
    created_at: str
    # ISO 8601 in UTC, whole seconds
    updated_at: str
    # the Kubernetes resource that owns it; changes must be made there; null when there is none
    managed_by: ManagedBy | None


class ClientCertificate(TypedDict):
    # PEM: the certificate of Inlet, then those of its authorities, if any
    certificate: str
    # PEM, without a passphrase
    private_key: str


class CountRefusalsResponse(TypedDict):
    # refused emails, each for one mailbox
    count: int


class CreateAddressRequestPayloadStorage(TypedDict):
    # name of the bucket in Inlet
    bucket: str
    # which files of the email
    what: list[Literal["raw", "attachments"]]
    # each attempt has fresh links to the files that work so long; null: no links; default: null
    link_hours: NotRequired[int | None]


class CreateAddressRequestPayload(TypedDict):
    # default: inline
    attachments: NotRequired[Literal["inline", "omit", "url"]]
    # default: false
    raw: NotRequired[bool]
    # what Inlet reads from the email into `extracted` of the payload; default: none
    extract: NotRequired[list[Literal["codes", "links", "markdown", "hidden_text", "invitation", "bounce", "report", "forwarded", "e_invoice"]]]
    # files that Inlet stores in a bucket of yours before it calls the receiver; default: null (none)
    storage: NotRequired[CreateAddressRequestPayloadStorage | None]


class CreateAddressRequestAllowedAttachments(TypedDict):
    # content types as the payload reports them, such as application/pdf or image/*; an empty list allows no
    # attachment; null or absent: all types
    types: NotRequired[list[str] | None]
    # of the content of each attachment; null or absent: any size
    max_bytes: NotRequired[int | None]


class CreateAddressRequestHook(TypedDict):
    # publicly reachable HTTPS URL that receives the webhooks
    url: str
    # expression in CEL: the hook is asked only about such email; null for all email
    when: NotRequired[str | None]
    # milliseconds that the hook may take for its answer
    timeout_ms: NotRequired[int]
    # what happens without a valid answer: accept: the email is delivered as if there were no hook; defer: the
    # sender gets 451 and tries again later
    on_error: NotRequired[Literal["accept", "defer"]]


class CreateAddressRequestExpect(TypedDict):
    # how often such an email arrives at least, such as 30m, 26h or 8d
    every: str
    # expression in CEL: only such email is expected; null for all email
    when: NotRequired[str | None]
    # how much later it may be, such as 0m or 1h
    grace: NotRequired[str]


class CreateAddressRequest(TypedDict):
    # the part before the @, up to 64 octets, without a plus; * receives mail for every name without an address
    # (catch-all, own domains only); default: random
    local_part: NotRequired[str]
    # the shared domain (default), a verified domain of the account, or a subdomain of it; *.example.com covers
    # all subdomains of example.com
    domain: NotRequired[str]
    # publicly reachable HTTPS URL that receives the webhooks; null for an address whose email is only stored: it
    # can be read, and no webhook is sent
    webhook_url: str | None
    mode: NotRequired[WebhookMode]
    # filter in CEL: it gets only emails for which this is true; null for all
    when: NotRequired[str | None]
    format: NotRequired[WebhookFormat]
    signing: NotRequired[WebhookSigning]
    # how Inlet authenticates to it: replaces the whole; null for not at all
    auth: NotRequired[ReceiverAuth | None]
    # false: no new email is sent to webhook_url; further receivers get it, and it can be read; default: true
    webhook_enabled: NotRequired[bool]
    # default: true, or false when ttl_hours is given
    is_permanent: NotRequired[bool]
    # hours until expiry when not permanent; default: the account's default_ttl_hours
    ttl_hours: NotRequired[int]
    # how the payload carries attachments and the raw email, and its optional parts; links require LINK_KEYS in
    # the settings of the API
    payload: NotRequired[CreateAddressRequestPayload]
    # free text
    description: NotRequired[str]
    # spam score above which an email is refused with 550 5.7.1 after DATA, unless another recipient accepts it;
    # default: null (never)
    spam_refuse_above: NotRequired[float | None]
    # whose email the address accepts; other email is refused with 550 5.7.1 after DATA; default: null (everybody)
    allowed_senders: NotRequired[AllowedSenders | None]
    # whether an email that contains malware is refused with 550 5.7.1 after DATA, unless another recipient
    # accepts it: then it is held; default: null (the account's)
    refuse_infected: NotRequired[bool | None]
    # which attachments the address accepts; others are refused after DATA, with 550 5.7.1 for the type and 552
    # 5.2.3 for the size, unless another recipient accepts the email; default: null (all)
    allowed_attachments: NotRequired[CreateAddressRequestAllowedAttachments | None]
    # emails that the address accepts in an hour; above, senders get 450 4.7.1 and try again; default: null (no
    # limit)
    max_per_hour: NotRequired[int | None]
    # key-value pairs, by which lists and tokens choose addresses; replaces all of them; default: none
    labels: NotRequired[dict[str, str]]
    # rules for its email, evaluated in their order after the account's; default: none
    rules: NotRequired[list[RuleRequest]]
    # asked about each email before the reply to its sender: see docs/deciding-hooks.md; default: null (the
    # account's)
    hook: NotRequired[CreateAddressRequestHook | None]
    # email that the address expects: its absence is an address.silent event; default: null (none)
    expect: NotRequired[CreateAddressRequestExpect | None]
    # whether signed reply addresses of this address are checked: see docs/reply-addresses.md; requires REPLY_KEYS
    # in the settings of the API; default: false
    reply_addresses: NotRequired[bool]
    # true: email to other than its valid reply addresses is refused with 550 5.1.1; turns reply_addresses on;
    # requires REPLY_KEYS in the settings of the API; default: false
    reply_only: NotRequired[bool]
    # hours after its delivery that the content of an email is stored, at most as long as this installation stores
    # it; 0: it is removed when delivered, which excludes links in the payload; default: null (the account's)
    retention_hours: NotRequired[int | None]
    # fields that records and events of new emails do not contain; webhooks contain them; default: null (the
    # account's)
    redact: NotRequired[list[Literal["subject", "from"]] | None]


class CreateBucketRequestCredentials(TypedDict):
    # of an identity that may write to the bucket, and no more
    access_key_id: str
    # stored encrypted, and never shown
    secret_access_key: str


class CreateBucketRequest(TypedDict):
    # unique in this environment; addresses and receivers name it
    name: str
    # HTTPS URL of the S3 API, without a path
    endpoint: str
    # name of the bucket at its provider
    bucket: str
    # region that is signed; default: us-east-1
    region: NotRequired[str]
    # begins each key: up to five folders, each with a slash at its end; default: none
    prefix: NotRequired[str]
    # default: path
    addressing: NotRequired[Literal["path", "host"]]
    # free text
    description: NotRequired[str | None]
    credentials: CreateBucketRequestCredentials


class CreateDashboardLinkRequest(TypedDict):
    # of the session; default: the caller's own; it cannot have more
    permissions: NotRequired[list[Permission]]
    # default: the environment of the caller; a test token can choose only test
    environment: NotRequired[Environment]
    # how long the link works; default: 300
    expires_in_seconds: NotRequired[int]


class CreateDomainRequest(TypedDict):
    # two to eight labels; internationalized names in Unicode or ASCII form
    domain: str


class CreateMemberLinkRequest(TypedDict):
    # how long the link works; default: seven days; default: 604800
    link_expires_in_seconds: NotRequired[int]


class CreateNotificationRequest(TypedDict):
    # publicly reachable HTTPS URL that receives the webhooks
    url: str
    # types of events to send; null: all but address.refusing, also future ones
    types: NotRequired[list[NotificationType] | None]
    description: NotRequired[str | None]
    # false: no new events are sent
    is_enabled: NotRequired[bool]


class CreateReceiverRequestPayloadStorage(TypedDict):
    # name of the bucket in Inlet
    bucket: str
    # which files of the email
    what: list[Literal["raw", "attachments"]]
    # each attempt has fresh links to the files that work so long; null: no links; default: null
    link_hours: NotRequired[int | None]


class CreateReceiverRequestPayload(TypedDict):
    # default: inline
    attachments: NotRequired[Literal["inline", "omit", "url"]]
    # default: false
    raw: NotRequired[bool]
    # what Inlet reads from the email into `extracted` of the payload; default: none
    extract: NotRequired[list[Literal["codes", "links", "markdown", "hidden_text", "invitation", "bounce", "report", "forwarded", "e_invoice"]]]
    # files that Inlet stores in a bucket of yours before it calls the receiver; default: null (none)
    storage: NotRequired[CreateReceiverRequestPayloadStorage | None]


class CreateReceiverRequest(TypedDict):
    # publicly reachable HTTPS URL that receives the webhooks; required with the mode push
    url: NotRequired[str | None]
    description: NotRequired[str | None]
    # false: no new email is sent to it
    is_enabled: NotRequired[bool]
    # how the payload carries attachments and the raw email, and its optional parts; links require LINK_KEYS in
    # the settings of the API
    payload: NotRequired[CreateReceiverRequestPayload]
    mode: NotRequired[WebhookMode]
    # filter in CEL: it gets only emails for which this is true; null for all
    when: NotRequired[str | None]
    format: NotRequired[WebhookFormat]
    signing: NotRequired[WebhookSigning]
    # how Inlet authenticates to it: replaces the whole; null for not at all
    auth: NotRequired[ReceiverAuth | None]


class CreateReplyAddressRequest(TypedDict):
    # what a reply belongs to, such as the number of a ticket; the local part has 64 characters in all, so the
    # longest possible one depends on the address
    reference: str
    # hours until it expires; default: 720
    ttl_hours: NotRequired[int]
    # email address whose replies are bound; default: anybody
    sender: NotRequired[str]
    # of a catch-all or wildcard address, which needs it: the mailbox that gets the tag
    mailbox: NotRequired[str]


class CreateReplyAddressResponse(TypedDict):
    # the reply address: anyone who knows it can write to it
    address: str
    reference: str
    # ISO 8601 in UTC, whole seconds
    expires_at: str
    # for whom it was made; null for anybody
    sender: str | None


class CreateSenderListRequest(TypedDict):
    # unique in the account; expressions name it: lists.partners
    name: str
    # free text
    description: NotRequired[str]
    # addresses, domains (partner.example), their subdomains (*.partner.example), IP addresses and networks
    # (203.0.113.0/24); default: none
    entries: NotRequired[list[str]]


class CreateSessionRequest(TypedDict):
    # code of a single-use link
    code: NotRequired[str]
    # an API token, instead of a code
    token: NotRequired[str]
    # with a code: replace the session of another account in this browser; otherwise 409, and the code remains
    # valid; default: false
    switch_account: NotRequired[bool]


class CreateTokenRequest(TypedDict):
    name: str
    # default: the environment of the calling token; a test token can create only test tokens
    environment: NotRequired[Environment]
    # default: all, or for a member their own; a token can grant only permissions that it has
    permissions: NotRequired[list[Permission]]
    # the only addresses that the token reaches: everything else is 404 for it; default: null (all)
    address_ids: NotRequired[list[str] | None]
    # the token reaches only addresses with all these labels, and creates addresses with them: everything else is
    # 404 for it; default: null (all)
    labels: NotRequired[dict[str, str] | None]
    # when it ends, in the future; default: never, or when the calling token ends, which cannot create one that
    # lasts longer
    expires_at: NotRequired[str | None]


class CreatedToken(TypedDict):
    id: str
    name: str
    # first characters of the token, for identification
    prefix: str
    # environment of the token
    environment: Environment
    permissions: list[Permission]
    # the only addresses that it reaches; null: it is not limited to ids
    address_ids: list[str] | None
    # it reaches only addresses with all these labels; null: it is not limited to labels
    labels: dict[str, str] | None
    # the person whose token it is, and with whom it ends; null: it is of the account
    member_id: str | None
    # ISO 8601 in UTC, whole seconds
    created_at: str
    # requests with it are refused from then on; null when it does not expire
    expires_at: str | None
    # the token itself, shown only in this response
    token: str


class DashboardLink(TypedDict):
    # opens the dashboard, signed in; works once
    url: str
    # ISO 8601 in UTC, whole seconds
    expires_at: str


class DecidedBy(TypedDict):
    # field: a setting of the address, or of its account, by its name
    kind: Literal["field", "rule", "hook"]
    # of the field or the rule; hook for a deciding hook
    name: str
    # whose it is; null for a hook
    scope: Literal["account", "address"] | None


class DeleteRefusalsOfSenderResponse(TypedDict):
    # number of records
    deleted: int


class Deleted(TypedDict):
    id: str
    deleted: Literal[True]


class DeliverabilityCheckRecord(TypedDict):
    type: Literal["TXT", "CNAME", "TLSA"]
    name: str
    value: str


class DeliverabilityCheck(TypedDict):
    # the TXT record of MTA-STS; the host that serves its policy; the TXT record for TLS reports; that for DMARC;
    # whether the MX hosts answer on port 25; their certificates; their TLSA records
    kind: Literal["mta_sts", "mta_sts_host", "tls_rpt", "dmarc", "mx_reachable", "mx_certificate", "dane"]
    # `unknown`: not checked, or not possible from here; `off`: not in use
    status: Literal["ok", "missing", "wrong", "unknown", "off"]
    # what was found, or what to do
    message: str
    # the DNS record to set; null when there is none to copy
    record: DeliverabilityCheckRecord | None
    # values in the DNS, or one line for each MX host
    found: list[str]


class DeliveryHistory(TypedDict):
    # ISO 8601 in UTC, whole seconds
    time: str
    # held and dropped by rules, by their hook, or dropped by a request; the others by a request
    did: Literal["held", "released", "dropped", "replayed", "retried", "canceled"]
    # who asked for it; inlet: rules or a hook
    actor: Literal["member", "user", "token", "operator", "resource", "inlet"]
    # name of a person, else the id of the token or session; null for inlet
    by: str | None


class DeliveryStorage(TypedDict):
    # of the bucket in Inlet
    name: str
    endpoint: str
    # its name at the provider
    bucket: str
    # of the raw email first, if it is stored
    keys: list[str]
    # of these files, after the content was erased; gave_up: delete them yourself; null before
    deletion: Literal["under_way", "gave_up"] | None


Delivery = TypedDict(  # a name of a field is none of Python, so this is no class
    "Delivery",
    {
        # the payload's event_id
        "event_id": "str",
        # id of the address, or of the notification (ntf_…)
        "address_id": "str",
        # further receiver of the address (rcv_…), or the same as address_id
        "receiver_id": "str",
        # the same for the deliveries of an email to all receivers of its address
        "email_id": "str",
        # pending: not attempted yet, or not since a replay; retrying: waits for its next attempt; delivered: the
        # receiver accepted it, or it is stored and there is no webhook to send: see outcome; held: waits for a
        # release; dropped: gets no webhook
        "status": "Literal[\"pending\", \"retrying\", \"delivered\", \"failed\", \"held\", \"dropped\"]",
        # of the last attempt; or canceled; or why Inlet ended it: lost (no stream has the email any more), expired
        # (no attempt succeeded in time), unread (no consumer acknowledged it in time), backlog_full (too many emails
        # waited); or why a delivered email was stored without a webhook: no_url (its address has no webhook_url),
        # disabled (webhook_enabled is false), filtered (`when` is false). null before the first attempt
        "outcome": "Literal[\"accepted\", \"refused\", \"busy\", \"unreachable\", \"storage_failed\", \"blocked\", \"canceled\", \"lost\", \"expired\", \"unread\", \"backlog_full\", \"no_url\", \"disabled\", \"filtered\"] | None",
        # SMTP envelope sender; empty for bounces, and when redacted or erased
        "mail_from": "str",
        # the name of the address in RCPT, as the sender wrote it; null when erased, for notifications, and for emails
        # of earlier versions
        "recipient": "str | None",
        # From header; null when absent, redacted or erased
        "from": "str | None",
        # Subject header, null when absent, redacted or erased; the type of a notification
        "subject": "str | None",
        # size of the raw mail
        "size_bytes": "int",
        # ISO 8601 in UTC, whole seconds
        "received_at": "str",
        # not before this time; null when nothing is due. Of an email that a consumer asks for: from when on it can be
        # leased, or when its lease ends
        "next_attempt_at": "str | None",
        # of the last change of this record
        "updated_at": "str",
        # when a request erased the content; null when none did
        "content_erased_at": "str | None",
        # number of all attempts
        "attempt_count": "int",
        # of the response to the last attempt; null before one, and without a response
        "status_code": "int | None",
        # why the last attempt got no response; null when it got one, and before one
        "error": "str | None",
        # that rules added
        "tags": "list[str]",
        # fail: perhaps From is forged; null when not checked
        "dmarc": "str | None",
        # the conversation of the email at its address, as its headers claim it; null without message ids, and for
        # emails of earlier versions
        "thread_id": "str | None",
        # W3C trace id of the email; the `traceparent` of each of its webhooks contains it
        "trace_id": "str",
        # why the filter of the receiver failed on this email, and so counted as true; null when it did not
        "filter_error": "str | None",
        # what rules decided; null when none was evaluated
        "ruling": "Ruling | None",
        # when a request released it; null when none did
        "released_at": "str | None",
        # what rules and requests did to it, oldest first: the last 21
        "history": "list[DeliveryHistory]",
        # files of the email in your bucket; null when there are none
        "storage": "DeliveryStorage | None",
        # the last 100, oldest first
        "attempts": "list[DeliveryAttempt]",
    },
)


class DeliveryAttempt(TypedDict):
    # when the attempt began
    time: str
    outcome: Literal["accepted", "refused", "busy", "unreachable", "storage_failed", "blocked"]
    # null when no answer came
    status_code: int | None
    latency_ms: int
    # why no answer came
    error: str | None
    # first KiB of the answer's body; null when it had none
    excerpt: str | None
    # Location of a redirect, which Inlet does not follow; null without one
    location: str | None
    # with include=headers: what was sent, signatures and credentials masked; null when it is no longer stored or
    # nothing was sent
    request_headers: NotRequired[list[Header] | None]
    # with include=headers: what the receiver responded; null like request_headers
    response_headers: NotRequired[list[Header] | None]


DeliveryListItem = TypedDict(  # a name of a field is none of Python, so this is no class
    "DeliveryListItem",
    {
        # the payload's event_id
        "event_id": "str",
        # id of the address, or of the notification (ntf_…)
        "address_id": "str",
        # further receiver of the address (rcv_…), or the same as address_id
        "receiver_id": "str",
        # the same for the deliveries of an email to all receivers of its address
        "email_id": "str",
        # pending: not attempted yet, or not since a replay; retrying: waits for its next attempt; delivered: the
        # receiver accepted it, or it is stored and there is no webhook to send: see outcome; held: waits for a
        # release; dropped: gets no webhook
        "status": "Literal[\"pending\", \"retrying\", \"delivered\", \"failed\", \"held\", \"dropped\"]",
        # of the last attempt; or canceled; or why Inlet ended it: lost (no stream has the email any more), expired
        # (no attempt succeeded in time), unread (no consumer acknowledged it in time), backlog_full (too many emails
        # waited); or why a delivered email was stored without a webhook: no_url (its address has no webhook_url),
        # disabled (webhook_enabled is false), filtered (`when` is false). null before the first attempt
        "outcome": "Literal[\"accepted\", \"refused\", \"busy\", \"unreachable\", \"storage_failed\", \"blocked\", \"canceled\", \"lost\", \"expired\", \"unread\", \"backlog_full\", \"no_url\", \"disabled\", \"filtered\"] | None",
        # SMTP envelope sender; empty for bounces, and when redacted or erased
        "mail_from": "str",
        # the name of the address in RCPT, as the sender wrote it; null when erased, for notifications, and for emails
        # of earlier versions
        "recipient": "str | None",
        # From header; null when absent, redacted or erased
        "from": "str | None",
        # Subject header, null when absent, redacted or erased; the type of a notification
        "subject": "str | None",
        # size of the raw mail
        "size_bytes": "int",
        # ISO 8601 in UTC, whole seconds
        "received_at": "str",
        # not before this time; null when nothing is due. Of an email that a consumer asks for: from when on it can be
        # leased, or when its lease ends
        "next_attempt_at": "str | None",
        # of the last change of this record
        "updated_at": "str",
        # when a request erased the content; null when none did
        "content_erased_at": "str | None",
        # number of all attempts
        "attempt_count": "int",
        # of the response to the last attempt; null before one, and without a response
        "status_code": "int | None",
        # why the last attempt got no response; null when it got one, and before one
        "error": "str | None",
        # that rules added
        "tags": "list[str]",
        # fail: perhaps From is forged; null when not checked
        "dmarc": "str | None",
        # the conversation of the email at its address, as its headers claim it; null without message ids, and for
        # emails of earlier versions
        "thread_id": "str | None",
    },
)


class DomainVerification(TypedDict):
    type: Literal["TXT"]
    name: str
    value: str
    # values of the TXT records with this name; at most 20, each cut at 255 characters
    found: list[str]


class DomainMx(TypedDict):
    expected: list[str]
    # most preferred first
    found: list[str]
    is_ok: bool


class DomainDeliverability(TypedDict):
    # null before the first check
    checked_at: str | None
    checks: list[DeliverabilityCheck]


class Domain(TypedDict):
    id: str
    # in A-labels, as addresses show it
    domain: str
    # the same for people; differs for internationalized names
    unicode_domain: str
    # true since the first verification; only then can addresses be created on the domain
    is_verified: bool
    # failed: the last DNS lookup did not verify the domain; verify again after the problem is solved
    status: Literal["pending", "verified", "failed"]
    # ISO 8601 in UTC, whole seconds
    created_at: str
    verified_at: str | None
    # time of the last DNS lookup; null before the first
    checked_at: str | None
    # why the last DNS lookup did not verify the domain: the record is missing, has another value, the DNS did not
    # respond, or another account or environment has verified this domain, a parent domain or a subdomain; null
    # after a success and before the first lookup
    problem: DomainProblem | None
    # the DNS record that verifies the domain; do not remove it
    verification: DomainVerification
    # the MX records; needed to receive mail, not for the verification
    mx: DomainMx
    mta_sts: MtaStsMode
    # further records that make email to and from the domain safe, and the MX hosts; checked with the other
    # records once the domain is verified, and then every day
    deliverability: DomainDeliverability
    # the Kubernetes resource that owns this domain; null when none does
    managed_by: ManagedBy | None


class EmailEnvelope(TypedDict):
    # SMTP envelope sender; empty for bounces (the null sender)
    mail_from: str
    # recipients of the SMTP transaction that belong to this account
    rcpt_to: list[str]
    # name that the sending server gave in HELO or EHLO
    helo_domain: str
    # IP address of the sending server
    remote_ip: str


class EmailHeadersAll(TypedDict):
    name: str
    value: str


EmailHeaders = TypedDict(  # a name of a field is none of Python, so this is no class
    "EmailHeaders",
    {
        "from": "str | None",
        "to": "str | None",
        "cc": "str | None",
        "bcc": "str | None",
        "subject": "str | None",
        # time of the Date header; null when absent or unreadable
        "date": "str | None",
        "message_id": "str | None",
        "in_reply_to": "str | None",
        "references": "str | None",
        "reply_to": "str | None",
        # all headers in their order in the email, repeated ones too; folded lines are joined and encoded words
        # decoded
        "all": "list[EmailHeadersAll]",
    },
)


class EmailContent(TypedDict):
    # plain text body; null when the email has none
    text: str | None
    # size of the whole raw email
    size_bytes: int
    # link to the raw email with a limited lifetime, when the address asks for it
    raw_url: NotRequired[str]
    # true when text is longer than 262,144 characters and was cut
    is_cut: bool
    # whether the email has an HTML body
    has_html: bool


class EmailAttachmentItem(TypedDict):
    # name in the email; attachment-<n> when it has none
    filename: str
    # MIME type
    content_type: str
    # decoded size
    size_bytes: int
    # link to the content with a limited lifetime, when the address has attachments linked
    content_url: NotRequired[str]
    # without angle brackets, of a picture in the text (cid: links of the HTML body); null for files, and when the
    # part has none
    content_id: str | None
    # what the email says of the part (Content-Disposition); null when it says nothing
    disposition: Literal["attachment", "inline"] | None
    # method of an invitation (text/calendar): REQUEST, REPLY, CANCEL …; null for every other part
    method: str | None


class EmailMetadataStorageRaw(TypedDict):
    key: str
    # digest of the content, in hex
    sha256: str
    size_bytes: int
    # link to the file, when the receiver asks for links
    url: NotRequired[str]


class EmailMetadataStorageAttachmentItem(TypedDict):
    key: str
    # digest of the content, in hex
    sha256: str
    size_bytes: int
    # link to the file, when the receiver asks for links
    url: NotRequired[str]


class EmailMetadataStorage(TypedDict):
    # of the bucket in Inlet
    name: str
    endpoint: str
    # its name at the provider
    bucket: str
    # the raw email; absent unless it is stored
    raw: NotRequired[EmailMetadataStorageRaw]
    # in the order of `attachments`; absent unless they are stored
    attachments: NotRequired[list[EmailMetadataStorageAttachmentItem]]
    # absent without links
    urls_expire_at: NotRequired[str]


class EmailMetadata(TypedDict):
    # end of DATA
    received_at: str
    # from received_at until the payload was built
    processing_time_ms: int
    # files of the email in your bucket; absent unless the receiver has `payload.storage`
    storage: NotRequired[EmailMetadataStorage]
    # 0 on the first attempt
    retry_count: int


class Email(TypedDict):
    # the same on every attempt, so that receivers can ignore repeats
    event_id: str
    # the receiving address
    address_id: str
    # when this payload was built
    timestamp: str
    # as in the webhook; null for emails of earlier versions
    recipient: str | None
    # as in the webhook; empty for emails of earlier versions
    recipients: list[str]
    envelope: EmailEnvelope
    # null for a header that the email does not have
    headers: EmailHeaders
    content: EmailContent
    attachments: list[EmailAttachmentItem]
    spam: Spam
    # absent when nothing scans email for malware
    virus: NotRequired[Virus]
    # the results behind the words of spam.details; null when authentication is switched off
    authentication: Authentication | None
    # text after the + in the recipient that the sender used; null without a +
    plus_tag: str | None
    # absent unless the address has reply addresses turned on (reply_addresses)
    reply: NotRequired[Reply]
    # conversation at this address, as the headers claim it: a hint; absent without message ids
    thread_id: NotRequired[str]
    # sent by a program: an automatic reply could start a loop
    auto_submitted: bool
    # a delivery report about an earlier email
    is_bounce: bool
    # sent through a mailing list or in bulk
    is_list: bool
    # text above the quoted email; null when it cannot be identified with certainty
    reply_text: str | None
    # problems while parsing the email; empty for nearly every email
    parse_warnings: list[ParseWarning]
    # of the author (S/MIME, PGP), not of DKIM; absent for email without one
    signature: NotRequired[MailSignature]
    # the email or a part of it is encrypted, and Inlet cannot read that; absent for other email
    encrypted: NotRequired[Literal["smime", "pgp"]]
    # that rules added to the email; absent when none did
    tags: NotRequired[list[str]]
    # what the receiver asks for with payload.extract; absent when that is nothing
    extracted: NotRequired[Extracted]
    metadata: EmailMetadata
    # true in a test webhook, else absent
    is_test: NotRequired[bool]


class ErrorDetails(TypedDict):
    field: str
    code: Literal["required", "invalid_type", "invalid_url", "not_https", "not_public", "too_small", "too_big", "too_long", "unknown_field", "conflict", "invalid_value"]
    # for an invalid expression: where its error is, in characters from 0
    position: NotRequired[int]


class Error(TypedDict):
    error: Literal["bad_request", "invalid_json", "unauthorized", "forbidden", "https_required", "not_found", "method_not_allowed", "request_timeout", "conflict", "payload_too_large", "unsupported_media_type", "validation_failed", "rate_limit_exceeded", "headers_too_large", "internal_error", "unavailable"]
    # human-readable explanation
    message: str
    # for validation_failed: the first invalid field and the rule that it violates; for conflict: the field whose
    # value is not available, if one is the cause
    details: NotRequired[ErrorDetails]
    # for rate_limit_exceeded: seconds to wait
    retry_after: NotRequired[int]
    # for a submitted email: what became of each recipient
    recipients: NotRequired[list[RecipientResult]]


class EvaluatedRule(TypedDict):
    name: str
    # whose rule it is
    scope: Literal["account", "address"]
    action: Literal["refuse", "drop", "hold", "tag"]
    # a rule that failed does nothing
    result: Literal["matched", "not_matched", "failed"]
    # why it failed; null when it did not
    error: str | None
    # name is a field of the address or the account, such as allowed_senders
    is_built_in: NotRequired[Literal[True]]


class Expectation(TypedDict):
    # how often such an email arrives at least, such as 30m, 26h or 8d
    every: str
    # expression in CEL: only such email is expected; null for all email
    when: str | None
    # how much later it may be, such as 0m or 1h
    grace: str


class ExpressionTestError(TypedDict):
    message: str
    # place in the expression, in characters from 0
    position: int


class ExpressionTest(TypedDict):
    # value of the expression; null when it failed at run time
    result: bool | None
    # why it failed, for example because a header is missing; null when it did not
    error: ExpressionTestError | None
    # what differs from a received email, and what expressions do not see of this one
    warnings: list[str]


class Extracted(TypedDict):
    # codes for logins and confirmations, best first, at most 10
    codes: NotRequired[list[ExtractedCode]]
    # visible links in their order, each URL once, at most 100
    links: NotRequired[list[ExtractedLink]]
    # the HTML as a person sees it, else the text, as Markdown without HTML and images; at most 131,072 characters
    markdown: NotRequired[str]
    # text that a person does not see; null when there is none
    hidden_text: NotRequired[ExtractedHiddenText | None]
    # the event of an invitation, or of an answer to one; null for other email
    invitation: NotRequired[ExtractedInvitation | None]
    # recipients that an earlier email did not reach, and why; null for other email
    bounce: NotRequired[ExtractedBounce | None]
    # a report to the owner of a domain; null for other email
    report: NotRequired[ExtractedReport | None]
    # the original of a forwarded email, as the forwarder claims it; null for other email
    forwarded: NotRequired[ExtractedForwarded | None]
    # with forwarded: Gmail, Outlook or iCloud asks to confirm that a mailbox forwards its email here; absent for
    # other email
    forwarding_request: NotRequired[ExtractedForwardingRequest]
    # the invoice in an XML file or a PDF, as its sender claims it; null for other email
    e_invoice: NotRequired[ExtractedEInvoice | None]
    # with e_invoice: those after the first, at most 9; absent without any
    further_e_invoices: NotRequired[list[ExtractedEInvoice]]


class ExtractedBounceRecipientItem(TypedDict):
    # whom the earlier email was for
    address: str
    # what happened (RFC 3464): given up, still being tried, delivered, handed to a server that sends no reports,
    # or sent on to several addresses
    action: Literal["failed", "delayed", "delivered", "relayed", "expanded"]
    # status of three numbers (RFC 3463); null when the bounce says none
    status: str | None
    # reply of the server that refused it, or the reason in words; null without one
    diagnostic: str | None
    # whether another email to the address would probably fail too: the delivery was given up, and the status or
    # the code of the reply begins with 5
    is_permanent: bool


class ExtractedBounce(TypedDict):
    # at least one
    recipients: list[ExtractedBounceRecipientItem]
    # recipients beyond the first 100, which are left out
    recipients_left_out: int
    # Message-ID of the earlier email, with angle brackets; null when it is not returned
    original_message_id: str | None
    # address that the earlier email was sent to, where it was redirected from; null when the bounce does not say
    # it
    original_recipient: str | None


class ExtractedCode(TypedDict):
    # without the spaces and hyphens that group digits
    value: str
    kind: Literal["digits", "alphanumeric"]
    # where it is; the best place of several
    source: Literal["subject", "text", "html"]
    # the text around it, at most 120 characters, for people
    near: str


class ExtractedEInvoice(TypedDict):
    # UN/CEFACT Cross Industry Invoice, or OASIS UBL
    syntax: Literal["cii", "ubl"]
    # factur_x, zugferd, xrechnung, peppol, en16931, other; zugferd is version 1; new values may be added
    format: str
    # specification that the invoice names (BT-24), such as a URN
    profile: str | None
    # UNTDID 1001: 380 for an invoice, 381 for a credit note
    type_code: str | None
    # BT-1
    number: str | None
    # date as YYYY-MM-DD (BT-2)
    issued: str | None
    # name (BT-27)
    seller: str | None
    # with tax, as a decimal number such as 119.00 (BT-112)
    total: str | None
    # ISO 4217 (BT-5)
    currency: str | None
    # index of its file in attachments, from 0: the PDF or the XML
    attachment: int
    # name of the XML in the PDF; null when the attachment is the XML
    xml_filename: str | None
    # the XML in the PDF, in Unicode; null when the attachment is the XML, or for more than 524,288 characters
    xml: str | None


ExtractedForwardedOriginal = TypedDict(  # a name of a field is none of Python, so this is no class
    "ExtractedForwardedOriginal",
    {
        # as the email writes it, as are the fields below
        "from": "str | None",
        "to": "str | None",
        "cc": "str | None",
        "date": "str | None",
        "subject": "str | None",
        # at most 65,536 characters; null for an email without text
        "text": "str | None",
    },
)


class ExtractedForwarded(TypedDict):
    # address that forwarded it; null when the email names none
    by: str | None
    # in the text below its headers, as a file (message/rfc822), or sent on by a server, which changes nothing but
    # a few headers
    kind: Literal["inline", "attached", "automatic"]
    original: ExtractedForwardedOriginal
    # how often it was forwarded, as far as its text or files show
    depth: int


class ExtractedForwardingRequest(TypedDict):
    # mailbox whose email would be forwarded
    address: str | None
    # that confirms the forwarding
    code: str | None
    # link that confirms the forwarding; never fetched
    url: str | None


class ExtractedHiddenText(TypedDict):
    # its beginning, at most 500 characters
    sample: str
    # characters of all hidden text
    chars: int
    # how it is hidden: not_displayed, zero_size, same_color, transparent, off_screen, invisible_characters; new
    # values may be added
    reasons: list[str]


class ExtractedInvitationOrganizer(TypedDict):
    # email address; another URI when it has none
    address: str
    name: str | None


class ExtractedInvitationAttendeeItem(TypedDict):
    # email address; another URI when it has none
    address: str
    name: str | None
    # NEEDS-ACTION, ACCEPTED, DECLINED, TENTATIVE, DELEGATED or one of another program
    status: str
    # REQ-PARTICIPANT, OPT-PARTICIPANT, NON-PARTICIPANT or CHAIR
    role: str


class ExtractedInvitation(TypedDict):
    # what the email asks for: REQUEST, REPLY, CANCEL …; null for an event without a request
    method: str | None
    # the same in all emails about the event
    uid: str | None
    # grows with each revision of the event
    sequence: int
    # TENTATIVE, CONFIRMED or CANCELLED
    status: str | None
    organizer: ExtractedInvitationOrganizer | None
    # of a REPLY, the one who answers
    attendees: list[ExtractedInvitationAttendeeItem]
    # attendees beyond the first 200, which are left out
    attendees_left_out: int
    summary: str | None
    location: str | None
    start: ExtractedTime | None
    # first time after the event: of a whole day, the next day
    end: ExtractedTime | None
    # RRULE, RDATE and EXDATE as iCalendar text, a line each
    recurrence: str | None
    # start of the occurrence that the email is about; null when it is about all of them
    recurrence_id: ExtractedTime | None
    # further events of the calendar, which are left out
    other_events: int


class ExtractedLink(TypedDict):
    # absolute http or https URL; never fetched
    url: str
    # what a person clicks on, at most 200 characters; an image shows its alternative text; null for a bare URL,
    # and when there is no text
    text: str | None
    # host of the URL, in ASCII (punycode)
    host: str
    # the text is a URL or a host name, but of another host: typical for fraud
    shows_other_host: bool
    # ends a subscription, by its text, its URL or the List-Unsubscribe header
    is_unsubscribe: bool


class ExtractedReportPolicy(TypedDict):
    # policy of the domain
    p: str | None
    # of its subdomains
    sp: str | None
    # of subdomains that do not exist
    np: str | None
    # r or s: whether the domain of DKIM may be a subdomain
    adkim: str | None
    # r or s: whether the domain of SPF may be a subdomain
    aspf: str | None
    # share of the emails that the policy applies to (RFC 7489)
    pct: str | None
    # y while the policy is only tested (RFC 9990)
    testing: str | None
    # which failures the domain wants reports about
    fo: str | None


class ExtractedReportRowItemReasonItem(TypedDict):
    type: str | None
    comment: str | None


class ExtractedReportRowItemDkimResultItem(TypedDict):
    domain: str | None
    # of the key; null for SPF
    selector: str | None
    # `mfrom` or `helo`; null for DKIM
    scope: str | None
    # pass, fail, none, neutral …
    result: str | None


class ExtractedReportRowItemSpfResultItem(TypedDict):
    domain: str | None
    # of the key; null for SPF
    selector: str | None
    # `mfrom` or `helo`; null for DKIM
    scope: str | None
    # pass, fail, none, neutral …
    result: str | None


class ExtractedReportRowItem(TypedDict):
    # server that sent the emails
    source_ip: str | None
    # number of emails
    count: int
    # what the receiver did: none, pass, quarantine or reject
    disposition: str | None
    # pass or fail for DMARC, where the domains must match
    dkim: str | None
    # pass or fail for DMARC, where the domains must match
    spf: str | None
    # why the receiver did not do what the policy says
    reasons: list[ExtractedReportRowItemReasonItem]
    # domain of the From header
    header_from: str | None
    envelope_from: str | None
    envelope_to: str | None
    # of each signature
    dkim_results: list[ExtractedReportRowItemDkimResultItem]
    spf_results: list[ExtractedReportRowItemSpfResultItem]


class ExtractedReportPolicieItemFailureItem(TypedDict):
    # such as certificate-expired or starttls-not-supported
    result_type: str | None
    sending_ip: str | None
    receiving_host: str | None
    receiving_ip: str | None
    failed_sessions: int
    # code or words of the sending server
    reason: str | None


class ExtractedReportPolicieItem(TypedDict):
    # sts, tlsa or no-policy-found
    type: str | None
    domain: str | None
    mx_hosts: list[str]
    successful_sessions: int
    failed_sessions: int
    failures: list[ExtractedReportPolicieItemFailureItem]
    # failures beyond the first 50, which are left out
    failures_left_out: int


class ExtractedReportFeedback(TypedDict):
    # abuse, fraud, virus, not-spam, auth-failure or other
    type: str
    user_agent: str | None
    # server that sent the email
    source_ip: str | None
    # number of such emails that the report stands for
    incidents: int
    # adsp, bodyhash, revoked, signature, spf or dmarc (RFC 6591)
    auth_failure: str | None
    # envelope sender of the email
    original_mail_from: str | None
    # often none: many reporters leave them out
    original_recipients: list[str]
    original_message_id: str | None


ExtractedReport = TypedDict(  # a name of a field is none of Python, so this is no class
    "ExtractedReport",
    {
        # who sends in the name of the domain (DMARC), whether servers reach it with TLS (TLS-RPT), or a report about
        # one email, such as a complaint (ARF)
        "kind": "Literal[\"dmarc\", \"tls-rpt\", \"arf\"]",
        # who sends the report
        "organization": "str | None",
        # of the organization; null for arf
        "report_id": "str | None",
        # that the report is about
        "domain": "str | None",
        # beginning of the time that the report covers; for arf, when the email arrived
        "from": "str | None",
        # end of that time
        "to": "str | None",
        # of dmarc: the policy that the organization found in the DNS; null for what is not there
        "policy": "NotRequired[ExtractedReportPolicy]",
        # of dmarc
        "rows": "NotRequired[list[ExtractedReportRowItem]]",
        # of dmarc: rows beyond the first 500
        "rows_left_out": "NotRequired[int]",
        # of tls-rpt
        "policies": "NotRequired[list[ExtractedReportPolicieItem]]",
        # of tls-rpt: policies beyond the first 20
        "policies_left_out": "NotRequired[int]",
        # of arf: what it says about the email
        "feedback": "NotRequired[ExtractedReportFeedback]",
    },
)


class ExtractedTime(TypedDict):
    # time in the time zone, such as 2026-12-01T10:00:00; a date for a whole day
    local: str
    # name as in the email, UTC included; null for a time that is everywhere the same
    time_zone: str | None
    # null for a whole day, a time that is everywhere the same, and an unknown time zone
    utc: str | None
    is_all_day: bool


class GetNotificationSecretResponse(TypedDict):
    # signs the webhooks; starts with whsec_
    webhook_secret: str
    # until then a former secret also signs, after a rotation; null when none does
    former_secrets_valid_until: str | None


class GetReceiverSecretResponse(TypedDict):
    # signs the webhooks; starts with whsec_
    webhook_secret: str
    # until then a former secret also signs, after a rotation; null when none does
    former_secrets_valid_until: str | None


class GetReplayWindowResponse(TypedDict):
    # retention of the installation
    promised_hours: float
    # less than promised_hours after new emails needed the room of delivered ones
    kept_hours: float


class GetReplyKeyResponse(TypedDict):
    # signs reply addresses; starts with rkey_
    reply_key: str
    # until then, reply addresses that a former key signed are accepted; null when none are
    former_reply_keys_valid_until: str | None


class GetSingleSignOnResponse(TypedDict):
    enabled: bool


class GetUsageSeriesResponse(TypedDict):
    data: list[UsageInterval]
    total: UsageTotal


class GetWebhookSecretResponse(TypedDict):
    # signs the webhooks; starts with whsec_
    webhook_secret: str
    # until then a former secret also signs, after a rotation; null when none does
    former_secrets_valid_until: str | None


class Header(TypedDict):
    name: str
    value: str


class Hook(TypedDict):
    # publicly reachable HTTPS URL that is asked
    url: str
    # expression in CEL: the hook is asked only about such email; null for all email
    when: str | None
    # milliseconds that the hook may take for its answer
    timeout_ms: int
    # what happens without a valid answer: accept: the email is delivered as if there were no hook; defer: the
    # sender gets 451 and tries again later
    on_error: Literal["accept", "defer"]


class HookTrace(TypedDict):
    # of the hook, or of on_error if there is an error
    decision: Literal["accept", "refuse", "defer", "hold", "drop"]
    # why the hook did not decide; null when it did
    error: str | None
    # time of the call; 0 when it was not made
    duration_ms: int


class InviteMemberRequest(TypedDict):
    # how the list of people and the events name the person
    name: str
    role: Role
    # how long the link works; default: seven days; default: 604800
    link_expires_in_seconds: NotRequired[int]


class InvitedMember(TypedDict):
    id: str
    name: str
    role: Role
    # what the role may do
    permissions: list[Permission]
    # the user at the OpenID provider: the claim sub, or a verified email address; null for a person who signs in
    # with links
    subject: str | None
    # the group at the OpenID provider that gives the role; null: the role is set here
    group: str | None
    # ISO 8601 in UTC, whole seconds
    created_at: str
    # last use of the dashboard, accurate to the minute; null before the first sign-in
    last_seen_at: str | None
    # until then, a link that was made for this person can be used; null when there is none
    link_expires_at: str | None
    # the Kubernetes resource that lists this person; null for none
    managed_by: ManagedBy | None
    # opens the dashboard, signed in as this person; works once; only in this response
    url: str


class Invoice(TypedDict):
    id: str
    # ISO 8601 in UTC, whole seconds
    period_start: str
    # ISO 8601 in UTC, whole seconds
    period_end: str
    amount_paid: float
    # amount that is not paid yet
    amount_due: float
    # ISO 4217
    currency: str
    status: Literal["open", "paid", "void"]
    # link to the PDF; it needs no token and works for 24 hours after this response
    invoice_pdf: str
    # null until the invoice is paid
    paid_at: str | None


class JsonWebKeySetKeyItem(TypedDict):
    kty: Literal["OKP"]
    crv: Literal["Ed25519"]
    # the public key in base64url
    x: str
    # SHA-256 thumbprint of the key (RFC 7638)
    kid: str
    use: Literal["sig"]
    alg: Literal["EdDSA"]


class JsonWebKeySet(TypedDict):
    # the current key first, then former ones that still sign
    keys: list[JsonWebKeySetKeyItem]


class LeaseResult(TypedDict):
    # leases for which this was done
    count: int
    # leases that had ended, or whose email a request had canceled: nothing was done
    lost: list[str]


class LeasedEmail(TypedDict):
    # names the lease in ack, nack and renew
    lease_id: str
    # acknowledge or renew it before: else the attempt has failed, and the email comes again
    leased_until: str
    # the same on every attempt: drop repeats by it
    event_id: str
    # number of attempts before this one
    retry_count: int
    # length of the payload
    payload_bytes: int
    # null for one that is larger than a response may be: get it with GET /deliveries/{event_id}/payload
    payload: WebhookPayload | None


class LeasedEmails(TypedDict):
    # oldest first; empty when none came in time
    data: list[LeasedEmail]


class ListAddressesResponse(TypedDict):
    data: list[AddressListItem]
    pagination: Pagination


class ListBucketsResponse(TypedDict):
    data: list[Bucket]


class ListDeliveriesOfEmailResponse(TypedDict):
    data: list[DeliveryListItem]


class ListDeliveriesResponse(TypedDict):
    data: list[DeliveryListItem]
    pagination: Pagination


class ListDomainsResponse(TypedDict):
    data: list[Domain]
    pagination: Pagination


class ListDueDeliveriesResponse(TypedDict):
    data: list[DeliveryListItem]
    pagination: Pagination


class ListInvoicesResponse(TypedDict):
    data: list[Invoice]
    pagination: Pagination


class ListMembersResponse(TypedDict):
    data: list[Member]


class ListNewestDeliveriesResponse(TypedDict):
    # addresses without an email have none
    data: list[DeliveryListItem]


class ListNotificationDeliveriesResponse(TypedDict):
    data: list[NotificationDelivery]
    pagination: Pagination


class ListNotificationsResponse(TypedDict):
    data: list[Notification]


class ListReceiversResponse(TypedDict):
    data: list[Receiver]


class ListRefusalsResponse(TypedDict):
    data: list[Refusal]
    pagination: Pagination


class ListSenderListsResponse(TypedDict):
    data: list[SenderList]


class ListSessionsResponse(TypedDict):
    data: list[Session]


class ListTokensResponse(TypedDict):
    data: list[Token]


class ListUsageEventsResponse(TypedDict):
    data: list[UsageEvent]
    pagination: Pagination


class LiveEventAttempt(TypedDict):
    # when the attempt began
    time: str
    outcome: Literal["accepted", "refused", "busy", "unreachable", "storage_failed", "blocked"]
    # null when no answer came
    status_code: int | None
    latency_ms: int
    # why no answer came
    error: str | None
    # first KiB of the answer's body; null when it had none
    excerpt: str | None
    # Location of a redirect, which Inlet does not follow; null without one
    location: str | None
    # from 1
    number: int


class LiveEvent(TypedDict):
    type: Literal["email.received", "webhook.delivered", "webhook.retrying", "webhook.failed", "delivery.replayed", "address.created", "address.updated", "address.deleted", "address.expired", "address.failing", "address.recovered", "address.silent", "address.resumed", "token.created", "token.deleted", "stream.ready", "stream.gap"]
    # ISO 8601 in UTC, whole seconds
    at: str
    # for email.*, webhook.* and delivery.*
    event_id: NotRequired[str]
    # for all but token.* and stream.*
    address_id: NotRequired[str | None]
    # for email.*, webhook.* and delivery.*: further receiver (rcv_…), or the same as address_id
    receiver_id: NotRequired[str]
    # for token.*
    token_id: NotRequired[str]
    # for email.*, webhook.* and delivery.*
    delivery: NotRequired[DeliveryListItem]
    # for webhook.*
    attempt: NotRequired[LiveEventAttempt]
    # for stream.gap: events since then may be missing
    since: NotRequired[str]


class MailSignature(TypedDict):
    kind: Literal["smime", "pgp"]
    # whom the enclosed certificate names, as it says itself, at most 500 characters; null when it encloses none,
    # and for PGP
    subject: str | None
    # whether the text and the files are those that the key of the enclosed certificate signed; nobody asks who
    # issued the certificate or whether it has expired. null when not checked: PGP, a part of the email only, no
    # certificate, or an algorithm that is weak or unknown
    is_valid: bool | None


class ManagedBy(TypedDict):
    kind: str
    namespace: str
    name: str


class Member(TypedDict):
    id: str
    name: str
    role: Role
    # what the role may do
    permissions: list[Permission]
    # the user at the OpenID provider: the claim sub, or a verified email address; null for a person who signs in
    # with links
    subject: str | None
    # the group at the OpenID provider that gives the role; null: the role is set here
    group: str | None
    # ISO 8601 in UTC, whole seconds
    created_at: str
    # last use of the dashboard, accurate to the minute; null before the first sign-in
    last_seen_at: str | None
    # until then, a link that was made for this person can be used; null when there is none
    link_expires_at: str | None
    # the Kubernetes resource that lists this person; null for none
    managed_by: ManagedBy | None


class Notification(TypedDict):
    id: str
    # HTTPS URL that receives the events
    url: str
    # types of events that are sent; null: all but address.refusing, also future ones
    types: list[NotificationType] | None
    description: str | None
    # false: no new events are sent
    is_enabled: bool
    # time of the first failed attempt since the last accepted one; null when there is none
    failing_since: str | None
    # ISO 8601 in UTC, whole seconds
    created_at: str
    # ISO 8601 in UTC, whole seconds
    updated_at: str
    # the Kubernetes resource that owns it; changes must be made there; null when there is none
    managed_by: ManagedBy | None


class NotificationDelivery(TypedDict):
    # the payload's event_id
    event_id: str
    # pending: not attempted yet, or not since a replay; retrying: waits for its next attempt; delivered: the
    # receiver accepted it, or it is stored and there is no webhook to send: see outcome; held: waits for a
    # release; dropped: gets no webhook
    status: Literal["pending", "retrying", "delivered", "failed", "held", "dropped"]
    # of the last attempt; or canceled; or why Inlet ended it: lost (no stream has the email any more), expired
    # (no attempt succeeded in time), unread (no consumer acknowledged it in time), backlog_full (too many emails
    # waited); or why a delivered email was stored without a webhook: no_url (its address has no webhook_url),
    # disabled (webhook_enabled is false), filtered (`when` is false). null before the first attempt
    outcome: Literal["accepted", "refused", "busy", "unreachable", "storage_failed", "blocked", "canceled", "lost", "expired", "unread", "backlog_full", "no_url", "disabled", "filtered"] | None
    # not before this time; null when nothing is due. Of an email that a consumer asks for: from when on it can be
    # leased, or when its lease ends
    next_attempt_at: str | None
    # of the last change of this record
    updated_at: str
    # number of all attempts
    attempt_count: int
    # type of the event
    type: str
    # when the event happened
    created_at: str


class NotificationDeliveryDetails(TypedDict):
    # the payload's event_id
    event_id: str
    # pending: not attempted yet, or not since a replay; retrying: waits for its next attempt; delivered: the
    # receiver accepted it, or it is stored and there is no webhook to send: see outcome; held: waits for a
    # release; dropped: gets no webhook
    status: Literal["pending", "retrying", "delivered", "failed", "held", "dropped"]
    # of the last attempt; or canceled; or why Inlet ended it: lost (no stream has the email any more), expired
    # (no attempt succeeded in time), unread (no consumer acknowledged it in time), backlog_full (too many emails
    # waited); or why a delivered email was stored without a webhook: no_url (its address has no webhook_url),
    # disabled (webhook_enabled is false), filtered (`when` is false). null before the first attempt
    outcome: Literal["accepted", "refused", "busy", "unreachable", "storage_failed", "blocked", "canceled", "lost", "expired", "unread", "backlog_full", "no_url", "disabled", "filtered"] | None
    # not before this time; null when nothing is due. Of an email that a consumer asks for: from when on it can be
    # leased, or when its lease ends
    next_attempt_at: str | None
    # of the last change of this record
    updated_at: str
    # number of all attempts
    attempt_count: int
    # type of the event
    type: str
    # when the event happened
    created_at: str
    # the last 100, oldest first
    attempts: list[Attempt]
    # as it was last sent; null when it is no longer stored
    payload: NotificationPayload | None


class NotificationOfCertificateData(TypedDict):
    address_id: str
    # null when the address no longer exists
    address: str | None
    # the further receiver of the address (rcv_…); null for the address's own
    receiver_id: str | None
    # of the client certificate
    subject: str
    fingerprint_sha256: str
    # ISO 8601 in UTC, whole seconds
    expires_at: str


class NotificationOfCertificateMetadata(TypedDict):
    # 0 on the first attempt
    retry_count: int


class NotificationOfCertificate(TypedDict):
    # the same on every attempt: ignore a repeated one
    event_id: str
    # the notification whose URL receives this
    notification_id: str
    type: Literal["receiver.certificate_expiring"]
    # when it happened
    timestamp: str
    account_id: str
    environment: Environment
    data: NotificationOfCertificateData
    # only in a test, whose data is an example
    is_test: NotRequired[Literal[True]]
    metadata: NotificationOfCertificateMetadata


class NotificationOfDomainData(TypedDict):
    domain_id: str
    domain: str
    # since then the TXT record has been missing
    missing_since: str | None


class NotificationOfDomainMetadata(TypedDict):
    # 0 on the first attempt
    retry_count: int


class NotificationOfDomain(TypedDict):
    # the same on every attempt: ignore a repeated one
    event_id: str
    # the notification whose URL receives this
    notification_id: str
    type: Literal["domain.unconfirmed"]
    # when it happened
    timestamp: str
    account_id: str
    environment: Environment
    data: NotificationOfDomainData
    # only in a test, whose data is an example
    is_test: NotRequired[Literal[True]]
    metadata: NotificationOfDomainMetadata


class NotificationOfFailingAddressData(TypedDict):
    address_id: str
    # null when the address no longer exists
    address: str | None
    # the further receiver of the address (rcv_…); null for the address's own
    receiver_id: str | None
    # time of the first failed attempt
    failing_since: str | None
    # false when the account setting disable_failing_addresses has disabled it
    is_enabled: bool | None
    # secret_rotated: it has responded with 401 or 403 since its webhook secret was rotated; auth_changed: since
    # the authentication to it changed, or its token URL refuses; gone: it has responded with 410 Gone; null
    # otherwise
    reason: Literal["secret_rotated", "auth_changed", "gone"] | None


class NotificationOfFailingAddressMetadata(TypedDict):
    # 0 on the first attempt
    retry_count: int


class NotificationOfFailingAddress(TypedDict):
    # the same on every attempt: ignore a repeated one
    event_id: str
    # the notification whose URL receives this
    notification_id: str
    type: Literal["address.failing"]
    # when it happened
    timestamp: str
    account_id: str
    environment: Environment
    data: NotificationOfFailingAddressData
    # only in a test, whose data is an example
    is_test: NotRequired[Literal[True]]
    metadata: NotificationOfFailingAddressMetadata


class NotificationOfHeldEmailData(TypedDict):
    address_id: str
    # null when the address no longer exists
    address: str | None
    # the further receiver of the address (rcv_…); null for the address's own
    receiver_id: str | None
    # of the held email: release or drop it with this id
    event_id: str
    # rule, or why a refusal became a hold
    reason: Literal["rule", "cut", "not_evaluated", "refused_by_rule", "infected", "sender_not_allowed", "sender_not_checked", "attachment_not_allowed", "hook", "refused_by_hook", "deferred_by_hook"]
    # name of the rule that matched; null without one
    rule: str | None


class NotificationOfHeldEmailMetadata(TypedDict):
    # 0 on the first attempt
    retry_count: int


class NotificationOfHeldEmail(TypedDict):
    # the same on every attempt: ignore a repeated one
    event_id: str
    # the notification whose URL receives this
    notification_id: str
    type: Literal["email.held"]
    # when it happened
    timestamp: str
    account_id: str
    environment: Environment
    data: NotificationOfHeldEmailData
    # only in a test, whose data is an example
    is_test: NotRequired[Literal[True]]
    metadata: NotificationOfHeldEmailMetadata


class NotificationOfInvoiceData(TypedDict):
    invoice_id: str
    amount: float
    # ISO 4217
    currency: str
    # open, or paid for an invoice over zero
    status: str
    # ISO 8601 in UTC, whole seconds
    period_start: str
    # ISO 8601 in UTC, whole seconds
    period_end: str


class NotificationOfInvoiceMetadata(TypedDict):
    # 0 on the first attempt
    retry_count: int


class NotificationOfInvoice(TypedDict):
    # the same on every attempt: ignore a repeated one
    event_id: str
    # the notification whose URL receives this
    notification_id: str
    type: Literal["invoice.created"]
    # when it happened
    timestamp: str
    account_id: str
    environment: Environment
    data: NotificationOfInvoiceData
    # only in a test, whose data is an example
    is_test: NotRequired[Literal[True]]
    metadata: NotificationOfInvoiceMetadata


class NotificationOfLostEmailData(TypedDict):
    address_id: str
    # null when the address no longer exists
    address: str | None
    # the further receiver of the address (rcv_…); null for the address's own
    receiver_id: str | None
    # of the email, which was accepted: ask its sender for it
    event_id: str


class NotificationOfLostEmailMetadata(TypedDict):
    # 0 on the first attempt
    retry_count: int


class NotificationOfLostEmail(TypedDict):
    # the same on every attempt: ignore a repeated one
    event_id: str
    # the notification whose URL receives this
    notification_id: str
    type: Literal["email.lost"]
    # when it happened
    timestamp: str
    account_id: str
    environment: Environment
    data: NotificationOfLostEmailData
    # only in a test, whose data is an example
    is_test: NotRequired[Literal[True]]
    metadata: NotificationOfLostEmailMetadata


class NotificationOfQuotaData(TypedDict):
    # 80 or 100: the part of the included emails that is used
    percent: int
    emails_used: int
    emails_included: int
    plan: str
    # bill or refuse: what happens to emails beyond these
    over_quota: str
    # the same as a sentence; null for an event of an earlier release
    message: str | None
    # ISO 8601 in UTC, whole seconds
    period_start: str
    # ISO 8601 in UTC, whole seconds
    period_end: str


class NotificationOfQuotaMetadata(TypedDict):
    # 0 on the first attempt
    retry_count: int


class NotificationOfQuota(TypedDict):
    # the same on every attempt: ignore a repeated one
    event_id: str
    # the notification whose URL receives this
    notification_id: str
    type: Literal["quota.near"]
    # when it happened
    timestamp: str
    account_id: str
    environment: Environment
    data: NotificationOfQuotaData
    # only in a test, whose data is an example
    is_test: NotRequired[Literal[True]]
    metadata: NotificationOfQuotaMetadata


class NotificationOfRecoveredAddressData(TypedDict):
    address_id: str
    # null when the address no longer exists
    address: str | None
    # the further receiver of the address (rcv_…); null for the address's own
    receiver_id: str | None
    # delivered: the receiver accepted a webhook; changed: the address was changed
    reason: str | None


class NotificationOfRecoveredAddressMetadata(TypedDict):
    # 0 on the first attempt
    retry_count: int


class NotificationOfRecoveredAddress(TypedDict):
    # the same on every attempt: ignore a repeated one
    event_id: str
    # the notification whose URL receives this
    notification_id: str
    type: Literal["address.recovered"]
    # when it happened
    timestamp: str
    account_id: str
    environment: Environment
    data: NotificationOfRecoveredAddressData
    # only in a test, whose data is an example
    is_test: NotRequired[Literal[True]]
    metadata: NotificationOfRecoveredAddressMetadata


class NotificationOfRefusingAddressData(TypedDict):
    # null for a mailbox of a domain that is no address
    address_id: str | None
    # null in the same case
    address: str | None
    # that was refused so often
    mailbox: str
    # refused emails since the beginning of the hour
    refusals: int
    # of one of them: docs/refusals.md
    reason: str


class NotificationOfRefusingAddressMetadata(TypedDict):
    # 0 on the first attempt
    retry_count: int


class NotificationOfRefusingAddress(TypedDict):
    # the same on every attempt: ignore a repeated one
    event_id: str
    # the notification whose URL receives this
    notification_id: str
    type: Literal["address.refusing"]
    # when it happened
    timestamp: str
    account_id: str
    environment: Environment
    data: NotificationOfRefusingAddressData
    # only in a test, whose data is an example
    is_test: NotRequired[Literal[True]]
    metadata: NotificationOfRefusingAddressMetadata


class NotificationOfResumedAddressData(TypedDict):
    address_id: str
    # null when the address no longer exists
    address: str | None
    # received: the expected email arrived; changed: the address was changed
    reason: str | None
    # when the silence was noticed
    silent_since: str | None


class NotificationOfResumedAddressMetadata(TypedDict):
    # 0 on the first attempt
    retry_count: int


class NotificationOfResumedAddress(TypedDict):
    # the same on every attempt: ignore a repeated one
    event_id: str
    # the notification whose URL receives this
    notification_id: str
    type: Literal["address.resumed"]
    # when it happened
    timestamp: str
    account_id: str
    environment: Environment
    data: NotificationOfResumedAddressData
    # only in a test, whose data is an example
    is_test: NotRequired[Literal[True]]
    metadata: NotificationOfResumedAddressMetadata


class NotificationOfSilentAddressData(TypedDict):
    address_id: str
    # null when the address no longer exists
    address: str | None
    # how often the address expects email, such as 26h
    every: str
    # how much later it may be
    grace: str
    # which email it expects; null: any
    when: str | None
    # until then, with the grace, the email could be late
    silent_at: str


class NotificationOfSilentAddressMetadata(TypedDict):
    # 0 on the first attempt
    retry_count: int


class NotificationOfSilentAddress(TypedDict):
    # the same on every attempt: ignore a repeated one
    event_id: str
    # the notification whose URL receives this
    notification_id: str
    type: Literal["address.silent"]
    # when it happened
    timestamp: str
    account_id: str
    environment: Environment
    data: NotificationOfSilentAddressData
    # only in a test, whose data is an example
    is_test: NotRequired[Literal[True]]
    metadata: NotificationOfSilentAddressMetadata


class NotificationOfTokenData(TypedDict):
    created_token_id: str
    name: str
    # first characters of the token
    prefix: str
    # of the token
    environment: Environment
    permissions: list[Permission]


class NotificationOfTokenMetadata(TypedDict):
    # 0 on the first attempt
    retry_count: int


class NotificationOfToken(TypedDict):
    # the same on every attempt: ignore a repeated one
    event_id: str
    # the notification whose URL receives this
    notification_id: str
    type: Literal["token.created"]
    # when it happened
    timestamp: str
    account_id: str
    environment: Environment
    data: NotificationOfTokenData
    # only in a test, whose data is an example
    is_test: NotRequired[Literal[True]]
    metadata: NotificationOfTokenMetadata


class NotificationWithSecret(TypedDict):
    id: str
    # HTTPS URL that receives the events
    url: str
    # types of events that are sent; null: all but address.refusing, also future ones
    types: list[NotificationType] | None
    description: str | None
    # false: no new events are sent
    is_enabled: bool
    # time of the first failed attempt since the last accepted one; null when there is none
    failing_since: str | None
    # ISO 8601 in UTC, whole seconds
    created_at: str
    # ISO 8601 in UTC, whole seconds
    updated_at: str
    # the Kubernetes resource that owns it; changes must be made there; null when there is none
    managed_by: ManagedBy | None
    # signs the webhooks of this notification; starts with whsec_
    webhook_secret: str


class OAuthClient(TypedDict):
    # HTTPS URL of the token endpoint; the rules for webhook URLs apply
    token_url: str
    client_id: str
    client_secret: str
    # scopes, separated by spaces
    scope: NotRequired[str]
    # for servers that want one, such as Auth0
    audience: NotRequired[str]
    # how the client authenticates: HTTP Basic, or fields of the body (RFC 6749 §2.3.1); default: basic
    client_auth: NotRequired[Literal["basic", "post"]]


class Pagination(TypedDict):
    limit: int
    offset: int
    # number of all matching items; in a list of more than 1,000, up to 30 seconds old
    total: int
    # true when more items exist beyond this page
    has_more: bool


class ParseWarning(TypedDict):
    # for programs: bare_line_ends, boundary_too_long, cut_for_hook, e_invoice_unreadable, extraction_failed,
    # guessed_charset, hidden_text, invalid_encoding, invitation_unreadable, malformed_headers, no_parts_found,
    # parse_failed, parse_out_of_memory, parse_timeout, parts_behind_end, protected_headers_differ,
    # repeated_header, report_unreadable, rules_timeout, text_outside_parts, text_too_long, tnef_unreadable,
    # too_deep, too_many_headers, too_many_parts, unclear_author, wrong_charset; new codes may be added
    code: str
    # for people
    message: str


class PayloadSettings(TypedDict):
    # content of attachments: in the payload (inline), left out (omit), or as a link that expires (url)
    attachments: Literal["inline", "omit", "url"]
    # whether the payload has a link to the raw email; the link expires
    raw: bool
    # what Inlet reads from the email into `extracted` of the payload
    extract: list[Literal["codes", "links", "markdown", "hidden_text", "invitation", "bounce", "report", "forwarded", "e_invoice"]]
    # files that Inlet stores in a bucket of yours before it calls the receiver; null: none
    storage: StorageSettings | None


class Quota(TypedDict):
    plan: str
    # after a plan change: the share of the current plan
    emails_included: int
    # live emails of the account; after a plan change: those since then
    emails_used: int
    # refused: all included emails are used, and live email is refused with 452 4.2.2; near: 80 % of them are
    # used; open: neither, or the plan bills further emails
    status: Literal["open", "near", "refused"]
    # from then on, emails are counted from 0 again
    resets_at: str
    # the same as a sentence, to be shown as it is; null while the status is open
    message: str | None


class Receiver(TypedDict):
    # rcv_…; for the first receiver, the id of the address
    id: str
    address_id: str
    # HTTPS URL that receives the webhooks; null for the first receiver of an address without one, and with the
    # mode pull
    url: str | None
    description: str | None
    # false: no new email is sent to it, as to the first receiver of an address that is disabled
    is_enabled: bool
    payload: PayloadSettings
    mode: WebhookMode
    # filter in CEL: it gets only emails for which this is true; null for all
    when: str | None
    format: WebhookFormat
    signing: WebhookSigning
    # verifies its webhooks; starts with whpk_; null with hmac
    public_key: str | None
    # how Inlet authenticates to it, without secrets; null when it does not
    auth: ReceiverAuthView | None
    # true when the receiver has rejected every webhook for too long
    is_failing: bool
    # secret_rotated: it has responded with 401 or 403 since its webhook secret was rotated; auth_changed: since
    # the authentication to it changed, or its token URL refuses; gone: it has responded with 410 Gone; null
    # otherwise
    failing_reason: Literal["secret_rotated", "auth_changed", "gone"] | None
    # time of the first failed attempt since the last accepted one; null when there is none
    failing_since: str | None
    # when a consumer asked for its emails with the mode pull, accurate to the minute; null for never
    last_pulled_at: str | None
    # until then a former secret also signs, after a rotation; null when none does
    former_secrets_valid_until: str | None
    # ISO 8601 in UTC, whole seconds
    created_at: str
    # ISO 8601 in UTC, whole seconds
    updated_at: str
    # the Kubernetes resource that owns it; changes must be made there; null when there is none
    managed_by: ManagedBy | None


class ReceiverAuthBasic(TypedDict):
    # without a colon
    username: str
    password: str


class ReceiverAuth(TypedDict):
    # headers of each webhook: at most 10, 4096 bytes in all; not those that Inlet sets itself
    headers: NotRequired[dict[str, str]]
    # HTTP Basic; not together with a header Authorization
    basic: NotRequired[ReceiverAuthBasic]
    # client credentials: Inlet gets a bearer token and sends it; not together with basic or a header
    # Authorization
    oauth2: NotRequired[OAuthClient]
    # mutual TLS
    client_certificate: NotRequired[ClientCertificate]


class ReceiverAuthViewBasic(TypedDict):
    username: str


class ReceiverAuthViewOauth2(TypedDict):
    # HTTPS URL of the token endpoint; the rules for webhook URLs apply
    token_url: str
    client_id: str
    scope: str | None
    audience: str | None
    client_auth: Literal["basic", "post"]


class ReceiverAuthViewClientCertificate(TypedDict):
    # of the certificate
    subject: str
    fingerprint_sha256: str
    # ISO 8601 in UTC, whole seconds
    expires_at: str


class ReceiverAuthView(TypedDict):
    # names of the headers; their values are never shown
    headers: list[str]
    # the password is never shown; null without HTTP Basic
    basic: ReceiverAuthViewBasic | None
    # client_secret is never shown; null without OAuth 2.0
    oauth2: ReceiverAuthViewOauth2 | None
    # the private key is never shown; null without mutual TLS
    client_certificate: ReceiverAuthViewClientCertificate | None


class ReceiverWithSecret(TypedDict):
    # rcv_…; for the first receiver, the id of the address
    id: str
    address_id: str
    # HTTPS URL that receives the webhooks; null for the first receiver of an address without one, and with the
    # mode pull
    url: str | None
    description: str | None
    # false: no new email is sent to it, as to the first receiver of an address that is disabled
    is_enabled: bool
    payload: PayloadSettings
    mode: WebhookMode
    # filter in CEL: it gets only emails for which this is true; null for all
    when: str | None
    format: WebhookFormat
    signing: WebhookSigning
    # verifies its webhooks; starts with whpk_; null with hmac
    public_key: str | None
    # how Inlet authenticates to it, without secrets; null when it does not
    auth: ReceiverAuthView | None
    # true when the receiver has rejected every webhook for too long
    is_failing: bool
    # secret_rotated: it has responded with 401 or 403 since its webhook secret was rotated; auth_changed: since
    # the authentication to it changed, or its token URL refuses; gone: it has responded with 410 Gone; null
    # otherwise
    failing_reason: Literal["secret_rotated", "auth_changed", "gone"] | None
    # time of the first failed attempt since the last accepted one; null when there is none
    failing_since: str | None
    # when a consumer asked for its emails with the mode pull, accurate to the minute; null for never
    last_pulled_at: str | None
    # until then a former secret also signs, after a rotation; null when none does
    former_secrets_valid_until: str | None
    # ISO 8601 in UTC, whole seconds
    created_at: str
    # ISO 8601 in UTC, whole seconds
    updated_at: str
    # the Kubernetes resource that owns it; changes must be made there; null when there is none
    managed_by: ManagedBy | None
    # signs the webhooks of this receiver; starts with whsec_; null with ed25519, whose private key is never shown
    webhook_secret: str | None


class RecipientResult(TypedDict):
    # as the request names it
    recipient: str
    # `accepted`: stored; `refused`: never send it again; `try_again`: send it again later
    result: Literal["accepted", "refused", "try_again"]
    # the reply that SMTP would have given
    reply: str
    # null unless accepted
    event_id: str | None


class RefusalReply(TypedDict):
    code: int
    enhanced_code: str
    # of the reply; a deciding hook may have sent another one
    text: str


class RefusalAuthentication(TypedDict):
    # pass, fail, none …
    spf: str
    # pass, fail, none …
    dkim: str
    # pass, fail, none …
    dmarc: str


Refusal = TypedDict(  # a name of a field is none of Python, so this is no class
    "Refusal",
    {
        "id": "str",
        "environment": "Environment",
        # of the first refusal of this record
        "first_at": "str",
        # of the last one
        "last_at": "str",
        # refusals of one hour with the same mailbox, sender and reason
        "count": "int",
        # recipient that the client named; for the reason further, the address or the domain
        "mailbox": "str",
        # null for a mailbox of a domain of the account that is no address
        "address_id": "str | None",
        # envelope sender; empty for a bounce, and when redacted
        "mail_from": "str",
        # name of the reply: docs/refusals.md
        "reason": "str",
        # where it was refused: before the email was sent, or at its end. Nothing of it is kept
        "command": "Literal[\"rcpt\", \"data\"]",
        "reply": "RefusalReply",
        # From; null before DATA, when redacted, and when not read
        "from": "str | None",
        # null in the same cases
        "subject": "str | None",
        # null in the same cases, and without one
        "message_id": "str | None",
        # IP address of the client
        "remote_ip": "str",
        # name that the client gave
        "helo_domain": "str",
        # name of the IP address that resolves back to it; null when it was not looked up
        "remote_name": "str | None",
        # null when it was not checked
        "authentication": "RefusalAuthentication | None",
        # null where the reason says it all
        "decided_by": "DecidedBy | None",
    },
)


class RenewLeasesRequest(TypedDict):
    # lease_id of each email
    lease_ids: list[str]
    # seconds from now; default: 60
    lease: NotRequired[int]


class ReplayDeliveriesRequest(TypedDict):
    # only deliveries of this address, to all its receivers
    address_id: NotRequired[str]
    # only deliveries to this receiver: rcv_…, or the id of an address for its own
    receiver_id: NotRequired[str]
    # status of the deliveries to replay; retrying makes their next attempt due instead; held releases them;
    # default: failed
    status: NotRequired[Literal["delivered", "failed", "held", "dropped", "retrying"]]
    # only emails from this sender: an address, a domain such as @example.com, or words (or beginnings, `ann*`) of
    # the name or of the part before the @
    sender: NotRequired[str]
    # only emails to this mailbox: an address, a domain such as @example.com, or words (or beginnings, `ann*`) of
    # the part before the @
    recipient: NotRequired[str]
    # only emails with all these words in the subject, without case: whole words, or beginnings such as `inv*` of
    # three letters or more
    subject: NotRequired[str]
    # only emails with all these words in the subject or in the first 64 KB of the text, as for subject; 422 where
    # texts are not searched: see search_bodies of the account
    text: NotRequired[str]
    # only emails with this tag, which a rule added
    tag: NotRequired[str]
    # only emails of this conversation: the thread_id of a payload or of a delivery
    thread: NotRequired[str]
    # only emails with an attachment; images within the HTML do not count
    has: NotRequired[Literal["attachment"]]
    # only emails with all these problems, separated by commas: spam, spf=fail, spf=softfail, spf=neutral,
    # spf=temperror, spf=permerror, dkim=fail, dkim=policy, dkim=neutral, dkim=temperror, dkim=permerror,
    # dmarc=fail, dmarc=temperror, dmarc=permerror
    verdict: NotRequired[str]
    # ISO 8601 time or date: start of the range, inclusive
    start_date: NotRequired[str]
    # ISO 8601 time (exclusive) or date (inclusive): end of the range
    end_date: NotRequired[str]
    # maximum number of deliveries that this call considers; default: 1000
    limit: NotRequired[int]
    # next_cursor of the previous call
    cursor: NotRequired[str]


class ReplayDeliveriesResponseSkipped(TypedDict):
    # their email is no longer stored, or only in another region
    no_longer_kept: int
    # an attempt is due or in flight
    under_way: int


class ReplayDeliveriesResponse(TypedDict):
    # deliveries that will be sent again
    queued: int
    skipped: ReplayDeliveriesResponseSkipped
    # send it as cursor to continue; null when no deliveries are left
    next_cursor: str | None


class Reply(TypedDict):
    # valid, expired: signed with the key of the address; invalid: not, or changed on its way; none: the recipient
    # is not a reply address
    status: Literal["valid", "expired", "invalid", "none"]
    # what the reply address was made for; null unless it is valid or expired
    reference: str | None
    # null unless it is valid or expired
    expires_at: str | None
    # bound: the email is of the sender for whom the reply address was made, and DMARC proves it; other: this is
    # not proven; unbound: it was made for nobody in particular; null unless it is valid or expired
    sender: Literal["bound", "other", "unbound"] | None


class ReturnEmailsRequest(TypedDict):
    # lease_id of each email
    lease_ids: list[str]
    # shown as the error of the attempt
    reason: NotRequired[str]
    # they come again after so many seconds at the earliest
    retry_after: NotRequired[int]
    # true: no later attempt would succeed, so the deliveries have failed; default: false
    is_final: NotRequired[bool]


class RotateReplyKeyRequest(TypedDict):
    # hours that reply addresses of the former key are still accepted, if they have not expired; default: 24
    overlap_hours: NotRequired[int]


class RotateReplyKeyResponse(TypedDict):
    # signs reply addresses; starts with rkey_
    reply_key: str
    # until then, reply addresses that a former key signed are accepted; null when none are
    former_reply_keys_valid_until: str | None


class Rule(TypedDict):
    # shown in traces
    name: str
    # expression in CEL: docs/filters.md lists its variables
    when: str
    # refuse: 550 after DATA; drop: accept, and send no webhook; hold: accept, and wait for a release; tag: add
    # tags, and go on with the next rule
    action: Literal["refuse", "drop", "hold", "tag"]
    # that the action tag adds; absent for other actions
    tags: NotRequired[list[str]]


class RuleRequest1(TypedDict):
    # shown in traces
    name: str
    # expression in CEL: docs/filters.md lists its variables
    when: str
    # add tags, and go on with the next rule
    action: Literal["tag"]
    # to add
    tags: list[str]


class RuleRequest2(TypedDict):
    # shown in traces
    name: str
    # expression in CEL: docs/filters.md lists its variables
    when: str
    # refuse: 550 after DATA; drop: accept, and send no webhook; hold: accept, and wait for a release
    action: Literal["refuse", "drop", "hold"]


class RulesTestFactItem(TypedDict):
    name: str
    value: str


class RulesTest(TypedDict):
    # that were evaluated, in their order: docs/rules.md
    rules: list[EvaluatedRule]
    # the variables that these rules read, cut to 100 characters; without redacted ones
    facts: list[RulesTestFactItem]
    # absent when no hook was asked
    hook: NotRequired[HookTrace]
    # of the first rule that matched, except tag; deliver without one; later: 451, because a rule asks for sender,
    # and DNS did not answer when the email arrived
    action: Literal["refuse", "drop", "hold", "deliver", "later"]
    # that rules added
    tags: list[str]
    # what differs from a received email, and what expressions do not see of this one
    warnings: list[str]


class RulingFactItem(TypedDict):
    name: str
    value: str


class Ruling(TypedDict):
    # null: it is delivered
    action: Literal["hold", "drop"] | None
    # rule: a rule with this action matched; cut: a rule that refuses, drops or holds read what is longer than
    # rules see, or the email was not read as a whole; not_evaluated: such a rule, or the filter of the receiver,
    # would have taken too much time; hook: the hook decided so; the others are refusals that could not be sent to
    # the client, because another recipient accepted the email; null when it is delivered
    reason: Literal["rule", "cut", "not_evaluated", "refused_by_rule", "infected", "sender_not_allowed", "sender_not_checked", "attachment_not_allowed", "hook", "refused_by_hook", "deferred_by_hook"] | None
    # that were evaluated, in their order: docs/rules.md
    rules: list[EvaluatedRule]
    # the variables that these rules read, cut to 100 characters; without redacted ones
    facts: list[RulingFactItem]
    # absent when no hook was asked
    hook: NotRequired[HookTrace]


class SenderList(TypedDict):
    id: str
    # in expressions: sender in lists.NAME
    name: str
    description: str | None
    entry_count: int
    # ISO 8601 in UTC, whole seconds
    created_at: str
    # ISO 8601 in UTC, whole seconds
    updated_at: str
    # the Kubernetes resource that owns it; changes must be made there; null when there is none
    managed_by: ManagedBy | None


class SessionMember(TypedDict):
    id: str
    name: str
    role: Role


class Session(TypedDict):
    session_id: str
    account_id: str
    environment: Environment
    permissions: list[Permission]
    # the only addresses that it reaches; null: it is not limited to ids
    address_ids: list[str] | None
    # it reaches only addresses with all these labels; null: it is not limited to labels
    labels: dict[str, str] | None
    # how it was created
    method: Literal["link", "token", "oidc"]
    # who signed in, as the OpenID provider names them, here or in the session whose link opened it; null for
    # other methods
    user: str | None
    # the person of the account who uses it; null for a session of no member
    member: SessionMember | None
    # ISO 8601 in UTC, whole seconds
    created_at: str
    # it ends then at the latest
    expires_at: str
    # it ends then unless it is used again
    idle_expires_at: str
    # source address that created it; an IPv6 address as its /64
    source_ip: str
    user_agent: str | None
    # whether this request used it
    current: bool


SignedWebhookHeaders = TypedDict(  # a name of a field is none of Python, so this is no class
    "SignedWebhookHeaders",
    {
        "content-type": "str",
        "ce-specversion": "NotRequired[Literal[\"1.0\"]]",
        # the event_id
        "ce-id": "NotRequired[str]",
        # mailto: and the email address
        "ce-source": "NotRequired[str]",
        "ce-type": "NotRequired[Literal[\"email.inlet.received.v1\"]]",
        # when the email arrived
        "ce-time": "NotRequired[str]",
        # the email address
        "ce-subject": "NotRequired[str]",
        "svc-signature": "NotRequired[str]",
        "webhook-id": "str",
        "webhook-timestamp": "str",
        "webhook-signature": "str",
    },
)


class SignedWebhook(TypedDict):
    # where the webhook is sent; null for an address without a URL
    webhook_url: str | None
    # headers that sign the payload now; most receivers accept them for five minutes
    headers: SignedWebhookHeaders
    # size of the payload that GET …/payload returns
    size_bytes: int


class SpamDetails(TypedDict):
    # pass, fail, none …
    spf: str
    # pass, fail, none …
    dkim: str
    # pass, fail, none …
    dmarc: str


class SpamRuleItem(TypedDict):
    name: str
    score: float


class Spam(TypedDict):
    # higher means more likely spam
    score: float
    verdict: Literal["spam", "not_spam"]
    details: SpamDetails
    # whose rules made the score
    scored_by: Literal["inlet", "rspamd"]
    # rules that contributed to the score; the symbols of rspamd
    rules: list[SpamRuleItem]


class StorageSettings(TypedDict):
    # name of the bucket in Inlet
    bucket: str
    # which files of the email
    what: list[Literal["raw", "attachments"]]
    # each attempt has fresh links to the files that work so long; null: no links
    link_hours: int | None


class SubmitEmailResponse(TypedDict):
    recipients: list[RecipientResult]


class TestBucketResponse(TypedDict):
    # whether a file could be stored and removed
    ok: bool
    # why not; null when it worked
    error: str | None


class TestExpressionRequest(TypedDict):
    # expression in CEL; docs/filters.md lists its variables and functions
    when: str
    # a delivery whose email is still stored
    event_id: NotRequired[str]
    # or a raw email as text, of at most 256 KiB
    email: NotRequired[str]
    # or a raw email in Base64, of at most 256 KiB before encoding
    email_base64: NotRequired[str]


class TestRulesRequest(TypedDict):
    # of the address, instead of its own; default: its present ones. The account's come first in any case
    rules: NotRequired[list[RuleRequest]]
    # of the account, instead of its own; default: its present ones
    account_rules: NotRequired[list[RuleRequest]]
    # whose present rules are meant; default: the address of event_id, or none
    address_id: NotRequired[str]
    # a delivery whose email is still stored
    event_id: NotRequired[str]
    # or a raw email as text, of at most 256 KiB
    email: NotRequired[str]
    # or a raw email in Base64, of at most 256 KiB before encoding
    email_base64: NotRequired[str]


class Token(TypedDict):
    id: str
    name: str
    # first characters of the token, for identification
    prefix: str
    # environment of the token
    environment: Environment
    permissions: list[Permission]
    # the only addresses that it reaches; null: it is not limited to ids
    address_ids: list[str] | None
    # it reaches only addresses with all these labels; null: it is not limited to labels
    labels: dict[str, str] | None
    # the person whose token it is, and with whom it ends; null: it is of the account
    member_id: str | None
    # ISO 8601 in UTC, whole seconds
    created_at: str
    # requests with it are refused from then on; null when it does not expire
    expires_at: str | None
    # accurate to the minute; null when never used
    last_used_at: str | None


class UpdateAccountRequestSettingsHook(TypedDict):
    # publicly reachable HTTPS URL that receives the webhooks
    url: str
    # expression in CEL: the hook is asked only about such email; null for all email
    when: NotRequired[str | None]
    # milliseconds that the hook may take for its answer
    timeout_ms: NotRequired[int]
    # what happens without a valid answer: accept: the email is delivered as if there were no hook; defer: the
    # sender gets 451 and tries again later
    on_error: NotRequired[Literal["accept", "defer"]]


class UpdateAccountRequestSettings(TypedDict):
    # IANA time zone name
    timezone: NotRequired[str]
    # number of retries after a failed first attempt; a lower number shortens the schedule
    webhook_retry_attempts: NotRequired[int]
    # hours until an address expires that is created without ttl_hours and not permanent
    default_ttl_hours: NotRequired[int]
    # whether Inlet disables an address whose receiver has accepted nothing for too long; otherwise it only marks
    # it as failing
    disable_failing_addresses: NotRequired[bool]
    # hours after its delivery that the content of an email is stored, unless its address says otherwise; 0: it is
    # removed when delivered; null: as long as this installation stores it
    retention_hours: NotRequired[int | None]
    # fields that records and events of new emails do not contain, unless their address says otherwise
    redact: NotRequired[list[Literal["subject", "from"]]]
    # whether email that contains malware is refused with 550 5.7.1 after DATA, unless another recipient accepts
    # it: then it is held; an address can say otherwise; a change applies within 30 seconds
    refuse_infected: NotRequired[bool]
    # whether new emails can be found by the words of their text, where the installation allows it
    # (SEARCH_BODIES); not those of addresses with `redact`; a change applies within 30 seconds
    search_bodies: NotRequired[bool]
    # whether an event email.viewed says who read which part of an email, and how: see docs/retention.md
    record_views: NotRequired[bool]
    # evaluated in their order on the email of all addresses, before their own: see docs/rules.md; a change
    # applies within 30 seconds
    rules: NotRequired[list[RuleRequest]]
    # asked about the email of each address without a hook of its own, before the reply to its sender: see
    # docs/deciding-hooks.md; null: none
    hook: NotRequired[UpdateAccountRequestSettingsHook | None]


class UpdateAccountRequest(TypedDict):
    name: NotRequired[str]
    # empty or null: no company
    company: NotRequired[str | None]
    # settings to change; the others keep their values
    settings: NotRequired[UpdateAccountRequestSettings]


class UpdateAddressRequestPayloadStorage(TypedDict):
    # name of the bucket in Inlet
    bucket: str
    # which files of the email
    what: list[Literal["raw", "attachments"]]
    # each attempt has fresh links to the files that work so long; null: no links; default: null
    link_hours: NotRequired[int | None]


class UpdateAddressRequestPayload(TypedDict):
    # default: inline
    attachments: NotRequired[Literal["inline", "omit", "url"]]
    # default: false
    raw: NotRequired[bool]
    # what Inlet reads from the email into `extracted` of the payload; default: none
    extract: NotRequired[list[Literal["codes", "links", "markdown", "hidden_text", "invitation", "bounce", "report", "forwarded", "e_invoice"]]]
    # files that Inlet stores in a bucket of yours before it calls the receiver; default: null (none)
    storage: NotRequired[UpdateAddressRequestPayloadStorage | None]


class UpdateAddressRequestAllowedAttachments(TypedDict):
    # content types as the payload reports them, such as application/pdf or image/*; an empty list allows no
    # attachment; null or absent: all types
    types: NotRequired[list[str] | None]
    # of the content of each attachment; null or absent: any size
    max_bytes: NotRequired[int | None]


class UpdateAddressRequestHook(TypedDict):
    # publicly reachable HTTPS URL that receives the webhooks
    url: str
    # expression in CEL: the hook is asked only about such email; null for all email
    when: NotRequired[str | None]
    # milliseconds that the hook may take for its answer
    timeout_ms: NotRequired[int]
    # what happens without a valid answer: accept: the email is delivered as if there were no hook; defer: the
    # sender gets 451 and tries again later
    on_error: NotRequired[Literal["accept", "defer"]]


class UpdateAddressRequestExpect(TypedDict):
    # how often such an email arrives at least, such as 30m, 26h or 8d
    every: str
    # expression in CEL: only such email is expected; null for all email
    when: NotRequired[str | None]
    # how much later it may be, such as 0m or 1h
    grace: NotRequired[str]


class UpdateAddressRequest(TypedDict):
    # publicly reachable HTTPS URL that receives the webhooks; null for an address whose email is only stored: it
    # can be read, and no webhook is sent
    webhook_url: NotRequired[str | None]
    mode: NotRequired[WebhookMode]
    # filter in CEL: it gets only emails for which this is true; null for all
    when: NotRequired[str | None]
    format: NotRequired[WebhookFormat]
    signing: NotRequired[WebhookSigning]
    # how Inlet authenticates to it: replaces the whole; null for not at all
    auth: NotRequired[ReceiverAuth | None]
    # false: no new email is sent to webhook_url; further receivers get it, and it can be read; default: true
    webhook_enabled: NotRequired[bool]
    # true for an address that has expired is 409 conflict
    is_enabled: NotRequired[bool]
    # only true: the address never expires; 409 conflict if it has expired already
    is_permanent: NotRequired[Literal[True]]
    # hours from now until expiry, also for an address that was permanent; 409 conflict if it has expired already
    ttl_hours: NotRequired[int]
    # how the payload carries attachments and the raw email, and its optional parts; links require LINK_KEYS in
    # the settings of the API
    payload: NotRequired[UpdateAddressRequestPayload]
    # free text; null for none
    description: NotRequired[str | None]
    # spam score above which an email is refused with 550 5.7.1 after DATA, unless another recipient accepts it;
    # default: null (never)
    spam_refuse_above: NotRequired[float | None]
    # whose email the address accepts; other email is refused with 550 5.7.1 after DATA; default: null (everybody)
    allowed_senders: NotRequired[AllowedSenders | None]
    # whether an email that contains malware is refused with 550 5.7.1 after DATA, unless another recipient
    # accepts it: then it is held; default: null (the account's)
    refuse_infected: NotRequired[bool | None]
    # which attachments the address accepts; others are refused after DATA, with 550 5.7.1 for the type and 552
    # 5.2.3 for the size, unless another recipient accepts the email; default: null (all)
    allowed_attachments: NotRequired[UpdateAddressRequestAllowedAttachments | None]
    # emails that the address accepts in an hour; above, senders get 450 4.7.1 and try again; default: null (no
    # limit)
    max_per_hour: NotRequired[int | None]
    # key-value pairs, by which lists and tokens choose addresses; replaces all of them; default: none
    labels: NotRequired[dict[str, str]]
    # rules for its email, evaluated in their order after the account's; default: none
    rules: NotRequired[list[RuleRequest]]
    # asked about each email before the reply to its sender: see docs/deciding-hooks.md; default: null (the
    # account's)
    hook: NotRequired[UpdateAddressRequestHook | None]
    # email that the address expects: its absence is an address.silent event; default: null (none)
    expect: NotRequired[UpdateAddressRequestExpect | None]
    # whether signed reply addresses of this address are checked: see docs/reply-addresses.md; requires REPLY_KEYS
    # in the settings of the API; default: false
    reply_addresses: NotRequired[bool]
    # true: email to other than its valid reply addresses is refused with 550 5.1.1; turns reply_addresses on;
    # requires REPLY_KEYS in the settings of the API; default: false
    reply_only: NotRequired[bool]
    # hours after its delivery that the content of an email is stored, at most as long as this installation stores
    # it; 0: it is removed when delivered, which excludes links in the payload; default: null (the account's)
    retention_hours: NotRequired[int | None]
    # fields that records and events of new emails do not contain; webhooks contain them; default: null (the
    # account's)
    redact: NotRequired[list[Literal["subject", "from"]] | None]


class UpdateBucketRequestCredentials(TypedDict):
    # of an identity that may write to the bucket, and no more
    access_key_id: str
    # stored encrypted, and never shown
    secret_access_key: str


class UpdateBucketRequest(TypedDict):
    # HTTPS URL of the S3 API, without a path
    endpoint: NotRequired[str]
    # name of the bucket at its provider
    bucket: NotRequired[str]
    # region that is signed, such as eu-central-1; auto for R2 and GCS
    region: NotRequired[str]
    # begins each key: up to five folders, each with a slash at its end; default: none
    prefix: NotRequired[str]
    # where a URL names the bucket: in its path, or before the host of the endpoint
    addressing: NotRequired[Literal["path", "host"]]
    # free text
    description: NotRequired[str | None]
    # both parts are replaced
    credentials: NotRequired[UpdateBucketRequestCredentials]


class UpdateDomainRequest(TypedDict):
    mta_sts: NotRequired[MtaStsMode]


class UpdateMemberRequest(TypedDict):
    name: NotRequired[str]
    role: NotRequired[Role]


class UpdateNotificationRequest(TypedDict):
    # publicly reachable HTTPS URL that receives the webhooks
    url: NotRequired[str]
    # types of events to send; null: all but address.refusing, also future ones
    types: NotRequired[list[NotificationType] | None]
    description: NotRequired[str | None]
    # false: no new events are sent
    is_enabled: NotRequired[bool]


class UpdateReceiverRequestPayloadStorage(TypedDict):
    # name of the bucket in Inlet
    bucket: str
    # which files of the email
    what: list[Literal["raw", "attachments"]]
    # each attempt has fresh links to the files that work so long; null: no links; default: null
    link_hours: NotRequired[int | None]


class UpdateReceiverRequestPayload(TypedDict):
    # default: inline
    attachments: NotRequired[Literal["inline", "omit", "url"]]
    # default: false
    raw: NotRequired[bool]
    # what Inlet reads from the email into `extracted` of the payload; default: none
    extract: NotRequired[list[Literal["codes", "links", "markdown", "hidden_text", "invitation", "bounce", "report", "forwarded", "e_invoice"]]]
    # files that Inlet stores in a bucket of yours before it calls the receiver; default: null (none)
    storage: NotRequired[UpdateReceiverRequestPayloadStorage | None]


class UpdateReceiverRequest(TypedDict):
    # publicly reachable HTTPS URL that receives the webhooks; null for the first receiver, and with the mode pull
    url: NotRequired[str | None]
    description: NotRequired[str | None]
    # false: no new email is sent to it
    is_enabled: NotRequired[bool]
    # how the payload carries attachments and the raw email, and its optional parts; links require LINK_KEYS in
    # the settings of the API
    payload: NotRequired[UpdateReceiverRequestPayload]
    mode: NotRequired[WebhookMode]
    # filter in CEL: it gets only emails for which this is true; null for all
    when: NotRequired[str | None]
    format: NotRequired[WebhookFormat]
    signing: NotRequired[WebhookSigning]
    # how Inlet authenticates to it: replaces the whole; null for not at all
    auth: NotRequired[ReceiverAuth | None]


class UpdateSenderListRequest(TypedDict):
    # free text; null for none
    description: NotRequired[str | None]
    # replace all: addresses, domains (partner.example), their subdomains (*.partner.example), IP addresses and
    # networks (203.0.113.0/24)
    entries: NotRequired[list[str]]
    # entries to add
    add: NotRequired[list[str]]
    # entries to remove, after those to add
    remove: NotRequired[list[str]]


class UsagePeriod(TypedDict):
    # ISO 8601 in UTC, whole seconds
    start: str
    # ISO 8601 in UTC, whole seconds
    end: str
    current: bool


class UsageEmails(TypedDict):
    # emails accepted in the period; an email to two addresses counts twice
    total: int
    # of these: webhook accepted
    successful: int
    # of these: delivery given up
    failed: int
    # emails accepted since midnight in the account's time zone
    today: int


class UsageWebhooks(TypedDict):
    # deliveries to all receivers of an address
    delivered: int
    failed: int
    # deliveries that wait for a retry now, of any period
    retrying: int


class Usage(TypedDict):
    period: UsagePeriod
    emails: UsageEmails
    webhooks: UsageWebhooks
    # share of successful deliveries among those with a final outcome, in percent; 100 when there are none
    success_rate: float
    # projected total at the end of the period, if mail continues at the same rate
    projected_monthly: int
    quota: Quota | None
    # time of these numbers
    updated_at: str


UsageEventData = TypedDict(  # a name of a field is none of Python, so this is no class
    "UsageEventData",
    {
        # sender of the email; empty when redacted or erased; absent without deliveries:read
        "from": "NotRequired[str]",
        # null when absent, redacted or erased; absent without deliveries:read
        "subject": "NotRequired[str | None]",
        "size_bytes": "NotRequired[int]",
        # current status of the delivery
        "webhook_status": "NotRequired[Literal[\"pending\", \"retrying\", \"delivered\", \"failed\", \"held\", \"dropped\"]]",
        # email that the event is about; absent for email.received, whose id it is
        "event_id": "NotRequired[str]",
        # who made the change: a member of the account, a user of the OpenID provider who is no member, a token, the
        # operator of the installation, a Kubernetes resource, or Inlet itself
        "actor": "NotRequired[Literal[\"member\", \"user\", \"token\", \"operator\", \"resource\", \"inlet\"]]",
        # member of the account who made the change
        "member_id": "NotRequired[str]",
        # token that made the change
        "token_id": "NotRequired[str]",
        # dashboard session that made the change
        "session_id": "NotRequired[str]",
        # name of that member, or of who used that session as the OpenID provider names them
        "user": "NotRequired[str]",
        # Kubernetes resource that made the change, such as InboundAddress ns/name
        "resource": "NotRequired[str]",
        # X-Request-Id of the change
        "request_id": "NotRequired[str]",
        # where the change came from: an IPv4 address or an IPv6 network
        "source_ip": "NotRequired[str]",
        # for email.held and email.dropped: the rule that matched
        "rule": "NotRequired[str]",
        # for email.held and email.dropped: as in its ruling
        "reason": "NotRequired[str]",
        # for address.created
        "address": "NotRequired[str]",
        # for domain.*
        "domain": "NotRequired[str]",
        # for token.*: the name of the token
        "name": "NotRequired[str]",
        "created_token_id": "NotRequired[str]",
        "updated_token_id": "NotRequired[str]",
        "deleted_token_id": "NotRequired[str]",
        # for member.*
        "target_member_id": "NotRequired[str]",
        # for member.*: role from then on
        "role": "NotRequired[str]",
        # for notification.*
        "notification_id": "NotRequired[str]",
        # for receiver.*, and for events of a further receiver of the address
        "receiver_id": "NotRequired[str]",
        # for refusal.erased: number of records; for address.refusing: refused emails
        "refusals": "NotRequired[int]",
        # for address.refusing
        "mailbox": "NotRequired[str]",
        # for list.*
        "list_id": "NotRequired[str]",
        # for quota.near: the event as a sentence
        "message": "NotRequired[str]",
        # for session.*: link, token or oidc
        "method": "NotRequired[str]",
        # for tool.called: the tool of the MCP server
        "tool": "NotRequired[str]",
        # for *.updated: the fields that changed, with their new values unless secret
        "changed": "NotRequired[dict[str, Any]]",
        # for email.viewed: the part of the email
        "part": "NotRequired[Literal[\"text\", \"html\", \"payload\", \"raw\", \"attachment\", \"codes\", \"condition\"]]",
        # for email.viewed: how; link: a signed link, whose holder is not known
        "way": "NotRequired[Literal[\"dashboard\", \"api\", \"mcp\", \"link\"]]",
        # for tool.called: why it failed; absent for a success
        "error": "NotRequired[str]",
    },
)


class UsageEvent(TypedDict):
    id: str
    type: Literal["email.received", "email.repeated", "email.held", "email.dropped", "email.lost", "email.viewed", "webhook.delivered", "webhook.retrying", "webhook.failed", "address.created", "address.updated", "address.deleted", "address.expired", "address.failing", "address.recovered", "address.silent", "address.resumed", "address.refusing", "address.secret_viewed", "token.created", "token.updated", "token.deleted", "member.created", "member.updated", "member.deleted", "member.link_created", "account.updated", "delivery.replayed", "delivery.released", "delivery.dropped", "delivery.erased", "refusal.erased", "domain.created", "domain.verified", "domain.updated", "domain.deleted", "domain.unconfirmed", "session.created", "session.ended", "quota.near", "invoice.created", "notification.created", "notification.updated", "notification.deleted", "notification.secret_viewed", "receiver.created", "receiver.updated", "receiver.deleted", "receiver.secret_viewed", "receiver.certificate_expiring", "list.created", "list.updated", "list.deleted", "tool.called", "bucket.created", "bucket.updated", "bucket.deleted"]
    # empty for events without an address
    address_id: str
    # ISO 8601 in UTC, whole seconds
    timestamp: str
    # fields depend on the type: from, subject, size and status for email.* and webhook.*; what changed, with
    # token_id or session_id, request_id and source_ip, for changes through the API
    data: UsageEventData


class UsageInterval(TypedDict):
    # beginning of the hour or day
    start: str
    # emails accepted then
    received: int
    # of these: webhook accepted
    delivered: int
    # of these: delivery given up
    failed: int
    # of these: wait for a release
    held: int
    # of these: get no webhook
    dropped: int
    # of these: wait for an attempt
    waiting: int
    # median time from receipt to acceptance by the webhook, of up to 100 deliveries; null without any
    p50_ms: int | None
    # 95th percentile of the same times
    p95_ms: int | None


class UsageTotal(TypedDict):
    # emails accepted then
    received: int
    # of these: webhook accepted
    delivered: int
    # of these: delivery given up
    failed: int
    # of these: wait for a release
    held: int
    # of these: get no webhook
    dropped: int
    # of these: wait for an attempt
    waiting: int
    # share of delivered emails among those delivered or failed, in percent; 100 when there are none
    success_rate: float
    # median time from receipt to acceptance by the webhook, estimated from the samples of all intervals, each
    # weighted by its deliveries; null without any
    p50_ms: int | None
    # 95th percentile of the same times
    p95_ms: int | None


class VirusAttachmentItem(TypedDict):
    # place in attachments of the payload, from 0
    index: int
    # its name there
    filename: str
    # of the malware, as the scanner calls it
    name: str


class Virus(TypedDict):
    # not_scanned: the scanner did not look into all of it; error: it did not answer in time
    verdict: Literal["clean", "infected", "not_scanned", "error"]
    # of the malware, as the scanner calls it; null unless infected
    name: str | None
    scanner: Literal["clamd", "rspamd"]
    # infected attachments, at most 50; empty if the malware is elsewhere in the email, and with rspamd
    attachments: list[VirusAttachmentItem]


class WebhookPayloadEnvelope(TypedDict):
    # SMTP envelope sender; empty for bounces (the null sender)
    mail_from: str
    # recipients of the SMTP transaction that belong to this account
    rcpt_to: list[str]
    # name that the sending server gave in HELO or EHLO
    helo_domain: str
    # IP address of the sending server
    remote_ip: str


class WebhookPayloadHeadersAll(TypedDict):
    name: str
    value: str


WebhookPayloadHeaders = TypedDict(  # a name of a field is none of Python, so this is no class
    "WebhookPayloadHeaders",
    {
        "from": "str | None",
        "to": "str | None",
        "cc": "str | None",
        "bcc": "str | None",
        "subject": "str | None",
        # time of the Date header; null when absent or unreadable
        "date": "str | None",
        "message_id": "str | None",
        "in_reply_to": "str | None",
        "references": "str | None",
        "reply_to": "str | None",
        # all headers in their order in the email, repeated ones too; folded lines are joined and encoded words
        # decoded
        "all": "list[WebhookPayloadHeadersAll]",
    },
)


class WebhookPayloadContent(TypedDict):
    # plain text body; null when the email has none
    text: str | None
    # HTML body; null when the email has none
    html: str | None
    # size of the whole raw email
    size_bytes: int
    # link to the raw email with a limited lifetime, when the address asks for it
    raw_url: NotRequired[str]


class WebhookPayloadMetadataStorageRaw(TypedDict):
    key: str
    # digest of the content, in hex
    sha256: str
    size_bytes: int
    # link to the file, when the receiver asks for links
    url: NotRequired[str]


class WebhookPayloadMetadataStorageAttachmentItem(TypedDict):
    key: str
    # digest of the content, in hex
    sha256: str
    size_bytes: int
    # link to the file, when the receiver asks for links
    url: NotRequired[str]


class WebhookPayloadMetadataStorage(TypedDict):
    # of the bucket in Inlet
    name: str
    endpoint: str
    # its name at the provider
    bucket: str
    # the raw email; absent unless it is stored
    raw: NotRequired[WebhookPayloadMetadataStorageRaw]
    # in the order of `attachments`; absent unless they are stored
    attachments: NotRequired[list[WebhookPayloadMetadataStorageAttachmentItem]]
    # absent without links
    urls_expire_at: NotRequired[str]


class WebhookPayloadMetadata(TypedDict):
    # end of DATA
    received_at: str
    # from received_at until the payload was built
    processing_time_ms: int
    # files of the email in your bucket; absent unless the receiver has `payload.storage`
    storage: NotRequired[WebhookPayloadMetadataStorage]
    # 0 on the first attempt
    retry_count: int


class WebhookPayload(TypedDict):
    # the same on every attempt, so that receivers can ignore repeats
    event_id: str
    # the receiving address
    address_id: str
    # when this payload was built
    timestamp: str
    # the address that this webhook is for, as the sender wrote it in RCPT
    recipient: str
    # all names of this address in RCPT, `recipient` first: several only with a catch-all, a wildcard or plus tags
    recipients: list[str]
    envelope: WebhookPayloadEnvelope
    # null for a header that the email does not have
    headers: WebhookPayloadHeaders
    content: WebhookPayloadContent
    # empty when there are none
    attachments: list[Attachment]
    spam: Spam
    # absent when nothing scans email for malware
    virus: NotRequired[Virus]
    # the results behind the words of spam.details; null when authentication is switched off
    authentication: Authentication | None
    # text after the + in the recipient that the sender used; null without a +
    plus_tag: str | None
    # absent unless the address has reply addresses turned on (reply_addresses)
    reply: NotRequired[Reply]
    # conversation at this address, as the headers claim it: a hint; absent without message ids
    thread_id: NotRequired[str]
    # sent by a program: an automatic reply could start a loop
    auto_submitted: bool
    # a delivery report about an earlier email
    is_bounce: bool
    # sent through a mailing list or in bulk
    is_list: bool
    # text above the quoted email; null when it cannot be identified with certainty
    reply_text: str | None
    # problems while parsing the email; empty for nearly every email
    parse_warnings: list[ParseWarning]
    # of the author (S/MIME, PGP), not of DKIM; absent for email without one
    signature: NotRequired[MailSignature]
    # the email or a part of it is encrypted, and Inlet cannot read that; absent for other email
    encrypted: NotRequired[Literal["smime", "pgp"]]
    # that rules added to the email; absent when none did
    tags: NotRequired[list[str]]
    # what the receiver asks for with payload.extract; absent when that is nothing
    extracted: NotRequired[Extracted]
    metadata: WebhookPayloadMetadata
    # true in a test webhook, else absent
    is_test: NotRequired[bool]


class WebhookTest(TypedDict):
    outcome: Literal["accepted", "refused", "busy", "unreachable", "storage_failed", "blocked"]
    # null when no answer came
    status_code: int | None
    latency_ms: int
    # why no answer came
    error: str | None
    # first KiB of the answer's body; null when it had none
    excerpt: str | None
    # Location of a redirect, which Inlet does not follow; null without one
    location: str | None
    # event_id of the sample payload; no delivery has it
    event_id: str


class ListAddressesFields(TypedDict):
    # number of items returned
    limit: NotRequired[int]
    # number of items skipped
    offset: NotRequired[int]
    # only enabled (true) or only disabled (false) addresses
    is_enabled: NotRequired[bool]
    # only permanent (true) or only expiring (false) addresses
    is_permanent: NotRequired[bool]
    # only failing (true) or only other (false) addresses
    is_failing: NotRequired[bool]
    # only addresses with a failing_since (true): their last attempt failed; or only others (false)
    has_failed: NotRequired[bool]
    # only addresses with all these labels, such as team=shop,stage=test
    labels: NotRequired[str]
    # only addresses with this text in the address or its description
    search: NotRequired[str]
    # also the description and the mode of each address
    include: NotRequired[Literal["description"]]
    # only addresses with these ids, separated by commas; 100 at most
    ids: NotRequired[str]
    # only this address, such as `orders@in.example.com`
    address: NotRequired[str]


class LeaseEmailsFields(TypedDict):
    # emails at most; a response has fewer when their payloads exceed 4 MiB
    max: NotRequired[int]
    # longest wait for an email, in seconds
    wait: NotRequired[int]
    # length of the leases, in seconds
    lease: NotRequired[int]


class ListDomainsFields(TypedDict):
    # number of items returned
    limit: NotRequired[int]
    # number of items skipped
    offset: NotRequired[int]
    # only domains with this status
    status: NotRequired[Literal["pending", "verified", "failed"]]


class ListDeliveriesFields(TypedDict):
    # number of items returned
    limit: NotRequired[int]
    # number of items skipped
    offset: NotRequired[int]
    # only deliveries of this address, to all its receivers
    address_id: NotRequired[str]
    # only deliveries to this receiver: rcv_…, or the id of an address for its own
    receiver_id: NotRequired[str]
    # only deliveries with this status; waiting: pending or retrying
    status: NotRequired[Literal["pending", "retrying", "delivered", "failed", "held", "dropped", "waiting"]]
    # only emails from this sender: an address, a domain such as @example.com, or words (or beginnings, `ann*`) of
    # the name or of the part before the @
    sender: NotRequired[str]
    # only emails to this mailbox: an address, a domain such as @example.com, or words (or beginnings, `ann*`) of
    # the part before the @
    recipient: NotRequired[str]
    # only emails with all these words in the subject, without case: whole words, or beginnings such as `inv*` of
    # three letters or more
    subject: NotRequired[str]
    # only emails with all these words in the subject or in the first 64 KB of the text, as for subject; 422 where
    # texts are not searched: see search_bodies of the account
    text: NotRequired[str]
    # only emails with this tag, which a rule added
    tag: NotRequired[str]
    # only emails of this conversation: the thread_id of a payload or of a delivery
    thread: NotRequired[str]
    # only emails with an attachment; images within the HTML do not count
    has: NotRequired[Literal["attachment"]]
    # only emails with all these problems, separated by commas: spam, spf=fail, spf=softfail, spf=neutral,
    # spf=temperror, spf=permerror, dkim=fail, dkim=policy, dkim=neutral, dkim=temperror, dkim=permerror,
    # dmarc=fail, dmarc=temperror, dmarc=permerror
    verdict: NotRequired[str]
    # ISO 8601 time or date: start of the range, inclusive
    start_date: NotRequired[str]
    # ISO 8601 time (exclusive) or date (inclusive): end of the range
    end_date: NotRequired[str]


class ListNewestDeliveriesFields(TypedDict):
    # ids of addresses, separated by commas; 100 at most
    address_ids: str


class ListDueDeliveriesFields(TypedDict):
    # number of items returned
    limit: NotRequired[int]
    # number of items skipped
    offset: NotRequired[int]


class GetDeliveryFields(TypedDict):
    # also the headers of the last 3 attempts, at most 4096 bytes for each
    include: NotRequired[Literal["headers"]]


class SubmitEmailFields(TypedDict):
    # recipients of the envelope, separated by commas: 100 at most
    svc_rcpt_to: str
    # sender of the envelope; absent or empty for a bounce
    svc_mail_from: NotRequired[str]
    # IP address of the mail server that sent the email: SPF is checked for it; by default the address of the
    # client of this request
    svc_remote_ip: NotRequired[str]
    # name of that mail server in EHLO
    svc_helo_domain: NotRequired[str]


class WaitForDeliveryFields(TypedDict):
    # the address that receives the email
    address_id: str
    # returns the oldest email received since this time, if there is one; default: now
    since: NotRequired[str]
    # longest wait, in seconds
    timeout: NotRequired[int]
    # waits for an email with a code; the address must extract `codes`
    code: NotRequired[bool]
    # waits for an email with a link; the address must extract `links`
    link: NotRequired[bool]
    # part of the text of the link, in any case; implies `link=true`
    link_text: NotRequired[str]
    # host of the link, or a domain above it; implies `link=true`
    link_host: NotRequired[str]


class ListRefusalsFields(TypedDict):
    # number of items returned
    limit: NotRequired[int]
    # number of items skipped
    offset: NotRequired[int]
    # only refusals of this address
    address_id: NotRequired[str]
    # only refusals of mailboxes of exactly this domain
    domain: NotRequired[str]
    # only emails from this sender: an address, a domain such as @example.com, or words (or beginnings, `ann*`) of
    # the name or of the part before the @
    sender: NotRequired[str]
    # only emails to this mailbox: an address, a domain such as @example.com, or words (or beginnings, `ann*`) of
    # the part before the @
    recipient: NotRequired[str]
    # only emails with all these words in the subject, without case: whole words, or beginnings such as `inv*` of
    # three letters or more
    subject: NotRequired[str]
    # only refusals for this reason
    reason: NotRequired[str]
    # ISO 8601 time or date: start of the range, inclusive
    start_date: NotRequired[str]
    # ISO 8601 time (exclusive) or date (inclusive): end of the range
    end_date: NotRequired[str]


class DeleteRefusalsOfSenderFields(TypedDict):
    # an address, or a domain such as @example.com
    sender: str


class CountRefusalsFields(TypedDict):
    # only refusals of this address
    address_id: NotRequired[str]
    # only refusals of mailboxes of exactly this domain
    domain: NotRequired[str]
    # only emails from this sender: an address, a domain such as @example.com, or words (or beginnings, `ann*`) of
    # the name or of the part before the @
    sender: NotRequired[str]
    # only emails to this mailbox: an address, a domain such as @example.com, or words (or beginnings, `ann*`) of
    # the part before the @
    recipient: NotRequired[str]
    # only emails with all these words in the subject, without case: whole words, or beginnings such as `inv*` of
    # three letters or more
    subject: NotRequired[str]
    # only refusals for this reason
    reason: NotRequired[str]
    # ISO 8601 time or date: start of the range, inclusive
    start_date: NotRequired[str]
    # ISO 8601 time (exclusive) or date (inclusive): end of the range
    end_date: NotRequired[str]


class StreamEventsFields(TypedDict):
    # only events of this address
    address_id: NotRequired[str]
    # only deliveries to this receiver: rcv_…, or the id of an address for its own
    receiver_id: NotRequired[str]
    # comma-separated types of events; default: all of email.received, webhook.delivered, webhook.retrying,
    # webhook.failed, delivery.replayed, address.created, address.updated, address.deleted, address.expired,
    # address.failing, address.recovered, address.silent, address.resumed, token.created, token.deleted
    types: NotRequired[str]
    # sends the events since this time first, at most of the last hour, after a stream.gap for earlier ones;
    # Last-Event-ID wins
    since: NotRequired[str]


class GetUsageSeriesFields(TypedDict):
    # number of days up to now; default: 30; by hour or for an address, the last 7 at most, which is their default
    days: NotRequired[int]
    # hours are those of UTC, days those of the account's time zone
    interval: NotRequired[Literal["hour", "day"]]
    # only emails of this address
    address_id: NotRequired[str]


class ListUsageEventsFields(TypedDict):
    # number of items returned
    limit: NotRequired[int]
    # number of items skipped
    offset: NotRequired[int]
    # ISO 8601 time or date: start of the range, inclusive
    start_date: NotRequired[str]
    # ISO 8601 time (exclusive) or date (inclusive): end of the range
    end_date: NotRequired[str]
    # only events of this type
    event_type: NotRequired[Literal["email.received", "email.repeated", "email.held", "email.dropped", "email.lost", "email.viewed", "webhook.delivered", "webhook.retrying", "webhook.failed", "address.created", "address.updated", "address.deleted", "address.expired", "address.failing", "address.recovered", "address.silent", "address.resumed", "address.refusing", "address.secret_viewed", "token.created", "token.updated", "token.deleted", "member.created", "member.updated", "member.deleted", "member.link_created", "account.updated", "delivery.replayed", "delivery.released", "delivery.dropped", "delivery.erased", "refusal.erased", "domain.created", "domain.verified", "domain.updated", "domain.deleted", "domain.unconfirmed", "session.created", "session.ended", "quota.near", "invoice.created", "notification.created", "notification.updated", "notification.deleted", "notification.secret_viewed", "receiver.created", "receiver.updated", "receiver.deleted", "receiver.secret_viewed", "receiver.certificate_expiring", "list.created", "list.updated", "list.deleted", "tool.called", "bucket.created", "bucket.updated", "bucket.deleted"]]
    # true: only changes that people made: in the dashboard, with a token of a member, or with `inlet admin`. No
    # emails and attempts
    by_people: NotRequired[bool]


class ListInvoicesFields(TypedDict):
    # number of items returned
    limit: NotRequired[int]
    # number of items skipped
    offset: NotRequired[int]


class ListNotificationDeliveriesFields(TypedDict):
    # number of items returned
    limit: NotRequired[int]
    # number of items skipped
    offset: NotRequired[int]
    # only deliveries with this status
    status: NotRequired[Literal["pending", "retrying", "delivered", "failed", "held", "dropped"]]


class GetLinkedInvoicePdfFields(TypedDict):
    # Unix time at which the link expires
    expires: int
    # HMAC of the link, in hex
    signature: str


class GetRawEmailFields(TypedDict):
    # Unix time at which the link expires
    expires: int
    # HMAC of the link, in hex
    signature: str


class GetAttachmentFields(TypedDict):
    # Unix time at which the link expires
    expires: int
    # HMAC of the link, in hex
    signature: str


DomainProblem: TypeAlias = Literal["txt_missing", "txt_differs", "dns_unavailable", "taken"]

Environment: TypeAlias = Literal["live", "test"]

MtaStsMode: TypeAlias = Literal["none", "testing", "enforce"]

NotificationPayload: TypeAlias = "NotificationOfFailingAddress | NotificationOfRecoveredAddress | NotificationOfSilentAddress | NotificationOfResumedAddress | NotificationOfRefusingAddress | NotificationOfQuota | NotificationOfDomain | NotificationOfInvoice | NotificationOfToken | NotificationOfCertificate | NotificationOfHeldEmail | NotificationOfLostEmail"

NotificationType: TypeAlias = Literal["address.failing", "address.recovered", "address.silent", "address.resumed", "address.refusing", "quota.near", "domain.unconfirmed", "invoice.created", "token.created", "receiver.certificate_expiring", "email.held", "email.lost"]

Permission: TypeAlias = Literal["addresses:read", "addresses:write", "domains:read", "domains:write", "deliveries:read", "deliveries:write", "deliveries:consume", "deliveries:decide", "deliveries:erase", "usage:read", "billing:read", "account:read", "account:write", "tokens:read", "tokens:write", "secrets:read", "mail:submit"]

Role: TypeAlias = Literal["owner", "admin", "developer", "viewer", "billing"]

RuleRequest: TypeAlias = "RuleRequest1 | RuleRequest2"

SubscriptionStatus: TypeAlias = Literal["trialing", "active", "past_due", "canceled"]

WebhookFormat: TypeAlias = Literal["inlet", "cloudevents", "postmark", "sendgrid", "mailgun", "cloudmailin", "raw"]

WebhookMode: TypeAlias = Literal["push", "pull"]

WebhookSigning: TypeAlias = Literal["hmac", "ed25519"]
