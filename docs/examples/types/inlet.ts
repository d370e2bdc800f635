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
   * all headers in their order in the email, repeated ones too; folded lines are joined and
   * encoded words decoded
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
   * without angle brackets, for inline images (cid: links of the HTML body); null when the
   * part has none
   */
  content_id: string | null;
  /**
   * method of an invitation (text/calendar): REQUEST, REPLY, CANCEL …; null for every other
   * part
   */
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
  /**
   * infected attachments, at most 50; empty if the malware is elsewhere in the email, and with
   * rspamd
   */
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
};

export type AuthenticationArc = {
  result: 'none' | 'pass' | 'fail' | 'temperror';
  /**
   * forwarders in their order; trust it only if the result is pass, and only as far as you
   * trust its sealers
   */
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
   * valid, expired: signed with the key of the address; invalid: not, or changed on its way;
   * none: the recipient is not a reply address
   */
  status: 'valid' | 'expired' | 'invalid' | 'none';
  /** what the reply address was made for; null unless it is valid or expired */
  reference: string | null;
  /** null unless it is valid or expired */
  expires_at: string | null;
  /**
   * bound: the email is of the sender for whom the reply address was made, and DMARC proves
   * it; other: this is not proven; unbound: it was made for nobody in particular; null unless
   * it is valid or expired
   */
  sender: 'bound' | 'other' | 'unbound' | null;
};

export type ParseWarning = {
  /**
   * for programs: bare_line_ends, boundary_too_long, cut_for_hook, extraction_failed,
   * hidden_text, invalid_encoding, malformed_headers, no_parts_found, parse_failed,
   * parse_out_of_memory, parse_timeout, repeated_header, text_outside_parts, text_too_long,
   * tnef_unreadable, too_deep, too_many_headers, too_many_parts, wrong_charset; new codes may
   * be added
   */
  code: string;
  /** for people */
  message: string;
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
   * what a person clicks on, at most 200 characters; an image shows its alternative text; null
   * for a bare URL, and when there is no text
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
   * how it is hidden: not_displayed, zero_size, same_color, transparent, off_screen,
   * invisible_characters; new values may be added
   */
  reasons: string[];
};

export type Extracted = {
  /** codes for logins and confirmations, best first, at most 10 */
  codes?: ExtractedCode[];
  /** visible links in their order, each URL once, at most 100 */
  links?: ExtractedLink[];
  /**
   * the HTML as a person sees it, else the text, as Markdown without HTML and images; at most
   * 131,072 characters
   */
  markdown?: string;
  /** text that a person does not see; null when there is none */
  hidden_text?: ExtractedHiddenText | null;
};

export type PayloadMetadata = {
  /** end of DATA */
  received_at: string;
  /** from received_at until the payload was built */
  processing_time_ms: number;
  /** 0 on the first attempt */
  retry_count: number;
};
