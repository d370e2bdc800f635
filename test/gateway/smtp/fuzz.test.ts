/**
 * Random emails arrive byte for byte, wherever TCP splits them. Random commands get a reply that
 * never blames the client for a fault of the gateway, and do not affect other clients.
 */
import { afterAll, beforeAll, expect, test } from 'vitest';

import { openMailStreams } from '../../../services/adapters/stream/replay.ts';
import * as replies from '../../../services/core/smtp/smtp-reply.ts';
import { fc, slowRuns } from '../../support/random.ts';
import { dialogue, type SmtpDialogue, writeAlone } from '../../support/smtp-play.ts';
import { readObject } from '../../support/stored-bytes.ts';
import { type RecordingGateway, startRecordingGateway } from '../recording-gateway.ts';
import { storedMails } from '../stored-mail.ts';

let gateway: RecordingGateway;
let rawOf: (eventId: string) => Promise<Buffer>;
beforeAll(async () => {
  gateway = await startRecordingGateway({ MAX_MESSAGE_BYTES: '20000' });
  const streams = await openMailStreams(gateway.pipeline.nats);
  rawOf = async (eventId) =>
    (await readObject(streams, streams.linked, eventId)) ?? Buffer.alloc(0);
});
afterAll(() => gateway[Symbol.asyncDispose]());

/** An email as a client sends it (RFC 5321 §4.5.2). */
function stuffed(mail: Buffer): Buffer {
  const whole = endsLine(mail);
  return Buffer.from(
    `${whole
      .toString('latin1')
      .replace(/^\./, '..')
      .replace(/\r\n\./g, '\r\n..')}.\r\n`,
    'latin1',
  );
}
const endsLine = (mail: Buffer): Buffer =>
  mail.byteLength === 0 || mail.subarray(-2).equals(CRLF) ? mail : Buffer.concat([mail, CRLF]);
const CRLF = Buffer.from('\r\n');

/** Sends these bytes in pieces that end at these places. */
async function sendCut(smtp: SmtpDialogue, bytes: Buffer, cuts: readonly number[]): Promise<void> {
  const ends = [...new Set(cuts.map((cut) => cut % (bytes.byteLength + 1)))].toSorted(
    (one, other) => one - other,
  );
  let from = 0;
  for (const end of [...ends, bytes.byteLength]) {
    if (end > from) await writeAlone(smtp.socket, bytes.subarray(from, end));
    from = end;
  }
}

const pieces = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.constantFrom(
      '\r\n',
      '.',
      '\r',
      '\n',
      '..',
      '\r\n.\r',
      '\r\n.\n',
      '\n.\r\n',
      '\0',
      ' ',
      'Subject: x',
      'Content-Type: multipart/mixed; boundary=b',
      '--b',
      ':',
      '=?utf-8?q?=ff?=',
      'MAIL FROM:<a@b.example>',
    ),
  },
  {
    weight: 2,
    arbitrary: fc
      .uint8Array({ maxLength: 30 })
      .map((bytes) => Buffer.from(bytes).toString('latin1')),
  },
);
const mails = fc.array(pieces, { maxLength: 40 }).map((all) => Buffer.from(all.join(''), 'latin1'));
const cuts = fc.array(fc.nat(5_000), { maxLength: 6 });

test('checklist 1, 2, 4: random bytes as an email arrive unchanged, wherever TCP splits them', async () => {
  const { address } = await gateway.newAddress();
  await using smtp = await dialogue(gateway.port);
  await smtp.say('EHLO mx.sender.example');
  await fc.assert(
    fc.asyncProperty(mails, cuts, async (mail, places) => {
      for (const line of ['RSET', 'MAIL FROM:<ann@sender.example>', `RCPT TO:<${address}>`, 'DATA'])
        await smtp.say(line);
      await sendCut(smtp, stuffed(mail), places);
      const reply = await smtp.hear();
      const [, eventId = ''] = /^250 2\.6\.0 OK: stored as (evt_\w+)$/.exec(reply) ?? [];
      expect(eventId).not.toBe('');
      const expected = endsLine(mail);
      const kept = await rawOf(eventId);
      expect(kept.subarray(kept.byteLength - expected.byteLength).toString('latin1')).toBe(
        expected.toString('latin1'),
      );
      expect(kept.toString('latin1', 0, kept.byteLength - expected.byteLength)).toMatch(
        /^Return-Path: <ann@sender\.example>\r\nReceived: [^]* \+0000\r\n$/,
      );
    }),
    slowRuns(150),
  );
});

