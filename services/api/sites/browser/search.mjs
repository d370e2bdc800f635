/**
 * The search of the docs: in an index of all sections, which is loaded with the first letter, and in
 * the calls of the OpenAPI document. The best matches come first, see ranking.mjs.
 */
import { element } from './element.mjs';
import { rank } from './ranking.mjs';

/** @typedef {import('./ranking.mjs').Section} Section */

const SHOWN = 12;
const EXCERPT = { before: 50, length: 170 };

/** @type {Promise<Section[]> | undefined} */
let loading;

export function startSearch() {
  const form = document.querySelector('form.search');
  const input = form?.querySelector('input');
  const results = form?.querySelector('.results');
  const status = form?.querySelector('.search-status');
  if (!form || !input || !(results instanceof HTMLElement) || !status) return;
  const root = form.getAttribute('data-root') ?? './';

  const update = async () => {
    const asked = input.value;
    if (asked.trim() === '') return hide();
    loading ??= load(root);
    const sections = await loading.catch(() => undefined);
    if (input.value !== asked) return; // a later letter searches again
    if (sections === undefined) {
      loading = undefined;
      status.textContent = 'The search index could not be loaded. Type again to retry.';
      return results.replaceChildren();
    }
    const { words, hits } = rank(asked, sections);
    status.textContent = countText(hits.length, asked);
    results.replaceChildren(...hits.slice(0, SHOWN).map((hit) => itemOf(hit, words)));
  };
  const hide = () => {
    results.replaceChildren();
    status.textContent = '';
  };
  const links = () => [...results.querySelectorAll('a')];

  input.addEventListener('input', () => void update());
  input.addEventListener('focus', () => {
    loading ??= load(root);
    loading.catch(() => (loading = undefined));
  });
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    links()[0]?.click();
  });
  form.addEventListener('keydown', (event) => {
    if (!(event instanceof KeyboardEvent)) return;
    const places = [input, ...links()];
    const at = places.findIndex((place) => place === document.activeElement);
    if (event.key === 'Escape') {
      input.value = '';
      hide();
      input.focus();
    } else if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
      event.preventDefault();
      places[at + (event.key === 'ArrowDown' ? 1 : -1)]?.focus();
    }
  });
  results.addEventListener('click', hide);
  document.addEventListener('click', ({ target }) => {
    if (target instanceof Node && !form.contains(target)) hide();
  });
  addEventListener('keydown', (event) => {
    const isTyping = event.target instanceof Element && event.target.matches('input, textarea');
    if (event.key !== '/' || isTyping || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    input.focus();
  });
}

/** @param {string} root @returns {Promise<Section[]>} */
async function load(root) {
  const [pages, calls] = await Promise.all([loadPages(root), loadCalls().catch(() => [])]);
  return [...pages, ...calls];
}

/** @param {string} root @returns {Promise<Section[]>} */
async function loadPages(root) {
  /** @type {{ path: string, title: string, sections: [string, string, string][] }[]} */
  const pages = await loadJson(`${root}search.json`);
  return pages.flatMap(({ path, title, sections }) =>
    sections.map(([id, section, text]) => ({
      href: `${root}${path}${id === '' ? '' : `#${id}`}`,
      page: title,
      section,
      text,
    })),
  );
}

/** @returns {Promise<Section[]>} */
async function loadCalls() {
  /** @type {{ paths: Record<string, Record<string, { operationId: string, summary: string }>> }} */
  const { paths } = await loadJson('/v1/openapi.json');
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, { operationId, summary }]) => ({
      href: `/v1/docs#${operationId}`,
      page: 'API reference',
      section: `${method.toUpperCase()} ${path}`,
      text: summary,
    })),
  );
}

/** @param {string} url */
async function loadJson(url) {
  const response = await fetch(url, { credentials: 'omit' });
  if (!response.ok) throw new Error(`${url}: ${response.status}`);
  return response.json();
}

/** @param {number} count @param {string} asked */
function countText(count, asked) {
  if (count === 0) return `Nothing is found for “${asked}”.`;
  const shown = count > SHOWN ? `, the best ${SHOWN} of them here` : '';
  return `${count} ${count === 1 ? 'section' : 'sections'}${shown}`;
}

/** @param {Section} hit @param {string[]} words */
const itemOf = ({ href, page, section, text }, words) =>
  element(
    'li',
    {},
    element(
      'a',
      { href },
      element('strong', {}, section === '' ? page : section),
      ...(section === '' ? [] : [element('small', {}, page)]),
      element('span', {}, ...excerptOf(text, words)),
    ),
  );

/** @param {string} text @param {string[]} words @returns {(Node | string)[]} */
function excerptOf(text, words) {
  const lower = text.toLowerCase();
  const [word = ''] = words.filter((one) => lower.includes(one));
  const at = word === '' ? 0 : lower.indexOf(word);
  const start = Math.max(0, at - EXCERPT.before);
  const end = start + EXCERPT.length;
  return [
    (start > 0 ? '… ' : '') + text.slice(start, at),
    element('mark', {}, text.slice(at, at + word.length)),
    text.slice(at + word.length, end) + (end < text.length ? ' …' : ''),
  ];
}
