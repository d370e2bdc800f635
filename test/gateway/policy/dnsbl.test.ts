/**
 * Checklist 33: blocklists over a real DNS server: who is refused, and that a failing list refuses
 * nothing.
 */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';

import { createDns, type Dns } from '../../../services/adapters/dns/resolver.ts';
import { createAskBlocklists } from '../../../services/gateway/policy/dnsbl.ts';
import {
  type ConnectionPolicy,
  createCheckConnection,
} from '../../../services/gateway/policy/connection-check.ts';
import { createSourceLimiter } from '../../../services/gateway/policy/source-limits.ts';
import { startTestDns, type TestDns } from '../../support/dns-server.ts';
import { newRecipient } from '../../support/new-address.ts';
import { log, type Pipeline, startPipeline } from '../../support/pipeline.ts';
import { atMost } from '../../support/slowdown.ts';
import { dialogue } from '../../support/smtp-play.ts';
import { useInFile } from '../../support/use-in-file.ts';

const TIMEOUT_MS = 300;
const LISTS = [
  { name: 'first.example', zone: 'first.example' },
  { name: 'second.example', zone: 'k3y.second.example' },
];
const NO_LIMITS = {
  open_connections: 0,
  connections_per_minute: 0,
  messages_per_minute: 0,
  unknown_per_minute: 0,
  unknown_per_hour: 0,
};
const RECIPIENT = newRecipient();

let dns: Dns;
let answers: string[];
const server = await useInFile(startTestDns());
beforeEach(() => {
  dns = createDns({ servers: [server.address], timeoutMs: TIMEOUT_MS, cacheTtlMs: 60_000 });
  answers = [];
  server.requested.length = 0;
});
afterEach(() => dns[Symbol.dispose]());

/** The policy of a connection from this address. */
function policyFor(address: string, lists = LISTS): ConnectionPolicy {
  const metrics = {
    blocklistAnswered: (list: string, result: string) => void answers.push(`${list} ${result}`),
  };
  const limiter = createSourceLimiter(
    { limits: NO_LIMITS, exemptNetworks: [] },
    { report: () => undefined, onReport: () => undefined },
    () => 0,
  );
  return createCheckConnection({
    metrics: { recipientDecided: () => undefined },
    limiter,
    addressLimiter: { check: () => undefined },
    askBlocklists: createAskBlocklists(lists, ['8.8.4.0/24'], { dns, metrics }, log),
    admitRecipient: async () => RECIPIENT,
  })(address);
}
const refusal = (policy: ConnectionPolicy, recipient = 'box@in.example') =>
  policy.checkRecipient(recipient).then(
    () => undefined,
    (error: Error) => error.message,
  );

describe('an entry', () => {
  test('refuses every recipient but the roles, with the reason that the list gives', async () => {
    server.set('2.0.0.81.first.example', {
      A: ['127.0.0.2'],
      TXT: ['Spam source, see https://first.example/81.0.0.2'],
    });
    const policy = policyFor('81.0.0.2');
    expect(await refusal(policy)).toBe(
      'Your IP address is listed by first.example: Spam source, see https://first.example/81.0.0.2',
    );
    expect(await refusal(policy, 'postmaster@in.example')).toBeUndefined();
    expect(answers).toEqual(
      expect.arrayContaining(['first.example listed', 'second.example not_listed']),
    );
  });

  test("of an IPv6 address is looked up by its nibbles (RFC 5782 §2.4); a zone's key stays secret", async () => {
    server.set(
      '1.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.5.4.1.0.0.a.2.k3y.second.example',
      { A: ['127.0.0.3'] },
    );
    expect(await refusal(policyFor('2a00:1450::1'))).toBe(
      'Your IP address is listed by second.example',
    );
  });

  test('of an IPv4-mapped IPv6 address is that of the IPv4 address', async () => {
    server.set('3.0.0.81.first.example', { A: ['127.0.0.2'] });
    expect(await refusal(policyFor('::ffff:81.0.0.3'))).toBe(
      'Your IP address is listed by first.example',
    );
  });

  test('is looked up once while it is cached', async () => {
    server.set('4.0.0.81.first.example', { A: ['127.0.0.2'] });
    for (let i = 0; i < 3; i++) expect(await refusal(policyFor('81.0.0.4'))).toBeDefined();
    expect(
      server.requested.filter((question) => question === 'A 4.0.0.81.first.example'),
    ).toHaveLength(1);
  });
});

