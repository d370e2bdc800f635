/** Conversations over the whole system: the payload, the record and the search (D58). */
import { randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';

import { startInProcess } from '../support/start-in-process.ts';
import { until } from '../support/until.ts';
import { useInFile } from '../support/use-in-file.ts';

const whole = await useInFile(startInProcess());

type Item = { event_id: string };

test('a reply has the thread_id of the first email, at this address only, and both are found by it', async () => {
  const path = `/${randomBytes(6).toString('hex')}`;
  const { id, address: to } = await whole.address(path);
  const send = async (count: number, fields: object) => {
    await whole.pipeline.mailer.sendMail({ from: 'ann@x.example', to, text: 'x', ...fields });
    const { payload } = await whole.pipeline.receiver.nth(path, count);
    return payload as { event_id: string; thread_id?: string };
  };
  const messageId = `<${randomBytes(6).toString('hex')}@x.example>`;
  const first = await send(1, { messageId });
  const other = await send(2, { subject: 'unrelated' });
  const reply = await send(3, { inReplyTo: messageId, references: [messageId, '<2@x.example>'] });
  expect(reply.thread_id).toBe(first.thread_id);
  expect(other.thread_id).not.toBe(first.thread_id);
  const found = async (query: string) =>
    ((await whole.api.ask('GET', `/v1/deliveries?${query}`)).body.data as Item[]).map(
      ({ event_id }) => event_id,
    );
  await until('both records', async () => (await found(`address_id=${id}`)).length === 3);
  expect(await found(`thread=${first.thread_id}`)).toEqual([reply.event_id, first.event_id]);
  const { body } = await whole.api.ask('GET', `/v1/deliveries/${reply.event_id}`);
  expect(body.thread_id).toBe(first.thread_id);
  expect((await whole.api.ask('GET', '/v1/deliveries?thread=thr_x')).status).toBe(422);
});
