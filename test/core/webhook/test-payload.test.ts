/** The sample of a test webhook is a payload like any other, and says that it is a test. */
import { expect, test } from 'vitest';

import { WebhookPayload } from '../../../services/core/webhook/payload.ts';
import { testPayload } from '../../../services/core/webhook/test-payload.ts';

const NOW = new Date('2026-11-21T08:00:00Z');

test('spec 6.1: it has every field of the payload, and is_test in addition', () => {
  const { is_test, ...payload } = testPayload(
    { id: 'addr_1', address: 'a@in.example' },
    'evt_1',
    NOW,
  );
  expect(is_test).toBe(true);
  expect(WebhookPayload.strict().parse(payload)).toEqual(payload);
  expect(payload).toMatchObject({
    event_id: 'evt_1',
    address_id: 'addr_1',
    envelope: { rcpt_to: ['a@in.example'] },
    metadata: { retry_count: 0 },
  });
});

test('K.1: it has what the receiver extracts, and nothing else of that', () => {
  const address = { id: 'addr_1', address: 'a@in.example' };
  expect(testPayload(address, 'evt_1', NOW)).not.toHaveProperty('extracted');
  const payload = testPayload(address, 'evt_1', NOW, ['codes', 'bounce']);
  expect(payload.extracted).toEqual({ codes: [expect.any(Object)], bounce: null });
  expect(WebhookPayload.parse(payload)).toMatchObject({ extracted: payload.extracted });
});

test('it has reply exactly when the payloads of the address have it', () => {
  const address = { id: 'addr_1', address: 'a@in.example' };
  const sampleOf = (reply_addresses: boolean) =>
    testPayload({ ...address, reply_addresses }, 'evt_1', NOW);
  expect(sampleOf(false)).not.toHaveProperty('reply');
  expect(WebhookPayload.parse(sampleOf(true)).reply).toEqual({
    status: 'none',
    reference: null,
    expires_at: null,
    sender: null,
  });
});
