/** The webhook secret: shown on demand, which is recorded, and rotated with an overlap. */
import { useState } from 'preact/hooks';

import { call } from '../../app/api.ts';
import type { Address, GetWebhookSecretResponse } from '../../app/api-types.golden.ts';
import { confirm } from '../../parts/confirm.tsx';
import { Copyable } from '../../parts/copy.tsx';
import { Time } from '../../parts/time.tsx';
import { reporting } from '../../parts/toast.tsx';
import { addressText } from '../../strings/addresses.ts';

type Props = { address: Address; mayRotate: boolean };

export function AddressSecret({ address, mayRotate }: Props) {
  const [secret, setSecret] = useState<GetWebhookSecretResponse | undefined>();
  const params = { address_id: address.id };
  const reveal = () =>
    reporting(async () => setSecret(await call('GET /addresses/{address_id}/secret', { params })));
  const rotate = async () => {
    const isConfirmed = await confirm({
      title: addressText.rotateTitle,
      text: addressText.rotateText,
      action: addressText.rotate,
    });
    if (!isConfirmed) return;
    const isRotated = await reporting(
      () => call('POST /addresses/{address_id}/rotate-secret', { params }),
      addressText.rotated,
    );
    if (isRotated) await reveal();
  };
  return (
    <section class="card" aria-labelledby="address-secret">
      <h2 id="address-secret">{addressText.secret}</h2>
      <p class="hint">{addressText.secretHint}</p>
      {secret && (
        <p class="secret">
          <Copyable text={secret.webhook_secret} what={addressText.secret} />
        </p>
      )}
      {secret?.former_secrets_valid_until && (
        <p class="notice">
          <span>
            {addressText.overlap} <Time at={secret.former_secrets_valid_until} as="relative" />.
          </span>
        </p>
      )}
      <div class="buttons">
        <button type="button" onClick={() => (secret ? setSecret(undefined) : void reveal())}>
          {secret ? addressText.hide : addressText.reveal}
        </button>
        {mayRotate && (
          <button type="button" onClick={() => void rotate()}>
            {addressText.rotate}
          </button>
        )}
      </div>
    </section>
  );
}
