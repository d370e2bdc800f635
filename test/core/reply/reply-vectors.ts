/** Reply addresses made with openssl, which the server, both clients and docs/reply-addresses.md share. */
import { EXAMPLE } from '../../../services/core/resource/api-reference.ts';

export const MAILBOX = 'support@in.example.com';
export const REPLY = { reference: 'ticket-42', expiresAt: new Date('2026-12-21T08:00:00Z') };
export const SIGNED_WITH = { key: EXAMPLE.reply_key, addressId: EXAMPLE.address_id };

/**
 * m() { printf '%s' "$1" | openssl dgst -sha256 -mac HMAC -macopt "key:$KEY" -binary |
 *   head -c "$2" | basenc --base32hex | tr 'A-V' 'a-v'; }
 * m "$ID|ticket-42|6b28dc80" 10
 * S=$(m "$ID|ticket-42|6b28dc80|ann@sender.example" 5); m "$ID|ticket-42|6b28dc80|$S" 10
 */
export const VECTORS: [what: string, sender: string | undefined, tag: string][] = [
  ['for anybody', undefined, 'rticket-42.6b28dc80.kdo64c0c5i4vtib5'],
  ['bound', 'ann@sender.example', 'rticket-42.6b28dc80.jp1ln10o.q21b6oha15e4u45b'],
];

/** What the API and both clients refuse. */
export const REFUSED: { reference?: string; sender?: string }[] = [
  { reference: '' },
  { reference: 'Ticket' },
  { reference: 'a.b' },
  { reference: 'a'.repeat(60) },
  { sender: 'ann' },
];
