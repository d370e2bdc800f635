/** /v1/openapi.json, and the same as an HTML page at /v1/docs. Neither needs a token. */
import type { Router, RouterMiddleware } from '@koa/router';

import type { Endpoint } from '../http/endpoint.ts';
import { etagOf } from '../http/etag.ts';
import { escapeHtml, htmlPage, respondWithAsset } from './html-page.ts';
import type { OpenApi, Operation, Response } from './document.ts';
import { openApiDocument } from './openapi.ts';
import type { Schema } from './schemas.ts';
import type { ApiState } from '../http/state.ts';

export function addDocumentation(router: Router<ApiState>, endpoints: readonly Endpoint[]): void {
  const document = openApiDocument(endpoints);
  router.get('/openapi.json', serve('application/json; charset=utf-8', JSON.stringify(document)));
  router.get('/docs', serve('text/html; charset=utf-8', page(document)));
}

const serve = (type: string, text: string): RouterMiddleware<ApiState> => {
  const asset = { type, body: text, etag: etagOf(text) };
  return async function serveReference(ctx) {
    ctx.state.route = ctx.path;
    respondWithAsset(ctx, asset);
  };
};

function page(document: OpenApi): string {
  const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      path,
      method: method.toUpperCase(),
      operation,
    })),
  );
  const tags = Object.entries(
    Object.groupBy(operations, ({ operation }) => operation.tags[0] ?? ''),
  );
  const describe = (ofTag: typeof operations) =>
    ofTag
      .map(({ path, method, operation }) => described(document, path, method, operation))
      .join('\n');
  const link = ({ path, method, operation }: (typeof operations)[number]) =>
    `<a href="#${escapeHtml(operation.operationId)}">${method} ${escapeHtml(path)}</a>`;
  const { title, version, description } = document.info;
  return htmlPage(
    `${title} API`,
    `<h1>${escapeHtml(title)} API ${escapeHtml(version)}</h1>
${description
  .split('\n')
  .map((line) => `<p>${withCode(line)}</p>`)
  .join('\n')}
<p>Paths are relative to <code>${escapeHtml(document.servers[0]?.url ?? '')}</code>. The same as
<a href="openapi.json">openapi.json</a>. Guides: <a href="/docs/">documentation</a>.</p>
<nav class="operations">${operations.map(link).join('\n')}</nav>
${tags.map(([tag, ofTag = []]) => `<h2>${escapeHtml(capitalized(tag))}</h2>\n${describe(ofTag)}`).join('\n')}
<h2>Errors</h2>${table(document.components.schemas.Error ?? {})}`,
  );
}

function described(document: OpenApi, path: string, method: string, operation: Operation): string {
  const { operationId, summary, description, parameters = [], requestBody, responses } = operation;
  const body = requestBody?.content['application/json']?.schema;
  const documented = Object.entries(responses).map(
    ([status, response]) => [status, resolved(document, response)] as const,
  );
  const parameterRows = parameters
    .map(({ name, schema, required = false, description: about = '' }) =>
      row(name, schema, required, about),
    )
    .join('');
  const success = documented.find(([status]) => status.startsWith('2'))?.[1].content?.[
    'application/json'
  ]?.schema;
  const statusRows = documented.map(
    ([status, response]) =>
      `<tr><td>${status}</td><td colspan="2">${withCode(response.description)}</td></tr>`,
  );
  return `<section class="operation" id="${escapeHtml(operationId)}">
<h3><b>${method}</b> ${escapeHtml(path)}</h3>
<p>${withCode(summary)}. ${withCode(description)}</p>
${parameterRows && `<h4>Parameters</h4><table class="fields">${parameterRows}</table>`}
${body ? `<h4>Body</h4>${table(body)}` : ''}
${success ? `<h4>Response</h4>${table(success)}` : ''}
<h4>Statuses</h4><table class="fields">${statusRows.join('')}</table></section>`;
}

function resolved(document: OpenApi, response: Response | { $ref: string }): Response {
  if (!('$ref' in response)) return response;
  return (
    document.components.responses[response.$ref.split('/').at(-1) ?? ''] ?? { description: '' }
  );
}

const table = (schema: Schema) => `<table class="fields">${rows(schema, '')}</table>`;

/** Nested fields have their full path as name. */
function rows(schema: Schema, prefix: string): string {
  return Object.entries(schema.properties ?? {})
    .map(([name, field]) => {
      const path = `${prefix}${name}`;
      const inner = field.items?.properties
        ? rows(field.items, `${path}[].`)
        : rows(field, `${path}.`);
      return (
        row(path, field, schema.required?.includes(name) ?? false, field.description ?? '') + inner
      );
    })
    .join('');
}

const row = (name: string, schema: Schema, isRequired: boolean, about: string) =>
  `<tr><td><code>${escapeHtml(name)}</code></td>` +
  `<td>${escapeHtml(kindOf(schema))}${isRequired ? '' : ', optional'}</td><td>${withCode(about)}</td></tr>`;

function kindOf(schema: Schema): string {
  if (Array.isArray(schema.enum)) return schema.enum.map(String).join(' | ');
  if (schema.const !== undefined) return String(schema.const);
  if (Array.isArray(schema.anyOf)) return (schema.anyOf as Schema[]).map(kindOf).join(' | ');
  const type = [schema.type ?? 'any'].flat().join(' | ');
  const items = schema.items && type === 'array' ? ` of ${kindOf(schema.items)}` : '';
  const bounds = [schema.minimum ?? schema.minLength, schema.maximum ?? schema.maxLength].map(
    (bound) =>
      typeof bound === 'number' && Math.abs(bound) < Number.MAX_SAFE_INTEGER ? String(bound) : '',
  );
  return `${type}${items}${bounds.some((bound) => bound !== '') ? ` (${bounds.join('…')})` : ''}`;
}

/** Escaped, with `code` between backticks. */
const withCode = (text: string) => escapeHtml(text).replaceAll(/`([^`]+)`/g, '<code>$1</code>');

const capitalized = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);
