/** Adds the rules of an address that a program reads: only proven, listed senders get through. */
import { ApiError } from '../../client/api.ts';
import type { RuleRequest } from '../../../core/api/api-types.generated.ts';
import { agentRules } from '../../../core/api/rule-presets.ts';
import { SelectField, SubmitButton } from '../../parts/forms/form-fields.tsx';
import { useForm } from '../../parts/forms/use-form.ts';
import { ruleText } from '../../strings/rules.ts';
import { useListNames } from './condition-field.tsx';

type Props = { done: (rules: RuleRequest[]) => void; close: () => void };

export function AgentPreset({ done, close }: Props) {
  const names = useListNames();
  const form = useForm({ list: '' }, async ({ list }) => {
    if (list === '') throw new ApiError(0, ruleText.agentsNeedList, { field: 'list' });
    done(agentRules(list));
  });
  return (
    <form class="form" onSubmit={form.onSubmit}>
      <h2>{ruleText.agents}</h2>
      <p>{ruleText.agentsHint}</p>
      {names.length === 0 ? (
        <p class="hint">{ruleText.agentsNeedList}</p>
      ) : (
        <SelectField
          form={form}
          name="list"
          label={ruleText.agentsList}
          options={['', ...names].map((name) => [name, name || ruleText.chooseList] as const)}
        />
      )}
      <div class="buttons">
        {names.length > 0 && <SubmitButton form={form} label={ruleText.agentsAdd} />}
        <button type="button" onClick={close}>
          {ruleText.cancel}
        </button>
      </div>
    </form>
  );
}
