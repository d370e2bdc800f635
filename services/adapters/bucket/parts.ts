/** Bytes in the parts of an upload. */

/** An object of at most so many bytes is stored in one request. */
const WHOLE_MAX_BYTES = 16 * 1024 * 1024;

/**
 * Yields one part for an object that fits in one request, else parts of half of that. The S3 API demands
 * 5 MiB of each but the last, and Cloudflare R2 that all but the last have the same size
 * (https://developers.cloudflare.com/r2/objects/multipart-objects/#limitations).
 * @param wholeMaxBytes replaced by tests
 */
export async function* inParts(
  content: AsyncIterable<Uint8Array>,
  wholeMaxBytes = WHOLE_MAX_BYTES,
): AsyncGenerator<{ pieces: Uint8Array[]; isLast: boolean }> {
  const partBytes = wholeMaxBytes / 2;
  const pieces: Uint8Array[] = [];
  let bytes = 0;
  let isLarge = false;
  for await (const piece of content) {
    pieces.push(piece);
    bytes += piece.byteLength;
    isLarge ||= bytes > wholeMaxBytes;
    for (; isLarge && bytes > partBytes; bytes -= partBytes)
      yield { pieces: taken(pieces, partBytes), isLast: false };
  }
  yield { pieces, isLast: true };
}

/** Removes the first bytes of the pieces, which have more. */
function taken(pieces: Uint8Array[], bytes: number): Uint8Array[] {
  const first: Uint8Array[] = [];
  for (let left = bytes; left > 0;) {
    const piece = pieces.shift();
    if (piece === undefined) throw new Error('fewer bytes than asked for');
    if (piece.byteLength > left) pieces.unshift(piece.subarray(left));
    first.push(piece.subarray(0, left));
    left -= Math.min(left, piece.byteLength);
  }
  return first;
}
