/**
 * What the docs do beyond HTML: the menu of small screens, copy buttons, light or dark, the search,
 * and in the reference the filter of its calls and a form for each. Without it, everything can be read.
 */
import { startCallFilter, startForms } from './calls.mjs';
import { element } from './element.mjs';
import { startSearch } from './search.mjs';

const COPIED_MS = 1_500;

document.documentElement.classList.add('has-script');
startMenu();
startSchemeButton();
addCopyButtons();
makeScrollersFocusable();
showPlaceInNavigation();
markSectionInView();
startSearch();
startCallFilter();
startForms();

function startMenu() {
  const button = document.querySelector('.menu-button');
  const menu = document.querySelector('.sidebar');
  if (!button || !menu) return;
  const show = (/** @type {boolean} */ isOpen) => {
    button.setAttribute('aria-expanded', String(isOpen));
    menu.classList.toggle('open', isOpen);
  };
  button.addEventListener('click', () => show(button.getAttribute('aria-expanded') !== 'true'));
  menu.addEventListener('click', ({ target }) => {
    if (target instanceof HTMLAnchorElement) show(false);
  });
  addEventListener('keydown', ({ key }) => {
    if (key === 'Escape') show(false);
  });
}

function startSchemeButton() {
  const root = document.documentElement;
  const systemIsDark = matchMedia('(prefers-color-scheme: dark)');
  document.querySelector('.scheme-button')?.addEventListener('click', () => {
    const present = root.dataset.scheme ?? (systemIsDark.matches ? 'dark' : 'light');
    const chosen = present === 'dark' ? 'light' : 'dark';
    root.dataset.scheme = chosen;
    localStorage.setItem('inlet-scheme', chosen);
  });
}

function addCopyButtons() {
  for (const block of document.querySelectorAll('main pre')) {
    const button = element('button', { type: 'button', class: 'copy' }, 'Copy');
    button.addEventListener('click', () => void copy(button, block.textContent));
    const frame = element('div', { class: 'code' });
    block.replaceWith(frame);
    frame.append(block, button);
  }
}

/** @param {HTMLElement} button @param {string} text */
async function copy(button, text) {
  try {
    await navigator.clipboard.writeText(text.replace(/\n$/, ''));
    button.textContent = 'Copied';
  } catch {
    button.textContent = 'Not allowed'; // by the browser: the page came over plain HTTP
  }
  setTimeout(() => (button.textContent = 'Copy'), COPIED_MS);
}

/** A keyboard can scroll what has the focus. */
function makeScrollersFocusable() {
  updateScrollers();
  addEventListener('resize', updateScrollers);
  document.addEventListener('toggle', updateScrollers, true);
}

function updateScrollers() {
  for (const one of document.querySelectorAll('main pre, main .scroll'))
    if (one.scrollWidth > one.clientWidth) one.setAttribute('tabindex', '0');
    else one.removeAttribute('tabindex');
}

function showPlaceInNavigation() {
  const menu = document.querySelector('.sidebar');
  const current = menu?.querySelector('[aria-current="page"]');
  if (!menu || !(current instanceof HTMLElement)) return;
  menu.scrollTop = Math.max(0, current.offsetTop - menu.clientHeight / 2);
}

function markSectionInView() {
  const links = new Map(
    [...document.querySelectorAll('.contents a')].map((link) => [link.getAttribute('href'), link]),
  );
  const headings = [...document.querySelectorAll('main h2[id]')];
  if (links.size === 0) return;
  const mark = () => {
    const passed = headings.filter((one) => one.getBoundingClientRect().top < 120).at(-1);
    for (const link of links.values()) link.removeAttribute('aria-current');
    if (passed) links.get(`#${passed.id}`)?.setAttribute('aria-current', 'true');
  };
  addEventListener('scroll', mark, { passive: true });
  mark();
}
