/**
 * Nothing of a part gets lost: random emails of parts, encodings and charsets, whose lines were
 * deleted, repeated and mixed with others. Every line of a part is shown, or a warning says that
 * something is left out; of an email without damage, every byte. `npm run test:fuzz` prints the seed.
 */
import { isUtf8 } from 'node:buffer';
import iconv from 'iconv-lite';
import { expect, test } from 'vitest';

import { parseMail } from '../../../services/adapters/mime/parse.ts';
import { fc, runs } from '../../support/random.ts';

/** A line of the email. One of a part has a word that no other line has. */
type Line = {
  bytes: Buffer;
  word?: string;
  /** Without the first delimiter, a part of one paragraph is a notice for old programs (D40). */
  isFirstDelimiter?: true;
};
type Encoding = 'base64' | 'quoted-printable' | 'x-uuencode' | '8bit' | 'x-unknown' | '';
type Leaf = {
  kind: 'leaf';
  type: string;
  charset: string;
  encoding: Encoding;
  disposition: string;
  /** After the word of each line. */
  texts: string[];
};
type Multipart = { kind: 'multipart'; type: string; preamble: string; children: Tree[] };
type Tree = Leaf | Multipart;
/** What a leaf holds, without its last line end. */
type Content = { bytes: Buffer; /** As the email declares it. */ charset: string };
/** `delete`, `repeat`, or a line to insert. */
type Mutation = { at: number; change: string };

const leaf = fc.record({
  kind: fc.constant('leaf' as const),
  type: fc.constantFrom('text/plain', 'text/html', 'application/pdf', 'message/rfc822', 'text', ''),
  charset: fc.constantFrom(
    'utf-8',
    'iso-8859-1',
    'windows-1252',
    'koi8-r',
    'shift_jis',
    'gb18030',
    'x-none',
    '',
  ),
  encoding: fc.constantFrom<Encoding[]>(
    'base64',
    'quoted-printable',
    'x-uuencode',
    '8bit',
    'x-unknown',
    '',
  ),
  disposition: fc.constantFrom('', 'inline', 'attachment', 'attachment; filename=a.bin'),
  texts: fc.array(
    fc.string({
      unit: fc.constantFrom('a', ' ', 'ü', 'ж', '€', '漢', ':', '=', '(', '-', '<', '/'),
      maxLength: 9,
    }),
    { minLength: 1, maxLength: 4 },
  ),
});
const { tree } = fc.letrec<{ tree: Tree }>((tie) => ({
  tree: fc.oneof(
    { maxDepth: 4, withCrossShrink: true },
    leaf,
    fc.record({
      kind: fc.constant('multipart' as const),
      type: fc.constantFrom('mixed', 'alternative', 'related', 'digest', 'report'),
      preamble: fc.constantFrom('', 'This is a message in MIME format.'),
      children: fc.array(tie('tree'), { minLength: 1, maxLength: 4 }),
    }),
  ),
}));
const mutations = fc.array(
  fc.record({
    at: fc.nat(),
    change: fc.oneof(
      fc.constantFrom('delete', 'repeat'),
      fc.constantFrom(
        '',
        ' ',
        '\t',
        'Stray words',
        'X-Own: 1',
        'Note: x',
        '--',
        '-- ',
        '--b0',
        '--b1',
      ),
    ),
  }),
  { maxLength: 4 },
);

/** Bytes of lines of data: base64 has 76 characters for them, uuencode 60. */
const [BASE64_BYTES, UUENCODE_BYTES] = [57, 45];

const plain = (text: string): Line => ({ bytes: Buffer.from(text) });

