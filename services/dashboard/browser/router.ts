/** The address bar: the screen is its path below /dashboard, filters are its query. */
import { signal } from '@preact/signals';

import { rememberView, restoreView } from './views.ts';

type ScreenUrl = { path: string; query: URLSearchParams };

/** What a screen gets: the values of `{name}` in its path. */
/** `title` is that of the screen; its data may have a better one. */
export type ScreenProps = { title: string; params: Record<string, string> };

const ROOT = '/dashboard';

const read = (): ScreenUrl => ({
  path: location.pathname.slice(ROOT.length).replace(/\/$/, '') || '/',
  query: new URLSearchParams(location.search),
});

export const screenUrl = signal<ScreenUrl>(read());

/** The query that each screen had when it was left, by path. */
const queriesLeft = new Map<string, string>();
/** Whether something on the page would be lost, and a question that lets the user stay. */
let isUnsaved = (): boolean => false;
let mayLeave = (): Promise<boolean> => Promise.resolve(true);

export function askBeforeLeaving(unsaved: () => boolean, ask: () => Promise<boolean>): void {
  isUnsaved = unsaved;
  mayLeave = ask;
  addEventListener('beforeunload', (event) => {
    if (isUnsaved()) event.preventDefault();
  });
}

export function startRouter(): void {
  history.scrollRestoration = 'manual';
  addEventListener('popstate', () => void follow());
}

/** Back and forward. The browser has changed the URL already: it gets the former one to ask. */
async function follow(): Promise<void> {
  const former = toOf(screenUrl.value);
  const next = toOf(read());
  if (isUnsaved() && read().path !== screenUrl.value.path) {
    history.pushState(null, '', hrefOf(former));
    if (!(await mayLeave())) return;
    history.pushState(null, '', hrefOf(next));
  }
  leave();
  screenUrl.value = read();
  restoreView(next);
}

/** @param to below /dashboard, such as `/mail?status=failed` */
export const hrefOf = (to: string): string => `${ROOT}${to === '/' ? '/' : to}`;

const toOf = ({ path, query }: ScreenUrl): string => `${path}${query.size > 0 ? `?${query}` : ''}`;

/** Opens a screen at its top. */
export const go = (to: string): void => void goTo(to, () => scrollTo(0, 0));

/** Opens a screen at its top in place of this one: Back leads to what was before. */
export const replaceBy = (to: string): void => void goTo(to, () => scrollTo(0, 0), 'replaceState');

/** Opens a screen as it was left: the same filters and page, the same row. */
export function goBackTo(path: string): void {
  const to = urlLeft(path);
  void goTo(to, () => restoreView(to));
}

/** A screen with the query that it had when it was left. */
export const urlLeft = (path: string): string => path + (queriesLeft.get(path) ?? '');

/** The list that the user goes back to now shows another page. */
export const changeLeft = (path: string, query: URLSearchParams): void =>
  void queriesLeft.set(path, query.size > 0 ? `?${query}` : '');

async function goTo(
  to: string,
  then: () => void,
  change: 'pushState' | 'replaceState' = 'pushState',
): Promise<void> {
  if (isUnsaved() && !(await mayLeave())) return;
  leave();
  history[change](null, '', hrefOf(to));
  screenUrl.value = read();
  then();
}

function leave(): void {
  const { path, query } = screenUrl.value;
  changeLeft(path, query);
  rememberView(toOf(screenUrl.value));
}

/**
 * Changes fields of the query. An empty value removes one. Any change except of the page leads to
 * the first page.
 */
export function setQuery(changes: Record<string, string | undefined>): void {
  const query = new URLSearchParams(screenUrl.value.query);
  if (!('page' in changes)) query.delete('page');
  for (const [name, value] of Object.entries(changes))
    if (value) query.set(name, value);
    else query.delete(name);
  const { path } = screenUrl.value;
  history.pushState(null, '', hrefOf(toOf({ path, query })));
  screenUrl.value = read();
}

/** The values of `{name}` in a pattern such as `/mail/{event_id}`; undefined when it does not match. */
export function match(pattern: string, path: string): Record<string, string> | undefined {
  const names = [...pattern.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name);
  const found = new RegExp(`^${pattern.replaceAll(/\{\w+\}/g, '([^/]+)')}$`).exec(path);
  if (!found) return undefined;
  return Object.fromEntries(names.map((name, n) => [name, decoded(found[n + 1] ?? '')]));
}

/** A damaged link names nothing that exists. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
