/** The TXT record that proves who owns a domain. */

/** The name of the record below its domain. */
export const CHALLENGE_LABEL = '_inlet-challenge';
export const challengeName = (domain: string): string => `${CHALLENGE_LABEL}.${domain}`;
export const challengeValue = (token: string): string => `inlet-verification=${token}`;
