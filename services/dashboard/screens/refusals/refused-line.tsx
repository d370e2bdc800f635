/** How many emails were refused in the last 24 hours, at an address or a domain; nothing for none. */
import { call } from '../../client/api.ts';
import { useResource } from '../../client/resource.ts';
import { formatCount } from '../../parts/format.ts';
import { Link } from '../../parts/link.tsx';
import { may } from '../../session/session.ts';
import { refusalText } from '../../strings/refusals.ts';

const DAY_MS = 86_400_000;

export function RefusedLine({ field, value }: { field: 'address_id' | 'domain'; value: string }) {
  const { data } = useResource(`refused ${value}`, async (signal) => {
    if (!may('deliveries:read')) return undefined;
    const start_date = new Date(Date.now() - DAY_MS).toISOString();
    return call('GET /refusals/count', { query: { [field]: value, start_date }, signal });
  });
  if (!data?.count) return null;
  return (
    <Link to={`/mail/refused?${field}=${encodeURIComponent(value)}`}>
      {refusalText.lastDay(formatCount(data.count))}
    </Link>
  );
}
