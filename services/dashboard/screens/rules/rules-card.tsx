/** The rules of an address on its page, and the way to change them. */
import type { Address } from '../../../core/api/api-types.generated.ts';
import { Link } from '../../parts/link.tsx';
import { ruleText } from '../../strings/rules.ts';
import { RuleFacts } from './rule-list.tsx';

type Props = { address: Address; isReadOnly: boolean };

export const AddressRulesCard = ({ address: { id, rules }, isReadOnly }: Props) => (
  <section class="card" aria-labelledby="address-rules">
    <h2 id="address-rules">{ruleText.title}</h2>
    <p class="hint">{rules.length === 0 ? ruleText.none : ruleText.order}</p>
    {rules.length > 0 && (
      <ol class="rule-list">
        {rules.map((rule, at) => (
          <li key={at}>
            <RuleFacts rule={rule} />
          </li>
        ))}
      </ol>
    )}
    <Link to={`/addresses/${id}/rules`} class="button">
      {isReadOnly ? ruleText.show : ruleText.edit}
    </Link>
  </section>
);
