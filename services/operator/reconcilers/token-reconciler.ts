/** An ApiToken resource is an API token. Only its Secret holds the token itself. */
import type { ManagedToken, Tokens } from '../../adapters/mongo/token/tokens.ts';
import type { TokenOperations } from '../../platform/token/token-operations.ts';
import { tokenStep, type TokenStep } from '../../core/kube/token-resource.ts';
import type { SecretKeeper } from '../cluster/secret-keeper.ts';
import {
  type AccountOf,
  type CauseOf,
  type Reconciler,
  runSteps,
  unlessGone,
} from './reconciler.ts';

type TokenReconcilerDependencies = {
  tokens: Pick<Tokens, 'findManaged' | 'replace'>;
  operations: TokenOperations;
  secrets: SecretKeeper;
  causeOf: CauseOf;
  accountOf: AccountOf;
};

export function createTokenReconciler({
  tokens,
  operations,
  secrets,
  causeOf,
  accountOf,
}: TokenReconcilerDependencies): Reconciler<'ApiToken'> {
  return {
    settle: async function settleToken({ spec, owner, status }) {
      const { environment } = spec;
      const secretName = spec.secretName ?? `${owner.name}-token`;
      const write = (token: string) => secrets.write(owner, secretName, { token });
      const account_id = await accountOf(owner, spec);
      /** The token of the Secret, if it is the one of the record. */
      let held: string | undefined;
      const { record, step } = await runSteps<ManagedToken, TokenStep>({
        find: () => tokens.findManaged(owner),
        next: (found) => {
          const token = secrets.read(owner, secretName)?.token;
          held = token !== undefined && found?.is(token) ? token : undefined;
          const secretHoldsToken = held !== undefined;
          const facts = { spec, accountId: account_id, record: found, secretHoldsToken };
          return tokenStep({ ...facts, name: owner.name });
        },
        act: {
          create: async ({ requested }) => {
            if (account_id === undefined) throw new Error('a token has an account');
            await secrets.requireWritable(owner, secretName);
            const cause = causeOf(owner, { account_id, environment });
            const { token } = await operations.create(cause, { ...requested, managed_by: owner });
            await write(token);
          },
          replace: async (_, found) => {
            const token = (await secrets.readNow(owner, secretName))?.token;
            if (token !== undefined && found.is(token)) return write(token);
            await secrets.requireWritable(owner, secretName); // until then, the former is valid
            return write(await tokens.replace(found.id, environment));
          },
          change: ({ change }, found) => operations.change(causeOf(owner, found), found.id, change),
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
      if (record) await unlessGone(() => operations.remove(causeOf(owner, record), record.id));
    },
  };
}
