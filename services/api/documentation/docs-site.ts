/**
 * The pages of docs/ under /docs/: without a token, and outside of all token limits. Alerts link to
 * them.
 */
import { readdir, readFile } from 'node:fs/promises';
import { extname, join, posix } from 'node:path';
import type { Middleware, ParameterizedContext } from 'koa';

import { AppError } from '../../core/app-error.ts';
import { etagOf } from '../http/etag.ts';
import type { ApiState } from '../http/state.ts';
import { type Asset, escapeHtml, htmlPage, respondWithAsset } from './html-page.ts';
import { renderMarkdown, type RenderedPage } from './markdown.ts';

/**
 * Pages by their path below the root without its extension, such as `runbooks/InletMailRefused`; images and
 * examples of programs with it, such as `images/overview.svg`.
 */
export type DocsSite = { pages: ReadonlyMap<string, Asset>; files: ReadonlyMap<string, Asset> };

/** The docs of this version, next to services/ in the repository and in the image. */
export const DOCS_FOLDER = join(import.meta.dirname, '..', '..', '..', 'docs');

/** `publicApiUrl` of the chart ends with /v1: runbook links that are built from it work, too. */
const ROOTS = ['/docs', '/v1/docs'];
/** Label of metrics and logs: its values are bounded. */
const ROUTE = '/docs/*';

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
/** An SVG opened by itself is a document: it runs and loads nothing. */
const FILE_POLICY = "default-src 'none'; style-src 'unsafe-inline'; sandbox";

const CONTENTS_FROM_SECTIONS = 4;

/** Reads and renders everything once. A folder that does not exist has no pages. */
export async function readDocsSite(folder: string = DOCS_FOLDER): Promise<DocsSite> {
  const names = await readdir(folder, { recursive: true }).catch(() => []);
  const paths = names.map((name) => name.replaceAll('\\', '/')).toSorted();
  const rendered = new Map<string, RenderedPage>();
  for (const path of paths.filter((one) => one.endsWith('.md')))
    rendered.set(
      path.replace(/\.md$/, ''),
      renderMarkdown(await readFile(join(folder, path), 'utf8'), path),
    );
  const files = new Map<string, Asset>();
  for (const path of paths.filter((one) => /^(images|examples)\//.test(one))) {
    const type = FILE_TYPES[extname(path)];
    if (type === undefined) continue;
    const body = await readFile(join(folder, path));
    files.set(path, { type, body, etag: etagOf(body) });
  }
  const pages = new Map([...rendered].map(([name, page]) => [name, assetOf(pageHtml(name, page))]));
  pages.set('', assetOf(indexHtml(rendered)));
  for (const [name, inFolder] of foldersOf(rendered))
    if (name !== '') pages.set(`${name}/`, assetOf(folderPage(name, inFolder)));
  return { pages, files };
}

export const serveDocs = ({ pages, files }: DocsSite): Middleware<ApiState> =>
  async function serveDocsPage(ctx, next) {
    const name = nameOf(ctx.path);
    if (name === undefined) return next();
    ctx.state.route = ROUTE;
    if (ctx.path === '/docs') return ctx.redirect('docs/'); // relative links need the slash
    if (!['GET', 'HEAD'].includes(ctx.method)) {
      ctx.set('Allow', 'GET, HEAD');
      throw new AppError('method_not_allowed', 'This page takes GET, HEAD');
    }
    const file = files.get(name);
    if (file) return respondWithAsset(ctx, file, FILE_POLICY);
    if (pages.has(`${name}/`)) return ctx.redirect(`${posix.basename(name)}/`);
    const page = pages.get(name.replace(/\.(md|html)$/, '').replace(/^(README|index)$/, ''));
    if (page) return respondWithAsset(ctx, page);
    return respondNotFound(ctx);
  };

/** Undefined when the path is not one of this site. */
function nameOf(path: string): string | undefined {
  if (path === '/docs') return '';
  const root = ROOTS.find((one) => path.startsWith(`${one}/`));
  return root && path.slice(root.length + 1);
}

function respondNotFound(ctx: ParameterizedContext<ApiState>): void {
  const root = ROOTS.find((one) => ctx.path.startsWith(one)) ?? '/docs';
  const main = `<h1>Page not found</h1>\n<p>See the <a href="${root}/">list of all pages</a>.</p>`;
  respondWithAsset(ctx, assetOf(htmlPage('Page not found', main)));
  ctx.status = 404;
}

const assetOf = (html: string): Asset => ({
  type: 'text/html; charset=utf-8',
  body: html,
  etag: etagOf(html),
});

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
  );
}

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
