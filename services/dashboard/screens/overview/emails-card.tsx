/** A few emails of a list, and the way to all of them. */
import type { ListDeliveriesResponse } from '../../../core/api/api-types.generated.ts';
import { formatCount } from '../../parts/format.ts';
import { Link } from '../../parts/link.tsx';
import { plain } from '../../parts/plain-text.ts';
import { Time } from '../../parts/time.tsx';
import { mailText } from '../../strings/mail/mail.ts';
import { overviewText } from '../../strings/overview.ts';
import { MailStatus } from '../mail/mail-row.tsx';

type Props = {
  id: string;
  title: string;
  /** Shown instead of an empty list. */
  none: string;
  emails: ListDeliveriesResponse;
  /** Leads to all of them. */
  to: string;
};

export const EmailsCard = ({ id, title, none, emails: { data, pagination }, to }: Props) => (
  <section class="card" aria-labelledby={id}>
    <div class="card-head">
      <h2 id={id}>{title}</h2>
      {data.length > 0 && <Link to={to}>{overviewText.allOf(formatCount(pagination.total))}</Link>}
    </div>
    {data.length === 0 ? (
      <p class="hint">{none}</p>
    ) : (
      <ul class="brief-list">
        {data.map(({ event_id, subject, received_at, ...item }) => (
          <li key={event_id}>
            <Link to={`/mail/${event_id}`}>
              <span dir="auto">{subject ? plain(subject) : mailText.noSubject}</span>
            </Link>
            <MailStatus of={item} />
            <Time at={received_at} as="relative" />
          </li>
        ))}
      </ul>
    )}
  </section>
);
