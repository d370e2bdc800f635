/** The filter of a receiver: an expression, and the usual conditions that write one. */
import { useState } from 'preact/hooks';

import { Field } from '../../parts/field.tsx';
import { TextAreaField } from '../../parts/form-fields.tsx';
import type { Form } from '../../parts/use-form.ts';
import { receiverText } from '../../strings/receivers.ts';
import { USUAL_CONDITIONS, type UsualCondition, withCondition } from './usual-conditions.ts';

const KINDS = Object.entries(USUAL_CONDITIONS) as [UsualCondition, { label: string }][];

export function FilterField<Values extends { when: string }>({ form }: { form: Form<Values> }) {
  const [kind, setKind] = useState<UsualCondition>('domain');
  const [value, setValue] = useState('');
  const { asks } = USUAL_CONDITIONS[kind];
  const add = () => {
    form.set('when', withCondition(form.values.when, kind, value));
    setValue('');
  };
  return (
    <>
      <TextAreaField
        form={form}
        name="when"
        label={receiverText.when}
        hint={receiverText.whenHint}
        rows={3}
        spellcheck={false}
      />
      <fieldset class="filter-conditions">
        <legend>{receiverText.addCondition}</legend>
        <Field label={receiverText.condition}>
          <select
            value={kind}
            onChange={({ currentTarget }) => setKind(currentTarget.value as UsualCondition)}
          >
            {KINDS.map(([name, { label }]) => (
              <option key={name} value={name}>
                {label}
              </option>
            ))}
          </select>
        </Field>
        {asks && (
          <Field label={receiverText.conditionValue}>
            <input
              value={value}
              dir="auto"
              onInput={({ currentTarget }) => setValue(currentTarget.value)}
            />
          </Field>
        )}
        <button type="button" disabled={asks && value.trim() === ''} onClick={add}>
          {receiverText.addConditionButton}
        </button>
      </fieldset>
    </>
  );
}
