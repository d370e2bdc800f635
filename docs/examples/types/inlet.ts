/**
 * The body of a webhook of Inlet, generated from its OpenAPI document.
 * Ignore fields that are not here: new ones may be added.
 */

export type WebhookPayload = {
  /** the same on every attempt, so that receivers can ignore repeats */
  event_id: string;
  /** the receiving address */
  address_id: string;
  /** when this payload was built */
  timestamp: string;
  /** the address that this webhook is for, as the sender wrote it in RCPT */
  recipient: string;
  /** all names of this address in RCPT, `recipient` first: several only with a catch-all, a wildcard or plus tags */
  recipients: string[];
  envelope: PayloadEnvelope;
  /** null for a header that the email does not have */
  headers: PayloadHeaders;
  content: PayloadContent;
  /** empty when there are none */
  attachments: Attachment[];
  spam: Spam;
  /** absent when nothing scans email for malware */
  virus?: Virus;
  /** the results behind the words of spam.details; null when authentication is switched off */
  authentication: Authentication | null;
  /** text after the + in the recipient that the sender used; null without a + */
  plus_tag: string | null;
  /** absent unless the address has reply addresses turned on (reply_addresses) */
  reply?: Reply;
  /** conversation at this address, as the headers claim it: a hint; absent without message ids */
  thread_id?: string;
  /** sent by a program: an automatic reply could start a loop */
  auto_submitted: boolean;
  /** a delivery report about an earlier email */
  is_bounce: boolean;
  /** sent through a mailing list or in bulk */
  is_list: boolean;
  /** text above the quoted email; null when it cannot be identified with certainty */
  reply_text: string | null;
  /** problems while parsing the email; empty for nearly every email */
  parse_warnings: ParseWarning[];
  /** of the author (S/MIME, PGP), not of DKIM; absent for email without one */
  signature?: MailSignature;
  /** the email or a part of it is encrypted, and Inlet cannot read that; absent for other email */
  encrypted?: 'smime' | 'pgp';
  /** that rules added to the email; absent when none did */
  tags?: string[];
  /** what the receiver asks for with payload.extract; absent when that is nothing */
  extracted?: Extracted;
  metadata: PayloadMetadata;
  /** true in a test webhook, else absent */
  is_test?: boolean;
};

export type PayloadEnvelope = {
  /** SMTP envelope sender; empty for bounces (the null sender) */
  mail_from: string;
  /** recipients of the SMTP transaction that belong to this account */
  rcpt_to: string[];
  /** name that the sending server gave in HELO or EHLO */
  helo_domain: string;
  /** IP address of the sending server */
  remote_ip: string;
};

export type PayloadHeadersAll = {
  name: string;
  value: string;
};

export type PayloadHeaders = {
  from: string | null;
  to: string | null;
  cc: string | null;
  bcc: string | null;
  subject: string | null;
  /** time of the Date header; null when absent or unreadable */
  date: string | null;
  message_id: string | null;
  in_reply_to: string | null;
  references: string | null;
  reply_to: string | null;
  /**
   * all headers in their order in the email, repeated ones too; folded lines are joined and encoded words
   * decoded
   */
  all: PayloadHeadersAll[];
};

export type PayloadContent = {
  /** plain text body; null when the email has none */
  text: string | null;
  /** HTML body; null when the email has none */
  html: string | null;
  /** size of the whole raw email */
  size_bytes: number;
  /** link to the raw email with a limited lifetime, when the address asks for it */
  raw_url?: string;
};

export type Attachment = {
  /** name in the email; attachment-<n> when it has none */
  filename: string;
  /** MIME type */
  content_type: string;
  /** decoded size */
  size_bytes: number;
  /** Base64; null when the address omits attachments or has them linked */
  content: string | null;
  /** link to the content with a limited lifetime, when the address has attachments linked */
  content_url?: string;
  /**
   * without angle brackets, of a picture in the text (cid: links of the HTML body); null for files, and when the
   * part has none
   */
  content_id: string | null;
  /** what the email says of the part (Content-Disposition); null when it says nothing */
  disposition: 'attachment' | 'inline' | null;
  /** method of an invitation (text/calendar): REQUEST, REPLY, CANCEL …; null for every other part */
  method: string | null;
};

