/** The API tokens of the account: what each may do, and when it was last used. */
import { useState } from 'preact/hooks';

import { call } from '../../client/api.ts';
import type { CreatedToken, Token } from '../../../core/api/api-types.generated.ts';
import { useLive } from '../../session/live.ts';
import { useResource } from '../../client/resource.ts';
import { isMember, isOwn, may } from '../../session/session.ts';
import { closeForm } from '../../parts/lists/create-button.tsx';
import { ListScreen } from '../../parts/lists/list-screen.tsx';
import { type Column, timeColumn } from '../../parts/lists/table.tsx';
import { RemoveButton } from '../../parts/resource/remove-button.tsx';
import { ShownOnce } from '../../parts/resource/shown-once.tsx';
import { Status } from '../../parts/status.tsx';
import { now, Time } from '../../parts/time.tsx';
import { tokenText } from '../../strings/tokens.ts';
import { limitText } from './token-limit.tsx';
import { PERMISSIONS, TokenCreate } from './token-create.tsx';

const { columns: titles } = tokenText;
const ofPerson = { ...tokenText, emptyTitle: tokenText.emptyTitleOfPerson };

export function TokenListScreen() {
  const [created, setCreated] = useState<CreatedToken | undefined>();
  const resource = useResource('tokens', (signal) => call('GET /account/tokens', { signal }));
  useLive(({ type }) => {
    if (type.startsWith('token.') || type === 'stream.gap') resource.reload();
  });
  const show = (token: CreatedToken) => {
    closeForm();
    setCreated(token);
    resource.reload();
  };
  return (
    <>
      <ListScreen
        texts={isMember() ? ofPerson : tokenText}
        resource={resource}
        columns={[...COLUMNS, revokeColumn(resource.reload)]}
        mayCreate={may('tokens:write') || isMember()}
      >
        <TokenCreate show={show} />
      </ListScreen>
      {created && (
        <ShownOnce
          title={tokenText.createdTitle}
          text={tokenText.createdText}
          secret={created.token}
          what={tokenText.token}
          done={tokenText.done}
          close={() => setCreated(undefined)}
        />
      )}
    </>
  );
}

const COLUMNS: readonly Column<Token>[] = [
  {
    title: titles.name,
    sort: { field: 'name', value: ({ name }) => name },
    cell: ({ name, environment, member_id: owner }) => (
      <>
        <span dir="auto">{name}</span>{' '}
        {owner !== null && (
          <span class="tag">
            {isOwn({ member_id: owner }) ? tokenText.yours : tokenText.ofMember}
          </span>
        )}{' '}
        {environment === 'test' && <span class="tag">{tokenText.environments.test}</span>}
      </>
    ),
  },
  { title: titles.prefix, cell: ({ prefix }) => <code>{prefix}…</code> },
  {
    title: titles.permissions,
    cell: (token) => <span class="soft">{inWords(token)}</span>,
  },
  {
    title: titles.limit,
    cell: (token) => <span class="soft">{limitText(token)}</span>,
  },
  timeColumn(titles.created, ({ created_at }) => created_at, {
    sort: { field: 'created', value: ({ created_at }) => created_at },
  }),
  {
    title: titles.expires,
    isNumber: true,
    sort: { field: 'expires', value: ({ expires_at: at }) => at ?? '9' },
    cell: ({ expires_at: at }) =>
      at === null ? (
        tokenText.neverExpires
      ) : new Date(at) <= now.value ? (
        <Status tone="bad" text={tokenText.expired} />
      ) : (
        <Time at={at} as="relative" />
      ),
  },
  {
    title: titles.used,
    isNumber: true,
    sort: { field: 'used', value: ({ last_used_at: at }) => at ?? '' },
    cell: ({ last_used_at: at }) =>
      at === null ? tokenText.neverUsed : <Time at={at} as="relative" />,
  },
];

const inWords = ({ permissions, address_ids, labels }: Token): string =>
  PERMISSIONS.every((one) => permissions.includes(one))
    ? address_ids || labels
      ? tokenText.everythingThere
      : tokenText.everything
    : PERMISSIONS.filter((one) => permissions.includes(one))
        .map((one) => tokenText.permission[one])
        .join(' · ');

const revokeColumn = (reload: () => void): Column<Token> => ({
  title: titles.actions,
  hidesTitle: true,
  isNumber: true,
  cell: (token) =>
    (may('tokens:write') || isOwn(token)) && (
      <RemoveButton
        texts={{ ...tokenText, removeTitle: tokenText.removeTitle(token.name) }}
        text={tokenText.removeText}
        remove={() => call('DELETE /account/tokens/{token_id}', { params: { token_id: token.id } })}
        name={token.name}
        reload={reload}
      />
    ),
});
