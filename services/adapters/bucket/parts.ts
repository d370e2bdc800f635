/** Bytes in the parts of an upload. */

/** An object of at most so many bytes is stored in one request. */
const WHOLE_MAX_BYTES = 16 * 1024 * 1024;

/**
 * Yields one part for an object that fits in one request, else parts of at least half of that; the S3
 * API demands 5 MiB of each but the last. Two such halves are in memory at most.
 * @param wholeMaxBytes replaced by tests
 */
export async function* inParts(
  content: AsyncIterable<Uint8Array>,
  wholeMaxBytes = WHOLE_MAX_BYTES,
): AsyncGenerator<{ pieces: Uint8Array[]; isLast: boolean }> {
  let pieces: Uint8Array[] = [];
  let bytes = 0;
  let isLarge = false;
  for await (const piece of content) {
    if (bytes > 0 && bytes + piece.byteLength > (isLarge ? wholeMaxBytes / 2 : wholeMaxBytes)) {
      yield { pieces, isLast: false };
      isLarge = true;
      [pieces, bytes] = [[], 0];
    }
    pieces.push(piece);
    bytes += piece.byteLength;
  }
  yield { pieces, isLast: true };
}
