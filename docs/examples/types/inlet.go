// Code generated from the OpenAPI document of Inlet. DO NOT EDIT.

// Package inlet has the body of a webhook. Ignore fields that are not here: new ones may be added.
package inlet

import "time"

type WebhookPayload struct {
	// the same on every attempt, so that receivers can ignore repeats
	EventID string `json:"event_id"`
	// the receiving address
	AddressID string `json:"address_id"`
	// when this payload was built
	Timestamp time.Time `json:"timestamp"`
	// the address that this webhook is for, as the sender wrote it in RCPT
	Recipient string `json:"recipient"`
	// all names of this address in RCPT, `recipient` first: several only with a catch-all, a wildcard or plus tags
	Recipients []string        `json:"recipients"`
	Envelope   PayloadEnvelope `json:"envelope"`
	// null for a header that the email does not have
	Headers PayloadHeaders `json:"headers"`
	Content PayloadContent `json:"content"`
	// empty when there are none
	Attachments []Attachment `json:"attachments"`
	Spam        Spam         `json:"spam"`
	// absent when nothing scans email for malware
	Virus *Virus `json:"virus,omitempty"`
	// the results behind the words of spam.details; null when authentication is switched off
	Authentication *Authentication `json:"authentication"`
	// text after the + in the recipient that the sender used; null without a +
	PlusTag *string `json:"plus_tag"`
	// absent unless the address has reply addresses turned on (reply_addresses)
	Reply *Reply `json:"reply,omitempty"`
	// conversation at this address, as the headers claim it: a hint; absent without message ids
	ThreadID *string `json:"thread_id,omitempty"`
	// sent by a program: an automatic reply could start a loop
	AutoSubmitted bool `json:"auto_submitted"`
	// a delivery report about an earlier email
	IsBounce bool `json:"is_bounce"`
	// sent through a mailing list or in bulk
	IsList bool `json:"is_list"`
	// text above the quoted email; null when it cannot be identified with certainty
	ReplyText *string `json:"reply_text"`
	// problems while parsing the email; empty for nearly every email
	ParseWarnings []ParseWarning `json:"parse_warnings"`
	// of the author (S/MIME, PGP), not of DKIM; absent for email without one
	Signature *MailSignature `json:"signature,omitempty"`
	// the email or a part of it is encrypted, and Inlet cannot read that; absent for other email. "smime", "pgp"
	Encrypted *string `json:"encrypted,omitempty"`
	// that rules added to the email; absent when none did
	Tags *[]string `json:"tags,omitempty"`
	// what the receiver asks for with payload.extract; absent when that is nothing
	Extracted *Extracted      `json:"extracted,omitempty"`
	Metadata  PayloadMetadata `json:"metadata"`
	// true in a test webhook, else absent
	IsTest *bool `json:"is_test,omitempty"`
}

type PayloadEnvelope struct {
	// SMTP envelope sender; empty for bounces (the null sender)
	MailFrom string `json:"mail_from"`
	// recipients of the SMTP transaction that belong to this account
	RcptTo []string `json:"rcpt_to"`
	// name that the sending server gave in HELO or EHLO
	HeloDomain string `json:"helo_domain"`
	// IP address of the sending server
	RemoteIP string `json:"remote_ip"`
}

type PayloadHeadersAll struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

type PayloadHeaders struct {
	From    *string `json:"from"`
	To      *string `json:"to"`
	Cc      *string `json:"cc"`
	Bcc     *string `json:"bcc"`
	Subject *string `json:"subject"`
	// time of the Date header; null when absent or unreadable
	Date       *time.Time `json:"date"`
	MessageID  *string    `json:"message_id"`
	InReplyTo  *string    `json:"in_reply_to"`
	References *string    `json:"references"`
	ReplyTo    *string    `json:"reply_to"`
	// all headers in their order in the email, repeated ones too; folded lines are joined and encoded words
	// decoded
	All []PayloadHeadersAll `json:"all"`
}

