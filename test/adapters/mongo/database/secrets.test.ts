/** Webhook secrets at rest. */
import { randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import { z } from 'zod';

import {
  createSecretBox,
  SecretsConfig,
} from '../../../../services/adapters/mongo/database/secrets.ts';
import { OwnFault, Unprocessable } from '../../../../services/core/delivery/fault.ts';

const [one, two] = [randomBytes(32), randomBytes(32)];

test('an encrypted text can be decrypted, and does not show the secret', () => {
  const box = createSecretBox([one]);
  const sealed = box.seal('whsec_ü', 'addr_1');
  expect(sealed).not.toContain('whsec');
  expect(box.open(sealed, 'addr_1')).toBe('whsec_ü');
  expect(box.seal('whsec_ü', 'addr_1')).not.toBe(sealed);
});

test('a secret moved to another address cannot be decrypted', () => {
  const box = createSecretBox([one]);
  expect(() => box.open(box.seal('whsec_x', 'addr_1'), 'addr_2')).toThrow(
    'decrypt the secret of addr_2',
  );
});

test('a changed byte is detected at every position', () => {
  const box = createSecretBox([one]);
  const sealed = box.seal('whsec_x', 'addr_1');
  const [keyId = '', encrypted = ''] = sealed.split('.');
  const bytes = Buffer.from(encrypted, 'base64url');
  for (let i = 0; i < bytes.length; i++) {
    const changed = Buffer.from(bytes);
    changed[i] = (changed[i] ?? 0) ^ 1;
    expect(() => box.open(`${keyId}.${changed.toString('base64url')}`, 'addr_1')).toThrow(
      'decrypt the secret',
    );
  }
  expect(() => box.open(`${keyId}.`, 'addr_1')).toThrow('decrypt the secret');
  for (const text of ['', 'unknown.AAAA', '.AAAA', keyId])
    expect(() => box.open(text, 'addr_1')).toThrow(Unprocessable);
});

test('a key that is not in SECRET_KEYS is known by its id, and no damage', () => {
  const box = createSecretBox([one]);
  const sealed = createSecretBox([two]).seal('whsec_x', 'addr_1');
  expect(() => box.open(sealed, 'addr_1')).toThrow(OwnFault);
  expect([...box.missing.keys()]).toEqual([sealed.slice(0, 8)]);
  expect([box.hasKeyOf(sealed), box.hasKeyOf(box.seal('x', 'addr_1'))]).toEqual([false, true]);
});

test('keys rotate: the first encrypts, all decrypt', () => {
  const old = createSecretBox([one]).seal('whsec_x', 'addr_1');
  const rotated = createSecretBox([two, one]);
  expect(rotated.open(old, 'addr_1')).toBe('whsec_x');
  expect(createSecretBox([two]).open(rotated.seal('whsec_y', 'addr_1'), 'addr_1')).toBe('whsec_y');
  expect(() => createSecretBox([two]).open(old, 'addr_1')).toThrow('not in SECRET_KEYS');
});

test('SECRET_KEYS reports which key is invalid, without showing it', () => {
  const setting = z.object(SecretsConfig);
  expect(
    setting.parse({ SECRET_KEYS: `${one.toString('base64')}, ${two.toString('base64')}` })
      .SECRET_KEYS,
  ).toEqual([one, two]);
  for (const bad of [
    'short',
    randomBytes(31).toString('base64'),
    randomBytes(33).toString('base64'),
    `${one.toString('base64')}x`,
  ]) {
    const fault = setting.safeParse({ SECRET_KEYS: `${one.toString('base64')},${bad}` }).error
      ?.issues[0]?.message;
    expect(fault).toMatch(/^key 2 is not 32 bytes in base64/);
    expect(fault).not.toContain(bad);
  }
  expect(setting.safeParse({ SECRET_KEYS: '' }).success).toBe(false);
});
