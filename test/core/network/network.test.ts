/** Lists of networks, and the addresses that belong to them. */
import { expect, test } from 'vitest';

import { isInNetworks, NetworkList } from '../../../services/core/network/network.ts';

test('an address belongs to a network in every form in which it can be written', () => {
  expect(isInNetworks('::ffff:10.0.0.7', ['10.0.0.0/8'])).toBe(true);
  expect(isInNetworks('10.0.0.7', ['10.0.0.0/30'])).toBe(false);
  expect(isInNetworks('', ['0.0.0.0/0', '::/0'])).toBe(false);
});

test('the error of a network list quotes the entry that is not a network', () => {
  expect(NetworkList.parse(' 10.0.0.0/8, ::1 ,')).toEqual(['10.0.0.0/8', '::1']);
  expect(NetworkList.parse('')).toEqual([]);
  for (const word of [
    '10.0.0.0/33',
    '10.0.0/8',
    '10.0.0.0/',
    '::/129',
    'fe80::1%eth0',
    '10.0.0.0/8/8',
    '10.0.0.0/-1',
  ]) {
    expect(NetworkList.safeParse(`127.0.0.1,${word}`).error?.issues[0]?.message).toBe(
      `"${word}" is not a network such as 10.0.0.0/8 or fd00::/8`,
    );
  }
});
