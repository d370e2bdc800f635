/** Short reports of what an action did. Screen readers read them, and they disappear by themselves. */
import { signal } from '@preact/signals';

import { Icon } from './icon.tsx';

type Toast = { id: number; text: string; isBad: boolean };

const SHOWN_MS = 6_000;

const toasts = signal<readonly Toast[]>([]);
let nextId = 0;

export function toast(text: string, isBad = false): void {
  const shown: Toast = { id: nextId++, text, isBad };
  toasts.value = [...toasts.value, shown];
  setTimeout(() => void (toasts.value = toasts.value.filter((one) => one !== shown)), SHOWN_MS);
}

/** Runs an action and reports its failure. @returns whether it succeeded */
export async function reporting(
  action: () => Promise<unknown>,
  success?: string,
): Promise<boolean> {
  try {
    await action();
    if (success !== undefined) toast(success);
    return true;
  } catch (error) {
    toast(error instanceof Error ? error.message : String(error), true);
    return false;
  }
}

export const Toasts = () => (
  <div class="toasts" role="status" aria-live="polite">
    {toasts.value.map(({ id, text, isBad }) => (
      <p key={id} class={isBad ? 'toast toast-bad' : 'toast'}>
        <Icon name={isBad ? 'warning' : 'check'} />
        {text}
      </p>
    ))}
  </div>
);
