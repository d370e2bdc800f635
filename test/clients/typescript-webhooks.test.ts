/** verifyWebhook of @inlet-email/client: what it accepts, and what it refuses. */
import { Webhook } from 'standardwebhooks';
import { expect, test } from 'vitest';

import {
  verifyHook,
  verifyNotification,
  verifyWebhook,
} from '../../services/clients/typescript/src/inlet.ts';
import { questionSecret } from '../../services/core/webhook/signature.ts';
import {
  BODY,
  questions,
  refusedWebhooks,
  SECRET,
  signed,
  validWebhooks,
} from './signed-webhooks.ts';

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

test.each(questions())('D311: $title is no webhook', async ({ body, headers, secrets }) => {
  expect(await verifyHook(body, headers, secrets)).toMatchObject({ event_id: 'ask_1' });
  for (const verify of [verifyWebhook, verifyNotification])
    await expect(verify(body, headers, secrets)).rejects.toMatchObject({ kind: 'signature' });
});

test.each(validWebhooks())('D311: $title is no question', async ({ headers, secrets }) => {
  await expect(verifyHook(BODY, headers, secrets)).rejects.toMatchObject({ kind: 'signature' });
});

test('D311: a package of Standard Webhooks verifies a question with its secret alone', () => {
  const [{ body, headers }] = questions() as [ReturnType<typeof questions>[0]];
  expect(new Webhook(questionSecret(SECRET)).verify(body, headers)).toMatchObject({
    event_id: 'ask_1',
  });
  expect(() => new Webhook(SECRET).verify(body, headers)).toThrow('No matching signature');
});
