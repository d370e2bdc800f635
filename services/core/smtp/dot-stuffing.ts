/**
 * DATA on the wire (RFC 5321 §4.1.1.4, §4.5.2). Unstuffing removes the dot that clients add to
 * lines, and finds the line with a dot alone that ends the email. Stuffing is the reverse.
 */

type Unstuffed = {
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

/**
 * Reads one email, chunk by chunk. A chunk without a dot to remove is its own content. Any other is
 * copied byte by byte: a piece for each line would cost more than 100 ms for some emails.
 */
export function createUnstuffer(): (chunk: Buffer) => Unstuffed {
  let state: State = 'at a line';

  return function unstuff(chunk) {
    const first = firstDot(chunk, state);
    if (first === -1) {
      state = stateAfter(chunk, state);
      return { content: chunk, end: undefined };
    }
    const content = Buffer.allocUnsafe(chunk.byteLength + 1); // and a CR from the previous chunk
    let length = chunk.copy(content, 0, 0, first);
    if (first > 0) state = 'at a line';
    for (let at = first; at < chunk.byteLength; at++) {
      const byte = chunk[at] as number;
      if (state === 'after its dot and CR') {
        if (byte === LF) return { content: content.subarray(0, length), end: at + 1 };
        content[length++] = CR;
        state = 'after CR';
      }
      if (state === 'after its dot' && byte === CR) state = 'after its dot and CR';
      else if (state === 'at a line' && byte === DOT) state = 'after its dot';
      else {
        content[length++] = byte;
        state =
          byte === CR
            ? 'after CR'
            : byte === LF && state === 'after CR'
              ? 'at a line'
              : 'in a line';
      }
    }
    return { content: content.subarray(0, length), end: undefined };
  };
}

type Stuffer = {
  /** The next bytes of the email, as they are sent. */
  stuff: (chunk: Buffer) => Buffer;
  /** What ends it. Before the line with the dot, its last line needs a CR LF. */
  end: () => string;
};

/** Sends one email, chunk by chunk. */
export function createStuffer(): Stuffer {
  let state: State = 'at a line';
  return {
    stuff: (chunk) => {
      const pieces: Buffer[] = [];
      let from = 0;
      for (let dot = firstDot(chunk, state); dot !== -1; dot = nextDot(chunk, from)) {
        pieces.push(chunk.subarray(from, dot), ONE_DOT);
        from = dot;
      }
      state = stateAfter(chunk, state);
      return from === 0 && pieces.length === 0
        ? chunk
        : Buffer.concat([...pieces, chunk.subarray(from)]);
    },
    end: () => (state === 'at a line' ? '.\r\n' : '\r\n.\r\n'),
  };
}

const ONE_DOT = Buffer.from('.');

function nextDot(chunk: Buffer, from: number): number {
  const found = chunk.indexOf(NEXT_DOT, from);
  return found === -1 ? -1 : found + 2;
}

/** Where the bytes begin that need a look one by one; -1 when none do. */
function firstDot(chunk: Buffer, before: State): number {
  if (before === 'after its dot' || before === 'after its dot and CR') return 0;
  if (before === 'at a line' && chunk[0] === DOT) return 0;
  if (before === 'after CR' && chunk[0] === LF && chunk[1] === DOT) return 1;
  return nextDot(chunk, 0);
}

/** The state after a chunk that is content to its end. */
function stateAfter(chunk: Buffer, before: State): State {
  if (chunk.byteLength === 0) return before;
  if (chunk.at(-1) === CR) return 'after CR';
  const wasCr = chunk.byteLength === 1 ? before === 'after CR' : chunk.at(-2) === CR;
  return chunk.at(-1) === LF && wasCr ? 'at a line' : 'in a line';
}