type PayloadContent struct {
	// plain text body; null when the email has none
	Text *string `json:"text"`
	// HTML body; null when the email has none
	HTML *string `json:"html"`
	// size of the whole raw email
	SizeBytes int64 `json:"size_bytes"`
	// link to the raw email with a limited lifetime, when the address asks for it
	RawURL *string `json:"raw_url,omitempty"`
}

type Attachment struct {
	// name in the email; attachment-<n> when it has none
	Filename string `json:"filename"`
	// MIME type
	ContentType string `json:"content_type"`
	// decoded size
	SizeBytes int64 `json:"size_bytes"`
	// Base64; null when the address omits attachments or has them linked
	Content *string `json:"content"`
	// link to the content with a limited lifetime, when the address has attachments linked
	ContentURL *string `json:"content_url,omitempty"`
	// without angle brackets, of a picture in the text (cid: links of the HTML body); null for files, and when the
	// part has none
	ContentID *string `json:"content_id"`
	// what the email says of the part (Content-Disposition); null when it says nothing. "attachment", "inline"
	Disposition *string `json:"disposition"`
	// method of an invitation (text/calendar): REQUEST, REPLY, CANCEL …; null for every other part
	Method *string `json:"method"`
}

type SpamDetails struct {
	// pass, fail, none …
	SPF string `json:"spf"`
	// pass, fail, none …
	DKIM string `json:"dkim"`
	// pass, fail, none …
	DMARC string `json:"dmarc"`
}

type SpamRule struct {
	Name  string  `json:"name"`
	Score float64 `json:"score"`
}

type Spam struct {
	// higher means more likely spam
	Score float64 `json:"score"`
	// "spam", "not_spam"
	Verdict string      `json:"verdict"`
	Details SpamDetails `json:"details"`
	// whose rules made the score. "inlet", "rspamd"
	ScoredBy string `json:"scored_by"`
	// rules that contributed to the score; the symbols of rspamd
	Rules []SpamRule `json:"rules"`
}

type VirusAttachment struct {
	// place in attachments of the payload, from 0
	Index int64 `json:"index"`
	// its name there
	Filename string `json:"filename"`
	// of the malware, as the scanner calls it
	Name string `json:"name"`
}

type Virus struct {
	// not_scanned: the scanner did not look into all of it; error: it did not answer in time. "clean", "infected",
	// "not_scanned", "error"
	Verdict string `json:"verdict"`
	// of the malware, as the scanner calls it; null unless infected
	Name *string `json:"name"`
	// "clamd", "rspamd"
	Scanner string `json:"scanner"`
	// infected attachments, at most 50; empty if the malware is elsewhere in the email, and with rspamd
	Attachments []VirusAttachment `json:"attachments"`
}

type AuthenticationSPF struct {
	// "none", "neutral", "pass", "fail", "softfail", "temperror", "permerror"
	Result string `json:"result"`
	// domain of the record: that of the envelope sender, or of HELO for the null sender
	Domain *string `json:"domain"`
	// explanation for people; null when there is nothing to add
	Reason *string `json:"reason"`
}

type AuthenticationDKIM struct {
	// "pass", "fail", "policy", "neutral", "temperror", "permerror"
	Result string `json:"result"`
	// signer (d=)
	Domain   string `json:"domain"`
	Selector string `json:"selector"`
	// whether the signer is the domain of From by the rules of DMARC
	Aligned bool `json:"aligned"`
	// names of the headers that it covers, in lower case; of repeated ones the last; absent in emails of earlier
	// releases
	SignedHeaders *[]string `json:"signed_headers,omitempty"`
	// bytes at the end of the body that it does not cover (l=), which anybody can have added; absent when the body
	// was not hashed
	UnsignedBodyBytes *int64 `json:"unsigned_body_bytes,omitempty"`
	// what it does not cover: from_not_signed, subject_not_signed, content_type_not_signed,
	// content_transfer_encoding_not_signed, content_disposition_not_signed, reply_to_not_signed, body_not_signed;
	// new ones may be added
	Warnings *[]string `json:"warnings,omitempty"`
	// explanation for people; null when there is nothing to add
	Reason *string `json:"reason"`
}

