/**
 * Checklist 11, 17: limits of one source at a gateway, and over all gateways. Each test uses its
 * own loopback address.
 */
import { once } from 'node:events';
import { connect } from 'node:net';
import { describe, expect, test } from 'vitest';

import type {
  CountsExchange,
  GatewayCounts,
} from '../../../services/adapters/messages/gateway-counts.ts';
import { readConfig } from '../../../services/adapters/process/config.ts';
import type { SourceLimits } from '../../../services/core/smtp/source-limits.ts';
import { GatewayConfig } from '../../../services/gateway/process/config.ts';
import { startGateway } from '../../../services/gateway/gateway.ts';
import { createSourceLimiter } from '../../../services/gateway/policy/source-limits.ts';
import { log, startPipeline } from '../../support/pipeline.ts';
import { dialogue, type SmtpDialogue } from '../../support/smtp-play.ts';
import { until } from '../../support/until.ts';
import { useInFile } from '../../support/use-in-file.ts';

const OPEN = 4;
const CONNECTIONS = 12;
const MESSAGES = 5;
const UNKNOWN = 6;

const pipeline = await useInFile(
  startPipeline({
    withDispatcher: false,
    env: {
      SOURCE_EXEMPT_NETWORKS: 'none',
      SOURCE_MAX_CONNECTIONS: String(OPEN),
      SOURCE_CONNECTIONS_PER_MINUTE: String(CONNECTIONS),
      SOURCE_MESSAGES_PER_MINUTE: String(MESSAGES),
      SOURCE_UNKNOWN_PER_MINUTE: String(UNKNOWN),
    },
  }),
);
const second = await useInFile(
  startGateway(
    readConfig(GatewayConfig, pipeline.settings),
    log.child({ service: 'second gateway' }),
  ),
);
const known = (await pipeline.address('/unused')).address;

const secondPort = () => Number(second.announce.smtp_port);

/** A connection after MAIL. */
async function afterMail(from: string, port = pipeline.smtpPort): Promise<SmtpDialogue> {
  const smtp = await dialogue(port, from);
  await smtp.say('EHLO mx.sender.example');
  await smtp.say('MAIL FROM:<ann@sender.example>');
  return smtp;
}

describe('checklist 17: connections', () => {
  test('above the limit of open connections: 421 instead of the greeting, until one closes; per source', async () => {
    const open = await Promise.all(
      Array.from({ length: OPEN }, () => dialogue(pipeline.smtpPort, '127.0.1.1')),
    );
    for (const { greeting } of open) expect(greeting).toMatch(/^220 /);
    await using late = await dialogue(pipeline.smtpPort, '127.0.1.1');
    expect(late.greeting).toBe('421 4.7.0 Too many connections from your network, try again later');
    await until('the end of the connection', () => late.socket.destroyed);
    await using other = await dialogue(pipeline.smtpPort, '127.0.1.2');
    expect(other.greeting).toMatch(/^220 /);

    open[0]?.socket.destroy();
    await until('room', async () => {
      await using again = await dialogue(pipeline.smtpPort, '127.0.1.1');
      return again.greeting.startsWith('220 ');
    });
    for (const { socket } of open) socket.destroy();
  });

  test('clients that disconnect before the greeting do not count', async () => {
    for (let i = 0; i < OPEN; i++) {
      const socket = connect({
        port: pipeline.smtpPort,
        host: '127.0.0.1',
        localAddress: '127.0.1.4',
      });
      await once(socket, 'connect');
      socket.resetAndDestroy();
    }
    const greetings: string[] = [];
    for (let i = 0; i < OPEN; i++) {
      const smtp = await dialogue(pipeline.smtpPort, '127.0.1.4');
      greetings.push(smtp.greeting.slice(0, 4));
      smtp.socket.destroy();
    }
    expect(greetings).toEqual(Array.from({ length: OPEN }, () => '220 '));
  });

  test('one too many per minute gets 421, and does not count', async () => {
    const greetings: string[] = [];
    for (let i = 0; i < CONNECTIONS + 3; i++) {
      await using smtp = await dialogue(pipeline.smtpPort, '127.0.1.3');
      greetings.push(smtp.greeting);
      if (smtp.greeting.startsWith('220')) await smtp.say('QUIT');
    }
    expect(greetings.filter((greeting) => greeting.startsWith('220 '))).toHaveLength(CONNECTIONS);
    expect(greetings.slice(CONNECTIONS)).toEqual(
      Array.from(
        { length: 3 },
        () => '421 4.7.0 Too many new connections from your network, try again later',
      ),
    );
  });
});

