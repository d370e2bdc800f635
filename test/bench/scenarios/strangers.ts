/**
 * Strangers: how long a small email of another sender waits for its 250 while strangers send the
 * dearest content, or email to addresses with slow rules, and a call of another account while one
 * account tests rules. Receivers that hang are in the scenario isolation.
 */
import { EXTRACTIONS } from '../../../services/core/extract/extraction-names.ts';
import { createApiClient } from '../../../services/standalone/round-trip/api-client.ts';
import { smallEmailsBesideMs, smallEmailsMs } from '../../support/strangers.ts';
import { type InletInside, lookInside } from '../inlet-inside.ts';
import type { Scenario } from '../scenario.ts';
import { percentile } from '../statistics.ts';
import { figure, table } from '../table.ts';
import { newTenant } from './bursts.ts';

const EMAILS = 20;
const CALLS = 20;
const TESTS = 24;
const GOAL_MS = 500;
const CROWDS = [
  { sources: 1, connections: 40 },
  { sources: 1, connections: 100 },
  { sources: 10, connections: 100 },
];
const SLOW_ADDRESSES = 30;
/** The emails of a tenant with slow rules come over these. */
const SLOW_CROWD = { sources: 1, connections: SLOW_ADDRESSES };
/** Twenty of them use up what an account may use. */
const RULE = `attachments.exists(a, ${Array(4).fill('subject.contains(headers["x"])').join(' || ')})`;
const RULES = Array.from({ length: 20 }, (_, i) => ({
  name: `rule ${i}`,
  when: RULE,
  action: 'tag',
  tags: ['x'],
}));
const SLOW_EMAIL =
  `Subject: ${'a'.repeat(4_090)}\r\nX: ${'a'.repeat(999)}b${'a'.repeat(500)}\r\n` +
  `Content-Type: multipart/mixed; boundary=b\r\n\r\n${'--b\r\nContent-Type: a/b\r\n\r\n'.repeat(200)}`;

export const strangers: Scenario = {
  name: 'strangers',
  purpose: 'a small email beside strangers with the dearest content, an API call beside slow rules',
  run: async (bed, _options, report) => {
    const system = bed.systems.find(({ name }) => name === 'inlet');
    if (!system) return { text: 'Inlet is not among the systems', figures: null };
    await using inside = await lookInside(bed);
    const extract = { payload: { extract: [...EXTRACTIONS] } };
    const [attacker, other] = [
      await newTenant(inside, 'attacked'),
      await newTenant(inside, 'other'),
    ];
    const [attacked = ''] = await attacker.addresses([bed.receiverUrl], extract);
    const [to = ''] = await other.addresses([bed.receiverUrl]);
    const rows: { title: string; ms: number[] }[] = [
      { title: 'email, alone', ms: await smallEmailsMs(system.port, to, EMAILS) },
    ];
    for (const crowd of CROWDS) {
      const title = `${crowd.sources} × ${crowd.connections} connections`;
      report(`strangers: ${title}`);
      const ms = await smallEmailsBesideMs(system.port, crowd, [attacked], to, EMAILS);
      rows.push({ title: `email, ${title}`, ms });
    }
    report(`strangers: ${SLOW_ADDRESSES} addresses with ${RULES.length} slow rules`);
    const slow = await attacker.addresses(Array<string>(SLOW_ADDRESSES).fill(bed.receiverUrl), {
      rules: RULES,
    });
    rows.push({
      title: `email, ${SLOW_ADDRESSES} addresses with slow rules`,
      ms: await smallEmailsBesideMs(system.port, SLOW_CROWD, slow, to, EMAILS, SLOW_EMAIL),
    });
    report(`strangers: ${TESTS} tests of rules`);
    rows.push(...(await callsBesideTests(inside, attacker.token, other.token)));
    const worst = Math.max(...rows.flatMap(({ ms }) => ms));
    const text = [
      table(
        ['what waits', 'p50 ms', 'longest ms'],
        rows.map(({ title, ms }) => [title, figure(percentile(ms, 0.5)), figure(Math.max(...ms))]),
      ),
      `longest of all: ${figure(worst)} ms (goal: at most ${GOAL_MS}: ` +
        `${worst <= GOAL_MS ? 'reached' : 'missed'})`,
    ].join('\n');
    return { text, figures: rows };
  },
};

async function callsBesideTests(inside: InletInside, busyToken: string, otherToken: string) {
  const { api_url } = await inside.state();
  const [busy, other] = [createApiClient(api_url, busyToken), createApiClient(api_url, otherToken)];
  const email = 'From: a@b.example\r\nSubject: x\r\n\r\nthe text';
  const callsMs = async () => {
    const taken: number[] = [];
    for (let call = 0; call < CALLS; call++) {
      const startedMs = performance.now();
      const { status } = await other('POST', '/expressions/test', { when: 'is_list', email });
      if (status !== 200) throw new Error(`the API responded with ${status} to a test`);
      taken.push(performance.now() - startedMs);
    }
    return taken;
  };
  const alone = { title: 'call, alone', ms: await callsMs() };
  const tests = Promise.allSettled(
    Array.from({ length: TESTS }, () =>
      busy('POST', '/rules/test', { rules: RULES, email: SLOW_EMAIL }),
    ),
  );
  const beside = { title: `call, ${TESTS} tests of slow rules`, ms: await callsMs() };
  await tests;
  return [alone, beside];
}
