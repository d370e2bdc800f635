"""The body of a webhook of Inlet, generated from its OpenAPI document.

Ignore fields that are not here: new ones may be added.
For Python 3.10 and later; before 3.12, pip install typing_extensions.
"""

import sys

if sys.version_info >= (3, 12):
    from typing import Literal, NotRequired, TypedDict
else:
    from typing_extensions import Literal, NotRequired, TypedDict


class PayloadEnvelope(TypedDict):
    # SMTP envelope sender; empty for bounces (the null sender)
    mail_from: str
    # recipients of the SMTP transaction that belong to this account
    rcpt_to: list[str]
    # name that the sending server gave in HELO or EHLO
    helo_domain: str
    # IP address of the sending server
    remote_ip: str


class PayloadHeadersAll(TypedDict):
    name: str
    value: str


PayloadHeaders = TypedDict(  # "from" is a keyword, so this is not a class
    "PayloadHeaders",
    {
        "from": str | None,
        "to": str | None,
        "cc": str | None,
        "bcc": str | None,
        "subject": str | None,
        # time of the Date header; null when absent or unreadable
        "date": str | None,
        "message_id": str | None,
        "in_reply_to": str | None,
        "references": str | None,
        "reply_to": str | None,
        # all headers in their order in the email, repeated ones too; folded lines are joined and encoded words
        # decoded
        "all": list[PayloadHeadersAll],
    },
)


class PayloadContent(TypedDict):
    # plain text body; null when the email has none
    text: str | None
    # HTML body; null when the email has none
    html: str | None
    # size of the whole raw email
    size_bytes: int
    # link to the raw email with a limited lifetime, when the address asks for it
    raw_url: NotRequired[str]


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


class SpamDetails(TypedDict):
    # pass, fail, none …
    spf: str
    # pass, fail, none …
    dkim: str
    # pass, fail, none …
    dmarc: str


class SpamRule(TypedDict):
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
    rules: list[SpamRule]


class VirusAttachment(TypedDict):
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
    attachments: list[VirusAttachment]


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


class ParseWarning(TypedDict):
    # for programs: bare_line_ends, boundary_too_long, cut_for_hook, e_invoice_unreadable, extraction_failed,
    # guessed_charset, hidden_text, invalid_encoding, invitation_unreadable, malformed_headers, no_parts_found,
    # parse_failed, parse_out_of_memory, parse_timeout, parts_behind_end, protected_headers_differ,
    # repeated_header, report_unreadable, rules_timeout, text_outside_parts, text_too_long, tnef_unreadable,
    # too_deep, too_many_headers, too_many_parts, unclear_author, wrong_charset; new codes may be added
    code: str
    # for people
    message: str


class MailSignature(TypedDict):
    kind: Literal["smime", "pgp"]
    # whom the enclosed certificate names, as it says itself, at most 500 characters; null when it encloses none,
    # and for PGP
    subject: str | None
    # whether the text and the files are those that the key of the enclosed certificate signed; nobody asks who
    # issued the certificate or whether it has expired. null when not checked: PGP, a part of the email only, no
    # certificate, or an algorithm that is weak or unknown
    is_valid: bool | None


class ExtractedCode(TypedDict):
    # without the spaces and hyphens that group digits
    value: str
    kind: Literal["digits", "alphanumeric"]
    # where it is; the best place of several
    source: Literal["subject", "text", "html"]
    # the text around it, at most 120 characters, for people
    near: str


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


class ExtractedInvitationAttendee(TypedDict):
    # email address; another URI when it has none
    address: str
    name: str | None
    # NEEDS-ACTION, ACCEPTED, DECLINED, TENTATIVE, DELEGATED or one of another program
    status: str
    # REQ-PARTICIPANT, OPT-PARTICIPANT, NON-PARTICIPANT or CHAIR
    role: str


class ExtractedTime(TypedDict):
    # time in the time zone, such as 2026-12-01T10:00:00; a date for a whole day
    local: str
    # name as in the email, UTC included; null for a time that is everywhere the same
    time_zone: str | None
    # null for a whole day, a time that is everywhere the same, and an unknown time zone
    utc: str | None
    is_all_day: bool


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
    attendees: list[ExtractedInvitationAttendee]
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


class ExtractedBounceRecipient(TypedDict):
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
    recipients: list[ExtractedBounceRecipient]
    # recipients beyond the first 100, which are left out
    recipients_left_out: int
    # Message-ID of the earlier email, with angle brackets; null when it is not returned
    original_message_id: str | None
    # address that the earlier email was sent to, where it was redirected from; null when the bounce does not say
    # it
    original_recipient: str | None


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


