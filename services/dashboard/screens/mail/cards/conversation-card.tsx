/** The other emails of a conversation, as their headers claim it. */
import { call } from '../../../client/api.ts';
import type { Delivery, DeliveryListItem } from '../../../../core/api/api-types.generated.ts';
import { useResource } from '../../../client/resource.ts';
import { Link } from '../../../parts/link.tsx';
import { plain } from '../../../parts/plain-text.ts';
import { Time } from '../../../parts/time.tsx';
import { emailText } from '../../../strings/mail/email.ts';

const SHOWN = 10;

export function ConversationCard({ delivery }: { delivery: Delivery }) {
  const { event_id, address_id, receiver_id, thread_id: thread } = delivery;
  const { data = [] } = useResource(event_id, async (signal): Promise<DeliveryListItem[]> => {
    if (thread === null) return [];
    const query = { address_id, receiver_id, thread, limit: SHOWN + 1 };
    return (await call('GET /deliveries', { query, signal })).data;
  });
  const others = data.filter((one) => one.event_id !== event_id).slice(0, SHOWN);
  if (thread === null || others.length === 0) return null;
  return (
    <section class="card" aria-labelledby="conversation">
      <h2 id="conversation">{emailText.conversation}</h2>
      <p class="hint">{emailText.conversationHint}</p>
      <ul class="conversation">
        {others.map((one) => (
          <li key={one.event_id}>
            <Link to={`/mail/${one.event_id}`}>
              <span dir="auto">{plain(one.subject ?? emailText.noSubject)}</span>
            </Link>{' '}
            <span class="hint">
              <span dir="auto">{plain(one.from ?? one.mail_from)}</span>{' '}
              <Time at={one.received_at} as="relative" />
            </span>
          </li>
        ))}
      </ul>
      {data.length > SHOWN && (
        <p>
          <Link to={`/mail?thread=${thread}`}>{emailText.wholeConversation}</Link>
        </p>
      )}
    </section>
  );
}
