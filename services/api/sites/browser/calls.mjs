/**
 * The reference of the API: a filter of its calls, and a form for each that sends it to this API. The
 * token is only in the memory of the page. Cookies are not sent, so that nothing but the token counts.
 */
import { element, wordsIn } from './element.mjs';

/**
 * @typedef {{ name: string, in: 'path' | 'query' | 'header', required?: boolean,
 *   description?: string, example?: unknown, schema: { default?: unknown } }} Parameter
 * @typedef {{ operationId: string, security: unknown[], parameters?: Parameter[],
 *   requestBody?: { content: Record<string, { example?: unknown }> } }} Operation
 * @typedef {{ servers: { url: string }[], paths: Record<string, Record<string, Operation>> }} Document
 * @typedef {{ method: string, url: string, operation: Operation }} Call
 */

const SHOWN_CHARS = 100_000;

let token = '';
/** @type {Promise<Map<string, Call>> | undefined} */
let loading;

export function startCallFilter() {
  const input = document.querySelector('.call-filter input');
  const status = document.querySelector('.call-filter .filter-status');
  if (!(input instanceof HTMLInputElement) || !status) return;
  input.addEventListener('input', () => {
    const words = wordsIn(input.value);
    let shown = 0;
    for (const call of document.querySelectorAll('[data-call]')) {
      const text = call.getAttribute('data-call') ?? '';
      const isMatch = words.every((word) => text.includes(word));
      call.toggleAttribute('hidden', !isMatch);
      if (isMatch && call.matches('details')) shown++;
    }
    for (const group of document.querySelectorAll('[data-group]'))
      group.toggleAttribute('hidden', !group.querySelector('[data-call]:not([hidden])'));
    status.textContent =
      words.length === 0 ? '' : shown === 0 ? 'No call matches.' : `${shown} shown`;
  });
  openTarget();
  addEventListener('hashchange', openTarget);
}

/** A link to a call opens it. */
function openTarget() {
  const id = decodeURIComponent(location.hash.slice(1));
  const target = id === '' ? null : document.getElementById(id);
  const call = target?.closest('details.operation');
  if (!(call instanceof HTMLDetailsElement)) return;
  call.open = true;
  call.scrollIntoView();
}

export function startForms() {
  for (const place of document.querySelectorAll('[data-try]')) {
    const button = element('button', { type: 'button' }, 'Try it');
    const open = async () => {
      loading ??= loadCalls();
      const calls = await loading.catch(() => undefined);
      const call = calls?.get(place.getAttribute('data-try') ?? '');
      if (call) return place.replaceChildren(formOf(call));
      loading = undefined;
      button.textContent = 'The API description could not be loaded. Try again';
    };
    button.addEventListener('click', () => void open());
    place.append(button);
  }
}

async function loadCalls() {
  const response = await fetch('/v1/openapi.json', { credentials: 'omit' });
  if (!response.ok) throw new Error(`${response.status}`);
  /** @type {Document} */
  const { servers, paths } = await response.json();
  const root = servers[0]?.url ?? '';
  return new Map(
    Object.entries(paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, operation]) => [
        operation.operationId,
        { method: method.toUpperCase(), url: root + path, operation },
      ]),
    ),
  );
}

