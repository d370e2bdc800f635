// Runs in a pod of the test: opens TCP connections to SMTP_HOST at a steady rate, each for itself.
// Port 8080: /start (`?perSecond=50`, forgets what was), /stop, /state.
import { createServer } from 'node:http';
import { connect } from 'node:net';

const TIMEOUT_MS = 3_000;
let timer;
let state = { attempts: 0, failures: [] };

function dial() {
  const current = state;
  current.attempts++;
  const atMs = Date.now();
  const socket = connect({ host: process.env.SMTP_HOST, port: 25 });
  const fail = (reason) => {
    current.failures.push({ atMs, reason });
    socket.destroy();
  };
  socket.setTimeout(TIMEOUT_MS, () => fail('timeout'));
  socket.once('error', ({ code }) => fail(code));
  socket.once('data', () =>
    socket
      .removeAllListeners('error')
      .on('error', () => {})
      .destroy(),
  );
}

createServer((request, response) => {
  const { pathname, searchParams } = new URL(request.url, 'http://pod');
  if (pathname === '/start') {
    clearInterval(timer);
    state = { attempts: 0, failures: [] };
    timer = setInterval(dial, 1000 / Number(searchParams.get('perSecond')));
  } else if (pathname === '/stop') clearInterval(timer);
  response.end(JSON.stringify({ ...state, nowMs: Date.now() }));
}).listen(8080);
process.on('SIGTERM', () => process.exit(0));
