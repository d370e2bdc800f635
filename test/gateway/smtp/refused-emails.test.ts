/** The log line of each refused email says who wrote to whom, and why it was refused (D297). */
import { expect, test } from 'vitest';

import { createLog } from '../../../services/adapters/process/log.ts';
import { startPipeline } from '../../support/pipeline.ts';
import { dialogue, exchange } from '../../support/smtp-play.ts';
import { until } from '../../support/until.ts';
import { useInFile } from '../../support/use-in-file.ts';
import { rawMail, sendByHand } from '../send-by-hand.ts';

type Line = Record<string, unknown> & { event: string };

const lines: Line[] = [];
const log = createLog('info', {}, { write: (line) => void lines.push(JSON.parse(line) as Line) });
const gateway = await useInFile(
  startPipeline({
    withDispatcher: false,
    log,
    env: { LMTP_PORT: '0', LMTP_NETWORKS: '127.0.0.1/32', MAX_MESSAGE_BYTES: '100000' },
  }),
);

/** The lines about refusals since this call. */
function listen(): () => Promise<Line[]> {
  const from = lines.length;
  const refusals = () => lines.slice(from).filter(({ event }) => event === 'mail.refused');
  return async () => {
    await until('a line', () => refusals().length > 0);
    return refusals();
  };
}
const refuseAll = { rules: [{ name: 'all', when: 'subject != ""', action: 'refuse' as const }] };
const ANN = { sender: 'ann@sender.example', remote_ip: '127.0.0.1' };

test('at DATA: sender, mailbox, Message-ID and the reason', async () => {
  const { address, id, account_id } = await gateway.address('/unused', refuseAll);
  const heard = listen();
  expect(await sendByHand(gateway.smtpPort, address, rawMail('not wanted'))).toMatch(
    /^550 5\.7\.1/,
  );
  expect(await heard()).toEqual([
    expect.objectContaining({
      ...ANN,
      command: 'data',
      mailbox: address,
      address_id: id,
      account_id,
      message_id: '<not-wanted@sender.example>',
      reason: 'rule_refused',
      reply_code: 550,
      enhanced_code: '5.7.1',
    }),
  ]);
});

test('an email that is too large: the Message-ID is that of its beginning', async () => {
  const { address } = await gateway.address('/unused');
  const heard = listen();
  const reply = await sendByHand(gateway.smtpPort, address, rawMail('too large', 200_000));
  expect(reply).toMatch(/^552 5\.3\.4/);
  expect(await heard()).toMatchObject([
    {
      ...ANN,
      mailbox: address,
      reason: 'message_too_big',
      message_id: '<too-large@sender.example>',
    },
  ]);
});

test('at MAIL: a declared size above the limit', async () => {
  const heard = listen();
  await using smtp = await dialogue(gateway.smtpPort);
  await exchange(smtp, [
    {
      send: 'EHLO a\r\nMAIL FROM:<ann@sender.example> SIZE=100001\r\n',
      expect: ['250', '552 5.3.4'],
    },
  ]);
  expect(await heard()).toMatchObject([{ ...ANN, command: 'mail', reason: 'message_too_big' }]);
});

test.each([
  ['an unknown address', undefined, 'no_such_address'],
  ['a disabled address', { is_enabled: false }, 'address_disabled'],
  ['a deleted address', { deleted_at: new Date() }, 'no_such_address'],
])('at RCPT: %s', async (_, fields, reason) => {
  const address = fields && (await gateway.address('/unused', fields));
  const named = address?.address ?? 'nobody@in.example';
  const heard = listen();
  expect(await sendByHand(gateway.smtpPort, named, rawMail('x'))).toMatch(/^550 /);
  expect(await heard()).toMatchObject([
    { ...ANN, command: 'rcpt', mailbox: named, reason, ...(address && { address_id: address.id }) },
  ]);
});

test.each([
  ['at RCPT', { is_enabled: false }],
  ['at DATA', refuseAll],
])('%s, an address that redacts its senders has none in the log', async (_, fields) => {
  const { address, id } = await gateway.address('/unused', { ...fields, redact: ['from'] });
  const heard = listen();
  expect(await sendByHand(gateway.smtpPort, address, rawMail('private'))).toMatch(/^550 /);
  const refusals = await heard();
  expect(refusals).toMatchObject([{ mailbox: address, address_id: id }]);
  expect(JSON.stringify(refusals)).not.toMatch(/sender\.example|private/);
});

test('LMTP: a line for each recipient that refuses, with the client that the relay names', async () => {
  const refusing = await gateway.address('/unused', refuseAll);
  const open = await gateway.address('/unused');
  const heard = listen();
  await using lmtp = await dialogue(gateway.lmtpPort);
  await exchange(lmtp, [
    { send: 'LHLO relay.example\r\nXFORWARD ADDR=203.0.113.7\r\n', expect: ['250', '250'] },
    { send: 'MAIL FROM:<>\r\n', expect: '250' },
    {
      send: `RCPT TO:<${refusing.address}>\r\nRCPT TO:<${open.address}>\r\n`,
      expect: ['250', '250'],
    },
    { send: 'DATA\r\n', expect: '354' },
    { send: `${rawMail('by relay')}.\r\n`, expect: ['550', '250'] },
  ]);
  expect(await heard()).toMatchObject([
    {
      sender: '',
      mailbox: refusing.address,
      address_id: refusing.id,
      message_id: '<by-relay@sender.example>',
      remote_ip: '203.0.113.7',
    },
  ]);
});

test('the words of replies are ours', async () => {
  await using smtp = await dialogue(gateway.smtpPort);
  expect(await smtp.say('HELO mx.sender.example')).toMatch(/^250 \S+$/);
  expect(await smtp.say('HELP')).toMatch(/^214 2\.0\.0 Commands: EHLO, /);
  expect(await smtp.say('VRFY ann')).toMatch(/^252 2\.1\.5 Send an email: addresses are checked/);
  expect(await smtp.say('MAIL FROM:ann')).toBe('501 5.1.7 Syntax error in parameters');
  expect(await smtp.say('MAIL FROM:<a@b.example> RET=HDRS')).toBe(
    '555 5.5.4 MAIL FROM or RCPT TO parameter not recognized or not implemented',
  );
  expect(await smtp.say('DATA')).toBe('503 5.5.1 Bad sequence of commands');
});
