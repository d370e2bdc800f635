/** Whether a process has the keys of its installation (D290). */
import { randomBytes } from 'node:crypto';
import { Registry } from 'prom-client';
import { expect, test } from 'vitest';

import { createSecretBox } from '../../services/adapters/mongo/database/secrets.ts';
import { createLog } from '../../services/adapters/process/log.ts';
import { createMeter } from '../../services/adapters/process/meter.ts';
import { startReadiness } from '../../services/platform/servers/readiness.ts';
import { startSecretKeys } from '../../services/platform/servers/secret-keys.ts';
import { log } from '../support/pipeline.ts';
import { until } from '../support/until.ts';

const [ours, theirs] = [randomBytes(32), randomBytes(32)];
const sealed = (key: Buffer, count: number): string[] =>
  Array.from({ length: count }, () => createSecretBox([key]).seal('x', 'addr_1'));

test.each([
  ['nothing is stored', [], true],
  ['one secret of many needs another key', [...sealed(ours, 5), ...sealed(theirs, 1)], true],
  ['most need another key', [...sealed(ours, 2), ...sealed(theirs, 3)], false],
  ['a damaged text is no sign of other keys', ['unknown.AAAA', ''], true],
])('%s', async (_, stored, areUsable) => {
  const lines: string[] = [];
  const meter = createMeter(new Registry());
  const output = { write: (line: string) => lines.push(line) };
  await using keys = await startSecretKeys(
    createSecretBox([ours]),
    () => Promise.resolve(stored),
    meter,
    createLog('info', {}, output),
  );
  expect(keys.areUsable()).toBe(areUsable);
  const said = lines.filter((line) => line.includes('secret_keys.incomplete'));
  expect(said.length).toBe(stored.some((one) => one.length > 20) ? 1 : 0);
  for (const line of said) expect(JSON.parse(line)).toMatchObject({ setting: 'SECRET_KEYS' });
});

test('keys become usable without a restart, and a failed check changes nothing', async () => {
  let newest: string[] | undefined = sealed(theirs, 3);
  let failed = 0;
  await using keys = await startSecretKeys(
    createSecretBox([ours]),
    () => (newest ? Promise.resolve(newest) : Promise.reject(new Error(`away ${++failed}`))),
    createMeter(new Registry()),
    log,
    10,
  );
  newest = undefined;
  await until('some failed checks', () => failed > 2);
  expect(keys.areUsable()).toBe(false);
  newest = sealed(ours, 3); // encrypted again
  await until('the keys to be usable', () => keys.areUsable());
});

test('work runs only while the process can do it', async () => {
  let isRight = false;
  let running = 0;
  using readiness = startReadiness({ clock: () => isRight }, log);
  {
    using _work = readiness.whileAble(() => {
      running++;
      return { [Symbol.dispose]: () => void running-- };
    });
    expect([readiness.canWork(), running]).toEqual([false, 0]);
    for (const right of [true, false, true]) {
      isRight = right;
      await until('the work to follow', () => running === Number(right));
    }
  }
  expect(running).toBe(0);
});
