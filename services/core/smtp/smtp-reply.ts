/**
 * Every refusal of the gateway, by name (D21, D25; RFC 5321 §4.2, RFC 3463). An unexpected error is
 * temporary: the sender retries.
 */
import type { RefusalReply, RecipientRefusal, RefusedRecipient } from '../refusal/decided-by.ts';

export type SmtpReply = RefusalReply;

/** @param words the name, and the reply as on the wire: code, enhanced code and text */
function named(words: string): SmtpReply {
  const [name = '', code = '', enhanced = '', ...text] = words.split(' ');
  return { name, code: Number(code), enhanced, text: text.join(' ') };
}

export const noSuchAddress = named('no_such_address 550 5.1.1 No such address');
export const badAddress = named('bad_address 553 5.1.3 Recipient is not a valid mailbox address');
export const addressDisabled = named('address_disabled 550 5.2.1 Address is disabled');
export const accountSuspended = named(
  'account_suspended 450 4.7.1 Account is suspended, try again later',
); // temporary, because suspensions end
export const quotaSpent = named('quota_spent 452 4.2.2 Mailbox is over its quota, try again later');
export const tooManyRecipients = named(
  'too_many_recipients 452 4.5.3 Too many recipients, send the rest in another transaction',
);
export const needsSmtpUtf8 = named(
  'needs_smtputf8 553 5.6.7 Non-ASCII addresses require the SMTPUTF8 parameter',
); // RFC 6531 §3.5
export const messageTooBig = named('message_too_big 552 5.3.4 Message exceeds the size limit'); // RFC 1870 §6
export const outOfMemory = named('out_of_memory 452 4.3.1 Insufficient memory, try again later');
export const queueFull = named('queue_full 452 4.3.1 Queue is full, try again later');
export const tooManyConnections = named(
  'too_many_connections 421 4.7.0 Too many connections from your network, try again later',
);
export const tooManyNewConnections = named(
  'too_many_new_connections 421 4.7.0 Too many new connections from your network, try again later',
);
export const tooManyMessages = named(
  'too_many_messages 450 4.7.1 Too many messages from your network, try again later',
);
export const tooManyUnknown = named(
  'too_many_unknown 450 4.7.1 Too many unknown recipients from your network, try again later',
); // also for recipients that exist, so that the reply shows nothing
export const tooManyForAddress = named(
  'too_many_for_address 450 4.7.1 Too many messages for this address, try again later',
);
export const listedInBlocklist = named(
  'listed_in_blocklist 550 5.7.1 Your IP address is listed in a DNS blocklist',
);
export const loopDetected = named(
  'loop_detected 554 5.4.6 Too many hops: message has more than 100 Received headers',
); // RFC 5321 §6.3
export const spamRefused = named('spam_refused 550 5.7.1 Message rejected as spam');
export const virusRefused = named('virus_refused 550 5.7.1 Message rejected: it contains malware');
export const senderNotAllowed = named(
  'sender_not_allowed 550 5.7.1 Message rejected by the policy of the recipient',
); // the text reveals no rule
export const ruleRefused = { ...senderNotAllowed, name: 'rule_refused' } as const;
export const attachmentTypeRefused = named(
  'attachment_type_refused 550 5.7.1 The recipient does not accept attachments of this type',
);
export const attachmentTooBig = named(
  'attachment_too_big 552 5.2.3 An attachment exceeds the size limit of the recipient',
); // RFC 3463 §3.3: an administrative limit of the mailbox
/** A deciding hook may write another text. */
export const hookRefused = { ...senderNotAllowed, name: 'hook_refused' } as const;
export const hookDeferred = named('hook_deferred 451 4.7.1 Temporary failure, try again later');
export const tryLater = named('try_later 451 4.3.0 Temporary failure, try again later');

// Bad commands and connections, and timeouts.
export const badLine = named(
  'bad_line 500 5.5.2 Syntax error: a command is a line of text that ends with CR LF',
);
export const lineTooLong = named('line_too_long 500 5.5.2 Line too long'); // RFC 5321 §4.5.3.1.9
export const unknownCommand = named('unknown_command 500 5.5.2 Command not recognized');
export const badParameters = named('bad_parameters 501 5.5.4 Syntax error in parameters');
/** An address has at most 320 characters (RFC 5321 §4.5.3.1). */
export const pathTooLong = { ...badParameters, name: 'path_too_long', text: 'Path too long' };
export const unknownParameter = named(
  'unknown_parameter 555 5.5.4 MAIL FROM or RCPT TO parameter not recognized or not implemented',
); // RFC 5321 §4.1.1.11
export const badSequence = named('bad_sequence 503 5.5.1 Bad sequence of commands');
export const needsTls = named('needs_tls 530 5.7.0 Must issue a STARTTLS command first'); // RFC 3207 §4
export const talkedTooSoon = named(
  'talked_too_soon 421 4.7.0 Protocol violation: command before greeting',
); // RFC 5321 §3.1: the server speaks first
export const speaksHttp = named(
  'speaks_http 421 4.7.0 Protocol violation: HTTP request to an SMTP server',
);
export const tooManyErrors = named('too_many_errors 421 4.7.0 Too many errors, closing connection');
export const serverFull = named('server_full 421 4.3.2 Too many connections, try again later');
export const notProxied = named(
  'not_proxied 421 4.7.0 Direct connections are not allowed, use the load balancer',
);
export const notTrusted = named('not_trusted 421 4.7.0 Your network may not use LMTP here');
export const badProxyHeader = named(
  'bad_proxy_header 421 4.7.0 PROXY protocol header missing or invalid',
);
export const timedOut = named('timed_out 421 4.4.2 Timeout, closing connection');
export const shuttingDown = named(
  'shutting_down 421 4.3.2 Server is shutting down, try again later',
);

type Why = {
  cause?: unknown;
  recipient?: RefusedRecipient | undefined;
  at?: readonly RecipientRefusal[];
};

/** Thrown to refuse a command, with the reply to the client. */
export class SmtpRefusal extends Error {
  override readonly name = 'SmtpRefusal';
  readonly reply: SmtpReply;
  /** Undefined when RCPT found none, or was refused before it looked. */
  readonly recipient: RefusedRecipient | undefined;
  /** What each address decided at the end of DATA; empty before it. */
  readonly at: readonly RecipientRefusal[];

  constructor(reply: SmtpReply, why?: Why) {
    super(reply.text, why);
    this.reply = reply;
    this.recipient = why?.recipient;
    this.at = why?.at ?? [];
  }
}

/**
 * The reply to an error. Only a deliberate refusal can be permanent: a database outage must never
 * bounce mail.
 */
export const replyFor = (error: unknown): SmtpReply =>
  error instanceof SmtpRefusal ? error.reply : tryLater;
