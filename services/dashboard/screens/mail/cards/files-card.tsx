/** Where the files of the email are in a bucket of the customer. */
import type { Delivery } from '../../../../core/api/api-types.generated.ts';
import { CopyButton } from '../../../parts/copy.tsx';
import { emailText } from '../../../strings/mail/email.ts';

const KEYS_SHOWN = 10;

export function FilesCard({ storage }: { storage: NonNullable<Delivery['storage']> }) {
  const { bucket, keys, deletion } = storage;
  const texts = emailText.files;
  return (
    <section class="card" aria-labelledby="files-title">
      <h2 id="files-title">{texts.title}</h2>
      {deletion !== null && <p class="hint">{texts.deletion[deletion]}</p>}
      <p class="soft">{texts.inBucket(bucket)}</p>
      {keys.slice(0, KEYS_SHOWN).map((key) => (
        <p key={key} class="event-about">
          <code>{key}</code> <CopyButton text={key} what={texts.key} />
        </p>
      ))}
      {keys.length > KEYS_SHOWN && <p class="soft">{texts.more(keys.length - KEYS_SHOWN)}</p>}
    </section>
  );
}
