/**
 * Serves the bundled dashboard under /dashboard/: compressed copies, caching, and the policy that
 * lets the page run only its own script. `/` leads to it.
 */
import { readdir, readFile } from 'node:fs/promises';
import { extname, join } from 'node:path';
import type { Middleware, ParameterizedContext } from 'koa';

import { AppError } from '../../core/error/app-error.ts';
import { etagOf, isNotModified } from '../http/output/etag.ts';
import type { ApiState } from '../http/state/state.ts';

type Encoding = 'br' | 'gzip' | 'identity';
type DashboardFile = { type: string; etag: string; bodies: Record<Encoding, Buffer> };
/** By path below /dashboard/, such as `assets/app-X2Y4.js`. */
export type DashboardSite = ReadonlyMap<string, DashboardFile>;

/** The place of the bundle in the image: next to services/. */
const BUNDLE_FOLDER = join(import.meta.dirname, '..', '..', '..', 'dashboard');

const ROOT = '/dashboard';
/** Label of metrics and logs: its values are bounded. */
const ROUTE = '/dashboard/*';
const PAGE = 'index.html';

const TYPES: Record<string, string> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
};

/** Nothing but its own script and style runs, no string becomes HTML, and no other page frames it. */
const DASHBOARD_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "frame-src 'self'",
  "base-uri 'none'",
  "form-action 'self'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'", // W3C Trusted Types
  "trusted-types 'none'",
].join('; ');

const ONE_YEAR_SECONDS = 31_536_000;

/** Reads everything once. Undefined when the folder has no bundle. */
export async function readDashboardSite(
  folder: string = BUNDLE_FOLDER,
): Promise<DashboardSite | undefined> {
  const names = await readdir(folder, { recursive: true }).catch(() => []);
  const paths = names.map((name) => name.replaceAll('\\', '/'));
  if (!paths.includes(PAGE)) return undefined;
  const files = paths
    .filter((path) => TYPES[extname(path)] !== undefined)
    .map(async (path) => {
      const [identity, br, gzip] = await Promise.all(
        ['', '.br', '.gz'].map((ending) => readFile(join(folder, `${path}${ending}`))),
      );
      if (!identity || !br || !gzip) throw new Error(`${path} has no compressed copies`);
      const type = TYPES[extname(path)] ?? '';
      return [path, { type, etag: etagOf(identity), bodies: { identity, br, gzip } }] as const;
    });
  return new Map(await Promise.all(files));
}

export const serveDashboard = (site: DashboardSite | undefined): Middleware<ApiState> =>
  async function serveDashboardFile(ctx, next) {
    const isRoot = ctx.path === '/';
    if (!isRoot && ctx.path !== ROOT && !ctx.path.startsWith(`${ROOT}/`)) return next();
    ctx.state.route = isRoot ? '/' : ROUTE;
    ctx.set('Content-Security-Policy', DASHBOARD_POLICY);
    if (!['GET', 'HEAD'].includes(ctx.method)) {
      ctx.set('Allow', 'GET, HEAD');
      throw new AppError('method_not_allowed', 'This page takes GET, HEAD');
    }
    if (isRoot) return ctx.redirect(site ? `${ROOT}/` : '/docs/');
    if (!site) throw new AppError('not_found', 'This installation does not serve the dashboard');
    if (ctx.path === ROOT) return ctx.redirect(`${ROOT}/`);
    const name = ctx.path.slice(ROOT.length + 1);
    const file = site.get(name);
    if (file && name !== PAGE) return respondWithFile(ctx, file, true);
    if (name.startsWith('assets/')) throw new AppError('not_found', 'There is no such file');
    const page = site.get(PAGE); // every other path is a screen: the script reads it
    return page && respondWithFile(ctx, page, false);
  };

function respondWithFile(
  ctx: ParameterizedContext<ApiState>,
  { type, etag, bodies }: DashboardFile,
  isHashed: boolean,
): void {
  ctx.set('Content-Type', type);
  ctx.set(
    'Cache-Control',
    isHashed ? `public, max-age=${ONE_YEAR_SECONDS}, immutable` : 'no-cache',
  );
  ctx.vary('Accept-Encoding');
  const encoding = ctx.acceptsEncodings('br', 'gzip', 'identity') || 'identity';
  if (encoding !== 'identity') ctx.set('Content-Encoding', encoding);
  const isCurrent = isNotModified(ctx, etag.replace(/"$/, `-${encoding}"`)); // RFC 9110 §8.8.3.3
  if (!isCurrent) ctx.body = bodies[encoding as Encoding];
}
