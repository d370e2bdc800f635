/** Why an address is failing: since when, and what its last failed attempt reported. */
import { call } from '../../client/api.ts';
import type { Address, Attempt } from '../../../core/api/api-types.generated.ts';
import { useResource } from '../../client/resource.ts';
import { may } from '../../session/session.ts';
import { Link } from '../../parts/link.tsx';
import { plain } from '../../parts/plain-text.ts';
import { Loaded } from '../../parts/states.tsx';
import { Time } from '../../parts/time.tsx';
import { addressText } from '../../strings/addresses.ts';

type Props = {
  id: string;
  since: string;
  /** For days, or since its credentials changed: until then only its last attempt has failed. */
  isFailing: boolean;
  reason: Address['failing_reason'];
};

export function FailingNotice({ id, since, isFailing, reason }: Props) {
  const resource = useResource(`last failure of ${id}`, async (signal) => ({
    attempt: may('deliveries:read') ? await lastFailure(id, signal) : undefined,
  }));
  return (
    <Loaded resource={resource} rows={1}>
      {({ attempt }) => (
        <div class={isFailing ? 'notice notice-bad' : 'notice'} role="alert">
          <span>
            <strong>{addressText.failingTitle[`${isFailing}`]}.</strong>{' '}
            {reason && `${addressText.failingReason[reason]} `}
            {addressText.failingSince} <Time at={since} as="full" />.{' '}
            {attempt && (
              <span dir="auto">
                {addressText.lastReason} {plain(reasonOf(attempt))}
              </span>
            )}
          </span>
          <Link to={`/mail?address_id=${id}&status=retrying`}>{addressText.showMail}</Link>
        </div>
      )}
    </Loaded>
  );
}

/** The last attempt of a delivery that is retried, else of one that failed. */
async function lastFailure(addressId: string, signal: AbortSignal): Promise<Attempt | undefined> {
  for (const status of ['retrying', 'failed'] as const) {
    const { data } = await call('GET /deliveries', {
      query: { address_id: addressId, status, limit: 1 },
      signal,
    });
    const [found] = data;
    if (!found) continue;
    const { attempts } = await call('GET /deliveries/{event_id}', {
      params: { event_id: found.event_id },
      signal,
    });
    return attempts.at(-1);
  }
  return undefined;
}

const reasonOf = ({ error, outcome, status_code: code }: Attempt): string =>
  error ?? `${addressText.outcome[outcome]}${code === null ? '' : ` (${code})`}`;
