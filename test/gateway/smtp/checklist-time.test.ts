/**
 * docs/project/smtp-checklist.md on time: silence, and the reply deadline (RFC 5321 §4.5.3.2; checklist 23).
 */
import { expect, test } from 'vitest';

import { GATEWAY_CONSTANTS } from '../../../services/gateway/process/constants.ts';
import { atMost } from '../../support/slowdown.ts';
import { dialogue } from '../../support/smtp-play.ts';
import { startRecordingGateway } from '../recording-gateway.ts';

test('checklist 23: the times are 5 minutes between commands, 3 within an email, 30 per email', () => {
  const minutes = 60_000;
  expect(GATEWAY_CONSTANTS).toMatchObject({
    idleMs: 5 * minutes,
    dataMs: 3 * minutes,
    mailMs: 30 * minutes,
    replyMs: 5 * minutes,
  });
});

test('checklist 23: silence between commands and within an email: 421, counted, and nothing is stored', async () => {
  const limitMs = atMost(1_000); // longer than a command takes
  await using gateway = await startRecordingGateway({}, { idleMs: limitMs, dataMs: limitMs });
  await using idle = await dialogue(gateway.port);
  const { smtp, addressId } = await gateway.inData();
  await using _ = smtp;
  smtp.socket.write('Subject: never ends\r\n');
  for (const one of [idle, smtp]) expect(await one.hear()).toMatch(/^421 4\.4\.2 Timeout/);
  expect(await gateway.recorded(addressId)).toEqual([]);
  for (const command of ['other', 'data'])
    expect(await gateway.count('inlet_mails_refused_total', { command, reply: 'timed_out' })).toBe(
      1,
    );
});

test('checklist 23: an email that is not stored in time gets 451, and the connection continues', async () => {
  await using gateway = await startRecordingGateway({}, { replyMs: 0 });
  const { smtp } = await gateway.inData();
  await using _ = smtp;
  expect(await smtp.say('Subject: x\r\n\r\nx\r\n.')).toBe(
    '451 4.3.0 Temporary failure, try again later',
  );
  expect(await smtp.say('NOOP')).toMatch(/^250 /);
});
