/**
 * Every refusal of the gateway, by name (D21, D25; RFC 5321 §4.2, RFC 3463). An unexpected error is
 * temporary: the sender retries.
 */

export type SmtpReply = {
  /** Label of the refusal in metrics and logs. */
  name: string;
  code: number;
  /** Enhanced status code (RFC 3463). */
  enhanced: string;
  text: string;
};

export const noSuchAddress = {
  name: 'no_such_address',
  code: 550,
  enhanced: '5.1.1',
  text: 'No such address',
} as const;
export const badAddress = {
  name: 'bad_address',
  code: 553,
  enhanced: '5.1.3',
  text: 'Recipient is not a valid mailbox address',
} as const;
export const addressDisabled = {
  name: 'address_disabled',
  code: 550,
  enhanced: '5.2.1',
  text: 'Address is disabled',
} as const;
export const accountSuspended = {
  name: 'account_suspended',
  code: 450,
  enhanced: '4.7.1',
  text: 'Account is suspended, try again later',
} as const; // temporary, because suspensions end
export const quotaSpent = {
  name: 'quota_spent',
  code: 452,
  enhanced: '4.2.2',
  text: 'Mailbox is over its quota, try again later',
} as const;
export const tooManyRecipients = {
  name: 'too_many_recipients',
  code: 452,
  enhanced: '4.5.3',
  text: 'Too many recipients, send the rest in another transaction',
} as const;
export const needsSmtpUtf8 = {
  name: 'needs_smtputf8',
  code: 553,
  enhanced: '5.6.7',
  text: 'Non-ASCII addresses require the SMTPUTF8 parameter',
} as const; // RFC 6531 §3.5
export const messageTooBig = {
  name: 'message_too_big',
  code: 552,
  enhanced: '5.3.4',
  text: 'Message exceeds the size limit',
} as const; // RFC 1870 §6
export const outOfMemory = {
  name: 'out_of_memory',
  code: 452,
  enhanced: '4.3.1',
  text: 'Insufficient memory, try again later',
} as const;
export const queueFull = {
  name: 'queue_full',
  code: 452,
  enhanced: '4.3.1',
  text: 'Queue is full, try again later',
} as const;
export const tooManyConnections = {
  name: 'too_many_connections',
  code: 421,
  enhanced: '4.7.0',
  text: 'Too many connections from your network, try again later',
} as const;
export const tooManyNewConnections = {
  name: 'too_many_new_connections',
  code: 421,
  enhanced: '4.7.0',
  text: 'Too many new connections from your network, try again later',
} as const;
export const tooManyMessages = {
  name: 'too_many_messages',
  code: 450,
  enhanced: '4.7.1',
  text: 'Too many messages from your network, try again later',
} as const;
export const tooManyUnknown = {
  name: 'too_many_unknown',
  code: 450,
  enhanced: '4.7.1',
  text: 'Too many unknown recipients from your network, try again later',
} as const; // also for recipients that exist, so that the reply shows nothing
export const tooManyForAddress = {
  name: 'too_many_for_address',
  code: 450,
  enhanced: '4.7.1',
  text: 'Too many messages for this address, try again later',
} as const;
export const listedInBlocklist = {
  name: 'listed_in_blocklist',
  code: 550,
  enhanced: '5.7.1',
  text: 'Your IP address is listed in a DNS blocklist',
} as const;
export const loopDetected = {
  name: 'loop_detected',
  code: 554,
  enhanced: '5.4.6',
  text: 'Too many hops: message has more than 100 Received headers',
} as const; // RFC 5321 §6.3
export const spamRefused = {
  name: 'spam_refused',
  code: 550,
  enhanced: '5.7.1',
  text: 'Message rejected as spam',
} as const;
export const virusRefused = {
  name: 'virus_refused',
  code: 550,
  enhanced: '5.7.1',
  text: 'Message rejected: it contains malware',
} as const;
export const senderNotAllowed = {
  name: 'sender_not_allowed',
  code: 550,
  enhanced: '5.7.1',
  text: 'Message rejected by the policy of the recipient',
} as const; // the text reveals no rule
export const ruleRefused = { ...senderNotAllowed, name: 'rule_refused' } as const;
export const attachmentTypeRefused = {
  name: 'attachment_type_refused',
  code: 550,
  enhanced: '5.7.1',
  text: 'The recipient does not accept attachments of this type',
} as const;
export const attachmentTooBig = {
  name: 'attachment_too_big',
  code: 552,
  enhanced: '5.2.3',
  text: 'An attachment exceeds the size limit of the recipient',
} as const; // RFC 3463 §3.3: an administrative limit of the mailbox
/** A deciding hook may write another text. */
export const hookRefused = { ...senderNotAllowed, name: 'hook_refused' } as const;
export const hookDeferred = {
  name: 'hook_deferred',
  code: 451,
  enhanced: '4.7.1',
  text: 'Temporary failure, try again later',
} as const;
export const tryLater = {
  name: 'try_later',
  code: 451,
  enhanced: '4.3.0',
  text: 'Temporary failure, try again later',
} as const;

