/**
 * The pages of docs/ under /docs/: without a token, and outside of all token limits. Alerts link to
 * them.
 */
import { join, posix } from 'node:path';
import type { Middleware, ParameterizedContext } from 'koa';

import { onFirstCall } from '../../adapters/async/first-call.ts';
import { AppError } from '../../core/error/app-error.ts';
import type { ApiState } from '../http/state/state.ts';
import { htmlAsset, respondWithAsset } from './asset.ts';
import { LLMS_TXT } from './docs-for-programs.ts';
import type { DocsSite } from './docs-pages.ts';
import { htmlPage } from './html-page.ts';

/** The docs of this version, next to services/ in the repository and in the image. */
export const DOCS_FOLDER = join(import.meta.dirname, '..', '..', '..', 'docs');

/** `publicApiUrl` of the chart ends with /v1: runbook links that are built from it work, too. */
const ROOTS = ['/docs', '/v1/docs'];
/** Label of metrics and logs: its values are bounded. */
const ROUTE = '/docs/*';

/** An SVG opened by itself is a document: it runs and loads nothing. */
const FILE_POLICY = "default-src 'none'; style-src 'unsafe-inline'; sandbox";

/** The first request renders all pages. Without one, the API does without them and the renderer. */
export const createDocsSite = (folder: string = DOCS_FOLDER): (() => Promise<DocsSite>) =>
  onFirstCall(async () => {
    const { renderDocsSite } = await import('./docs-pages.ts');
    return renderDocsSite(folder);
  });

export const serveDocs = (docsSite: () => Promise<DocsSite>): Middleware<ApiState> =>
  async function serveDocsPage(ctx, next) {
    const name = nameOf(ctx.path);
    if (name === undefined) return next();
    ctx.state.route = ROUTE;
    if (ctx.path === '/docs') return ctx.redirect('docs/'); // relative links need the slash
    if (ctx.path === `/${LLMS_TXT}`) return ctx.redirect(`docs/${LLMS_TXT}`);
    if (!['GET', 'HEAD'].includes(ctx.method)) {
      ctx.set('Allow', 'GET, HEAD');
      throw new AppError('method_not_allowed', 'This page takes GET, HEAD');
    }
    const { pages, files } = await docsSite();
    const file = files.get(name);
    if (file) return respondWithAsset(ctx, file, FILE_POLICY);
    if (pages.has(`${name}/`)) return ctx.redirect(`${posix.basename(name)}/`);
    const page = pages.get(name.replace(/\.html$/, '').replace(/^(README|index)$/, ''));
    if (page) return respondWithAsset(ctx, page);
    return respondNotFound(ctx);
  };

/** Undefined when the path is not one of this site. */
function nameOf(path: string): string | undefined {
  if (path === '/docs') return '';
  if (path === `/${LLMS_TXT}`) return LLMS_TXT;
  const root = ROOTS.find((one) => path.startsWith(`${one}/`));
  return root && path.slice(root.length + 1);
}

async function respondNotFound(ctx: ParameterizedContext<ApiState>): Promise<void> {
  const root = `${ROOTS.find((one) => ctx.path.startsWith(one)) ?? '/docs'}/`;
  const main = `<h1>Page not found</h1>\n<p>See the <a href="${root}">list of all pages</a>.</p>`;
  await respondWithAsset(ctx, htmlAsset(htmlPage({ title: 'Page not found', root, main })));
  ctx.status = 404;
}
