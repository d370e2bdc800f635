/**
 * An email as Markdown: the text that a person sees, without images, styles and layout. Links lead
 * to the web, to a mailbox or to a phone.
 */
import type { HtmlElement, HtmlReader } from '../html/html-reader.ts';
import { withoutInvisible } from '../html/invisible-characters.ts';
import { createMarkdownWriter, escapedText, type MarkdownWriter } from './markdown-writer.ts';
import { cutText } from '../text/text.ts';

const MARKDOWN_MAX_CHARS = 128 * 1024;
const CODE_MAX_CHARS = 16 * 1024;
const LINK_TEXT_MAX_CHARS = 1_000;
const URL_MAX_CHARS = 4_096;

const PARAGRAPHS = new Set(
  (
    'address article aside blockquote center dd details div dl dt fieldset figcaption figure footer ' +
    'form h1 h2 h3 h4 h5 h6 header hr main nav ol p pre section summary table ul'
  ).split(' '),
);
const MARKS: Readonly<Record<string, string>> = { b: '**', strong: '**', em: '*', i: '*' };
const HEADING = /^h([1-6])$/;
const SAFE_SCHEMES = new Set(['http:', 'https:', 'mailto:', 'tel:']);

/** Undone when its element ends. */
type Effect = { element: HtmlElement; end: () => void };

export function createMarkdown(): HtmlReader & {
  /** @param plain the text of the email, for one without HTML */
  found(plain: string, hasHtml: boolean): string;
} {
  const page = createMarkdownWriter(MARKDOWN_MAX_CHARS);
  const effects: Effect[] = [];
  const lists: { next: number | undefined }[] = [];
  let headings = 0; // that are open: they have one line
  let code: string | undefined; // of the pre element that is open
  let link: MarkdownWriter | undefined; // text of the link that is open

  const writer = () => link ?? page;
  /** A list within a list needs no empty line. */
  const breakOf = (name: string) =>
    (name === 'ul' || name === 'ol') && lists.length > 0 ? 'item' : 'paragraph';
  const lasting = (element: HtmlElement, end: () => void) => effects.push({ element, end });

  const openLink = (element: HtmlElement) => {
    const url = safeUrl(element.attributes.href ?? '');
    if (url === undefined || link) return;
    const text = createMarkdownWriter(LINK_TEXT_MAX_CHARS);
    link = text;
    lasting(element, () => {
      link = undefined;
      // some renderers read escaped brackets within a link as further links
      const inner = text.found().replaceAll('\\[', '(').replaceAll('\\]', ')');
      const shown = inner.replaceAll(/\s+/g, ' ').trim();
      if (shown !== '') page.write(`[${shown}](${url})`);
    });
  };
  const openPre = (element: HtmlElement) => {
    if (code !== undefined || link || headings > 0) return;
    code = '';
    lasting(element, () => {
      const lines = cutText(code ?? '', CODE_MAX_CHARS)
        .replace(/^\n/, '')
        .trimEnd();
      code = undefined;
      if (lines !== '') writeFence(page, lines);
    });
  };
  const openItem = (element: HtmlElement) => {
    const list = lists.at(-1);
    const first = list?.next === undefined ? '- ' : `${list.next++}. `;
    page.break('item');
    page.pushPrefix({ first, rest: ' '.repeat(first.length) });
    lasting(element, () => page.popPrefix());
  };

  return {
    open: (element) => {
      const { name } = element;
      if (PARAGRAPHS.has(name) && !link) page.break(breakOf(name));
      else if (PARAGRAPHS.has(name) || name === 'br' || name === 'tr') breakLine(writer(), link);
      else if (name === 'td' || name === 'th') writer().separate(link ? ' ' : ' | ');
      if (name === 'a') openLink(element);
      else if (name === 'pre') openPre(element);
      else if (name === 'img') writeImage(writer(), element);
      else if (!link) openBlock(element);
      const mark = MARKS[name];
      if (mark !== undefined && !link) {
        page.pushMark(mark);
        lasting(element, () => page.popMark());
      }
    },
    text: (text, hiddenBy) => {
      if (hiddenBy !== undefined) return;
      if (code === undefined) writeText(writer(), text);
      else if (code.length < CODE_MAX_CHARS) code += withoutInvisible(text);
    },
    close: (element) => {
      while (effects.at(-1)?.element === element) effects.pop()?.end();
      if (PARAGRAPHS.has(element.name) && !link) page.break(breakOf(element.name));
    },
    found: (plain, hasHtml) => {
      if (!hasHtml) writePlain(page, plain);
      return page.found();
    },
  };

  function openBlock(element: HtmlElement) {
    const { name } = element;
    const level = HEADING.exec(name)?.[1];
    if (level !== undefined) {
      headings++;
      page.pushPrefix({ first: `${'#'.repeat(Number(level))} `, rest: '' });
      lasting(element, () => {
        headings--;
        page.popPrefix();
      });
    } else if (name === 'blockquote') {
      page.pushPrefix({ first: '> ', rest: '> ' });
      lasting(element, () => page.popPrefix());
    } else if (name === 'ul' || name === 'ol') {
      lists.push({ next: name === 'ol' ? 1 : undefined });
      lasting(element, () => lists.pop());
    } else if (name === 'li') openItem(element);
  }
}

function breakLine(writer: MarkdownWriter, link: MarkdownWriter | undefined): void {
  if (link) writer.separate(' ');
  else writer.break('line');
}

function writeText(writer: MarkdownWriter, text: string): void {
  const line = oneLine(text);
  if (/^\s/.test(text)) writer.separate(' ');
  writer.write(escapedText(line));
  if (line !== '' && /\s$/.test(text)) writer.separate(' ');
}

/** Letters can be hidden by their size, images cannot. */
function writeImage(writer: MarkdownWriter, { attributes, hiddenBy }: HtmlElement): void {
  if (hiddenBy !== 'not_displayed') writer.write(escapedText(oneLine(attributes.alt ?? '')));
}

/** A line that quotes remains one: Markdown took that sign from emails. */
function writePlain(writer: MarkdownWriter, text: string): void {
  for (const paragraph of withoutInvisible(text).split(/\r?\n[^\S\n]*\r?\n/)) {
    writer.break('paragraph');
    for (const line of paragraph.split(/\r?\n/)) {
      writer.break('line');
      writer.write(escapedText(line.replaceAll(/\s+/g, ' ').trim()));
    }
  }
}

/** Longer than any run of backticks in the code. */
function writeFence(writer: MarkdownWriter, lines: string): void {
  let longest = 2;
  for (const [run] of lines.matchAll(/`+/g)) longest = Math.max(longest, run.length);
  const fence = '`'.repeat(longest + 1);
  // a renderer that misses the fence must not find elements
  const safe = lines.replaceAll(/<(?=[a-z/!?])/gi, '&lt;');
  writer.block([fence, ...safe.split('\n'), fence]);
}

const oneLine = (text: string): string => withoutInvisible(text).replaceAll(/\s+/g, ' ').trim();

function safeUrl(href: string): string | undefined {
  const text = href.trim();
  if (text.length > URL_MAX_CHARS || !URL.canParse(text)) return undefined;
  const url = new URL(text);
  return SAFE_SCHEMES.has(url.protocol)
    ? url.href.replaceAll(/[()<>[\]\\\s"`]/g, percent)
    : undefined;
}

const percent = (sign: string): string => `%${sign.charCodeAt(0).toString(16).padStart(2, '0')}`;
