/** What a `helm test` that fails leaves behind. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';

import { createAccounts } from '../../../services/adapters/mongo/account/accounts.ts';
import { connectMongo } from '../../../services/adapters/mongo/database/connection.ts';
import { createTokens } from '../../../services/adapters/mongo/token/tokens.ts';
import { readConfig } from '../../../services/adapters/process/config.ts';
import { createLog } from '../../../services/adapters/process/log.ts';
import { RoundTripConfig, roundTrip } from '../../../services/standalone/round-trip/round-trip.ts';
import { makeCertificate } from '../../../services/adapters/tls/certificates.ts';
import { testDir } from '../../support/servers.ts';
import { withSharedSystem } from '../../support/shared-standalone.ts';
import { type WholeSystem, withAccount } from '../../support/start-standalone.ts';

let system: WholeSystem;
withSharedSystem.beforeAll(({ shared }) => void ({ system } = shared));

test('no address, no token, and no retry for hours', async () => {
  await using dir = await testDir();
  const { cert, key } = await makeCertificate(['localhost']);
  await writeFile(join(dir.path, 'tls.crt'), cert);
  await writeFile(join(dir.path, 'tls.key'), key);
  const state = system.standalone.state();
  const config = readConfig(RoundTripConfig, {
    MONGODB_URI: state.mongodb_uri,
    API_URL: state.api_url,
    SMTP_HOST: state.smtp_host,
    SMTP_PORT: String(state.smtp_port),
    WEBHOOK_URL: 'https://127.0.0.1:9/',
    RECEIVER_TLS: dir.path,
    RECEIVER_PORT: '0',
    ROUND_TRIP_TIMEOUT_SECONDS: '1',
  });
  const failed = roundTrip(config, () => undefined);
  await expect(failed).rejects.toThrow('the webhook did not arrive in time');
  await using mongo = await connectMongo(state.mongodb_uri, createLog('silent'));
  const account = await createAccounts(mongo.db).findByEmail('helm-test@inlet.invalid');
  expect(account?.settings).toMatchObject({ webhook_retry_attempts: 2 });
  const { id } = account as { id: string };
  expect(await createTokens(mongo.db).list(id)).toEqual([]);
  const own = await withAccount(system, id);
  expect(await own.call('GET', '/addresses')).toMatchObject({ body: { data: [] } });
});
