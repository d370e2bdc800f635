/** A few emails of a list, and the way to all of them. */
import type { ListDeliveriesResponse } from '../../../core/api/api-types.generated.ts';
import { formatCount } from '../../parts/format.ts';
import { Link } from '../../parts/link.tsx';
import { plain } from '../../parts/plain-text.ts';
import { Time } from '../../parts/time.tsx';
import { mailText } from '../../strings/mail/mail.ts';
import { overviewText } from '../../strings/overview.ts';
import { MailStatus, failureText } from '../mail/mail-row.tsx';

type Props = {
  id: string;
  title: string;
  /** Shown instead of an empty list. */
  none: string;
  emails: ListDeliveriesResponse;
  /** Names by id. */
  addresses: ReadonlyMap<string, string>;
  /** Leads to all of them. */
  to: string;
};

export const EmailsCard = ({
  id,
  title,
  none,
  emails: { data, pagination },
  addresses,
  to,
}: Props) => (
  <section class="card" aria-labelledby={id}>
    <div class="card-head">
      <h2 id={id}>{title}</h2>
      {data.length > 0 && <Link to={to}>{overviewText.allOf(formatCount(pagination.total))}</Link>}
    </div>
    {data.length === 0 ? (
      <p class="hint">{none}</p>
    ) : (
      <ul class="brief-list">
        {data.map((item) => (
          <li key={item.event_id}>
            <Link to={`/mail/${item.event_id}`}>
              <span dir="auto">{item.subject ? plain(item.subject) : mailText.noSubject}</span>
            </Link>
            <MailStatus of={item} />
            <Time at={item.received_at} as="relative" />
            {item.status === 'failed' && (
              <span class="hint">
                {failureText(item)} · {addresses.get(item.address_id) ?? item.address_id}
              </span>
            )}
          </li>
        ))}
      </ul>
    )}
  </section>
);
