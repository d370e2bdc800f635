// Node, without a framework and without a package: it verifies Svc-Signature.
import { createHmac, timingSafeEqual } from 'node:crypto';
import { createServer } from 'node:http';
import { buffer } from 'node:stream/consumers';

const MAX_BODY_BYTES = 64 * 1024 * 1024;
const TOLERANCE_SECONDS = 300;
const secret = process.env.WEBHOOK_SECRET;
const seen = new Set(); // use your database: a unique index on event_id

function work(email) {
  console.log(email.event_id, email.headers.subject);
}

// v1,t=<unix seconds>,s=<hex>, with a second s= while the secret is rotated
function isFromInlet(header = '', body) {
  const [, t] = /^v1,t=([0-9]{1,12}),/.exec(header) ?? [];
  if (!(Math.abs(Date.now() / 1000 - Number(t)) <= TOLERANCE_SECONDS)) return false;
  const expected = createHmac('sha256', secret).update(`${t}.`).update(body).digest();
  const given = Array.from(header.matchAll(/,s=([0-9a-f]{64})/g), ([, hex]) => hex);
  return given.some((hex) => timingSafeEqual(Buffer.from(hex, 'hex'), expected));
}

async function respond(request) {
  if (request.method !== 'POST') return 405;
  if (!(Number(request.headers['content-length']) <= MAX_BODY_BYTES)) return 413;
  const body = await buffer(request); // the raw body: its bytes are signed
  if (!isFromInlet(request.headers['svc-signature'], body)) return 401;
  const email = JSON.parse(body);
  if (email.is_test) return 204; // a sample, not an email
  if (!seen.has(email.event_id)) {
    seen.add(email.event_id);
    setImmediate(work, email); // after the response
  }
  return 204;
}

createServer(async (request, response) => {
  response.writeHead(await respond(request).catch(() => 400)).end();
}).listen(Number(process.env.PORT ?? 3000));
