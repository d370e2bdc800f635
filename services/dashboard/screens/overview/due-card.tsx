/** The retries that are due next. */
import type { ListDueDeliveriesResponse } from '../../../core/api/api-types.generated.ts';
import { formatCount } from '../../parts/format.ts';
import { Link } from '../../parts/link.tsx';
import { plain } from '../../parts/plain-text.ts';
import { Time } from '../../parts/time.tsx';
import { mailText } from '../../strings/mail/mail.ts';
import { overviewText } from '../../strings/overview.ts';

type Props = { due: ListDueDeliveriesResponse };

export const DueCard = ({ due: { data, pagination } }: Props) => (
  <section class="card" aria-labelledby="due-title">
    <div class="card-head">
      <h2 id="due-title">{overviewText.due}</h2>
      {data.length > 0 && (
        <Link to="/mail?status=retrying">{overviewText.allOf(formatCount(pagination.total))}</Link>
      )}
    </div>
    {data.length === 0 ? (
      <p class="hint">{overviewText.noneDue}</p>
    ) : (
      <ul class="brief-list">
        {data.map(({ event_id, subject, next_attempt_at }) => (
          <li key={event_id}>
            <Link to={`/mail/${event_id}`}>
              <span dir="auto">{subject ? plain(subject) : mailText.noSubject}</span>
            </Link>
            {next_attempt_at !== null && <Time at={next_attempt_at} as="relative" />}
          </li>
        ))}
      </ul>
    )}
  </section>
);
