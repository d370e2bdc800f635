/** The retries that are due next. */
import type { DeliveryListItem } from '../../app/api-types.golden.ts';
import { Link } from '../../parts/link.tsx';
import { plain } from '../../parts/plain-text.ts';
import { Time } from '../../parts/time.tsx';
import { mailText } from '../../strings/mail.ts';
import { overviewText } from '../../strings/overview.ts';

export const DueCard = ({ due }: { due: readonly DeliveryListItem[] }) => (
  <section class="card" aria-labelledby="due-title">
    <div class="card-head">
      <h2 id="due-title">{overviewText.due}</h2>
      {due.length > 0 && <Link to="/mail?status=retrying">{overviewText.all}</Link>}
    </div>
    {due.length === 0 ? (
      <p class="hint">{overviewText.noneDue}</p>
    ) : (
      <ul class="brief-list">
        {due.map(({ event_id, subject, next_attempt_at }) => (
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
