/** LMTP (RFC 2033) from a mail server in front of Inlet, which says who sent the email. */
import { expect, test } from 'vitest';

import { startPipeline } from '../../support/pipeline.ts';
import { dialogue, exchange } from '../../support/smtp-play.ts';
import { useInFile } from '../../support/use-in-file.ts';
import { storedMails } from '../stored-mail.ts';

const pipeline = await useInFile(
  startPipeline({
    withDispatcher: false,
    env: {
      LMTP_PORT: '0',
      LMTP_NETWORKS: '127.0.0.1/32',
      SOURCE_EXEMPT_NETWORKS: 'none',
      SOURCE_MESSAGES_PER_MINUTE: '1',
      SOURCE_UNKNOWN_PER_MINUTE: '1',
      MAX_MESSAGE_BYTES: '2048',
    },
  }),
);

test('one reply for each accepted recipient, also for two names of one address', async () => {
  const one = await pipeline.address('/unused');
  const other = await pipeline.address('/unused');
  await using lmtp = await dialogue(pipeline.lmtpPort);
  expect(lmtp.greeting).toContain('LMTP');
  expect(await lmtp.say('LHLO relay.example')).toContain('XFORWARD');
  await exchange(lmtp, [
    { send: 'MAIL FROM:<ann@sender.example>\r\n', expect: '250' },
    { send: `RCPT TO:<${one.address}>\r\n`, expect: '250' },
    { send: 'RCPT TO:<nobody@in.example>\r\n', expect: '550' },
    { send: `RCPT TO:<${other.address}>\r\n`, expect: '250' },
    { send: `RCPT TO:<${one.address.replace('@', '+tag@')}>\r\n`, expect: '250' },
    { send: 'DATA\r\n', expect: '354' },
  ]);
  const replies = [
    await lmtp.say(Buffer.from('Subject: x\r\n\r\nx\r\n.\r\n')),
    await lmtp.hear(),
    await lmtp.hear(),
  ];
  const ids = replies.map((reply) => /^250 2\.6\.0 OK: stored as (evt_\w+)$/.exec(reply)?.[1]);
  const [stored, storedOther] = await Promise.all([
    storedMails(pipeline.nats, one.id),
    storedMails(pipeline.nats, other.id),
  ]);
  const [eventId, otherId] = [stored[0]?.payload.event_id, storedOther[0]?.payload.event_id];
  expect(ids).toEqual([eventId, otherId, eventId]);
  expect(stored[0]?.payload.headers.all).toContainEqual({
    name: 'Received',
    value: expect.stringMatching(/with LMTP id/) as string,
  });
  expect(await lmtp.say('NOOP')).toMatch(/^250 /); // no reply too many
});

test('each recipient refuses or accepts the email for itself', async () => {
  const refusing = await pipeline.address('/unused', {
    rules: [{ name: 'all', when: 'true', action: 'refuse' }],
  });
  const open = await pipeline.address('/unused');
  await using lmtp = await dialogue(pipeline.lmtpPort);
  await exchange(lmtp, [
    { send: 'LHLO relay.example\r\nMAIL FROM:<>\r\n', expect: ['250', '250'] },
    { send: `RCPT TO:<${refusing.address}>\r\n`, expect: '250' },
    { send: `RCPT TO:<${open.address}>\r\n`, expect: '250' },
    { send: 'DATA\r\n', expect: '354' },
    { send: 'Subject: x\r\n\r\nx\r\n.\r\n', expect: ['550', '250'] },
    { send: 'NOOP\r\n', expect: '250' },
  ]);
  expect(await storedMails(pipeline.nats, refusing.id)).toEqual([]);
  expect(await storedMails(pipeline.nats, open.id)).toMatchObject([
    { payload: { envelope: { rcpt_to: [open.address] } } },
  ]);
});

test('a refused email has a reply for each recipient', async () => {
  const { address } = await pipeline.address('/unused');
  const loop = 'Received: from a\r\n'.repeat(101);
  await using lmtp = await dialogue(pipeline.lmtpPort);
  const replies = await exchange(lmtp, [
    { send: 'LHLO relay.example\r\nMAIL FROM:<>\r\n', expect: ['250', '250'] },
    { send: `RCPT TO:<${address}>\r\n`.repeat(2), expect: ['250', '250'] },
    { send: 'DATA\r\n', expect: '354' },
    { send: `${loop}\r\n.\r\n`, expect: ['554', '554'] },
    { send: 'NOOP\r\n', expect: '250' },
  ]);
  expect(replies.filter((reply) => reply.startsWith('554 5.4.6'))).toHaveLength(2);
});

test('XFORWARD names the client; no limit per source applies to the relay', async () => {
  const { id, address } = await pipeline.address('/unused');
  await using lmtp = await dialogue(pipeline.lmtpPort);
  await exchange(lmtp, [{ send: 'LHLO relay.example\r\n', expect: '250' }]);
  for (const ip of ['203.0.113.7', 'IPV6:2001:db8::7'])
    await exchange(lmtp, [
      { send: `XFORWARD NAME=mx.sender.example ADDR=${ip}\r\n`, expect: '250' },
      { send: 'XFORWARD HELO=mx.sender.example PROTO=ESMTP\r\n', expect: '250' },
      { send: 'MAIL FROM:<ann@sender.example>\r\n', expect: '250' },
      { send: 'RCPT TO:<nobody@in.example>\r\n', expect: '550' },
      { send: `RCPT TO:<${address}>\r\nDATA\r\n`, expect: ['250', '354'] },
      { send: 'Subject: x\r\n\r\nx\r\n.\r\n', expect: '250' },
    ]);
  const envelopes = (await storedMails(pipeline.nats, id))
    .map(({ payload }) => payload.envelope)
    .toSorted((one, other) => one.remote_ip.localeCompare(other.remote_ip)); // of two partitions
  expect(envelopes).toMatchObject([
    { remote_ip: '2001:db8::7', helo_domain: 'mx.sender.example' },
    { remote_ip: '203.0.113.7', helo_domain: 'mx.sender.example' },
  ]);
});

test('other networks may not use it, and SMTP knows neither LHLO nor XFORWARD', async () => {
  await using stranger = await dialogue(pipeline.lmtpPort, '127.0.0.2');
  expect(stranger.greeting).toBe('421 4.7.0 Your network may not use LMTP here');
  await using smtp = await dialogue(pipeline.smtpPort, '127.0.0.3');
  await exchange(smtp, [
    { send: 'LHLO a\r\n', expect: '500' },
    { send: 'EHLO a\r\nXFORWARD ADDR=203.0.113.7\r\n', expect: ['250', '500'] },
  ]);
  await using lmtp = await dialogue(pipeline.lmtpPort);
  await exchange(lmtp, [{ send: 'EHLO a\r\n', expect: '500' }]);
});
