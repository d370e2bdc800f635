/** Links to the deliveries of one email, when its address has further receivers. */
import { call } from '../../client/api.ts';
import type {
  Delivery,
  DeliveryListItem,
  Receiver,
} from '../../../core/api/api-types.generated.ts';
import { useResource } from '../../client/resource.ts';
import { may } from '../../session/session.ts';
import { Link } from '../../parts/link.tsx';
import { plain } from '../../parts/plain-text.ts';
import { emailText } from '../../strings/mail/email.ts';
import { MailStatus } from './mail-row.tsx';

type Loaded = { deliveries: DeliveryListItem[]; receivers: Receiver[] };

export function EmailReceivers({ delivery }: { delivery: Delivery }) {
  const { event_id, address_id, updated_at } = delivery;
  const { data } = useResource(`${event_id} ${updated_at}`, async (signal): Promise<Loaded> => {
    const path = 'GET /deliveries/{event_id}/receivers';
    const { data: deliveries } = await call(path, { params: { event_id }, signal });
    if (deliveries.length < 2 || !may('addresses:read')) return { deliveries, receivers: [] };
    const receivers = await call('GET /addresses/{address_id}/receivers', {
      params: { address_id },
      signal,
    }).catch(() => ({ data: [] })); // the address is deleted
    return { deliveries, receivers: receivers.data };
  });
  if (data === undefined || data.deliveries.length < 2) return null;
  return (
    <nav class="email-receivers" aria-label={emailText.receivers.title}>
      {data.deliveries.map((one) => (
        <Link
          key={one.event_id}
          to={`/mail/${one.event_id}`}
          {...(one.event_id === event_id && { 'aria-current': 'page' as const })}
        >
          <span>{nameOf(one, data.receivers)}</span> <MailStatus of={one} />
        </Link>
      ))}
    </nav>
  );
}

function nameOf({ address_id, receiver_id }: DeliveryListItem, receivers: Receiver[]): string {
  if (receiver_id === address_id) return emailText.receivers.first;
  const found = receivers.find(({ id }) => id === receiver_id);
  return found ? plain(found.description ?? found.url ?? '') : emailText.receivers.deleted;
}
