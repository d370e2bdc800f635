/** How much the files of one email may unpack to where other clients wait meanwhile. */
import { unpackText } from '../../adapters/mime/unpack.ts';
import type { Unpack } from '../../core/extract/report/read-report.ts';

/** The email is left to the thread for large ones. */
export class UnpacksTooMuch extends Error {
  constructor() {
    super('the files of an email unpack to more than a small email may hold');
  }
}

/**
 * @param maxBytes of all files together; undefined where only each file has a limit
 * @returns a function that throws UnpacksTooMuch
 */
export function createUnpack(maxBytes: number | undefined): Unpack {
  if (maxBytes === undefined) return unpackText;
  let left = maxBytes;
  return (content, fileMaxBytes, decoding) => {
    const text = unpackText(content, Math.min(left, fileMaxBytes), decoding);
    if (text === undefined && left < fileMaxBytes) throw new UnpacksTooMuch(); // or it is damaged
    left -= text?.length ?? 0;
    return text;
  };
}
