// Express. npm install express standardwebhooks
import express from 'express';
import { Webhook } from 'standardwebhooks';

const webhook = new Webhook(process.env.WEBHOOK_SECRET);
const seen = new Set(); // use your database: a unique index on event_id
const app = express();

function work(email) {
  console.log(email.event_id, email.headers.subject);
}

// The raw body: a JSON parser would change the bytes that are signed.
app.post('/', express.raw({ type: '*/*', limit: '64mb' }), (request, response) => {
  let email;
  try {
    email = webhook.verify(request.body, request.headers);
  } catch {
    return response.sendStatus(401);
  }
  if (!seen.has(email.event_id)) {
    seen.add(email.event_id);
    setImmediate(work, email); // after the response
  }
  response.sendStatus(204);
});

app.listen(Number(process.env.PORT ?? 3000));