describe('lets mail in', () => {
  test.each<[string, string, Parameters<TestDns['set']>[1]]>([
    ['an answer outside 127.0.0.0/8', '5', { A: ['192.0.2.1'] }],
    ['an error code of the list', '6', { A: ['127.255.255.254'], TXT: ['Error: open resolver'] }],
    ['a list that refuses by an address', '13', { A: ['127.0.0.1'] }],
    ['SERVFAIL', '7', 'SERVFAIL'],
    ['a list that refuses to answer', '8', 'REFUSED'],
    ['silence', '9', 'silent'],
    ['no entry', '10', 'NXDOMAIN'],
  ])('%s', async (_, last, zone) => {
    server.set(`${last}.0.0.81.first.example`, zone);
    const startedAt = performance.now();
    expect(await refusal(policyFor(`81.0.0.${last}`))).toBeUndefined();
    expect(performance.now() - startedAt).toBeLessThan(atMost(20 * TIMEOUT_MS));
  });

  test('a silent list does not block the answer of another', async () => {
    server.set('11.0.0.81.first.example', 'silent');
    server.set('11.0.0.81.k3y.second.example', { A: ['127.0.0.2'] });
    expect(await refusal(policyFor('81.0.0.11'))).toBe(
      'Your IP address is listed by second.example',
    );
    expect(answers).toContain('first.example failed');
  });

  test('an entry without a readable reason is an entry', async () => {
    server.set('12.0.0.81.first.example', { A: ['127.0.0.2'] });
    expect(await refusal(policyFor('81.0.0.12'))).toBe(
      'Your IP address is listed by first.example',
    );
  });
});

test.each(['127.0.0.1', '10.0.0.1', '::1', 'fd00::1', '8.8.4.4'])(
  '%s is not looked up',
  async (address) => {
    expect(await refusal(policyFor(address))).toBeUndefined();
    expect(server.requested).toEqual([]);
  },
);

test('without lists there is no lookup', async () => {
  expect(await refusal(policyFor('81.0.0.2', []))).toBeUndefined();
  expect(server.requested).toEqual([]);
});

describe('a gateway behind a load balancer that speaks the PROXY protocol', () => {
  const from = (address: string) =>
    dialogue(
      pipeline.smtpPort,
      '127.0.0.1',
      Buffer.from(`PROXY TCP4 ${address} 192.0.2.25 40000 25\r\n`),
    );
  let pipeline: Pipeline;
  beforeAll(async () => {
    pipeline = await startPipeline({
      withDispatcher: false,
      env: {
        PROXY_PROTOCOL_NETWORKS: '127.0.0.0/8',
        DNS_SERVERS: server.address,
        DNSBL_ZONES: 'bl.example=k3y.bl.example',
        SOURCE_MAX_CONNECTIONS: '2',
      },
    });
    server.set('1.0.0.82.k3y.bl.example', { A: ['127.0.0.4'], TXT: ['see https://bl.example'] });
  });
  afterAll(() => pipeline[Symbol.asyncDispose]());

  test('checklist 33: the client is looked up, not the load balancer; it is refused at RCPT and counted', async () => {
    const { address } = await pipeline.address('/unused');
    const codes = async (client: string) => {
      await using smtp = await from(client);
      return [
        await smtp.say('EHLO mx.sender.example'),
        await smtp.say('MAIL FROM:<ann@sender.example>'),
        await smtp.say(`RCPT TO:<${address}>`),
      ].map((reply) => reply.slice(0, 3));
    };
    expect(await codes('82.0.0.1')).toEqual(['250', '250', '550']);
    expect(await codes('82.0.0.2')).toEqual(['250', '250', '250']);
    await using smtp = await from('82.0.0.1');
    for (const line of ['EHLO mx.sender.example', 'MAIL FROM:<ann@sender.example>'])
      await smtp.say(line);
    expect(await smtp.say(`RCPT TO:<${address}>`)).toBe(
      '550 5.7.1 Your IP address is listed by bl.example: see https://bl.example',
    );
    const metrics = await (await fetch(pipeline.metricsUrls.gateway)).text();
    expect(metrics).toMatch(
      /inlet_mails_refused_total\{command="rcpt",reply="listed_in_blocklist",code="550"[^}]*\} 2\n/,
    );
    expect(metrics).toMatch(
      /inlet_blocklist_lookups_total\{blocklist="bl.example",result="listed"[^}]*\} 2\n/,
    );
  });

  test('checklist 17: each client has its own limits', async () => {
    const one = [await from('82.0.0.3'), await from('82.0.0.3'), await from('82.0.0.3')];
    await using other = await from('82.0.0.4');
    expect([...one, other].map(({ greeting }) => greeting.slice(0, 9).trim())).toEqual([
      expect.stringMatching(/^220 /),
      expect.stringMatching(/^220 /),
      '421 4.7.0',
      expect.stringMatching(/^220 /),
    ]);
    for (const { socket } of one) socket.destroy();
  });
});
