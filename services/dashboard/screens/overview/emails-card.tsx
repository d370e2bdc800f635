/** A few emails of a list, and the way to all of them. */
import type { DeliveryListItem } from '../../../core/api/api-types.generated.ts';
import { formatCount } from '../../parts/format.ts';
import { Link } from '../../parts/link.tsx';
import { plain } from '../../parts/plain-text.ts';
import { Time } from '../../parts/time.tsx';
import { mailText } from '../../strings/mail/mail.ts';
import { overviewText } from '../../strings/overview.ts';
import { failureOf, Forged, MailStatus } from '../mail/mail-row.tsx';

type Props = {
  id: string;
  title: string;
  /** Shown instead of an empty list. */
  none: string;
  emails: { data: DeliveryListItem[]; pagination: { total: number } };
  /** Leads to all of them. */
  to: string;
  /** Shows when the next attempt is due. */
  isDue?: boolean;
};

export const EmailsCard = ({ id, title, none, emails, to, isDue = false }: Props) => (
  <section class="card" aria-labelledby={id}>
    <div class="card-head">
      <h2 id={id}>{title}</h2>
      {emails.data.length > 0 && (
        <Link to={to}>{overviewText.allOf(formatCount(emails.pagination.total))}</Link>
      )}
    </div>
    {emails.data.length === 0 ? (
      <p class="hint">{none}</p>
    ) : (
      <ul class="brief-list">
        {emails.data.map((item) => (
          <li key={item.event_id}>
            <Link to={`/mail/${item.event_id}`}>
              <span dir="auto">{item.subject ? plain(item.subject) : mailText.noSubject}</span>
            </Link>
            <Forged of={item} />
            <MailStatus of={item} />
            <Time at={(isDue && item.next_attempt_at) || item.received_at} as="relative" />
            <span class="hint">
              {[plain(item.recipient ?? ''), failureOf(item)].filter(Boolean).join(' · ')}
            </span>
          </li>
        ))}
      </ul>
    )}
  </section>
);
