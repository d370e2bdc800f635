/** Options of `inlet addresses create` and `update` for whose email an address accepts. */
import { type Command, Option } from 'commander';

import type { Address, UpdateAddressRequest } from '../../core/api/api-types.generated.ts';
import { usageFault } from '../terminal/failure.ts';

type Verdict = 'accept' | 'refuse';
export type SenderOptions = {
  /** false with --no-allowed-senders */
  allowedSenders?: string | false;
  unauthenticatedSenders?: Verdict;
  forwardedSenders?: Verdict;
  replyAddresses?: 'off' | 'on' | 'only';
};

const ALLOWED_SENDERS = [
  '--allowed-senders <list>',
  'accept email only from these addresses and domains, separated by commas, if they are authenticated',
] as const;

const verdictOption = (flag: string, whose: string) =>
  new Option(`${flag} <verdict>`, `with a list of senders: whether to accept ${whose}`).choices([
    'accept',
    'refuse',
  ]);
/** The options of the settings that say whose email is accepted. */
export const senderOptions = (command: Command): Command =>
  command
    .addOption(
      new Option(
        '--reply-addresses <setting>',
        'check signed reply addresses; only: refuse email to others',
      ).choices(['off', 'on', 'only']),
    )
    .option(...ALLOWED_SENDERS)
    .addOption(
      verdictOption('--unauthenticated-senders', 'listed senders that nothing authenticates'),
    )
    .addOption(
      verdictOption('--forwarded-senders', 'the word of forwarders that this Inlet trusts (ARC)'),
    );

export const namesSenders = (options: SenderOptions): boolean =>
  [options.allowedSenders, options.unauthenticatedSenders, options.forwardedSenders].some(
    (option) => option !== undefined,
  );

/** @param now of the address: what the options do not say stays */
export function allowedSendersOf(
  { allowedSenders, unauthenticatedSenders, forwardedSenders }: SenderOptions,
  now: Address['allowed_senders'] = null,
): Pick<UpdateAddressRequest, 'allowed_senders'> {
  const switches = {
    ...(unauthenticatedSenders && { require_authenticated: unauthenticatedSenders === 'refuse' }),
    ...(forwardedSenders && { accept_forwarded: forwardedSenders === 'accept' }),
  };
  if (allowedSenders === false) return { allowed_senders: null };
  const senders = allowedSenders?.split(',') ?? now?.senders;
  if (allowedSenders === undefined && Object.keys(switches).length === 0) return {};
  if (senders === undefined)
    throw usageFault('--unauthenticated-senders and --forwarded-senders need --allowed-senders');
  return { allowed_senders: { ...now, ...switches, senders } };
}
