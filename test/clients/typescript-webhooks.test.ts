/** verifyWebhook of @inlet-email/client: what it accepts, and what it refuses. */
import { expect, test } from 'vitest';

import { verifyNotification, verifyWebhook } from '../../docs/clients/typescript/src/inlet.ts';
import { BODY, refusedWebhooks, SECRET, signed, validWebhooks } from './signed-webhooks.ts';

const BYTES = Buffer.from(BODY);

test.each(validWebhooks())('L.5: a webhook of Inlet: $title', async ({ headers, secrets }) => {
  expect(await verifyWebhook(BYTES, headers, secrets)).toEqual(JSON.parse(BODY));
  expect(await verifyWebhook(BYTES, new Headers(headers), secrets)).toMatchObject({});
  expect(await verifyNotification(BODY, headers, secrets)).toMatchObject({ event_id: 'evt_1' });
});

test.each(refusedWebhooks())('L.5: refuses $title', async ({ headers, secrets, kind }) => {
  await expect(verifyWebhook(BYTES, headers, secrets)).rejects.toMatchObject({
    name: 'WebhookVerificationError',
    kind,
  });
});

test('L.5: a body that is not JSON, and what is no secret', async () => {
  const headers = signed([SECRET], new Date(), 'x');
  await expect(verifyWebhook('x', headers, SECRET)).rejects.toMatchObject({ kind: 'body' });
  await expect(verifyWebhook('x', headers, 'secret')).rejects.toThrow(TypeError);
  await expect(verifyWebhook('x', headers, [])).rejects.toMatchObject({ kind: 'signature' });
});
