/** Adds a rule to the draft, or changes one. The API checks it when the rules are saved. */
import { ApiError } from '../../client/api.ts';
import type { Rule, RuleRequest } from '../../../core/api/api-types.generated.ts';
import { SelectField, SubmitButton, TextField } from '../../parts/forms/form-fields.tsx';
import { useForm } from '../../parts/forms/use-form.ts';
import { ruleText } from '../../strings/rules.ts';
import { ConditionField } from './condition-field.tsx';

type Props = {
  /** undefined for a new one. */
  rule: RuleRequest | undefined;
  done: (rule: RuleRequest) => void;
  close: () => void;
};

const ACTIONS = Object.entries(ruleText.actionChoices) as [Rule['action'], string][];

export function RuleForm({ rule, done, close }: Props) {
  const form = useForm(
    {
      name: rule?.name ?? '',
      when: rule?.when ?? 'true',
      action: rule?.action ?? 'hold',
      tags: rule?.action === 'tag' ? rule.tags.join(' ') : '',
    },
    async ({ name, when, action, tags }) => {
      if (when.trim() === '') throw new ApiError(0, ruleText.needsCondition, { field: 'when' });
      const common = { name: name.trim(), when: when.trim() };
      const named = tags.split(/[\s,]+/).filter((tag) => tag !== '');
      done(action === 'tag' ? { ...common, action, tags: named } : { ...common, action });
    },
  );
  return (
    <form class="form" onSubmit={form.onSubmit}>
      <h2>{rule ? ruleText.editTitle : ruleText.add}</h2>
      <TextField
        form={form}
        name="name"
        label={ruleText.name}
        hint={ruleText.nameHint}
        required
        autoFocus
        dir="auto"
      />
      <ConditionField form={form} label={ruleText.conditionsOf} whenNone="true" />
      <SelectField form={form} name="action" label={ruleText.action} options={ACTIONS} />
      {form.values.action === 'tag' && (
        <TextField
          form={form}
          name="tags"
          label={ruleText.tags}
          hint={ruleText.tagsHint}
          required
          spellcheck={false}
        />
      )}
      <SubmitButton form={form} label={rule ? ruleText.apply : ruleText.submit} close={close} />
    </form>
  );
}
