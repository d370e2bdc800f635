/** What `npm start` prints: what to try next, and how far a download is. */
import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { expect, test } from 'vitest';

import { reportingProgress } from '../../services/standalone/fetch/progress.ts';
import { readyText } from '../../services/standalone/screen.ts';
import type { StandaloneState } from '../../services/standalone/state/state.ts';
import { until } from '../support/until.ts';

const STATE = {
  smtp_host: '127.0.0.1',
  smtp_port: 2525,
  api_url: 'http://127.0.0.1:8080/v1',
  token: 'svc_live_token',
  address: 'hello@inlet.localhost',
  receiver_url: 'https://127.0.0.1:3443/',
} as StandaloneState;

test('a beginner reads how to send an email, and how to receive one in a program', () => {
  const facts = { dataDir: '/data', hasOwnDir: false, dashboard: undefined, isFirst: true };
  const text = readyText(STATE, facts);
  expect(text).toContain('npm exec inlet -- send hello@inlet.localhost');
  expect(text).toContain('npm exec inlet -- listen --forward http://localhost:3000');
});

test('a download says that it counts unpacked bytes, and for how long it has run', async () => {
  const dir = await mkdtemp(join(tmpdir(), 'inlet-progress-'));
  await writeFile(join(dir, 'package.tgz'), Buffer.alloc(3_000_000));
  const lines: string[] = [];
  const report = (line: string) => void lines.push(line);
  await reportingProgress(
    { dir, what: 'a program', report },
    () => until('a report', () => lines.length > 0),
    5,
  );
  expect(lines[0]).toMatch(/^still downloading a program: 3\.0 MB unpacked after \d+ s/);
});
