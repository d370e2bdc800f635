// Cloudflare Worker. npm install standardwebhooks; wrangler secret put WEBHOOK_SECRET
import { Webhook } from 'standardwebhooks';

const MAX_BODY_BYTES = 64 * 1024 * 1024;

async function work(email) {
  console.log(email.event_id, email.headers.subject);
}

export default {
  async fetch(request, env, context) {
    if (request.method !== 'POST') return new Response(null, { status: 405 });
    if (!(Number(request.headers.get('content-length')) <= MAX_BODY_BYTES))
      return new Response(null, { status: 413 });
    const body = await request.text(); // the raw body: its bytes are signed
    let email;
    try {
      email = new Webhook(env.WEBHOOK_SECRET).verify(body, Object.fromEntries(request.headers));
    } catch {
      return new Response(null, { status: 401 });
    }
    if (email.is_test) return new Response(null, { status: 204 }); // a sample, not an email
    // SEEN is a KV namespace: it remembers event ids for a week.
    if ((await env.SEEN.get(email.event_id)) === null) {
      await env.SEEN.put(email.event_id, '1', { expirationTtl: 7 * 86_400 });
      context.waitUntil(work(email)); // after the response
    }
    return new Response(null, { status: 204 });
  },
};
