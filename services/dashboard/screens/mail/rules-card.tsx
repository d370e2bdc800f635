/** What rules and the hook decided about an email: what was evaluated, and what it read. */
import type { Delivery } from '../../../core/api/api-types.generated.ts';
import { plain } from '../../parts/plain-text.ts';
import { Status, type Tone } from '../../parts/status.tsx';
import { ruleText } from '../../strings/rules.ts';

type Ruling = NonNullable<Delivery['ruling']>;
type Evaluated = Ruling['rules'][number];

const TONES: Record<Evaluated['result'], Tone> = {
  matched: 'good',
  not_matched: 'plain',
  failed: 'bad',
};

export const RulesCard = ({ ruling, tags }: { ruling: Ruling; tags: readonly string[] }) => (
  <section class="card" aria-labelledby="rules-title">
    <h2 id="rules-title">{ruleText.title}</h2>
    {ruling.reason !== null && <p>{ruleText.reasons[ruling.reason]}</p>}
    {tags.length > 0 && <p class="hint">{ruleText.tagged(tags.join(', '))}</p>}
    <RuleTrace {...ruling} />
    {ruling.hook && (
      <p>
        <strong>{ruleText.hook}</strong>{' '}
        {ruling.hook.error === null
          ? ruleText.hookDecided(ruling.hook)
          : plain(ruleText.hookFailed(ruling.hook))}
      </p>
    )}
  </section>
);

/** The rules in their order with their results, and the facts. */
const RuleTrace = ({ rules, facts }: Pick<Ruling, 'rules' | 'facts'>) => (
  <>
    <ul class="rule-trace">
      {rules.map((rule, at) => (
        <li key={`${at} ${rule.name}`}>
          <span dir="auto">{plain(rule.name)}</span>
          <span class="hint">{ruleText.actionOf(rule)}</span>
          <Status tone={TONES[rule.result]} text={ruleText.results[rule.result]} />
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
            <dd dir="auto">{value === '' ? ruleText.emptyValue : plain(value)}</dd>
          </div>
        ))}
      </dl>
    )}
  </>
);
