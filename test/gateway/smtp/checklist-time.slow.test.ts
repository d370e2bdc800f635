/** docs/smtp-checklist.md on time, where a limit has to pass (checklist 23). */
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';

import { startRecordingGateway } from '../recording-gateway.ts';

test.each([
  ['an email', 'x', /^250 /],
  ['an email that was too large', 'x'.repeat(2_000), /^552 /],
])('checklist 23: after %s the limit between commands applies again', async (_, body, reply) => {
  await using gateway = await startRecordingGateway({
    SMTP_IDLE_TIMEOUT: '1h',
    SMTP_DATA_TIMEOUT: '5s',
    MAX_MESSAGE_BYTES: '1024',
  });
  const { smtp } = await gateway.inData();
  await using __ = smtp;
  expect(await smtp.say(`Subject: x\r\n\r\n${body}\r\n.`)).toMatch(reply);
  await sleep(6_000);
  expect(await smtp.say('NOOP')).toMatch(/^250 /);
});
