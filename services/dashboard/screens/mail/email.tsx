/** One email: what it says, where it came from, and what happened to it since. */
import { useEffect, useRef } from 'preact/hooks';

import type { Delivery, Email } from '../../../core/api/api-types.generated.ts';
import { isLive } from '../../client/is-live.ts';
import { useLive } from '../../session/live.ts';
import { type Resource, useResource } from '../../client/resource.ts';
import { screenUrl, type ScreenProps } from '../../browser/router.ts';
import { useShortcut } from '../../browser/keyboard.ts';
import { formatSize } from '../../parts/format.ts';
import { Icon, type IconName } from '../../parts/icon.tsx';
import { Link } from '../../parts/link.tsx';
import { PageHead } from '../../parts/page-head.tsx';
import { plain } from '../../parts/plain-text.ts';
import { EmptyState, Loaded } from '../../parts/states.tsx';
import { Tabs } from '../../parts/tabs.tsx';
import { Time } from '../../parts/time.tsx';
import { emailText } from '../../strings/mail/email.ts';
import { mailText } from '../../strings/mail/mail.ts';
import { AuthenticationCard } from './cards/authentication-card.tsx';
import { ConversationCard } from './cards/conversation-card.tsx';
import { FilesCard } from './cards/files-card.tsx';
import { EmailActions } from './email-actions.tsx';
import { EmailReceivers } from './email-receivers.tsx';
import { ExtractedCard } from './cards/extracted-card.tsx';
import { HeadersView } from './views/headers-view.tsx';
import { MailStatus } from './mail-row.tsx';
import { loadEmail, type LoadedEmail } from './load-email.ts';
import { neighborsOf } from './shown-list.ts';
import { MessageView } from './views/message-view.tsx';
import { PayloadView } from './views/payload-view.tsx';
import { RawView } from './views/raw-view.tsx';
import { RulesCard } from './cards/rules-card.tsx';
import { SpamCard } from './cards/spam-card.tsx';
import { Timeline } from './timeline.tsx';
import { VirusCard } from './cards/virus-card.tsx';

const RELOAD_PAUSE_MS = 3_000;
const BACK = { to: '/mail', label: mailText.title };

export function EmailScreen({ params }: ScreenProps) {
  const eventId = params.event_id ?? '';
  const known = useRef<LoadedEmail | undefined>(undefined);
  const resource = useResource(eventId, (signal) => loadEmail(eventId, known.current, signal));
  known.current = resource.data;
  useLive((event) => {
    if (event.type === 'stream.gap' || event.event_id === eventId) resource.reload();
  });
  useReloadWhileWaiting(resource);
  return (
    <Loaded resource={resource} rows={8} head={{ title: emailText.title, back: BACK }}>
      {(loaded) => (
        <>
          <EmailHead loaded={loaded} onChange={resource.reload} />
          {loaded.delivery.dmarc === 'fail' && <p class="notice notice-bad">{emailText.forged}</p>}
          <EmailReceivers delivery={loaded.delivery} />
          <div class="email-columns">
            <section class="email-main">
              {loaded.email ? (
                <EmailViews email={loaded.email} />
              ) : loaded.delivery.content_erased_at === null ? (
                <EmptyState title={emailText.notStoredTitle} text={emailText.notStored} />
              ) : (
                <EmptyState title={emailText.erasedTitle} text={emailText.erased} />
              )}
              {loaded.email?.extracted && <ExtractedCard extracted={loaded.email.extracted} />}
              {loaded.delivery.ruling && (
                <RulesCard ruling={loaded.delivery.ruling} tags={loaded.delivery.tags} />
              )}
            </section>
            <aside class="email-side" aria-label={emailText.facts}>
              <Timeline delivery={loaded.delivery} email={loaded.email} />
              <ConversationCard delivery={loaded.delivery} />
              {loaded.delivery.storage && <FilesCard storage={loaded.delivery.storage} />}
              {loaded.email && (
                <>
                  <AuthenticationCard email={loaded.email} />
                  <SpamCard spam={loaded.email.spam} />
                  {loaded.email.virus && <VirusCard virus={loaded.email.virus} />}
                </>
              )}
            </aside>
          </div>
        </>
      )}
    </Loaded>
  );
}

