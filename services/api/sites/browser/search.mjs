/**
 * The search of the docs: in an index of all sections, which is loaded with the first letter, and in
 * the calls of the OpenAPI document. All words must occur.
 */
import { element, wordsIn } from './element.mjs';

/**
 * @typedef {{ href: string, page: string, section: string, text: string }} Section
 * @typedef {Section & { score: number }} Hit
 */

const SHOWN = 12;
const EXCERPT = { before: 50, length: 170 };
const IN_PAGE_TITLE = 30;
const IN_SECTION_TITLE = 20;
const IN_TEXT = 1;
/** What explains comes before what is only looked up. */
const LOOKED_UP = /\/(runbooks\/|decisions|specification|smtp-checklist|CHANGELOG)/;

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
    const words = wordsIn(asked).map(stemOf);
    if (words.length === 0) return hide();
    loading ??= load(root);
    const sections = await loading.catch(() => undefined);
    if (input.value !== asked) return; // a later letter searches again
    if (sections === undefined) {
      loading = undefined;
      status.textContent = 'The search index could not be loaded. Type again to retry.';
      return results.replaceChildren();
    }
    const hits = sections
      .map((section) => ({ ...section, score: scoreOf(section, words) }))
      .filter(({ score }) => score > 0)
      .toSorted((one, other) => other.score - one.score);
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

/** @param {Section} section @param {string[]} words @returns {number} 0 when a word is missing */
function scoreOf({ href, page, section, text }, words) {
  const places = [
    { text: page.toLowerCase(), worth: section === '' ? IN_PAGE_TITLE : IN_TEXT },
    { text: section.toLowerCase(), worth: IN_SECTION_TITLE },
    { text: text.toLowerCase(), worth: IN_TEXT },
  ];
  let score = 0;
  for (const word of words) {
    const found = places.filter((place) => place.text.includes(word));
    if (found.length === 0) return 0;
    for (const place of found) score += place.worth * (startsWord(place.text, word) ? 2 : 1);
  }
  return LOOKED_UP.test(href) ? score / 10 : score;
}

/** `retries` finds `retry`, and the other way round. @param {string} word */
const stemOf = (word) => (word.length > 4 ? word.replace(/(ies|y|es|s)$/, '') : word);

/** @param {string} text @param {string} word */
const startsWord = (text, word) => {
  const at = text.indexOf(word);
  return at === 0 || /[^\p{L}\p{N}]/u.test(text.charAt(at - 1));
};

/** @param {number} count @param {string} asked */
function countText(count, asked) {
  if (count === 0) return `Nothing is found for “${asked}”. All words must occur in one section.`;
  const shown = count > SHOWN ? `, the best ${SHOWN} of them here` : '';
  return `${count} ${count === 1 ? 'section' : 'sections'}${shown}`;
}

/** @param {Hit} hit @param {string[]} words */
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
