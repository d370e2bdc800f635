// Express, on Node 22.13 or later. npm install express standardwebhooks
import express from 'express';
import { Webhook } from 'standardwebhooks';

const { DatabaseSync } = await import('node:sqlite').catch(() => {
  throw new Error(`Node ${process.version} has no node:sqlite: use Node 22.13 or later`);
});
const webhook = new Webhook(process.env.WEBHOOK_SECRET);
const db = new DatabaseSync(process.env.MAIL_DB ?? 'mail.db'); // use your database
db.exec(`CREATE TABLE IF NOT EXISTS emails
  (event_id TEXT PRIMARY KEY, payload TEXT NOT NULL, is_done INTEGER NOT NULL DEFAULT 0)`);
const insert = db.prepare('INSERT OR IGNORE INTO emails (event_id, payload) VALUES (?, ?)');
const open = db.prepare('SELECT event_id, payload FROM emails WHERE is_done = 0');
const markDone = db.prepare('UPDATE emails SET is_done = 1 WHERE event_id = ?');
const app = express();

function work(email) {
  console.log(email.event_id, email.headers.subject);
}

function workOff() {
  for (const { event_id, payload } of open.all()) {
    work(JSON.parse(payload));
    markDone.run(event_id);
  }
}

// The raw body: a JSON parser would change the bytes that are signed.
app.post('/', express.raw({ type: '*/*', limit: '64mb' }), (request, response) => {
  let email;
  try {
    email = webhook.verify(request.body, request.headers);
  } catch {
    return response.sendStatus(401);
  }
  if (email.is_test) return response.sendStatus(204); // a sample, not an email
  insert.run(email.event_id, JSON.stringify(email)); // if this fails: 500, and Inlet retries
  setImmediate(workOff); // after the response
  response.sendStatus(204);
});

setImmediate(workOff); // emails of before a crash
app.listen(Number(process.env.PORT ?? 3000));
