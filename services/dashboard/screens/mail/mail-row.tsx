/** One email in the list. The whole row is a link. */
import type { DeliveryListItem } from '../../../core/api/api-types.generated.ts';
import { formatCount } from '../../parts/format.ts';
import { Link } from '../../parts/link.tsx';
import { plain } from '../../parts/plain-text.ts';
import { Status, type Tone } from '../../parts/status.tsx';
import { Time } from '../../parts/time.tsx';
import { mailText } from '../../strings/mail/mail.ts';

export const STATUS_TONE: Record<DeliveryListItem['status'], Tone> = {
  delivered: 'good',
  retrying: 'wait',
  pending: 'plain',
  failed: 'bad',
  held: 'held',
  dropped: 'plain',
};

/** An email of which no webhook is sent has ended well: it is stored. */
export const MailStatus = ({
  of: { status, outcome },
}: {
  of: Pick<DeliveryListItem, 'status' | 'outcome'>;
}) => {
  const why = status === 'delivered' ? unsentOf(outcome) : undefined;
  return (
    <Status tone={STATUS_TONE[status]} text={why ? mailText.stored : mailText.status[status]} />
  );
};

/** Why no webhook was sent; undefined when one was, or will be. */
export const unsentOf = (outcome: DeliveryListItem['outcome']) =>
  UNSENT.find((unsent) => unsent === outcome);
const UNSENT = ['no_url', 'disabled', 'filtered'] as const;

/** The deliveries of an email, that of its address first. */
type Deliveries = [DeliveryListItem, ...DeliveryListItem[]];

const isFurther = (one: DeliveryListItem) => Number(one.receiver_id !== one.address_id);

/** Groups deliveries of the same email, where the first of them was. */
export function byEmail(items: readonly DeliveryListItem[]): Deliveries[] {
  const groups = [...Map.groupBy(items, ({ email_id }) => email_id).values()];
  return groups.map((group) => group.toSorted((a, b) => isFurther(a) - isFurther(b)) as Deliveries);
}

type Props = { deliveries: Deliveries; address: string | undefined; isFresh: boolean };

export function MailRow({ deliveries, address, isFresh }: Props) {
  const [item] = deliveries;
  const to = recipientName(item, address);
  return (
    <li data-row class={isFresh ? 'fresh' : ''}>
      <Link to={`/mail/${item.event_id}`} class="mail-row">
        <span class="mail-from">
          <Forged of={item} /> <span dir="auto">{senderName(item)}</span>
        </span>
        <span class="mail-subject">
          <span dir="auto">
            {item.subject ? plain(item.subject) : <em>{mailText.noSubject}</em>}
          </span>
          {item.tags.map((tag) => (
            <span key={tag} class="tag">
              {tag}
            </span>
          ))}
        </span>
        <span class="mail-to" title={to === address ? to : `${to} (${address ?? item.address_id})`}>
          {to}
        </span>
        <span class="mail-state">
          <State item={item} />
          {deliveries.length > 1 && (
            <span class="mail-attempts">{mailText.receivers(formatCount(deliveries.length))}</span>
          )}
        </span>
        <span class="mail-time">
          <Time at={item.received_at} />
        </span>
        {(deliveries.length > 1 || item.receiver_id !== item.address_id) && (
          <span class="mail-receivers">
            {deliveries.map((one) => (
              <span key={one.event_id} class="mail-receiver">
                {one.receiver_id === one.address_id
                  ? mailText.ownReceiver
                  : mailText.furtherReceiver}{' '}
                <State item={one} />
              </span>
            ))}
          </span>
        )}
      </Link>
    </li>
  );
}

/** The state of a delivery, and what its receiver last responded unless it accepted. */
const State = ({ item }: { item: DeliveryListItem }) => (
  <>
    <MailStatus of={item} />
    {failureOf(item) && (
      <span class="mail-attempts" title={failureOf(item)}>
        {failureOf(item)}
        {item.attempt_count > 1 && ` · ${mailText.attempts(formatCount(item.attempt_count))}`}
      </span>
    )}
  </>
);

/** Why the last attempt was not accepted, or why Inlet ended the delivery; undefined unless it was so. */
export function failureOf(item: DeliveryListItem): string | undefined {
  const { status, status_code, error, outcome } = item;
  if (status !== 'failed' && status !== 'retrying') return undefined;
  const isEnd = outcome !== null && outcome in mailText.ends;
  if (isEnd) return mailText.ends[outcome as keyof typeof mailText.ends];
  if (status_code !== null) return `HTTP ${status_code}`;
  return plain(error ?? '');
}

/** DMARC says that the author is not who From names. */
export const Forged = ({ of: { dmarc } }: { of: Pick<DeliveryListItem, 'dmarc'> }) =>
  dmarc === 'fail' ? <Status tone="bad" text={mailText.forged} /> : null;

/** The mailbox that the sender wrote to, which a catch-all or a deleted address does not say. */
const recipientName = (
  { recipient, address_id }: DeliveryListItem,
  address: string | undefined,
): string => (recipient === null ? (address ?? address_id) : plain(recipient));

/** The display name of From, or its address. */
function senderName({ from, mail_from }: DeliveryListItem): string {
  const name = /^\s*"?([^"<]*?)"?\s*<[^>]*>\s*$/.exec(from ?? '')?.[1];
  return plain(name || from || mail_from || mailText.noSender);
}
