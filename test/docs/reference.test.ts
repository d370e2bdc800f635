/**
 * Lists in docs/ agree with the code: payload fields, calls, errors, event types, plans and
 * retries.
 */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';

import { describe, expect, test } from 'vitest';
import { z } from 'zod';

import type { OpenApi } from '../../services/api/documentation/document.ts';
import { STATUS } from '../../services/api/http/errors.ts';
import { PlanCatalogue } from '../../services/core/billing/billing.ts';
import { USAGE_EVENT_TYPES } from '../../services/core/event/usage-event.ts';
import { durationMs } from '../../services/core/time/duration.ts';
import { FIELD_RULES } from '../../services/core/error/app-error.ts';
import { RETRY_SCHEDULE_MS } from '../../services/core/delivery/retry.ts';
import { WebhookPayload } from '../../services/core/webhook/payload.ts';
import { PARSE_WARNING_CODES } from '../../services/core/webhook/parse-warning.ts';
import { readOpenApi } from '../support/openapi-files.ts';
import { CHECKOUT, codeBlocks, readPage } from './pages.ts';

const names = (text: string, pattern: RegExp): string[] =>
  [...text.matchAll(pattern)].map(([, name = '']) => name);

/** From a heading to the next one of the second level. */
const sectionOf = (text: string, heading: string): string =>
  (text.split(`\n${heading}\n`)[1] ?? '').split('\n## ')[0] ?? '';

const jsonBlocks = async (path: string): Promise<string[]> =>
  codeBlocks(await readPage(path))
    .filter(({ language }) => language === 'json')
    .map(({ code }) => code);

const sourcesIn = async (folder: string): Promise<string[]> =>
  (await readdir(folder, { recursive: true })).filter((name) => name.endsWith('.ts'));

describe('receiving-webhooks.md', () => {
  test('the example body is a payload', async () => {
    const [example = ''] = await jsonBlocks('docs/receiving-webhooks.md');
    const parsed = z.strictObject(WebhookPayload.shape).safeParse(JSON.parse(example));
    expect(parsed.error?.issues ?? []).toEqual([]);
  });

  test('every field of the payload is named, outside the example', async () => {
    const { text } = await readPage('docs/receiving-webhooks.md');
    const described = [
      text.slice(text.indexOf('### Identity and envelope')),
      (await readPage('docs/spam-and-authentication.md')).text,
      (await readPage('docs/virus-scanning.md')).text,
    ].join('\n');
    const fields = fieldNames(z.toJSONSchema(WebhookPayload, { io: 'input' }) as Schema);
    expect(fields).toContain('helo_domain');
    expect(fields.filter((field) => !new RegExp(`\\b${field}\\b`).test(described))).toEqual([]);
  });

  test('every parse warning is in the schema and explained', async () => {
    const { text } = await readPage('docs/receiving-webhooks.md');
    const rows = sectionOf(text, '### Warnings').split('\n');
    const explained = rows
      .filter((line) => line.startsWith('| `'))
      .flatMap((row) => names(row.split('|')[1] ?? '', /`(\w+)`/g));
    const sources = await Promise.all(
      [
        'adapters/mime',
        'gateway/content',
        'gateway/receive',
        'core/webhook',
        'core/extract/extraction.ts',
        'core/mail/author.ts',
        'core/mail/protection.ts',
      ].map(async (path) => {
        const at = join(CHECKOUT, 'services', path);
        const files = at.endsWith('.ts')
          ? [at]
          : (await sourcesIn(at)).map((name) => join(at, name));
        return Promise.all(files.map((file) => readFile(file, 'utf8')));
      }),
    );
    const used = new Set(names(sources.flat().join('\n'), /\bcode: '(\w+)'/g));
    expect([...used].toSorted()).toEqual(PARSE_WARNING_CODES);
    expect(explained.toSorted()).toEqual(PARSE_WARNING_CODES);
  });

  test('the retry schedule is that of the dispatcher', async () => {
    const { text } = await readPage('docs/receiving-webhooks.md');
    const [, row = ''] = /^\| after the previous attempt \| (.*) \|$/m.exec(text) ?? [];
    const delays = row.split(' | ').map((delay) => durationMs(delay.replace(/ (s|m|h)\w*$/, '$1')));
    expect(delays).toEqual(RETRY_SCHEDULE_MS);
  });
});

describe('api.md', () => {
  test('every call of the OpenAPI document is listed with its permission', async () => {
    const { text } = await readPage('docs/api.md');
    const section = sectionOf(text, '## Calls and permissions');
    const { paths } = await readOpenApi<OpenApi>();
    const missing = Object.entries(paths).flatMap(([path, methods]) =>
      Object.entries(methods).flatMap(([method, operation]) => {
        const permission = operation['x-permission'];
        if (permission === undefined) return []; // a signed link
        const row = section.split('\n').find((line) => line.endsWith(`| \`${permission}\` |`));
        const last = path.split('/').at(-1) ?? '';
        const short = last.startsWith('{') ? '{' : last;
        const isListed = row?.includes(method.toUpperCase()) && row.includes(short);
        return isListed ? [] : [`${method} ${path} ${permission}`];
      }),
    );
    expect(missing).toEqual([]);
  });

  test('the tables hold every error and every rule that a field can break', async () => {
    const { text } = await readPage('docs/api.md');
    const section = sectionOf(text, '## Errors');
    const errors = [...section.matchAll(/^\| (\d{3}) \| `(\w+)` \|/gm)].map(([, status, error]) => [
      error,
      Number(status),
    ]);
    expect(Object.fromEntries(errors)).toEqual(STATUS);
    const rules = section.slice(section.indexOf('| `details.code`'));
    expect(FIELD_RULES.filter((rule) => !rules.includes(`\`${rule}\``))).toEqual([]);
  });
});

describe('usage-and-billing.md', () => {
  test('the table holds every event type', async () => {
    const { text } = await readPage('docs/usage-and-billing.md');
    const section = sectionOf(text, '## Events');
    expect(names(section, /`((?:\w+)\.\w+)`(?=.* \|)/g)).toEqual(
      expect.arrayContaining([...USAGE_EVENT_TYPES]),
    );
  });

  test('the example is a catalogue', async () => {
    const [plans = ''] = await jsonBlocks('docs/usage-and-billing.md');
    expect(Object.keys(PlanCatalogue.parse(JSON.parse(plans)).plans)).toContain('free');
  });
});

type Schema = {
  properties?: Record<string, Schema>;
  items?: Schema;
  anyOf?: Schema[];
};

/** Of every object in a schema, at any depth. */
const fieldNames = ({ properties = {}, items, anyOf = [] }: Schema): string[] => [
  ...Object.keys(properties),
  ...[...Object.values(properties), ...(items ? [items] : []), ...anyOf].flatMap(fieldNames),
];