export type SpamDetails = {
  /** pass, fail, none … */
  spf: string;
  /** pass, fail, none … */
  dkim: string;
  /** pass, fail, none … */
  dmarc: string;
};

export type SpamRule = {
  name: string;
  score: number;
};

export type Spam = {
  /** higher means more likely spam */
  score: number;
  verdict: 'spam' | 'not_spam';
  details: SpamDetails;
  /** whose rules made the score */
  scored_by: 'inlet' | 'rspamd';
  /** rules that contributed to the score; the symbols of rspamd */
  rules: SpamRule[];
};

export type VirusAttachment = {
  /** place in attachments of the payload, from 0 */
  index: number;
  /** its name there */
  filename: string;
  /** of the malware, as the scanner calls it */
  name: string;
};

export type Virus = {
  /** not_scanned: the scanner did not look into all of it; error: it did not answer in time */
  verdict: 'clean' | 'infected' | 'not_scanned' | 'error';
  /** of the malware, as the scanner calls it; null unless infected */
  name: string | null;
  scanner: 'clamd' | 'rspamd';
  /** infected attachments, at most 50; empty if the malware is elsewhere in the email, and with rspamd */
  attachments: VirusAttachment[];
};

export type AuthenticationSpf = {
  result: 'none' | 'neutral' | 'pass' | 'fail' | 'softfail' | 'temperror' | 'permerror';
  /** domain of the record: that of the envelope sender, or of HELO for the null sender */
  domain: string | null;
  /** explanation for people; null when there is nothing to add */
  reason: string | null;
};

export type AuthenticationDkim = {
  result: 'pass' | 'fail' | 'policy' | 'neutral' | 'temperror' | 'permerror';
  /** signer (d=) */
  domain: string;
  selector: string;
  /** whether the signer is the domain of From by the rules of DMARC */
  aligned: boolean;
  /**
   * names of the headers that it covers, in lower case; of repeated ones the last; absent in emails of earlier
   * releases
   */
  signed_headers?: string[];
  /**
   * bytes at the end of the body that it does not cover (l=), which anybody can have added; absent when the body
   * was not hashed
   */
  unsigned_body_bytes?: number;
  /**
   * what it does not cover: from_not_signed, subject_not_signed, content_type_not_signed,
   * content_transfer_encoding_not_signed, content_disposition_not_signed, reply_to_not_signed, body_not_signed;
   * new ones may be added
   */
  warnings?: string[];
  /** explanation for people; null when there is nothing to add */
  reason: string | null;
};

export type AuthenticationDmarcAlignment = {
  spf: boolean;
  dkim: boolean;
};

export type AuthenticationDmarcOverride = {
  reason: 'trusted_arc';
  sealer: string;
};

export type AuthenticationDmarc = {
  result: 'none' | 'pass' | 'fail' | 'temperror' | 'permerror';
  /** domain of From; null unless there is exactly one */
  domain: string | null;
  /** policy of the domain for a fail; null without a record */
  policy: 'none' | 'quarantine' | 'reject' | null;
  /** which of the two authenticates the domain of From */
  alignment: AuthenticationDmarcAlignment;
  /** why a fail does not count as spam; the result is still fail */
  override: AuthenticationDmarcOverride | null;
  /** explanation for people; null when there is nothing to add */
  reason: string | null;
};

export type AuthenticationArcChain = {
  instance: number;
  /** domain that signed this entry */
  sealer: string;
  /** DMARC result that the sealer reports; null when it reports none */
  dmarc: string | null;
  /**
   * domain of From for which the sealer reports it; null when it names none; absent in emails of earlier
   * releases
   */
  header_from?: string | null;
};

