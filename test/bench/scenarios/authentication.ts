/**
 * The cost of authenticating an email: CPU time in this process with a warm DNS cache, and how long
 * the event loop is blocked.
 */
import { createDns } from '../../../services/adapters/dns/resolver.ts';
import { createAuthenticate } from '../../../services/adapters/mailauth/authenticate.ts';
import { startTestDns, type TestDns } from '../../support/dns-server.ts';
import { publishKey, signed } from '../../support/signed-mail.ts';
import { MAIL_TITLES, mailBody, mailHead, type MailKind } from '../mails.ts';
import type { Scenario } from '../scenario.ts';
import { figure, table } from '../table.ts';

const DOMAIN = 'sender.example';
const SENDER = `desk@${DOMAIN}`;
const SENDER_IP = '192.0.2.7';
const WARM_UP_MAILS = 50;
const MAILS_MAX: Record<MailKind, number> = { '2k': 2_000, '25k': 1_000, '1m': 100 };

type Cost = { mails: number; cpuMs: number; ms: number; longestBlockMs: number };

export const authentication: Scenario = {
  name: 'authentication',
  purpose: 'CPU time per email for SPF, DKIM, DMARC and reverse DNS, signed and unsigned',
  run: async (_, { sizes, mails }, report) => {
    await using server = await startTestDns();
    publishSender(server);
    const signers = [
      publishKey(server, DOMAIN, 'rsa'),
      publishKey(server, DOMAIN, 'ed', 'ed25519'),
    ];
    using dns = createDns({ servers: [server.address], timeoutMs: 2_000, cacheTtlMs: 3_600_000 });
    const authenticate = createAuthenticate(dns, {
      hostname: 'mx.in.example',
      budgetMs: 5_000,
      trustedSealers: [],
    });

    const measure = async (raw: Buffer, count: number): Promise<Cost> => {
      const once = () =>
        authenticate(raw, { mailFrom: SENDER, heloDomain: `mail.${DOMAIN}`, remoteIp: SENDER_IP });
      for (let i = 0; i < Math.min(WARM_UP_MAILS, count); i++) await once();
      const blocking = watchBlocking();
      const before = process.cpuUsage();
      const startedAt = performance.now();
      for (let i = 0; i < count; i++) {
        const { dmarc } = await once();
        if (dmarc.result !== 'pass') throw new Error(`dmarc is ${dmarc.result}`);
      }
      const ms = performance.now() - startedAt;
      const { user, system } = process.cpuUsage(before);
      return {
        mails: count,
        cpuMs: (user + system) / 1000 / count,
        ms: ms / count,
        longestBlockMs: blocking.stop(),
      };
    };

    const costs: { title: string; cost: Cost }[] = [];
    for (const kind of sizes) {
      report(`authentication: ${MAIL_TITLES[kind]}`);
      const body = mailBody(kind).toString('latin1').slice(0, -'.\r\n'.length);
      const mail = `${mailHead(0, SENDER, 'box@in.example')}${body}`;
      for (const [title, list] of [
        ['unsigned', []],
        ['signed by RSA', signers.slice(0, 1)],
        ['signed by RSA and Ed25519', signers],
      ] as const) {
        costs.push({
          title: `${MAIL_TITLES[kind]}, ${title}`,
          cost: await measure(
            Buffer.from(await signed(mail, ...list), 'latin1'),
            Math.min(mails, MAILS_MAX[kind]),
          ),
        });
      }
    }
    const rows = costs.map(({ title, cost }) => [
      title,
      String(cost.mails),
      figure(cost.cpuMs),
      figure(cost.ms),
      figure(cost.longestBlockMs),
    ]);
    return {
      text: table(['email', 'emails', 'CPU ms', 'ms', 'longest block ms'], rows),
      figures: costs,
    };
  },
};

function publishSender(server: TestDns): void {
  server.set(DOMAIN, { TXT: [`v=spf1 ip4:${SENDER_IP} -all`] });
  server.set(`_dmarc.${DOMAIN}`, { TXT: ['v=DMARC1; p=reject'] });
  server.set('7.2.0.192.in-addr.arpa', { PTR: [`mail.${DOMAIN}`] });
  server.set(`mail.${DOMAIN}`, { A: [SENDER_IP], ttlSeconds: 3_600 });
}

/** The longest time for which the event loop was blocked. */
function watchBlocking(): { stop(): number } {
  let longest = 0;
  let last = performance.now();
  const look = () => {
    const now = performance.now();
    longest = Math.max(longest, now - last);
    last = now;
  };
  const timer = setInterval(look, 1);
  return {
    stop: () => {
      look();
      clearInterval(timer);
      return longest;
    },
  };
}
