/** The HTTPS of an OpenID provider with a private authority. */
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';

import { createOidcProvider } from '../../../services/adapters/oidc/provider.ts';
import { makeCertificate } from '../../../services/adapters/tls/certificates.ts';
import { testDir } from '../../support/servers.ts';

const PROOF = {
  state: 'state',
  nonce: 'nonce',
  verifier: 'verifier-of-at-least-43-characters-0123456789',
};

const parts = new AsyncDisposableStack();
let issuer: string;
let caFile: string;
beforeAll(async () => {
  const { ca, cert, key } = await makeCertificate(['localhost']);
  const server = createServer({ cert, key }, (_, response) =>
    response.setHeader('content-type', 'application/json').end(
      JSON.stringify({
        issuer,
        authorization_endpoint: `${issuer}/authorize`,
        token_endpoint: `${issuer}/token`,
        jwks_uri: `${issuer}/keys`,
      }),
    ),
  );
  parts.defer(() => void server.close());
  await once(server.listen(0, '127.0.0.1'), 'listening');
  issuer = `https://localhost:${(server.address() as AddressInfo).port}`;
  const dir = parts.use(await testDir());
  caFile = join(dir.path, 'ca.pem');
  await writeFile(caFile, ca);
});
afterAll(() => parts.disposeAsync());

const provider = (file: string | undefined) =>
  createOidcProvider(
    { issuer, clientId: 'inlet', clientSecret: undefined, caFile: file, scopes: 'openid' },
    () => new Date(),
  );

test('an authority in OIDC_CA_FILE is trusted', async () => {
  const url = await provider(caFile).authorizationUrl('https://api.example/callback', PROOF);
  expect(url.href).toContain(`${issuer}/authorize?`);
});

test('without it, the error names the setting and no flag of Node', async () => {
  const refused = provider(undefined).authorizationUrl('https://api.example/callback', PROOF);
  await expect(refused).rejects.toThrow(/OIDC_CA_FILE \(UNABLE_TO_VERIFY_LEAF_SIGNATURE\)$/);
});
