/** The notifications of the account, and one of them: its settings, secret, a test, and its last deliveries. */
import { call } from '../../client/api.ts';
import type {
  ListNotificationDeliveriesResponse,
  Notification,
  NotificationType,
} from '../../../core/api/api-types.generated.ts';
import { go, type ScreenProps } from '../../browser/router.ts';
import { useLive } from '../../session/live.ts';
import { useResource } from '../../client/resource.ts';
import { may } from '../../session/session.ts';
import { FieldError } from '../../parts/field.tsx';
import { formatCount } from '../../parts/format.ts';
import { checkField, nullableText, textField } from '../../parts/forms/form-table.tsx';
import { TableForm } from '../../parts/forms/table-form.tsx';
import type { Form } from '../../parts/forms/use-form.ts';
import { ListScreen } from '../../parts/lists/list-screen.tsx';
import { type Column, linkColumn, timeColumn } from '../../parts/lists/table.tsx';
import { plain } from '../../parts/plain-text.ts';
import { DetailScreen } from '../../parts/resource/detail-screen.tsx';
import { Status } from '../../parts/status.tsx';
import { Time, TimeFact } from '../../parts/time.tsx';
import { mailText } from '../../strings/mail/mail.ts';
import { notificationText } from '../../strings/notifications.ts';
import { ReceiverTest } from '../addresses/receiver-test.tsx';
import { SecretCard } from '../addresses/secret-card.tsx';
import { STATUS_TONE } from '../mail/mail-row.tsx';

const { columns: titles, types: typeTexts } = notificationText;
const TYPES = Object.keys(typeTexts) as NotificationType[];

const COLUMNS: readonly Column<Notification>[] = [
  linkColumn(titles.url, '/notifications', ({ url }) => plain(url)),
  {
    title: titles.types,
    cell: ({ types }) => (
      <span class="soft">
        {types?.map((type) => typeTexts[type]).join(' · ') ?? notificationText.everyType}
      </span>
    ),
  },
  { title: titles.state, cell: (notification) => <State {...notification} /> },
  timeColumn(titles.changed, ({ updated_at }) => updated_at),
];

const State = ({ is_enabled: isEnabled, failing_since: failingSince }: Notification) => (
  <span class="states">
    <Status
      tone={isEnabled ? 'good' : 'plain'}
      text={isEnabled ? notificationText.enabled : notificationText.disabled}
    />
    {failingSince !== null && <Status tone="bad" text={notificationText.failing} />}
  </span>
);

type TypeValues = { types: Notification['types'] };

/** Which events it sends: all, or some kinds of them. */
function TypeField({ form }: { form: Form<TypeValues> }) {
  const { types } = form.values;
  const toggle = (type: NotificationType) =>
    form.set(
      'types',
      TYPES.filter((one) => (types?.includes(one) ?? false) !== (one === type)),
    );
  return (
    <fieldset name="types">
      <legend>{notificationText.events}</legend>
      <label class="check">
        <input
          type="checkbox"
          checked={types === null}
          disabled={form.isReadOnly}
          onChange={() => form.set('types', types === null ? TYPES : null)}
        />
        {notificationText.all}
      </label>
      {types !== null && (
        <div class="check-grid">
          {TYPES.map((type) => (
            <label key={type} class="check">
              <input
                type="checkbox"
                name={type}
                checked={types.includes(type)}
                disabled={form.isReadOnly}
                onChange={() => toggle(type)}
              />
              {typeTexts[type]}
            </label>
          ))}
        </div>
      )}
      <FieldError error={form.errorOf('types')} />
    </fieldset>
  );
}

const url = (more: Parameters<typeof textField>[2]) =>
  textField(
    'url',
    { label: notificationText.url, ...(more?.autoFocus && { hint: notificationText.urlHint }) },
    { type: 'url', required: true, ...more },
  );

