/** The types of docs/examples/types/ compile, and programs read real payloads with them. */
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFile, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { promisify } from 'node:util';

import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { installPythonTypeChecks } from '../contract/tools.ts';
import { startWholeSystem, type WholeSystem } from '../support/start-standalone.ts';
import { CHECKOUT } from '../docs/pages.ts';

const run = promisify(execFile);
const TYPES = join(CHECKOUT, 'docs', 'examples', 'types');

type Json = Record<string, unknown>;

let system: WholeSystem;
/** An email with an attachment, one with links, and a test webhook. */
const payloads: Json[] = [];

beforeAll(async () => {
  system = await startWholeSystem({ MAIL_AUTH: 'true' });
  const inline = await system.address('/inline');
  const linked = await system.address('/linked', { payload: { attachments: 'url', raw: true } });
  const email = {
    from: '"Änn" <ann@sender.example>',
    subject: 'Order <7> & "more"',
    text: 'Two please.',
    html: '<p>Two please.</p>',
    attachments: [{ filename: 'order.txt', content: '2 sprockets' }],
  };
  for (const { address } of [inline, linked])
    await system.mailer.sendMail({ ...email, to: address });
  await system.call('POST', `/addresses/${inline.id}/test`);
  for (const [path, n] of [
    ['/inline', 1],
    ['/linked', 1],
    ['/inline', 2],
  ] as const)
    payloads.push((await system.receiver.nth(path, n)).payload);
});
afterAll(() => system?.[Symbol.asyncDispose]());

const folderOf = async (name: string): Promise<string> => {
  const folder = join(system.standalone.dataDir, `types-${name}`);
  await mkdir(folder);
  return folder;
};

/** What a later version of Inlet may send. */
const withNewFields = (payload: Json): Json => ({
  ...payload,
  new_field: { any: 1 },
  envelope: { ...(payload.envelope as Json), new_field: 'x' },
});

async function outputOf(command: string, args: string[], cwd: string, input: string) {
  const child = spawn(command, args, { cwd, stdio: ['pipe', 'pipe', 'pipe'] });
  child.stdin.on('error', () => undefined).end(input);
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr)]);
  if (child.exitCode === null) await once(child, 'exit');
  return { code: child.exitCode, stdout, stderr };
}

test('the payloads have a linked and an inline attachment, a test, and authentication', () => {
  expect(payloads).toMatchObject([
    { attachments: [{ content: expect.any(String) }], authentication: { spf: {} } },
    { attachments: [{ content: null, content_url: expect.any(String) }] },
    { is_test: true },
  ]);
});

const TYPESCRIPT = "import type { WebhookPayload } from './inlet.js';\n";

const compileTypeScript = async (name: string, source: string) => {
  const folder = await folderOf(name);
  await copyFile(join(TYPES, 'inlet.ts'), join(folder, 'inlet.ts'));
  await writeFile(join(folder, 'program.ts'), source);
  const options = ['--noEmit', '--strict', '--module', 'nodenext', '--target', 'esnext'];
  const tsc = join(CHECKOUT, 'node_modules', 'typescript', 'bin', 'tsc');
  const args = [tsc, ...options, '--types', '', '--exactOptionalPropertyTypes', 'program.ts'];
  return outputOf(process.execPath, args, folder, '');
};

const literals = (values: Json[]) =>
  values
    .map((value, i) => `export const p${i} = ${JSON.stringify(value)} satisfies WebhookPayload;\n`)
    .join('');

describe('TypeScript', () => {
  test('every real payload has the type, and no field that it lacks', async () => {
    expect(await compileTypeScript('ts', TYPESCRIPT + literals(payloads))).toMatchObject({
      stdout: '',
      code: 0,
    });
  });

  test('a payload without its event_id does not have the type', async () => {
    const { event_id: _absent, ...payload } = payloads[0] ?? {};
    const { stdout, code } = await compileTypeScript(
      'ts-incomplete',
      TYPESCRIPT + literals([payload]),
    );
    expect(code).not.toBe(0);
    expect(stdout).toContain('event_id');
  });
});

const PYTHON = `import json, sys
from pydantic import TypeAdapter
from inlet import WebhookPayload

reader: TypeAdapter[WebhookPayload] = TypeAdapter(WebhookPayload)
for line in sys.stdin:
    email = reader.validate_json(line, strict=True)
    subject: str | None = email["headers"]["subject"]
    print(json.dumps(email))
`;

describe('Python', () => {
  test('mypy accepts the types, pydantic reads payloads with them, new fields are ignored', async ({
    skip,
  }) => {
    const tools = (await installPythonTypeChecks()) ?? skip();
    const folder = await folderOf('python');
    await copyFile(join(TYPES, 'inlet.py'), join(folder, 'inlet.py'));
    await writeFile(join(folder, 'program.py'), PYTHON);
    const python = join(tools, 'bin', 'python');
    for (const version of ['3.10', '3.13']) {
      const args = [
        '-m',
        'mypy',
        '--strict',
        '--python-version',
        version,
        'inlet.py',
        'program.py',
      ];
      expect(await outputOf(python, args, folder, '')).toMatchObject({ code: 0 });
    }
    const read = async (values: Json[]) =>
      outputOf(python, ['program.py'], folder, values.map((one) => JSON.stringify(one)).join('\n'));

    const { stdout } = await read(payloads.map(withNewFields));
    expect(linesOf(stdout)).toEqual(payloads);
    const { event_id: _absent, ...incomplete } = payloads[0] ?? {};
    expect((await read([incomplete])).stderr).toContain('event_id');
  });
});

const GO = `package main

import (
	"encoding/json"
	"os"

	"example/inlet"
)

func main() {
	input := json.NewDecoder(os.Stdin)
	if len(os.Args) > 1 {
		input.DisallowUnknownFields()
	}
	for input.More() {
		var email inlet.WebhookPayload
		if err := input.Decode(&email); err != nil {
			panic(err)
		}
		json.NewEncoder(os.Stdout).Encode(email)
	}
}
`;

describe('Go', () => {
  test('gofmt and go vet accept the types, programs read payloads with them, new fields are ignored', async ({
    skip,
  }) => {
    await run('go', ['version']).catch(() => skip('Go is not installed'));
    const folder = await folderOf('go');
    await mkdir(join(folder, 'inlet'));
    await copyFile(join(TYPES, 'inlet.go'), join(folder, 'inlet', 'inlet.go'));
    await writeFile(join(folder, 'go.mod'), 'module example\n\ngo 1.22\n');
    await writeFile(join(folder, 'main.go'), GO);
    expect((await run('gofmt', ['-l', '.'], { cwd: folder })).stdout).toBe('');
    await run('go', ['vet', './...'], { cwd: folder });
    await run('go', ['build', '-o', 'program', '.'], { cwd: folder });
    const read = async (values: Json[], args: string[] = []) =>
      outputOf('./program', args, folder, values.map((one) => JSON.stringify(one)).join('\n'));

    expect(linesOf((await read(payloads, ['strict'])).stdout)).toEqual(payloads);
    expect(linesOf((await read(payloads.map(withNewFields))).stdout)).toEqual(payloads);
    expect((await read([withNewFields(payloads[0] ?? {})], ['strict'])).code).not.toBe(0);
  });
});

const linesOf = (output: string): unknown[] =>
  output
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as unknown);
