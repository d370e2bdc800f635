/** Checklist 11, 17: limits of one source. */
import { describe, expect, test } from 'vitest';

import { sourceNetwork } from '../../../services/core/network/network.ts';
import {
  MEASURES,
  type Measure,
  refusalOfOneMore,
  shareOf,
} from '../../../services/core/smtp/source-limits.ts';

describe('a source is a network that one sender may own', () => {
  test.each([
    ['192.0.2.7', '192.0.2.7'],
    ['::ffff:192.0.2.7', '192.0.2.7'],
    ['::FFFF:c000:0207', '192.0.2.7'],
    ['64:ff9b::192.0.2.7', '192.0.2.7'], // NAT64, RFC 6052
    ['2002:c000:0207::1', '192.0.2.7'], // 6to4: the holder of the IPv4 address has a whole /48
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
    ['2001:DB8:1:2::', '2001:db8:1:2::/64'],
    ['2001:db8:1:3::', '2001:db8:1:3::/64'],
    ['fe80::1%eth0', 'fe80:0:0:0::/64'],
    ['', ''],
    ['not an address', 'not an address'],
  ])('%s is %s', (address, source) => {
    expect(sourceNetwork(address)).toBe(source);
  });
});

const LIMITS = {
  open_connections: 2,
  connections_per_minute: 3,
  messages_per_minute: 4,
  unknown_per_minute: 5,
  unknown_per_hour: 6,
};

describe('checklist 17: one more than a limit gets a temporary refusal', () => {
  test.each<[Measure, string]>([
    ['open_connections', '421 4.7.0'],
    ['connections_per_minute', '421 4.7.0'],
    ['messages_per_minute', '450 4.7.1'],
    ['unknown_per_minute', '450 4.7.1'],
    ['unknown_per_hour', '450 4.7.1'],
  ])('%s: %s', (measure, codes) => {
    const refusal = (count: number, limits = LIMITS) =>
      refusalOfOneMore([measure], limits, () => count);
    expect(refusal(LIMITS[measure] - 1)).toBeUndefined();
    expect(
      [LIMITS[measure], LIMITS[measure] + 1].map(
        (count) => `${refusal(count)?.code} ${refusal(count)?.enhanced}`,
      ),
    ).toEqual([codes, codes]);
    expect(refusal(1e9, { ...LIMITS, [measure]: 0 })).toBeUndefined(); // 0 is no limit
  });

  test('the first limit that is reached gives the reply', () => {
    expect(
      refusalOfOneMore(MEASURES, LIMITS, (measure) => (measure === 'open_connections' ? 0 : 100))
        ?.name,
    ).toBe('too_many_new_connections');
  });
});

test('without a limit, the share is 0', () => {
  expect([shareOf(4, 2), shareOf(0, 2)]).toEqual([0.5, 0]);
});
