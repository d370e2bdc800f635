/**
 * Sends emails at a steady rate. Like a mail server, it sends an email again, with the same bytes,
 * until it gets a 250.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Transporter } from 'nodemailer';

import type { Address } from '../../services/core/address/address.ts';
import type { Chance } from './chance.ts';
import { type Mood, MOOD_NAMES } from './moods.ts';

/** `begunMs`: of the try that got the 250. Its files are stored before the email is. */
export type Accepted = { subject: string; mood: Mood; begunMs: number; atMs: number };
/** The first try of an email, in milliseconds since 1970. `wasDeferred` if any try got a 4xx. */
export type Sent = { atMs: number; wasDeferred: boolean };

export type Load = {
  accepted: Accepted[];
  /** All emails, in the order of their first try. */
  sent: Sent[];
  /** Replies other than 250. */
  refusals: number;
  /** Emails with a permanent refusal, or without a 250 for too long. There must be none. */
  unsent: string[];
};

const FROM = 'a@b.example';
const AGAIN_MS = 300;
const GIVE_UP_MS = 300_000;
const LARGE_SHARE = 0.01;
// too large for a message, so the payload is stored in the object bucket
const FILLER = `${'x'.repeat(76)}\r\n`.repeat(8_000);

const withAttachment = (body: string): string[] => [
  'MIME-Version: 1.0',
  'Content-Type: multipart/mixed; boundary=b',
  '',
  '--b',
  '',
  'text',
  '--b',
  'Content-Disposition: attachment; filename=a.txt',
  '',
  body,
  '--b--',
];

/** Sends until `untilMs`; resolves when every email has its 250 or was given up. */
export async function sendLoad(
  mailer: Transporter,
  addresses: ReadonlyMap<Mood, Address>,
  chance: Chance,
  { perSecond, untilMs }: { perSecond: number; untilMs: number },
): Promise<Load> {
  const load: Load = { accepted: [], sent: [], refusals: 0, unsent: [] };
  const sending: Promise<void>[] = [];

  const send = async (subject: string, mood: Mood, body: string): Promise<void> => {
    const to = addresses.get(mood)?.address ?? '';
    const raw = [
      `From: ${FROM}`,
      `To: ${to}`,
      `Subject: ${subject}`,
      `Message-ID: <${subject.replaceAll(' ', '-')}@b.example>`,
      ...(mood === 'linked' ? withAttachment(body) : ['', body]),
      '',
    ].join('\r\n');
    const sent: Sent = { atMs: Date.now(), wasDeferred: false };
    load.sent.push(sent);
    for (const deadline = Date.now() + GIVE_UP_MS; Date.now() < deadline; await sleep(AGAIN_MS)) {
      const begunMs = Date.now();
      try {
        await mailer.sendMail({ envelope: { from: FROM, to }, raw });
        load.accepted.push({ subject, mood, begunMs, atMs: Date.now() });
        return;
      } catch (error) {
        load.refusals++;
        sent.wasDeferred = true;
        if (((error as { responseCode?: number }).responseCode ?? 451) >= 500) break;
      }
    }
    load.unsent.push(subject);
  };

  const startedMs = Date.now();
  for (let i = 0; Date.now() < untilMs; i++) {
    sending.push(
      send(`chaos ${i}`, chance.oneOf(MOOD_NAMES), chance.next() < LARGE_SHARE ? FILLER : 'text'),
    );
    await sleep(Math.max(0, startedMs + ((i + 1) * 1000) / perSecond - Date.now()));
  }
  await Promise.all(sending);
  return load;
}
