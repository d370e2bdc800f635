/** API tokens: their form, what is kept of them and what they may do (spec 2.7, 5.1). */
import { createHash } from 'node:crypto';

import type { Environment } from './address.ts';
import type { Permission } from './permission.ts';

/** Bytes of randomness in a token: as base64url, 43 characters. */
export const TOKEN_RANDOM_BYTES = 32;

const SHOWN_RANDOM_CHARS = 6;

const TOKEN = new RegExp(String.raw`^svc_(live|test)_[A-Za-z0-9_-]{43}$`); // spec 5.1.3

/** Who makes a request, as far as its token tells. */
export type TokenIdentity = { id: string; account_id: string; environment: Environment; permissions: Permission[] };

export function formatToken(environment: Environment, random: Buffer): string {
  return `svc_${environment}_${random.toString('base64url')}`;
}

/** Whether a text has a token's form at all; anything else need not be looked up. */
export const isTokenShaped = (text: string): boolean => TOKEN.test(text);

/** The leading part that lists show, to tell tokens apart. */
export const prefixOf = (token: string): string => token.slice(0, 'svc_live_'.length + SHOWN_RANDOM_CHARS);

/** What is stored in a token's place: 256 random bits need no slow hash. */
export const hashOf = (token: string): Buffer => createHash('sha256').update(token).digest();

export const may = (identity: TokenIdentity, permission: Permission): boolean => identity.permissions.includes(permission);
