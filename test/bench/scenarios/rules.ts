/**
 * The cost of rules: emails to addresses with twenty rules and without, alternating in the same run. No
 * rule matches, so that each email evaluates all of them.
 */
import { join } from 'node:path';

import { createApiClient } from '../../../services/standalone/round-trip/api-client.ts';
import { readState } from '../../../services/standalone/state/state.ts';
import { measure, type Run, warmUp, type Workload } from '../measure.ts';
import type { Scenario } from '../scenario.ts';
import { median } from '../statistics.ts';
import { figure, table } from '../table.ts';

const CONNECTIONS = 10;
const WARM_UP_MAILS = 2_000;
const RULES_MAX = 20;

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
const RULES = Array.from({ length: RULES_MAX }, (_, at) => ({
  name: `rule ${at}`,
  when: CONDITIONS[at % CONDITIONS.length],
  action: 'hold',
}));

export const rules: Scenario = {
  name: 'rules',
  purpose: 'what twenty rules of an address cost each email',
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
    const workload: Workload = { kind: '2k', connections: CONNECTIONS, mails, seconds };
    const without: Run[] = [];
    const ruled: Run[] = [];
    for (let round = 0; round < repeat; round++)
      for (const [runs, list] of [
        [without, []],
        [ruled, RULES],
      ] as const) {
        report(`rules: round ${round + 1}, ${list.length} rules`);
        await setRules(list);
        await warmUp(bed, system, { ...workload, mails: 0, seconds: 0 }, WARM_UP_MAILS);
        runs.push(await measure(bed, system, workload));
      }
    const ratio = (of: (run: Run) => number) =>
      figure(median(ruled.map(of)) / median(without.map(of)));
    const text =
      table(
        ['rules', 'accepted/s', 'to 250 p50 ms', 'gateway, CPU s for 1,000'],
        [row('0', without), row(String(RULES_MAX), ruled)],
      ) +
      `\nratios: accepted/s ${ratio((run) => run.acceptedPerSecond)}, gateway ${ratio(gatewayCpu)}`;
    return { text, figures: { without, ruled } };
  },
};

const gatewayCpu = (run: Run) => run.cpuPerThousand.gateway ?? NaN;

const row = (name: string, runs: readonly Run[]) => [
  name,
  figure(median(runs.map((run) => run.acceptedPerSecond))),
  figure(median(runs.map((run) => run.acceptMs.p50))),
  figure(median(runs.map(gatewayCpu))),
];
