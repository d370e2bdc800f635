/** Random emails from a generator that knows their contents: trees of parts, and their text. */
import { fc } from '../../support/random.ts';

export type Leaf = {
  kind: 'text' | 'html' | 'file';
  type?: 'message/rfc822';
  bytes: Buffer;
  encoding: 'base64' | 'quoted-printable' | '8bit';
  filename: string;
};
/**
 * Deviations that senders use and parsers accept (RFC 2046 §5.1.1, §5.1.2): spaces after a
 * boundary, text around the parts, no closing boundary.
 */
type Slips = { padding: string; preamble: string; isClosed: boolean };
export type Tree =
  | Leaf
  | ({ kind: 'multipart'; subtype: 'mixed' | 'related' | 'alternative'; children: Tree[] } & Slips);

const encodingOf = fc.constantFrom<Leaf['encoding'][]>('base64', 'quoted-printable', '8bit');
const words = fc.string({
  unit: fc.constantFrom('a', 'Z', ' ', 'ü', '漢', '🎉', '=', '.', '-', '>', '\t', '"', '\n'),
  maxLength: 60,
});
const slips = {
  padding: fc.constantFrom('', '', ' ', '\t '),
  preamble: fc.constantFrom('', 'This is a message in MIME format.\r\n'),
  isClosed: fc.constantFrom(true, true, false),
};
const text = (kind: 'text' | 'html') =>
  fc.record({
    kind: fc.constant(kind),
    bytes: words.map((value) => Buffer.from(`x${value}.`)),
    encoding: encodingOf,
    filename: fc.constantFrom('', '', 'notes.txt'),
  });
const file = fc.record({
  kind: fc.constant('file' as const),
  bytes: fc
    .oneof(
      fc.uint8Array({ minLength: 1, maxLength: 300 }),
      fc.uint8Array({ minLength: 20_000, maxLength: 40_000 }),
    )
    .map((bytes) => Buffer.from(bytes)),
  encoding: fc.constant('base64' as const),
  filename: fc
    .string({
      unit: fc.constantFrom('a', 'ü', '漢', ' ', '.', "'", '%', ';'),
      minLength: 1,
      maxLength: 40,
    })
    .map((name) => `f${name}x`),
});
/** An email within the email, which is shown byte for byte. */
const forwarded = (one: Tree): Leaf => ({
  kind: 'file',
  type: 'message/rfc822',
  bytes: Buffer.from(`Subject: inner\r\n${build(one)}`, 'latin1'),
  encoding: '8bit',
  filename: 'fwd.eml',
});
export const { tree } = fc.letrec<{ tree: Tree }>((tie) => ({
  tree: fc.oneof(
    { maxDepth: 5, withCrossShrink: true },
    text('text'),
    text('html'),
    file,
    tie('tree').map(forwarded),
    fc.record({
      kind: fc.constant('multipart' as const),
      subtype: fc.constantFrom('mixed' as const, 'related' as const, 'alternative' as const),
      children: fc.array(tie('tree'), { minLength: 1, maxLength: 4 }),
      ...slips,
    }),
  ),
}));

/** RFC 2045 §6. Line ends of texts are CR LF in transit. */
function encoded({ kind, bytes, encoding }: Leaf): string {
  const sent = kind === 'file' ? bytes : Buffer.from(bytes.toString().replaceAll('\n', '\r\n'));
  if (encoding === 'base64') return sent.toString('base64').replace(/.{76}/g, '$&\r\n');
  if (encoding === '8bit') return sent.toString('latin1');
  return sent
    .toString('latin1')
    .replace(
      /[^\r\n !-<>-~]| (?=\r|$)/g,
      (char) => `=${char.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`,
    )
    .replace(/[^\r\n]{60}(?=[^\r\n])/g, (line) => splitLine(line));
}

/** A soft line break, not within an escape. */
function splitLine(line: string): string {
  const at = line.lastIndexOf('=') >= line.length - 2 ? line.lastIndexOf('=') : line.length;
  return `${line.slice(0, at)}=\r\n${line.slice(at)}`;
}

/** RFC 2231 §4.1, in two pieces if it is long. */
function filenameParameter(filename: string): string {
  const value = [...Buffer.from(filename)]
    .map((byte) =>
      /[a-z0-9]/i.test(String.fromCharCode(byte)) && byte < 0x80
        ? String.fromCharCode(byte)
        : `%${byte.toString(16).padStart(2, '0')}`,
    )
    .join('');
  return value.length < 60
    ? `filename*=utf-8''${value}`
    : `filename*0*=utf-8''${value.slice(0, 30)};\r\n filename*1*=${value.slice(30)}`;
}

let boundaries = 0;
/** The content type and the rest, to be read as Latin-1. */
export function build(one: Tree): string {
  if (one.kind === 'multipart') {
    const boundary = `=_${boundaries++}_b`;
    const children = one.children
      .map((child) => `--${boundary}${one.padding}\r\n${build(child)}`)
      .join('\r\n');
    const end = one.isClosed ? `\r\n--${boundary}--${one.padding}\r\n` : '';
    const type = `Content-Type: multipart/${one.subtype}; boundary="${boundary}"`;
    return `${type}\r\n\r\n${one.preamble}${children}${end}`;
  }
  const type =
    one.kind === 'file'
      ? `${one.type ?? 'application/x-any'}\r\nContent-Disposition: attachment;\r\n ${filenameParameter(one.filename)}`
      : `text/${one.kind === 'html' ? 'html' : 'plain'}; charset=utf-8`;
  const named =
    one.kind !== 'file' && one.filename !== ''
      ? `; name="${one.filename}"\r\nContent-Disposition: inline`
      : '';
  return `Content-Type: ${type}${named}\r\nContent-Transfer-Encoding: ${one.encoding}\r\n\r\n${encoded(one)}`;
}
