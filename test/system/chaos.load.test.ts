/**
 * A short `npm run test:chaos`: NATS nodes and dispatchers fail at random under load, and no
 * accepted email is lost.
 */
import { expect, inject, test } from 'vitest';

import { runChaos } from '../chaos/chaos.ts';
import { seed as defaultSeed } from '../support/random.ts';
import { testDir, testMongo } from '../support/servers.ts';

const SECONDS = 12;
const PER_SECOND = 15;

test('every accepted email is delivered or stored in FAILED', async () => {
  await using dir = await testDir();
  await using mongo = await testMongo();
  const seed = Number(process.env.CHAOS_SEED ?? defaultSeed);
  const lines: string[] = [];
  const { text, faults } = await runChaos(
    {
      seconds: SECONDS,
      perSecond: PER_SECOND,
      seed,
      natsServerBinary: inject('natsServerBinary'),
      mongoUri: mongo.uri,
      dir: dir.path,
    },
    (line) => lines.push(line),
  );
  process.stdout.write(`${text}\n`);
  expect(faults, `${lines.join('\n')}\n${text}`).toEqual([]);
});
