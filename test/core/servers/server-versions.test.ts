/** Which versions of NATS and MongoDB have known holes, and what to upgrade to (D298). */
import { expect, test } from 'vitest';

import {
  isOpenOnLoopback,
  LOWEST_MENDED,
  lowestMendedText,
  mendedVersion,
  type ServerKind,
} from '../../../services/core/servers/server-versions.ts';

test.each<[ServerKind, string | undefined, string | undefined]>([
  ['mongodb', '6.0.5', '6.0.27'],
  ['mongodb', '6.0.26', '6.0.27'],
  ['mongodb', '6.0.27', undefined],
  ['mongodb', '6.0.100', undefined],
  ['mongodb', '7.0.27', '7.0.28'],
  ['mongodb', '8.0.16', '8.0.17'],
  ['mongodb', '8.0.17-6', undefined], // Percona
  ['mongodb', '8.2.2', '8.2.3'],
  ['mongodb', '5.0.32', '6.0.27'], // no line of Inlet
  ['mongodb', '7.3.4', '8.0.17'], // its line has no mended release
  ['mongodb', '8.1.9', '8.2.3'],
  ['mongodb', '8.3.0', undefined],
  ['mongodb', '10.0.0', undefined],
  ['nats', '2.10.29', '2.11.15'],
  ['nats', '2.11.9', '2.11.15'],
  ['nats', '2.11.15', undefined],
  ['nats', 'v2.12.5', '2.12.6'],
  ['nats', '2.12.6', undefined],
  ['nats', '2.15.1', undefined],
  ['nats', undefined, undefined],
  ['nats', 'dev', undefined],
])('%s %s: upgrade to %s', (kind, version, lowest) => {
  expect(mendedVersion(kind, version)).toBe(lowest);
});

test('each version of the table is enough, and the one before is not', () => {
  for (const kind of ['nats', 'mongodb'] as const)
    for (const lowest of LOWEST_MENDED[kind]) {
      const before = lowest.replace(/\d+$/, (patch) => String(Number(patch) - 1));
      expect([lowest, mendedVersion(kind, lowest)]).toEqual([lowest, undefined]);
      expect([before, mendedVersion(kind, before)]).toEqual([before, lowest]);
    }
});

test('the text of the docs', () => {
  expect(lowestMendedText('nats')).toBe('2.11.15 or 2.12.6, or later');
  expect(lowestMendedText('mongodb')).toBe('6.0.27, 7.0.28, 8.0.17 or 8.2.3, or later');
});

test.each([
  ['mongodb://127.0.0.1:27017/?replicaSet=inlet', true],
  ['mongodb://localhost,127.0.0.1:2/inlet', true],
  ['nats://127.0.0.1:4222', true],
  ['localhost:4222, nats://[::1]:4223/', true],
  ['mongodb://inlet:secret@127.0.0.1:27017/inlet', false],
  ['mongodb://127.0.0.1/?authMechanism=MONGODB-X509', false],
  ['mongodb://127.0.0.1,db.example.com/inlet', false],
  ['nats://127.0.0.1:4222,nats://10.0.0.1:4222', false],
  ['nats://127.0.0.1.example.com', false],
  ['mongodb+srv://cluster.example.net/inlet', false],
])('%s is open on loopback: %s', (url, isOpen) => {
  expect(isOpenOnLoopback(url)).toBe(isOpen);
});
