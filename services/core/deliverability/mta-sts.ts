/**
 * MTA-STS (RFC 8461): a domain tells senders that its mail servers have TLS with a valid
 * certificate. The policy is a text file, and a TXT record has an id that changes with the text.
 */
import { createHash } from 'node:crypto';
import { isIP } from 'node:net';
import { z } from 'zod';

import { describeSchema } from '../resource/api-reference.ts';

export const MTA_STS_MODES = ['none', 'testing', 'enforce'] as const;
export const MtaStsMode = z
  .enum(MTA_STS_MODES)
  .describe(
    'MTA-STS policy that is served for the domain: `testing` asks senders for reports only, with ' +
      '`enforce` they deliver only with TLS and a valid certificate, `none` withdraws the policy',
  );
export type MtaStsMode = z.infer<typeof MtaStsMode>;
describeSchema(MtaStsMode, 'MtaStsMode');

const HOST_LABEL = 'mta-sts.';
/** RFC 8461 §3.3. */
export const POLICY_PATH = '/.well-known/mta-sts.txt';

export const policyHost = (domain: string): string => `${HOST_LABEL}${domain}`;

/** The domain that a policy host belongs to; undefined for other hosts. */
export const domainOfPolicyHost = (host: string): string | undefined =>
  host.startsWith(HOST_LABEL) ? host.slice(HOST_LABEL.length) : undefined;

/** The name that a policy host can be an alias of; undefined for an address or a name without dots. */
export function aliasTarget(publicApiUrl: string | undefined): string | undefined {
  if (publicApiUrl === undefined) return undefined;
  const { hostname } = new URL(publicApiUrl);
  return hostname.includes('.') && isIP(hostname) === 0 ? hostname : undefined;
}

const DAY_SECONDS = 86_400;
/**
 * How long senders use a policy without fetching it again. Short unless it protects something: a
 * policy that turns out wrong must not last.
 */
const MAX_AGE_SECONDS: Record<MtaStsMode, number> = {
  none: DAY_SECONDS,
  testing: DAY_SECONDS,
  enforce: 7 * DAY_SECONDS,
};

/** The policy file (RFC 8461 §3.2). `mx` is required except for `none`. */
export const policyText = (mode: MtaStsMode, mxHosts: readonly string[]): string =>
  [
    'version: STSv1',
    `mode: ${mode}`,
    ...(mode === 'none' ? [] : mxHosts.map((host) => `mx: ${host}`)),
    `max_age: ${MAX_AGE_SECONDS[mode]}`,
  ]
    .map((line) => `${line}\r\n`)
    .join('');

const ID_CHARS = 20; // of at most 32, RFC 8461 §3.1

/** Follows the text, so that senders notice each change. */
export const policyId = (text: string): string =>
  createHash('sha256').update(text).digest('hex').slice(0, ID_CHARS);

/** The value of the TXT record `_mta-sts` (RFC 8461 §3.1). */
export const policyRecord = (mode: MtaStsMode, mxHosts: readonly string[]): string =>
  `v=STSv1; id=${policyId(policyText(mode, mxHosts))};`;
