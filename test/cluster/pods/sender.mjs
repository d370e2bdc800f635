// Runs in a pod of the test: SMTP clients that send numbered emails and repeat each until it gets
// a 250, as mail servers do. Port 8080: /start, /stop, /state. `/start?workers=12&pause=100`:
// as many clients, each of which waits so many milliseconds after an email.
import { lookup } from 'node:dns/promises';
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import { setTimeout as sleep } from 'node:timers/promises';

const { createTransport } = createRequire('/app/package.json')('nodemailer');
const WORKERS = 6;
const PAUSE_MS = 10;
const state = {
  isSending: false,
  accepted: [],
  refusedConnections: 0,
  brokenConnections: 0,
  deferred: 0,
  longestWaitMs: 0,
  rejected: [],
  workers: 0,
};
let last = 0;

async function send(subject) {
  const startedMs = Date.now();
  let isDeferred = false;
  for (;;) {
    const host = await lookup(process.env.SMTP_HOST).then(
      ({ address }) => address,
      () => '192.0.2.1',
    ); // nodemailer would keep it for minutes
    const transport = createTransport({
      host,
      port: 25,
      connectionTimeout: 3000,
      tls: { rejectUnauthorized: false },
    });
    try {
      await transport.sendMail({
        from: 'load@example.com',
        to: process.env.ADDRESS,
        subject,
        text: `${subject}\n`.repeat(20),
      });
      state.accepted.push(subject);
      if (isDeferred) state.deferred++;
      const nowMs = Date.now();
      state.longestWaitMs = Math.max(state.longestWaitMs, nowMs - startedMs);
      return;
    } catch (error) {
      if (error.responseCode >= 500) {
        state.rejected.push(`${subject}: ${error.message}`);
        return;
      }
      if (error.responseCode) isDeferred = true;
      else if (
        error.syscall === 'connect' ||
        error.code === 'ECONNREFUSED' ||
        /Connection timeout|ECONNREFUSED/.test(error.message)
      )
        state.refusedConnections++;
      else state.brokenConnections++;
      await sleep(50);
    } finally {
      transport.close();
    }
  }
}

async function work(pauseMs) {
  state.workers++;
  while (state.isSending) {
    await send(`mail ${++last}`);
    await sleep(pauseMs);
  }
  state.workers--;
}

createServer((request, response) => {
  if (request.url.startsWith('/start') && !state.isSending) {
    Object.assign(state, {
      isSending: true,
      accepted: [],
      refusedConnections: 0,
      brokenConnections: 0,
      deferred: 0,
      longestWaitMs: 0,
      rejected: [],
    });
    const { searchParams } = new URL(request.url, 'http://pod');
    const pauseMs = Number(searchParams.get('pause') ?? PAUSE_MS);
    const workers = Number(searchParams.get('workers') ?? WORKERS);
    for (let i = 0; i < workers; i++) void work(pauseMs);
  } else if (request.url === '/stop') state.isSending = false;
  response.end(JSON.stringify(state));
}).listen(8080);
process.on('SIGTERM', () => process.exit(0));
