/** The webhook secret. */
import { call } from '../../client/api.ts';
import type { Address } from '../../../core/api/api-types.generated.ts';
import { now, Time } from '../../parts/time.tsx';
import { addressText } from '../../strings/addresses.ts';
import { SecretCard } from './secret-card.tsx';

type Props = { address: Address; show: (changed: Address) => void; mayRotate: boolean };

export function AddressSecret({ address, show, mayRotate }: Props) {
  const params = { address_id: address.id };
  return (
    <SecretCard
      id="address-secret"
      text={{
        title: addressText.secret,
        hint: addressText.secretHint,
        reveal: addressText.reveal,
        hide: addressText.hide,
        rotateTitle: addressText.rotateTitle,
        rotateText: addressText.rotateText,
        rotated: addressText.rotated,
      }}
      mayRotate={mayRotate}
      read={async () =>
        (await call('GET /addresses/{address_id}/secret', { params })).webhook_secret
      }
      rotate={async () => {
        const changed = await call('POST /addresses/{address_id}/rotate-secret', { params });
        show(changed);
        return changed.webhook_secret ?? '';
      }}
    >
      <Overlap until={address.former_secrets_valid_until} />
    </SecretCard>
  );
}

/** Counts down to the end of the last rotation's overlap. */
const Overlap = ({ until }: { until: string | null }) =>
  until !== null &&
  new Date(until) > now.value && (
    <p class="notice">
      <span>
        {addressText.overlap} <Time at={until} as="relative" />.
      </span>
    </p>
  );
