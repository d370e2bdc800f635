/** The rules of the account, which come before those of each address. */
import { call } from '../../client/api.ts';
import { useResource } from '../../client/resource.ts';
import { may } from '../../session/session.ts';
import { PageHead } from '../../parts/page-head.tsx';
import { Loaded } from '../../parts/states.tsx';
import { ruleText } from '../../strings/rules.ts';
import { HookCard } from './hook-card.tsx';
import { RulesEditor } from './rules-editor.tsx';

export function AccountRulesScreen() {
  const resource = useResource('rules of the account', (signal) =>
    call('GET /account', { signal }),
  );
  return (
    <>
      <PageHead title={ruleText.ofAccount} facts={<span>{ruleText.ofAccountHint}</span>} />
      <Loaded resource={resource} rows={3}>
        {({ id, settings }) => (
          <div class="stack">
            <RulesEditor
              owner={id}
              saved={settings.rules}
              isReadOnly={!may('account:write')}
              save={async (rules) => {
                const saved = await call('PATCH /account', { body: { settings: { rules } } });
                resource.change(() => saved);
              }}
            />
            <HookCard
              hook={settings.hook}
              change={async (hook) => {
                const saved = await call('PATCH /account', { body: { settings: { hook } } });
                resource.change(() => saved);
              }}
              isReadOnly={!may('account:write')}
              isOfAccount
            />
          </div>
        )}
      </Loaded>
    </>
  );
}
