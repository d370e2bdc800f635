/** What rules and the hook decided about an email: what was evaluated, and what it read. */
import type { Delivery } from '../../../../core/api/api-types.generated.ts';
import { plain } from '../../../parts/plain-text.ts';
import { RULE_TONES, Status, type Tone } from '../../../parts/status.tsx';
import { rulingText } from '../../../strings/mail/ruling.ts';

type Ruling = NonNullable<Delivery['ruling']>;
type Evaluated = Ruling['rules'][number];

const toneOf = ({ action, result }: Evaluated): Tone =>
  result === 'matched' ? RULE_TONES[action] : result === 'failed' ? 'bad' : 'plain';

export const RulesCard = ({ ruling, tags }: { ruling: Ruling; tags: readonly string[] }) => (
  <section class="card" aria-labelledby="rules-title">
    <h2 id="rules-title">{rulingText.title}</h2>
    {ruling.reason !== null && <p>{rulingText.reasons[ruling.reason]}</p>}
    {ruling.action === null && ruling.rules.some(hasRefused) && <p>{rulingText.refusedAlone}</p>}
    {tags.length > 0 && <p class="hint">{rulingText.tagged(tags.join(', '))}</p>}
    <RuleTrace {...ruling} />
    {ruling.hook && (
      <p>
        <strong>{rulingText.hook}</strong>{' '}
        {ruling.hook.error === null
          ? rulingText.hookDecided(ruling.hook)
          : plain(rulingText.hookFailed(ruling.hook))}
      </p>
    )}
  </section>
);

const hasRefused = ({ action, result }: Evaluated): boolean =>
  action === 'refuse' && result === 'matched';

/** The rules in their order with their results, and the facts. */
const RuleTrace = ({ rules, facts }: Pick<Ruling, 'rules' | 'facts'>) => (
  <>
    <ul class="rule-trace">
      {rules.map((rule, at) => (
        <li key={at}>
          <span dir="auto">{plain(rulingText.nameOf(rule))}</span>
          <span class="hint">{rulingText.kindOf(rule)}</span>
          <Status tone={toneOf(rule)} text={rulingText.didOf(rule)} />
          {rule.error !== null && <p>{plain(rule.error)}</p>}
        </li>
      ))}
    </ul>
    {facts.length > 0 && (
      <dl class="pairs">
        {facts.map(({ name, value }) => (
          <div key={name}>
            <dt>
              <code>{name}</code>
            </dt>
            <dd dir="auto">{value === '' ? rulingText.emptyValue : plain(value)}</dd>
          </div>
        ))}
      </dl>
    )}
  </>
);
