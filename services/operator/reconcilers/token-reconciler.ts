/** An ApiToken resource is an API token. Only its Secret holds the token itself. */
import type { ManagedToken, Tokens } from '../../adapters/mongo/accounts/tokens.ts';
import { type Audit, auditUpdate } from '../../platform/audit.ts';
import { changedFields } from '../../core/changed-fields.ts';
import { tokenCreatedData } from '../../core/account/token.ts';
import { tokenStep, type TokenStep } from '../../core/kube/token-resource.ts';
import type { SecretKeeper } from '../secret-keeper.ts';
import { type AccountOf, type Reconciler, type CauseOf, runSteps } from './reconciler.ts';

type Parts = {
  tokens: Pick<Tokens, 'issue' | 'findManaged' | 'replace' | 'change' | 'revoke'>;
  secrets: SecretKeeper;
  causeOf: CauseOf;
  audit: Audit;
  accountOf: AccountOf;
};

export function createTokenReconciler({
  tokens,
  secrets,
  causeOf,
  audit,
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
            const data = tokenCreatedData(issued);
            await audit(causeOf(owner, scope), { type: 'token.created', address_id: null, data });
            await write(issued.token);
          },
          replace: async (_, found) => {
            const token = (await secrets.readNow(owner, secretName))?.token;
            if (token !== undefined && found.is(token)) return write(token);
            await secrets.requireWritable(owner, secretName); // until then, the former is valid
            return write(await tokens.replace(found.id, environment));
          },
          change: async ({ name, permissions, limit, expires_at }, found) => {
            const change = { name, permissions, limit, expires_at };
            await tokens.change(found.id, change);
            const data = { updated_token_id: found.id, name };
            const event = { type: 'token.updated', address_id: null, data } as const;
            const scope = { account_id: found.account_id, environment };
            await auditUpdate(audit, causeOf(owner, scope), event, changedFields(found, change));
          },
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
        await audit(causeOf(owner, record), {
          type: 'token.deleted',
          address_id: null,
          data: { deleted_token_id: record.id },
        });
    },
  };
}
