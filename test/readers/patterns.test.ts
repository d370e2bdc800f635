/**
 * Regular expressions over what a stranger sends take linear time, whatever the text: none has two
 * repetitions that can share characters, or begins a long search at each character. `BOUNDED` has the
 * exceptions, and the longest text that each may see.
 */
import { execFileSync } from 'node:child_process';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { analyse } from 'scslre';
import { beforeAll, expect, test } from 'vitest';
import { parseAst } from 'vitest/node';

const SERVICES = join(import.meta.dirname, '..', '..', 'services');
const FOLDERS = [
  'adapters/mime',
  'core/expression',
  'core/extract',
  'core/hook',
  'core/html',
  'core/mail',
  'core/mcp',
  'core/smtp',
];

/** The longest text that a pattern may see, where its time is not linear. */
const BOUNDED: Readonly<Record<string, number>> = {
  // core/extract/code-candidates.ts: a piece, and what is before one
  "/^[.,:'’*‐‑–—-]+|[.,:'’*‐‑–—-]+$/g": 60,
  '/(?:\\*{3,}\\s?|•{2,}\\s?|(?<!\\p{L})x{2,}[\\s-]?)$/iu': 12,
  // core/extract/forwarded/read-forwarded.ts: the beginning of a line
  '/(?:"[^"]*"|(?:\\p{Lu}\\S*\\s+){1,4}|)\\s*[<(][^<>()@]+@[^<>()]+[>)]/u': 600,
  // core/smtp/quoted-local-part.ts: a command
  '/(?<=<(?:@[^"<>]*:)?)"(?:[^"\\\\]|\\\\.)*"(?=@)/': 2_048,
  // adapters/mime/base64.ts: the last bytes
  '/(={0,2})[\\r\\n]*$/': 8,
};

/** Readers of header fields have patterns that trim at the end: linear.test.ts measures them. */
const MEASURED = [
  'adapters/mime/head.ts',
  'adapters/mime/outline.ts',
  'adapters/mime/parameters.ts',
  'core/mail/fields/mail-date.ts',
  'core/mail/signature-field.ts',
  'core/mail/signed-head.ts',
];

type Pattern = { file: string; source: string; flags: string };
type Node = { [key: string]: unknown };

const patterns: Pattern[] = [];

beforeAll(async () => {
  const building: string[] = [];
  for (const folder of FOLDERS)
    for (const path of await readdir(join(SERVICES, folder), { recursive: true })) {
      const file = join(folder, path);
      if (!path.endsWith('.ts') || MEASURED.includes(file)) continue;
      const text = await readFile(join(SERVICES, file), 'utf8');
      literals(parseAst(text, { lang: 'ts' }), ({ pattern, flags }) =>
        patterns.push({ file, source: pattern, flags }),
      );
      if (/\bnew RegExp\(|\bRegExp\(/.test(text)) building.push(join(SERVICES, file));
    }
  const built = execFileSync(
    process.execPath,
    [join(import.meta.dirname, 'built-patterns.ts'), ...building],
    { encoding: 'utf8' },
  );
  for (const line of built.trim().split('\n'))
    patterns.push({ file: 'built', ...(JSON.parse(line) as Omit<Pattern, 'file'>) });
});

function literals(node: unknown, found: (regex: { pattern: string; flags: string }) => void): void {
  if (typeof node !== 'object' || node === null) return;
  const { regex } = node as Node;
  if (typeof regex === 'object' && regex !== null)
    found(regex as { pattern: string; flags: string });
  for (const child of Object.values(node)) literals(child, found);
}

test('each takes linear time, or sees a short text', () => {
  expect(patterns.length).toBeGreaterThan(150);
  const slow = patterns.filter(
    ({ source, flags }) => analyse(new RegExp(source, flags)).reports.length > 0,
  );
  const unlisted = slow.filter(({ source, flags }) => !(`/${source}/${flags}` in BOUNDED));
  expect(unlisted).toEqual([]);
  const known = new Set(slow.map(({ source, flags }) => `/${source}/${flags}`));
  expect(Object.keys(BOUNDED).filter((one) => !known.has(one))).toEqual([]);
});
