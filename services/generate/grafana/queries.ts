/** PromQL of the dashboards. */
import type { Query } from './grafana.ts';

const selector = (metric: string, matchers: readonly string[]) =>
  `${metric}{${['namespace=~"$namespace"', ...matchers].join(',')}}`;
/** What a process reports about itself: in the chosen namespace and pods. */
export const of = (metric: string, ...matchers: string[]) =>
  selector(metric, ['pod=~"$pod"', ...matchers]);
/** What processes report about the whole release, such as the queue: in the chosen namespace. */
export const ofRelease = (metric: string, ...matchers: string[]) => selector(metric, matchers);
/** What processes report about accounts: of the chosen ones. */
export const ofAccounts = (metric: string, ...matchers: string[]) =>
  selector(metric, ['account=~"$account"', ...matchers]);
const rate = (metric: string, ...matchers: string[]) =>
  `rate(${of(metric, ...matchers)}[$__rate_interval])`;
export const perSecond = (metric: string, by = '', ...matchers: string[]) =>
  `sum ${by && `by (${by}) `}(${rate(metric, ...matchers)})`;
export const quantile = (q: number, histogram: string, ...matchers: string[]) =>
  `histogram_quantile(${q}, sum by (le) (${rate(`${histogram}_bucket`, ...matchers)}))`;
export const quantiles = (histogram: string, ...matchers: string[]): Query[] =>
  [0.5, 0.95, 0.99].map((q) => [quantile(q, histogram, ...matchers), `p${q * 100}`]);
export const ofInlet = (expr: string) => `${expr} and on (job, instance) ${of('inlet_build_info')}`;
/** Gateways and dispatchers all report the whole queue, hence the maximum over processes. */
export const queue = (metric: string, by: string, ...matchers: string[]) =>
  `max by (${['namespace', by].filter(Boolean).join(', ')}) (${ofRelease(metric, ...matchers)})`;
export const lane = (name: 'mail' | 'retry') =>
  `sum (${queue('inlet_queue_mails', 'partition, state', `lane="${name}"`)})`;
/** A share of nothing is 0. */
export const share = (part: string, whole: string) => `${part} / (${whole} > 0) or vector(0)`;
const total = (metric: string, window: string, ...matchers: string[]) =>
  `sum(increase(${of(metric, ...matchers)}[${window}]))`;
export const failedShare = (window: string) =>
  share(
    total('inlet_deliveries_total', window, 'status="failed"'),
    total('inlet_deliveries_total', window),
  );
/** Accounts whose counter rose within the shown time range, the largest first. */
export const topAccounts = (metric: string, ...matchers: string[]) =>
  `topk(10, sum by (account) (increase(${ofAccounts(metric, ...matchers)}[$__range])) > 0)`;
export const accountRate = (metric: string, by: string, ...matchers: string[]) =>
  `sum by (${by}) (rate(${ofAccounts(metric, ...matchers)}[$__rate_interval]))`;
export const attemptsByAccount = (...matchers: string[]) =>
  accountRate('inlet_account_attempts_total', 'account', ...matchers);
/**
 * In Kubernetes the pod names a process, and the instance is only an IP address. Elsewhere there is
 * no pod.
 */
export const POD = 'pod, instance';
export const ofPod = '{{pod}} {{instance}}';
export const PROBES = 'route!~"/healthz|/readyz"';
