/** The results of SPF, DKIM, DMARC and reverse DNS in words, with their reasons. */
import type { Email } from '../../../../core/api/api-types.generated.ts';
import { plain } from '../../../parts/plain-text.ts';
import { Status, type Tone } from '../../../parts/status.tsx';
import { authenticationText } from '../../../strings/mail/authentication.ts';
import { emailText } from '../../../strings/mail/email.ts';
import { FoldedCard } from '../../../parts/folded-card.tsx';

type Check = { name: string; result: string; text: string; reason?: string | null };

export function AuthenticationCard({ email }: { email: Email }) {
  const checks = checksOf(email);
  const isProven = email.authentication?.dmarc.result === 'pass';
  const { senderProven, senderNotProven } = emailText;
  return (
    <FoldedCard
      id="authentication"
      title={emailText.authentication}
      status={
        email.authentication && (
          <Status
            tone={isProven ? 'good' : 'plain'}
            text={isProven ? senderProven : senderNotProven}
          />
        )
      }
      isOpen={checks.some(({ result }) => ['bad', 'wait'].includes(toneOf(result)))}
    >
      {email.authentication === null ? (
        <p class="hint">{emailText.authenticationOff}</p>
      ) : (
        <ul class="checks">
          {checks.map(({ name, result, text, reason }, n) => (
            <li key={n}>
              <div class="check-head">
                <h3>{name}</h3>
                <Status tone={toneOf(result)} text={result} />
              </div>
              <p dir="auto">{plain(text)}</p>
              {reason && <p class="hint">{plain(reason)}</p>}
            </li>
          ))}
        </ul>
      )}
    </FoldedCard>
  );
}

function checksOf({ authentication, envelope: { remote_ip: ip } }: Email): Check[] {
  if (authentication === null) return [];
  const { spf, dkim, dmarc, arc, iprev } = authentication;
  const text = authenticationText;
  const signatures: Check[] = dkim.map((one) => ({ name: 'DKIM', ...one, text: text.dkim(one) }));
  const noSignature: Check = { name: 'DKIM', result: 'none', text: text.noDkim };
  const chain = arc.chain.map(({ sealer }) => sealer).join(' → ');
  return [
    { name: 'DMARC', ...dmarc, text: text.dmarc(dmarc) },
    // for the other results, the sentence says what the reason would
    {
      name: 'SPF',
      ...spf,
      text: text.spf(spf, ip),
      reason: spf.result.endsWith('error') ? spf.reason : null,
    },
    ...(signatures.length > 0 ? signatures : [noSignature]),
    ...(arc.result === 'none' ? [] : [{ name: 'ARC', ...arc, text: chain }]),
    { name: 'DNS', result: iprev.result, text: text.iprev(iprev, ip) },
  ];
}

function toneOf(result: string): Tone {
  if (result === 'pass') return 'good';
  if (result === 'fail' || result === 'permerror') return 'bad';
  return result === 'softfail' || result === 'policy' ? 'wait' : 'plain';
}
