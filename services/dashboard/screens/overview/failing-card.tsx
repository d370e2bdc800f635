/** Addresses whose receiver has accepted nothing since its last failed attempt. */
import { formatCount } from '../../parts/format.ts';
import { Link } from '../../parts/link.tsx';
import { Status } from '../../parts/status.tsx';
import { Time } from '../../parts/time.tsx';
import { overviewText } from '../../strings/overview.ts';
import type { FailingAddresses } from './failing-addresses.ts';

export const FailingCard = ({ failing: { addresses, total } }: { failing: FailingAddresses }) => (
  <section class="card" aria-labelledby="failing-title">
    <div class="card-head">
      <h2 id="failing-title">{overviewText.failing}</h2>
      {total > 0 && (
        <Link to="/addresses?has_failed=true">{overviewText.allOf(formatCount(total))}</Link>
      )}
    </div>
    {total === 0 ? (
      <p class="hint">{overviewText.noneFailing}</p>
    ) : (
      <ul class="brief-list">
        {addresses.map(({ id, address, failing_since, is_failing }) => (
          <li key={id}>
            <Link to={`/addresses/${id}`}>{address}</Link>
            {is_failing && <Status tone="bad" text={overviewText.isFailing} />}
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
