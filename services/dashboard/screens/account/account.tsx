/** The account: its settings, the sessions of the dashboard, and links that invite colleagues. */
import { call } from '../../client/api.ts';
import { useResource } from '../../client/resource.ts';
import { may } from '../../session/session.ts';
import { PageHead } from '../../parts/page-head.tsx';
import { Loaded } from '../../parts/states.tsx';
import { Time } from '../../parts/time.tsx';
import { accountText } from '../../strings/account.ts';
import { AccountSettingsForm } from './account-settings.tsx';
import { Invitation } from './invitation.tsx';
import { Sessions } from './sessions.tsx';

export function AccountScreen() {
  const resource = useResource('account', async (signal) =>
    may('account:read') ? call('GET /account', { signal }) : null,
  );
  const { data } = resource;
  return (
    <>
      <PageHead
        title={data?.name ?? accountText.title}
        facts={
          data && (
            <>
              <span>{data.email}</span>
              <span>
                {accountText.plan}: {data.plan}
              </span>
              <span>
                {accountText.since} <Time at={data.created_at} as="day" />
              </span>
              <code>{data.id}</code>
            </>
          )
        }
      />
      <div class="columns">
        <Loaded resource={resource} rows={4}>
          {(account) =>
            account && (
              <AccountSettingsForm
                account={account}
                isReadOnly={!may('account:write')}
                show={(changed) => resource.change(() => changed)}
              />
            )
          }
        </Loaded>
        <Invitation />
      </div>
      <Sessions />
    </>
  );
}
