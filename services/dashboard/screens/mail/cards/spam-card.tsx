/** The spam score, and the rules that made it as bars. */
import type { Email } from '../../../../core/api/api-types.generated.ts';
import { Status } from '../../../parts/status.tsx';
import { spamRuleText } from '../../../strings/mail/authentication.ts';
import { emailText } from '../../../strings/mail/email.ts';
import { FoldedCard } from '../../../parts/folded-card.tsx';

const SCORE_MAX = 10;
const number = new Intl.NumberFormat(undefined, { maximumFractionDigits: 1 });

export function SpamCard({ spam: { score, verdict, rules, scored_by } }: { spam: Email['spam'] }) {
  const isSpam = verdict === 'spam';
  const longest = Math.max(SCORE_MAX, ...rules.map((rule) => Math.abs(rule.score)));
  return (
    <FoldedCard
      id="spam"
      title={emailText.spam}
      status={
        <Status
          tone={isSpam ? 'bad' : 'good'}
          text={isSpam ? emailText.isSpam : emailText.isNotSpam}
        />
      }
      isOpen={isSpam}
    >
      <p class="score">
        <strong>{number.format(score)}</strong> / {SCORE_MAX}{' '}
        <span class="hint">{emailText.scoredBy[scored_by]}</span>
      </p>
      <Bar share={score / SCORE_MAX} isBad={isSpam} />
      {rules.length === 0 ? (
        <p class="hint">{emailText.noRules}</p>
      ) : (
        <ul class="rules">
          {rules.map((rule) => (
            <li key={rule.name}>
              <span title={rule.name}>{spamRuleText[rule.name] ?? rule.name}</span>
              <span class="number">{number.format(rule.score)}</span>
              <Bar share={Math.abs(rule.score) / longest} isBad={rule.score > 0} />
            </li>
          ))}
        </ul>
      )}
    </FoldedCard>
  );
}

/** A drawing: the policy of the page allows no inline style. */
const Bar = ({ share, isBad }: { share: number; isBad: boolean }) => (
  <svg class={isBad ? 'bar bar-bad' : 'bar'} aria-hidden="true">
    <rect class="bar-whole" width="100%" height="100%" rx="3" />
    <rect class="bar-part" width={`${Math.max(share * 100, 0)}%`} height="100%" rx="3" />
  </svg>
);
