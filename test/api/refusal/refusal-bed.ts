/**
 * All that a refusal passes: a gateway behind a load balancer, so that a test can be any source, with
 * its hooks, blocklist, plans and clamd, and an API on the same servers.
 */
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { expect } from 'vitest';

import { createLog } from '../../../services/adapters/process/log.ts';
import type { Address } from '../../../services/core/address/address.ts';
import type { RefusalView } from '../../../services/core/refusal/refusal-view.ts';
import { startTestDns } from '../../support/dns-server.ts';
import { startPipeline } from '../../support/pipeline.ts';
import { proxyV1 } from '../../support/proxy-protocol.ts';
import { startTestApi } from '../../support/start-api.ts';
import { until } from '../../support/until.ts';
import { sendByHand } from '../../gateway/send-by-hand.ts';

export const SOURCE = '198.51.100.7';
export const LISTED_SOURCE = '82.0.0.1';
export const UNKNOWN_PER_MINUTE = 5;
export const MAX_RCPT = 5;
export const FROM_ANN = 'From: Ann <ann@sender.example>\r\n';

type Line = Record<string, unknown> & { event: string };

export async function startRefusalBed() {
  await using parts = new AsyncDisposableStack();
  const dns = parts.use(await startTestDns());
  dns.set('sender.example', { TXT: ['v=spf1 -all'] });
  dns.set('_dmarc.sender.example', { TXT: ['v=DMARC1; p=reject'] });
  dns.set('1.0.0.82.bl.example', { A: ['127.0.0.4'] });
  const clamd = parts.use(await startFakeClamd());
  const lines: Line[] = [];
  const log = createLog('info', {}, { write: (line) => void lines.push(JSON.parse(line) as Line) });
  const plan = { base_cost: 0, emails_included: 1_000, over_quota: 'refuse' };
  const plans = { free: plan, spent: { ...plan, emails_included: 0 } };
  const pipeline = parts.use(
    await startPipeline({
      log,
      constants: { maxRcptCommands: MAX_RCPT },
      env: {
        MAIL_AUTH: 'true',
        DNS_SERVERS: dns.address,
        DNSBL_ZONES: 'bl.example',
        CLAMD: clamd.address,
        PLANS: JSON.stringify({ currency: 'EUR', plans }),
        PROXY_PROTOCOL_NETWORKS: '127.0.0.0/8',
        LMTP_PORT: '0',
        LMTP_NETWORKS: '127.0.0.1/32',
        MAX_MESSAGE_BYTES: '100000',
        SOURCE_UNKNOWN_PER_MINUTE: String(UNKNOWN_PER_MINUTE),
      },
    }),
  );
  const api = parts.use(
    await startTestApi({
      mongoUri: String(pipeline.settings.MONGODB_URI),
      natsServer: pipeline.natsServer,
      env: { SECRET_KEYS: String(pipeline.settings.SECRET_KEYS), PARTITIONS: '2' },
    }),
  );
  const owner = { account_id: api.account.id, environment: 'live' as const };

  async function list(query: string, token = api.token): Promise<RefusalView[]> {
    const { status, body } = await api.ask('GET', `/v1/refusals?${query}`, { token });
    expect([status, body]).toEqual([200, body]);
    return body.data as RefusalView[];
  }
  const running = parts.move();
  return {
    pipeline,
    api,
    db: pipeline.mongo.db,
    owner,
    list,
    addressOf: (fields: Partial<Address> = {}) =>
      pipeline.address('/unused', { ...owner, ...fields }),
    /** What the log says of refused emails for this mailbox; without one, of MAIL. */
    logged: (mailbox?: string) =>
      lines.filter((line) => line.event === 'mail.refused' && line.mailbox === mailbox),
    /** The refusals of this mailbox, once there are any. */
    refusalsOf: (mailbox: string, token?: string): Promise<RefusalView[]> =>
      until('a refusal', async () => {
        const found = await list(`recipient=${encodeURIComponent(mailbox)}`, token);
        return found.length > 0 ? found : undefined;
      }),
    /** Sends an email of Ann; resolves with the last reply. */
    send: (to: string, mail: string, source = SOURCE) =>
      sendByHand(pipeline.smtpPort, to, `${FROM_ANN}${mail}`, proxied(source)),
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  };
}

export const proxied = (source: string) =>
  proxyV1({ source, sourcePort: 40_000, destination: '192.0.2.25', destinationPort: 25 });

/** Finds malware where an email has this word. */
async function startFakeClamd() {
  const server = createServer((socket) => {
    let heard = '';
    socket.setEncoding('latin1').on('data', (bytes) => {
      heard += String(bytes);
      if (heard === 'zPING\0') socket.end('PONG\0');
      else if (heard === 'zVERSION\0') socket.end('ClamAV 1.4.6\0');
      else if (heard.endsWith('\0\0\0\0'))
        socket.end(heard.includes('malware') ? 'stream: Eicar FOUND\0' : 'stream: OK\0');
    });
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return {
    address: `tcp://127.0.0.1:${(server.address() as AddressInfo).port}`,
    [Symbol.asyncDispose]: async () => {
      await once(server.close(), 'close');
    },
  };
}
