// A product with Inlet inside: one address for each customer, and webhooks on the internal network.
// See docs/inlet-in-your-product.md. Node 24, without packages.
import { createHmac, timingSafeEqual } from 'node:crypto';
import { appendFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import { buffer } from 'node:stream/consumers';

const { INLET_API_URL, INLET_TOKEN, WEBHOOK_URL, TLS_DIR, DATA_DIR, PORT, WEBHOOK_PORT } =
  process.env;
const TOLERANCE_SECONDS = 300;
const CUSTOMERS = `${DATA_DIR}/customers.json`; // your database
const EMAILS = `${DATA_DIR}/emails.jsonl`;

const customers = existsSync(CUSTOMERS) ? JSON.parse(readFileSync(CUSTOMERS, 'utf8')) : {};
const seen = new Set(); // use your database: a unique index on event_id

/** The same customer gets the same address: the key makes the call safe to repeat. */
async function addressOf(customer) {
  const known = Object.values(customers).find((one) => one.customer === customer);
  if (known) return known.address;
  const response = await fetch(`${INLET_API_URL}/addresses`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${INLET_TOKEN}`,
      'content-type': 'application/json',
      'idempotency-key': `customer-${customer}`,
    },
    body: JSON.stringify({ webhook_url: WEBHOOK_URL, labels: { customer } }),
  });
  if (!response.ok) throw new Error(`Inlet: ${response.status} ${await response.text()}`);
  const { id, address, webhook_secret } = await response.json();
  customers[id] = { customer, address, secret: webhook_secret };
  writeFileSync(CUSTOMERS, JSON.stringify(customers), { mode: 0o600 });
  return address;
}

/** v1,t=<unix seconds>,s=<hex>, with a second s= while a secret is rotated */
function isFromInlet(header = '', body, secret) {
  const [, t] = /^v1,t=([0-9]{1,12}),/.exec(header) ?? [];
  if (!(Math.abs(Date.now() / 1000 - Number(t)) <= TOLERANCE_SECONDS)) return false;
  const expected = createHmac('sha256', secret).update(`${t}.`).update(body).digest();
  const given = Array.from(header.matchAll(/,s=([0-9a-f]{64})/g), ([, hex]) => hex);
  return given.some((hex) => timingSafeEqual(Buffer.from(hex, 'hex'), expected));
}

async function receive(request) {
  const body = await buffer(request); // the raw body: its bytes are signed
  const email = JSON.parse(body);
  const found = customers[email.address_id];
  if (!found || !isFromInlet(request.headers['svc-signature'], body, found.secret)) return 401;
  if (email.is_test || seen.has(email.event_id)) return 204;
  const { subject } = email.headers;
  const { text } = email.content;
  appendFileSync(EMAILS, `${JSON.stringify({ customer: found.customer, subject, text })}\n`);
  seen.add(email.event_id);
  return 204;
}

const tls = { key: readFileSync(`${TLS_DIR}/key.pem`), cert: readFileSync(`${TLS_DIR}/cert.pem`) };
createHttpsServer(tls, async (request, response) => {
  response.writeHead(await receive(request).catch(() => 400)).end();
}).listen(Number(WEBHOOK_PORT));

// A call of your product: POST /customers/acme
createServer(async (request, response) => {
  const [, customer] = /^\/customers\/([a-z0-9]{1,60})$/.exec(request.url) ?? [];
  if (request.method !== 'POST' || !customer) return response.writeHead(404).end();
  const address = await addressOf(customer).catch((error) => void console.error(error));
  response.writeHead(address ? 200 : 502, { 'content-type': 'application/json' });
  response.end(JSON.stringify({ address }));
}).listen(Number(PORT));
