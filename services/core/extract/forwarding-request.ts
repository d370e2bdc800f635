/**
 * Requests of Gmail, Outlook and iCloud to confirm that a mailbox forwards its email here: who sets up
 * such a forwarding needs the code or the link.
 */
import { bareUrls } from './shown-url.ts';
import { codesIn } from './codes.ts';
import type { ForwardingRequest } from './forwarded/forwarded-email.ts';

type Mail = {
  headers: { from: string | null; subject: string | null };
  text: string | null;
};

const TEXT_MAX_CHARS = 16 * 1024;
/** By the domain of the sender: hosts of links that confirm. */
const PROVIDERS: readonly { sender: RegExp; hosts: RegExp }[] = [
  {
    sender: /^forwarding-noreply@google\.com$/,
    hosts: /^(mail|mail-settings)\.google\.com$/,
  },
  {
    sender: /@(?:[\w-]+\.)*(?:microsoft|outlook|live|office|office365|hotmail)\.com$/,
    hosts: /(?:^|\.)(?:microsoft|outlook|live|office|office365)\.com$/,
  },
  {
    sender: /@(?:[\w-]+\.)*(?:apple|icloud|me)\.com$/,
    hosts: /(?:^|\.)(?:apple|icloud)\.com$/,
  },
];
const FORWARDING = new RegExp(
  'forward|weiterleit|transfert|transférer|reenv|inoltr|encaminh|reencaminh|doorst|vidarebefordr|videresend|' +
    'przekaz|przesyłan|пересыл|пересил|転送|转发|轉寄|자동 전달|전달|iletme|yönlendir|továbbít|redirecțion|προώθη|' +
    'העברה|إعادة توجيه|ส่งต่อ|chuyển tiếp|penerusan|teruskan',
  'i',
);
const ADDRESS = /[^\s<>()"',;:@[\]]{1,64}@[^\s<>()"',;:@[\]]{1,255}[^\s<>()"',;:@[\].]/g;
/** The number in a request of Gmail: `(#482913048) Gmail Forwarding Confirmation`. */
const NUMBER = /\(#(\d{6,12})\)/;

/** Null for other email. */
export function forwardingRequestOf({ headers, text }: Mail): ForwardingRequest | null {
  const [sender = ''] = headers.from?.toLowerCase().match(ADDRESS)?.slice(-1) ?? [];
  const provider = PROVIDERS.find((one) => one.sender.test(sender));
  const subject = headers.subject ?? '';
  const body = (text ?? '').slice(0, TEXT_MAX_CHARS);
  if (provider === undefined || !FORWARDING.test(`${subject}\n${body}`)) return null;
  const url = [...bareUrls(body)].find((one) => provider.hosts.test(hostOf(one))) ?? null;
  const code =
    NUMBER.exec(subject)?.[1] ??
    codesIn([
      { source: 'subject', text: subject },
      { source: 'text', text: body },
    ])[0]?.value ??
    null;
  if (url === null && code === null) return null;
  const [address = null] = `${subject}\n${body}`.match(ADDRESS) ?? [];
  return { address, code, url };
}

const hostOf = (url: string): string => (URL.canParse(url) ? new URL(url).hostname : '');
