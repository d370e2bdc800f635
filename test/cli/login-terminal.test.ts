/** `inlet login` in a real terminal, which `script` of util-linux provides. */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';

import { freePort } from '../../services/standalone/processes/ports.ts';
import { noteSkip } from '../support/skip-notes.ts';

const MAIN = join(import.meta.dirname, '../../services/cli/main.ts');
const hasScript = spawnSync('script', ['--version']).stdout?.includes('util-linux') ?? false;
if (!hasScript) noteSkip('script of util-linux is missing');
const TOKEN = `svc_live_${'s3cret'.repeat(7)}`;

/** What the terminal shows after the person typed this. */
async function typeAtLogin(typed: string): Promise<{ shown: string; code: number | null }> {
  const url = `http://127.0.0.1:${await freePort()}/v1`;
  const command = `${process.execPath} ${MAIN} login --api-url ${url}`;
  const env = { PATH: process.env['PATH'], HOME: '/nonexistent', TERM: 'xterm' };
  const child = spawn('script', ['--quiet', '--return', '--command', command, '/dev/null'], {
    env,
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const closed = once(child, 'close') as Promise<[number | null]>;
  let shown = '';
  for await (const chunk of child.stdout.setEncoding('utf8')) {
    const wasAsked = shown.includes('press Enter');
    shown += String(chunk);
    if (!wasAsked && shown.includes('press Enter')) child.stdin.write(typed);
  }
  return { shown, code: (await closed)[0] };
}

describe.runIf(hasScript)('login in a terminal', () => {
  test('a pasted token is read at Enter, and is not shown', async () => {
    const { shown, code } = await typeAtLogin(`${TOKEN}\r`);
    expect(shown).toContain('which is not shown');
    expect(shown).toContain('ECONNREFUSED'); // the token was read and used
    expect(shown).not.toContain('s3cret');
    expect(code).toBe(6);
  });

  test('Ctrl-C ends it', async () => {
    const { shown, code } = await typeAtLogin('\u0003');
    expect(shown).not.toContain('ECONNREFUSED');
    expect(code).not.toBe(0);
  });
});
