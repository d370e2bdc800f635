/** What an event is about, and who caused it. */
import type { UsageEvent } from '../../../core/api/api-types.generated.ts';
import { may } from '../../session/session.ts';
import { Link } from '../../parts/link.tsx';
import { plain } from '../../parts/plain-text.ts';
import { accountText } from '../../strings/account.ts';
import { activityText } from '../../strings/activity.ts';
import { actorText, type Names } from './actor-text.ts';

type Props = { event: UsageEvent; names: Names };

/** Nothing for what Inlet does by itself: that is most of it. */
export function Who({ event: { data }, names }: Props) {
  const { text, title } = actorText(data, names);
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
export function About({ event, names }: Props) {
  const { id, type, address_id: addressId, data } = event;
  const eventId = type === 'email.received' ? id : data.event_id;
  const text = textOf(event, names);
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
function textOf({ type, address_id, data }: UsageEvent, names: Names): string | undefined {
  if (data.subject !== undefined || data.from !== undefined)
    return plain(`${data.from ?? ''} · ${data.subject ?? activityText.noSubject}`);
  if (type.startsWith('session.') && data.method !== undefined)
    return accountText.methods[data.method] ?? data.method;
  const { name, message, domain, address, notification_id } = data;
  const id = data.created_token_id ?? data.deleted_token_id ?? address_id;
  const found =
    name ?? message ?? domain ?? address ?? names.get(id) ?? (id || undefined) ?? notification_id;
  return found === undefined ? undefined : plain(found);
}
