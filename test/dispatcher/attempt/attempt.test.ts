/** An attempt that the machine's own clock has spoilt does not count (D290). */
import { expect, test } from 'vitest';

import { createReceiverCalls } from '../../../services/platform/receiver/receiver-call.ts';
import type { Outcome } from '../../../services/core/delivery/retry.ts';
import { createAttempt } from '../../../services/dispatcher/attempt/attempt.ts';
import { createKeysOf } from '../../../services/dispatcher/attempt/target-keys.ts';
import { mailEvent } from '../../support/mail-events.ts';
import { newAddress } from '../../support/new-address.ts';

const address = newAddress('https://receiver.example/');
const { id, account_id, environment, webhook_url, webhook_secret } = address;
const target = {
  id,
  account_id,
  environment,
  address: address.address,
  webhook_url,
  webhook_secret,
  former_secrets: [],
  webhook_retry_attempts: 6,
};
const now = () => new Date();
const TLS: Outcome = { kind: 'unreachable', reason: 'tls' };
const DNS: Outcome = { kind: 'unreachable', reason: 'dns' };

const unused = () => Promise.reject(new Error('not used'));

/** @param outcome of the receiver, which is not real */
function attempted(outcome: Outcome, isClockWrong: boolean) {
  const post = () => Promise.resolve({ outcome, durationMs: 1, excerpt: null, error: 'no' });
  const attempt = createAttempt(
    {
      webhooks: { post },
      largePosts: { post: unused },
      callReceiver: createReceiverCalls({ post }, Date.now),
      keysOf: createKeysOf(now),
      contentKeyOf: unused,
      storeFiles: unused,
      isClockWrong: () => isClockWrong,
    },
    'Inlet/test',
    now,
  );
  const permit = { requestStarted: () => undefined, release: () => undefined, firstByteMs: 1_000 };
  const mail = { event: mailEvent(address, now()), payload: Buffer.from('{"metadata":{}}') };
  const sent = { retryCount: 0, traceparent: '', storedFiles: undefined };
  return attempt(mail, target, sent, permit);
}

test('a certificate that the wrong clock refuses is no fault of the receiver', async () => {
  await expect(attempted(TLS, true)).rejects.toMatchObject({ own: 'clock_wrong' });
  expect((await attempted(TLS, false)).outcome).toEqual(TLS);
  expect((await attempted(DNS, true)).outcome).toEqual(DNS);
});
