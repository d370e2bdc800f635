/** What partitions cost: streams and consumers, idle CPU, memory, and the rate, with 1, 16 and 64 of them. */
import { setTimeout as sleep } from 'node:timers/promises';
import { join } from 'node:path';
import { jetstreamManager } from '@nats-io/jetstream';

import { createLog } from '../../../services/adapters/process/log.ts';
import { connectNats } from '../../../services/adapters/stream/connection/connection.ts';
import { createPublisher } from '../../../services/adapters/stream/events/publish.ts';
import { findBinary, NATS_SERVER } from '../../../services/standalone/fetch/binaries.ts';
import { startNatsServer } from '../../../services/standalone/processes/nats-server.ts';
import type { Bed, System } from '../bed.ts';
import { startProcesses } from '../cluster/processes.ts';
import { startOneOfEach } from '../cluster/servers.ts';
import { streamTotals } from '../cluster/traffic.ts';
import { measure, type Run, warmUp, type Workload } from '../measure.ts';
import { usageOf } from '../process-usage.ts';
import type { Scenario } from '../scenario.ts';
import { median } from '../statistics.ts';
import { figure, table } from '../table.ts';

const PARTITIONS = [1, 16, 64];
const CONNECTIONS = 50;
const WARM_UP_MAILS = 4000;
const IDLE_MS = 10_000;
const SUBJECTS = 200_000;
const PUBLISHED_TOGETHER = 500;
const PROCESSES = ['gateway-1', 'dispatcher-1', 'nats-1'];

export const partitions: Scenario = {
  name: 'partitions',
  purpose: `one node, gateway and dispatcher with ${PARTITIONS.join(', ')} partitions: idle CPU, memory, rate`,
  run: async (bed, options, report) => {
    const { repeat, mails, seconds } = options;
    const full: Workload = { kind: '2k', connections: CONNECTIONS, mails, seconds };
    const rows: string[][] = [];
    const figures: object[] = [];
    for (const count of PARTITIONS) {
      report(`${count} partitions`);
      await using parts = new AsyncDisposableStack();
      const dir = join(bed.dataDir, `partitions-${count}`);
      const servers = parts.use(await startOneOfEach(bed, dir));
      const place = { name: 'single', title: `${count} partitions`, dir } as const;
      const one = { ...options, partitions: count, gateways: 1, dispatchers: 1 };
      const system = parts.use(await startProcesses(bed, place, servers, one));
      const idle = await idleOf(system);
      await warmUp(bed, system, full, WARM_UP_MAILS);
      const runs: Run[] = [];
      for (let round = 0; round < repeat; round++) runs.push(await measure(bed, system, full));
      const totals = await streamTotals(servers.monitorUrls);
      const of = (figureOf: (run: Run) => number) => figure(median(runs.map(figureOf)));
      rows.push([
        String(count),
        String(totals.streams),
        String(totals.consumers),
        ...idle.map(({ cpuPercent, megabytes }) => `${figure(cpuPercent)}, ${figure(megabytes)}`),
        of((run) => run.deliveredPerSecond),
        of((run) => run.systemCpuPerThousand),
        of((run) => run.latencyMs.p99),
        ...PROCESSES.map((name) => of((run) => run.peakMb[name] ?? NaN)),
        of((run) => 100 * run.othersShare),
      ]);
      figures.push({ partitions: count, ...totals, idle, runs });
    }
    const head = [
      ...['partitions', 'streams', 'consumers'].concat(PROCESSES.map((name) => `idle ${name}`)),
      ...['delivered/s', 'CPU s', 'p99 ms'].concat(PROCESSES.map((name) => `peak MB ${name}`)),
      'others %',
    ];
    return {
      text:
        `idle: percent of a core, MB in memory; medians of ${repeat} runs\n${table(head, rows)}\n\n` +
        `memory of nats-server for each subject of a stream: ${figure(await subjectBytes(bed))} bytes`,
      figures,
    };
  },
};

/** Before the first email. */
async function idleOf({ processes }: System) {
  await sleep(IDLE_MS / 2); // the start has ended
  const usages = () => PROCESSES.map((name) => usageOf(processes[name] ?? 0));
  const before = usages();
  await sleep(IDLE_MS);
  return usages().map((usage, i) => ({
    cpuPercent: ((usage?.cpuSeconds ?? NaN) - (before[i]?.cpuSeconds ?? NaN)) * (100_000 / IDLE_MS),
    megabytes: (usage?.residentBytes ?? NaN) / 1e6,
  }));
}

/** As in MAIL: a message of its own for each of many addresses, beside as many messages of one. */
async function subjectBytes(bed: Bed): Promise<number> {
  const { path: binary } = await findBinary(NATS_SERVER, bed.finder);
  const grownBy = async (subjectOf: (i: number) => string): Promise<number> => {
    const dir = join(bed.dataDir, `subjects-${subjectOf(1)}`);
    const jetstream = { sync_interval: '2m' }; // this is not about disks
    await using server = await startNatsServer({
      binary,
      dataDir: dir,
      logFile: join(dir, 'nats.log'),
      jetstream,
    });
    await using nats = await connectNats({ url: server.url, name: 'bench' }, createLog('silent'));
    const manager = await jetstreamManager(nats.connection);
    await manager.streams.add({ name: 'MAIL-0', subjects: ['mail.0.>'] });
    const before = usageOf(server.pid)?.residentBytes ?? NaN;
    const publisher = createPublisher(nats.connection);
    for (let done = 0; done < SUBJECTS; done += PUBLISHED_TOGETHER)
      await Promise.all(
        Array.from({ length: PUBLISHED_TOGETHER }, (_, i) =>
          publisher.publish(`mail.0.acc_0123456789abcdef.${subjectOf(done + i)}`, 'email', {}),
        ),
      );
    return (usageOf(server.pid)?.residentBytes ?? NaN) - before;
  };
  const many = await grownBy((i) => `addr_0123456789abcdef${i.toString(36).padStart(6, '0')}`);
  return (many - (await grownBy(() => 'one'))) / SUBJECTS;
}