type AuthenticationDMARCAlignment struct {
	SPF  bool `json:"spf"`
	DKIM bool `json:"dkim"`
}

type AuthenticationDMARCOverride struct {
	// "trusted_arc"
	Reason string `json:"reason"`
	Sealer string `json:"sealer"`
}

type AuthenticationDMARC struct {
	// "none", "pass", "fail", "temperror", "permerror"
	Result string `json:"result"`
	// domain of From; null unless there is exactly one
	Domain *string `json:"domain"`
	// policy of the domain for a fail; null without a record. "none", "quarantine", "reject"
	Policy *string `json:"policy"`
	// which of the two authenticates the domain of From
	Alignment AuthenticationDMARCAlignment `json:"alignment"`
	// why a fail does not count as spam; the result is still fail
	Override *AuthenticationDMARCOverride `json:"override"`
	// explanation for people; null when there is nothing to add
	Reason *string `json:"reason"`
}

type AuthenticationARCChain struct {
	Instance int64 `json:"instance"`
	// domain that signed this entry
	Sealer string `json:"sealer"`
	// DMARC result that the sealer reports; null when it reports none
	DMARC *string `json:"dmarc"`
	// domain of From for which the sealer reports it; null when it names none; absent in emails of earlier
	// releases
	HeaderFrom **string `json:"header_from,omitempty"`
}

type AuthenticationARC struct {
	// "none", "pass", "fail", "temperror"
	Result string `json:"result"`
	// forwarders in their order; trust it only if the result is pass, and only as far as you trust its sealers
	Chain []AuthenticationARCChain `json:"chain"`
	// explanation for people; null when there is nothing to add
	Reason *string `json:"reason"`
}

type AuthenticationIprev struct {
	// permerror: the address has no name. "pass", "fail", "temperror", "permerror"
	Result string `json:"result"`
	// a name of the IP address that resolves back to it; null without one
	Name *string `json:"name"`
}

type Authentication struct {
	SPF AuthenticationSPF `json:"spf"`
	// all signatures, the topmost first; empty when there are none
	DKIM  []AuthenticationDKIM `json:"dkim"`
	DMARC AuthenticationDMARC  `json:"dmarc"`
	ARC   AuthenticationARC    `json:"arc"`
	Iprev AuthenticationIprev  `json:"iprev"`
}

type Reply struct {
	// valid, expired: signed with the key of the address; invalid: not, or changed on its way; none: the recipient
	// is not a reply address. "valid", "expired", "invalid", "none"
	Status string `json:"status"`
	// what the reply address was made for; null unless it is valid or expired
	Reference *string `json:"reference"`
	// null unless it is valid or expired
	ExpiresAt *time.Time `json:"expires_at"`
	// bound: the email is of the sender for whom the reply address was made, and DMARC proves it; other: this is
	// not proven; unbound: it was made for nobody in particular; null unless it is valid or expired. "bound",
	// "other", "unbound"
	Sender *string `json:"sender"`
}

type ParseWarning struct {
	// for programs: bare_line_ends, boundary_too_long, cut_for_hook, e_invoice_unreadable, extraction_failed,
	// guessed_charset, hidden_text, invalid_encoding, invitation_unreadable, malformed_headers, no_parts_found,
	// parse_failed, parse_out_of_memory, parse_timeout, parts_behind_end, protected_headers_differ,
	// repeated_header, report_unreadable, rules_timeout, text_outside_parts, text_too_long, tnef_unreadable,
	// too_deep, too_many_headers, too_many_parts, unclear_author, wrong_charset; new codes may be added
	Code string `json:"code"`
	// for people
	Message string `json:"message"`
}

type MailSignature struct {
	// "smime", "pgp"
	Kind string `json:"kind"`
	// whom the enclosed certificate names, as it says itself, at most 500 characters; null when it encloses none,
	// and for PGP
	Subject *string `json:"subject"`
	// whether the text and the files are those that the key of the enclosed certificate signed; nobody asks who
	// issued the certificate or whether it has expired. null when not checked: PGP, a part of the email only, no
	// certificate, or an algorithm that is weak or unknown
	IsValid *bool `json:"is_valid"`
}

