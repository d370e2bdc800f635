/** The audit trail when its events cannot be written. */
import { expect, test } from 'vitest';

import { createLog } from '../../services/adapters/process/log.ts';
import { createAudit } from '../../services/platform/audit.ts';

const add = () => Promise.reject(new Error('away'));

test('an event that cannot be written is logged without its data', async () => {
  const lines: string[] = [];
  const log = createLog('info', {}, { write: (line) => void lines.push(line) });
  const caller = { account_id: 'acc_1', environment: 'live' as const };
  await createAudit({ add }, log)(
    { caller, now: new Date() },
    {
      type: 'address.created',
      address_id: 'addr_1',
      data: { webhook_url: 'https://shop.example/hooks/token' },
    },
  );
  expect(lines).toHaveLength(1);
  expect(JSON.parse(lines[0] ?? '')).toMatchObject({
    event: 'event.not_written',
    type: 'address.created',
    address_id: 'addr_1',
  });
  expect(lines[0]).not.toContain('shop.example');
});