// Bad commands and connections, and timeouts.
export const badLine = {
  name: 'bad_line',
  code: 500,
  enhanced: '5.5.2',
  text: 'Syntax error: a command is a line of text that ends with CR LF',
} as const;
export const lineTooLong = {
  name: 'line_too_long',
  code: 500,
  enhanced: '5.5.2',
  text: 'Line too long',
} as const; // RFC 5321 §4.5.3.1.9
export const unknownCommand = {
  name: 'unknown_command',
  code: 500,
  enhanced: '5.5.2',
  text: 'Command not recognized',
} as const;
export const badParameters = {
  name: 'bad_parameters',
  code: 501,
  enhanced: '5.5.4',
  text: 'Syntax error in parameters',
} as const;
export const unknownParameter = {
  name: 'unknown_parameter',
  code: 555,
  enhanced: '5.5.4',
  text: 'MAIL FROM or RCPT TO parameter not recognized or not implemented',
} as const; // RFC 5321 §4.1.1.11
export const badSequence = {
  name: 'bad_sequence',
  code: 503,
  enhanced: '5.5.1',
  text: 'Bad sequence of commands',
} as const;
export const needsTls = {
  name: 'needs_tls',
  code: 530,
  enhanced: '5.7.0',
  text: 'Must issue a STARTTLS command first',
} as const; // RFC 3207 §4
export const talkedTooSoon = {
  name: 'talked_too_soon',
  code: 421,
  enhanced: '4.7.0',
  text: 'Protocol violation: command before greeting',
} as const; // RFC 5321 §3.1: the server speaks first
export const speaksHttp = {
  name: 'speaks_http',
  code: 421,
  enhanced: '4.7.0',
  text: 'Protocol violation: HTTP request to an SMTP server',
} as const;
export const tooManyErrors = {
  name: 'too_many_errors',
  code: 421,
  enhanced: '4.7.0',
  text: 'Too many errors, closing connection',
} as const;
export const serverFull = {
  name: 'server_full',
  code: 421,
  enhanced: '4.3.2',
  text: 'Too many connections, try again later',
} as const;
export const notProxied = {
  name: 'not_proxied',
  code: 421,
  enhanced: '4.7.0',
  text: 'Direct connections are not allowed, use the load balancer',
} as const;
export const notTrusted = {
  name: 'not_trusted',
  code: 421,
  enhanced: '4.7.0',
  text: 'Your network may not use LMTP here',
} as const;
export const badProxyHeader = {
  name: 'bad_proxy_header',
  code: 421,
  enhanced: '4.7.0',
  text: 'PROXY protocol header missing or invalid',
} as const;
export const timedOut = {
  name: 'timed_out',
  code: 421,
  enhanced: '4.4.2',
  text: 'Timeout, closing connection',
} as const;
export const shuttingDown = {
  name: 'shutting_down',
  code: 421,
  enhanced: '4.3.2',
  text: 'Server is shutting down, try again later',
} as const;

const LIBRARY_REPLIES: readonly SmtpReply[] = [
  unknownCommand,
  badParameters,
  badSequence,
  timedOut,
  tooManyRecipients,
  needsTls,
  messageTooBig,
];

/** The reply under which a refusal that smtp-server chose itself is counted. */
export const libraryReply = (code: number): SmtpReply =>
  LIBRARY_REPLIES.find((reply) => reply.code === code) ?? tryLater;

/** The address that a refused email is for. Its `redact` also applies to the log. */
export type RefusedRecipient = { id: string; account_id: string; redact?: readonly string[] };
type Why = { cause?: unknown; recipient?: RefusedRecipient | undefined };

/** Thrown to refuse a command, with the reply to the client. */
export class SmtpRefusal extends Error {
  override readonly name = 'SmtpRefusal';
  readonly reply: SmtpReply;
  /** Undefined when RCPT found none, or was refused before it looked. */
  readonly recipient: RefusedRecipient | undefined;

  constructor(reply: SmtpReply, why?: Why) {
    super(reply.text, why);
    this.reply = reply;
    this.recipient = why?.recipient;
  }
}

/**
 * The reply to an error. Only a deliberate refusal can be permanent: a database outage must never
 * bounce mail.
 */
export const replyFor = (error: unknown): SmtpReply =>
  error instanceof SmtpRefusal ? error.reply : tryLater;
