/** The docs write commands and variables in one way, and name nothing that is not published. */
import { expect, test } from 'vitest';

import { codeBlocks, type Page, readPages } from './pages.ts';

const HISTORY = 'docs/CHANGELOG.md';
/** The page that says what to do at the first release. */
const RELEASE = 'docs/clients/README.md';

const pages = (await readPages()).filter(({ path }) => path !== HISTORY);
const found = (inText: RegExp, isWritten: (page: Page) => string): string[] =>
  pages.flatMap((page) =>
    isWritten(page)
      .split('\n')
      .filter((line) => inText.test(line))
      .map((line) => `${page.path}: ${line}`),
  );
const wholeText = ({ text }: Page): string => text;
const code = (page: Page): string =>
  codeBlocks(page)
    .map((block) => block.code)
    .join('\n');

test('a command is `inlet …`, and each page with one for a checkout has the same alias', () => {
  expect(found(/npm run (send|admin)\b/, wholeText)).toEqual([]);
  const others = found(/npm exec\b.*\binlet\b/, wholeText);
  expect(others.filter((line) => !line.includes('alias inlet="npm exec inlet --"'))).toEqual([]);
  expect(others.length).toBeGreaterThan(0);
});

test('the variables are INLET_TOKEN and INLET_API_URL, as in the command and the clients', () => {
  const other = String.raw`(API_URL|TOKEN|API_TOKEN|INLET_URL)\b`;
  const read = String.raw`\$\{?|env\.|environ(\.get\(|\[)"|[gG]etenv\(.|export ([A-Z_]+=\S+ )*`;
  expect(found(new RegExp(`(${read})${other}`), wholeText)).toEqual([]);
  expect(found(new RegExp(`\`${other}\``), wholeText)).toEqual([]);
  expect(found(/\bINLET_API_URL\b/, code).length).toBeGreaterThan(0);
});

test('no page gives a command or a link for what is not published', () => {
  const installs =
    /(npm (install|i)|npx|pip install|uv add) [^|]*(?<!\.\/)(@inlet-email|inlet-client)/;
  expect(found(installs, wholeText).filter((line) => !line.startsWith(RELEASE))).toEqual([]);
  expect(found(/releases\/latest/, wholeText)).toEqual([]);
});

test('a page that needs a file with credentials shows first what is in it', () => {
  const needs = pages.filter((page) => code(page).includes('--credentials-file'));
  expect(needs.map(({ path }) => path)).toContain('docs/attachments-to-a-bucket.md');
  const unexplained = needs.filter(
    ({ text }) => !text.slice(0, text.indexOf('--credentials-file')).includes('"access_key_id"'),
  );
  expect(unexplained.map(({ path }) => path)).toEqual([]);
});
