/** Sends a form once at a time, and keeps the error for the field that the API names. */
import { useState } from 'preact/hooks';

import { ApiError } from '../client/api.ts';
import { toast } from './toast.tsx';

export type Form = {
  isBusy: boolean;
  /** The message for a field, if the last attempt failed because of it. */
  errorOf: (field: string) => string | undefined;
  onSubmit: (event: Event) => void;
};

/** @param fields that the form shows: errors of all others are shown as a short report */
export function useForm(fields: readonly string[], send: () => Promise<void>): Form {
  const [isBusy, setIsBusy] = useState(false);
  const [error, setError] = useState<ApiError | undefined>();
  const submit = async () => {
    setIsBusy(true);
    setError(undefined);
    try {
      await send();
    } catch (cause) {
      if (cause instanceof ApiError && cause.field && fields.includes(cause.field)) setError(cause);
      else toast(cause instanceof Error ? cause.message : String(cause), true);
    } finally {
      setIsBusy(false);
    }
  };
  return {
    isBusy,
    errorOf: (field) => (error?.field === field ? error.message : undefined),
    onSubmit: (event) => {
      event.preventDefault();
      if (!isBusy) void submit();
    },
  };
}
