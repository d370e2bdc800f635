/** The values of a form. Sends them once at a time, and keeps the error for the field that the API names. */
import { useEffect, useState } from 'preact/hooks';

import { ApiError } from '../client/api.ts';
import { messageFor } from '../strings/field-errors.ts';
import { keepUnsaved } from '../browser/unsaved.ts';
import { toast } from './toast.tsx';

export type Form<Values> = {
  values: Values;
  set: (field: string, value: unknown) => void;
  isReadOnly: boolean;
  isBusy: boolean;
  /** The message for a field, if the last attempt failed because of it. */
  errorOf: (field: string) => string | undefined;
  onSubmit: (event: Event) => void;
};

/**
 * Edits survive other changes of what the form shows, such as by another card, until they are sent.
 * @param initial the fields that the form shows: an error of another one is a short report
 */
export function useForm<Values extends object>(
  initial: Values,
  send: (values: Values) => Promise<void>,
  isReadOnly = false,
): Form<Values> {
  const [edits, setEdits] = useState<Partial<Values>>({});
  const [isBusy, setIsBusy] = useState(false);
  const [error, setError] = useState<{ field: string; message: string } | undefined>();
  const values = { ...initial, ...edits };
  const isUnsaved = !isReadOnly && !isBusy && JSON.stringify(values) !== JSON.stringify(initial);
  useEffect(() => (isUnsaved ? keepUnsaved() : undefined), [isUnsaved]);
  const submit = async () => {
    setIsBusy(true);
    setError(undefined);
    try {
      await send(values);
      setEdits({});
    } catch (cause) {
      const message = cause instanceof Error ? cause.message : String(cause);
      // `settings.redact` is the field redact of the account's form
      const field = cause instanceof ApiError ? cause.field?.split('.').at(-1) : undefined;
      if (cause instanceof ApiError && field !== undefined && field in initial)
        setError({ field, message: messageFor(field, cause) });
      else toast(message, true);
    } finally {
      setIsBusy(false);
    }
  };
  return {
    values,
    set: (field, value) => setEdits((now) => ({ ...now, [field]: value })),
    isReadOnly,
    isBusy,
    errorOf: (field) => (error?.field === field ? error.message : undefined),
    onSubmit: (event) => {
      event.preventDefault();
      if (!isBusy) void submit();
    },
  };
}
