/** A condition: a form for the usual ones, which writes an expression, or the expression itself. */
import { useState } from 'preact/hooks';

import { call } from '../../client/api.ts';
import { useResource } from '../../client/resource.ts';
import { FieldError } from '../../parts/field.tsx';
import { TextAreaField } from '../../parts/forms/form-fields.tsx';
import { Icon } from '../../parts/icon.tsx';
import type { Form } from '../../parts/forms/use-form.ts';
import { may } from '../../session/session.ts';
import { ruleText } from '../../strings/rules.ts';
import {
  operandOf,
  type Condition,
  CONDITION_CHOICES,
  type ConditionKind,
  conditionsIn,
  expressionOf,
} from './conditions.ts';

type Props<Values> = {
  form: Form<Values>;
  label: string;
  /** The expression without conditions: `true`, or empty. */
  whenNone: string;
};

const NEW: Condition = { kind: 'senderDomain', value: '', isNegated: false };

export function ConditionField<Values extends { when: string }>({
  form,
  label,
  whenNone,
}: Props<Values>) {
  const { when } = form.values;
  const [conditions, setConditions] = useState(() => conditionsIn(when, whenNone));
  const readable = conditionsIn(when, whenNone);
  const change = (changed: readonly Condition[]) => {
    setConditions([...changed]);
    form.set('when', expressionOf(changed, whenNone));
  };
  if (conditions === undefined)
    return (
      <>
        <TextAreaField
          form={form}
          name="when"
          label={ruleText.expression}
          hint={ruleText.expressionHint}
          rows={4}
          spellcheck={false}
        />
        {readable && (
          <button type="button" onClick={() => setConditions(readable)}>
            {ruleText.asForm}
          </button>
        )}
      </>
    );
  return (
    <fieldset class="conditions" name="when">
      <legend>{label}</legend>
      {conditions.map((condition, at) => (
        <Row
          key={at}
          place={at + 1}
          condition={condition}
          change={(changed) => change(conditions.with(at, { ...condition, ...changed }))}
          remove={() => change(conditions.toSpliced(at, 1))}
        />
      ))}
      {conditions.length === 0 && <p class="hint">{ruleText.noConditions}</p>}
      {conditions.length > 1 && <p class="hint">{ruleText.all}</p>}
      <FieldError error={form.errorOf('when')} />
      <div class="buttons">
        <button type="button" onClick={() => change([...conditions, NEW])}>
          <Icon name="plus" /> {ruleText.addCondition}
        </button>
        <button type="button" class="quiet" onClick={() => setConditions(undefined)}>
          {ruleText.asText}
        </button>
      </div>
    </fieldset>
  );
}

type RowProps = {
  place: number;
  condition: Condition;
  change: (changed: Partial<Condition>) => void;
  remove: () => void;
};

const Row = ({ place, condition, change, remove }: RowProps) => (
  <div class="condition">
    <select
      aria-label={ruleText.ifLabel(place)}
      value={String(condition.isNegated)}
      onChange={({ currentTarget }) => change({ isNegated: currentTarget.value === 'true' })}
    >
      <option value="false">{ruleText.if}</option>
      <option value="true">{ruleText.ifNot}</option>
    </select>
    <select
      aria-label={ruleText.condition(place)}
      value={condition.kind}
      onChange={({ currentTarget }) =>
        change({ kind: currentTarget.value as ConditionKind, value: '' })
      }
    >
      {CONDITION_CHOICES.map(([kind, text]) => (
        <option key={kind} value={kind}>
          {text}
        </option>
      ))}
    </select>
    <button
      type="button"
      class="quiet"
      aria-label={ruleText.removeCondition(place)}
      title={ruleText.removeCondition(place)}
      onClick={remove}
    >
      <Icon name="cross" />
    </button>
    <ValueInput {...{ place, condition, change }} />
  </div>
);

function ValueInput({ place, condition: { kind, value }, change }: Omit<RowProps, 'remove'>) {
  const operand = operandOf(kind);
  const props = {
    'aria-label': ruleText.value(place),
    value,
    required: true,
    class: 'condition-value',
  };
  if (operand === 'nothing') return null;
  if (operand === 'list')
    return (
      <ListChoice {...props} onChange={(event) => change({ value: event.currentTarget.value })} />
    );
  const onInput = (event: { currentTarget: HTMLInputElement }) =>
    change({ value: event.currentTarget.value });
  return operand === 'number' ? (
    <input {...props} type="number" min={0} step="0.1" onInput={onInput} />
  ) : (
    <input {...props} dir="auto" spellcheck={false} onInput={onInput} />
  );
}

type ListProps = {
  value: string;
  onChange: (event: { currentTarget: HTMLSelectElement }) => void;
};

export function useListNames(): string[] {
  const { data: names = [] } = useResource('names of lists', async (signal) =>
    may('addresses:read')
      ? (await call('GET /lists', { signal })).data.map(({ name }) => name)
      : [],
  );
  return names;
}

/** The lists of the account, and the chosen one, which may be deleted. */
function ListChoice({ value, ...props }: ListProps) {
  const names = useListNames();
  return (
    <select {...props} value={value}>
      {[...new Set(['', ...names, value])].map((name) => (
        <option key={name} value={name}>
          {name || ruleText.chooseList}
        </option>
      ))}
    </select>
  );
}
