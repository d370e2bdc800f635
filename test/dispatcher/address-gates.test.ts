/** The gates of addresses: what they take for a receiver's slowness. */
import { expect, test } from 'vitest';

import {
  type AddressGates,
  createAddressGates,
  type Entry,
} from '../../services/dispatcher/address-gates.ts';

let nowMs = 0;
const mail = { hadTurn: false, payloadBytes: 1_000 };
const entryOf = (entering: Promise<Entry>) =>
  Promise.race([entering, new Promise<'waits'>((resolve) => setImmediate(() => resolve('waits')))]);
const passOf = async (gates: AddressGates) => {
  const entry = await gates.enter('a', mail);
  if (entry.kind !== 'pass') throw new Error(`no pass but ${entry.kind}`);
  return entry.pass;
};

test('an attempt whose payload takes long to read does not space the turns of others; one whose receiver hangs does', async () => {
  const gates = createAddressGates({ perAddress: 1, inAll: 16, bytesInAll: 1e6, now: () => nowMs });
  const pass = await passOf(gates);
  nowMs += 10_000;
  expect(await entryOf(gates.enter('a', mail))).toBe('waits');
  pass.called();
  nowMs += 10_000;
  expect(await entryOf(gates.enter('a', mail))).toEqual({
    kind: 'later',
    at: new Date(nowMs + 10_000),
  });
  gates.close();
});