export type AuthenticationArc = {
  result: 'none' | 'pass' | 'fail' | 'temperror';
  /** forwarders in their order; trust it only if the result is pass, and only as far as you trust its sealers */
  chain: AuthenticationArcChain[];
  /** explanation for people; null when there is nothing to add */
  reason: string | null;
};

export type AuthenticationIprev = {
  /** permerror: the address has no name */
  result: 'pass' | 'fail' | 'temperror' | 'permerror';
  /** a name of the IP address that resolves back to it; null without one */
  name: string | null;
};

export type Authentication = {
  spf: AuthenticationSpf;
  /** all signatures, the topmost first; empty when there are none */
  dkim: AuthenticationDkim[];
  dmarc: AuthenticationDmarc;
  arc: AuthenticationArc;
  iprev: AuthenticationIprev;
};

export type Reply = {
  /**
   * valid, expired: signed with the key of the address; invalid: not, or changed on its way; none: the recipient
   * is not a reply address
   */
  status: 'valid' | 'expired' | 'invalid' | 'none';
  /** what the reply address was made for; null unless it is valid or expired */
  reference: string | null;
  /** null unless it is valid or expired */
  expires_at: string | null;
  /**
   * bound: the email is of the sender for whom the reply address was made, and DMARC proves it; other: this is
   * not proven; unbound: it was made for nobody in particular; null unless it is valid or expired
   */
  sender: 'bound' | 'other' | 'unbound' | null;
};

export type ParseWarning = {
  /**
   * for programs: bare_line_ends, boundary_too_long, cut_for_hook, e_invoice_unreadable, extraction_failed,
   * guessed_charset, hidden_text, invalid_encoding, invitation_unreadable, malformed_headers, no_parts_found,
   * parse_failed, parse_out_of_memory, parse_timeout, parts_behind_end, protected_headers_differ,
   * repeated_header, report_unreadable, rules_timeout, text_outside_parts, text_too_long, tnef_unreadable,
   * too_deep, too_many_headers, too_many_parts, unclear_author, wrong_charset; new codes may be added
   */
  code: string;
  /** for people */
  message: string;
};

export type MailSignature = {
  kind: 'smime' | 'pgp';
  /**
   * whom the enclosed certificate names, as it says itself, at most 500 characters; null when it encloses none,
   * and for PGP
   */
  subject: string | null;
  /**
   * whether the text and the files are those that the key of the enclosed certificate signed; nobody asks who
   * issued the certificate or whether it has expired. null when not checked: PGP, a part of the email only, no
   * certificate, or an algorithm that is weak or unknown
   */
  is_valid: boolean | null;
};

export type ExtractedCode = {
  /** without the spaces and hyphens that group digits */
  value: string;
  kind: 'digits' | 'alphanumeric';
  /** where it is; the best place of several */
  source: 'subject' | 'text' | 'html';
  /** the text around it, at most 120 characters, for people */
  near: string;
};

export type ExtractedLink = {
  /** absolute http or https URL; never fetched */
  url: string;
  /**
   * what a person clicks on, at most 200 characters; an image shows its alternative text; null for a bare URL,
   * and when there is no text
   */
  text: string | null;
  /** host of the URL, in ASCII (punycode) */
  host: string;
  /** the text is a URL or a host name, but of another host: typical for fraud */
  shows_other_host: boolean;
  /** ends a subscription, by its text, its URL or the List-Unsubscribe header */
  is_unsubscribe: boolean;
};

export type ExtractedHiddenText = {
  /** its beginning, at most 500 characters */
  sample: string;
  /** characters of all hidden text */
  chars: number;
  /**
   * how it is hidden: not_displayed, zero_size, same_color, transparent, off_screen, invisible_characters; new
   * values may be added
   */
  reasons: string[];
};

export type ExtractedInvitationOrganizer = {
  /** email address; another URI when it has none */
  address: string;
  name: string | null;
};

