/** The sessions of the dashboard: where each runs, and a button that ends it. */
import { call } from '../../client/api.ts';
import type { Session } from '../../../core/api/api-types.generated.ts';
import { useResource } from '../../client/resource.ts';
import { isOwn, may, signOut } from '../../session/session.ts';
import { confirm } from '../../parts/confirm.tsx';
import { plain } from '../../parts/plain-text.ts';
import { Loaded } from '../../parts/states.tsx';
import { type Column, Table } from '../../parts/lists/table.tsx';
import { Time } from '../../parts/time.tsx';
import { reporting } from '../../parts/toast.tsx';
import { accountText } from '../../strings/account.ts';

const { sessionColumns: titles } = accountText;

export function Sessions() {
  const resource = useResource('sessions', (signal) => call('GET /sessions', { signal }));
  const others = resource.data?.data.filter(({ current }) => !current) ?? [];
  return (
    <section aria-labelledby="sessions">
      <div class="section-head">
        <h2 id="sessions">{accountText.sessions}</h2>
        {others.length > 0 && may('tokens:write') && (
          <button type="button" onClick={() => void endOthers(others, resource.reload)}>
            {accountText.endOthers}
          </button>
        )}
      </div>
      <Loaded resource={resource} rows={2}>
        {({ data }) => (
          <Table
            label={accountText.sessions}
            columns={[...COLUMNS, endColumn(resource.reload)]}
            rows={data}
            keyOf={({ session_id: id }) => id}
          />
        )}
      </Loaded>
    </section>
  );
}

const COLUMNS: readonly Column<Session>[] = [
  {
    title: titles.device,
    cell: ({ user_agent: agent, current }) => (
      <span dir="auto">
        {browserOf(agent)} {current && <span class="tag">{accountText.current}</span>}
      </span>
    ),
  },
  { title: titles.source, cell: ({ source_ip: ip }) => ip ?? accountText.unknown },
  {
    title: titles.method,
    cell: ({ method, user, member }) => (
      <>
        {accountText.methods[method] ?? method}{' '}
        <span dir="auto">{plain(user ?? member?.name ?? '')}</span>
      </>
    ),
  },
  {
    title: titles.started,
    isNumber: true,
    sort: { field: 'started', value: ({ created_at: at }) => at },
    cell: ({ created_at: at }) => <Time at={at} as="full" />,
  },
  {
    title: titles.ends,
    isNumber: true,
    sort: { field: 'ends', value: (session) => endOf(session) },
    cell: (session) => <Time at={endOf(session)} as="relative" />,
  },
];

const endOf = ({ expires_at: expires, idle_expires_at: idle }: Session): string =>
  idle < expires ? idle : expires;

/** `Firefox · Linux` from a User-Agent header, or its start. */
function browserOf(agent: string | null): string {
  if (agent === null) return accountText.unknown;
  const browser = /(Edg|OPR|Firefox|Chrome|Safari)\//.exec(agent)?.[1];
  const system = /(Windows|Android|iPhone|iPad|Mac OS X|Linux)/.exec(agent)?.[1];
  if (!browser) return plain(agent.slice(0, 40));
  const name = { Edg: 'Edge', OPR: 'Opera' }[browser] ?? browser;
  return system ? `${name} · ${system}` : name;
}

const endColumn = (reload: () => void): Column<Session> => ({
  title: titles.actions,
  hidesTitle: true,
  isNumber: true,
  cell: (one) =>
    (one.current || may('tokens:write') || isOwn({ member_id: one.member?.id ?? null })) && (
      <button type="button" onClick={() => void end(one, reload)}>
        {accountText.end} <span class="visually-hidden">{browserOf(one.user_agent)}</span>
      </button>
    ),
});

async function end({ session_id: id, current }: Session, reload: () => void): Promise<void> {
  const isConfirmed = await confirm({
    title: accountText.endTitle,
    text: accountText.endText,
    action: accountText.end,
    isDestructive: true,
  });
  if (!isConfirmed) return;
  if (current) return signOut();
  await reporting(() => endSession(id), accountText.ended);
  reload();
}

async function endOthers(others: readonly Session[], reload: () => void): Promise<void> {
  const isConfirmed = await confirm({
    title: accountText.endOthersTitle,
    text: accountText.endOthersText,
    action: accountText.endOthers,
    isDestructive: true,
  });
  if (!isConfirmed) return;
  await reporting(async () => {
    for (const { session_id: id } of others) await endSession(id);
  }, accountText.ended);
  reload();
}

const endSession = (id: string) =>
  call('DELETE /sessions/{session_id}', { params: { session_id: id } });
