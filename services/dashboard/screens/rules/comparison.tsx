/** What rules would decide about the last emails, next to what was decided. */
import type { RulesComparison } from '../../../core/api/api-types.generated.ts';
import { formatCount } from '../../parts/format.ts';
import { Link } from '../../parts/link.tsx';
import { type Column, Table } from '../../parts/lists/table.tsx';
import { plain } from '../../parts/plain-text.ts';
import { Status, type Tone } from '../../parts/status.tsx';
import { Time } from '../../parts/time.tsx';
import { mailText } from '../../strings/mail/mail.ts';
import { ruleText } from '../../strings/rules.ts';

type Compared = RulesComparison['data'][number];
type Decision = Compared['after'];

const TONES: Record<Decision['action'], Tone> = {
  deliver: 'good',
  hold: 'wait',
  later: 'wait',
  drop: 'plain',
  refuse: 'bad',
};
const { columns: titles } = ruleText;

export const Comparison = ({ comparison }: { comparison: RulesComparison }) => {
  const { tested, changed, not_stored, not_reached, rules, data } = comparison;
  const shown = data.filter(({ is_changed: isChanged }) => isChanged);
  return (
    <section aria-labelledby="comparison" class="comparison">
      <h2 id="comparison">{ruleText.tried}</h2>
      <p role="status">
        {tested === 0
          ? ruleText.noEmails
          : ruleText.wouldChange(formatCount(changed), formatCount(tested))}
      </p>
      <p class="hint">
        {ruleText.notInIt} {not_stored > 0 && ruleText.notStored(formatCount(not_stored))}{' '}
        {not_reached > 0 && ruleText.notReached(formatCount(not_reached))}
      </p>
      <ul class="rule-trace">
        {rules.map((rule, at) => (
          <li key={at}>
            <span>
              <span dir="auto">{plain(rule.name)}</span>{' '}
              <span class="hint">
                {rule.scope} ·{' '}
                {ruleText.matchedOf(formatCount(rule.matched), formatCount(rule.evaluated))}
              </span>
            </span>
            {rule.failed > 0 && (
              <Status tone="bad" text={ruleText.failedOn(formatCount(rule.failed))} />
            )}
            {rule.error !== null && <p>{plain(rule.error)}</p>}
          </li>
        ))}
      </ul>
      {shown.length > 0 && (
        <Table
          label={ruleText.changes}
          columns={COLUMNS}
          rows={shown}
          keyOf={({ event_id }) => event_id}
        />
      )}
    </section>
  );
};

const COLUMNS: readonly Column<Compared>[] = [
  {
    title: titles.email,
    cell: ({ event_id, subject }) => (
      <Link to={`/mail/${event_id}`}>{subject ? plain(subject) : mailText.noSubject}</Link>
    ),
  },
  {
    title: titles.from,
    cell: ({ from }) => (
      <span class="soft" dir="auto">
        {from ? plain(from) : mailText.noSender}
      </span>
    ),
  },
  { title: titles.received, cell: ({ received_at: at }) => <Time at={at} /> },
  { title: titles.before, cell: ({ before }) => <Decided {...before} /> },
  { title: titles.after, cell: ({ after }) => <Decided {...after} /> },
];

const Decided = ({ action, tags }: Decision) => (
  <span>
    <Status tone={TONES[action]} text={ruleText.decisions[action]} />
    {tags.map((tag) => (
      <span key={tag} class="tag">
        {tag}
      </span>
    ))}
  </span>
);
