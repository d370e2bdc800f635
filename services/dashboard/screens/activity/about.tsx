/** What an event is about, and who caused it. */
import type { UsageEvent } from '../../../core/api/api-types.generated.ts';
import { may } from '../../session/session.ts';
import { Link } from '../../parts/link.tsx';
import { plain } from '../../parts/plain-text.ts';
import { accountText } from '../../strings/account.ts';
import { activityText } from '../../strings/activity.ts';
import { actorText } from './actor-text.ts';

/** Nothing for what Inlet does by itself: that is most of it. */
export function Who({ event: { data } }: { event: UsageEvent }) {
  const { text, title } = actorText(data);
  const source = typeof data.source_ip === 'string' ? ` · ${data.source_ip}` : '';
  if (text === activityText.inlet && source === '') return null;
  return (
    <span class="event-who" title={title}>
      {text}
      {source}
    </span>
  );
}

/** The email or the address, or the name of anything else. */
export function About({ event }: { event: UsageEvent }) {
  const { id, type, address_id: addressId, data } = event;
  const eventId = type === 'email.received' ? id : data.event_id;
  const text = textOf(event);
  if (eventId !== undefined && addressId && may('deliveries:read'))
    return (
      <Link to={`/mail/${eventId}`}>
        <span dir="auto">{text ?? eventId}</span>
      </Link>
    );
  if (addressId && type !== 'address.deleted' && data.subject === undefined)
    return <Link to={`/addresses/${addressId}`}>{text ?? addressId}</Link>;
  return (
    <span class="soft" dir="auto">
      {text ?? addressId}
    </span>
  );
}

/** The event in words; undefined when it has only ids of an email or an address. */
function textOf({ type, data }: UsageEvent): string | undefined {
  if (data.subject !== undefined || data.from !== undefined)
    return plain(`${data.from ?? ''} · ${data.subject ?? activityText.noSubject}`);
  if (type.startsWith('session.') && data.method !== undefined)
    return accountText.methods[data.method] ?? data.method;
  const { name, message, domain, address, created_token_id, deleted_token_id, notification_id } =
    data;
  const found =
    name ?? message ?? domain ?? address ?? created_token_id ?? deleted_token_id ?? notification_id;
  return found === undefined ? undefined : plain(found);
}