function linesOf(whole: Tree): { lines: Line[]; contents: Content[] } {
  const contents: Content[] = [];
  let words = 0;
  let boundaries = 0;
  const body = ({ type, encoding, charset, texts }: Leaf): Line[] => {
    const holds = (all: readonly Buffer[]) =>
      contents.push({ bytes: joined(all), charset: type === '' ? '' : charset });
    const lines = texts.map((text): Line => {
      const word = `word${words++}x`;
      const bytes = iconv.encode(
        `${word} - ${text}.`,
        charset.startsWith('x') ? 'utf-8' : charset || 'utf-8',
      );
      return { word, bytes };
    });
    if (encoding === 'base64' || encoding === 'x-uuencode') {
      const isBase64 = encoding === 'base64';
      const data = lines.map(({ bytes }) =>
        padded(bytes, isBase64 ? BASE64_BYTES : UUENCODE_BYTES),
      );
      holds(data.map((bytes) => bytes.subarray(0, -LINE_END.byteLength)));
      const encoded = data.map((bytes, at) => ({
        word: lines[at]?.word ?? '',
        bytes: isBase64 ? Buffer.from(bytes.toString('base64')) : uuencoded(bytes),
      }));
      return isBase64 ? encoded : [plain('begin 644 a.bin'), ...encoded, plain('`'), plain('end')];
    }
    holds(lines.map(({ bytes }) => bytes));
    if (encoding !== 'quoted-printable') return lines;
    return lines.map(({ word = '', bytes }) => ({ word, bytes: Buffer.from(quoted(bytes)) }));
  };
  const linesOfTree = (one: Tree): Line[] => {
    if (one.kind === 'leaf')
      return [
        ...(one.type
          ? [plain(`Content-Type: ${one.type}${one.charset && `; charset=${one.charset}`}`)]
          : []),
        ...(one.encoding ? [plain(`Content-Transfer-Encoding: ${one.encoding}`)] : []),
        ...(one.disposition ? [plain(`Content-Disposition: ${one.disposition}`)] : []),
        plain(''),
        ...body(one),
      ];
    const boundary = `b${boundaries++}`;
    return [
      plain(`Content-Type: multipart/${one.type}; boundary=${boundary}`),
      plain(''),
      plain(one.preamble),
      ...one.children.flatMap((child, index) => [
        { ...plain(`--${boundary}`), ...(index === 0 && { isFirstDelimiter: true as const }) },
        ...linesOfTree(child),
      ]),
      plain(`--${boundary}--`),
    ];
  };
  return { lines: linesOfTree(whole), contents };
}

const LINE_END = Buffer.from('\r\n');
/** The lines, with line ends between them. */
const joined = (lines: readonly Buffer[]): Buffer =>
  Buffer.concat(lines.flatMap((bytes, at) => (at === 0 ? [bytes] : [LINE_END, bytes])));

/** A line of that many bytes, its end included. */
const padded = (bytes: Buffer, length: number): Buffer =>
  Buffer.concat([
    Buffer.concat([bytes, Buffer.alloc(length, '.')]).subarray(0, length - 2),
    LINE_END,
  ]);
const quoted = (bytes: Buffer): string =>
  bytes
    .toString('latin1')
    .replace(
      /[^!-<>-~ ]/g,
      (char) => `=${char.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`,
    );

function uuencoded(bytes: Buffer): Buffer {
  const digits = [bytes.byteLength];
  for (let at = 0; at < bytes.byteLength; at += 3)
    for (const shift of [18, 12, 6, 0]) digits.push((bytes.readUIntBE(at, 3) >> shift) & 63);
  return Buffer.from(digits.map((digit) => (digit === 0 ? 0x60 : digit + 0x20)));
}

function mutated(lines: Line[], changes: readonly Mutation[]): Line[] {
  const changed = [...lines];
  for (const { at, change } of changes) {
    const index = at % changed.length;
    const line = changed[index] as Line;
    if (change === 'delete') {
      if (line.isFirstDelimiter !== true) changed.splice(index, 1);
    } else if (change === 'repeat') changed.splice(index, 0, line);
    else changed.splice(index, 0, { bytes: Buffer.from(change) });
    if (changed.length === 0) return lines;
  }
  return changed;
}

/** Everything that a receiver sees. */
function shownBy(mail: ReturnType<typeof parseMail>): string {
  const files = mail.attachments.map(({ content }) => Buffer.from(content).toString('latin1'));
  const headers = mail.headers.all.map(({ name, value }) => `${name}:${value}`);
  return [mail.text, mail.html, ...headers, ...files].join('\n');
}

const rawOf = (lines: readonly Line[]): Buffer =>
  Buffer.concat(lines.flatMap(({ bytes }) => [bytes, LINE_END]));

