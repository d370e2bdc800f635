// Node, without a framework. npm install standardwebhooks
import { createServer } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { Webhook } from 'standardwebhooks';

const MAX_BODY_BYTES = 64 * 1024 * 1024;
const webhook = new Webhook(process.env.WEBHOOK_SECRET);
const seen = new Set(); // use your database: a unique index on event_id

function work(email) {
  console.log(email.event_id, email.headers.subject);
}

async function respond(request) {
  if (request.method !== 'POST') return 405;
  if (!(Number(request.headers['content-length']) <= MAX_BODY_BYTES)) return 413;
  let email;
  try {
    email = webhook.verify(await buffer(request), request.headers);
    if (email.event_id.startsWith('ask_')) throw new Error('no webhook, but a question to a hook');
  } catch {
    return 401;
  }
  if (email.is_test) return 204; // a sample, not an email
  if (!seen.has(email.event_id)) {
    seen.add(email.event_id);
    setImmediate(work, email); // after the response
  }
  return 204;
}

createServer(async (request, response) => {
  response.writeHead(await respond(request)).end();
}).listen(Number(process.env.PORT ?? 3000));
