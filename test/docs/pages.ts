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
