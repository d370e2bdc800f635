/**
 * Random emails from a generator that knows their contents are parsed: the texts are equal, and the
 * attachments are the same bytes.
 */
import { simpleParser } from 'mailparser';
import { expect, test } from 'vitest';

import { parseMail } from '../../../services/adapters/mime/parse.ts';
import { fc, runs } from '../../support/random.ts';

type Leaf = {
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
type Tree =
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
const { tree } = fc.letrec<{ tree: Tree }>((tie) => ({
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
function build(one: Tree): string {
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

type Shown = { text: string[]; html: string[]; files: { filename: string; bytes: Buffer }[] };
const ENTITIES: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '\n': '<br/>\n',
};
const escaped = (plain: string) =>
  `<p>${plain.replaceAll(/[&<>\n]/g, (character) => ENTITIES[character] ?? '')}</p>`;

/**
 * What a reader must see. In an email with HTML, a text that is not an alternative is shown there
 * too.
 */
function shownOf(whole: Tree): Shown {
  const shown: Shown = { text: [], html: [], files: [] };
  const hasHtml = (one: Tree, parent?: Tree, index = 0): boolean =>
    one.kind === 'multipart'
      ? one.children.some((child, at) => hasHtml(child, one, at))
      : one.kind === 'html' && !isFile(one, parent, index);
  const withHtml = hasHtml(whole);
  const visit = (one: Tree, isAlternative: boolean, parent?: Tree, index = 0): void => {
    if (one.kind === 'multipart')
      for (const [at, child] of one.children.entries())
        visit(child, isAlternative || one.subtype === 'alternative', one, at);
    else if (isFile(one, parent, index))
      shown.files.push({
        filename: one.filename,
        bytes:
          one.kind === 'file'
            ? one.bytes
            : Buffer.from(one.bytes.toString().replaceAll('\n', '\r\n')),
      });
    else {
      shown[one.kind as 'text' | 'html'].push(one.bytes.toString());
      if (one.kind === 'text' && withHtml && !isAlternative)
        shown.html.push(escaped(one.bytes.toString()));
    }
  };
  visit(whole, false);
  return shown;
}

/** RFC 8621 §4.1.4: a text with a file name next to other texts is an attachment. */
const isFile = (one: Leaf, parent: Tree | undefined, index: number) =>
  one.kind === 'file' ||
  (one.filename !== '' &&
    index > 0 &&
    parent?.kind === 'multipart' &&
    parent.subtype !== 'alternative');

const joined = (texts: string[], by: string): string | null => texts.join(by) || null;
const withoutEmptyLines = (lines: string | null): string | null =>
  lines &&
  lines
    .split('\n')
    .filter((line) => line !== '')
    .join('\n'); // one for each HTML, of which no text is made

test('every text, attachment and name is found', async () => {
  await fc.assert(
    fc.asyncProperty(tree, async (one) => {
      const mail = parseMail(
        Buffer.from(`Subject: x\r\nMIME-Version: 1.0\r\n${build(one)}`, 'latin1'),
      );
      const shown = shownOf(one);
      expect(withoutEmptyLines(mail.text)).toEqual(withoutEmptyLines(joined(shown.text, '\n')));
      expect(mail.html).toEqual(joined(shown.html, '<br/>\n'));
      expect(mail.attachments.map(({ filename }) => filename)).toEqual(
        shown.files.map(({ filename }) => filename),
      );
      expect(
        mail.attachments.map(({ content }, index) =>
          Buffer.compare(content, shown.files[index]?.bytes ?? Buffer.alloc(0)),
        ),
      ).toEqual(shown.files.map(() => 0));
      expect(mail.warnings).toEqual([]);
    }),
    runs(200),
  );
});

test('bodies that bypass the parser equal those that pass through it', async () => {
  const whole = (one: Tree): Tree =>
    one.kind === 'multipart'
      ? { ...one, padding: '', isClosed: true, children: one.children.map(whole) }
      : { ...one, filename: one.kind === 'file' ? one.filename : '' };
  await fc.assert(
    fc.asyncProperty(tree.map(whole), async (one) => {
      const raw = Buffer.from(`Subject: x\r\n${build(one)}`, 'latin1');
      const [ours, its] = [
        parseMail(raw),
        await simpleParser(raw, {
          skipHtmlToText: true,
          skipTextToHtml: true,
          skipImageLinks: true,
          keepCidLinks: true,
        } as object),
      ];
      expect(ours.text).toEqual(its.text || null);
      expect(
        ours.attachments.map(({ filename, contentType, content }) => ({
          filename,
          contentType,
          content: Buffer.from(content).toString('hex'),
        })),
      ).toEqual(
        its.attachments.map(({ filename, contentType, content }) => ({
          filename,
          contentType,
          content: content.toString('hex'),
        })),
      );
    }),
    runs(200),
  );
});