const verbs = fc.constantFrom(
  'EHLO',
  'HELO',
  'MAIL',
  'RCPT',
  'DATA',
  'RSET',
  'NOOP',
  'VRFY',
  'HELP',
  'QUIT',
  'STARTTLS',
  'AUTH',
  'BDAT',
  'XCLIENT',
  'mail from',
  '',
  'PROXY',
);
const arguments_ = fc.constantFrom(
  '',
  ' x',
  ' FROM:<>',
  ' FROM:<a@b.example>',
  ' FROM:<a@b.example> SIZE=10',
  ' FROM:<a@b.example> SIZE=99999',
  ' FROM:<ü@b.example> SMTPUTF8',
  ' FROM:<ü@b.example>',
  ' FROM:<"a <b@c>"@b.example>',
  ' TO:<"HERE">',
  ' TO:<HERE>',
  ' TO:<nobody@in.example>',
  ' TO:<>',
  ' TO:<a@b',
  ' 5 LAST',
  ' TCP4 1.2.3.4 1.2.3.4 1 1',
);
const ends = fc.oneof(
  { weight: 8, arbitrary: fc.constant('\r\n') },
  { weight: 1, arbitrary: fc.constantFrom('\n', '\r', '\r\r\n', '\0\r\n', '') },
);
const lines = fc.oneof(
  { weight: 6, arbitrary: fc.tuple(verbs, arguments_, ends).map((parts) => parts.join('')) },
  {
    weight: 4,
    arbitrary: fc.constantFrom(
      'EHLO a\r\nMAIL FROM:<a@b.example>\r\nRCPT TO:<HERE>\r\nDATA\r\nSubject: whole\r\n\r\n',
      '.\r\n',
      'RSET\r\n',
    ),
  },
  {
    weight: 1,
    arbitrary: fc
      .uint8Array({ maxLength: 60 })
      .map((bytes) => Buffer.from(bytes).toString('latin1')),
  },
  { weight: 1, arbitrary: fc.nat(30_000).map((length) => `${'x'.repeat(length)}\r\n`) },
);
const scripts = fc.array(lines, { maxLength: 25 });
/** Clients of the same time: most of the time of each is a pause before its connection ends. */
const CLIENTS = 6;
const clients = fc.array(fc.tuple(scripts, cuts), { minLength: CLIENTS, maxLength: CLIENTS });

/** Every reply to a fault of the client. 451 and 452 would be a fault of the gateway. */
const DESERVED = new Set([
  '220',
  '250',
  '221',
  '252',
  '214',
  '354',
  '553',
  '550',
  '554',
  '552',
  '421',
  ...Object.values(replies).flatMap((reply) =>
    'code' in reply && reply.code >= 500 ? [String(reply.code)] : [],
  ),
]);

test('random commands: refusals are deserved, accepted emails are stored, the next client is served', async () => {
  const { address, id } = await gateway.newAddress();
  const taken = new Set<string>();
  const play = async ([script, places]: [string[], number[]]) => {
    await using smtp = await dialogue(gateway.port);
    const bytes = Buffer.from(script.join('').replaceAll('HERE', address), 'latin1');
    await sendCut(smtp, bytes, places);
    smtp.socket.end();
    const heard = await smtp.end();
    for (const reply of heard.split('\r\n').slice(0, -1)) {
      expect(reply).toMatch(/^\d{3}[ -]/);
      expect(DESERVED).toContain(reply.slice(0, 3));
      const [, eventId] = /stored as (evt_\w+)/.exec(reply) ?? [];
      if (eventId) taken.add(eventId);
    }
  };
  await fc.assert(
    fc.asyncProperty(clients, async (all) => {
      await Promise.all(all.map(play));
    }),
    slowRuns(150 / CLIENTS),
  );
  const stored = new Set(
    (await storedMails(gateway.pipeline.nats, id)).map(({ event }) => event.event_id),
  );
  expect([...taken].filter((eventId) => !stored.has(eventId))).toEqual([]);
  expect(await gateway.count('inlet_mails_refused_total', { reply: 'try_later' })).toBe(0);
  await expect(
    gateway.pipeline.mailer.sendMail({
      from: 'ann@sender.example',
      to: address,
      text: 'still there',
    }),
  ).resolves.toMatchObject({ response: expect.stringMatching(/^250 /) });
  expect(await gateway.count('inlet_smtp_connections')).toBe(1); // the mailer's
});
