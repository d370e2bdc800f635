/**
 * Renders a page of docs/ from Markdown. Raw HTML is escaped, and only links that a reader can
 * follow are links.
 */
import { posix } from 'node:path';
import { Marked, Renderer, type Tokens } from 'marked';

import { escapeHtml } from './html-page.ts';

export type RenderedPage = {
  /** Plain text of the first heading. */
  title: string;
  /** Trusted HTML. */
  html: string;
  /** Headings of the second level, in order. */
  sections: readonly { id: string; title: string }[];
};

/**
 * Harmless HTML that Markdown has no syntax for. Comments are dropped, and everything else is shown
 * as text.
 */
const ALLOWED_TAG = /^<(?:a (?:id|name)="[\w.-]+"|\/a|br ?\/?|\/?details|\/?summary|\/?kbd)>$/i;
const COMMENT = /^\s*<!--[\s\S]*?-->\s*$/;
const TAG = /<!--[\s\S]*?-->|<[^<>]*>|[^<]+|</g;

/** @param path of the page within docs/, such as `runbooks/InletMailDeferred.md` */
export function renderMarkdown(markdown: string, path: string): RenderedPage {
  const slugOf = createSlugs();
  const sections: { id: string; title: string }[] = [];
  let title = '';

  const marked = new Marked({
    gfm: true,
    renderer: {
      heading(this: Renderer, { tokens, depth }: Tokens.Heading) {
        const text = plainText(tokens);
        const id = slugOf(text);
        if (depth === 1 && title === '') title = text;
        if (depth === 2) sections.push({ id, title: text });
        const link = ` <a class="anchor" href="#${id}" aria-label="Link to this section">#</a>`;
        const anchor = depth === 1 ? '' : link;
        return `<h${depth} id="${id}">${this.parser.parseInline(tokens)}${anchor}</h${depth}>\n`;
      },
      table(this: Renderer, token: Tokens.Table) {
        return `<div class="scroll">${new Renderer(this.options).table.call(this, token)}</div>\n`;
      },
      checkbox: ({ checked }: Tokens.Checkbox) => (checked ? '☑ ' : '☐ '),
      html: ({ text }: Tokens.HTML | Tokens.Tag) => safeHtml(text),
      link(this: Renderer, { href, tokens }: Tokens.Link) {
        const text = this.parser.parseInline(tokens);
        const target = linkTarget(href, path);
        return target === undefined ? text : `<a href="${escapeHtml(target)}">${text}</a>`;
      },
      image: ({ href, text }: Tokens.Image) =>
        isRelative(href) && !leavesDocs(href, path)
          ? `<img src="${escapeHtml(href)}" alt="${escapeHtml(text)}">`
          : escapeHtml(text),
    },
  });
  const html = marked.parse(markdown, { async: false });
  return { title: title === '' ? path : title, html, sections };
}

/** The target of a link on the served page; undefined when a browser cannot open it. */
function linkTarget(href: string, path: string): string | undefined {
  if (/^(https?:|mailto:)/i.test(href) || href.startsWith('#')) return href;
  if (/^\/(?!\/)/.test(href)) return href; // a path of this server, such as /v1/docs
  if (!isRelative(href) || leavesDocs(href, path)) return undefined;
  const [, file = '', fragment = ''] = /^([^#]*)(#.*)?$/.exec(href) ?? [];
  return file.replace(/(^|\/)README\.md$/, '$1./').replace(/\.md$/, '') + fragment;
}

const isRelative = (href: string): boolean => !/^([a-z][a-z\d+.-]*:|\/|#)/i.test(href.trim());

/** Whether a relative link leads to a file of the repository that is not served. */
const leavesDocs = (href: string, path: string): boolean =>
  posix.join(posix.dirname(path), href).startsWith('..');

const safeHtml = (html: string): string =>
  (html.match(TAG) ?? [])
    .filter((piece) => !COMMENT.test(piece))
    .map((piece) => (ALLOWED_TAG.test(piece) ? piece : escapeHtml(piece)))
    .join('');

type InlineToken = { type: string; text?: string; tokens?: InlineToken[] };

const plainText = (tokens: readonly InlineToken[]): string =>
  tokens
    .filter(({ type }) => type !== 'html')
    .map((token) => (token.tokens ? plainText(token.tokens) : (token.text ?? '')))
    .join('')
    .trim();

/** Ids as GitHub makes them, so that a link works on both. */
function createSlugs(): (text: string) => string {
  const uses = new Map<string, number>();
  return function slugOf(text) {
    const slug = text
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}\p{M}_\- ]/gu, '')
      .replaceAll(' ', '-');
    const earlier = uses.get(slug) ?? 0;
    uses.set(slug, earlier + 1);
    return earlier === 0 ? slug : `${slug}-${earlier}`;
  };
}