/** The page asks for changes while an attempt is due, if there is no live stream. */
function useReloadWhileWaiting({ data, reload }: Resource<LoadedEmail>): void {
  const isWaiting = data !== undefined && ['pending', 'retrying'].includes(data.delivery.status);
  const asks = isWaiting && !isLive.value;
  useEffect(() => {
    if (!asks) return undefined;
    const timer = setInterval(reload, RELOAD_PAUSE_MS);
    return () => clearInterval(timer);
  }, [asks, reload]);
}

type HeadProps = { loaded: LoadedEmail; onChange: () => void };

function EmailHead({ loaded, onChange }: HeadProps) {
  const { delivery, address } = loaded;
  return (
    <PageHead
      title={plain(delivery.subject ?? emailText.noSubject)}
      back={BACK}
      facts={
        <>
          <MailStatus of={delivery} />
          <Sender of={delivery} />
          <Recipient of={loaded} />
          <Time at={delivery.received_at} as="full" />
          <span>{formatSize(delivery.size_bytes)}</span>
        </>
      }
    >
      <Neighbors eventId={delivery.event_id} />
      <EmailActions
        delivery={delivery}
        webhookUrl={delivery.receiver_id === delivery.address_id ? address?.webhook_url : undefined}
        onChange={onChange}
      />
    </PageHead>
  );
}

/** The mailbox that the sender wrote to, and the address that received it, if that is another. */
function Recipient({ of: { delivery, address, email } }: { of: LoadedEmail }) {
  const { recipient, address_id } = delivery;
  const link = address && <Link to={`/addresses/${address.id}`}>{address.address}</Link>;
  const isOther = recipient !== null && recipient.toLowerCase() !== address?.address;
  const reply = email?.reply;
  return (
    <>
      <span>
        {emailText.to} {isOther ? <bdi dir="ltr">{plain(recipient)}</bdi> : (link ?? address_id)}
        {isOther && link && [' (', emailText.receivedBy, ' ', link, ')']}
      </span>
      {reply && reply.status !== 'none' && <span>{emailText.reply(reply)}</span>}
    </>
  );
}

/** Name and address apart, so that an Arabic name does not move the address before it. */
function Sender({ of: { from, mail_from } }: { of: Pick<Delivery, 'from' | 'mail_from'> }) {
  const [, name, address] = /^\s*"?([^"<]*?)"?\s*(<[^<>]*>)\s*$/.exec(from ?? '') ?? [];
  if (!name || !address) return <bdi>{plain(from ?? mail_from)}</bdi>;
  return (
    <span>
      <bdi>{plain(name)}</bdi> <bdi dir="ltr">{plain(address)}</bdi>
    </span>
  );
}

/** Leads through the list that this email was opened from. */
function Neighbors({ eventId }: { eventId: string }) {
  const neighbors = neighborsOf(eventId);
  useShortcut('j', emailText.nextEmail, neighbors?.next);
  useShortcut('k', emailText.previousEmail, neighbors?.previous);
  if (!neighbors) return null;
  const { previous, next } = neighbors;
  return (
    <span class="joined-buttons">
      <NeighborButton icon="up" label={emailText.previousEmail} lead={previous} />
      <NeighborButton icon="down" label={emailText.nextEmail} lead={next} />
    </span>
  );
}

type NeighborProps = { icon: IconName; label: string; lead: (() => void) | undefined };

const NeighborButton = ({ icon, label, lead }: NeighborProps) => (
  <button type="button" aria-label={label} title={label} disabled={!lead} onClick={() => lead?.()}>
    <Icon name={icon} />
  </button>
);

function EmailViews({ email }: { email: Email }) {
  const requested = screenUrl.value.query.get('view') ?? '';
  const current = requested in emailText.views ? requested : 'message';
  return (
    <>
      <Tabs label={emailText.viewsLabel} views={emailText.views} current={current} />
      {current === 'message' && <MessageView email={email} />}
      {current === 'headers' && <HeadersView email={email} />}
      {current === 'payload' && (
        <PayloadView eventId={email.event_id} sizeBytes={email.content.size_bytes} />
      )}
      {current === 'raw' && <RawView email={email} />}
    </>
  );
}
