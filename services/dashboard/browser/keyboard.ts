/** Keyboard shortcuts: single keys outside of fields, and Cmd-K or Ctrl-K everywhere. */
import { signal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';

type Shortcut = { key: string; label: string; run: () => void };

/** The shortcuts of the present screen, in the order of their registration. The sheet shows them. */
export const shortcuts = signal<readonly Shortcut[]>([]);
export const isPaletteOpen = signal(false);
export const isSheetOpen = signal(false);

/** @param run undefined while the shortcut does not apply */
export function useShortcut(key: string, label: string, run: (() => void) | undefined): void {
  const latest = useRef(run);
  latest.current = run;
  const isActive = run !== undefined;
  useEffect(() => {
    if (!isActive) return undefined;
    const own: Shortcut = { key, label, run: () => latest.current?.() };
    shortcuts.value = [...shortcuts.value, own];
    return () => void (shortcuts.value = shortcuts.value.filter((one) => one !== own));
  }, [key, label, isActive]);
}

export function startKeyboard(): void {
  let prefix = ''; // `g` begins a sequence of two keys
  addEventListener('keydown', (event) => {
    if (event.key.toLowerCase() === 'k' && (event.metaKey || event.ctrlKey)) {
      event.preventDefault();
      isPaletteOpen.value = !isPaletteOpen.value;
      return;
    }
    if (event.metaKey || event.ctrlKey || event.altKey || isTyping(event.target)) return;
    if (document.querySelector('dialog[open]')) return;
    if (event.key === '?') {
      isSheetOpen.value = true;
      return;
    }
    const pressed = `${prefix}${event.key}`;
    prefix = '';
    const found = shortcuts.value.findLast(({ key }) => key === pressed);
    if (!found) {
      if (event.key === 'g') prefix = 'g ';
      return;
    }
    event.preventDefault();
    found.run();
  });
}

const isTyping = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement &&
  (target.isContentEditable || ['INPUT', 'TEXTAREA', 'SELECT'].includes(target.tagName));

/** `j` and `k`: moves the focus between the rows of a list that have a link or a button. */
export function moveRow(step: 1 | -1): void {
  const rows = [...document.querySelectorAll('[data-row]:has(a, button, summary)')].filter((row) =>
    row.checkVisibility(),
  );
  const at = rows.findLastIndex((row) => row.contains(document.activeElement));
  const next = at === -1 ? 0 : Math.min(Math.max(at + step, 0), rows.length - 1);
  const first = rows[next]?.querySelector<HTMLElement>('a, button, summary');
  first?.focus();
  first?.scrollIntoView({ block: 'nearest' });
}

/** `o`: follows the link of the row that has the focus. */
export const openRow = (): void =>
  document.activeElement?.closest('[data-row]')?.querySelector('a')?.click();
