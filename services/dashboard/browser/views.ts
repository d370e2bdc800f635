/** How far a screen was scrolled when the user left it, and which row was opened. */
type View = { top: number; row: string | null };

/** A screen that loads its data needs a moment until it is as long as before. */
const RESTORE_MAX_MS = 3_000;
const VIEWS_MAX = 50;

/** By path and query. */
const views = new Map<string, View>();
let stopRestoring = (): void => undefined;

export function rememberView(to: string): void {
  const row = document.activeElement?.closest('[data-row]')?.querySelector('a');
  views.delete(to);
  views.set(to, { top: scrollY, row: row?.getAttribute('href') ?? null });
  const [oldest] = views.keys();
  if (views.size > VIEWS_MAX && oldest !== undefined) views.delete(oldest);
}

/** The row that is in focus when the user comes back. @param row its link */
export function changeRow(to: string, row: string): void {
  views.set(to, { top: views.get(to)?.top ?? 0, row });
}

/** Scrolls to where the screen was, and focuses the row, as soon as both are there. */
export function restoreView(to: string): void {
  stopRestoring();
  const view = views.get(to);
  if (view === undefined) return scrollTo(0, 0);
  const { top, row } = view;
  const untilMs = performance.now() + RESTORE_MAX_MS;
  const tick = () => {
    const link =
      row && document.querySelector<HTMLElement>(`[data-row] a[href="${CSS.escape(row)}"]`);
    const isThere = document.documentElement.scrollHeight - innerHeight >= top;
    if (isThere && (row === null || link)) {
      scrollTo(0, top);
      if (link) {
        link.focus({ preventScroll: true });
        link.scrollIntoView({ block: 'nearest' });
      }
      return stopRestoring();
    }
    if (performance.now() > untilMs) return stopRestoring();
    frame = requestAnimationFrame(tick);
  };
  let frame = requestAnimationFrame(tick);
  const stops = new AbortController();
  stopRestoring = () => {
    cancelAnimationFrame(frame);
    stops.abort();
    stopRestoring = () => undefined;
  };
  for (const input of ['wheel', 'touchmove', 'keydown', 'pointerdown'])
    addEventListener(input, () => stopRestoring(), { signal: stops.signal, passive: true });
}
