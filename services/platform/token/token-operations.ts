/** Creates, changes and revokes API tokens. */
import { randomBytes } from 'node:crypto';

import type { Tokens } from '../../adapters/mongo/token/tokens.ts';
import { TOKEN_RANDOM_BYTES } from '../../core/token/token.ts';
import {
  type IssuedToken,
  newToken,
  TOKEN,
  type TokenNoun,
} from '../../core/token/token-record.ts';
import { changedFields, isEmpty } from '../../core/resource/changed-fields.ts';
import { withoutNulls } from '../../core/resource/record.ts';
import type { Audit } from '../audit.ts';
import { createOwnedOperations, type OwnedOperations } from '../owned-operations.ts';

export type TokenOperations = OwnedOperations<TokenNoun, IssuedToken>;

type TokenOperationDependencies = {
  tokens: Pick<Tokens, 'insert' | 'find' | 'update' | 'remove'>;
  audit: Audit;
  /** Makes every process read its cached credentials again; otherwise each does within a second. */
  announce?: () => void;
};

export const createTokenOperations = ({
  tokens,
  audit,
  announce,
}: TokenOperationDependencies): TokenOperations =>
  createOwnedOperations<TokenNoun, IssuedToken>(
    {
      resource: TOKEN,
      store: tokens,
      newRecord: (requested, owner, stamp) =>
        newToken(requested, owner, stamp, randomBytes(TOKEN_RANDOM_BYTES)),
      update: async (_, before, requested) => {
        const changed = changedFields(before, requested);
        const record = { ...before, ...changed };
        if (!isEmpty(changed)) await tokens.update(record);
        return { record, changed };
      },
      shown: withoutNulls,
    },
    announce && { require: () => undefined, announced: async () => announce() },
    audit,
  );
