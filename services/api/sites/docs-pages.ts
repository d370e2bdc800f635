/** The pages of docs/ as HTML: each page, the list of all pages, and one list for each folder. */
import { readdir, readFile } from 'node:fs/promises';
import { extname, join, posix } from 'node:path';

import { etagOf } from '../http/output/etag.ts';
import { docsForPrograms } from './docs-for-programs.ts';
import { type Asset, escapeHtml, htmlAsset, htmlPage } from './html-page.ts';
import { renderMarkdown, type RenderedPage } from './markdown.ts';

/**
 * Pages by their path below the root without its extension, such as `runbooks/InletMailRefused`; their
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
  '.ts': TEXT,
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.webp': 'image/webp',
};
const CONTENTS_FROM_SECTIONS = 4;

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
  const files = docsForPrograms(sources, rendered);
  for (const path of paths.filter((one) => /^(images|examples)\//.test(one))) {
    const type = FILE_TYPES[extname(path)];
    if (type === undefined) continue;
    const body = await readFile(join(folder, path));
    files.set(path, { type, body, etag: etagOf(body) });
  }
  const pages = new Map(
    [...rendered].map(([name, page]) => [name, htmlAsset(pageHtml(name, page))]),
  );
  pages.set('', htmlAsset(indexHtml(rendered)));
  for (const [name, inFolder] of foldersOf(rendered))
    if (name !== '') pages.set(`${name}/`, htmlAsset(folderPage(name, inFolder)));
  return { pages, files };
}

function pageHtml(name: string, { title, html, sections }: RenderedPage): string {
  const up = '../'.repeat(name.split('/').length - 1) || './';
  const contents = sections.map((one) => `<li><a href="#${one.id}">${escapeHtml(one.title)}</a>`);
  return htmlPage(
    `${title} – Inlet`,
    `<p class="path"><a href="${up}">Inlet documentation</a></p>\n` +
      (sections.length >= CONTENTS_FROM_SECTIONS
        ? `<nav class="contents" aria-label="Contents"><ul>${contents.join('')}</ul></nav>\n`
        : '') +
      `<main>\n${html}</main>`,
    sourceLink(`${posix.basename(name)}.md`),
  );
}

const sourceLink = (href: string) =>
  `<link rel="alternate" type="text/markdown" href="${encodeURI(href)}">`;

/** docs/README.md where there is one, then every page by its title, folder by folder. */
function indexHtml(pages: ReadonlyMap<string, RenderedPage>): string {
  const lists = foldersOf(pages).map(([folder, inFolder]) => {
    const heading = folder === '' ? '' : `<h2>${escapeHtml(titleOf(folder))}</h2>\n`;
    return heading + listHtml(inFolder);
  });
  const reference = '<p><a href="/v1/docs">API reference</a></p>';
  const start = pages.get('README')?.html ?? '<h1>Inlet documentation</h1>';
  return htmlPage(
    'Inlet documentation',
    `<main>\n${start}\n${lists.join('\n')}\n${reference}\n</main>`,
    sourceLink('README.md'),
  );
}

type NamedPage = readonly [name: string, page: RenderedPage];

/** The README.md of the folder where there is one. */
function folderPage(folder: string, inFolder: readonly NamedPage[]): string {
  const readme = `${folder}/README`;
  const page = inFolder.find(([name]) => name === readme)?.[1];
  return page ? pageHtml(readme, page) : folderHtml(folder, inFolder);
}

const folderHtml = (folder: string, inFolder: readonly NamedPage[]): string =>
  htmlPage(
    `${titleOf(folder)} – Inlet`,
    `<p class="path"><a href="${'../'.repeat(folder.split('/').length)}">Inlet documentation</a></p>\n` +
      `<main>\n<h1>${escapeHtml(titleOf(folder))}</h1>\n` +
      `${listHtml(inFolder.map(([name, page]) => [posix.basename(name), page]))}\n</main>`,
  );

const foldersOf = (pages: ReadonlyMap<string, RenderedPage>): [string, NamedPage[]][] =>
  Object.entries(
    Object.groupBy(
      [...pages].filter(([name]) => name !== 'README'),
      ([name]) => (name.includes('/') ? posix.dirname(name) : ''),
    ),
  ).map(([folder, inFolder = []]) => [folder, inFolder]);

const listHtml = (pages: readonly NamedPage[]): string => {
  const items = pages.map(
    ([name, { title }]) => `<li><a href="${encodeURI(name)}">${escapeHtml(title)}</a>`,
  );
  return `<ul>${items.join('\n')}</ul>`;
};

const titleOf = (folder: string) => folder.charAt(0).toUpperCase() + folder.slice(1);
