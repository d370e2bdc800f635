/** The key of reply addresses: shown on demand, which is recorded, and rotated with an overlap. */
import { useState } from 'preact/hooks';

import { call } from '../../client/api.ts';
import { confirm } from '../../parts/confirm.tsx';
import { Copyable } from '../../parts/copy.tsx';
import { reporting } from '../../parts/toast.tsx';
import { may } from '../../session/session.ts';
import { addressText } from '../../strings/addresses.ts';

export function ReplyKey({ addressId, mayRotate }: { addressId: string; mayRotate: boolean }) {
  const [key, setKey] = useState<string | undefined>();
  const params = { address_id: addressId };
  const reveal = () =>
    reporting(async () => {
      const { reply_key } = await call('GET /addresses/{address_id}/reply-key', { params });
      setKey(reply_key);
    });
  const rotate = async () => {
    const isConfirmed = await confirm({
      title: addressText.rotateKeyTitle,
      text: addressText.rotateKeyText,
      action: addressText.rotate,
    });
    if (!isConfirmed) return;
    await reporting(async () => {
      const rotated = await call('POST /addresses/{address_id}/rotate-reply-key', {
        params,
        body: {},
      });
      setKey(rotated.reply_key);
    }, addressText.keyRotated);
  };
  return (
    <section class="card" aria-labelledby="reply-key">
      <h2 id="reply-key">{addressText.replyKey}</h2>
      <p class="hint">{addressText.replyKeyHint}</p>
      {key && (
        <p class="secret">
          <Copyable text={key} what={addressText.replyKey} />
        </p>
      )}
      <div class="buttons">
        {(key !== undefined || may('secrets:read')) && (
          <button type="button" onClick={() => (key ? setKey(undefined) : void reveal())}>
            {key ? addressText.hideKey : addressText.revealKey}
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
