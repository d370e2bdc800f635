/** A page or file that the API serves: compressed, and not sent again to a client that has it. */
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import type { ParameterizedContext } from 'koa';

import { etagOf, isNotModified } from '../http/output/etag.ts';
import type { ApiState } from '../http/state/state.ts';

export type Asset = { type: string; body: string | Buffer; etag: string };

export const assetOf = (type: string, body: string | Buffer): Asset => ({
  type,
  body,
  etag: etagOf(body),
});

export const htmlAsset = (html: string): Asset => assetOf('text/html; charset=utf-8', html);

/**
 * Only scripts and styles of this server run, no string becomes HTML, and no other page frames it. Its
 * scripts call this server only.
 */
const PAGE_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'", // W3C Trusted Types
  "trusted-types 'none'",
].join('; ');

/** Responds with an asset, or with 304. Browsers store it, but revalidate it each time. */
export async function respondWithAsset(
  ctx: ParameterizedContext<ApiState>,
  asset: Asset,
  policy: string = PAGE_POLICY,
): Promise<void> {
  ctx.set('Content-Type', asset.type);
  ctx.set('Content-Security-Policy', policy);
  ctx.set('Cache-Control', 'no-cache');
  const encoding = encodingFor(ctx, asset);
  const isCurrent = isNotModified(
    ctx,
    encoding === 'identity' ? asset.etag : asset.etag.replace(/"$/, `-${encoding}"`), // RFC 9110 §8.8.3.3
  );
  if (isCurrent) return;
  if (encoding === 'identity') return void (ctx.body = asset.body);
  ctx.set('Content-Encoding', encoding);
  ctx.body = await compressed(asset, encoding);
}

type Encoding = keyof typeof COMPRESS;

const COMPRESS = {
  br: (body: Buffer) =>
    promisify(brotliCompress)(body, { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } }),
  gzip: (body: Buffer) => promisify(gzip)(body, { level: 9 }),
};

/** Images of pixels are compressed already. */
const COMPRESSIBLE = /^(text\/|application\/json|image\/svg)/;
/** Below it, the response fits one packet anyway. */
const COMPRESSED_FROM_BYTES = 1_000;

function encodingFor(
  ctx: ParameterizedContext<ApiState>,
  { type, body }: Asset,
): Encoding | 'identity' {
  if (!COMPRESSIBLE.test(type) || body.length < COMPRESSED_FROM_BYTES) return 'identity';
  ctx.vary('Accept-Encoding');
  return (ctx.acceptsEncodings('br', 'gzip', 'identity') || 'identity') as Encoding | 'identity';
}

/** Made at the first request. Assets live as long as the process, and their number is fixed. */
const copies = new WeakMap<Asset, Map<Encoding, Promise<Buffer>>>();

function compressed(asset: Asset, encoding: Encoding): Promise<Buffer> {
  const known = copies.get(asset) ?? new Map<Encoding, Promise<Buffer>>();
  copies.set(asset, known);
  const copy = known.get(encoding) ?? COMPRESS[encoding](Buffer.from(asset.body));
  known.set(encoding, copy);
  return copy;
}
