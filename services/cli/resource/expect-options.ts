/** Options of `inlet addresses create` and `update` for the email that an address expects. */
import type { Command } from 'commander';

import type { Address, UpdateAddressRequest } from '../../core/api/api-types.generated.ts';
import { usageFault } from '../terminal/failure.ts';

export type ExpectOptions = { expectEvery?: string; expectWhen?: string; expectGrace?: string };

export const expectOptions = (command: Command): Command =>
  command
    .option(
      '--expect-every <duration>',
      'report its silence when no email arrives for so long, such as 26h; none: do not',
    )
    .option('--expect-when <expression>', 'only such email is expected (CEL); all: any email')
    .option('--expect-grace <duration>', 'how much later it may be; default: 1h');

export const namesExpected = ({ expectEvery, expectWhen, expectGrace }: ExpectOptions): boolean =>
  [expectEvery, expectWhen, expectGrace].some((option) => option !== undefined);

/** @param now of the address: what the options do not say stays */
export function expectOf(
  options: ExpectOptions,
  now: Address['expect'] = null,
): Pick<UpdateAddressRequest, 'expect'> {
  if (!namesExpected(options)) return {};
  const { expectEvery: every = now?.every, expectWhen: when, expectGrace: grace } = options;
  if (every === 'none') return { expect: null };
  if (every === undefined) throw usageFault('--expect-when and --expect-grace need --expect-every');
  return {
    expect: {
      every,
      when: when === undefined ? (now?.when ?? null) : when === 'all' ? null : when,
      grace: grace ?? now?.grace,
    },
  };
}
