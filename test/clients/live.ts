/** A running Inlet, and an application that sends email, for the programs of a README. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { expect } from 'vitest';

import { freePort } from '../../services/standalone/processes/ports.ts';
import { codeBlocks, readPage } from '../docs/pages.ts';
import { startSignUpApp } from '../docs/sign-up-app.ts';
import { type WholeSystem, withNewAccount } from '../support/start-standalone.ts';
import { until } from '../support/until.ts';
import { BODY, SECRET, signed } from './signed-webhooks.ts';

export type Live = AsyncDisposable & {
  system: WholeSystem;
  folder: string;
  env: NodeJS.ProcessEnv;
};

/** With a new account, and a folder for programs. */
export async function startLive(shared: WholeSystem): Promise<Live> {
  await using parts = new AsyncDisposableStack();
  const system = parts.use(await withNewAccount(shared));
  const app = parts.use(await startSignUpApp(system.mailer));
  const { api_url: INLET_API_URL, token: INLET_TOKEN } = system.standalone.state();
  const env = {
    ...process.env,
    INLET_API_URL,
    INLET_TOKEN,
    APP_URL: app.url,
    WEBHOOK_SECRET: SECRET,
  };
  const folder = await mkdtemp(join(system.standalone.dataDir, 'client-'));
  const running = parts.move();
  return { system, folder, env, [Symbol.asyncDispose]: () => running.disposeAsync() };
}

/** Writes the programs of a page, each named by its first line, and returns their names. */
export async function writePrograms(
  folder: string,
  page: string,
  language: string,
): Promise<string[]> {
  const blocks = codeBlocks(await readPage(page)).filter((one) => one.language === language);
  const names = blocks.map(({ code }) => /^(?:\/\/|#) ([\w.-]+)\n/.exec(code)?.[1] ?? '');
  expect(names).not.toContain('');
  for (const [i, { code }] of blocks.entries()) await writeFile(join(folder, names[i] ?? ''), code);
  return names;
}

/** The receiver of a README accepts a webhook, and no other request. */
export async function checkReceiver(
  { folder, env }: Live,
  command: string,
  program: string,
): Promise<void> {
  const PORT = String(await freePort());
  const url = `http://127.0.0.1:${PORT}`;
  const receiver = spawn(command, [program], {
    cwd: folder,
    env: { ...env, PORT },
    stdio: 'ignore',
  });
  const post = async (more: object = {}): Promise<number> => {
    const headers = { ...signed([SECRET]), ...more };
    return (await fetch(url, { method: 'POST', body: BODY, headers })).status;
  };
  try {
    await until('the receiver', () =>
      fetch(url).then(
        () => true,
        () => false,
      ),
    );
    expect(await post({ 'webhook-id': 'evt_2' })).toBe(401);
    expect(await post()).toBe(200);
  } finally {
    receiver.kill();
    await once(receiver, 'exit');
  }
}
