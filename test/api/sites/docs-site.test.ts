/**
 * The pages of docs/ as the API serves them: without a token, outside of token limits, under a
 * strict policy.
 */
import { mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';

import { renderDocsSite } from '../../../services/api/sites/docs-pages.ts';
import { createDocsSite, DOCS_FOLDER } from '../../../services/api/sites/docs-site.ts';
import { renderMarkdown } from '../../../services/api/sites/markdown.ts';
import { testDir } from '../../support/servers.ts';
import { startTestApi } from '../../support/start-api.ts';
import { useInFile } from '../../support/use-in-file.ts';

const api = await useInFile(startTestApi({ env: { RATE_LIMIT_PER_MINUTE: '1' } }));
const pages = (await readdir(DOCS_FOLDER, { recursive: true }))
  .filter((file) => file.endsWith('.md'))
  .map((file) => file.replace(/\.md$/, ''));

const get = (path: string, init?: RequestInit) =>
  fetch(`${api.url}${path}`, { redirect: 'manual', ...init });

describe('pages', () => {
  test('every page of docs/ has a title, and nothing from elsewhere', async () => {
    expect(pages.length).toBeGreaterThan(0);
    for (const page of pages) {
      const response = await get(`/docs/${page}`);
      const text = await response.text();
      expect([page, response.status, text.match(/<h1 /g)?.length]).toEqual([page, 200, 1]);
      const foreign =
        /<script(?! (type="module" )?src="[./]*assets\/)|<iframe|src="(https?:)?\/\/|style="/i;
      expect([page, foreign.exec(text)?.[0]]).toEqual([page, undefined]);
    }
  });

  test('every link within docs/ leads to a page that exists, and to a section of it', async () => {
    const site = await renderDocsSite(DOCS_FOLDER);
    const broken: string[] = [];
    for (const page of pages) {
      const text = String(site.pages.get(page)?.body);
      for (const [, href = ''] of text.matchAll(/<(?:a|img) [^>]*?(?:href|src)="([^"]+)"/g)) {
        if (/^(https?:|mailto:|\/v1\/|\/dashboard\/)/.test(href)) continue;
        const { pathname, hash } = new URL(href.replaceAll('&#38;', '&'), `https://x/docs/${page}`);
        const name = decodeURIComponent(pathname.replace(/^\/docs\//, ''));
        const target = site.pages.get(name) ?? site.pages.get(`${name}/`) ?? site.files.get(name);
        const id = decodeURIComponent(hash.slice(1));
        if (!target || (id !== '' && !String(target.body).includes(`"${id}"`)))
          broken.push(`${page}: ${href}`);
      }
    }
    expect(broken).toEqual([]);
  });

  test.each(['', '.md', '.html'])('a runbook is found as %s, and below /v1', async (ending) => {
    const runbook = pages.find((page) => page.startsWith('runbooks/')) ?? 'runbooks/none';
    for (const root of ['/docs', '/v1/docs'])
      expect((await get(`${root}/${runbook}${ending}`)).status).toBe(200);
  });

  test('settings with secrets, as in the folder of one machine, are not served', async () => {
    await using dir = await testDir();
    const folder = join(dir.path, 'examples', 'one-machine');
    await mkdir(join(folder, 'tls'), { recursive: true });
    for (const file of ['inlet.env', '.env', 'tls/key.pem', 'compose.yaml'])
      await writeFile(join(folder, file), 'SECRET_KEYS=x');
    const { files } = await renderDocsSite(dir.path);
    expect([...files].filter(([, { body }]) => String(body) === 'SECRET_KEYS=x')).toMatchObject([
      ['examples/one-machine/compose.yaml', {}],
    ]);
  });

  test('each page is also there as Markdown, and llms.txt lists all of them', async () => {
    const source = await get('/docs/settings.md');
    expect([source.status, source.headers.get('content-type')]).toEqual([
      200,
      'text/markdown; charset=utf-8',
    ]);
    expect(await source.text()).toMatch(/^# Settings/);
    expect(await (await get('/docs/settings')).text()).toContain(
      '<link rel="alternate" type="text/markdown" href="settings.md">',
    );
    const list = await get('/llms.txt', { redirect: 'follow' });
    expect(list.url).toBe(`${api.url}/docs/llms.txt`);
    const text = await list.text();
    expect(text).toMatch(/^# Inlet\n\n> .+\n\n## API\n/);
    expect(text).toContain('(/v1/openapi.json)');
    const linked = [...text.matchAll(/\]\(([^)/][^)]*)\.md\)/g)].map(([, name]) => name);
    expect(new Set(linked)).toEqual(new Set(pages.filter((name) => name !== 'README')));
    const [title, , about = ''] = (await (await get('/docs/retention.md')).text()).split('\n');
    expect(text).toContain(`- [${title?.slice(2)}](retention.md): ${about.slice(0, 40)}`);
  });

  test('P.3: /docs/ lists every page in its sidebar', async () => {
    const list = await (await get('/docs/')).text();
    for (const page of pages.filter((name) => name !== 'README'))
      expect(list).toContain(`href="./${page.replace(/\/README$/, '/')}"`);
    const { status, headers } = await get('/docs');
    expect([status, headers.get('location')]).toEqual([302, 'docs/']);
    const folder = await get('/docs/runbooks', { redirect: 'follow' });
    expect(folder.url).toBe(`${api.url}/docs/runbooks/`);
    const runbooks = await folder.text();
    for (const page of pages.filter((name) => name.startsWith('runbooks/')))
      expect(runbooks).toContain(`href="${page.replace('runbooks/', '')}"`);
  });

  test('P.3: a page leads to the one before and the one after, in the order of docs/README.md', async () => {
    const readme = await (await get('/docs/README.md')).text();
    const table = readme.slice(readme.indexOf('| **'));
    const order = [...table.matchAll(/\]\(([\w/-]+)\.md\)/g)].map(([, name = '']) => name);
    const inRoot = (at: number) => order.slice(at, at + 3).every((name) => !name.includes('/'));
    const begin = order.findIndex((_, at) => inRoot(at));
    const [first = '', second = '', third = ''] = order.slice(begin);
    const text = await (await get(`/docs/${second}`)).text();
    expect(text).toContain(`<a rel="prev" href="./${first.replace(/README$/, '')}">`);
    expect(text).toContain(`<a rel="next" href="./${third.replace(/README$/, '')}">`);
    expect(text).toMatch(new RegExp(`href="./${second}" aria-current="page"`));
  });

  test('P.3: the search index has every section, as text', async () => {
    type Indexed = { path: string; sections: [id: string, title: string, text: string][] };
    const index = (await (await get('/docs/search.json')).json()) as Indexed[];
    const paths = index.map(({ path }) => path.replace(/(^|\/)$/, '$1README'));
    expect(new Set(paths)).toEqual(new Set(pages));
    const settings = index.find(({ path }) => path === 'settings');
    expect(settings?.sections.length).toBeGreaterThan(3);
    expect(JSON.stringify(settings)).toContain('RETRY_SCHEDULE');
    expect(JSON.stringify(index)).not.toMatch(/<code>|&quot;|&#\d/);
  });

  test.each([
    '/docs/',
    '/docs/search.json',
    '/v1/docs',
    '/v1/openapi.json',
    '/docs/assets/page.mjs',
  ])('P.3: %s is compressed, and each form of it has its own tag', async (path) => {
    const tags = new Set<string | null>();
    const texts = new Set<string>();
    for (const encoding of ['br', 'gzip', 'identity']) {
      const response = await get(path, { headers: { 'accept-encoding': encoding } });
      expect(response.headers.get('content-encoding') ?? 'identity').toBe(encoding);
      expect(response.headers.get('vary')).toBe('Accept-Encoding');
      tags.add(response.headers.get('etag'));
      texts.add(await response.text());
    }
    expect([tags.size, texts.size]).toEqual([3, 1]);
  });

  test('an unknown page is 404 with a link to the list; only GET and HEAD are allowed', async () => {
    for (const path of [
      'nothing',
      'runbooks/nothing',
      '../package.json',
      '..%2f..%2fpackage.json',
    ]) {
      const response = await get(`/docs/${path}`);
      expect(response.status).toBe(404);
    }
    expect(await (await get('/docs/nothing')).text()).toContain('href="/docs/"');
    const { status, headers } = await get('/docs/', { method: 'POST' });
    expect([status, headers.get('allow')]).toEqual([405, 'GET, HEAD']);
    expect((await get('/docs/', { method: 'HEAD' })).status).toBe(200);
  });

  test('a page is not sent again to a client that has it', async () => {
    const etag = (await get('/docs/')).headers.get('etag') ?? '';
    expect((await get('/docs/', { headers: { 'if-none-match': etag } })).status).toBe(304);
  });

  test('P.3: the policy allows only scripts, styles and images of this server', async () => {
    const { headers } = await get('/docs/');
    expect(headers.get('content-security-policy')).toMatch(
      /^default-src 'none'; script-src 'self'; style-src 'self'; .*; trusted-types 'none'$/,
    );
    expect(headers.get('cache-control')).toBe('no-cache');
  });

  test('pages do not count as requests of a token', async () => {
    const headers = { authorization: `Bearer ${api.token}` };
    for (let i = 0; i < 3; i++) {
      const response = await get('/docs/', { headers });
      expect([response.status, response.headers.get('x-ratelimit-limit')]).toEqual([200, null]);
    }
    expect((await api.ask('GET', '/v1/account')).status).toBe(200);
  });
});

test('images are served unchanged, and an SVG that is opened directly runs nothing', async () => {
  await using dir = await testDir();
  const folder = dir.path;
  await mkdir(join(folder, 'images'));
  await writeFile(join(folder, 'images', 'path.svg'), '<svg/>');
  await writeFile(join(folder, 'page.md'), '# A page\n\n![The path](images/path.svg)\n');
  const { pages: rendered, files } = await renderDocsSite(folder);
  expect(files.get('images/path.svg')).toMatchObject({ type: 'image/svg+xml' });
  expect(String(rendered.get('page')?.body)).toContain(
    '<img src="images/path.svg" alt="The path">',
  );
});

test('the pages are rendered once, at the first request; a failure is not cached', async () => {
  await using dir = await testDir();
  const folder = join(dir.path, 'docs');
  const docsSite = createDocsSite(folder);
  await mkdir(join(folder, 'page.md'), { recursive: true }); // cannot be read as a file
  await expect(docsSite()).rejects.toThrow('EISDIR');
  await rm(join(folder, 'page.md'), { recursive: true });
  await writeFile(join(folder, 'page.md'), '# A page\n');
  const [site, other] = await Promise.all([docsSite(), docsSite()]);
  expect([...site.pages.keys()]).toEqual(['page', '']);
  expect(other).toBe(site);
  expect(await docsSite()).toBe(site);
});

const html = (markdown: string, path = 'page.md') => renderMarkdown(markdown, path).html;

describe('Markdown', () => {
  test.each([
    ['a script', '<script>alert(1)</script>'],
    ['a script within a line', 'a <script>alert(1)</script> b'],
    ['an event handler', '<img src=x onerror=alert(1)>'],
    ['a handler on an allowed tag', '<details ontoggle=alert(1)>'],
    ['a script in a comment that does not end', '<!-- a --> <script>alert(1)</script>'],
    ['a script address', '[x](javascript:alert(1))'],
    ['a script address with a tab', '[x](java&#9;script:alert(1))'],
    ['a data address', '[x](data:text/html,<script>alert(1)</script>)'],
    ['an image from elsewhere', '![x](https://elsewhere.example/x.png)'],
    ['an image without a scheme', '![x](//elsewhere.example/x.png)'],
    ['quotes in a link', '[x](a"onmouseover="alert(1))'],
  ])('%s is shown as text', (_, markdown) => {
    const rendered = html(markdown);
    expect(rendered).not.toMatch(/<(script|img|details)\b|="(javascript|data):/i);
    expect(rendered).not.toMatch(/<[^>]*\son\w+=/i);
  });

  test.each([
    ['[x](settings.md)', 'settings'],
    ['[x](../monitoring.md#alerts)', '../monitoring#alerts'],
    ['[x](README.md)', './'],
    ['[x](#here)', '#here'],
    ['[x](/v1/docs)', '/v1/docs'],
    ['[x](https://example.com/a.md)', 'https://example.com/a.md'],
  ])('%s leads to %s', (markdown, href) => {
    expect(html(markdown, 'runbooks/page.md')).toContain(`<a href="${href}">x</a>`);
  });

  test('a link to a file that is not served is text', () => {
    expect(html('[x](../services/api/api.ts)')).toBe('<p>x</p>\n');
  });

  test('headings have the ids that GitHub gives them', () => {
    const rendered = html('# One `two` & 3.4\n\n## Ünï\n\n## Ünï\n');
    expect([...rendered.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id)).toEqual([
      'one-two--34',
      'ünï',
      'ünï-1',
    ]);
  });

  test('anchors, line breaks and folded sections may be written as HTML', () => {
    expect(html('<a id="d22"></a>D22<br>x')).toContain('<a id="d22"></a>D22<br>x');
    expect(html('<details>\n<summary>More</summary>\n\ntext\n\n</details>\n')).toContain(
      '<details>\n<summary>More</summary>',
    );
  });
});
