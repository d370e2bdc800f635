/** The rules of one address. */
import { call } from '../../client/api.ts';
import { useResource } from '../../client/resource.ts';
import type { ScreenProps } from '../../browser/router.ts';
import { useLive } from '../../session/live.ts';
import { may } from '../../session/session.ts';
import { Link } from '../../parts/link.tsx';
import { PageHead } from '../../parts/page-head.tsx';
import { Loaded } from '../../parts/states.tsx';
import { ManagedNotice } from '../../parts/resource/managed-notice.tsx';
import { addressText } from '../../strings/addresses.ts';
import { ruleText } from '../../strings/rules.ts';
import { RulesEditor } from './rules-editor.tsx';

export function AddressRulesScreen({ params: { address_id: id = '' } }: ScreenProps) {
  const params = { address_id: id };
  const resource = useResource(`rules of ${id}`, (signal) =>
    call('GET /addresses/{address_id}', { params, signal }),
  );
  useLive((event) => {
    const isUpdate = event.type === 'address.updated' && event.address_id === id;
    if (isUpdate || event.type === 'stream.gap') resource.reload();
  });
  const back = { to: `/addresses/${id}`, label: resource.data?.address ?? addressText.one };
  return (
    <Loaded resource={resource} head={{ title: ruleText.ofAddress, back }}>
      {({ rules, managed_by: manager }) => (
        <>
          <PageHead
            title={ruleText.ofAddress}
            back={back}
            facts={<span>{ruleText.ofAddressHint}</span>}
          >
            {may('account:read') && (
              <Link to="/rules" class="button">
                {ruleText.ofAccount}
              </Link>
            )}
          </PageHead>
          <ManagedNotice manager={manager} />
          <RulesEditor
            owner={id}
            saved={rules}
            isReadOnly={!may('addresses:write') || manager !== null}
            save={async (changed) => {
              const body = { rules: changed };
              const saved = await call('PATCH /addresses/{address_id}', { params, body });
              resource.change(() => saved);
            }}
          />
        </>
      )}
    </Loaded>
  );
}