type ExtractedCode struct {
	// without the spaces and hyphens that group digits
	Value string `json:"value"`
	// "digits", "alphanumeric"
	Kind string `json:"kind"`
	// where it is; the best place of several. "subject", "text", "html"
	Source string `json:"source"`
	// the text around it, at most 120 characters, for people
	Near string `json:"near"`
}

type ExtractedLink struct {
	// absolute http or https URL; never fetched
	URL string `json:"url"`
	// what a person clicks on, at most 200 characters; an image shows its alternative text; null for a bare URL,
	// and when there is no text
	Text *string `json:"text"`
	// host of the URL, in ASCII (punycode)
	Host string `json:"host"`
	// the text is a URL or a host name, but of another host: typical for fraud
	ShowsOtherHost bool `json:"shows_other_host"`
	// ends a subscription, by its text, its URL or the List-Unsubscribe header
	IsUnsubscribe bool `json:"is_unsubscribe"`
}

type ExtractedHiddenText struct {
	// its beginning, at most 500 characters
	Sample string `json:"sample"`
	// characters of all hidden text
	Chars int64 `json:"chars"`
	// how it is hidden: not_displayed, zero_size, same_color, transparent, off_screen, invisible_characters; new
	// values may be added
	Reasons []string `json:"reasons"`
}

type ExtractedInvitationOrganizer struct {
	// email address; another URI when it has none
	Address string  `json:"address"`
	Name    *string `json:"name"`
}

type ExtractedInvitationAttendee struct {
	// email address; another URI when it has none
	Address string  `json:"address"`
	Name    *string `json:"name"`
	// NEEDS-ACTION, ACCEPTED, DECLINED, TENTATIVE, DELEGATED or one of another program
	Status string `json:"status"`
	// REQ-PARTICIPANT, OPT-PARTICIPANT, NON-PARTICIPANT or CHAIR
	Role string `json:"role"`
}

type ExtractedTime struct {
	// time in the time zone, such as 2026-12-01T10:00:00; a date for a whole day
	Local string `json:"local"`
	// name as in the email, UTC included; null for a time that is everywhere the same
	TimeZone *string `json:"time_zone"`
	// null for a whole day, a time that is everywhere the same, and an unknown time zone
	Utc      *time.Time `json:"utc"`
	IsAllDay bool       `json:"is_all_day"`
}

type ExtractedInvitation struct {
	// what the email asks for: REQUEST, REPLY, CANCEL …; null for an event without a request
	Method *string `json:"method"`
	// the same in all emails about the event
	Uid *string `json:"uid"`
	// grows with each revision of the event
	Sequence int64 `json:"sequence"`
	// TENTATIVE, CONFIRMED or CANCELLED
	Status    *string                       `json:"status"`
	Organizer *ExtractedInvitationOrganizer `json:"organizer"`
	// of a REPLY, the one who answers
	Attendees []ExtractedInvitationAttendee `json:"attendees"`
	// attendees beyond the first 200, which are left out
	AttendeesLeftOut int64          `json:"attendees_left_out"`
	Summary          *string        `json:"summary"`
	Location         *string        `json:"location"`
	Start            *ExtractedTime `json:"start"`
	// first time after the event: of a whole day, the next day
	End *ExtractedTime `json:"end"`
	// RRULE, RDATE and EXDATE as iCalendar text, a line each
	Recurrence *string `json:"recurrence"`
	// start of the occurrence that the email is about; null when it is about all of them
	RecurrenceID *ExtractedTime `json:"recurrence_id"`
	// further events of the calendar, which are left out
	OtherEvents int64 `json:"other_events"`
}

