/** The reference of the API as an HTML page, made of its OpenAPI document. */
import type { AppErrorKind } from '../../core/error/app-error.ts';
import { STATUS } from '../http/errors.ts';
import type { Media, OpenApi, Operation, Parameter, Response } from './document.ts';
import { escapeHtml, htmlPage } from '../sites/html-page.ts';
import { renderMarkdown } from '../sites/markdown.ts';
import { createSchemaTable, row, withCode } from './schema-table.ts';
import { nameIn } from './schemas.ts';

/** A call of the API, or a webhook. */
type Call = { method: string; path: string; operation: Operation; isWebhook: boolean };
type Group = { name: string; description: string; calls: Call[] };

/** URL of /docs/ from /v1/docs. */
const DOCS_ROOT = 'docs/';

export function referencePage(document: OpenApi): string {
  const groups = groupsOf(document);
  const describe = describeIn(document);
  const { title, version, description } = document.info;
  const sections = groups.map(
    (group) =>
      `<section data-group><h2 id="${group.name}">${capitalized(group.name)}</h2>\n` +
      `<p>${withCode(group.description)}.</p>\n${group.calls.map(describe).join('\n')}</section>`,
  );
  return htmlPage({
    title: `${title} API`,
    root: DOCS_ROOT,
    isWide: true,
    sidebar: sidebarOf(groups),
    main: `<h1>${escapeHtml(title)} API ${escapeHtml(version)}</h1>
${markdown(description)}
<p>Paths are relative to <code>${escapeHtml(document.servers[0]?.url ?? '')}</code>. In the examples,
<code>$INLET_API_URL</code> is the URL of this API up to there, and <code>$INLET_TOKEN</code> is an API token.
The same as <a href="openapi.json">openapi.json</a>, from which you can
<a href="/docs/api#generated-clients">generate a client</a>. The payload of webhooks is also
<a href="payload.schema.json">payload.schema.json</a>.
Calls that are marked as beta are
<a href="/docs/project/compatibility#what-is-not-contract">no part of the contract</a>.</p>
${sections.join('\n')}
<section><h2 id="errors">Errors</h2>
${createSchemaTable(document.components.schemas)({ $ref: '#/components/schemas/Error' })}
${Object.entries(document.components.responses).map(errorHtml).join('\n')}</section>`,
  });
}

function groupsOf({ tags, paths, webhooks }: OpenApi): Group[] {
  const calls = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]): Call => ({
      method: method.toUpperCase(),
      path,
      operation,
      isWebhook: false,
    })),
  );
  const sent = Object.values(webhooks).map(({ post }): Call => ({
    method: 'POST',
    path: 'your webhook_url',
    operation: post,
    isWebhook: true,
  }));
  return tags.map(({ name, description }) => ({
    name,
    description,
    calls: [...calls, ...sent].filter(({ operation }) => operation.tags.includes(name)),
  }));
}

function sidebarOf(groups: readonly Group[]): string {
  const lists = groups.map(
    ({ name, calls }) =>
      `<div data-group><h2><a href="#${name}">${capitalized(name)}</a></h2>\n` +
      `<ul>${calls.map(linkToCall).join('\n')}</ul></div>`,
  );
  return `<div class="call-filter"><input type="search" placeholder="Filter calls"
aria-label="Filter the calls" autocomplete="off"><p class="filter-status" role="status"></p></div>
${lists.join('\n')}\n<h2><a href="#errors">Errors</a></h2>`;
}

function linkToCall(call: Call): string {
  const { method, operation } = call;
  const text = `<small class="${method}">${method}</small> ${escapeHtml(shortened(operation.summary))}`;
  return `<li data-call="${wordsOf(call)}"><a href="#${operation.operationId}">${text}</a>`;
}

/** Up to what only the page itself adds. */
const shortened = (summary: string) => summary.split(/[;,:]/)[0] ?? '';

/** What the filter searches. */
const wordsOf = ({ method, path, operation: { operationId, summary } }: Call) =>
  escapeHtml(`${method} ${path} ${operationId} ${summary}`.toLowerCase());

