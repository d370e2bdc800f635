/**
 * docs/smtp-checklist.md on time: silence, and the reply deadline (RFC 5321 §4.5.3.2; checklist 23).
 */
import { expect, test } from 'vitest';

import { readConfig } from '../../../services/adapters/process/config.ts';
import { GatewayConfig } from '../../../services/gateway/process/config.ts';
import { atMost } from '../../support/slowdown.ts';
import { dialogue } from '../../support/smtp-play.ts';
import { startRecordingGateway } from '../recording-gateway.ts';

test('checklist 23: the defaults are 5 minutes between commands, 3 within an email, 30 per email', () => {
  const config = readConfig(GatewayConfig, {
    NATS_URL: 'nats://127.0.0.1',
    MONGODB_URI: 'mongodb://127.0.0.1',
  });
  const minutes = 60_000;
  expect(config).toMatchObject({
    SMTP_IDLE_TIMEOUT: 5 * minutes,
    SMTP_DATA_TIMEOUT: 3 * minutes,
    SMTP_MAIL_TIMEOUT: 30 * minutes,
    SMTP_REPLY_TIMEOUT: 5 * minutes,
  });
});

test('checklist 23: silence between commands and within an email: 421, counted, and nothing is stored', async () => {
  const limit = `${atMost(1_000)}ms`; // longer than a command takes
  await using gateway = await startRecordingGateway({
    SMTP_IDLE_TIMEOUT: limit,
    SMTP_DATA_TIMEOUT: limit,
  });
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
  await using gateway = await startRecordingGateway({ SMTP_REPLY_TIMEOUT: '0ms' });
  const { smtp } = await gateway.inData();
  await using _ = smtp;
  expect(await smtp.say('Subject: x\r\n\r\nx\r\n.')).toBe(
    '451 4.3.0 Temporary failure, try again later',
  );
  expect(await smtp.say('NOOP')).toMatch(/^250 /);
});
