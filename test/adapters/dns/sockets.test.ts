/**
 * The policy for all sockets (D292): a handshake of a second succeeds wherever Inlet connects, a dead
 * address leaves time for the next one, and a limit is a limit.
 */
import dns from 'node:dns';
import { syncBuiltinESMExports } from 'node:module';
import { Socket } from 'node:net';
import { KubeConfig } from '@kubernetes/client-node';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { createClamd } from '../../../services/adapters/clamd/clamd.ts';
import { chooseSocketDefaults, openSocket } from '../../../services/adapters/dns/sockets.ts';
import { createCheckedHttp } from '../../../services/adapters/http/checked-http.ts';
import { createRspamd } from '../../../services/adapters/http/rspamd.ts';
import { createTrustingFetch } from '../../../services/adapters/http/trusting-fetch.ts';
import { createWebhooks } from '../../../services/adapters/http/webhook.ts';
import { createSend } from '../../../services/adapters/kube/transport.ts';
import { connectMongo } from '../../../services/adapters/mongo/database/connection.ts';
import { createSubmission } from '../../../services/adapters/smtp/lmtp-client.ts';
import { sendMail } from '../../../services/adapters/smtp/mail-client.ts';
import { sendAtRate } from '../../../services/adapters/smtp/paced-load.ts';
import { connectToServer } from '../../../services/adapters/smtp/timed-mail.ts';
import { connectNats } from '../../../services/adapters/stream/connection/connection.ts';
import { openLogExporter } from '../../../services/adapters/tracing/log-sdk.ts';
import { createFetch } from '../../../services/cli/api/fetch.ts';
import { certificateOf, converse, reach } from '../../../services/cli/doctor/probes.ts';
import { addressLimitMs } from '../../../services/core/network/deadlines.ts';
import { createTestLog } from '../../support/servers.ts';
import { startSlowListener } from '../../support/slow-listener.ts';

const HOST = 'far.test';
/** A multicast address refuses TCP immediately, as an address without a route does. */
const NO_ROUTE = 'ff02::1';
const LOOPBACK = '127.0.0.1';
/** The SYN at the start is lost; that of a second later is not. */
const LOST_MS = 600;
const allowedNetworks = ['127.0.0.0/8', 'ff00::/8'];

let addresses: string[] = [];
/** The sockets that were opened, and the addresses of each that Node gave up for the next one. */
const givenUp = new Map<Socket, string[]>();
const parts = new DisposableStack();

beforeAll(() => {
  const { lookup } = dns;
  const found = (name: string, options: unknown, callback: (...found: unknown[]) => void) =>
    name === HOST
      ? callback(
          null,
          addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 })),
        )
      : Reflect.apply(lookup, dns, [name, options, callback]);
  dns.lookup = found as typeof lookup;
  syncBuiltinESMExports();
  // oxlint-disable-next-line typescript/unbound-method -- called with the socket
  const { connect } = Socket.prototype;
  Socket.prototype.connect = function noted(this: Socket, ...args: unknown[]) {
    givenUp.set(this, []);
    this.on('connectionAttemptTimeout', (address: string) => givenUp.get(this)?.push(address));
    return Reflect.apply(connect, this, args) as Socket;
  } as typeof connect;
  parts.defer(() => {
    dns.lookup = lookup;
    syncBuiltinESMExports();
    Socket.prototype.connect = connect;
  });
});
afterAll(() => parts.dispose());
