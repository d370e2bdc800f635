/**
 * Random emails from a generator that knows their contents are parsed: the texts are equal, and the
 * attachments are the same bytes.
 */
import { simpleParser } from 'mailparser';
import { expect, test } from 'vitest';

import { parseMail } from '../../../services/adapters/mime/parse.ts';
import { fc, runs } from '../../support/random.ts';
import { build, type Leaf, type Tree, tree } from './mail-trees.ts';

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
