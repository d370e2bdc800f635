/** The notifications of the account, and the form that creates one. */
import { call } from '../../client/api.ts';
import type { Notification } from '../../../core/api/api-types.generated.ts';
import { go } from '../../browser/router.ts';
import { useLive } from '../../session/live.ts';
import { useResource } from '../../client/resource.ts';
import { may } from '../../session/session.ts';
import { SubmitButton, TextField } from '../../parts/forms/form-fields.tsx';
import { Link } from '../../parts/link.tsx';
import { ListScreen } from '../../parts/lists/list-screen.tsx';
import type { Column } from '../../parts/lists/table.tsx';
import { plain } from '../../parts/plain-text.ts';
import { Status } from '../../parts/status.tsx';
import { Time } from '../../parts/time.tsx';
import { toast } from '../../parts/toast.tsx';
import { useForm } from '../../parts/forms/use-form.ts';
import { notificationText } from '../../strings/notifications.ts';
import { TypeField, type TypeValues } from './type-field.tsx';

const { columns: titles } = notificationText;

const COLUMNS: readonly Column<Notification>[] = [
  {
    title: titles.url,
    cell: ({ id, url, description }) => (
      <>
        <Link to={`/notifications/${id}`}>{plain(url)}</Link>
        {description && (
          <span class="description" dir="auto">
            {plain(description)}
          </span>
        )}
      </>
    ),
  },
  {
    title: titles.types,
    cell: ({ types }) => (
      <span class="soft">
        {types?.map((type) => notificationText.types[type]).join(' · ') ??
          notificationText.everyType}
      </span>
    ),
  },
  {
    title: titles.state,
    cell: (notification) => <NotificationState notification={notification} />,
  },
  { title: titles.changed, isNumber: true, cell: ({ updated_at: at }) => <Time at={at} /> },
];

export const NotificationState = ({
  notification: { is_enabled: isEnabled, failing_since: failingSince },
}: {
  notification: Notification;
}) => (
  <span class="states">
    <Status
      tone={isEnabled ? 'good' : 'plain'}
      text={isEnabled ? notificationText.enabled : notificationText.disabled}
    />
    {failingSince !== null && <Status tone="bad" text={notificationText.failing} />}
  </span>
);

export function NotificationListScreen() {
  const resource = useResource('notifications', (signal) =>
    call('GET /account/notifications', { signal }),
  );
  useLive(({ type }) => {
    if (type === 'stream.gap') resource.reload();
  });
  return (
    <ListScreen
      texts={notificationText}
      resource={resource}
      columns={COLUMNS}
      mayCreate={may('account:write')}
      docsPage="/docs/notifications"
    >
      <CreateForm />
    </ListScreen>
  );
}

const INITIAL: { url: string; description: string } & TypeValues = {
  url: '',
  description: '',
  types: null,
};

function CreateForm() {
  const form = useForm(INITIAL, async ({ url, description, types }) => {
    const body = { url: url.trim(), description: description.trim() || null, types };
    const { id } = await call('POST /account/notifications', { body });
    toast(notificationText.created);
    go(`/notifications/${id}`);
  });
  return (
    <form class="form" onSubmit={form.onSubmit}>
      <TextField
        form={form}
        name="url"
        label={notificationText.url}
        hint={notificationText.urlHint}
        type="url"
        required
        autoFocus
        placeholder={notificationText.urlPlaceholder}
      />
      <TextField form={form} name="description" label={notificationText.description} dir="auto" />
      <TypeField form={form} />
      <SubmitButton form={form} label={notificationText.submit} />
    </form>
  );
}