function describeIn(document: OpenApi): (call: Call) => string {
  const table = createSchemaTable(document.components.schemas);

  const body = (title: string, media: Media | undefined): string => {
    if (media === undefined) return '';
    const { schema, example = Object.values(media.examples ?? {})[0]?.value } = media;
    const fields = schema.$ref === undefined ? '' : table(schema);
    return title + fields + (example === undefined ? '' : code(exampleText(example)));
  };

  const success = ([status, { description, content = {} }]: readonly [string, Response]) => {
    const [type, media] = Object.entries(content)[0] ?? [];
    const summary = `${statusHtml(status)} ${withCode(description)}`;
    if (media === undefined) return `<p>${summary}</p>`;
    return (
      `<details class="response"><summary>${summary}: ${escapeHtml(type ?? '')}</summary>\n` +
      `${body('', media)}</details>`
    );
  };

  return function describe(call) {
    const { method, path, operation, isWebhook } = call;
    const { operationId, summary, description, parameters = [], requestBody } = operation;
    const responses = Object.entries(operation.responses).map(
      ([status, response]) => [status, resolvedResponse(document, response), response] as const,
    );
    const errors = responses
      .filter(([status]) => isError(status))
      .map(([status, { description: text }, response]) => {
        const shown = '$ref' in response ? linkTo(status) : statusHtml(status);
        return `<tr><td>${shown}</td><td colspan="2">${withCode(text)}</td></tr>`;
      });
    const samples = operation['x-codeSamples'].map(
      ({ label, source }) => `<h4>${escapeHtml(label)}</h4>${code(source)}`,
    );
    return `<details class="operation" data-call="${wordsOf(call)}"><summary>
<h3><span class="method ${method}">${method}</span> ${escapeHtml(path)}</h3>
<span class="about">${withCode(summary)}${operation['x-stability-level'] === 'beta' ? ' (beta)' : ''}</span></summary>
<div id="${operationId}">
${markdown(description)}
${samples.join('\n')}
${isWebhook || !canTry(operation) ? '' : `<div data-try="${operationId}"></div>`}
${parameterTable(parameters)}
${body('<h4>Body</h4>', requestBody?.content['application/json'])}
<h4>Responses</h4>
${responses
  .filter(([status]) => !isError(status))
  .map(([status, response]) => success([status, response]))
  .join('\n')}
${errors.length === 0 ? '' : `<div class="scroll"><table class="fields">${errors.join('')}</table></div>`}
</div></details>`;
  };
}

/** Not with the cookie of a session, which the page does not send; and a stream does not end. */
const canTry = ({ security, responses }: Operation): boolean =>
  security.every((scheme) => !('session' in scheme)) &&
  !Object.values(responses).some(
    (one) => 'content' in one && 'text/event-stream' in (one.content ?? {}),
  );

/** An error that several calls have. */
function errorHtml([, { description, content = {} }]: [string, Response]): string {
  const examples = Object.values(content['application/json']?.examples ?? {});
  const { error } = (examples[0]?.value ?? {}) as { error?: string };
  const status = error === undefined ? '' : String(STATUS[error as AppErrorKind]);
  return (
    `<h3 id="error-${status}">${status}</h3><p>${withCode(description)}.</p>` +
    examples.map(({ value }) => code(exampleText(value))).join('')
  );
}

const isError = (status: string) => /^[45]/.test(status);

const linkTo = (status: string) => `<a href="#error-${status}">${status}</a>`;

const statusHtml = (status: string) => `<b>${escapeHtml(status)}</b>`;

function parameterTable(parameters: readonly Parameter[]): string {
  if (parameters.length === 0) return '';
  const rows = parameters.map(({ name, schema, required = false, description = '', example }) => {
    const shown = example === undefined ? '' : `; example: \`${String(example)}\``;
    return row(name, schema, required, description + shown);
  });
  return `<h4>Parameters</h4><div class="scroll"><table class="fields">${rows.join('')}</table></div>`;
}

function resolvedResponse(document: OpenApi, response: Response | { $ref: string }): Response {
  if (!('$ref' in response)) return response;
  return document.components.responses[nameIn(response.$ref)] ?? { description: '' };
}

const exampleText = (example: unknown): string =>
  typeof example === 'string' ? example : JSON.stringify(example, undefined, 2);

const code = (text: string) => `<pre><code>${escapeHtml(text)}</code></pre>`;

const markdown = (text: string) => renderMarkdown(text, 'api.md').html;

const capitalized = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);
