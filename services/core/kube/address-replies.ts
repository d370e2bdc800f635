/** The reply addresses of an InboundAddress resource and of its record (D57). */
import type { Address } from '../address/address.ts';
import { FIRST_GENERATION } from '../reply/reply-key.ts';
import { notReady } from './condition.ts';
import type { InboundAddressSpec } from './spec/address-spec.ts';

const HOUR_MS = 3_600_000;

export const repliesRefusal = notReady(
  'RepliesNotOffered',
  'replyAddresses needs REPLY_KEYS in the settings of Inlet',
);

export const repliesOf = ({ replyAddresses }: InboundAddressSpec) => ({
  reply_addresses: replyAddresses !== undefined,
  reply_only: replyAddresses?.only ?? false,
});

/** Without a time of its own, the overlap is that of webhook secrets. */
export type ReplyKeyRotation = { generation: number; overlapMs: number | undefined };

/** The rotation that the spec asks for; undefined when there has been one of its generation. */
export function replyKeyRotation(
  { replyAddresses }: InboundAddressSpec,
  record: Address | undefined,
): ReplyKeyRotation | undefined {
  const { keyGeneration: generation = FIRST_GENERATION, keyOverlapHours: hours } =
    replyAddresses ?? {};
  if (generation <= (record?.reply_key_generation ?? FIRST_GENERATION)) return undefined;
  return { generation, overlapMs: hours === undefined ? undefined : hours * HOUR_MS };
}