type ExtractedBounceRecipient struct {
	// whom the earlier email was for
	Address string `json:"address"`
	// what happened (RFC 3464): given up, still being tried, delivered, handed to a server that sends no reports,
	// or sent on to several addresses. "failed", "delayed", "delivered", "relayed", "expanded"
	Action string `json:"action"`
	// status of three numbers (RFC 3463); null when the bounce says none
	Status *string `json:"status"`
	// reply of the server that refused it, or the reason in words; null without one
	Diagnostic *string `json:"diagnostic"`
	// whether another email to the address would probably fail too: the delivery was given up, and the status or
	// the code of the reply begins with 5
	IsPermanent bool `json:"is_permanent"`
}

type ExtractedBounce struct {
	// at least one
	Recipients []ExtractedBounceRecipient `json:"recipients"`
	// recipients beyond the first 100, which are left out
	RecipientsLeftOut int64 `json:"recipients_left_out"`
	// Message-ID of the earlier email, with angle brackets; null when it is not returned
	OriginalMessageID *string `json:"original_message_id"`
	// address that the earlier email was sent to, where it was redirected from; null when the bounce does not say
	// it
	OriginalRecipient *string `json:"original_recipient"`
}

type ExtractedReportPolicy struct {
	// policy of the domain
	P *string `json:"p"`
	// of its subdomains
	Sp *string `json:"sp"`
	// of subdomains that do not exist
	Np *string `json:"np"`
	// r or s: whether the domain of DKIM may be a subdomain
	Adkim *string `json:"adkim"`
	// r or s: whether the domain of SPF may be a subdomain
	Aspf *string `json:"aspf"`
	// share of the emails that the policy applies to (RFC 7489)
	Pct *string `json:"pct"`
	// y while the policy is only tested (RFC 9990)
	Testing *string `json:"testing"`
	// which failures the domain wants reports about
	Fo *string `json:"fo"`
}

type ExtractedReportRowReason struct {
	Type    *string `json:"type"`
	Comment *string `json:"comment"`
}

type ExtractedReportRowDKIMResult struct {
	Domain *string `json:"domain"`
	// of the key; null for SPF
	Selector *string `json:"selector"`
	// `mfrom` or `helo`; null for DKIM
	Scope *string `json:"scope"`
	// pass, fail, none, neutral …
	Result *string `json:"result"`
}

type ExtractedReportRowSPFResult struct {
	Domain *string `json:"domain"`
	// of the key; null for SPF
	Selector *string `json:"selector"`
	// `mfrom` or `helo`; null for DKIM
	Scope *string `json:"scope"`
	// pass, fail, none, neutral …
	Result *string `json:"result"`
}

type ExtractedReportRow struct {
	// server that sent the emails
	SourceIP *string `json:"source_ip"`
	// number of emails
	Count int64 `json:"count"`
	// what the receiver did: none, pass, quarantine or reject
	Disposition *string `json:"disposition"`
	// pass or fail for DMARC, where the domains must match
	DKIM *string `json:"dkim"`
	// pass or fail for DMARC, where the domains must match
	SPF *string `json:"spf"`
	// why the receiver did not do what the policy says
	Reasons []ExtractedReportRowReason `json:"reasons"`
	// domain of the From header
	HeaderFrom   *string `json:"header_from"`
	EnvelopeFrom *string `json:"envelope_from"`
	EnvelopeTo   *string `json:"envelope_to"`
	// of each signature
	DKIMResults []ExtractedReportRowDKIMResult `json:"dkim_results"`
	SPFResults  []ExtractedReportRowSPFResult  `json:"spf_results"`
}

type ExtractedReportPolicieFailure struct {
	// such as certificate-expired or starttls-not-supported
	ResultType     *string `json:"result_type"`
	SendingIP      *string `json:"sending_ip"`
	ReceivingHost  *string `json:"receiving_host"`
	ReceivingIP    *string `json:"receiving_ip"`
	FailedSessions int64   `json:"failed_sessions"`
	// code or words of the sending server
	Reason *string `json:"reason"`
}