/** As text in its charset, or byte for byte as a file. Without a charset, bytes that are not UTF-8 are guessed. */
function isShownWhole(
  { text, html, attachments }: ReturnType<typeof parseMail>,
  { bytes, charset }: Content,
): boolean {
  const isNamed = charset !== '' && iconv.encodingExists(charset);
  if (!isNamed && !isUtf8(bytes)) return true;
  const decoded = iconv.decode(bytes, isNamed ? charset : 'utf-8').replaceAll('\r\n', '\n');
  const isFile = (content: Uint8Array) =>
    bytes.equals(content) || Buffer.concat([bytes, LINE_END]).equals(content);
  return (
    [text, html].some((shown) => shown?.includes(decoded)) ||
    attachments.some(({ content }) => isFile(content))
  );
}

test('every text is shown whole in its charset, and every file byte for byte', () => {
  fc.assert(
    fc.property(tree, (whole) => {
      const { lines, contents } = linesOf(whole);
      const raw = rawOf([plain('Subject: x'), ...lines]);
      const mail = parseMail(raw);
      const differing = contents.filter((content) => !isShownWhole(mail, content));
      expect(differing.map(({ bytes }) => `${bytes.toString()} of ${raw.toString()}`)).toEqual([]);
    }),
    runs(2_000),
  );
});

/** These leave something out, and say so. */
const LEFT_OUT = new Set(['text_outside_parts', 'too_many_headers', 'too_many_parts', 'too_deep']);

/** Of an encoding that does not exist, and of texts without a charset, in emails without damage. */
const EXPECTED = new Set(['invalid_encoding', 'guessed_charset']);

test('every line of a part is shown, unless a warning says that something is left out', () => {
  fc.assert(
    fc.property(tree, mutations, (whole, changes) => {
      const lines = mutated([plain('Subject: x'), ...linesOf(whole).lines], changes);
      const raw = rawOf(lines);
      const mail = parseMail(raw);
      const shown = shownBy(mail);
      const lost = lines.filter(
        ({ word, bytes }) =>
          word !== undefined && !shown.includes(word) && !shown.includes(bytes.toString('latin1')),
      );
      const codes = mail.warnings.map(({ code }) => code);
      const mayLose = codes.some((code) => LEFT_OUT.has(code));
      const words = lost.map(({ word }) => word);
      expect(mayLose || lost.length === 0 ? '' : `lost ${words.join()} of ${raw.toString()}`).toBe(
        '',
      );
      const unusual = codes.filter((code) => !EXPECTED.has(code));
      expect(changes.length > 0 ? [] : unusual).toEqual([]);
    }),
    runs(2_000),
  );
});

const wrap = (encoded: string, width: number) =>
  encoded.replace(new RegExp(`.{${width}}`, 'g'), '$&\r\n');

test('every byte of a file is shown, whatever its encoding', () => {
  const bytes = fc.uint8Array({ maxLength: 400 }).map((all) => Buffer.from(all));
  fc.assert(
    fc.property(
      bytes,
      fc.integer({ min: 1, max: 100 }),
      fc.boolean(),
      (content, width, isPadded) => {
        const encoded = content.toString('base64');
        const body = wrap(isPadded ? encoded : encoded.replace(/=+$/, ''), width);
        const mail = parseMail(
          Buffer.from(
            `Content-Type: image/png\r\nContent-Transfer-Encoding: base64\r\n\r\n${body}`,
          ),
        );
        expect(mail.attachments).toMatchObject([{ content }]);
        expect(mail.warnings).toEqual([]);
      },
    ),
    runs(500),
  );
});

/** Pieces of base64, each with its padding or without. */
const bytesIn = (body: string): number =>
  body
    .replace(/\s+/g, '')
    .split(/=+/)
    .reduce((sum, piece) => sum + Math.floor((piece.length * 3) / 4), 0);

test('all base64 is decoded, or there is a warning', () => {
  const long = 'A'.repeat(76);
  const wrong = ['-', '_', 'words of text', 'é'];
  const piece = fc.constantFrom('QUJD', 'QUI=', 'QQ==', 'Q', ' ', '\r\n', '=', long, ...wrong);
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 20 }), (pieces) => {
      const body = pieces.join('');
      const head = 'Content-Type: image/png\r\nContent-Transfer-Encoding: base64\r\n\r\n';
      const { attachments, warnings } = parseMail(Buffer.from(head + body, 'latin1'));
      const isWhole =
        /^[A-Za-z0-9+/=\s]*$/.test(body) && attachments[0]?.content.byteLength === bytesIn(body);
      expect(isWhole || warnings.length > 0).toBe(true);
    }),
    runs(2_000),
  );
});
