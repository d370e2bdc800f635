/** What the scanner found in an email, and in which attachments. */
import type { Email } from '../../../../core/api/api-types.generated.ts';
import { plain } from '../../../parts/plain-text.ts';
import { Status, type Tone } from '../../../parts/status.tsx';
import { emailText } from '../../../strings/mail/email.ts';

type Virus = NonNullable<Email['virus']>;

const TONES: Record<Virus['verdict'], Tone> = {
  clean: 'good',
  infected: 'bad',
  not_scanned: 'plain',
  error: 'wait',
};

export const VirusCard = ({ virus: { verdict, name, scanner, attachments } }: { virus: Virus }) => (
  <section class="card" aria-labelledby="virus-title">
    <div class="card-head">
      <h2 id="virus-title">{emailText.virus}</h2>
      <Status tone={TONES[verdict]} text={emailText.virusVerdicts[verdict]} />
    </div>
    {name !== null && (
      <p>
        <strong>{plain(name)}</strong> <span class="hint">{emailText.scanners[scanner]}</span>
      </p>
    )}
    <p class="hint">{emailText.virusText[verdict]}</p>
    {attachments.length > 0 && (
      <ul class="rules">
        {attachments.map((one) => (
          <li key={one.index}>
            <span dir="auto">{plain(one.filename)}</span>
            <span>{plain(one.name)}</span>
          </li>
        ))}
      </ul>
    )}
  </section>
);
