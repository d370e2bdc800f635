/** Who makes a request, by its bearer token, and whether that token may (spec 5.1, D10). */
import type { Tokens } from '../adapters/tokens.ts';
import { AppError } from '../core/app-error.ts';
import type { Permission } from '../core/permission.ts';
import { may, type TokenIdentity } from '../core/token.ts';

/** @throws AppError `unauthorized` or `forbidden` */
export type Authenticate = (authorization: string, permission: Permission) => Promise<TokenIdentity>;

export const createAuthentication = (tokens: Pick<Tokens, 'authenticate'>): Authenticate =>
  async function authenticate(authorization, permission) {
    const token = /^Bearer +(\S+) *$/i.exec(authorization)?.[1]; // RFC 6750 §2.1; the scheme's case does not matter (RFC 9110 §11.1)
    if (token === undefined) throw new AppError('unauthorized', 'An API token is needed: Authorization: Bearer <API_TOKEN>');
    const caller = await tokens.authenticate(token);
    if (caller === undefined) throw new AppError('unauthorized', 'The API token is not valid');
    if (!may(caller, permission)) throw new AppError('forbidden', `The API token lacks the permission ${permission}`);
    return caller;
  };
