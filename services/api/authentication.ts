/** Who makes a request, by its bearer token, and whether that token may (spec 5.1, D10). */
import type { Log } from '../adapters/log.ts';
import type { Tokens } from '../adapters/tokens.ts';
import { AppError } from '../core/app-error.ts';
import type { Permission } from '../core/permission.ts';
import { may, type TokenIdentity, useIsWorthNoting } from '../core/token.ts';

type Needs = { tokens: Pick<Tokens, 'authenticate' | 'noteUse'>; clock: () => Date };

/** @throws AppError `unauthorized` */
export type Authenticate = (authorization: string) => Promise<TokenIdentity>;

export const createAuthentication = ({ tokens, clock }: Needs, log: Log): Authenticate =>
  async function authenticate(authorization) {
    const token = /^Bearer +(\S+) *$/i.exec(authorization)?.[1]; // RFC 6750 §2.1; the scheme's case does not matter (RFC 9110 §11.1)
    if (token === undefined) throw new AppError('unauthorized', 'An API token is needed: Authorization: Bearer <API_TOKEN>');
    const used = await tokens.authenticate(token);
    if (used === undefined) throw new AppError('unauthorized', 'The API token is not valid');
    const { identity, lastUsedAt } = used;
    const now = clock();
    if (useIsWorthNoting(lastUsedAt, now)) {
      tokens.noteUse(identity.id, now).catch((error: unknown) => log.debug('token.use_unnoted', { tokenId: identity.id, error })); // nobody waits for it
    }
    return identity;
  };

/** @throws AppError `forbidden` */
export function requirePermission(caller: TokenIdentity, permission: Permission): void {
  if (!may(caller, permission)) throw new AppError('forbidden', `The API token lacks the permission ${permission}`);
}
