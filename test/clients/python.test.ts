/** inlet-client for Python: what needs no server, and the version. */
import { execFile } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

import { expect, test } from 'vitest';

import { installPythonPackageTools } from '../contract/tools.ts';
import { MAILBOX, REFUSED, REPLY, SIGNED_WITH, VECTORS } from '../core/reply/reply-vectors.ts';
import { CHECKOUT } from '../docs/pages.ts';
import { installBuiltPython, PYTHON_PACKAGE } from './built-python.ts';
import { BODY, questions, refusedWebhooks, validWebhooks } from './signed-webhooks.ts';
import { readOpenApi } from '../support/openapi-files.ts';
import { testDir } from '../support/servers.ts';
import { atMost } from '../support/slowdown.ts';

const run = promisify(execFile);
const TIMEOUT_MS = 300_000;

type Failure = Error & { stdout: string };

test(
  'L.5: the Python client calls every operation, retries, lists, listens and verifies',
  {
    timeout: atMost(TIMEOUT_MS),
  },
  async ({ skip }) => {
    const tools = (await installPythonPackageTools()) ?? skip();
    const python = join(tools, 'bin', 'python');
    await using dir = await testDir();
    await installBuiltPython(python, dir.path);
    const OPENAPI = join(dir.path, 'openapi.json');
    await writeFile(OPENAPI, JSON.stringify(await readOpenApi()));
    const cases = {
      body: BODY,
      valid: validWebhooks(),
      refused: refusedWebhooks(),
      questions: questions(),
    };
    const replies = {
      options: {
        key: SIGNED_WITH.key,
        address_id: SIGNED_WITH.addressId,
        mailbox: MAILBOX,
        reference: REPLY.reference,
      },
      expires: REPLY.expiresAt.getTime() / 1000,
      vectors: VECTORS.map(([, sender, tag]) => [sender ?? null, MAILBOX.replace('@', `+${tag}@`)]),
      refused: REFUSED,
    };
    const args = [
      '-m',
      'pytest',
      '-q',
      '-p',
      'no:cacheprovider',
      'client_test.py',
      'webhooks_test.py',
      'reply_test.py',
    ];
    const tested = await run(python, args, {
      cwd: import.meta.dirname,
      env: {
        ...process.env,
        PYTHONPATH: dir.path,
        PYTHONDONTWRITEBYTECODE: '1',
        OPENAPI,
        SIGNED: JSON.stringify(cases),
        REPLIES: JSON.stringify(replies),
      },
    }).catch((error: Failure) => error);
    expect(tested.stdout).toMatch(/^\d+ passed in /m);
  },
);

test('L.5: the Python package has the version of Inlet', async () => {
  const { version } = JSON.parse(await readFile(join(CHECKOUT, 'package.json'), 'utf8')) as {
    version: string;
  };
  const project = await readFile(join(PYTHON_PACKAGE, 'pyproject.toml'), 'utf8');
  expect(/^version = "(.*)"$/m.exec(project)?.[1]).toBe(version);
});
