/** Which files of the repository a file imports, directly or not, read from their text. */
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

const IMPORTS = /\b(?:from|import)\s*\(?\s*'(\.[^']+\.ts)'/g;

export type Imports = {
  /** The file itself, and all that it reaches within this folder. Paths are relative. */
  reached(path: string, within?: string): Set<string>;
  text(path: string): string;
};

export function createImports(checkout: string): Imports {
  const sources = new Map<string, { text: string; imports: string[] }>();

  function read(path: string) {
    const text = readFileSync(join(checkout, path), 'utf8');
    const imports = Array.from(text.matchAll(IMPORTS), ([, to = '']) => join(dirname(path), to));
    const source = { text, imports: imports.filter((to) => existsSync(join(checkout, to))) };
    sources.set(path, source);
    return source;
  }
  const sourceOf = (path: string) => sources.get(path) ?? read(path);

  function reached(path: string, within = '', all = new Set<string>()): Set<string> {
    if (all.has(path)) return all;
    all.add(path);
    for (const to of sourceOf(path).imports) if (to.startsWith(within)) reached(to, within, all);
    return all;
  }
  return { reached, text: (path) => sourceOf(path).text };
}