type ExtractedReportPolicie struct {
	// sts, tlsa or no-policy-found
	Type               *string                         `json:"type"`
	Domain             *string                         `json:"domain"`
	MxHosts            []string                        `json:"mx_hosts"`
	SuccessfulSessions int64                           `json:"successful_sessions"`
	FailedSessions     int64                           `json:"failed_sessions"`
	Failures           []ExtractedReportPolicieFailure `json:"failures"`
	// failures beyond the first 50, which are left out
	FailuresLeftOut int64 `json:"failures_left_out"`
}

type ExtractedReportFeedback struct {
	// abuse, fraud, virus, not-spam, auth-failure or other
	Type      string  `json:"type"`
	UserAgent *string `json:"user_agent"`
	// server that sent the email
	SourceIP *string `json:"source_ip"`
	// number of such emails that the report stands for
	Incidents int64 `json:"incidents"`
	// adsp, bodyhash, revoked, signature, spf or dmarc (RFC 6591)
	AuthFailure *string `json:"auth_failure"`
	// envelope sender of the email
	OriginalMailFrom *string `json:"original_mail_from"`
	// often none: many reporters leave them out
	OriginalRecipients []string `json:"original_recipients"`
	OriginalMessageID  *string  `json:"original_message_id"`
}

type ExtractedReport struct {
	// who sends in the name of the domain (DMARC), whether servers reach it with TLS (TLS-RPT), or a report about
	// one email, such as a complaint (ARF). "dmarc", "tls-rpt", "arf"
	Kind string `json:"kind"`
	// who sends the report
	Organization *string `json:"organization"`
	// of the organization; null for arf
	ReportID *string `json:"report_id"`
	// that the report is about
	Domain *string `json:"domain"`
	// beginning of the time that the report covers; for arf, when the email arrived
	From *time.Time `json:"from"`
	// end of that time
	To *time.Time `json:"to"`
	// of dmarc: the policy that the organization found in the DNS; null for what is not there
	Policy *ExtractedReportPolicy `json:"policy,omitempty"`
	// of dmarc
	Rows *[]ExtractedReportRow `json:"rows,omitempty"`
	// of dmarc: rows beyond the first 500
	RowsLeftOut *int64 `json:"rows_left_out,omitempty"`
	// of tls-rpt
	Policies *[]ExtractedReportPolicie `json:"policies,omitempty"`
	// of tls-rpt: policies beyond the first 20
	PoliciesLeftOut *int64 `json:"policies_left_out,omitempty"`
	// of arf: what it says about the email
	Feedback *ExtractedReportFeedback `json:"feedback,omitempty"`
}

type ExtractedForwardedOriginal struct {
	// as the email writes it, as are the fields below
	From    *string `json:"from"`
	To      *string `json:"to"`
	Cc      *string `json:"cc"`
	Date    *string `json:"date"`
	Subject *string `json:"subject"`
	// at most 65,536 characters; null for an email without text
	Text *string `json:"text"`
}

type ExtractedForwarded struct {
	// address that forwarded it; null when the email names none
	By *string `json:"by"`
	// in the text below its headers, as a file (message/rfc822), or sent on by a server, which changes nothing but
	// a few headers. "inline", "attached", "automatic"
	Kind     string                     `json:"kind"`
	Original ExtractedForwardedOriginal `json:"original"`
	// how often it was forwarded, as far as its text or files show
	Depth int64 `json:"depth"`
}

type ExtractedForwardingRequest struct {
	// mailbox whose email would be forwarded
	Address *string `json:"address"`
	// that confirms the forwarding
	Code *string `json:"code"`
	// link that confirms the forwarding; never fetched
	URL *string `json:"url"`
}

