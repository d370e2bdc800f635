/** Random mails, built by a builder that knows what it put in, are read back: texts as they were, attachments byte for byte. */
import * as fc from 'fast-check';
import { simpleParser } from 'mailparser';
import { expect, test } from 'vitest';

import { parseMail } from '../../services/adapters/mime.ts';

type Leaf = { kind: 'text' | 'html' | 'file'; bytes: Buffer; encoding: 'base64' | 'quoted-printable' | '8bit'; filename: string };
type Tree = Leaf | { kind: 'multipart'; subtype: 'mixed' | 'related'; children: Tree[] };

const encodingOf = fc.constantFrom<Leaf['encoding'][]>('base64', 'quoted-printable', '8bit');
const words = fc.string({ unit: fc.constantFrom('a', 'Z', ' ', 'ü', '漢', '🎉', '=', '.', '-', '>', '\t', '"', '\n'), maxLength: 60 });
const text = (kind: 'text' | 'html') => fc.record({ kind: fc.constant(kind), bytes: words.map((value) => Buffer.from(`x${value}.`)), encoding: encodingOf, filename: fc.constant('') });
const file = fc.record({
  kind: fc.constant('file' as const),
  bytes: fc.oneof(fc.uint8Array({ minLength: 1, maxLength: 300 }), fc.uint8Array({ minLength: 20_000, maxLength: 40_000 })).map((bytes) => Buffer.from(bytes)),
  encoding: fc.constant('base64' as const),
  filename: fc.string({ unit: fc.constantFrom('a', 'ü', '漢', ' ', '.', "'", '%', ';'), minLength: 1, maxLength: 40 }).map((name) => `f${name}x`),
});
const { tree } = fc.letrec<{ tree: Tree }>((tie) => ({
  tree: fc.oneof({ maxDepth: 5, withCrossShrink: true }, text('text'), text('html'), file, fc.record({ kind: fc.constant('multipart' as const), subtype: fc.constantFrom('mixed' as const, 'related' as const), children: fc.array(tie('tree'), { minLength: 1, maxLength: 4 }) })),
}));

/** RFC 2045 §6. Line ends of texts are CR LF on the way. */
function encoded({ kind, bytes, encoding }: Leaf): string {
  const sent = kind === 'file' ? bytes : Buffer.from(bytes.toString().replaceAll('\n', '\r\n'));
  if (encoding === 'base64') return sent.toString('base64').replace(/.{76}/g, '$&\r\n');
  if (encoding === '8bit') return sent.toString('latin1');
  return sent.toString('latin1').replace(/[^\r\n !-<>-~]| (?=\r|$)/g, (char) => `=${char.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`).replace(/[^\r\n]{60}(?=[^\r\n])/g, (line) => splitLine(line));
}

/** A soft line break, not in the midst of an escape. */
function splitLine(line: string): string {
  const at = line.lastIndexOf('=') >= line.length - 2 ? line.lastIndexOf('=') : line.length;
  return `${line.slice(0, at)}=\r\n${line.slice(at)}`;
}

/** RFC 2231 §4.1, in two pieces where it is long. */
function filenameParameter(filename: string): string {
  const value = [...Buffer.from(filename)].map((byte) => (/[a-z0-9]/i.test(String.fromCharCode(byte)) && byte < 0x80 ? String.fromCharCode(byte) : `%${byte.toString(16).padStart(2, '0')}`)).join('');
  return value.length < 60 ? `filename*=utf-8''${value}` : `filename*0*=utf-8''${value.slice(0, 30)};\r\n filename*1*=${value.slice(30)}`;
}

let boundaries = 0;
function build(one: Tree): string {
  if (one.kind === 'multipart') {
    const boundary = `=_${boundaries++}_b`;
    return `Content-Type: multipart/${one.subtype}; boundary="${boundary}"\r\n\r\n${one.children.map((child) => `--${boundary}\r\n${build(child)}\r\n`).join('')}--${boundary}--\r\n`;
  }
  const type = one.kind === 'file' ? `application/x-any\r\nContent-Disposition: attachment;\r\n ${filenameParameter(one.filename)}` : `text/${one.kind === 'html' ? 'html' : 'plain'}; charset=utf-8`;
  return `Content-Type: ${type}\r\nContent-Transfer-Encoding: ${one.encoding}\r\n\r\n${encoded(one)}`;
}

const leaves = (one: Tree): Leaf[] => (one.kind === 'multipart' ? one.children.flatMap(leaves) : [one]);
const joined = (all: Leaf[], kind: Leaf['kind'], by: string): string | null => all.filter((leaf) => leaf.kind === kind).map(({ bytes }) => bytes.toString()).join(by) || null;

test('every text, every attachment and every name comes back', async () => {
  await fc.assert(
    fc.asyncProperty(tree, async (one) => {
      const raw = Buffer.from(`Subject: x\r\nMIME-Version: 1.0\r\n${build(one)}`, 'latin1');
      const all = leaves(one);
      const mail = await parseMail(raw);
      // In a mail with HTML, HTML stands for each text too: empty, since nothing is made of one
      const html = all.some(({ kind }) => kind === 'html') ? mail.html?.split('<br/>\n').filter((piece) => piece !== '').join('<br/>\n') : mail.html;
      const plain = mail.text?.split('\n').filter((line) => line !== '').join('\n');
      expect(plain ?? null).toEqual(joined(all, 'text', '\n')?.split('\n').filter((line) => line !== '').join('\n') ?? null);
      expect(html).toEqual(joined(all, 'html', '<br/>\n'));
      const files = all.filter(({ kind }) => kind === 'file');
      expect(mail.attachments.map(({ filename }) => filename)).toEqual(files.map(({ filename }) => filename));
      expect(mail.attachments.map(({ content }, index) => Buffer.compare(content, files[index]?.bytes ?? Buffer.alloc(0)))).toEqual(files.map(() => 0));
      expect(mail.warnings).toEqual([]);
    }),
    { numRuns: 200 },
  );
});

test('bodies that go around the parser read as those that go through it', async () => {
  await fc.assert(
    fc.asyncProperty(tree, async (one) => {
      const raw = Buffer.from(`Subject: x\r\n${build(one)}`, 'latin1');
      const [ours, its] = [await parseMail(raw), await simpleParser(raw, { skipHtmlToText: true, skipTextToHtml: true, skipImageLinks: true, keepCidLinks: true } as object)];
      expect({ text: ours.text, html: ours.html }).toEqual({ text: its.text || null, html: its.html || null });
      expect(ours.attachments.map(({ filename, contentType, content }) => ({ filename, contentType, content: Buffer.from(content).toString('hex') }))).toEqual(its.attachments.map(({ filename, contentType, content }) => ({ filename, contentType, content: content.toString('hex') })));
    }),
    { numRuns: 200 },
  );
});
