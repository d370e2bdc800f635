/**
 * Unstuffs DATA: removes the dot that clients add to lines, and finds the line with a dot alone
 * that ends the email (RFC 5321 §4.1.1.4, §4.5.2).
 */

export type Unstuffed = {
  /** Bytes of the email; empty while they may still be its end. */
  content: Buffer;
  /** Where the email ended in this chunk; commands follow. */
  end: number | undefined;
};

/** How the previous chunk ended. Only CR LF ends a line: accepting less allows SMTP smuggling. */
type State = 'in a line' | 'after CR' | 'at a line' | 'after its dot' | 'after its dot and CR';

const CR = 0x0d;
const LF = 0x0a;
const DOT = 0x2e;
const NEXT_DOT = Buffer.from('\r\n.');

/** Reads one email, chunk by chunk. */
export function createUnstuffer(): (chunk: Buffer) => Unstuffed {
  let state: State = 'at a line';

  return function unstuff(chunk) {
    const content: Buffer[] = [];
    let from = 0; // the first byte of content that is not in `content` yet
    let at = 0;
    while (at < chunk.byteLength) {
      const byte = chunk[at];
      if (state === 'after its dot and CR') {
        if (byte === LF) return { content: Buffer.concat(content), end: at + 1 };
        if (at === 0)
          content.push(Buffer.from([CR])); // it was content, from the previous chunk
        else from = at - 1;
        state = 'after CR';
      } else if (state === 'after its dot') {
        from = at;
        state = byte === CR ? 'after its dot and CR' : 'in a line';
        at += 1;
      } else if (state === 'at a line' && byte === DOT) {
        content.push(chunk.subarray(from, at));
        from = at + 1;
        state = 'after its dot';
        at += 1;
      } else if (state === 'after CR' && byte === LF) {
        state = 'at a line';
        at += 1;
      } else {
        const next = chunk.indexOf(NEXT_DOT, at);
        at = next === -1 ? chunk.byteLength : next + 2;
        state = next === -1 ? stateAfter(chunk) : 'at a line';
      }
    }
    if (state !== 'after its dot and CR') content.push(chunk.subarray(from));
    return {
      content: content.length === 1 && content[0] ? content[0] : Buffer.concat(content),
      end: undefined,
    };
  };
}

/** The state after a chunk that is content to its end. */
const stateAfter = (chunk: Buffer): State =>
  chunk.at(-1) === CR
    ? 'after CR'
    : chunk.at(-1) === LF && chunk.at(-2) === CR
      ? 'at a line'
      : 'in a line';
