/** The TXT record that proves who owns a domain. */

export const challengeName = (domain: string): string => `_inlet-challenge.${domain}`;
export const challengeValue = (token: string): string => `inlet-verification=${token}`;
