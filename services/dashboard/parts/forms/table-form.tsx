/** The form of a table, as a card: it creates a record, or changes one. */
import { toast } from '../toast.tsx';
import { SubmitButton } from './form-fields.tsx';
import { fieldsOf, type FormTable, formValues, TableFields } from './form-table.tsx';
import { useForm } from './use-form.ts';

type Props<T extends FormTable, Saved> = {
  table: T;
  /** The label of its button, and what is said after it. */
  submit: string;
  saved: string;
  /** The heading. */
  title?: string;
  hint?: string;
  /** What is changed, or the first values of a new record. */
  record?: object;
  isReadOnly?: boolean;
  /** The dialog is its card. */
  isInDialog?: true;
  /** Closes that dialog, with a button of its own. */
  close?: () => void;
  send: (fields: ReturnType<typeof fieldsOf<T>>) => Promise<Saved>;
  show: (saved: Saved) => void;
};

export function TableForm<T extends FormTable, Saved>({
  table,
  submit,
  saved,
  title,
  hint,
  record,
  isReadOnly = false,
  isInDialog,
  close,
  send,
  show,
}: Props<T, Saved>) {
  const form = useForm<object>(
    formValues(table, record) as object,
    async (values) => {
      const result = await send(fieldsOf(table, values as ReturnType<typeof formValues<T>>));
      toast(saved);
      show(result);
    },
    isReadOnly,
  );
  return (
    <form class={isInDialog ? 'form' : 'card form'} aria-label={title} onSubmit={form.onSubmit}>
      {title !== undefined && <h2>{title}</h2>}
      {hint !== undefined && <p class="hint">{hint}</p>}
      <TableFields table={table} form={form as never} record={record} />
      <SubmitButton form={form} label={submit} close={close} />
    </form>
  );
}
