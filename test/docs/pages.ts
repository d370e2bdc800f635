/** The pages that readers see: README.md and docs/, and the fenced code blocks in them. */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';

export const CHECKOUT = join(import.meta.dirname, '..', '..');

export type Page = {
  /** Relative to the checkout, such as `docs/api.md`. */
  path: string;
  text: string;
};

export type CodeBlock = { language: string; code: string };

export async function readPage(path: string): Promise<Page> {
  return { path, text: await readFile(join(CHECKOUT, path), 'utf8') };
}

/** README.md first, then every page of docs/ and its folders. */
export async function readPages(): Promise<Page[]> {
  const names = await readdir(join(CHECKOUT, 'docs'), { recursive: true });
  const pages = names.filter((name) => name.endsWith('.md')).toSorted();
  return Promise.all(['README.md', ...pages.map((name) => `docs/${name}`)].map(readPage));
}

/** In the order of the page. */
export const codeBlocks = ({ text }: Page): CodeBlock[] =>
  [...text.matchAll(/^ *```(\w+)\n([\s\S]*?)^ *```$/gm)].map(([, language = '', code = '']) => ({
    language,
    code,
  }));

/** The text of a page outside its code blocks. */
export const proseOf = ({ text }: Page): string => text.replaceAll(/^ *```[\s\S]*?^ *```$/gm, '');

/**
 * Anchors as GitHub makes them: lower case, punctuation removed, spaces to hyphens; repeated ones
 * get -1, -2 …
 */
export function anchorsOf(page: Page): Set<string> {
  const seen = new Map<string, number>();
  const anchors = new Set<string>();
  for (const [, heading = ''] of proseOf(page).matchAll(/^#{1,6} +(.+?) *$/gm)) {
    const text = heading.replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1');
    const slug = text
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}\p{M}_ -]/gu, '')
      .replaceAll(' ', '-');
    const count = seen.get(slug) ?? 0;
    seen.set(slug, count + 1);
    anchors.add(count === 0 ? slug : `${slug}-${count}`);
  }
  for (const [, id = ''] of page.text.matchAll(/<a (?:id|name)="([^"]+)"/g)) anchors.add(id);
  return anchors;
}