type ExtractedEInvoice struct {
	// UN/CEFACT Cross Industry Invoice, or OASIS UBL. "cii", "ubl"
	Syntax string `json:"syntax"`
	// factur_x, zugferd, xrechnung, peppol, en16931, other; zugferd is version 1; new values may be added
	Format string `json:"format"`
	// specification that the invoice names (BT-24), such as a URN
	Profile *string `json:"profile"`
	// UNTDID 1001: 380 for an invoice, 381 for a credit note
	TypeCode *string `json:"type_code"`
	// BT-1
	Number *string `json:"number"`
	// date as YYYY-MM-DD (BT-2)
	Issued *string `json:"issued"`
	// name (BT-27)
	Seller *string `json:"seller"`
	// with tax, as a decimal number such as 119.00 (BT-112)
	Total *string `json:"total"`
	// ISO 4217 (BT-5)
	Currency *string `json:"currency"`
	// index of its file in attachments, from 0: the PDF or the XML
	Attachment int64 `json:"attachment"`
	// name of the XML in the PDF; null when the attachment is the XML
	XmlFilename *string `json:"xml_filename"`
	// the XML in the PDF, in Unicode; null when the attachment is the XML, or for more than 524,288 characters
	Xml *string `json:"xml"`
}

type Extracted struct {
	// codes for logins and confirmations, best first, at most 10
	Codes *[]ExtractedCode `json:"codes,omitempty"`
	// visible links in their order, each URL once, at most 100
	Links *[]ExtractedLink `json:"links,omitempty"`
	// the HTML as a person sees it, else the text, as Markdown without HTML and images; at most 131,072 characters
	Markdown *string `json:"markdown,omitempty"`
	// text that a person does not see; null when there is none
	HiddenText **ExtractedHiddenText `json:"hidden_text,omitempty"`
	// the event of an invitation, or of an answer to one; null for other email
	Invitation **ExtractedInvitation `json:"invitation,omitempty"`
	// recipients that an earlier email did not reach, and why; null for other email
	Bounce **ExtractedBounce `json:"bounce,omitempty"`
	// a report to the owner of a domain; null for other email
	Report **ExtractedReport `json:"report,omitempty"`
	// the original of a forwarded email, as the forwarder claims it; null for other email
	Forwarded **ExtractedForwarded `json:"forwarded,omitempty"`
	// with forwarded: Gmail, Outlook or iCloud asks to confirm that a mailbox forwards its email here; absent for
	// other email
	ForwardingRequest *ExtractedForwardingRequest `json:"forwarding_request,omitempty"`
	// the invoice in an XML file or a PDF, as its sender claims it; null for other email
	EInvoice **ExtractedEInvoice `json:"e_invoice,omitempty"`
	// with e_invoice: those after the first, at most 9; absent without any
	FurtherEInvoices *[]ExtractedEInvoice `json:"further_e_invoices,omitempty"`
}

type PayloadMetadataStorageRaw struct {
	Key string `json:"key"`
	// digest of the content, in hex
	Sha256    string `json:"sha256"`
	SizeBytes int64  `json:"size_bytes"`
	// link to the file, when the receiver asks for links
	URL *string `json:"url,omitempty"`
}

type PayloadMetadataStorageAttachment struct {
	Key string `json:"key"`
	// digest of the content, in hex
	Sha256    string `json:"sha256"`
	SizeBytes int64  `json:"size_bytes"`
	// link to the file, when the receiver asks for links
	URL *string `json:"url,omitempty"`
}

type PayloadMetadataStorage struct {
	// of the bucket in Inlet
	Name     string `json:"name"`
	Endpoint string `json:"endpoint"`
	// its name at the provider
	Bucket string `json:"bucket"`
	// the raw email; absent unless it is stored
	Raw *PayloadMetadataStorageRaw `json:"raw,omitempty"`
	// in the order of `attachments`; absent unless they are stored
	Attachments *[]PayloadMetadataStorageAttachment `json:"attachments,omitempty"`
	// absent without links
	UrlsExpireAt *string `json:"urls_expire_at,omitempty"`
}

type PayloadMetadata struct {
	// end of DATA
	ReceivedAt time.Time `json:"received_at"`
	// from received_at until the payload was built
	ProcessingTimeMS int64 `json:"processing_time_ms"`
	// files of the email in your bucket; absent unless the receiver has `payload.storage`
	Storage *PayloadMetadataStorage `json:"storage,omitempty"`
	// 0 on the first attempt
	RetryCount int64 `json:"retry_count"`
}
