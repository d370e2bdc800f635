/** One email: what it says, where it came from, and what happened to it since. */
import { call } from '../../app/api.ts';
import type { Delivery } from '../../app/api-types.golden.ts';
import { useLive } from '../../app/live.ts';
import { useResource } from '../../app/resource.ts';
import { place, type ScreenProps } from '../../app/router.ts';
import { formatSize } from '../../parts/format.ts';
import { PageHead } from '../../parts/page-head.tsx';
import { plain } from '../../parts/plain-text.ts';
import { EmptyState, Loaded } from '../../parts/states.tsx';
import { Status } from '../../parts/status.tsx';
import { Tabs } from '../../parts/tabs.tsx';
import { Time } from '../../parts/time.tsx';
import { emailText } from '../../strings/email.ts';
import { mailText } from '../../strings/mail.ts';
import { useAddressNames } from './address-names.ts';
import { AuthenticationCard } from './authentication-card.tsx';
import { EmailActions } from './email-actions.tsx';
import { HeadersView } from './headers-view.tsx';
import { STATUS_TONE } from './mail-row.tsx';
import { MessageView } from './message-view.tsx';
import { PayloadView } from './payload-view.tsx';
import { RawView } from './raw-view.tsx';
import { SpamCard } from './spam-card.tsx';
import { type StoredEmail, useStoredEmail } from './stored-email.ts';
import { Timeline } from './timeline.tsx';

export function EmailScreen({ params }: ScreenProps) {
  const event_id = params.event_id ?? '';
  const delivery = useResource(event_id, (signal) =>
    call('GET /deliveries/{event_id}', { params: { event_id }, signal }),
  );
  const email = useStoredEmail(event_id);
  useLive((event) => {
    if (event.type === 'stream.gap' || ('event_id' in event && event.event_id === event_id))
      delivery.reload();
  });
  return (
    <Loaded resource={delivery} rows={8}>
      {(shown) => (
        <>
          <EmailHead delivery={shown} onChange={delivery.reload} />
          <div class="email-columns">
            <section class="email-main">
              <Loaded resource={email} rows={6}>
                {(stored) => <EmailViews stored={stored} eventId={event_id} />}
              </Loaded>
            </section>
            <aside class="email-side">
              <Timeline delivery={shown} email={email.data?.email} />
              {email.data?.email && (
                <>
                  <AuthenticationCard email={email.data.email} />
                  <SpamCard spam={email.data.email.spam} />
                </>
              )}
            </aside>
          </div>
        </>
      )}
    </Loaded>
  );
}

function EmailHead({ delivery, onChange }: { delivery: Delivery; onChange: () => void }) {
  const address = useAddressNames().find(({ id }) => id === delivery.address_id);
  return (
    <PageHead
      title={plain(delivery.subject ?? emailText.noSubject)}
      back={{ to: '/mail', label: emailText.back }}
      facts={
        <>
          <Status tone={STATUS_TONE[delivery.status]} text={mailText.status[delivery.status]} />
          <span dir="auto">{plain(delivery.from ?? delivery.mail_from)}</span>
          {address && (
            <span>
              {emailText.to} {address.address}
            </span>
          )}
          <Time at={delivery.received_at} as="full" />
          <span>{formatSize(delivery.size_bytes)}</span>
        </>
      }
    >
      <EmailActions delivery={delivery} webhookUrl={address?.webhook_url} onChange={onChange} />
    </PageHead>
  );
}

function EmailViews({ stored, eventId }: { stored: StoredEmail; eventId: string }) {
  const { email } = stored;
  if (!email) return <EmptyState title={mailText.title} text={emailText.notStored} />;
  const asked = place.value.query.get('view') ?? '';
  const current = asked in emailText.views ? asked : 'message';
  return (
    <>
      <Tabs label={emailText.viewsLabel} views={emailText.views} current={current} />
      {current === 'message' && <MessageView email={email} />}
      {current === 'headers' && <HeadersView email={email} />}
      {current === 'payload' && (
        <PayloadView eventId={eventId} sizeBytes={email.content.size_bytes} />
      )}
      {current === 'raw' && <RawView email={email} />}
    </>
  );
}
