/** Addresses whose receiver has rejected every webhook for too long. */
import type { Address } from '../../app/api-types.golden.ts';
import { Link } from '../../parts/link.tsx';
import { Time } from '../../parts/time.tsx';
import { overviewText } from '../../strings/overview.ts';

export const FailingCard = ({ failing }: { failing: readonly Address[] }) => (
  <section class="card" aria-labelledby="failing-title">
    <div class="card-head">
      <h2 id="failing-title">{overviewText.failing}</h2>
    </div>
    {failing.length === 0 ? (
      <p class="hint">{overviewText.noneFailing}</p>
    ) : (
      <ul class="brief-list">
        {failing.map(({ id, address, failing_since }) => (
          <li key={id}>
            <Link to={`/addresses/${id}`}>{address}</Link>
            {failing_since !== null && (
              <span class="hint">
                {overviewText.failingSince} <Time at={failing_since} as="full" />
              </span>
            )}
          </li>
        ))}
      </ul>
    )}
  </section>
);
