/** The entries of a generated Secret, which are never replaced. */
import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';

import { KeyList } from '../../../services/adapters/mongo/database/secrets.ts';
import {
  lacksCertificate,
  missingEntries,
  SecretRecipe,
} from '../../../services/core/kube/secret-recipe.ts';

const random = (count: number) =>
  Buffer.concat(
    Array.from({ length: Math.ceil(count / 32) }, (_, i) =>
      createHash('sha256').update(`${i}`).digest(),
    ),
  ).subarray(0, count);
const recipe = (fields: object) => SecretRecipe.parse({ name: 'inlet-keys', ...fields });

test('a new Secret gets every entry of its recipe', () => {
  const made = missingEntries(
    recipe({ entries: { KEY: 'key', PASSWORD: 'password', KEYFILE: 'keyfile' } }),
    [],
    random,
  );
  expect(KeyList.parse(made.KEY)).toHaveLength(1);
  expect(made.PASSWORD).toMatch(/^p[0-9a-f]{39}$/); // no quoting in URLs, no number for nats-server
  expect(made.KEYFILE).toMatch(/^[A-Za-z0-9+/]{756}$/); // MongoDB takes 6 to 1024 base64 characters
});

test('existing entries are not changed, because data is sealed with them', () => {
  expect(
    missingEntries(recipe({ entries: { KEY: 'key', LATER: 'key' } }), ['KEY'], random),
  ).toEqual({ LATER: expect.any(String) });
});

test('a certificate is created with all its entries or not at all', () => {
  const names = recipe({ certificate_names: ['*.mail.svc'] });
  expect([
    lacksCertificate(names, []),
    lacksCertificate(names, ['tls.crt']),
    lacksCertificate(names, ['ca.crt', 'tls.crt', 'tls.key']),
  ]).toEqual([true, true, false]);
  expect(lacksCertificate(recipe({}), [])).toBe(false);
});
