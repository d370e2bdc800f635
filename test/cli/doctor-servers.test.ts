/** What `inlet doctor` says about NATS and MongoDB with known holes (D298). */
import { expect, inject, test } from 'vitest';

import { administration } from '../../services/cli/administration.ts';
import { checkMongo, checkNats } from '../../services/cli/doctor/servers.ts';
import { startNatsOfVersion } from '../support/outdated-nats.ts';

const { mongoVersion } = administration;
const ask = (uri: string) => mongoVersion(uri, undefined);

test('an outdated NATS is a warning that names the version to upgrade to', async () => {
  await using nats = await startNatsOfVersion('2.12.5');
  expect(await checkNats({ url: nats.url, hasLogin: true })).toEqual({
    check: 'nats',
    result: 'warning',
    finding: 'version 2.12.5 has known security holes',
    advice: 'upgrade it to 2.12.6 or later: docs/upgrade.md#supported-versions',
  });
  expect(await checkNats({ url: nats.url, hasLogin: false })).toMatchObject({ result: 'ok' });
});

test('the version of MongoDB is asked with its driver, where there is one', async () => {
  const uri = inject('mongoUri');
  expect(await checkMongo(uri, ask)).toMatchObject({
    result: 'ok',
    finding: expect.stringMatching(/^127\.0\.0\.1:\d+ accepts connections, version \d+\.\d+\.\d+$/),
  });
  expect(await checkMongo(uri)).toMatchObject({
    result: 'ok',
    finding: expect.stringMatching(/^127\.0\.0\.1:\d+ accepts connections$/),
  });
});

test('an outdated MongoDB with a login is a warning, and so is a login that fails', async () => {
  const uri = new URL(inject('mongoUri'));
  [uri.username, uri.password] = ['nobody', 'wrong'];
  expect(await checkMongo(uri.href, () => Promise.resolve('8.0.16'))).toMatchObject({
    result: 'warning',
    finding: 'version 8.0.16 has known security holes',
    advice: 'upgrade it to 8.0.17 or later: docs/upgrade.md#supported-versions',
  });
  const refused = await checkMongo(uri.href, ask);
  expect(refused).toMatchObject({
    result: 'warning',
    finding: expect.stringMatching(/accepts connections, but no login: .*Authentication failed/),
  });
  expect(JSON.stringify(refused)).not.toContain('wrong');
});
