/**
 * The cost of rules: emails to addresses without rules, with twenty, and with rules that need facts about
 * the content or the author, alternating in the same run. No rule matches, so that each email evaluates
 * all of them.
 */
import { join } from 'node:path';

import { createApiClient } from '../../../services/standalone/round-trip/api-client.ts';
import { readState } from '../../../services/standalone/state/state.ts';
import { MAIL_TITLES, type MailKind } from '../mails.ts';
import { measure, type Run, warmUp, type Workload } from '../measure.ts';
import type { Scenario } from '../scenario.ts';
import { median } from '../statistics.ts';
import { figure, table } from '../table.ts';

const CONNECTIONS = 10;
const WARM_UP_MAILS = 2_000;

const CONDITIONS = [
  'sender.endsWith("@nobody.test")',
  'from.domain == "nobody.test" || from.domain.endsWith(".nobody.test")',
  'subject.lowerAscii().contains("no such word")',
  'attachments.exists(a, a.filename.lowerAscii().endsWith(".exe"))',
  'spam.score > 9.0 && !auto_submitted && !is_bounce',
  'envelope.rcpt_to.exists(r, r in ["a@nobody.test", "b@nobody.test"])',
  'headers[?"list-id"].orValue("").contains("nobody.test")',
  'size_bytes > 5242880 || attachments.size() > 10',
  'authentication.dmarc == "pass" && authentication.spf == "softfail"',
  'received_at.getHours() > 24',
];
const held = (conditions: readonly string[]) =>
  conditions.map((when, at) => ({ name: `rule ${at}`, when, action: 'hold' }));

/** Facts are found out before any rule is evaluated, so the second half costs nothing more. */
const unless = (fact: string) => `${fact} && subject == "no such subject"`;

const SETS: Record<string, readonly object[]> = {
  'no rules': [],
  'twenty rules': held([...CONDITIONS, ...CONDITIONS]),
  'facts of the content': held(
    ['hidden_text.present', 'links.mismatched', 'forwarded'].map(unless),
  ),
  first_seen: held([unless('first_seen')]),
};
const KINDS: readonly MailKind[] = ['2k', '25k'];

export const rules: Scenario = {
  name: 'rules',
  purpose: 'what rules cost each email: twenty, and those that need facts',
  run: async (bed, { mails, seconds, repeat }, report) => {
    const [system] = bed.systems.filter(({ name }) => name === 'inlet');
    if (system === undefined) throw new Error('the scenario rules needs the system inlet');
    const { api_url, token } = await readState(join(bed.dataDir, 'inlet'));
    const api = createApiClient(api_url, token);
    const { body } = await api('GET', '/addresses?limit=100');
    const ids = (body as { data: { id: string }[] }).data.map(({ id }) => id);
    const setRules = async (list: readonly object[]) => {
      for (const id of ids) {
        const { status } = await api('PATCH', `/addresses/${id}`, { rules: list });
        if (status !== 200) throw new Error(`PATCH /addresses/${id}: ${status}`);
      }
    };
    const runs = new Map<string, Run[]>();
    for (const kind of KINDS)
      for (let round = 0; round < repeat; round++)
        for (const [name, list] of Object.entries(SETS)) {
          report(`rules: ${MAIL_TITLES[kind]}, round ${round + 1}, ${name}`);
          const workload: Workload = { kind, connections: CONNECTIONS, mails, seconds };
          await setRules(list);
          await warmUp(bed, system, { ...workload, mails: 0, seconds: 0 }, WARM_UP_MAILS);
          const key = `${kind} ${name}`;
          runs.set(key, [...(runs.get(key) ?? []), await measure(bed, system, workload)]);
        }
    const rowsOf = (kind: MailKind) => {
      const without = runs.get(`${kind} no rules`) ?? [];
      return Object.keys(SETS).map((name) => row(kind, name, runs.get(`${kind} ${name}`), without));
    };
    const text = table(
      [
        'emails',
        'rules',
        'accepted/s',
        'to 250 p50 ms',
        'gateway, CPU s for 1,000',
        'times',
        'others %',
      ],
      KINDS.flatMap(rowsOf),
    );
    return { text, figures: Object.fromEntries(runs) };
  },
};

const gatewayCpu = (run: Run) => run.cpuPerThousand.gateway ?? NaN;

const row = (kind: MailKind, name: string, runs: readonly Run[] = [], without: readonly Run[]) => {
  const medianOf = (of: (run: Run) => number, list = runs) => median(list.map(of));
  return [
    MAIL_TITLES[kind],
    name,
    figure(medianOf((run) => run.acceptedPerSecond)),
    figure(medianOf((run) => run.acceptMs.p50)),
    figure(medianOf(gatewayCpu)),
    figure(medianOf(gatewayCpu) / medianOf(gatewayCpu, without)),
    figure(100 * medianOf((run) => run.othersShare)),
  ];
};