class ExtractedReportRowReason(TypedDict):
    type: str | None
    comment: str | None


class ExtractedReportRowDkimResult(TypedDict):
    domain: str | None
    # of the key; null for SPF
    selector: str | None
    # `mfrom` or `helo`; null for DKIM
    scope: str | None
    # pass, fail, none, neutral …
    result: str | None


class ExtractedReportRowSpfResult(TypedDict):
    domain: str | None
    # of the key; null for SPF
    selector: str | None
    # `mfrom` or `helo`; null for DKIM
    scope: str | None
    # pass, fail, none, neutral …
    result: str | None


class ExtractedReportRow(TypedDict):
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
    reasons: list[ExtractedReportRowReason]
    # domain of the From header
    header_from: str | None
    envelope_from: str | None
    envelope_to: str | None
    # of each signature
    dkim_results: list[ExtractedReportRowDkimResult]
    spf_results: list[ExtractedReportRowSpfResult]


class ExtractedReportPolicieFailure(TypedDict):
    # such as certificate-expired or starttls-not-supported
    result_type: str | None
    sending_ip: str | None
    receiving_host: str | None
    receiving_ip: str | None
    failed_sessions: int
    # code or words of the sending server
    reason: str | None


class ExtractedReportPolicie(TypedDict):
    # sts, tlsa or no-policy-found
    type: str | None
    domain: str | None
    mx_hosts: list[str]
    successful_sessions: int
    failed_sessions: int
    failures: list[ExtractedReportPolicieFailure]
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


ExtractedReport = TypedDict(  # "from" is a keyword, so this is not a class
    "ExtractedReport",
    {
        # who sends in the name of the domain (DMARC), whether servers reach it with TLS (TLS-RPT), or a report about
        # one email, such as a complaint (ARF)
        "kind": Literal["dmarc", "tls-rpt", "arf"],
        # who sends the report
        "organization": str | None,
        # of the organization; null for arf
        "report_id": str | None,
        # that the report is about
        "domain": str | None,
        # beginning of the time that the report covers; for arf, when the email arrived
        "from": str | None,
        # end of that time
        "to": str | None,
        # of dmarc: the policy that the organization found in the DNS; null for what is not there
        "policy": NotRequired[ExtractedReportPolicy],
        # of dmarc
        "rows": NotRequired[list[ExtractedReportRow]],
        # of dmarc: rows beyond the first 500
        "rows_left_out": NotRequired[int],
        # of tls-rpt
        "policies": NotRequired[list[ExtractedReportPolicie]],
        # of tls-rpt: policies beyond the first 20
        "policies_left_out": NotRequired[int],
        # of arf: what it says about the email
        "feedback": NotRequired[ExtractedReportFeedback],
    },
)


ExtractedForwardedOriginal = TypedDict(  # "from" is a keyword, so this is not a class
    "ExtractedForwardedOriginal",
    {
        # as the email writes it, as are the fields below
        "from": str | None,
        "to": str | None,
        "cc": str | None,
        "date": str | None,
        "subject": str | None,
        # at most 65,536 characters; null for an email without text
        "text": str | None,
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


class PayloadMetadataStorageRaw(TypedDict):
    key: str
    # digest of the content, in hex
    sha256: str
    size_bytes: int
    # link to the file, when the receiver asks for links
    url: NotRequired[str]


class PayloadMetadataStorageAttachment(TypedDict):
    key: str
    # digest of the content, in hex
    sha256: str
    size_bytes: int
    # link to the file, when the receiver asks for links
    url: NotRequired[str]


class PayloadMetadataStorage(TypedDict):
    # of the bucket in Inlet
    name: str
    endpoint: str
    # its name at the provider
    bucket: str
    # the raw email; absent unless it is stored
    raw: NotRequired[PayloadMetadataStorageRaw]
    # in the order of `attachments`; absent unless they are stored
    attachments: NotRequired[list[PayloadMetadataStorageAttachment]]
    # absent without links
    urls_expire_at: NotRequired[str]


class PayloadMetadata(TypedDict):
    # end of DATA
    received_at: str
    # from received_at until the payload was built
    processing_time_ms: int
    # files of the email in your bucket; absent unless the receiver has `payload.storage`
    storage: NotRequired[PayloadMetadataStorage]
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
    envelope: PayloadEnvelope
    # null for a header that the email does not have
    headers: PayloadHeaders
    content: PayloadContent
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
    metadata: PayloadMetadata
    # true in a test webhook, else absent
    is_test: NotRequired[bool]
