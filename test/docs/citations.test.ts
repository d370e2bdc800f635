/**
 * Every citation in code, tests, chart and docs leads somewhere: `D22` to an entry of
 * docs/project/decisions.md, `spec 6.1` to a section of docs/project/specification.md, `checklist 16` to a row of
 * docs/project/smtp-checklist.md, and a page to a file.
 */
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

import { beforeAll, describe, expect, test } from 'vitest';

import { anchorsOf, CHECKOUT, type Page, readPage } from './pages.ts';

const FOLDERS = ['services', 'test', 'charts', 'docs', '.github', '.ci'];
const FILES = ['README.md', 'Dockerfile', 'skaffold.yaml'];
/** Data from elsewhere, and this file, whose patterns look like citations. */
const EXCLUDED =
  /^test\/fixtures\/|^test\/docs\/citations\.test\.ts$|\.(golden\.(json|yaml)|eml|pem|png)$/;

type Citation = { at: string; cited: string };
type Source = { path: string; lines: string[] };

let sources: Source[];
beforeAll(async () => {
  const listed = execFileSync(
    'git',
    ['ls-files', '-co', '--exclude-standard', ...FOLDERS, ...FILES],
    {
      cwd: CHECKOUT,
      encoding: 'utf8',
    },
  );
  const paths = listed.split('\n').filter((path) => path !== '' && !EXCLUDED.test(path));
  sources = await Promise.all(
    paths
      .filter((path) => existsSync(join(CHECKOUT, path)))
      .map(async (path) => ({
        path,
        lines: (await readFile(join(CHECKOUT, path), 'utf8')).split('\n'),
      })),
  );
});

/** The first group of each match, with file and line. */
function citationsOf(pattern: RegExp): Citation[] {
  return sources.flatMap(({ path, lines }) =>
    lines.flatMap((line, index) =>
      [...line.matchAll(pattern)].map(([, cited = '']) => ({ at: `${path}:${index + 1}`, cited })),
    ),
  );
}

const missing = (citations: Citation[], exists: (cited: string) => boolean): Citation[] =>
  citations.filter(({ cited }) => !exists(cited));

const headingsOf = ({ text }: Page): string[] =>
  [...text.matchAll(/^#{1,6} +(.+)$/gm)].map(([, title = '']) => title);

/** `6.1` of each section, and `5.1.3` of each item of its numbered list. */
function sectionsOf({ text }: Page): Set<string> {
  const numbers = new Set<string>();
  let section = '';
  for (const line of text.split('\n')) {
    section = /^#{2,3} (\d+(?:\.\d+)?)\.? /.exec(line)?.[1] ?? section;
    if (section === '') continue;
    numbers.add(section);
    const item = /^(\d+)\. /.exec(line)?.[1];
    if (item !== undefined) numbers.add(`${section}.${item}`);
  }
  return numbers;
}

test('D22 is an entry of docs/project/decisions.md', async () => {
  const entries = new Set(headingsOf(await readPage('docs/project/decisions.md')));
  const citations = citationsOf(/(?<![\w.#-])(D[1-9]\d?)(?![\w-])/g);
  expect(citations.length).toBeGreaterThan(200);
  expect(missing(citations, (entry) => entries.has(entry))).toEqual([]);
});

test('spec 6.1 is a section of the specification, spec 5.1.3 an item in one', async () => {
  const sections = sectionsOf(await readPage('docs/project/specification.md'));
  const citations = citationsOf(
    /\b[Ss]pec(?:ification)?,? (?:section |sections )?(\d+(?:\.\d+)*)(?!\d|\.\d)/g,
  );
  expect(citations.length).toBeGreaterThan(80);
  expect(missing(citations, (section) => sections.has(section))).toEqual([]);
});

test('checklist 16 is a row of docs/project/smtp-checklist.md', async () => {
  const { text } = await readPage('docs/project/smtp-checklist.md');
  const rows = new Set([...text.matchAll(/^\| (\d+) \|/gm)].map(([, number = '']) => number));
  const citations = citationsOf(/\bchecklist ((?:\d+(?:, | and )?)+)/g).flatMap(({ at, cited }) =>
    (cited.match(/\d+/g) ?? []).map((number) => ({ at, cited: number })),
  );
  expect(citations.length).toBeGreaterThan(40);
  expect(missing(citations, (row) => rows.has(row))).toEqual([]);
});

test('a page that is named exists, and so does its anchor', async () => {
  const citations = citationsOf(/(?<![\w/.:-])(docs\/[\w/-]+\.md(?:#[\w-]+)?)/g);
  const anchors = new Map<string, Set<string>>();
  for (const path of new Set(citations.map(({ cited }) => cited.split('#', 1)[0] ?? '')))
    if (existsSync(join(CHECKOUT, path))) anchors.set(path, anchorsOf(await readPage(path)));
  const exists = (cited: string) => {
    const [path = '', anchor] = cited.split('#');
    return anchor === undefined ? anchors.has(path) : anchors.get(path)?.has(anchor) === true;
  };
  expect(missing(citations, exists)).toEqual([]);
});

describe('nothing cites a document that a reader cannot open', () => {
  test.each([
    ['the design', /(design,? §\s*\d*)/gi],
    ['the style guide', /((?<![\w-])style\.md|\(style[,)])/g],
    ['shared documents', /(shared\/\w[\w-]*\.md)/g],
  ])('%s', (_, pattern) => {
    expect(citationsOf(pattern)).toEqual([]);
  });
});
