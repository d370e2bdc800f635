/**
 * A part of a form as a table with one entry for each field of the API. The controls have the names
 * that the API has, so that its errors lead to them.
 */
import type { JSX } from 'preact';

import type { Form } from './use-form.ts';
import { CheckField, NumberField, SelectField, TextField } from './form-fields.tsx';

export type AnyField = {
  /** What its controls hold, by their names. @param value undefined in a new record */
  values: (value: never, record: never) => object;
  read: (values: never) => unknown;
  /** Its controls; absent when another field has them. */
  Fields?: (props: never) => JSX.Element;
  /** Which part of the form it is in, and whether it shares a row with its narrow neighbours. */
  group?: string;
  isNarrow?: boolean;
};
export type FormField<Value, Record> = AnyField & {
  values: (value: Value | undefined, record: Partial<Record>) => object;
  read: (values: never) => Value;
};
export type FormTable = Readonly<Record<string, AnyField>>;

type Both<Union> = (Union extends unknown ? (one: Union) => void : never) extends (
  all: infer All,
) => void
  ? All
  : never;

/** What the controls of all fields hold. */
export type FormValues<T extends FormTable> = Both<
  { [Name in keyof T]: ReturnType<T[Name]['values']> }[keyof T]
>;

/** @param record absent for a new one */
export const formValues = <T extends FormTable>(table: T, record: object = {}): FormValues<T> => {
  const stored = new Map<string, unknown>(Object.entries(record));
  const all = Object.entries(table).map(([name, { values }]) =>
    values(stored.get(name) as never, record as never),
  );
  return Object.assign({}, ...all) as FormValues<T>;
};

/** The fields as the API has them. */
export const fieldsOf = <T extends FormTable>(
  table: T,
  values: FormValues<T>,
): { [Name in keyof T]: ReturnType<T[Name]['read']> } =>
  Object.fromEntries(
    Object.entries(table).map(([name, { read }]) => [name, read(values as never)]),
  ) as { [Name in keyof T]: ReturnType<T[Name]['read']> };

type TableProps<T extends FormTable> = {
  table: T;
  form: Form<FormValues<T>>;
  /** Only the fields of this part. */
  group?: string;
  /** What is changed, for controls that depend on it. */
  record?: object | undefined;
};

/** The controls of a table, in its order. */
export function TableFields<T extends FormTable>({ table, form, group, record }: TableProps<T>) {
  const rows: [name: string, field: AnyField][][] = [];
  for (const [name, field] of Object.entries(table)) {
    if (field.Fields === undefined || field.group !== group) continue;
    const row = rows.at(-1);
    if (field.isNarrow && row?.[0]?.[1].isNarrow) row.push([name, field]);
    else rows.push([[name, field]]);
  }
  const controls = (row: (typeof rows)[number]) =>
    row.map(([name, { Fields }]) => {
      const Controls = Fields as (props: { form: unknown; record: unknown }) => JSX.Element;
      return <Controls key={name} form={form} record={record} />;
    });
  return (
    <>
      {rows.map((row) =>
        row[0]?.[1].isNarrow ? (
          <div key={row[0][0]} class="field-row">
            {controls(row)}
          </div>
        ) : (
          controls(row)
        ),
      )}
    </>
  );
}

type Text = { label: string; hint?: string };
type TextInput = Omit<Parameters<typeof TextField>[0], 'form' | 'name' | keyof Text>;

/** A text without blanks around it. */
export const textField = <const Name extends string>(
  name: Name,
  text: Text,
  input: TextInput = {},
) => ({
  values: (value: string | null | undefined) => ({ [name]: value ?? '' }) as Record<Name, string>,
  read: (values: Record<Name, string>) => values[name].trim(),
  Fields: ({ form }: { form: Form<Record<Name, string>> }) => (
    <TextField form={form} name={name} {...text} {...input} />
  ),
});

/** A text, or null when it is empty. */
export const nullableText = <const Name extends string>(
  ...args: Parameters<typeof textField<Name>>
) => {
  const field = textField(...args);
  return { ...field, read: (values: Record<Name, string>) => field.read(values) || null };
};

export const checkField = <const Name extends string>(name: Name, label: string) => ({
  values: (value: boolean | undefined) => ({ [name]: value ?? false }) as Record<Name, boolean>,
  read: (values: Record<Name, boolean>) => values[name],
  Fields: ({ form }: { form: Form<Record<Name, boolean>> }) => (
    <CheckField form={form} name={name} label={label} />
  ),
});

type NumberInput = { min?: number; max?: number; step?: string; required?: true };

/** A number; empty for null. */
export const numberField = <const Name extends string>(
  name: Name,
  text: Text,
  input: NumberInput = {},
) => ({
  values: (value: number | null | undefined) =>
    ({ [name]: String(value ?? '') }) as Record<Name, string>,
  read: (values: Record<Name, string>) => numberIn(values[name]),
  Fields: ({ form }: { form: Form<Record<Name, string>> }) => (
    <NumberField form={form} name={name} {...text} {...input} />
  ),
  isNarrow: true,
});

export const requiredNumber = <const Name extends string>(
  name: Name,
  text: Text,
  input: NumberInput = {},
) => ({
  ...numberField(name, text, { ...input, required: true }),
  read: (values: Record<Name, string>) => Number(values[name]),
});

export const numberIn = (text: string): number | null => (text.trim() === '' ? null : Number(text));

/** One of a few values, each with its label. */
export const choiceField = <const Name extends string, Choice extends string, Value>(
  name: Name,
  text: Text,
  labels: Record<Choice, string>,
  meanings: Record<Choice, Value>,
  fallback: NoInfer<Choice>,
) => {
  const choices = Object.entries(meanings) as [Choice, Value][];
  return {
    values: (value: Value | undefined) =>
      ({
        [name]: choices.find(([, one]) => one === value)?.[0] ?? fallback,
      }) as Record<Name, Choice>,
    read: (values: Record<Name, Choice>) => meanings[values[name]],
    Fields: ({ form }: { form: Form<Record<Name, Choice>> }) => (
      <SelectField form={form} name={name} {...text} options={Object.entries<string>(labels)} />
    ),
    isNarrow: true,
  };
};

/** One of a few values, which the API has by these names. @param hint of a value and the record */
export const optionField = <const Name extends string, Choice extends string>(
  name: Name,
  label: string,
  labels: Record<Choice, string>,
  initial: NoInfer<Choice>,
  hint: (value: Choice, record: object | undefined) => string | undefined = () => undefined,
) => ({
  values: (value: Choice | undefined) => ({ [name]: value ?? initial }) as Record<Name, Choice>,
  read: (values: Record<Name, Choice>) => values[name],
  Fields: ({ form, record }: { form: Form<Record<Name, Choice>>; record?: object }) => (
    <SelectField
      form={form}
      name={name}
      label={label}
      hint={hint(form.values[name], record)}
      options={Object.entries<string>(labels)}
    />
  ),
});
