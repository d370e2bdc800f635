/**
 * The frame of the HTML pages of the API, which are the docs and its reference: bar with search,
 * sidebar, and text. Its scripts and its style are the files of browser/.
 */
import { readdir, readFile } from 'node:fs/promises';
import { extname, join } from 'node:path';

import { VERSION } from '../../core/version.ts';
import { type Asset, assetOf } from './asset.ts';

type Page = {
  title: string;
  /** URL of /docs/ from this page, with a slash at the end. */
  root: string;
  /** Trusted HTML, as are the following. */
  main: string;
  sidebar?: string;
  /** Beside the text: the sections of the page. */
  contents?: string;
  /** More of the head. */
  head?: string;
  isWide?: boolean;
};

const REFERENCE = '/v1/docs';

/** A whole document. */
export const htmlPage = ({
  title,
  root,
  main,
  sidebar = '',
  contents = '',
  head = '',
  isWide = false,
}: Page): string => `<!doctype html>
<html lang="en"><head><meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(title)}</title>
<link rel="icon" href="${root}assets/icon.svg">
<link rel="stylesheet" href="${root}assets/site.css">
<link rel="service-desc" type="application/json" href="/v1/openapi.json">${head}
<script src="${root}assets/scheme.mjs"></script>
<script type="module" src="${root}assets/page.mjs"></script></head>
<body>
<a class="skip" href="#text">To the text</a>
<header class="bar">
${sidebar && '<button type="button" class="menu-button" aria-expanded="false">Menu</button>'}
<a class="brand" href="${root}">Inlet <small>${escapeHtml(VERSION)}</small></a>
<form class="search" role="search" data-root="${root}">
<input type="search" placeholder="Search" aria-label="Search the documentation" autocomplete="off">
<div class="found"><p class="search-status" role="status"></p><ul class="results"></ul></div></form>
<a href="${root}">Guides</a> <a href="${REFERENCE}">API</a> <a href="/dashboard/">Dashboard</a>
<button type="button" class="scheme-button" aria-label="Light or dark">◐</button>
</header>
<div class="columns">
${sidebar && `<nav class="sidebar" aria-label="Pages">\n${SITES}\n${sidebar}\n</nav>`}
<div class="page${isWide ? ' wide' : ''}">
<main id="text">
${main}
</main>
${contents}
</div></div>
</body></html>
`;

/** In the bar where there is room for them. */
const SITES =
  `<ul class="only-narrow"><li><a href="${REFERENCE}">API reference</a>` +
  '<li><a href="/dashboard/">Dashboard</a></ul>';

const TYPES: Record<string, string> = {
  '.mjs': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
};

/** The scripts and the style of the pages, by their path below /docs/. */
export async function readPageFiles(): Promise<Map<string, Asset>> {
  const folder = join(import.meta.dirname, 'browser');
  const files = new Map<string, Asset>();
  for (const name of await readdir(folder)) {
    const type = TYPES[extname(name)];
    if (type !== undefined)
      files.set(`assets/${name}`, assetOf(type, await readFile(join(folder, name))));
  }
  return files;
}

export const escapeHtml = (text: string): string =>
  text.replaceAll(/[&<>"']/g, (sign) => `&#${sign.charCodeAt(0)};`);
