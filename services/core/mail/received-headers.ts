/**
 * The headers that a receiver adds above an email: Return-Path and Received (RFC 5321 §4.4). The
 * email itself is unchanged.
 */
import { mailDate } from './mail-date.ts';
import { splitMail } from './raw-mail.ts';

export type Hop = {
  mailFrom: string;
  /** The client's name in HELO or EHLO: any text. */
  helo: string;
  /** As the opening command says: HELO, EHLO or LHLO. */
  protocol: 'SMTP' | 'ESMTP' | 'LMTP';
  remoteIp: string;
  /** The name of this gateway. */
  by: string;
  id: string;
  isUtf8: boolean;
  tls: { version: string; cipher: string } | undefined;
  recipients: readonly string[];
  receivedAt: Date;
};

export const MAX_RECEIVED_HEADERS = 100; // RFC 5321 §6.3 requires at least 100

/** Both headers, each line ended by CRLF. Return-Path headers of the email remain below ours. */
export function receivedHeaders(hop: Hop): string {
  const [recipient] = hop.recipients;
  const lines = [
    `Return-Path: <${hop.mailFrom}>`,
    `Received: from ${safeName(hop.helo)} (${addressLiteral(hop.remoteIp)})${hop.tls ? ` (${hop.tls.version})` : ''}`,
    `\tby ${hop.by} with ${protocolOf(hop)} id ${hop.id}${hop.tls ? ` tls ${hop.tls.cipher}` : ''}`, // RFC 8314 §7.4
    // several recipients would see each other
    ...(recipient !== undefined && hop.recipients.length === 1 ? [`\tfor <${recipient}>`] : []),
  ];
  return `${lines.join('\r\n')};\r\n\t${mailDate(hop.receivedAt)}\r\n`;
}

/**
 * The TLS version of an email's last hop, such as `1.3`; empty without TLS.
 * @param all headers of an email that this gateway has received: its own Received header is first
 */
export function tlsVersionOf(all: readonly { name: string; value: string }[]): string {
  const received = all.find(({ name }) => name.toLowerCase() === 'received')?.value ?? '';
  return tlsNumber(/^from \S+ \(\S+\) \((TLSv[\d.]{1,8})\)/.exec(received)?.[1]);
}

/** `1.3` of `TLSv1.3`, as expressions have it. */
export const tlsNumber = (version: string | undefined): string =>
  version?.replace(/^TLSv/, '') ?? '';

/** RFC 3848, RFC 6531 §4.3. */
function protocolOf({ protocol, isUtf8, tls }: Hop): string {
  if (protocol === 'SMTP' && !isUtf8) return 'SMTP';
  const name = isUtf8 ? `UTF8${protocol === 'LMTP' ? 'LMTP' : 'SMTP'}` : protocol;
  return tls ? `${name}S` : name;
}

/** Only characters of domains and address literals: the client can send anything as its name. */
const safeName = (helo: string): string =>
  /^(\[[0-9a-z.:]+\]|[\p{L}\p{N}_][\p{L}\p{N}_.:-]*)$/iu.test(helo) ? helo : 'unknown';
const addressLiteral = (ip: string): string => (ip.includes(':') ? `[IPv6:${ip}]` : `[${ip}]`);

/** Number of Received headers: how often the email was forwarded. */
export function countReceived(raw: Buffer): number {
  const { head } = splitMail(raw.subarray(0, MAX_HEAD_BYTES));
  return head.toString('latin1').match(/^received:/gim)?.length ?? 0;
}

const MAX_HEAD_BYTES = 1024 * 1024;
