/**
 * Yardstick (b): what users write today. smtp-server, simpleParser, and a POST of the parsed email
 * before the 250, without queue, disk or signature. It uses undici's request, or fetch if that is
 * the second argument. Most people would write fetch, but it closes a connection if the response
 * arrives before the body was sent, which costs a handshake.
 */
import { simpleParser } from 'mailparser';
import { request } from 'undici';

import { serveYardstick } from './serve.ts';

const [url = '', client = 'undici'] = process.argv.slice(2);
const headers = { 'content-type': 'application/json' };

serveYardstick(async (stream) => {
  const { subject, from, to, date, messageId, text, html, attachments } =
    await simpleParser(stream);
  const files = attachments.map(({ filename, contentType, size, content }) => ({
    filename,
    contentType,
    size,
    content: content.toString('base64'),
  }));
  const body = JSON.stringify({
    subject,
    from,
    to,
    date,
    messageId,
    text,
    html,
    attachments: files,
  });
  const status = client === 'undici' ? await postWithUndici(body) : await postWithFetch(body);
  if (status >= 300) throw new Error(`the receiver answered ${status}`);
});

async function postWithFetch(body: string): Promise<number> {
  const response = await fetch(url, { method: 'POST', headers, body });
  await response.arrayBuffer();
  return response.status;
}

async function postWithUndici(body: string): Promise<number> {
  const response = await request(url, { method: 'POST', headers, body });
  await response.body.dump();
  return response.statusCode;
}
