// Next.js, App Router: app/webhook/route.ts. npm install standardwebhooks
import { after } from 'next/server';
import { Webhook } from 'standardwebhooks';
import type { WebhookPayload } from './inlet'; // types/inlet.ts of this folder

const MAX_BODY_BYTES = 64 * 1024 * 1024;
const seen = new Set<string>(); // use your database: a unique index on event_id

function work(email: WebhookPayload) {
  console.log(email.event_id, email.headers.subject);
}

const respond = (status: number) => new Response(null, { status });

export async function POST(request: Request) {
  if (!(Number(request.headers.get('content-length')) <= MAX_BODY_BYTES)) return respond(413);
  const webhook = new Webhook(process.env.WEBHOOK_SECRET ?? '');
  const body = await request.text(); // the raw body: its bytes are signed
  let email: WebhookPayload;
  try {
    email = webhook.verify(body, Object.fromEntries(request.headers)) as WebhookPayload;
  } catch {
    return respond(401);
  }
  if (email.is_test) return respond(204); // a sample, not an email
  if (!seen.has(email.event_id)) {
    seen.add(email.event_id);
    after(() => work(email)); // after the response
  }
  return respond(204);
}
