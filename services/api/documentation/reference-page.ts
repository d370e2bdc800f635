/** The reference of the API as an HTML page, made of its OpenAPI document. */
import type { Media, OpenApi, Operation, Parameter, Response } from './document.ts';
import { escapeHtml, htmlPage } from '../sites/html-page.ts';
import { renderMarkdown } from '../sites/markdown.ts';
import { createSchemaTable, row, withCode } from './schema-table.ts';
import { nameIn } from './schemas.ts';

/** A call of the API, or the webhook. */
type Call = { title: string; operation: Operation };

export function referencePage(document: OpenApi): string {
  const calls = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]): Call => ({
      title: `${method.toUpperCase()} ${path}`,
      operation,
    })),
  );
  const webhooks = Object.values(document.webhooks).map(({ post }): Call => ({
    title: 'POST your webhook_url',
    operation: post,
  }));
  const all = [...calls, ...webhooks];
  const describe = describeIn(document);
  const section = ({ name, description }: { name: string; description: string }) =>
    `<h2 id="${name}">${capitalized(name)}</h2>\n<p>${withCode(description)}.</p>\n` +
    all
      .filter(({ operation }) => operation.tags.includes(name))
      .map(describe)
      .join('\n');
  const { title, version, description } = document.info;
  return htmlPage(
    `${title} API`,
    `<h1>${escapeHtml(title)} API ${escapeHtml(version)}</h1>
${markdown(description)}
<p>Paths are relative to <code>${escapeHtml(document.servers[0]?.url ?? '')}</code>. In the examples,
<code>$API_URL</code> is the URL of this API up to there, and <code>$TOKEN</code> is an API token.
The same as <a href="openapi.json">openapi.json</a>, from which you can
<a href="/docs/api#generated-clients">generate a client</a>. Guides: <a href="/docs/">documentation</a>.</p>
<nav class="operations">${all.map(link).join('\n')}</nav>
${document.tags.map(section).join('\n')}
<h2 id="errors">Errors</h2>
${createSchemaTable(document.components.schemas)({ $ref: '#/components/schemas/Error' })}`,
  );
}

const link = ({ title, operation: { operationId, summary } }: Call) =>
  `<a href="#${operationId}">${escapeHtml(title)} <small>${escapeHtml(summary)}</small></a>`;

function describeIn(document: OpenApi): (call: Call) => string {
  const table = createSchemaTable(document.components.schemas);

  const body = (title: string, media: Media | undefined): string => {
    if (media === undefined) return '';
    const { schema, example = Object.values(media.examples ?? {})[0]?.value } = media;
    const fields = schema.$ref === undefined ? '' : table(schema);
    return `<h4>${title}</h4>${fields}${example === undefined ? '' : code(exampleText(example))}`;
  };

  return function describe({ title, operation }) {
    const { operationId, summary, description, parameters = [], requestBody } = operation;
    const responses = Object.entries(operation.responses).map(
      ([status, response]) => [status, resolvedResponse(document, response)] as const,
    );
    const [successful] = responses
      .filter(([status]) => status.startsWith('2'))
      .flatMap(([, { content = {} }]) => Object.entries(content));
    const samples = operation['x-codeSamples'].map(
      ({ label, source }) => `<h4>${escapeHtml(label)}</h4>${code(source)}`,
    );
    const statusRows = responses.map(
      ([status, response]) =>
        `<tr><td>${status}</td><td colspan="2">${withCode(response.description)}</td></tr>`,
    );
    const [method = '', ...path] = title.split(' ');
    return `<section class="operation" id="${operationId}">
<h3><b>${method}</b> ${escapeHtml(path.join(' '))}</h3>
<p>${withCode(summary)}.</p>
${markdown(description)}
${samples.join('\n')}
${parameterTable(parameters)}
${body('Body', requestBody?.content['application/json'])}
${successful ? body(`Response: ${escapeHtml(successful[0])}`, successful[1]) : ''}
<h4>Statuses</h4><table class="fields">${statusRows.join('')}</table></section>`;
  };
}

function parameterTable(parameters: readonly Parameter[]): string {
  if (parameters.length === 0) return '';
  const rows = parameters.map(({ name, schema, required = false, description = '', example }) => {
    const shown = example === undefined ? '' : `; example: \`${String(example)}\``;
    return row(name, schema, required, description + shown);
  });
  return `<h4>Parameters</h4><table class="fields">${rows.join('')}</table>`;
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