export type ExtractedInvitationAttendee = {
  /** email address; another URI when it has none */
  address: string;
  name: string | null;
  /** NEEDS-ACTION, ACCEPTED, DECLINED, TENTATIVE, DELEGATED or one of another program */
  status: string;
  /** REQ-PARTICIPANT, OPT-PARTICIPANT, NON-PARTICIPANT or CHAIR */
  role: string;
};

export type ExtractedTime = {
  /** time in the time zone, such as 2026-12-01T10:00:00; a date for a whole day */
  local: string;
  /** name as in the email, UTC included; null for a time that is everywhere the same */
  time_zone: string | null;
  /** null for a whole day, a time that is everywhere the same, and an unknown time zone */
  utc: string | null;
  is_all_day: boolean;
};

export type ExtractedInvitation = {
  /** what the email asks for: REQUEST, REPLY, CANCEL …; null for an event without a request */
  method: string | null;
  /** the same in all emails about the event */
  uid: string | null;
  /** grows with each revision of the event */
  sequence: number;
  /** TENTATIVE, CONFIRMED or CANCELLED */
  status: string | null;
  organizer: ExtractedInvitationOrganizer | null;
  /** of a REPLY, the one who answers */
  attendees: ExtractedInvitationAttendee[];
  /** attendees beyond the first 200, which are left out */
  attendees_left_out: number;
  summary: string | null;
  location: string | null;
  start: ExtractedTime | null;
  /** first time after the event: of a whole day, the next day */
  end: ExtractedTime | null;
  /** RRULE, RDATE and EXDATE as iCalendar text, a line each */
  recurrence: string | null;
  /** start of the occurrence that the email is about; null when it is about all of them */
  recurrence_id: ExtractedTime | null;
  /** further events of the calendar, which are left out */
  other_events: number;
};

export type ExtractedBounceRecipient = {
  /** whom the earlier email was for */
  address: string;
  /**
   * what happened (RFC 3464): given up, still being tried, delivered, handed to a server that sends no reports,
   * or sent on to several addresses
   */
  action: 'failed' | 'delayed' | 'delivered' | 'relayed' | 'expanded';
  /** status of three numbers (RFC 3463); null when the bounce says none */
  status: string | null;
  /** reply of the server that refused it, or the reason in words; null without one */
  diagnostic: string | null;
  /**
   * whether another email to the address would probably fail too: the delivery was given up, and the status or
   * the code of the reply begins with 5
   */
  is_permanent: boolean;
};

export type ExtractedBounce = {
  /** at least one */
  recipients: ExtractedBounceRecipient[];
  /** recipients beyond the first 100, which are left out */
  recipients_left_out: number;
  /** Message-ID of the earlier email, with angle brackets; null when it is not returned */
  original_message_id: string | null;
  /**
   * address that the earlier email was sent to, where it was redirected from; null when the bounce does not say
   * it
   */
  original_recipient: string | null;
};

export type ExtractedReportPolicy = {
  /** policy of the domain */
  p: string | null;
  /** of its subdomains */
  sp: string | null;
  /** of subdomains that do not exist */
  np: string | null;
  /** r or s: whether the domain of DKIM may be a subdomain */
  adkim: string | null;
  /** r or s: whether the domain of SPF may be a subdomain */
  aspf: string | null;
  /** share of the emails that the policy applies to (RFC 7489) */
  pct: string | null;
  /** y while the policy is only tested (RFC 9990) */
  testing: string | null;
  /** which failures the domain wants reports about */
  fo: string | null;
};

export type ExtractedReportRowReason = {
  type: string | null;
  comment: string | null;
};

export type ExtractedReportRowDkimResult = {
  domain: string | null;
  /** of the key; null for SPF */
  selector: string | null;
  /** `mfrom` or `helo`; null for DKIM */
  scope: string | null;
  /** pass, fail, none, neutral … */
  result: string | null;
};

