/** The text typed into a field whose value is elsewhere, such as in the URL. */
import { useLayoutEffect, useState } from 'preact/hooks';

/**
 * The text of the field. It survives other changes of the page, such as live events, and follows
 * the value when that changes.
 */
export function useDraft(value: string): [text: string, setText: (text: string) => void] {
  const [text, setText] = useState(value);
  useLayoutEffect(() => setText(value), [value]); // a later effect would remove text typed since
  return [text, setText];
}
