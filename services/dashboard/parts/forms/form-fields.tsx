/** The controls of a form, each bound to one of its values, and the button that sends it. */
import type { PartialInputHTMLAttributes } from 'preact';

import { partsText } from '../../strings/parts.ts';
import { Field, FieldError } from '../field.tsx';
import type { Form } from './use-form.ts';

type Bound<Values> = {
  form: Form<Values>;
  name: keyof Values & string;
  label: string;
  hint?: string;
};
type InputAttributes = Pick<
  PartialInputHTMLAttributes<HTMLInputElement>,
  'required' | 'autoFocus' | 'placeholder' | 'autoComplete' | 'spellcheck' | 'dir'
> & { type?: 'text' | 'url' | 'number' | 'password'; min?: number; max?: number; step?: string };

export const TextField = <Values,>({
  form,
  name,
  label,
  hint,
  ...input
}: Bound<Values> & InputAttributes) => (
  <Field label={label} hint={hint} error={form.errorOf(name)}>
    <input
      {...(input as { type?: 'text' })} // preact has other types of attributes for each type
      name={name}
      readOnly={form.isReadOnly}
      value={String(form.values[name])}
      onInput={({ currentTarget }) => form.set(name, currentTarget.value)}
    />
  </Field>
);

export const TextAreaField = <Values,>({
  form,
  name,
  label,
  hint,
  rows,
  spellcheck,
}: Bound<Values> & { rows: number; spellcheck: boolean }) => (
  <Field label={label} hint={hint} error={form.errorOf(name)}>
    <textarea
      name={name}
      rows={rows}
      spellcheck={spellcheck}
      readOnly={form.isReadOnly}
      value={String(form.values[name])}
      onInput={({ currentTarget }) => form.set(name, currentTarget.value)}
    />
  </Field>
);

export const NumberField = <Values,>(props: Bound<Values> & InputAttributes) => (
  <TextField {...props} type="number" />
);

export const SelectField = <Values,>({
  form,
  name,
  label,
  hint,
  options,
}: Bound<Values> & { options: readonly (readonly [value: string, label: string])[] }) => (
  <Field label={label} hint={hint} error={form.errorOf(name)}>
    <select
      name={name}
      disabled={form.isReadOnly}
      value={String(form.values[name])}
      onChange={({ currentTarget }) => form.set(name, currentTarget.value)}
    >
      {options.map(([value, text]) => (
        <option key={value} value={value}>
          {text}
        </option>
      ))}
    </select>
  </Field>
);

export const CheckField = <Values,>({ form, name, label }: Bound<Values>) => (
  <>
    <label class="check">
      <input
        type="checkbox"
        name={name}
        disabled={form.isReadOnly}
        checked={Boolean(form.values[name])}
        onChange={({ currentTarget }) => form.set(name, currentTarget.checked)}
      />
      {label}
    </label>
    <FieldError error={form.errorOf(name)} />
  </>
);

/**
 * Nothing in a form that is read-only. A disabled button would lose the focus.
 * @param close closes the dialog that the form is in
 */
export const SubmitButton = <Values,>({
  form,
  label,
  close,
}: Pick<Bound<Values>, 'form' | 'label'> & { close?: (() => void) | undefined }) =>
  form.isReadOnly ? null : (
    <div class="buttons">
      <button type="submit" class="primary" aria-disabled={form.isBusy}>
        {label}
      </button>
      {close && (
        <button type="button" onClick={close}>
          {partsText.cancel}
        </button>
      )}
    </div>
  );
