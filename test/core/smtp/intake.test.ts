/** The envelope of a submitted email, and what its client does next. */
import { expect, test } from 'vitest';

import {
  readEnvelope,
  requireAccepted,
  submittedRecipient,
  unknownRecipient,
} from '../../../services/core/smtp/intake.ts';

const SOURCE = '198.51.100.1';

test('the envelope is read from headers', () => {
  expect(
    readEnvelope(
      {
        'svc-mail-from': '<ann@sender.example>',
        'svc-rcpt-to': 'a@in.example, <b@in.example>,"c, d"@in.example, a@in.example,',
        'svc-remote-ip': '2001:db8::7',
        'svc-helo-domain': 'mx.sender.example',
      },
      SOURCE,
    ),
  ).toEqual({
    mailFrom: 'ann@sender.example',
    recipients: ['a@in.example', 'b@in.example', '"c, d"@in.example'],
    remoteIp: '2001:db8::7',
    heloDomain: 'mx.sender.example',
  });
});

test('a bounce without headers but its recipient comes from the client itself', () => {
  const utf8 = Buffer.from('bücher@in.example').toString('latin1'); // as Node shows the bytes
  expect(readEnvelope({ 'svc-rcpt-to': utf8 }, SOURCE)).toEqual({
    mailFrom: '',
    recipients: ['bücher@in.example'],
    remoteIp: SOURCE,
    heloDomain: undefined,
  });
});

test.each([
  [{ 'svc-rcpt-to': '' }, 'Svc-Rcpt-To', 'required'],
  [{ 'svc-rcpt-to': 'a@in.example,b' }, 'Svc-Rcpt-To', 'invalid_value'],
  [{ 'svc-rcpt-to': 'a> NOTIFY=x <b@in.example' }, 'Svc-Rcpt-To', 'invalid_value'],
  [
    { 'svc-rcpt-to': Array.from({ length: 101 }, (_, i) => `${i}@in.example`).join() },
    'Svc-Rcpt-To',
    'too_long',
  ],
  [{ 'svc-rcpt-to': 'a@in.example', 'svc-mail-from': 'ann' }, 'Svc-Mail-From', 'invalid_value'],
  [{ 'svc-rcpt-to': 'a@in.example', 'svc-remote-ip': '1.2.3' }, 'Svc-Remote-Ip', 'invalid_value'],
  [
    { 'svc-rcpt-to': 'a@in.example', 'svc-helo-domain': 'a ADDR=1.2.3.4' },
    'Svc-Helo-Domain',
    'invalid_value',
  ],
])('%j is refused: %s %s', (headers, field, code) => {
  expect(() => readEnvelope(headers, SOURCE)).toThrow(
    expect.objectContaining({ kind: 'validation_failed', details: { field, code } }),
  );
});

const accepted = submittedRecipient('a@in.example', '250 2.6.0 OK: stored as evt_1');
const later = submittedRecipient('b@in.example', '450 4.7.1 Account is suspended, try again later');
const refused = unknownRecipient('c@in.example');

test('a reply of the gateway says what became of a recipient', () => {
  expect([accepted, later, refused]).toMatchObject([
    { result: 'accepted', event_id: 'evt_1' },
    { result: 'try_again', event_id: null },
    { result: 'refused', event_id: null, reply: '550 5.1.1 No such address' },
  ]);
  expect(submittedRecipient('a@in.example', '').result).toBe('try_again');
});

test('200 if one accepts and no other must be tried again; 422 if all refuse; else 503', () => {
  expect(() => requireAccepted([accepted, refused])).not.toThrow();
  expect(() => requireAccepted([refused])).toThrow(
    expect.objectContaining({ kind: 'validation_failed', recipients: [refused] }),
  );
  expect(() => requireAccepted([accepted, refused, later])).toThrow(
    expect.objectContaining({ kind: 'unavailable', recipients: [accepted, refused, later] }),
  );
});
