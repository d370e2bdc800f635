/** A day without email. Nobody waits for it: the samples of an hour with email get times of a day before. */
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, expect, test } from 'vitest';

import { until } from '../../support/until.ts';
import { type Bed, startBed } from './bed.ts';
import { FACTOR, type Monitoring, startMonitoring } from './monitoring.ts';
import { provoked } from './provocation.ts';

const METRIC = 'inlet_mails_accepted_total';
const NAMESPACE = 'no-mail';
const EMAILS = 200;
const [HOUR_S, DAY_S] = [3_600 / FACTOR, 86_400 / FACTOR];
const parts = new AsyncDisposableStack();
afterAll(() => parts.disposeAsync());

type Sampled = { metric: Record<string, string>; values: [seconds: number, value: string][] };

/** Of the metric, within the last two hours. */
async function samples({ prometheus }: Monitoring): Promise<Sampled[]> {
  const query = `query?query=${METRIC}[${2 * HOUR_S}s]`;
  return ((await prometheus.get(query)) as { result: Sampled[] }).result;
}

/** In the format of OpenMetrics, `laterS` seconds later. */
function openMetrics(sampled: readonly Sampled[], laterS: number): string {
  const lines = sampled.flatMap(({ metric: { __name__, ...labels }, values }) => {
    const text = Object.entries(labels).map(([name, value]) => `${name}="${value}"`);
    return values.map(([at, value]) => `${METRIC}{${text.join(',')}} ${value} ${at + laterS}`);
  });
  return `# TYPE ${METRIC.replace(/_total$/, '')} counter\n${lines.join('\n')}\n# EOF\n`;
}

const accepted = async (bed: Bed) =>
  Number((await bed.monitoring.prometheus.query(METRIC))[0]?.value[1]);

test('no email', async () => {
  const first = parts.use(await startMonitoring(NAMESPACE));
  const run = { gateway: {} };
  const bed = parts.use(await startBed({ monitoring: first, namespace: NAMESPACE, run }));
  const { address } = await bed.address('/well');
  for (let i = 0; i < EMAILS; i++) expect(await bed.send(address)).toBe(true);
  await until('Prometheus to see them', async () => (await accepted(bed)) === EMAILS);
  const endedS = Date.now() / 1_000;
  const hour = await samples(first);
  await sleep(HOUR_S * 1_000);
  const laterS = Date.now() / 1_000 - endedS + 10 - DAY_S; // they enter the hour of yesterday soon
  const second = parts.use(await startMonitoring(NAMESPACE, openMetrics(hour, laterS)));
  await using _watched = bed.watchedBy(second);
  await provoked(
    { ...bed, monitoring: second },
    { alerts: ['InletNoMail'], provoke: () => undefined, mend: () => bed.send(address) },
  );
});
