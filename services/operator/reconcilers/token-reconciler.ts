/** An ApiToken resource is an API token. Only its Secret holds the token itself. */
import type { ManagedToken, Tokens } from '../../adapters/mongo/accounts/tokens.ts';
import { tokenCreatedData } from '../../core/account/token.ts';
import { tokenStep, type TokenStep } from '../../core/kube/token-resource.ts';
import type { SecretKeeper } from '../secret-keeper.ts';
import { type AccountOf, type Reconciler, type RecordChange, runSteps } from './reconciler.ts';

type Parts = {
  tokens: Pick<Tokens, 'issue' | 'findManaged' | 'replace' | 'change' | 'revoke'>;
  secrets: SecretKeeper;
  recordChange: RecordChange;
  accountOf: AccountOf;
};

export function createTokenReconciler({
  tokens,
  secrets,
  recordChange,
  accountOf,
}: Parts): Reconciler<'ApiToken'> {
  return {
    settle: async function settleToken({ spec, owner, status }) {
      const { environment } = spec;
      const secretName = spec.secretName ?? `${owner.name}-token`;
      const write = (token: string) => secrets.write(owner, secretName, { token });
      const accountId = await accountOf(owner, spec);
      /** The token of the Secret, if it is the one of the record. */
      let held: string | undefined;
      const { record, step } = await runSteps<ManagedToken, TokenStep>({
        find: () => tokens.findManaged(owner),
        next: (found) => {
          const token = secrets.read(owner, secretName)?.token;
          held = token !== undefined && found?.is(token) ? token : undefined;
          const secretHoldsToken = held !== undefined;
          return tokenStep({ spec, name: owner.name, accountId, record: found, secretHoldsToken });
        },
        act: {
          issue: async ({ accountId: account_id, name, permissions, limit, expires_at }) => {
            await secrets.requireWritable(owner, secretName);
            const issued = await tokens.issue({
              accountId: account_id,
              name,
              environment,
              permissions,
              limit,
              expires_at,
              managed_by: owner,
            });
            const scope = { account_id, environment };
            await recordChange('token.created', scope, owner, tokenCreatedData(issued));
            await write(issued.token);
          },
          replace: async (_, found) => {
            const token = (await secrets.readNow(owner, secretName))?.token;
            if (token !== undefined && found.is(token)) return write(token);
            await secrets.requireWritable(owner, secretName); // until then, the former is valid
            return write(await tokens.replace(found.id, environment));
          },
          change: ({ name, permissions, limit, expires_at }, { id }) =>
            tokens.change(id, { name, permissions, limit, expires_at }),
        },
      });
      return {
        ...(held !== undefined && { secret: { name: secretName, content: { token: held } } }),
        fields: {
          ...status,
          ...(record && { id: record.id, prefix: record.prefix }),
        },
        verdicts: { Ready: step.verdict },
      };
    },

    remove: async function removeToken(owner) {
      const record = await tokens.findManaged(owner);
      if (record && (await tokens.revoke(record.account_id, record.id)))
        await recordChange('token.deleted', record, owner, { deleted_token_id: record.id });
    },
  };
}
