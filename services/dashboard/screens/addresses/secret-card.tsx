/** A secret of an address: shown on demand, which is recorded, and rotated with an overlap. */
import { useState } from 'preact/hooks';

import { confirm } from '../../parts/confirm.tsx';
import { Copyable } from '../../parts/copy.tsx';
import { reporting } from '../../parts/toast.tsx';
import { may } from '../../session/session.ts';
import { addressText } from '../../strings/addresses.ts';

type Props = {
  /** The id of the card's heading. */
  id: string;
  text: {
    title: string;
    hint: string;
    reveal: string;
    hide: string;
    rotateTitle: string;
    rotateText: string;
    rotated: string;
  };
  mayRotate: boolean;
  read: () => Promise<string>;
  /** Resolves with the new secret. */
  rotate: () => Promise<string>;
};

export function SecretCard({ id, text, mayRotate, read, rotate }: Props) {
  const [secret, setSecret] = useState<string | undefined>();
  const reveal = () => reporting(async () => setSecret(await read()));
  const askToRotate = async () => {
    const isConfirmed = await confirm({
      title: text.rotateTitle,
      text: text.rotateText,
      action: addressText.rotate,
      isDestructive: true,
    });
    if (isConfirmed) await reporting(async () => setSecret(await rotate()), text.rotated);
  };
  return (
    <section class="card" aria-labelledby={id}>
      <h2 id={id}>{text.title}</h2>
      <p class="hint">{text.hint}</p>
      {secret && (
        <p class="secret">
          <Copyable text={secret} what={text.title} />
        </p>
      )}
      <div class="buttons">
        {(secret !== undefined || may('secrets:read')) && (
          <button type="button" onClick={() => (secret ? setSecret(undefined) : void reveal())}>
            {secret ? text.hide : text.reveal}
          </button>
        )}
        {mayRotate && (
          <button type="button" onClick={() => void askToRotate()}>
            {addressText.rotate}
          </button>
        )}
      </div>
    </section>
  );
}