const NEW = {
  url: url({ autoFocus: true, placeholder: notificationText.urlPlaceholder }),
  description: nullableText(
    'description',
    { label: notificationText.description },
    { dir: 'auto' },
  ),
  types: {
    values: (types: Notification['types'] | undefined): TypeValues => ({ types: types ?? null }),
    read: ({ types }: TypeValues) => types,
    Fields: TypeField,
  },
};
const SETTINGS = {
  ...NEW,
  url: url({}),
  is_enabled: checkField('is_enabled', notificationText.isEnabled),
};

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
      <TableForm
        table={NEW}
        submit={notificationText.submit}
        saved={notificationText.created}
        isInDialog
        send={(body) => call('POST /account/notifications', { body })}
        show={({ id }) => go(`/notifications/${id}`)}
      />
    </ListScreen>
  );
}

const DELIVERIES_SHOWN = 20;

type Deliveries = ListNotificationDeliveriesResponse['data'];
type Shown = Notification & { deliveries: Deliveries | undefined };

export function NotificationDetailScreen({ params: { notification_id = '' } }: ScreenProps) {
  const params = { notification_id };
  return (
    <DetailScreen<Shown>
      texts={notificationText}
      list="/notifications"
      id={notification_id}
      load={async (signal) => {
        const query = { limit: DELIVERIES_SHOWN };
        const place = { params, signal };
        const [notification, deliveries] = await Promise.all([
          call('GET /account/notifications/{notification_id}', place),
          may('deliveries:read')
            ? call('GET /account/notifications/{notification_id}/deliveries', { ...place, query })
            : undefined,
        ]);
        return { ...notification, deliveries: deliveries?.data };
      }}
      titleOf={(notification) => plain(notification.url)}
      facts={(notification) => (
        <>
          <State {...notification} />
          {notification.failing_since !== null && (
            <TimeFact
              label={notificationText.failingSince}
              at={notification.failing_since}
              as="full"
            />
          )}
          <TimeFact label={notificationText.createdAt} at={notification.created_at} />
        </>
      )}
      mayWrite={may('account:write')}
      remove={() => call('DELETE /account/notifications/{notification_id}', { params })}
    >
      {({ record, show, mayWrite }) => (
        <div class="columns">
          <div class="card-column">
            <TableForm
              table={SETTINGS}
              record={record}
              title={notificationText.settings}
              submit={notificationText.save}
              saved={notificationText.saved}
              isReadOnly={!mayWrite}
              send={(body) =>
                call('PATCH /account/notifications/{notification_id}', { params, body })
              }
              show={(changed) => show({ ...record, ...changed })}
            />
            <SecretCard
              id="notification-secret"
              text={notificationText.secret}
              mayRotate={mayWrite && may('secrets:read')}
              read={async () =>
                (await call('GET /account/notifications/{notification_id}/secret', { params }))
                  .webhook_secret
              }
              rotate={async () =>
                (
                  await call('POST /account/notifications/{notification_id}/rotate-secret', {
                    params,
                  })
                ).webhook_secret
              }
            />
          </div>
          <div class="card-column">
            {may('account:write') && (
              <ReceiverTest
                hint={notificationText.testHint}
                send={() => call('POST /account/notifications/{notification_id}/test', { params })}
              />
            )}
            {record.deliveries && <DeliveriesCard deliveries={record.deliveries} />}
          </div>
        </div>
      )}
    </DetailScreen>
  );
}

const typeText = (type: string): string => (typeTexts as Record<string, string>)[type] ?? type;

const DeliveriesCard = ({ deliveries }: { deliveries: Deliveries }) => (
  <section class="card" aria-labelledby="notification-deliveries">
    <h2 id="notification-deliveries">{notificationText.deliveries}</h2>
    {deliveries.length === 0 ? (
      <p class="hint">{notificationText.noDeliveries}</p>
    ) : (
      <ul class="brief-list">
        {deliveries.map(({ event_id, type, status, created_at, attempt_count: count }) => (
          <li key={event_id}>
            <span class="brief-title">{typeText(type)}</span>
            <Status tone={STATUS_TONE[status]} text={mailText.status[status]} />
            <Time at={created_at} as="full" />
            {count > 1 && <span class="hint">{notificationText.attempts(formatCount(count))}</span>}
          </li>
        ))}
      </ul>
    )}
  </section>
);
