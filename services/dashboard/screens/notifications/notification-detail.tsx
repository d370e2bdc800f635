/** One notification: its settings, secret, a test, and its last deliveries. */
import { call } from '../../client/api.ts';
import type {
  ListNotificationDeliveriesResponse,
  Notification,
} from '../../../core/api/api-types.generated.ts';
import type { ScreenProps } from '../../browser/router.ts';
import { useResource } from '../../client/resource.ts';
import { may } from '../../session/session.ts';
import { formatCount } from '../../parts/format.ts';
import { CheckField, SubmitButton, TextField } from '../../parts/forms/form-fields.tsx';
import { PageHead } from '../../parts/page-head.tsx';
import { plain } from '../../parts/plain-text.ts';
import { Loaded } from '../../parts/states.tsx';
import { Status } from '../../parts/status.tsx';
import { Time } from '../../parts/time.tsx';
import { toast } from '../../parts/toast.tsx';
import { useForm } from '../../parts/forms/use-form.ts';
import { ManagedNotice } from '../../parts/resource/managed-notice.tsx';
import { RemoveButton } from '../../parts/resource/remove-button.tsx';
import { mailText } from '../../strings/mail/mail.ts';
import { notificationText } from '../../strings/notifications.ts';
import { ReceiverTest } from '../addresses/receiver-test.tsx';
import { SecretCard } from '../addresses/secret-card.tsx';
import { STATUS_TONE } from '../mail/mail-row.tsx';
import { NotificationState } from './notification-list.tsx';
import { TypeField } from './type-field.tsx';

const BACK = { to: '/notifications', label: notificationText.title };
const DELIVERIES_SHOWN = 20;

type Deliveries = ListNotificationDeliveriesResponse['data'];
type Shown = { notification: Notification; deliveries: Deliveries | undefined };

export function NotificationDetailScreen({ params: { notification_id = '' } }: ScreenProps) {
  const params = { notification_id };
  const resource = useResource<Shown>(notification_id, async (signal) => {
    const query = { limit: DELIVERIES_SHOWN };
    const [notification, deliveries] = await Promise.all([
      call('GET /account/notifications/{notification_id}', { params, signal }),
      may('deliveries:read')
        ? call('GET /account/notifications/{notification_id}/deliveries', { params, query, signal })
        : undefined,
    ]);
    return { notification, deliveries: deliveries?.data };
  });
  const show = (notification: Notification) =>
    resource.change((shown) => ({ ...shown, notification }));
  return (
    <Loaded resource={resource} head={{ title: notificationText.one, back: BACK }}>
      {(shown) => <Detail {...shown} show={show} />}
    </Loaded>
  );
}

function Detail({ notification, deliveries, show }: Shown & { show: (one: Notification) => void }) {
  const { id: notification_id, url, managed_by: manager } = notification;
  const params = { notification_id };
  const mayWrite = may('account:write') && manager === null;
  return (
    <>
      <PageHead title={plain(url)} back={BACK} facts={<Facts notification={notification} />}>
        {mayWrite && (
          <RemoveButton
            texts={notificationText}
            text={notificationText.removeText}
            remove={() =>
              call('DELETE /account/notifications/{notification_id}', {
                params: { notification_id },
              })
            }
            back="/notifications"
          />
        )}
      </PageHead>
      <ManagedNotice manager={manager} />
      <div class="columns">
        <div class="card-column">
          <Settings notification={notification} show={show} isReadOnly={!mayWrite} />
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
          {deliveries && <DeliveriesCard deliveries={deliveries} />}
        </div>
      </div>
    </>
  );
}

const Facts = ({ notification }: { notification: Notification }) => (
  <>
    <NotificationState notification={notification} />
    {notification.failing_since !== null && (
      <span>
        {notificationText.failingSince} <Time at={notification.failing_since} as="full" />
      </span>
    )}
    <span>
      {notificationText.createdAt} <Time at={notification.created_at} />
    </span>
  </>
);

type SettingsProps = {
  notification: Notification;
  show: (changed: Notification) => void;
  isReadOnly: boolean;
};

function Settings({ notification, show, isReadOnly }: SettingsProps) {
  const { id: notification_id, url, description, types, is_enabled } = notification;
  const form = useForm(
    { url, description: description ?? '', types, is_enabled },
    async (values) => {
      const changed = await call('PATCH /account/notifications/{notification_id}', {
        params: { notification_id },
        body: {
          ...values,
          url: values.url.trim(),
          description: values.description.trim() || null,
        },
      });
      toast(notificationText.saved);
      show(changed);
    },
    isReadOnly,
  );
  return (
    <form class="card form" aria-labelledby="notification-settings" onSubmit={form.onSubmit}>
      <h2 id="notification-settings">{notificationText.settings}</h2>
      <TextField form={form} name="url" label={notificationText.url} type="url" required />
      <TextField form={form} name="description" label={notificationText.description} dir="auto" />
      <TypeField form={form} />
      <CheckField form={form} name="is_enabled" label={notificationText.isEnabled} />
      <SubmitButton form={form} label={notificationText.save} />
    </form>
  );
}

const typeText = (type: string): string =>
  (notificationText.types as Record<string, string>)[type] ?? type;

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