export type ExtractedReportRowSpfResult = {
  domain: string | null;
  /** of the key; null for SPF */
  selector: string | null;
  /** `mfrom` or `helo`; null for DKIM */
  scope: string | null;
  /** pass, fail, none, neutral … */
  result: string | null;
};

export type ExtractedReportRow = {
  /** server that sent the emails */
  source_ip: string | null;
  /** number of emails */
  count: number;
  /** what the receiver did: none, pass, quarantine or reject */
  disposition: string | null;
  /** pass or fail for DMARC, where the domains must match */
  dkim: string | null;
  /** pass or fail for DMARC, where the domains must match */
  spf: string | null;
  /** why the receiver did not do what the policy says */
  reasons: ExtractedReportRowReason[];
  /** domain of the From header */
  header_from: string | null;
  envelope_from: string | null;
  envelope_to: string | null;
  /** of each signature */
  dkim_results: ExtractedReportRowDkimResult[];
  spf_results: ExtractedReportRowSpfResult[];
};

export type ExtractedReportPolicieFailure = {
  /** such as certificate-expired or starttls-not-supported */
  result_type: string | null;
  sending_ip: string | null;
  receiving_host: string | null;
  receiving_ip: string | null;
  failed_sessions: number;
  /** code or words of the sending server */
  reason: string | null;
};

export type ExtractedReportPolicie = {
  /** sts, tlsa or no-policy-found */
  type: string | null;
  domain: string | null;
  mx_hosts: string[];
  successful_sessions: number;
  failed_sessions: number;
  failures: ExtractedReportPolicieFailure[];
  /** failures beyond the first 50, which are left out */
  failures_left_out: number;
};

export type ExtractedReportFeedback = {
  /** abuse, fraud, virus, not-spam, auth-failure or other */
  type: string;
  user_agent: string | null;
  /** server that sent the email */
  source_ip: string | null;
  /** number of such emails that the report stands for */
  incidents: number;
  /** adsp, bodyhash, revoked, signature, spf or dmarc (RFC 6591) */
  auth_failure: string | null;
  /** envelope sender of the email */
  original_mail_from: string | null;
  /** often none: many reporters leave them out */
  original_recipients: string[];
  original_message_id: string | null;
};

export type ExtractedReport = {
  /**
   * who sends in the name of the domain (DMARC), whether servers reach it with TLS (TLS-RPT), or a report about
   * one email, such as a complaint (ARF)
   */
  kind: 'dmarc' | 'tls-rpt' | 'arf';
  /** who sends the report */
  organization: string | null;
  /** of the organization; null for arf */
  report_id: string | null;
  /** that the report is about */
  domain: string | null;
  /** beginning of the time that the report covers; for arf, when the email arrived */
  from: string | null;
  /** end of that time */
  to: string | null;
  /** of dmarc: the policy that the organization found in the DNS; null for what is not there */
  policy?: ExtractedReportPolicy;
  /** of dmarc */
  rows?: ExtractedReportRow[];
  /** of dmarc: rows beyond the first 500 */
  rows_left_out?: number;
  /** of tls-rpt */
  policies?: ExtractedReportPolicie[];
  /** of tls-rpt: policies beyond the first 20 */
  policies_left_out?: number;
  /** of arf: what it says about the email */
  feedback?: ExtractedReportFeedback;
};

export type ExtractedForwardedOriginal = {
  /** as the email writes it, as are the fields below */
  from: string | null;
  to: string | null;
  cc: string | null;
  date: string | null;
  subject: string | null;
  /** at most 65,536 characters; null for an email without text */
  text: string | null;
};

export type ExtractedForwarded = {
  /** address that forwarded it; null when the email names none */
  by: string | null;
  /**
   * in the text below its headers, as a file (message/rfc822), or sent on by a server, which changes nothing but
   * a few headers
   */
  kind: 'inline' | 'attached' | 'automatic';
  original: ExtractedForwardedOriginal;
  /** how often it was forwarded, as far as its text or files show */
  depth: number;
};

