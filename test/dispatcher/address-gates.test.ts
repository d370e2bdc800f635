/** The gates of addresses: which time counts as the receiver's latency. */
import { expect, test } from 'vitest';

import {
  type AddressGates,
  createAddressGates,
  type Entry,
} from '../../services/dispatcher/address-gates.ts';

let nowMs = 0;
const mail = { wasScheduled: false, payloadBytes: 1_000 };
const entryOf = (entering: Promise<Entry>) =>
  Promise.race([entering, new Promise<'waits'>((resolve) => setImmediate(() => resolve('waits')))]);
const permitOf = async (gates: AddressGates) => {
  const entry = await gates.enter('a', mail);
  if (entry.kind !== 'permit') throw new Error(`no permit, but ${entry.kind}`);
  return entry.permit;
};

test('a payload that is slow to read delays no other email of its address; a receiver that hangs does', async () => {
  const gates = createAddressGates({ perAddress: 1, inAll: 16, bytesInAll: 1e6, now: () => nowMs });
  const permit = await permitOf(gates);
  nowMs += 10_000;
  expect(await entryOf(gates.enter('a', mail))).toBe('waits');
  permit.called();
  nowMs += 10_000;
  expect(await entryOf(gates.enter('a', mail))).toEqual({
    kind: 'later',
    at: new Date(nowMs + 10_000),
  });
  gates.close();
});
