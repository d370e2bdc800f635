/** An ApiToken resource is an API token. Only its Secret holds the token itself. */
import type { Audit } from '../../platform/audit.ts';
import type { ManagedToken, Tokens } from '../../adapters/mongo/accounts/tokens.ts';
import { ApiTokenSpec } from '../../core/kube/token-spec.ts';
import { type ManagedBy, managerName } from '../../core/address/managed-by.ts';
import { tokenCreatedData } from '../../core/account/token.ts';
import { tokenStep, type TokenStep } from '../../core/kube/token-resource.ts';
import type { Reconciler } from './reconcile.ts';
import { ownerOf, specOf } from '../resource.ts';
import type { SecretKeeper } from '../secret-keeper.ts';

type Needs = {
  tokens: Pick<Tokens, 'issue' | 'findManaged' | 'replace' | 'change' | 'revoke'>;
  secrets: SecretKeeper;
  audit: Audit;
  accountId: (namespace: string, name: string) => Promise<string | undefined>;
  clock: () => Date;
};

const MAX_STEPS = 6;

export function createTokenReconciler({
  tokens,
  secrets,
  audit,
  accountId,
  clock,
}: Needs): Reconciler {
  const recordChange = (
    account_id: string,
    environment: ApiTokenSpec['environment'],
    owner: ManagedBy,
    type: 'token.created' | 'token.deleted',
    data: object,
  ) =>
    audit(
      { caller: { account_id, environment }, now: clock() },
      { type, address_id: null, data: { ...data, resource: managerName(owner) } },
    );

  async function act(
    step: Exclude<TokenStep, { kind: 'settled' }>,
    owner: ManagedBy,
    { environment }: ApiTokenSpec,
    secretName: string,
    record: ManagedToken | undefined,
  ): Promise<void> {
    if (step.kind === 'issue') {
      const { name, permissions } = step;
      const issued = await tokens.issue({
        accountId: step.accountId,
        name,
        environment,
        permissions,
        managed_by: owner,
      });
      const data = tokenCreatedData(issued);
      await recordChange(step.accountId, environment, owner, 'token.created', data);
      return secrets.write(owner, secretName, { token: issued.token });
    }
    if (record === undefined) throw new Error('no token to change');
    if (step.kind === 'change')
      return tokens.change(record.id, { name: step.name, permissions: step.permissions });
    return secrets.write(owner, secretName, {
      token: await tokens.replace(record.id, environment),
    });
  }

  return {
    settle: async function settleToken(resource) {
      const spec = specOf(ApiTokenSpec, resource);
      const owner = ownerOf('ApiToken', resource);
      const secretName = spec.secretName ?? `${owner.name}-token`;
      for (let i = 0; i < MAX_STEPS; i++) {
        const record = await tokens.findManaged(owner);
        const token = secrets.read(owner, secretName)?.token;
        const secretHoldsToken = token !== undefined && record?.is(token) === true;
        const step = tokenStep({
          spec,
          name: owner.name,
          accountId: await accountId(owner.namespace, spec.accountRef.name),
          record,
          secretHoldsToken,
        });
        if (step.kind === 'settled') {
          if (secretHoldsToken) await secrets.write(owner, secretName, { token });
          return {
            fields: {
              ...resource.status,
              ...(record && { id: record.id, prefix: record.prefix, secretName }),
            },
            verdicts: { Ready: step.verdict },
          };
        }
        await act(step, owner, spec, secretName, record);
      }
      throw new Error(`the token did not settle in ${MAX_STEPS} steps`);
    },

    remove: async function removeToken(resource) {
      const owner = ownerOf('ApiToken', resource);
      const record = await tokens.findManaged(owner);
      if (record && (await tokens.revoke(record.account_id, record.id)))
        await recordChange(record.account_id, record.environment, owner, 'token.deleted', {
          deleted_token_id: record.id,
        });
      return undefined;
    },
  };
}
