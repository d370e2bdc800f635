/** D35: retry and cancel of emails that wait because their receiver is slow, not for a schedule. */
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';

import { until } from '../../support/until.ts';
import { startInProcess } from '../../support/start-in-process.ts';
import { useInFile } from '../../support/use-in-file.ts';

type Shown = { event_id: string; status: string; next_attempt_at: string | null };

const whole = await useInFile(startInProcess());

const ask = async (id: string, action: 'retry' | 'cancel') =>
  (await whole.api.ask('POST', `/v1/deliveries/${id}/${action}`)).status;

test('a backlog behind a receiver that hangs: canceled or retried, none posted twice, none lost', async () => {
  const hanging: (() => void)[] = [];
  let doesHang = true;
  whole.pipeline.receiver.answer('/hangs', () => (response) => {
    const finish = () => void response.writeHead(200).end();
    if (doesHang) hanging.push(finish);
    else finish();
  });
  const address = await whole.address('/hangs');
  const listed = async () => {
    const path = `/v1/deliveries?limit=100&address_id=${address.id}`;
    return (await whole.api.ask('GET', path)).body.data as Shown[];
  };
  await whole.send(address.address, 'first');
  await until('a request that hangs', () => hanging.length > 0);
  await sleep(3_000); // now an attempt takes at least this long
  const emails = 24;
  for (let n = 1; n < emails; n++) await whole.send(address.address, `number ${n}`);

  const sleepers = await until('six to wait', async () => {
    const waiting = (await listed()).filter(
      (one) => Date.parse(one.next_attempt_at ?? '') > Date.now() + 8_000,
    );
    return waiting.length >= 6 ? waiting : undefined;
  });
  expect(new Set(sleepers.map(({ status }) => status))).toEqual(new Set(['pending']));
  const ids = sleepers.map(({ event_id }) => event_id);
  const [canceled, retried] = [ids.slice(0, 3), ids.slice(3, 6)];
  for (const id of canceled) expect(await ask(id, 'cancel')).toBe(200);
  for (const id of retried) expect(await ask(id, 'retry')).toBe(200);

  doesHang = false;
  for (const finish of hanging) finish();
  const ended = await until(
    'the end of all',
    async () => {
      const all = await listed();
      const isOver = all.every(({ status }) => status === 'delivered' || status === 'failed');
      return all.length === emails && isOver ? all : undefined;
    },
    60_000,
  );
  const failed = ended.filter(({ status }) => status === 'failed').map((one) => one.event_id);
  expect(failed.toSorted()).toEqual(canceled.toSorted());
  await sleep(1_000);
  const posted = whole.pipeline.receiver.received('/hangs').map(({ payload }) => payload.event_id);
  expect(posted).toHaveLength(emails - canceled.length);
  expect(new Set(posted).intersection(new Set(canceled)).size).toBe(0);
  expect(new Set(posted).size).toBe(posted.length);
});
