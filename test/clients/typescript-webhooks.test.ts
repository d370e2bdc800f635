/** verifyWebhook of @inlet-email/client: what it accepts, and what it refuses. */
import { Webhook } from 'standardwebhooks';
import { expect, test } from 'vitest';

import {
  verifyHook,
  verifyNotification,
  verifyWebhook,
} from '../../services/clients/typescript/src/inlet.ts';
import {
  BODY,
  QUESTION,
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

test('D172: a question to a hook is no webhook, and a webhook is no question', async () => {
  const { body, headers, svc, secrets } = QUESTION;
  for (const sent of [headers, svc])
    expect(await verifyHook(body, sent, secrets)).toMatchObject({ event_id: 'ask_1' });
  const [webhook] = validWebhooks();
  for (const verified of [
    verifyWebhook(body, headers, secrets),
    verifyWebhook(body, svc, secrets),
    verifyNotification(body, headers, secrets),
    verifyHook(BODY, webhook?.headers ?? {}, secrets),
  ])
    await expect(verified).rejects.toMatchObject({ kind: 'purpose' });
  // the package of Standard Webhooks knows no purpose
  expect(new Webhook(SECRET).verify(body, headers)).toMatchObject({ event_id: 'ask_1' });
});
