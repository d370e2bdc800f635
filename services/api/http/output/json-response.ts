/**
 * JSON with its entity tag, compressed if the client accepts it. A response with a secret never is:
 * its length would tell an observer something about its content (BREACH, D67).
 */
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip, type InputType } from 'node:zlib';
import type { Middleware, ParameterizedContext } from 'koa';

import type { ApiState } from '../state/state.ts';
import { etagOf, isNotModified } from './etag.ts';
import { storableJson } from '../../../core/text/text.ts';

/** A shorter one fits into one packet of the network. */
const COMPRESSED_MIN_BYTES = 1_400;
/** 4 of 11: as small as gzip at its default, in the same time. */
const QUALITY = { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } };
const SECRET = /secret|token|key/;

const brotli = promisify<InputType, typeof QUALITY, Buffer>(brotliCompress);
const gzipped = promisify<InputType, Buffer>(gzip);

/** Writes every other body that is an object, such as errors. Koa would write it as it is. */
export const writeJson: Middleware<ApiState> = async function writeBody(ctx, next) {
  await next();
  const { body } = ctx;
  if (typeof body !== 'object' || body === null) return;
  if (Object.getPrototypeOf(body) === Object.prototype) ctx.body = storableJson(body);
};

/** The response is computed either way; the tag saves its transfer. */
export async function respondWithJson(
  ctx: ParameterizedContext<ApiState>,
  result: unknown,
): Promise<void> {
  const text = Buffer.from(storableJson(result));
  const mayCompress = isCompressible(text, result);
  if (mayCompress) ctx.vary('Accept-Encoding');
  const encoding = mayCompress ? ctx.acceptsEncodings('br', 'gzip', 'identity') : false;
  const etag = etagOf(text);
  if (encoding !== 'br' && encoding !== 'gzip') {
    if (isNotModified(ctx, etag)) return;
    ctx.type = 'json';
    ctx.body = text;
    return;
  }
  // each encoding has a tag of its own (RFC 9110 §8.8.3.3)
  if (isNotModified(ctx, etag.replace(/"$/, `-${encoding}"`))) return;
  const body = encoding === 'br' ? await brotli(text, QUALITY) : await gzipped(text);
  ctx.set('Content-Encoding', encoding);
  ctx.type = 'json';
  ctx.body = body;
}

const isCompressible = (text: Buffer, result: unknown): boolean =>
  text.byteLength >= COMPRESSED_MIN_BYTES &&
  !Object.keys(result as object).some((field) => SECRET.test(field));
