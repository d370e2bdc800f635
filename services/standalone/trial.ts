/**
 * What `npm start` adds to Inlet for a trial on this machine, and `--production` does not: a demo
 * receiver that webhooks may reach, domains below `.test`, texts that are searched, and a dashboard
 * bundled from this checkout.
 */
import { startLocalNameServer } from '../adapters/dns/local-zone.ts';
import { challengeOf, createSecretLookup } from './first-account.ts';
import { demoAnswer } from './demo/demo.ts';
import { ensureSigningKey, proofOf, testDomains } from './demo/test-domains.ts';
import type { Report } from './fetch/binaries.ts';
import type { Tls } from './keys.ts';
import { bundleDashboard } from './processes/dashboard-bundle.ts';
import { freePort } from './processes/ports.ts';
import type { ApiClient } from './round-trip/api-client.ts';
import { startReceiver, type Webhook } from './round-trip/receiver.ts';
import type { StandaloneState } from './state/state.ts';
import { webhookTrust } from './webhook-trust.ts';

type TrialOptions = {
  host: string;
  receiverPort: number;
  networks: string;
  dataDir: string;
  tls: Tls;
  env: NodeJS.ProcessEnv;
  report: Report;
  onWebhook: (webhook: Webhook) => void;
  /** The API, as the account that the start makes later. */
  api: () => ApiClient;
};

export type Trial = AsyncDisposable & {
  receiverUrl: string;
  /** Settings of the services that the user's are added to. */
  trust: NodeJS.ProcessEnv;
  /** Settings of the API and the gateway that the user's replace. */
  defaults(): Promise<NodeJS.ProcessEnv>;
  state: Partial<StandaloneState>;
};

export async function startTrial(options: TrialOptions): Promise<Trial> {
  const { host, receiverPort, networks, dataDir, tls, env, report, onWebhook, api } = options;
  await using parts = new AsyncDisposableStack();
  const signingKey = await ensureSigningKey(dataDir);
  const zone = testDomains(signingKey.pem, (domain) => challengeOf(api(), domain));
  const names = env.DNS_SERVERS
    ? undefined
    : parts.use(await startLocalNameServer(zone, await freePort()));
  const bundling = env.DASHBOARD_DIR ? undefined : bundleDashboard(dataDir, env, report);
  const receiver = parts.use(
    await startReceiver({
      host,
      port: receiverPort,
      certFile: tls.certFile,
      keyFile: tls.keyFile,
      onWebhook,
      answerAt: demoAnswer,
      secretOf: createSecretLookup(api),
      onRefused: (reason) => report(`the demo receiver rejected a webhook: ${reason}`),
    }),
  );
  const trust = webhookTrust(env, { networks, caFile: tls.caFile });
  const started = parts.move();
  return {
    receiverUrl: receiver.url,
    trust,
    defaults: async () => ({
      SEARCH_BODIES: '7d',
      SMTP_HOSTNAME: 'localhost',
      ...(names && { DNS_SERVERS: names.address }),
      ...(await bundling),
    }),
    state: {
      receiver_url: receiver.url,
      webhook_ca_file: trust.WEBHOOK_CA_FILE,
      ...(names && { test_domains: proofOf(signingKey.file) }),
    },
    [Symbol.asyncDispose]: () => started.disposeAsync(),
  };
}
