/** Which refusals are recorded. What a record is, and who sees it: test/api/refusal. */
import { expect, test } from 'vitest';

import { createLog } from '../../../services/adapters/process/log.ts';
import { senderNotAllowed, SmtpRefusal } from '../../../services/core/smtp/smtp-reply.ts';
import { createRefusalRecords } from '../../../services/gateway/refusals/refusal-records.ts';
import { newAddress } from '../../support/new-address.ts';

test.each([
  { isOff: false, recorded: 1 },
  { isOff: true, recorded: 0 }, // REFUSALS_RETENTION=0
])('isOff: $isOff: $recorded recorded, and counted by account', async ({ isOff, recorded }) => {
  const recipient = { ...newAddress('https://receiver.example/'), redact: undefined };
  const added: unknown[] = [];
  const counted: string[] = [];
  {
    await using records = createRefusalRecords(
      async (batch) => {
        added.push(...batch);
        return 0;
      },
      async () => undefined,
      {
        isOff,
        metrics: {
          refusedAt: (accountId) => void counted.push(accountId),
          refusalsUnrecorded: () => undefined,
        },
        clock: () => new Date(),
      },
      createLog('silent'),
    );
    const mailboxes = [{ named: recipient.address, recipient }];
    const email = { command: 'rcpt', mailboxes, sender: 'ann@sender.example' } as const;
    records.record(
      new SmtpRefusal(senderNotAllowed),
      { ...email, remoteIp: '192.0.2.1' },
      'mx.sender.example',
    );
  } // it writes the last ones
  expect(added).toHaveLength(recorded);
  expect(counted).toEqual([recipient.account_id]);
});
