/** The newest email of each address. */
import { call } from '../../client/api.ts';
import type { DeliveryListItem } from '../../../core/api/api-types.generated.ts';
import { Link } from '../../parts/link.tsx';
import { Time } from '../../parts/time.tsx';
import { may } from '../../session/session.ts';
import { addressText } from '../../strings/addresses.ts';
import { MailStatus } from '../mail/mail-row.tsx';

export type NewestEmails = ReadonlyMap<string, DeliveryListItem>;

/**
 * By address; undefined when the session may not read emails.
 * @param ids of a page of addresses, whose items do not name their emails (spec 2.1)
 */
export async function newestEmails(
  ids: readonly string[],
  signal: AbortSignal,
): Promise<NewestEmails | undefined> {
  if (!may('deliveries:read')) return undefined;
  if (ids.length === 0) return new Map();
  const query = { address_ids: ids.join(',') };
  const { data } = await call('GET /deliveries/newest', { query, signal });
  return new Map(data.map((email) => [email.address_id, email]));
}

export const NewestEmail = ({ email }: { email: DeliveryListItem | undefined }) =>
  email === undefined ? (
    <span class="soft nothing" title={addressText.noEmail}>
      –
    </span>
  ) : (
    <Link to={`/mail/${email.event_id}`} class="newest-email">
      <MailStatus of={email} />
      <Time at={email.received_at} as="relative" />
    </Link>
  );
