/** The raw email, where the address keeps it. */
import type { Email } from '../../app/api-types.golden.ts';
import { Icon } from '../../parts/icon.tsx';
import { emailText } from '../../strings/email.ts';

export const RawView = ({ email: { content } }: { email: Email }) => (
  <div class="card stack">
    <p class="hint">{content.raw_url === undefined ? emailText.rawMissing : emailText.rawHint}</p>
    {content.raw_url !== undefined && (
      <p>
        <a class="button" href={content.raw_url} rel="noreferrer">
          <Icon name="download" /> {emailText.downloadRaw}
        </a>
      </p>
    )}
  </div>
);
