// Fastify. npm install fastify standardwebhooks
import fastify from 'fastify';
import { Webhook } from 'standardwebhooks';

const webhook = new Webhook(process.env.WEBHOOK_SECRET);
const seen = new Set(); // use your database: a unique index on event_id
const app = fastify({ bodyLimit: 64 * 1024 * 1024 });

function work(email) {
  console.log(email.event_id, email.headers.subject);
}

// The raw body: a JSON parser would change the bytes that are signed.
app.removeAllContentTypeParsers();
app.addContentTypeParser('*', { parseAs: 'buffer' }, (request, body, done) => done(null, body));

app.post('/', async (request, reply) => {
  let email;
  try {
    email = webhook.verify(request.body, request.headers);
  } catch {
    return reply.code(401).send();
  }
  if (email.is_test) return reply.code(204).send(); // a sample, not an email
  if (!seen.has(email.event_id)) {
    seen.add(email.event_id);
    setImmediate(work, email); // after the response
  }
  return reply.code(204).send();
});

await app.listen({ host: '0.0.0.0', port: Number(process.env.PORT ?? 3000) });
