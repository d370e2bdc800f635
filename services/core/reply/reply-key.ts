/**
 * The keys that sign the reply addresses of an address. They are derived from keys of the settings
 * (REPLY_KEYS) and stored nowhere (D57).
 */
import { hkdfSync } from 'node:crypto';

const KEY_BYTES = 32;

/** Which keys sign the reply addresses of an address. */
export type ReplyKeyGenerations = {
  /** Starts with 1; each rotation increases it. */
  generation: number;
  /** Before rotations; each is accepted until its time. */
  former: readonly { generation: number; valid_until: Date }[];
};

export const FIRST_GENERATION = 1;
export const FORMER_REPLY_KEYS_MAX = 4;

/** HKDF (RFC 5869): nobody can compute the installation's key from that of an address. */
export const replyKey = (
  installationKey: Uint8Array,
  addressId: string,
  generation: number,
): string => {
  const info = `inlet reply key ${generation}`;
  const key = hkdfSync('sha256', installationKey, addressId, info, KEY_BYTES);
  return `rkey_${Buffer.from(key).toString('base64url')}`;
};

/** All keys whose reply addresses are accepted now. */
export const acceptedReplyKeys = (
  installationKeys: readonly Uint8Array[],
  addressId: string,
  { generation, former }: ReplyKeyGenerations,
  now: Date,
): string[] => {
  const generations = [
    generation,
    ...former.filter(({ valid_until }) => valid_until > now).map((one) => one.generation),
  ];
  return installationKeys.flatMap((key) =>
    generations.map((accepted) => replyKey(key, addressId, accepted)),
  );
};