test('checklist 17: one message too many per minute gets 450 at MAIL, on every connection of its source', async () => {
  await using one = await dialogue(pipeline.smtpPort, '127.0.2.1');
  await using two = await dialogue(pipeline.smtpPort, '127.0.2.1');
  for (const smtp of [one, two]) await smtp.say('EHLO mx.sender.example');
  const replies: string[] = [];
  for (let i = 0; i < MESSAGES + 2; i++) {
    const smtp = i % 2 ? one : two;
    replies.push(await smtp.say('MAIL FROM:<ann@sender.example>'));
    await smtp.say('RSET');
  }
  expect(replies.map((reply) => reply.slice(0, 9))).toEqual([
    ...Array.from({ length: MESSAGES }, () => '250 2.1.0'),
    '450 4.7.1',
    '450 4.7.1',
  ]);
  expect(await one.say('NOOP')).toMatch(/^250 /);
});

describe('checklist 11: unknown recipients', () => {
  test('after too many, every recipient gets the same 450, known or not, on every connection', async () => {
    await using smtp = await afterMail('127.0.3.1');
    for (let i = 0; i < UNKNOWN; i++) {
      expect(await smtp.say(`RCPT TO:<${known}>`)).toMatch(/^250 /);
      expect(await smtp.say(`RCPT TO:<guess-${i}@in.example>`)).toMatch(/^550 5\.1\.1 /);
    }
    await using again = await afterMail('127.0.3.1');
    const answers = [
      await smtp.say('RCPT TO:<guess-x@in.example>'),
      await smtp.say(`RCPT TO:<${known}>`),
      await again.say(`RCPT TO:<${known}>`),
    ];
    expect(new Set(answers)).toEqual(
      new Set(['450 4.7.1 Too many unknown recipients from your network, try again later']),
    );
    await using honest = await afterMail('127.0.3.2');
    expect(await honest.say(`RCPT TO:<${known}>`)).toMatch(/^250 /);
  });

  test('guesses over many connections learn no more than the limit', async () => {
    const connections = await Promise.all(
      Array.from({ length: OPEN }, () => afterMail('127.0.3.3')),
    );
    const replies = await Promise.all(
      connections.map(async (smtp, c) => {
        const heard: string[] = [];
        for (let i = 0; i < UNKNOWN; i++)
          heard.push(await smtp.say(`RCPT TO:<many-${c}-${i}@in.example>`));
        smtp.socket.destroy();
        return heard;
      }),
    );
    expect(replies.flat().filter((reply) => reply.startsWith('550 '))).toHaveLength(UNKNOWN);
    expect(replies.flat().filter((reply) => reply.startsWith('450 4.7.1'))).toHaveLength(
      UNKNOWN * (OPEN - 1),
    );
  });

  test('while a source gets 450, MongoDB is not queried, so the time shows no known recipient either', async () => {
    await using smtp = await afterMail('127.0.3.4');
    for (let i = 0; i < UNKNOWN; i++) await smtp.say(`RCPT TO:<first-${i}@in.example>`);
    const { address } = await pipeline.address('/unused'); // in no cache
    const { db } = pipeline.mongo;
    await db.command({ profile: 2 });
    for (const recipient of [address, 'nobody@in.example', known])
      expect(await smtp.say(`RCPT TO:<${recipient}>`)).toMatch(/^450 4\.7\.1 /);
    await db.command({ profile: 0 });
    const ns = `${db.databaseName}.addresses`;
    const profile = db.collection('system.profile').find({ ns });
    expect(await profile.map(({ command, appName }) => ({ command, appName })).toArray()).toEqual(
      [],
    );
  });
});

