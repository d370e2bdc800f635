/** Emails of the last 24 hours at one address, by hour. */
import { call } from '../../client/api.ts';
import { useResource } from '../../client/resource.ts';
import { formatCount } from '../../parts/format.ts';
import { Sparkline } from '../../parts/plots/sparkline.tsx';
import { Loaded } from '../../parts/states.tsx';
import { addressText } from '../../strings/addresses.ts';

export function LastDay({ addressId }: { addressId: string }) {
  const resource = useResource(`last day of ${addressId}`, (signal) =>
    call('GET /usage/daily', {
      query: { interval: 'hour', days: 1, address_id: addressId },
      signal,
    }),
  );
  return (
    <section class="card" aria-labelledby="last-day">
      <h2 id="last-day">{addressText.lastDay}</h2>
      <Loaded resource={resource} rows={1}>
        {({ data }) => {
          const counts = data.map(({ received }) => received);
          const total = formatCount(counts.reduce((sum, count) => sum + count, 0));
          return (
            <>
              <Sparkline values={counts} label={addressText.sparkline(total)} />
              <p class="hint">{addressText.lastDayTotal(total)}</p>
            </>
          );
        }}
      </Loaded>
    </section>
  );
}
