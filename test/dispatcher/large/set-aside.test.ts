/** Emails that Inlet itself cannot process do not come back for ever (D162). */
import { errors as errorsOfNats } from '@nats-io/transport-node';
import { MongoNetworkError } from 'mongodb';
import { expect, test } from 'vitest';

import { DeadlineError } from '../../../services/adapters/async/deadline.ts';
import type { QueuedMail } from '../../../services/adapters/stream/pull.ts';
import { unavailable } from '../../../services/core/app-error.ts';
import { createSetAside } from '../../../services/dispatcher/large/set-aside.ts';
import { Interrupted } from '../../../services/platform/servers/outages.ts';
import { mailEvent } from '../../support/mail-events.ts';
import { newAddress } from '../../support/new-address.ts';
import { log } from '../../support/pipeline.ts';

test('an outage never ends an email; a fault does at the third delivery, unless it was delivered', async () => {
  const ended: string[] = [];
  const afterError = createSetAside(
    {
      stateOf: () => Promise.resolve(undefined),
      record: () => Promise.resolve('recorded'),
      counted: () => undefined,
    },
    () => new Date(),
    log,
  );
  const mail = (id: string) =>
    ({
      event: mailEvent({ ...newAddress('https://receiver.example/'), id }, new Date()),
      revision: 0,
      isRepeat: true,
      nak: () => undefined,
      moveToFailed: async () => void ended.push(id),
    }) as unknown as QueuedMail;
  const errors = {
    mongodb: new Error('record', { cause: new MongoNetworkError('away') }),
    nats: new Error('publish', { cause: new errorsOfNats.TimeoutError() }),
    deadline: new DeadlineError('no answer'),
    unavailable: unavailable(new Error('away')),
    thread: new Interrupted('a job of a thread'),
    bug: new TypeError('a bug'),
  };
  for (const [id, error] of Object.entries(errors)) {
    const one = mail(id);
    for (let deliveries = 1; deliveries <= 5 && !ended.includes(id); deliveries++) {
      await afterError.failed(one, error);
      expect(ended.includes(id)).toBe(id === 'bug' && deliveries === 3);
    }
  }
  const sometimes = mail('sometimes');
  for (let deliveries = 1; deliveries <= 6; deliveries++) {
    await afterError.failed(sometimes, errors.bug);
    if (deliveries % 2 === 0) afterError.succeeded(sometimes);
  }
  expect(ended).toEqual(['bug']);
});
