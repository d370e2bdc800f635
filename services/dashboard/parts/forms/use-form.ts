/** The values of a form. Sends them once at a time, and leads to the field that the API rejects. */
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';

import { ApiError } from '../../client/api.ts';
import { messageFor } from '../../strings/field-errors.ts';
import { keepUnsaved } from '../../browser/unsaved-edits.ts';
import { type FieldPaths, fieldAt } from './field-path.ts';
import { toast } from '../toast.tsx';

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
 * @param paths where the API has a field, if that does not end with the field's name
 */
export function useForm<Values extends object>(
  initial: Values,
  send: (values: Values) => Promise<void>,
  isReadOnly = false,
  paths: FieldPaths<NoInfer<Values>> = {},
): Form<Values> {
  const [edits, setEdits] = useState<Partial<Values>>({});
  const [isBusy, setIsBusy] = useState(false);
  const [error, setError] = useState<{ field: string; message: string } | undefined>();
  const element = useRef<HTMLFormElement | null>(null);
  const values = { ...initial, ...edits };
  const isUnsaved = !isReadOnly && !isBusy && JSON.stringify(values) !== JSON.stringify(initial);
  useEffect(() => (isUnsaved ? keepUnsaved() : undefined), [isUnsaved]);
  useLayoutEffect(() => {
    if (error) leadTo(element.current?.elements.namedItem(error.field));
  }, [error]);
  const submit = async () => {
    setIsBusy(true);
    setError(undefined);
    try {
      await send(values);
      setEdits({});
    } catch (cause) {
      const path = cause instanceof ApiError ? cause.field : undefined;
      const found = path === undefined ? undefined : fieldAt(path, initial, paths);
      if (cause instanceof ApiError && found)
        setError({ field: found.field, message: messageFor(found, cause) });
      else toast(cause instanceof Error ? cause.message : String(cause), true);
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
      element.current = event.currentTarget as HTMLFormElement;
      if (!isBusy) void submit();
    },
  };
}

/** Opens what folds the field away, scrolls to it, and gives it the focus. */
function leadTo(found: Element | RadioNodeList | null | undefined): void {
  const first = found instanceof RadioNodeList ? found[0] : found;
  if (!(first instanceof HTMLElement)) return;
  const control =
    first instanceof HTMLFieldSetElement
      ? first.querySelector<HTMLElement>('input, select, textarea, button')
      : first;
  for (let at = first.closest('details'); at; at = at.parentElement?.closest('details') ?? null)
    at.open = true;
  first.scrollIntoView({ block: 'center' });
  control?.focus({ preventScroll: true });
}
