/** A body as text, as long as it is not larger than allowed. */

const tooLarge = (maxBytes: number) => new Error(`a response of more than ${maxBytes} bytes`);

/** @throws what `fault` makes for a larger body, whose rest is then not read */
export async function textWithin(
  body: AsyncIterable<Uint8Array>,
  maxBytes: number,
  fault: (maxBytes: number) => Error = tooLarge,
): Promise<string> {
  const pieces: Uint8Array[] = [];
  let bytes = 0;
  for await (const piece of body) {
    bytes += piece.byteLength;
    if (bytes > maxBytes) throw fault(maxBytes);
    pieces.push(piece);
  }
  return Buffer.concat(pieces).toString();
}