/** @param {Call} call */
function formOf({ method, url, operation }) {
  const { operationId, parameters = [], requestBody, security } = operation;
  const media = requestBody?.content['application/json'];
  const tokenField = field(`${operationId}-token`, 'API token', { type: 'password', value: token });
  const fields = parameters.map((parameter) => ({
    parameter,
    ...field(`${operationId}-${parameter.name}`, `${parameter.name}${hint(parameter)}`, {
      placeholder: String(parameter.example ?? parameter.schema.default ?? ''),
      ...(parameter.required && { required: '' }),
    }),
  }));
  const body = element('textarea', { id: `${operationId}-body`, rows: '8', spellcheck: 'false' });
  if (media?.example !== undefined) body.value = JSON.stringify(media.example, undefined, 2);
  const send = element('button', { type: 'submit', class: 'primary' }, 'Send');
  const result = element('div', { class: 'result', role: 'status' });
  const form = element(
    'form',
    { class: 'try', autocomplete: 'off' },
    ...(security.length > 0 ? [tokenField.row] : []),
    ...fields.map(({ row }) => row),
    ...(media ? [element('label', { for: body.id }, 'Body'), body] : []),
    element(
      'p',
      { class: 'note' },
      'It is sent to this API' +
        (method === 'GET' ? '.' : ' and has its effect.') +
        ' The token stays in the memory of this page.',
    ),
    send,
    result,
  );

  /** @type {AbortController | undefined} */
  let running;
  const submit = async () => {
    if (running) return running.abort();
    token = tokenField.input.value.trim();
    const filled = fields
      .map(({ parameter, input }) => ({ ...parameter, value: input.value.trim() }))
      .filter(({ value }) => value !== '');
    running = new AbortController();
    send.textContent = 'Stop';
    try {
      const request = requestOf(method, url, filled, media && body.value, running.signal);
      result.replaceChildren(...(await answerTo(request)));
    } catch (error) {
      const stopped = running.signal.aborted;
      result.textContent = stopped ? 'Stopped.' : `There was no response: ${textOf(error)}`;
    } finally {
      running = undefined;
      send.textContent = 'Send';
    }
  };
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    void submit();
  });
  return form;
}

/** @param {string} id @param {string} label @param {Record<string, string>} attributes */
function field(id, label, attributes) {
  const input = element('input', { id, autocomplete: 'off', spellcheck: 'false', ...attributes });
  return {
    input,
    row: element('div', { class: 'row' }, element('label', { for: id }, label), input),
  };
}

/** @param {Parameter} parameter */
const hint = ({ in: place, required }) =>
  `${place === 'query' ? '' : ` (${place})`}${required ? ', required' : ''}`;

/**
 * @param {string} method
 * @param {string} template
 * @param {(Parameter & { value: string })[]} filled
 * @param {string | undefined} body
 * @param {AbortSignal} signal
 */
function requestOf(method, template, filled, body, signal) {
  const of = (/** @type {string} */ place) => filled.filter((one) => one.in === place);
  let path = template;
  for (const { name, value } of of('path'))
    path = path.replace(`{${name}}`, encodeURIComponent(value));
  const query = new URLSearchParams(of('query').map(({ name, value }) => [name, value]));
  const hasBody = body !== undefined && body.trim() !== '';
  return new Request(path + (query.size === 0 ? '' : `?${query}`), {
    method,
    headers: {
      ...(token !== '' && { authorization: `Bearer ${token}` }),
      ...(hasBody && { 'content-type': 'application/json' }),
      ...Object.fromEntries(of('header').map(({ name, value }) => [name, value])),
    },
    ...(hasBody && { body }),
    credentials: 'omit',
    cache: 'no-store',
    redirect: 'manual',
    signal,
  });
}

/** @param {Request} request */
async function answerTo(request) {
  const startedMs = performance.now();
  const response = await fetch(request);
  const type = response.headers.get('content-type') ?? '';
  const isText = /^(text\/|application\/([\w.-]+\+)?json)/.test(type);
  const body = isText ? await response.text() : `${(await response.blob()).size} bytes of ${type}`;
  const ms = Math.round(performance.now() - startedMs);
  const facts = [
    `${response.status} in ${ms} ms`,
    ...['x-request-id', 'x-ratelimit-remaining', 'retry-after']
      .map((name) => [name, response.headers.get(name)])
      .filter(([, value]) => value !== null)
      .map(([name, value]) => `${name}: ${value}`),
  ];
  return [
    element('p', { class: response.ok ? 'good' : 'bad' }, facts.join(' · ')),
    ...(body === ''
      ? []
      : [element('pre', { tabindex: '0' }, element('code', {}, shownBody(body)))]),
  ];
}

/** @param {string} text */
function shownBody(text) {
  let shown = text;
  try {
    shown = JSON.stringify(JSON.parse(text), undefined, 2);
  } catch {
    // not JSON: shown as it is
  }
  return shown.length > SHOWN_CHARS ? `${shown.slice(0, SHOWN_CHARS)}\n… cut here` : shown;
}

/** @param {unknown} error */
const textOf = (error) => (error instanceof Error ? error.message : String(error));
