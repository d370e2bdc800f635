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
  held: 'wait',
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

type Props = { item: DeliveryListItem; address: string | undefined; isFresh: boolean };

export const MailRow = ({ item, address, isFresh }: Props) => (
  <li data-row class={isFresh ? 'fresh' : ''}>
    <Link to={`/mail/${item.event_id}`} class="mail-row">
      <span class="mail-from" dir="auto">
        {senderName(item)}
      </span>
      <span class="mail-subject" dir="auto">
        {item.subject ? plain(item.subject) : <em>{mailText.noSubject}</em>}
        {item.tags.map((tag) => (
          <span key={tag} class="tag">
            {tag}
          </span>
        ))}
      </span>
      <span class="mail-to">{address ?? item.address_id}</span>
      <span class="mail-state">
        <MailStatus of={item} />
        {item.attempt_count > 1 && (
          <span class="mail-attempts">{mailText.attempts(formatCount(item.attempt_count))}</span>
        )}
      </span>
      <span class="mail-time">
        <Time at={item.received_at} />
      </span>
    </Link>
  </li>
);

/** The display name of From, or its address. */
function senderName({ from, mail_from }: DeliveryListItem): string {
  const name = /^\s*"?([^"<]*?)"?\s*<[^>]*>\s*$/.exec(from ?? '')?.[1];
  return plain(name || from || mail_from || mailText.noSender);
}
