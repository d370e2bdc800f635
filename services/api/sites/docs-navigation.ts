/** The order of the docs, as docs/README.md lists them: the sidebar, and from one page to the next. */
import { posix } from 'node:path';

import { escapeHtml } from './html-page.ts';

/** Names of pages, such as `settings`, or `examples/` for a folder with a README.md. */
type NavigationGroup = { title: string; names: string[] };

type Titles = ReadonlyMap<string, { title: string }>;

/** The bold rows of the table are groups. Pages that it does not list follow, folder by folder. */
export function navigationOf(readme: string, pages: Titles): NavigationGroup[] {
  const groups: NavigationGroup[] = [];
  const listed = new Set(['README']);
  for (const row of readme.split('\n').filter((line) => line.startsWith('| '))) {
    const [, group] = /^\| \*\*(.+?)\*\* \|/.exec(row) ?? [];
    if (group !== undefined) groups.push({ title: group, names: [] });
    for (const [, target = ''] of row.matchAll(/\]\(([^)#]+)/g)) {
      const name = target.replace(/\.md$/, '');
      if (pages.has(name) && !listed.has(name)) groups.at(-1)?.names.push(name);
      listed.add(name);
    }
  }
  const others = [...pages.keys()].filter((name) => !listed.has(name));
  for (const [folder, names = []] of Object.entries(
    Object.groupBy(others, (name) => posix.dirname(name)),
  ))
    groups.push({ title: folder === '.' ? 'More' : folderTitle(folder), names });
  return groups;
}

/** Folders that are long are folded, except around the current page. */
export function sidebarHtml(
  groups: readonly NavigationGroup[],
  pages: Titles,
  root: string,
  current: string,
): string {
  return groups
    .map(({ title, names }) => {
      const items = names.map((name) => {
        const mark = name === current ? ' aria-current="page"' : '';
        return `<li><a href="${hrefOf(name, root)}"${mark}>${escapeHtml(titleOf(name, pages))}</a>`;
      });
      const list = `<ul>${items.join('\n')}</ul>`;
      const heading = escapeHtml(title);
      if (!names.every((name) => name.includes('/'))) return `<h2>${heading}</h2>\n${list}`;
      const isOpen = names.includes(current) ? ' open' : '';
      return `<details${isOpen}><summary>${heading}</summary>\n${list}</details>`;
    })
    .join('\n');
}

/** Links to the pages before and after. */
export function turnHtml(
  groups: readonly NavigationGroup[],
  pages: Titles,
  root: string,
  current: string,
): string {
  const names = groups.flatMap((group) => group.names);
  const at = names.indexOf(current);
  const before = at === -1 ? undefined : names[at - 1];
  const after = current === 'README' ? names[0] : at === -1 ? undefined : names[at + 1];
  const link = (name: string | undefined, rel: string, label: string) =>
    name === undefined
      ? ''
      : `<a rel="${rel}" href="${hrefOf(name, root)}"><small>${label}</small>` +
        `${escapeHtml(titleOf(name, pages))}</a>`;
  const links = [link(before, 'prev', 'Previous'), link(after, 'next', 'Next')].join('');
  return links && `<nav class="turn" aria-label="Next and previous page">${links}</nav>`;
}

const hrefOf = (name: string, root: string): string =>
  root + encodeURI(name.replace(/(^|\/)README$/, '$1'));

const titleOf = (name: string, pages: Titles): string => pages.get(name)?.title ?? name;

export const folderTitle = (folder: string): string =>
  folder.charAt(0).toUpperCase() + folder.slice(1);
