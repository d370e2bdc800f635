/** L.3: programs that others publish speak with the MCP server. */
import { execFile } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';

import { startTestApi } from '../support/start-api.ts';
import { startAuthorizingProxy } from './authorizing-proxy.ts';
import { installFromNpm, installMcpForPython, MCP_CONFORMANCE, MCP_INSPECTOR } from './tools.ts';
import { atMost } from '../support/slowdown.ts';
import { useInFile } from '../support/use-in-file.ts';

const run = promisify(execFile);
const TIMEOUT_MS = 300_000;
const TOOLS = [
  'create_address',
  'wait_for_email',
  'list_emails',
  'search',
  'list_refusals',
  'get_email',
  'get_codes_and_links',
  'acknowledge_email',
  'erase_email',
];

const api = await useInFile(startTestApi({ env: { MCP: 'true' } }));

type Check = { id: string; status: string; errorMessage?: string };

/**
 * What the suite says about a server without prompts, resources, and the tools that it brings for
 * servers that are examples.
 */
const NOT_OFFERED =
  /not testable|no such tool|method not found|tool '\w+' not found|InputRequiredResult/i;

/** The checks of each scenario that applies to a revision. */
async function conformance(folder: string, revision: string): Promise<Record<string, Check[]>> {
  await using proxy = await startAuthorizingProxy(api.url, api.token);
  const results = await mkdtemp(join(tmpdir(), 'inlet-mcp-'));
  try {
    const program = join(folder, 'node_modules', '.bin', 'conformance');
    const options = ['--suite', 'all', '--spec-version', revision, '-o', results];
    await run(program, ['server', '--url', `${proxy.url}/mcp`, ...options], {
      timeout: atMost(TIMEOUT_MS),
    }).catch(() => undefined); // it fails for what is not offered
    const found: Record<string, Check[]> = {};
    for (const name of await readdir(results)) {
      const scenario = name.replace(/^server-|-\d{4}-\d\d-\d\dT.*$/g, '');
      const checks = await readFile(join(results, name, 'checks.json'), 'utf8');
      found[scenario] = JSON.parse(checks) as Check[];
    }
    return found;
  } finally {
    await rm(results, { recursive: true });
  }
}

describe('L.3: the conformance suite of MCP', () => {
  test.for<[revision: string, scenarios: string[]]>([
    [
      '2026-07-28',
      ['tools-list', 'http-header-validation', 'dns-rebinding-protection', 'server-stateless'],
    ],
    ['2025-11-25', ['server-initialize', 'ping', 'tools-list', 'dns-rebinding-protection']],
  ])('%s: only what is not offered fails', async ([revision, required], { skip }) => {
    const folder = (await installFromNpm('mcp-conformance', MCP_CONFORMANCE)) ?? skip();
    const found = await conformance(folder, revision);
    const failed = Object.values(found)
      .flat()
      .filter(({ status }) => status === 'FAILURE');
    expect(failed.filter(({ errorMessage = '' }) => !NOT_OFFERED.test(errorMessage))).toEqual([]);
    for (const scenario of required)
      expect(found[scenario]?.some(({ status }) => status === 'SUCCESS')).toBe(true);
  });
});

test('L.3: the command of the inspector lists and calls tools', async ({ skip }) => {
  const folder = (await installFromNpm('mcp-inspector', MCP_INSPECTOR)) ?? skip();
  const inspect = async (...options: string[]) => {
    const header = ['--header', `Authorization: Bearer ${api.token}`];
    const program = join(folder, 'node_modules', '.bin', 'mcp-inspector');
    const { stdout } = await run(program, ['--cli', `${api.url}/mcp`, ...options, ...header]);
    return JSON.parse(stdout) as Record<string, unknown>;
  };
  // strict: it fails for schemas that some clients cannot read
  const { tools } = await inspect('--method', 'tools/list', '--strict');
  expect((tools as { name: string }[]).map(({ name }) => name)).toEqual(TOOLS);
  const call = ['--method', 'tools/call', '--tool-name', 'create_address'];
  expect(await inspect(...call, '--tool-arg', 'ttl_hours=1')).toMatchObject({
    structuredContent: { address: expect.stringContaining('@in.example') as string },
  });
});

test('L.3: the Python client calls tools, with and without initialize', async ({ skip }) => {
  const folder = (await installMcpForPython()) ?? skip();
  const program = join(import.meta.dirname, 'clients', 'mcp_client.py');
  const python = join(folder, 'bin', 'python');
  const { stdout } = await run(python, [program, `${api.url}/mcp`, api.token]);
  const lines = stdout.trim().split('\n');
  expect(lines.map((line) => JSON.parse(line) as object)).toEqual(
    ['2026-07-28', '2025-11-25'].map((version) => ({
      version,
      tools: TOOLS,
      waited: expect.stringMatching(/^No email arrived within 1 seconds/) as string,
      is_error: true,
    })),
  );
});
