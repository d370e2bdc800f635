/**
 * Downloads a file over HTTPS and verifies its SHA-256 checksum. A transfer that stalls is
 * cancelled.
 */
import { createHash } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';

const STALLED_MS = 10_000;

/**
 * @throws if the response is not 200, the transfer fails or stalls, the disk is full, or the
 * checksum is wrong
 */
export async function download(
  url: string,
  path: string,
  sha256: string,
  stalledMs = STALLED_MS,
): Promise<{ bytes: number }> {
  const abort = new AbortController();
  const giveUp = () => abort.abort(new Error(`no data arrived for ${stalledMs / 1000} s`));
  let timer = setTimeout(giveUp, stalledMs);
  let bytes = 0;
  try {
    const response = await fetch(url, { signal: abort.signal });
    if (!response.ok || !response.body)
      throw new Error(`the server responded with ${response.status}`);
    await pipeline(
      Readable.fromWeb(response.body),
      async function* count(chunks: AsyncIterable<Uint8Array>) {
        for await (const chunk of chunks) {
          clearTimeout(timer);
          timer = setTimeout(giveUp, stalledMs);
          bytes += chunk.length;
          yield chunk;
        }
      },
      createWriteStream(path),
    );
  } finally {
    clearTimeout(timer);
  }
  await requireSha256(path, sha256);
  return { bytes };
}

/** @throws if the file does not have this checksum */
export async function requireSha256(path: string, sha256: string): Promise<void> {
  const hash = createHash('sha256');
  await pipeline(createReadStream(path), hash);
  const actual = hash.digest('hex');
  if (actual !== sha256)
    throw new Error(`the download has the wrong checksum (SHA-256 ${actual}, expected ${sha256})`);
}