describe('over all gateways', () => {
  test('checklist 11: the counts of one gateway apply at the other', async () => {
    await using here = await afterMail('127.0.4.1');
    await using there = await afterMail('127.0.4.1', secondPort());
    for (let i = 0; i < UNKNOWN; i++) await here.say(`RCPT TO:<here-${i}@in.example>`);
    expect(
      await until('a refusal', async () =>
        [await there.say(`RCPT TO:<${known}>`)].find((reply) => !reply.startsWith('250')),
      ),
    ).toMatch(/^450 4\.7\.1 /);
  });

  test('checklist 17: open connections too', async () => {
    const open = await Promise.all(
      Array.from({ length: OPEN }, () => dialogue(pipeline.smtpPort, '127.0.4.2')),
    );
    const refusal = await until('a refusal', async () => {
      await using smtp = await dialogue(secondPort(), '127.0.4.2');
      return smtp.greeting.startsWith('220') ? undefined : smtp.greeting;
    });
    expect(refusal).toBe('421 4.7.0 Too many connections from your network, try again later');
    for (const { socket } of open) socket.destroy();
  });
});

test('refusals and tracked sources are measured', async () => {
  const metrics = await (await fetch(pipeline.metricsUrls.gateway)).text();
  for (const [command, reply, code] of [
    ['connect', 'too_many_connections', 421],
    ['connect', 'too_many_new_connections', 421],
    ['mail', 'too_many_messages', 450],
    ['rcpt', 'too_many_unknown', 450],
  ]) {
    expect(metrics).toMatch(
      new RegExp(
        `inlet_mails_refused_total\\{command="${command}",reply="${reply}",code="${code}"[^}]*\\} [1-9]`,
      ),
    );
  }
  expect(
    Number(/^inlet_smtp_tracked_sources(?:\{[^}]*\})? (\d+)$/m.exec(metrics)?.[1]),
  ).toBeGreaterThanOrEqual(6);
});

test('without NATS, each gateway limits by its own counts', async () => {
  await pipeline.natsServer.kill();
  await using smtp = await afterMail('127.0.5.1');
  const replies: string[] = [];
  for (let i = 0; i <= UNKNOWN; i++)
    replies.push((await smtp.say(`RCPT TO:<alone-${i}@in.example>`)).slice(0, 9));
  expect(replies).toEqual([...Array.from({ length: UNKNOWN }, () => '550 5.1.1'), '450 4.7.1']);
});

describe('the counts', () => {
  const LIMITS: SourceLimits = {
    open_connections: 0,
    connections_per_minute: 3,
    messages_per_minute: 0,
    unknown_per_minute: 0,
    unknown_per_hour: 0,
  };
  const ALONE: CountsExchange = { report: () => undefined, onReport: () => undefined };

  test('stay bounded under a flood of sources, and keep the busy one', () => {
    using limiter = createSourceLimiter(
      { limits: LIMITS, exemptNetworks: [], maxSources: 1000 },
      ALONE,
      () => 0,
    );
    for (let i = 0; i < 3; i++) limiter.countConnection('192.0.2.7')[Symbol.dispose]();
    let refused = 0;
    for (let i = 0; i < 100_000; i++) {
      const connection = limiter.countConnection(
        `2001:db8:${(i >> 16).toString(16)}:${(i & 0xffff).toString(16)}::1`,
      );
      connection[Symbol.dispose]();
      if (i % 500 !== 0) continue;
      try {
        limiter.countConnection('192.0.2.7')[Symbol.dispose]();
      } catch {
        refused++;
      }
    }
    expect(limiter.trackedSources()).toBe(1000);
    expect(refused).toBe(200);
  });

  test('exempt networks are not counted, in any spelling of their addresses', () => {
    using limiter = createSourceLimiter(
      { limits: LIMITS, exemptNetworks: ['192.0.2.0/24'], maxSources: 10 },
      ALONE,
      () => 0,
    );
    for (let i = 0; i < 10; i++) limiter.countConnection(i % 2 ? '192.0.2.7' : '::ffff:192.0.2.8');
    expect(limiter.trackedSources()).toBe(0);
  });

  test('reports of other gateways are added, and expire when they stop', () => {
    let nowMs = 0;
    const listeners: ((report: GatewayCounts) => void)[] = [];
    using limiter = createSourceLimiter(
      { limits: LIMITS, exemptNetworks: [] },
      { ...ALONE, onReport: (listener) => void listeners.push(listener) },
      () => nowMs,
    );
    listeners[0]?.({ gateway: 'b', counts: [['192.0.2.7', [0, 2, 0, 0, 0]]] });
    listeners[0]?.({ gateway: 'c', counts: [['192.0.2.7', [0, 1]]] }); // an older version, say
    expect(() => limiter.countConnection('192.0.2.7')).toThrow('Too many new connections');
    nowMs = 4_000;
    limiter.countConnection('192.0.2.7');
  });
});
