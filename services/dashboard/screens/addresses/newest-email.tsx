/** The newest email of each address, as far as it is among the newest of the account. */
import { call } from '../../client/api.ts';
import type { DeliveryListItem } from '../../../core/api/api-types.generated.ts';
import { Link } from '../../parts/link.tsx';
import { Time } from '../../parts/time.tsx';
import { may } from '../../session/session.ts';
import { addressText } from '../../strings/addresses.ts';
import { MailStatus } from '../mail/mail-row.tsx';

export type NewestEmails = ReadonlyMap<string, DeliveryListItem>;

/** One call for all addresses: items of GET /addresses do not name their emails (spec 2.1). */
const LOOKED_AT = 100;

/** By address; undefined when the session may not read emails. */
export async function newestEmails(signal: AbortSignal): Promise<NewestEmails | undefined> {
  if (!may('deliveries:read')) return undefined;
  const { data } = await call('GET /deliveries', { query: { limit: LOOKED_AT }, signal });
  return new Map(data.toReversed().map((email) => [email.address_id, email]));
}

export const NewestEmail = ({ email }: { email: DeliveryListItem | undefined }) =>
  email === undefined ? (
    <span class="soft" title={addressText.noRecentEmail}>
      –
    </span>
  ) : (
    <Link to={`/mail/${email.event_id}`} class="newest-email">
      <MailStatus of={email} />
      <Time at={email.received_at} as="relative" />
    </Link>
  );
