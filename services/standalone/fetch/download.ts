/** Fetches a file over HTTPS into a path, checked by SHA-256. A transfer that stands still is given up. */
import { createHash } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';

const STANDSTILL_MS = 10_000;

/** @throws when the answer is not 200, the transfer breaks or stands still, the disk is full, or the content is not the expected one */
export async function download(
  url: string,
  path: string,
  sha256: string,
  standstillMs = STANDSTILL_MS,
): Promise<{ bytes: number }> {
  const abort = new AbortController();
  const giveUp = () => abort.abort(new Error(`nothing came for ${standstillMs / 1000} s`));
  let timer = setTimeout(giveUp, standstillMs);
  let bytes = 0;
  try {
    const response = await fetch(url, { signal: abort.signal });
    if (!response.ok || !response.body) throw new Error(`the server answered ${response.status}`);
    await pipeline(
      Readable.fromWeb(response.body),
      async function* count(chunks: AsyncIterable<Uint8Array>) {
        for await (const chunk of chunks) {
          clearTimeout(timer);
          timer = setTimeout(giveUp, standstillMs);
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

/** @throws when the file's content is not the one that was pinned */
export async function requireSha256(path: string, sha256: string): Promise<void> {
  const hash = createHash('sha256');
  await pipeline(createReadStream(path), hash);
  const actual = hash.digest('hex');
  if (actual !== sha256)
    throw new Error(`the download has the wrong checksum (SHA-256 ${actual}, expected ${sha256})`);
}
