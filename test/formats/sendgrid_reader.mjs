// What @sendgrid/inbound-mail-parser reads of webhooks, each a line of JSON, behind multer, as its
// documentation shows it.
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

const [folder] = process.argv.slice(2);
const require = createRequire(join(folder, 'package.json'));
const multer = require('multer');
const Parse = require('@sendgrid/inbound-mail-parser');

const keys = [
  'to',
  'from',
  'subject',
  'text',
  'html',
  'envelope',
  'attachments',
  'attachment-info',
];
const files = mkdtempSync(join(tmpdir(), 'sendgrid-'));
const upload = multer({ dest: files, defParamCharset: 'utf8' }).any();
const server = createServer((request, response) => {
  upload(request, response, (error) => {
    const parsed = error ? undefined : new Parse({ keys }, request);
    const answer = (attachments) =>
      response.end(JSON.stringify({ ...parsed.keyValues(), files: attachments }));
    if (error) response.end(JSON.stringify({ exception: String(error) }));
    else parsed.attachments(answer);
  });
});
await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
const url = `http://127.0.0.1:${server.address().port}/`;
for await (const line of createInterface({ input: process.stdin })) {
  const { contentType, body } = JSON.parse(line);
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': contentType },
    body: Buffer.from(body, 'base64'),
  });
  process.stdout.write(`${await response.text()}\n`);
}
server.close();
rmSync(files, { recursive: true });
