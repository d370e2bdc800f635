/** /v1/openapi.json, and the same for people at /v1/docs: one page without scripts or anything from elsewhere. Neither needs a token. */
import { createHash } from 'node:crypto';
import type { Router, RouterMiddleware } from '@koa/router';

import type { Endpoint } from '../http/endpoint.ts';
import { isNotModified, etagOf } from '../http/etag.ts';
import {
  type OpenApi,
  openApiDocument,
  type Operation,
  type Response,
  type Schema,
} from './openapi.ts';
import type { ApiState } from '../http/state.ts';

export function addDocumentation(router: Router<ApiState>, endpoints: readonly Endpoint[]): void {
  const document = openApiDocument(endpoints);
  router.get('/openapi.json', serve('application/json; charset=utf-8', JSON.stringify(document)));
  router.get('/docs', serve('text/html; charset=utf-8', page(document)));
}

const STYLE = `
:root { color-scheme: light dark; --line: #8884; --soft: #8881; }
body { font: 16px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem; }
h2 { margin-top: 3rem; text-transform: capitalize; } h3 { margin: 2.5rem 0 .5rem; font: 600 1rem ui-monospace, monospace; }
h3 b { display: inline-block; min-width: 4.5rem; } h4 { margin: 1rem 0 .25rem; font-size: .9rem; }
table { border-collapse: collapse; width: 100%; font-size: .9rem; } td { border-top: 1px solid var(--line); padding: .3rem .6rem .3rem 0; vertical-align: top; }
td:nth-child(1) { width: 32%; } td:nth-child(2) { width: 22%; } code { font-family: ui-monospace, monospace; background: var(--soft); padding: 0 .2em; overflow-wrap: anywhere; }
nav a { display: block; font: .9rem/1.7 ui-monospace, monospace; text-decoration: none; } section { border-top: 1px solid var(--line); }
`;

const POLICY = `default-src 'none'; style-src 'sha256-${createHash('sha256').update(STYLE).digest('base64')}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`;

function serve(type: string, text: string): RouterMiddleware<ApiState> {
  const etag = etagOf(text);
  return async function serveDocumentation(ctx) {
    ctx.state.route = ctx.path;
    ctx.set('Content-Type', type);
    ctx.set('Content-Security-Policy', POLICY);
    ctx.set('Cache-Control', 'no-cache'); // kept, but asked for anew: a new version of Inlet may say more
    if (!isNotModified(ctx, etag)) ctx.body = text;
  };
}

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
  const link = ({ path, method, operation }: (typeof operations)[number]) =>
    `<a href="#${escaped(operation.operationId)}">${method} ${escaped(path)}</a>`;
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${escaped(document.info.title)} API</title><style>${STYLE}</style></head>
<body><h1>${escaped(document.info.title)} API ${escaped(document.info.version)}</h1>
${document.info.description
  .split('\n')
  .map((line) => `<p>${marked(line)}</p>`)
  .join('\n')}
<p>Paths are relative to <code>${escaped(document.servers[0]?.url ?? '')}</code>. For machines: <a href="openapi.json">openapi.json</a>.</p>
<nav>${operations.map(link).join('\n')}</nav>
${tags.map(([tag, ofTag = []]) => `<h2>${escaped(tag)}</h2>\n${ofTag.map(({ path, method, operation }) => described(document, path, method, operation)).join('\n')}`).join('\n')}
<h2>Errors</h2>${table(document.components.schemas.Error ?? {})}
</body></html>
`;
}

function described(document: OpenApi, path: string, method: string, operation: Operation): string {
  const {
    operationId,
    summary,
    description = 'Needs no token.',
    parameters = [],
    requestBody,
    responses,
  } = operation;
  const body = requestBody?.content['application/json']?.schema;
  const answers = Object.entries(responses).map(
    ([status, response]) => [status, resolved(document, response)] as const,
  );
  const parameterRows = parameters
    .map(({ name, schema, required = false, description: about = '' }) =>
      row(name, schema, required, about),
    )
    .join('');
  const success = answers.find(([status]) => status.startsWith('2'))?.[1].content?.[
    'application/json'
  ]?.schema;
  return `<section id="${escaped(operationId)}"><h3><b>${method}</b> ${escaped(path)}</h3><p>${marked(summary)}. ${marked(description)}</p>
${parameterRows && `<h4>Parameters</h4><table>${parameterRows}</table>`}
${body ? `<h4>Body</h4>${table(body)}` : ''}
${success ? `<h4>Answer</h4>${table(success)}` : ''}
<h4>Statuses</h4><table>${answers.map(([status, response]) => `<tr><td>${status}</td><td colspan="2">${marked(response.description)}</td></tr>`).join('')}</table></section>`;
}

function resolved(document: OpenApi, response: Response | { $ref: string }): Response {
  if (!('$ref' in response)) return response;
  return (
    document.components.responses[response.$ref.split('/').at(-1) ?? ''] ?? { description: '' }
  );
}

const table = (schema: Schema) => `<table>${rows(schema, '')}</table>`;

/** Fields within fields are named by their whole path. */
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
  `<tr><td><code>${escaped(name)}</code></td><td>${escaped(kindOf(schema))}${isRequired ? '' : ', optional'}</td><td>${marked(about)}</td></tr>`;

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

const escaped = (text: string) => text.replaceAll(/[&<>"']/g, (sign) => `&#${sign.charCodeAt(0)};`);

/** Escaped, with `code` between backticks. */
const marked = (text: string) => escaped(text).replaceAll(/`([^`]+)`/g, '<code>$1</code>');
