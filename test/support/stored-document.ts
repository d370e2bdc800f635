/** A document of MongoDB in the order of its bytes, without what differs from run to run. */
import { Binary } from 'mongodb';

const RANDOM = /(?<=\b(acc|token|member|addr|rcv|dom|svc|whpk)_)[A-Za-z0-9_+/=-]{6,}/g;
const SECRET = new Set(['sealed_secret', 'sealed_auth', 'token', 'uid']);

export const storedText = (document: unknown): string => JSON.stringify(masked(document));

function masked(value: unknown, name?: string): unknown {
  if (value instanceof Date) return 'a time';
  if (value instanceof Binary) return 'bytes';
  if (typeof value === 'string')
    return name !== undefined && SECRET.has(name) ? 'secret' : value.replaceAll(RANDOM, '…');
  if (Array.isArray(value)) return value.map((one) => masked(one));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, masked(one, key)]));
}
