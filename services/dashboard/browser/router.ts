/** The address bar: the screen is its path below /dashboard, filters are its query. */
import { signal } from '@preact/signals';

export type Place = { path: string; query: URLSearchParams };

/** What a screen gets: the values of `{name}` in its path. */
export type ScreenProps = { params: Record<string, string> };

const ROOT = '/dashboard';

const read = (): Place => ({
  path: location.pathname.slice(ROOT.length).replace(/\/$/, '') || '/',
  query: new URLSearchParams(location.search),
});

export const place = signal<Place>(read());

export function startRouter(): void {
  addEventListener('popstate', () => void (place.value = read()));
}

/** @param to below /dashboard, such as `/mail?status=failed` */
export const hrefOf = (to: string): string => `${ROOT}${to === '/' ? '/' : to}`;

export function go(to: string): void {
  history.pushState(null, '', hrefOf(to));
  place.value = read();
  scrollTo(0, 0);
}

/**
 * Changes fields of the query. An empty value removes one. Any change except of the page leads to
 * the first page.
 */
export function setQuery(changes: Record<string, string | undefined>): void {
  const query = new URLSearchParams(place.value.query);
  if (!('page' in changes)) query.delete('page');
  for (const [name, value] of Object.entries(changes))
    if (value) query.set(name, value);
    else query.delete(name);
  const { path } = place.value;
  history.pushState(null, '', hrefOf(`${path}${query.size > 0 ? `?${query}` : ''}`));
  place.value = read();
}

/** The values of `{name}` in a pattern such as `/mail/{event_id}`; undefined when it does not match. */
export function match(pattern: string, path: string): Record<string, string> | undefined {
  const names = [...pattern.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name);
  const found = new RegExp(`^${pattern.replaceAll(/\{\w+\}/g, '([^/]+)')}$`).exec(path);
  if (!found) return undefined;
  return Object.fromEntries(names.map((name, n) => [name, decodeURIComponent(found[n + 1] ?? '')]));
}
