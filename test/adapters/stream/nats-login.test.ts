/** Logging in to a real NATS server that requires it. */
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { z } from 'zod';

import { readConfig } from '../../../services/adapters/process/config.ts';
import { createLog } from '../../../services/adapters/process/log.ts';
import {
  connectNats,
  NatsConfig,
  natsOptions,
} from '../../../services/adapters/stream/connection/connection.ts';
import { startTestNats, testDir } from '../../support/servers.ts';

const log = createLog('silent');
const optionsOf = (env: Record<string, string>) =>
  natsOptions(readConfig(z.object(NatsConfig), env), 'test');

test('a user and password from the settings log in', async () => {
  await using server = await startTestNats({
    server: { authorization: '{user: inlet, password: secret}' },
  });
  await using nats = await connectNats(
    optionsOf({ NATS_URL: server.url, NATS_USER: 'inlet', NATS_PASSWORD: 'secret' }),
    log,
  );
  expect(nats.isConnected()).toBe(true);
});

test('with a wrong password the client keeps trying: an operator may fix it on the server', async () => {
  await using server = await startTestNats({
    server: { authorization: '{user: inlet, password: secret}' },
  });
  const connecting = connectNats(
    optionsOf({ NATS_URL: server.url, NATS_USER: 'inlet', NATS_PASSWORD: 'other' }),
    log,
  ).then(
    () => 'connected',
    () => 'refused',
  );
  expect(await Promise.race([connecting, sleep(1_500, 'waiting')])).toBe('waiting');
});

test('a credentials file that cannot be read fails immediately', async () => {
  await using dir = await testDir();
  await expect(
    connectNats(optionsOf({ NATS_CREDS_FILE: join(dir.path, 'none') }), log),
  ).rejects.toThrow(/none/);
});
