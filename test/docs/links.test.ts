/**
 * Every relative link in README.md, docs/ and .github/ leads to a file of the repository, and every
 * #anchor to a heading of it.
 */
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join, normalize } from 'node:path';

import { expect, test } from 'vitest';

import { anchorsOf, CHECKOUT, type Page, proseOf, readPage, readPages } from './pages.ts';

type Link = { from: string; target: string; anchor: string };

/** Links with a scheme are not checked: no test needs the internet. */
function linksOf(page: Page): Link[] {
  const folder = join(page.path, '..');
  return [...proseOf(page).matchAll(/\]\(([^)\s]+)\)/g)]
    .map(([, link = '']) => link)
    .filter((link) => !/^[a-z]+:/.test(link))
    .map((link) => {
      const [path = '', anchor = ''] = link.split('#');
      return {
        from: page.path,
        target: path === '' ? page.path : normalize(join(folder, path)),
        anchor,
      };
    });
}

const readLinkingPages = async (): Promise<Page[]> => [
  ...(await readPages()),
  ...(await Promise.all(['.github/CONTRIBUTING.md', '.github/SECURITY.md'].map(readPage))),
];

test('every relative link resolves', async () => {
  const links = (await readLinkingPages()).flatMap(linksOf);
  expect(links.length).toBeGreaterThan(0);
  expect(links.filter(({ target }) => !existsSync(join(CHECKOUT, target)))).toEqual([]);
});

test('every anchor of a link is a heading of its page', async () => {
  const withAnchor = (await readLinkingPages())
    .flatMap(linksOf)
    .filter(({ anchor }) => anchor !== '');
  const unresolved = await Promise.all(
    withAnchor.map(async (link) => {
      if (!link.target.endsWith('.md') || !existsSync(join(CHECKOUT, link.target))) return [];
      const text = await readFile(join(CHECKOUT, link.target), 'utf8');
      return anchorsOf({ path: link.target, text }).has(link.anchor) ? [] : [link];
    }),
  );
  expect(unresolved.flat()).toEqual([]);
});

test.each([
  ['docs/architecture.md', 20],
  ['docs/project/internals.md', 40],
])('every path of the repository that %s names exists', async (page, atLeast) => {
  const { text } = await readPage(page);
  const roots = /^(services|test|charts|gateway|dispatcher|platform|core|adapters)\//;
  const paths = [...text.matchAll(/`([\w./-]+)`/g)]
    .map(([, path = '']) => path)
    .filter((path) => roots.test(path));
  expect(paths.length).toBeGreaterThan(atLeast);
  expect(
    paths.filter(
      (path) => ![path, `services/${path}`].some((one) => existsSync(join(CHECKOUT, one))),
    ),
  ).toEqual([]);
});

test('the pages and --help forward to the path at which the examples of receivers listen', async () => {
  for (const path of [
    'README.md',
    'docs/cli.md',
    'docs/local-development.md',
    'test/cli/help/listen.golden.txt',
  ]) {
    const { text } = await readPage(path);
    const targets = text.matchAll(
      /(?:--forward |post each email there: )(?:https?:\/\/)?(localhost[^\s`]*)/g,
    );
    const paths = Array.from(targets, ([, target = '']) => new URL(`http://${target}`).pathname);
    expect([path, new Set(paths)]).toEqual([path, new Set(['/'])]);
  }
});
