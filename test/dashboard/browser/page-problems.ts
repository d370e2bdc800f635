/** What is wrong with a page: violations of axe, jumps of its layout, and overflow. */
import axe from 'axe-core';
import { expect } from 'vitest';
import type { Page } from 'playwright-core';

const PHONE_PX = 390;
export const WIDTHS = [1280, PHONE_PX];
export const SCHEMES = ['light', 'dark'] as const;
/** Problems that depend on the color scheme: the style sheets choose only colors by it. */
const COLOR_RULES = ['color-contrast', 'link-in-text-block'];
const LAYOUT_SHIFT_MAX = 0.1;

/** Waits until the data is there, and nothing loads any more. */
export async function settled(page: Page): Promise<void> {
  await page.locator('main h1, main h2').first().waitFor();
  await expect.poll(() => page.locator('.skeleton').count()).toBe(0);
  await page.waitForTimeout(100);
}

/**
 * All problems in the first color scheme, and those of colors in the other one. A phone has the colors of
 * wider screens.
 * @param picture writes a picture of the page, if there is one for the color scheme
 */
export async function problemsInBothSchemes(
  page: Page,
  picture: (scheme: string) => string | undefined = () => undefined,
): Promise<string[]> {
  const found: string[] = [];
  const isPhone = page.viewportSize()?.width === PHONE_PX;
  for (const colorScheme of SCHEMES) {
    await page.emulateMedia({ colorScheme });
    const path = picture(colorScheme);
    if (path !== undefined) await page.screenshot({ path });
    const isFirst = colorScheme === SCHEMES[0];
    if (isPhone && !isFirst) continue;
    const rules = isFirst ? undefined : COLOR_RULES;
    found.push(...(await problemsOf(page, rules)).map((problem) => `${colorScheme}: ${problem}`));
  }
  return found;
}

/** The same for a wide page, and then whether it is wider than the screen of a phone. */
export async function problemsAtAllWidths(page: Page): Promise<string[]> {
  const found = await problemsInBothSchemes(page);
  const wide = page.viewportSize();
  await page.setViewportSize({ width: PHONE_PX, height: wide?.height ?? 900 });
  const overflowPx = (await page.evaluate(OVERFLOW_PX)) as number;
  if (wide) await page.setViewportSize(wide);
  return overflowPx > 0 ? [...found, `${overflowPx} px wider than a phone`] : found;
}

/**
 * Violations of axe, and what is wider than the screen.
 * @param rules all of axe by default
 */
async function problemsOf(page: Page, rules?: string[]): Promise<string[]> {
  if (!(await page.evaluate('"axe" in globalThis'))) await page.evaluate(axe.source);
  const { violations, overflowPx } = (await page.evaluate(checkOf(rules))) as Checked;
  return [
    ...violations.map(
      ({ id, nodes }) => `${id}: ${nodes[0]?.html} ${nodes[0]?.failureSummary ?? ''}`,
    ),
    ...(overflowPx > 0 ? [`${overflowPx} px wider than the screen`] : []),
  ];
}

/** Layout shifts since the page was loaded, without those that follow an input. */
export async function jumpsOf(page: Page): Promise<string[]> {
  const { shift, moved } = (await page.evaluate(LAYOUT_SHIFT)) as LayoutShift;
  return shift > LAYOUT_SHIFT_MAX
    ? [`layout shift of ${shift.toFixed(3)} by ${moved.join(', ')}`]
    : [];
}

type Checked = {
  violations: { id: string; nodes: { html: string; failureSummary?: string }[] }[];
  overflowPx: number;
};

const OVERFLOW_PX = 'document.documentElement.scrollWidth - document.documentElement.clientWidth';

/** The sum of the shifts, and the elements that moved, for the message. */
type LayoutShift = { shift: number; moved: string[] };

const checkOf = (rules?: string[]) => `
  axe.run(${JSON.stringify({ resultTypes: ['violations'], runOnly: rules })}).then(({ violations }) => ({
    violations,
    overflowPx: ${OVERFLOW_PX},
  }));
`;

const LAYOUT_SHIFT = `
  new Promise((resolve) => {
    const seen = [];
    const observer = new PerformanceObserver((list) => seen.push(...list.getEntries()));
    observer.observe({ type: 'layout-shift', buffered: true });
    setTimeout(() => {
      const shifts = [...seen, ...observer.takeRecords()].filter((one) => !one.hadRecentInput);
      const name = ({ node }) => node?.nodeName + '.' + node?.className;
      resolve({
        shift: shifts.reduce((sum, { value }) => sum + value, 0),
        moved: shifts.flatMap(({ sources }) => sources.map((source) =>
          name(source) + ' from y ' + source.previousRect.y + ' to ' + source.currentRect.y)),
      });
    }, 50);
  });
`;
