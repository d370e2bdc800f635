/** The people of the account: their roles, when they were last seen, and their invitations. */
import { useState } from 'preact/hooks';

import type { Member, Role } from '../../../core/api/api-types.generated.ts';
import { call } from '../../client/api.ts';
import { useResource } from '../../client/resource.ts';
import { confirm } from '../../parts/confirm.tsx';
import { closeForm } from '../../parts/lists/create-button.tsx';
import { ListScreen } from '../../parts/lists/list-screen.tsx';
import type { Column } from '../../parts/lists/table.tsx';
import { plain } from '../../parts/plain-text.ts';
import { RemoveButton } from '../../parts/resource/remove-button.tsx';
import { ShownOnce } from '../../parts/resource/shown-once.tsx';
import { Time } from '../../parts/time.tsx';
import { reporting } from '../../parts/toast.tsx';
import { may, session } from '../../session/session.ts';
import { peopleText } from '../../strings/people.ts';
import { Invite, type ShownLink } from './invite.tsx';
import { mayGive, RolesExplained, rolesToGive } from './roles.tsx';

const { columns: titles } = peopleText;

type Actions = { reload: () => void; show: (link: ShownLink) => void };

export function PeopleScreen() {
  const [link, setLink] = useState<ShownLink | undefined>();
  const resource = useResource('members', (signal) => call('GET /account/members', { signal }));
  const show = (shown: ShownLink) => {
    closeForm();
    setLink(shown);
    resource.reload();
  };
  return (
    <>
      <ListScreen
        texts={peopleText}
        resource={resource}
        columns={columnsOf({ reload: resource.reload, show })}
        mayCreate={may('tokens:write')}
      >
        <Invite show={show} />
      </ListScreen>
      <RolesExplained />
      {link && (
        <ShownOnce
          title={peopleText.linkTitle}
          text={peopleText.linkText(link.name)}
          secret={link.url}
          what={peopleText.link}
          done={peopleText.done}
          close={() => setLink(undefined)}
        />
      )}
    </>
  );
}

const columnsOf = (actions: Actions): Column<Member>[] => [
  ...COLUMNS.slice(0, 1),
  {
    title: titles.role,
    sort: { field: 'role', value: ({ role }) => role },
    cell: (member) => <RoleCell member={member} reload={actions.reload} />,
  },
  ...COLUMNS.slice(1),
  ...(may('tokens:write') ? [actionColumn(actions)] : []),
];

const COLUMNS: readonly Column<Member>[] = [
  {
    title: titles.name,
    sort: { field: 'name', value: ({ name }) => name },
    cell: ({ id, name }) => (
      <>
        <span dir="auto">{plain(name)}</span>{' '}
        {id === session.value?.member?.id && <span class="tag">{peopleText.you}</span>}
      </>
    ),
  },
  {
    title: titles.signsIn,
    cell: ({ subject }) => (
      <span class="soft" dir="auto">
        {subject === null ? peopleText.links : peopleText.provider(plain(subject))}
      </span>
    ),
  },
  {
    title: titles.seen,
    isNumber: true,
    sort: { field: 'seen', value: ({ last_seen_at: at }) => at ?? '' },
    cell: ({ last_seen_at: at }) =>
      at === null ? peopleText.neverSeen : <Time at={at} as="relative" />,
  },
  {
    title: titles.link,
    isNumber: true,
    cell: ({ link_expires_at: at }) =>
      at === null ? (
        peopleText.noLink
      ) : (
        <>
          {peopleText.linkUntil} <Time at={at} />
        </>
      ),
  },
];

/** Its role is not decided by a group or by a resource, and this session can give and take it. */
const isChangeable = ({ role, group, managed_by: owner }: Member): boolean =>
  group === null && owner === null && mayGive(role);

function RoleCell({ member, reload }: { member: Member; reload: () => void }) {
  const { id, name, role, group, managed_by: owner } = member;
  if (!isChangeable(member))
    return (
      <>
        {peopleText.roles[role]}{' '}
        {group !== null && <span class="soft">{peopleText.ofGroup(plain(group))}</span>}
        {owner !== null && (
          <span class="soft">
            {peopleText.ofResource(`${owner.kind} ${owner.namespace}/${owner.name}`)}
          </span>
        )}
      </>
    );
  const change = async (wanted: Role) => {
    const body = { role: wanted };
    await reporting(
      () => call('PATCH /account/members/{member_id}', { params: { member_id: id }, body }),
      peopleText.roleChanged,
    );
    reload();
  };
  return (
    <select
      aria-label={peopleText.roleOf(plain(name))}
      value={role}
      onChange={({ currentTarget }) => void change(currentTarget.value as Role)}
    >
      {rolesToGive().map(([value, label]) => (
        <option key={value} value={value}>
          {label}
        </option>
      ))}
    </select>
  );
}

const actionColumn = ({ reload, show }: Actions): Column<Member> => ({
  title: titles.actions,
  hidesTitle: true,
  isNumber: true,
  cell: (member) =>
    member.managed_by === null &&
    mayGive(member.role) && (
      <div class="buttons">
        {member.subject === null && (
          <button type="button" onClick={() => void newLink(member, show)}>
            {peopleText.newLink} <span class="visually-hidden">{plain(member.name)}</span>
          </button>
        )}
        <RemoveButton
          texts={{ ...peopleText, removeTitle: peopleText.removeTitle(plain(member.name)) }}
          text={peopleText.removeText}
          remove={() =>
            call('DELETE /account/members/{member_id}', { params: { member_id: member.id } })
          }
          name={plain(member.name)}
          reload={reload}
        />
      </div>
    ),
});

async function newLink({ id, name }: Member, show: Actions['show']): Promise<void> {
  const isConfirmed = await confirm({
    title: peopleText.newLinkTitle(plain(name)),
    text: peopleText.newLinkText,
    action: peopleText.newLink,
  });
  if (!isConfirmed) return;
  await reporting(async () => {
    const params = { member_id: id };
    const { url } = await call('POST /account/members/{member_id}/links', { params, body: {} });
    show({ name, url });
  });
}
