/** The demo receiver's signature check, and how a webhook is printed. */
import { createHmac } from 'node:crypto';

import { expect, test } from 'vitest';

import {
  signatureIsValid,
  type Webhook,
} from '../../../services/standalone/round-trip/receiver.ts';
import { createWebhookTexts, webhookText } from '../../../services/standalone/screen.ts';

const SECRET = 'whsec_c2VjcmV0';
const BODY = Buffer.from('{"event_id":"evt_1"}');
const NOW = new Date('2026-01-02T03:04:05Z');
const t = NOW.getTime() / 1000;
const s = (at: number | string, secret = SECRET, body = BODY) =>
  createHmac('sha256', secret).update(`${at}.${body.toString()}`).digest('hex');

test.each([
  ['a right signature', `v1,t=${t},s=${s(t)}`, true],
  [
    'the second of two, after the secret was rotated',
    `v1,t=${t},s=${s(t, 'whsec_old')},s=${s(t)}`,
    true,
  ],
  ['300 seconds of age', `v1,t=${t - 300},s=${s(t - 300)}`, true],
  ['301 seconds of age', `v1,t=${t - 301},s=${s(t - 301)}`, false],
  ['a time in the future', `v1,t=${t + 301},s=${s(t + 301)}`, false],
  ['another secret', `v1,t=${t},s=${s(t, 'whsec_other')}`, false],
  ['another body', `v1,t=${t},s=${s(t, SECRET, Buffer.from('{}'))}`, false],
  ['another time than the signed one', `v1,t=${t - 1},s=${s(t)}`, false],
  ['another version', `v2,t=${t},s=${s(t)}`, false],
  ['a shortened signature', `v1,t=${t},s=${s(t).slice(0, 32)}`, false],
  ['no signature', `v1,t=${t}`, false],
  ['no time', `v1,s=${s('')}`, false],
  ['nothing', '', false],
])('signature check: %s', (_, header, isValid) => {
  expect(signatureIsValid(header, BODY, SECRET, NOW)).toBe(isValid);
});

const webhook: Webhook = {
  event_id: 'evt_1',
  address_id: 'addr_1',
  envelope: { mail_from: 'a@b.test', rcpt_to: ['c@d.test'] },
  headers: { from: null, to: null, subject: 'red \u001B[31m', message_id: null },
  content: { text: 'line\n\u0007bell', html: null, size_bytes: 12_345 },
  attachments: [{ filename: 'a\u202Egpj.exe', content_type: 'image/png', size_bytes: 3 }],
};

test('many webhooks are few lines', () => {
  const textOf = createWebhookTexts();
  const texts = Array.from({ length: 3_051 }, () => textOf(webhook) ?? '');
  expect(texts[0]).toContain('  attached ');
  const line = 'webhook received  evt_1  a@b.test → c@d.test: red �[31m\n';
  expect(texts.slice(1, 10)).toEqual(Array.from({ length: 9 }, () => line));
  const sums = texts.slice(10).filter((text) => text !== '');
  expect(sums).toHaveLength(8 + 9 + 3);
  expect(sums.at(-1)).toBe('3,000 webhooks received\n');
});

test('control characters of an email do not reach the terminal', () => {
  expect(webhookText(webhook).split('\n')).toEqual([
    'webhook received, signature verified',
    '  event    evt_1',
    '  from     a@b.test',
    '  to       c@d.test',
    '  subject  red �[31m',
    '  text     line �bell',
    '  attached a�gpj.exe, image/png, 3 bytes',
    '  size     12,345 bytes',
  ]);
});
