// Runs in a pod of the test: an HTTPS receiver that reports on port 8080 what it received. It
// verifies the signatures of one address. Others use /busy, which accepts all, and /failing. Requests
// to /v1 are for the API, which has no HTTPS of its own in the profile.
import { createHmac, timingSafeEqual } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createServer as createHttp, request as requestHttp } from 'node:http';
import { createServer } from 'node:https';

const TLS = '/tls';
const secret = process.env.WEBHOOK_SECRET;
const seen = { subjects: {}, badSignatures: 0 };
const busyEvents = new Set();

function signatureHolds(header = '', body) {
  const fields = header.split(',');
  const t = fields.find((field) => field.startsWith('t='))?.slice(2) ?? '';
  const expected = createHmac('sha256', secret).update(`${t}.`).update(body).digest('hex');
  return fields.some(
    (field) =>
      field.length === 66 &&
      field.startsWith('s=') &&
      timingSafeEqual(Buffer.from(field.slice(2)), Buffer.from(expected)),
  );
}

function forward({ url: path, method, headers }, response) {
  requestHttp({ host: process.env.API_HOST, path, method, headers }, (answer) => {
    response.writeHead(answer.statusCode, answer.headers);
    answer.pipe(response);
  })
    .on('error', () => response.writeHead(502).end())
    .end();
}

createServer(
  { cert: readFileSync(`${TLS}/tls.crt`), key: readFileSync(`${TLS}/tls.key`) },
  (request, response) => {
    if (request.url.startsWith('/v1/')) {
      forward(request, response);
      return;
    }
    const chunks = [];
    request
      .on('data', (chunk) => chunks.push(chunk))
      .on('end', () => {
        if (request.url === '/failing') {
          response.writeHead(503).end();
          return;
        }
        const body = Buffer.concat(chunks);
        if (request.url === '/busy') {
          busyEvents.add(JSON.parse(body.toString()).event_id);
          response.writeHead(204).end();
          return;
        }
        if (!signatureHolds(request.headers['svc-signature'], body)) {
          seen.badSignatures++;
          response.writeHead(401).end();
          return;
        }
        const { headers } = JSON.parse(body.toString());
        seen.subjects[headers.subject] = (seen.subjects[headers.subject] ?? 0) + 1;
        response.writeHead(204).end();
      });
  },
).listen(8443);
createHttp((_, response) =>
  response.end(JSON.stringify({ ...seen, busyEvents: busyEvents.size })),
).listen(8080);
process.on('SIGTERM', () => process.exit(0));
