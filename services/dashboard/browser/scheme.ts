/** Light or dark: as the system, until the user chooses. */
import { signal } from '@preact/signals';

export type Scheme = 'light' | 'dark' | 'system';

const STORED_AS = 'inlet-scheme';
const NEXT: Record<Scheme, Scheme> = { system: 'light', light: 'dark', dark: 'system' };

export const SCHEME_ICON = { system: 'display', light: 'sun', dark: 'moon' } as const;

export const scheme = signal<Scheme>('system');

export const nextScheme = (): void => void (scheme.value = NEXT[scheme.value]);

export function startScheme(): void {
  const stored = localStorage.getItem(STORED_AS);
  if (stored === 'light' || stored === 'dark') scheme.value = stored;
  scheme.subscribe((chosen) => {
    document.documentElement.dataset.scheme = chosen;
    if (chosen === 'system') localStorage.removeItem(STORED_AS);
    else localStorage.setItem(STORED_AS, chosen);
  });
}
