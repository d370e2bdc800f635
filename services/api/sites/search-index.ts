/** The index that the search of the docs loads: every section of every page, as text. */
import type { RenderedPage } from './markdown.ts';

type IndexedPage = {
  path: string;
  title: string;
  sections: (readonly [id: string, title: string, text: string])[];
};

const HEADING = /<h[1-6] id="([^"]+)">([\s\S]*?)(?: <a class="anchor"[^>]*>#<\/a>)?<\/h[1-6]>/g;

/** As JSON. The first section of a page is the text below its title, and has no name. */
export const searchIndex = (
  pages: ReadonlyMap<string, Pick<RenderedPage, 'title' | 'html'>>,
): string =>
  JSON.stringify(
    [...pages].map(([name, { title, html }]): IndexedPage => {
      const headings = [...html.matchAll(HEADING)];
      const sections = headings.map(({ index, 0: whole, 1: id = '', 2: heading = '' }, i) => {
        const text = textOf(html.slice(index + whole.length, headings[i + 1]?.index));
        return i === 0 ? (['', '', text] as const) : ([id, textOf(heading), text] as const);
      });
      return { path: name.replace(/(^|\/)README$/, '$1'), title, sections };
    }),
  );

const textOf = (html: string): string =>
  html
    .replaceAll(/<[^>]*>/g, (tag) => (/^<\/?(code|a|b|strong|em)\b/.test(tag) ? '' : ' '))
    .replaceAll(/&#(\d+);/g, (_, code: string) => String.fromCodePoint(Number(code)))
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&amp;', '&')
    .replaceAll(/\s+/g, ' ')
    .trim();
