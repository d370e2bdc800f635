/**
 * A part of a form as a table with one entry for each field of the API. The controls have the names
 * that the API has, so that its errors lead to them.
 */
import type { JSX } from 'preact';

import type { Form } from './use-form.ts';
import { NumberField, SelectField } from './form-fields.tsx';

export type AnyField = {
  /** What its controls hold, by their names. @param value undefined in a new record */
  values: (value: never, record: never) => object;
  read: (values: never) => unknown;
  /** Its controls; absent when another field has them. */
  Fields?: (props: { form: Form<never> }) => JSX.Element;
  /** Which part of the form it is in, and whether it stands in a row with others. */
  group?: string;
  isNarrow?: boolean;
};
export type FormField<Value, Record> = AnyField & {
  values: (value: Value | undefined, record: Partial<Record>) => object;
  read: (values: never) => Value;
};
type Table = Readonly<Record<string, AnyField>>;

type Both<Union> = (Union extends unknown ? (one: Union) => void : never) extends (
  all: infer All,
) => void
  ? All
  : never;

/** What the controls of all fields hold. */
export type FormValues<T extends Table> = Both<
  { [Name in keyof T]: ReturnType<T[Name]['values']> }[keyof T]
>;

/** @param record absent for a new one */
export const formValues = <T extends Table>(table: T, record: object = {}): FormValues<T> => {
  const stored = new Map<string, unknown>(Object.entries(record));
  const all = Object.entries(table).map(([name, { values }]) =>
    values(stored.get(name) as never, record as never),
  );
  return Object.assign({}, ...all) as FormValues<T>;
};

/** The fields as the API has them. */
export const fieldsOf = <T extends Table>(
  table: T,
  values: FormValues<T>,
): { [Name in keyof T]: ReturnType<T[Name]['read']> } =>
  Object.fromEntries(
    Object.entries(table).map(([name, { read }]) => [name, read(values as never)]),
  ) as { [Name in keyof T]: ReturnType<T[Name]['read']> };

type Text = { label: string; hint?: string };

/** A number; empty for null. */
export const numberField = <const Name extends string>(
  name: Name,
  text: Text,
  input: { min?: number; step?: string } = {},
) => ({
  values: (value: number | null | undefined) =>
    ({ [name]: String(value ?? '') }) as Record<Name, string>,
  read: (values: Record<Name, string>) => numberIn(values[name]),
  Fields: ({ form }: { form: Form<Record<Name, string>> }) => (
    <NumberField form={form} name={name} {...text} {...input} />
  ),
  isNarrow: true,
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