export type ExtractedForwardingRequest = {
  /** mailbox whose email would be forwarded */
  address: string | null;
  /** that confirms the forwarding */
  code: string | null;
  /** link that confirms the forwarding; never fetched */
  url: string | null;
};

export type ExtractedEInvoice = {
  /** UN/CEFACT Cross Industry Invoice, or OASIS UBL */
  syntax: 'cii' | 'ubl';
  /** factur_x, zugferd, xrechnung, peppol, en16931, other; zugferd is version 1; new values may be added */
  format: string;
  /** specification that the invoice names (BT-24), such as a URN */
  profile: string | null;
  /** UNTDID 1001: 380 for an invoice, 381 for a credit note */
  type_code: string | null;
  /** BT-1 */
  number: string | null;
  /** date as YYYY-MM-DD (BT-2) */
  issued: string | null;
  /** name (BT-27) */
  seller: string | null;
  /** with tax, as a decimal number such as 119.00 (BT-112) */
  total: string | null;
  /** ISO 4217 (BT-5) */
  currency: string | null;
  /** index of its file in attachments, from 0: the PDF or the XML */
  attachment: number;
  /** name of the XML in the PDF; null when the attachment is the XML */
  xml_filename: string | null;
  /** the XML in the PDF, in Unicode; null when the attachment is the XML, or for more than 524,288 characters */
  xml: string | null;
};

export type Extracted = {
  /** codes for logins and confirmations, best first, at most 10 */
  codes?: ExtractedCode[];
  /** visible links in their order, each URL once, at most 100 */
  links?: ExtractedLink[];
  /** the HTML as a person sees it, else the text, as Markdown without HTML and images; at most 131,072 characters */
  markdown?: string;
  /** text that a person does not see; null when there is none */
  hidden_text?: ExtractedHiddenText | null;
  /** the event of an invitation, or of an answer to one; null for other email */
  invitation?: ExtractedInvitation | null;
  /** recipients that an earlier email did not reach, and why; null for other email */
  bounce?: ExtractedBounce | null;
  /** a report to the owner of a domain; null for other email */
  report?: ExtractedReport | null;
  /** the original of a forwarded email, as the forwarder claims it; null for other email */
  forwarded?: ExtractedForwarded | null;
  /**
   * with forwarded: Gmail, Outlook or iCloud asks to confirm that a mailbox forwards its email here; absent for
   * other email
   */
  forwarding_request?: ExtractedForwardingRequest;
  /** the invoice in an XML file or a PDF, as its sender claims it; null for other email */
  e_invoice?: ExtractedEInvoice | null;
  /** with e_invoice: those after the first, at most 9; absent without any */
  further_e_invoices?: ExtractedEInvoice[];
};

export type PayloadMetadataStorageRaw = {
  key: string;
  /** digest of the content, in hex */
  sha256: string;
  size_bytes: number;
  /** link to the file, when the receiver asks for links */
  url?: string;
};

export type PayloadMetadataStorageAttachment = {
  key: string;
  /** digest of the content, in hex */
  sha256: string;
  size_bytes: number;
  /** link to the file, when the receiver asks for links */
  url?: string;
};

export type PayloadMetadataStorage = {
  /** of the bucket in Inlet */
  name: string;
  endpoint: string;
  /** its name at the provider */
  bucket: string;
  /** the raw email; absent unless it is stored */
  raw?: PayloadMetadataStorageRaw;
  /** in the order of `attachments`; absent unless they are stored */
  attachments?: PayloadMetadataStorageAttachment[];
  /** absent without links */
  urls_expire_at?: string;
};

export type PayloadMetadata = {
  /** end of DATA */
  received_at: string;
  /** from received_at until the payload was built */
  processing_time_ms: number;
  /** files of the email in your bucket; absent unless the receiver has `payload.storage` */
  storage?: PayloadMetadataStorage;
  /** 0 on the first attempt */
  retry_count: number;
};
