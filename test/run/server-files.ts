/**
 * Divides the test files into those that need the servers of global-setup.ts, and the others, which
 * run without. A file needs them if it calls vitest's `inject`, or imports a file of test/ that does,
 * because nothing else gives it the address or the path of a server. Files that measure what load
 * costs have a name of their own.
 */
import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

const IMPORTS = /\b(?:from|import)\s*\(?\s*'(\.[^']+\.ts)'/g;
const NEEDS_SERVERS = /\binject\(/;

export type TestFiles = {
  withServers: string[];
  withoutServers: string[];
  /** `*.load.test.ts`: they need the machine for themselves. */
  underLoad: string[];
};

/** @returns paths relative to `checkout` */
export function divideTestFiles(checkout: string, exclude: readonly string[] = []): TestFiles {
  const files = globSync('test/**/*.test.ts', { cwd: checkout, exclude: [...exclude] }).toSorted();
  const sources = new Map<string, { needsServers: boolean; imports: string[] }>();

  function read(path: string) {
    const text = readFileSync(join(checkout, path), 'utf8');
    const imports = Array.from(text.matchAll(IMPORTS), ([, to = '']) => join(dirname(path), to));
    const source = {
      needsServers: NEEDS_SERVERS.test(text),
      imports: imports.filter((to) => to.startsWith('test/') && existsSync(join(checkout, to))),
    };
    sources.set(path, source);
    return source;
  }

  function needsServers(path: string, seen = new Set<string>()): boolean {
    if (seen.has(path)) return false;
    seen.add(path);
    const source = sources.get(path) ?? read(path);
    return source.needsServers || source.imports.some((to) => needsServers(to, seen));
  }

  const kindOf = (path: string): keyof TestFiles => {
    if (path.endsWith('.load.test.ts')) return 'underLoad';
    return needsServers(path) ? 'withServers' : 'withoutServers';
  };
  const { withServers = [], withoutServers = [], underLoad = [] } = Object.groupBy(files, kindOf);
  return { withServers, withoutServers, underLoad };
}
