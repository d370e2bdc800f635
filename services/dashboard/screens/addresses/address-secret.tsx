/** The webhook secret: shown on demand, which is recorded, and rotated with an overlap. */
import { useState } from 'preact/hooks';

import { call } from '../../client/api.ts';
import type { Address } from '../../../core/api/api-types.generated.ts';
import { confirm } from '../../parts/confirm.tsx';
import { Copyable } from '../../parts/copy.tsx';
import { now, Time } from '../../parts/time.tsx';
import { reporting } from '../../parts/toast.tsx';
import { may } from '../../session/session.ts';
import { addressText } from '../../strings/addresses.ts';

type Props = { address: Address; show: (changed: Address) => void; mayRotate: boolean };

export function AddressSecret({ address, show, mayRotate }: Props) {
  const [secret, setSecret] = useState<string | undefined>();
  const params = { address_id: address.id };
  const reveal = () =>
    reporting(async () => {
      const { webhook_secret } = await call('GET /addresses/{address_id}/secret', { params });
      setSecret(webhook_secret);
    });
  const rotate = async () => {
    const isConfirmed = await confirm({
      title: addressText.rotateTitle,
      text: addressText.rotateText,
      action: addressText.rotate,
    });
    if (!isConfirmed) return;
    await reporting(async () => {
      const changed = await call('POST /addresses/{address_id}/rotate-secret', { params });
      setSecret(changed.webhook_secret);
      show(changed);
    }, addressText.rotated);
  };
  return (
    <section class="card" aria-labelledby="address-secret">
      <h2 id="address-secret">{addressText.secret}</h2>
      <p class="hint">{addressText.secretHint}</p>
      {secret && (
        <p class="secret">
          <Copyable text={secret} what={addressText.secret} />
        </p>
      )}
      <Overlap until={address.former_secrets_valid_until} />
      <div class="buttons">
        {(secret !== undefined || may('secrets:read')) && (
          <button type="button" onClick={() => (secret ? setSecret(undefined) : void reveal())}>
            {secret ? addressText.hide : addressText.reveal}
          </button>
        )}
        {mayRotate && (
          <button type="button" onClick={() => void rotate()}>
            {addressText.rotate}
          </button>
        )}
      </div>
    </section>
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
