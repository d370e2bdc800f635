/** The pages of docs/ as HTML, with their sources, images, examples and the index of the search. */
import { readdir, readFile } from 'node:fs/promises';
import { extname, join, posix } from 'node:path';

import { type Asset, assetOf, htmlAsset } from './asset.ts';
import { docsForPrograms } from './docs-for-programs.ts';
import { folderTitle, navigationOf, sidebarHtml, turnHtml } from './docs-navigation.ts';
import { escapeHtml, htmlPage, readPageFiles } from './html-page.ts';
import { renderMarkdown, type RenderedPage } from './markdown.ts';
import { searchIndex } from './search-index.ts';

/**
 * Pages by their path below the root without its extension, such as `runbooks/InletMailDeferred`; their
 * sources, images and examples of programs with it, such as `images/overview.svg`.
 */
export type DocsSite = { pages: ReadonlyMap<string, Asset>; files: ReadonlyMap<string, Asset> };

const TEXT = 'text/plain; charset=utf-8';
const FILE_TYPES: Record<string, string> = {
  '.mjs': TEXT,
  '.py': TEXT,
  '.go': TEXT,
  '.php': TEXT,
  '.ru': TEXT,
  '.java': TEXT,
  '.ts': TEXT,
  '.yaml': TEXT,
  '.service': TEXT,
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.webp': 'image/webp',
};
const CONTENTS_FROM_SECTIONS = 3;

/** Reads and renders everything. A folder that does not exist has no pages. */
export async function renderDocsSite(folder: string): Promise<DocsSite> {
  const names = await readdir(folder, { recursive: true }).catch(() => []);
  const paths = names.map((name) => name.replaceAll('\\', '/')).toSorted();
  const sources = new Map<string, string>();
  for (const path of paths.filter((one) => one.endsWith('.md')))
    sources.set(path.replace(/\.md$/, ''), await readFile(join(folder, path), 'utf8'));
  const rendered = new Map(
    [...sources].map(([name, source]) => [name, renderMarkdown(source, `${name}.md`)] as const),
  );
  const files = new Map([...(await readPageFiles()), ...docsForPrograms(sources, rendered)]);
  files.set('search.json', assetOf('application/json; charset=utf-8', searchIndex(rendered)));
  for (const path of paths.filter((one) => /^(images|examples)\//.test(one))) {
    const type = FILE_TYPES[extname(path)];
    if (type !== undefined) files.set(path, assetOf(type, await readFile(join(folder, path))));
  }
  const pageHtml = createPageHtml(sources.get('README') ?? '', rendered);
  const pages = new Map(
    [...rendered].map(([name, page]) => [name, htmlAsset(pageHtml(name, page))]),
  );
  pages.set('', pages.get('README') ?? htmlAsset(pageHtml('README', listOf('', rendered))));
  for (const folderName of new Set([...rendered.keys()].map((name) => posix.dirname(name)))) {
    const readme = `${folderName}/README`;
    const page = rendered.get(readme) ?? listOf(folderName, rendered);
    if (folderName !== '.') pages.set(`${folderName}/`, htmlAsset(pageHtml(readme, page)));
  }
  return { pages, files };
}

/** @param readme source of docs/README.md, which orders the pages */
function createPageHtml(
  readme: string,
  pages: ReadonlyMap<string, RenderedPage>,
): (name: string, page: RenderedPage) => string {
  const groups = navigationOf(readme, pages);
  return function pageHtml(name, { title, html, sections }) {
    const root = '../'.repeat(name.split('/').length - 1) || './';
    const source = `${encodeURI(posix.basename(name))}.md`;
    const hasSource = pages.has(name);
    const items = sections.map((one) => `<li><a href="#${one.id}">${escapeHtml(one.title)}</a>`);
    const contents = items.length < CONTENTS_FROM_SECTIONS ? '' : `<ul>${items.join('')}</ul>`;
    return htmlPage({
      title: name === 'README' ? title : `${title} – Inlet`,
      root,
      head: hasSource ? `\n<link rel="alternate" type="text/markdown" href="${source}">` : '',
      sidebar: sidebarHtml(groups, pages, root, name),
      contents:
        contents &&
        `<nav class="contents" aria-labelledby="on-this-page"><h2 id="on-this-page">On this page</h2>` +
          `${contents}</nav>`,
      main:
        `${withFolded(html, contents)}${turnHtml(groups, pages, root, name)}\n` +
        (hasSource ? `<footer><a href="${source}">This page as Markdown</a></footer>` : ''),
    });
  };
}

/** Below the title, for screens that have no room beside the text. */
const withFolded = (html: string, contents: string): string =>
  contents === ''
    ? html
    : html.replace(
        '</h1>',
        () => `</h1>\n<details class="folded"><summary>On this page</summary>${contents}</details>`,
      );

/** A folder without README.md. */
function listOf(folder: string, pages: ReadonlyMap<string, RenderedPage>): RenderedPage {
  const title = folder === '' ? 'Inlet documentation' : folderTitle(folder);
  const items = [...pages]
    .filter(([name]) => folder === '' || posix.dirname(name) === folder)
    .map(([name, page]) => {
      const href = encodeURI(folder === '' ? name : posix.basename(name));
      return `<li><a href="${href}">${escapeHtml(page.title)}</a>`;
    });
  const html = `<h1>${escapeHtml(title)}</h1>\n<ul>${items.join('\n')}</ul>`;
  return { title, html, sections: [] };
}
