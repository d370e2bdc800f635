/**
 * The cost of pull: the same emails posted to a receiver, and pulled by a consumer. The consumer runs in
 * the process of the benchmark and posts each payload to that receiver, then acknowledges it. So both
 * ways end at the same place, and the requests of the consumer are not counted as a cost of Inlet.
 */
import { join } from 'node:path';
import { readFile } from 'node:fs/promises';
import { Agent, request } from 'undici';

import { createApiClient } from '../../../services/standalone/round-trip/api-client.ts';
import { readState } from '../../../services/standalone/state/state.ts';
import type { Bed, System } from '../bed.ts';
import { measure, type Run, warmUp, type Workload } from '../measure.ts';
import type { Scenario } from '../scenario.ts';
import { median, sum } from '../statistics.ts';
import { figure, table } from '../table.ts';

const CONNECTIONS = 10;
const WARM_UP_MAILS = 1_000;
const MAX = 100;
const WAIT_SECONDS = 20;
const PARTS = ['gateway', 'dispatcher', 'api', 'nats-server', 'mongod'];

type Api = ReturnType<typeof createApiClient>;

export const pull: Scenario = {
  name: 'pull',
  purpose: 'what a pulled email costs, compared with a posted one',
  run: async (bed, { mails, seconds, repeat }, report) => {
    const inlet = bed.systems.find(({ name }) => name === 'inlet');
    if (inlet === undefined) throw new Error('the scenario pull needs the system inlet');
    const { api_url, token } = await readState(join(bed.dataDir, 'inlet'));
    const api = createApiClient(api_url, token);
    const processes = { ...inlet.processes, ...inlet.profiled };
    const { status, body } = await api('POST', '/addresses', { webhook_url: null, mode: 'pull' });
    if (status !== 201) throw new Error(`POST /addresses: ${status}`);
    const { id, address } = body as { id: string; address: string };
    const [posted] = await bed.addAddresses([bed.receiverUrl]);
    const ways: Record<string, System> = {
      posted: { ...inlet, processes, recipients: [posted?.address ?? ''] },
      pulled: { ...inlet, processes, recipients: [address] },
    };
    const runs: Record<string, Run[]> = { posted: [], pulled: [] };
    await using _consumer = await startConsumer(bed, api, id);
    const workload: Workload = { kind: '2k', connections: CONNECTIONS, mails, seconds };
    for (let round = 0; round < repeat; round++)
      for (const [way, system] of Object.entries(ways)) {
        report(`pull: round ${round + 1}, ${way}`);
        await warmUp(bed, system, { ...workload, mails: 0, seconds: 0 }, WARM_UP_MAILS);
        runs[way]?.push(await measure(bed, system, workload));
      }
    const text = [
      table(
        [
          'way',
          ...PARTS.map((part) => `${part}, CPU s for 1,000`),
          'all',
          'delivered/s',
          'p50 ms',
          'lost',
        ],
        Object.entries(runs).map(([way, list]) => row(way, list)),
      ),
      `CPU of all processes: ${figure(total(runs.pulled) / total(runs.posted))} times`,
    ].join('\n');
    return { text, figures: runs };
  },
};

/** Leases up to a hundred emails at a time, hands them on and acknowledges them. */
async function startConsumer(bed: Bed, api: Api, id: string): Promise<AsyncDisposable> {
  const ca = await readFile(bed.tls.caFile);
  const agent = new Agent({ connect: { ca }, connections: 10 });
  const path = `/addresses/${id}/receivers/${id}`;
  let isStopped = false;
  const consume = async () => {
    while (!isStopped) {
      const { status, body } = await api('GET', `${path}/next?max=${MAX}&wait=${WAIT_SECONDS}`);
      if (status !== 200) throw new Error(`GET ${path}/next: ${status} ${JSON.stringify(body)}`);
      const { data } = body as { data: { lease_id: string; payload: object }[] };
      await Promise.all(
        data.map(async ({ payload }) => {
          const sent = {
            method: 'POST',
            body: JSON.stringify(payload),
            dispatcher: agent,
          } as const;
          await (await request(bed.receiverUrl, sent)).body.dump();
        }),
      );
      const lease_ids = data.map(({ lease_id }) => lease_id);
      if (lease_ids.length > 0) await api('POST', `${path}/ack`, { lease_ids });
    }
  };
  const consuming = consume();
  return {
    [Symbol.asyncDispose]: async () => {
      isStopped = true;
      await consuming;
      await agent.close();
    },
  };
}

const cpu = (run: Run, part: string) => run.cpuPerThousand[part] ?? NaN;
const total = (list: readonly Run[] = []) =>
  median(list.map((run) => sum(PARTS.map((part) => cpu(run, part)))));

const row = (way: string, list: readonly Run[]) => [
  way,
  ...PARTS.map((part) => figure(median(list.map((run) => cpu(run, part))))),
  figure(total(list)),
  figure(median(list.map((run) => run.deliveredPerSecond))),
  figure(median(list.map((run) => run.latencyMs.p50))),
  figure(sum(list.map((run) => run.lost))),
];
