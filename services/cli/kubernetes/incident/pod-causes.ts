/** Causes that pods and their nodes show: they do not run, restart, or are short of CPU. */
import { type Cause, FOLLOWS_FROM_MONGODB, FOLLOWS_FROM_NATS, runbook } from './cause.ts';
import { podsOf, samples } from './facts.ts';

const LAG_SECONDS = 0.5;
/** A component whose pods do not run: its alert, its weight, and what follows. */
const COMPONENTS: Record<string, [alert: string, weight: number, explains: readonly string[]]> = {
  nats: ['InletNatsDisconnected', 94, FOLLOWS_FROM_NATS],
  mongodb: ['InletMongodbDisconnected', 93, FOLLOWS_FROM_MONGODB],
  gateway: ['InletGatewayAbsent', 84, ['unready']],
  dispatcher: ['InletDispatcherAbsent', 83, ['queue-old', 'unready', 'stuck']],
  api: ['InletApiAbsent', 75, ['unready', 'sweeps']],
  operator: ['InletOperatorAbsent', 60, ['operator-leader', 'resources', 'unready']],
};

const COMPONENT_CAUSES: Cause[] = Object.entries(COMPONENTS).flatMap(
  ([component, [alert, weight, explains]]): Cause[] => [
    {
      id: `${component}-pods`,
      area: 'pods',
      weight,
      page: runbook(alert),
      signs: (facts) =>
        podsOf(facts, component).flatMap(({ name, waiting, lastWords }) =>
          waiting === null
            ? []
            : [`pod ${name} does not run: ${[waiting, lastWords ?? []].flat().join('; ')}`],
        ),
      explains: [...explains, `${component}-none`, 'restarts'],
    },
    {
      id: `${component}-none`,
      area: 'pods',
      weight,
      page: runbook(alert),
      signs: ({ workloads, pods }) =>
        workloads
          .filter((one) => one.component === component)
          .filter(({ wanted }) => wanted === 0 || !pods.some((pod) => pod.component === component))
          .map(({ name, wanted }) => `${name} has no pod: ${wanted} are wanted`),
      explains,
    },
  ],
);

export const POD_CAUSES: readonly Cause[] = [
  ...COMPONENT_CAUSES,
  {
    id: 'node',
    area: 'nodes',
    weight: 98,
    page: runbook('InletProcessUnreachable'),
    signs: ({ nodes }) =>
      nodes
        .filter(({ problems }) => problems.length > 0)
        .map(({ name, problems }) => `node ${name}: ${problems.join(', ')}`),
    explains: [...Object.keys(COMPONENTS).map((one) => `${one}-pods`), 'unready', 'restarts'],
  },
  {
    id: 'oom',
    area: 'pods',
    weight: 96,
    page: runbook('InletProcessRestarting'),
    signs: ({ pods }) =>
      pods
        .filter(({ ended }) => ended === 'OOMKilled')
        .map(({ name }) => `pod ${name} was killed in the last hour: it exceeded its memory limit`),
    explains: ['restarts', ...Object.keys(COMPONENTS).map((one) => `${one}-pods`), 'unready'],
  },
  {
    id: 'restarts',
    area: 'pods',
    weight: 65,
    page: runbook('InletProcessRestarting'),
    signs: ({ pods }) =>
      pods
        .filter(({ ended }) => ended !== null && ended !== 'OOMKilled')
        .map(
          ({ name, ended, lastWords }) =>
            `pod ${name} restarted in the last hour: ${[ended, lastWords ?? []].flat().join('; ')}`,
        ),
  },
  {
    id: 'unready',
    area: 'pods',
    weight: 52,
    page: runbook('InletProcessUnreachable'),
    signs: ({ pods }) =>
      pods
        .filter(({ isReady, waiting }) => !isReady && waiting === null)
        .map(({ name }) => `pod ${name} runs, and is not ready`),
  },
  {
    id: 'event-loop',
    area: 'pods',
    weight: 47,
    page: runbook('InletEventLoopBlocked'),
    signs: (facts) =>
      samples(facts, 'nodejs_eventloop_lag_p99_seconds')
        .filter(({ value }) => value > LAG_SECONDS)
        .map(
          ({ pod, value }) => `pod ${pod.name} is short of CPU: it lags by ${value.toFixed(1)} s`,
        ),
  },
];
