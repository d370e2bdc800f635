/** The worker and the function of docs/other-ways-in.md submit emails, and heed the status. */
import { execFile } from 'node:child_process';
import { mkdtemp, writeFile } from 'node:fs/promises';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { afterAll, beforeAll, beforeEach, expect, inject, test } from 'vitest';

import { codeBlocks, readPage } from './pages.ts';

const run = promisify(execFile);
const MAIL = 'Subject: x\r\n\r\nx\r\n';

const requests: { url?: string; headers: IncomingHttpHeaders; body: string }[] = [];
let status = 200;
const api = createServer((request, response) => {
  void (async () => {
    const { url = '', headers } = request;
    requests.push({ url, headers, body: await text(request) });
    response.writeHead(status).end('{}');
  })();
});
let apiUrl = '';
beforeAll(async () => {
  await new Promise<void>((resolve) => api.listen(0, '127.0.0.1', resolve));
  apiUrl = `http://127.0.0.1:${(api.address() as AddressInfo).port}/v1`;
});
afterAll(() => void api.close());
beforeEach(() => void requests.splice(0));

const SUBMITTED = {
  url: '/v1/intake',
  headers: {
    authorization: 'Bearer token',
    'content-type': 'message/rfc822',
    'svc-rcpt-to': 'orders@in.example.com',
    'svc-mail-from': 'ann@sender.example',
  },
  body: MAIL,
};

async function program(language: string): Promise<string> {
  const blocks = codeBlocks(await readPage('docs/other-ways-in.md'));
  return blocks.find((block) => block.language === language)?.code ?? '';
}

test('the Cloudflare worker submits, refuses for 422, and fails for anything else', async () => {
  const dir = await mkdtemp(join(inject('scratchDir'), 'worker-'));
  await writeFile(join(dir, 'worker.mjs'), await program('js'));
  await writeFile(
    join(dir, 'call.mjs'),
    `import worker from './worker.mjs';
const env = { INLET_API_URL: process.argv[2], INLET_TOKEN: 'token' };
const message = {
  from: 'ann@sender.example', to: 'orders@in.example.com',
  raw: new Blob([${JSON.stringify(MAIL)}]).stream(),
  setReject: (reason) => console.log(reason),
};
await worker.email(message, env);`,
  );
  const call = async (answer: number) => {
    status = answer;
    return run(process.execPath, [join(dir, 'call.mjs'), apiUrl]).then(({ stdout }) => stdout);
  };
  expect(await call(200)).toBe('');
  expect(requests).toMatchObject([SUBMITTED]);
  expect(await call(422)).toBe('550 5.1.1 Recipient refuses this email\n');
  await expect(call(503)).rejects.toThrow('Inlet: 503');
});

test('the function for SES submits, ends for 422, and fails for anything else', async () => {
  const dir = await mkdtemp(join(inject('scratchDir'), 'lambda-'));
  await writeFile(join(dir, 'function.py'), await program('python'));
  await writeFile(
    join(dir, 'boto3.py'), // stands for the AWS SDK
    `import io
class S3:
    def get_object(self, Bucket, Key):
        assert (Bucket, Key) == ("mail", "m1")
        return {"Body": io.BytesIO(${JSON.stringify(MAIL)}.encode())}
def client(name):
    assert name == "s3"
    return S3()
`,
  );
  const event = {
    Records: [
      {
        ses: {
          mail: { messageId: 'm1', source: 'ann@sender.example' },
          receipt: { recipients: ['orders@in.example.com'] },
        },
      },
    ],
  };
  const call = async (answer: number) => {
    status = answer;
    const code = `import function, json; function.handler(json.loads('${JSON.stringify(event)}'), None)`;
    const env = { ...process.env, INLET_API_URL: apiUrl, INLET_TOKEN: 'token', BUCKET: 'mail' };
    return (await run('python3', ['-c', code], { cwd: dir, env })).stdout;
  };
  expect(await call(200)).toBe('');
  expect(requests).toMatchObject([SUBMITTED]);
  expect(await call(422)).toBe('{"refused": "m1"}\n');
  await expect(call(503)).rejects.toThrow('HTTP Error 503');
});
