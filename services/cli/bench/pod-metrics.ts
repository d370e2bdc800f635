/** Metrics of all pods of a component: a name that has the address of each, as a headless Service has. */
import { isIP } from 'node:net';

import { addressesOfHost } from '../../adapters/dns/name-servers.ts';
import { createFetch } from '../api/fetch.ts';
import { valuesOf } from '../kubernetes/cluster/metrics-text.ts';

/** The text of each pod, by its address. */
export type PodMetrics = ReadonlyMap<string, string>;

const TIMEOUT_MS = 10_000;
const request = createFetch([]);

/** Pods that do not answer are left out; empty when the name has no address. */
export async function readPodMetrics(url: string, signal: AbortSignal): Promise<PodMetrics> {
  const { hostname } = new URL(url);
  const host = hostname.replace(/^\[|\]$/g, '');
  const found = isIP(host) ? [host] : await addressesOfHost(host).catch(() => []);
  const texts = await Promise.all(
    found.map(async (address): Promise<[string, string] | undefined> => {
      const target = Object.assign(new URL(url), {
        hostname: isIP(address) === 6 ? `[${address}]` : address,
      });
      const within = AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)]);
      const response = await request(new Request(target, { signal: within })).catch(
        () => undefined,
      );
      return response?.ok ? [address, await response.text()] : undefined;
    }),
  );
  signal.throwIfAborted();
  return new Map(texts.filter((one) => one !== undefined));
}

const sumIn = (text: string | undefined, metric: string): number =>
  valuesOf(text ?? '', metric).reduce((all, value) => all + value, 0);

/** What happened between two readings. A pod that began in between counts from its start. */
export function createDifference(before: PodMetrics, after: PodMetrics) {
  const ofPod = (address: string, text: string, metric: string): number => {
    const difference = sumIn(text, metric) - sumIn(before.get(address), metric);
    return difference < 0 ? sumIn(text, metric) : difference; // it has restarted
  };
  const ofEach = (metric: string) =>
    [...after].map(([address, text]) => ofPod(address, text, metric));
  const sum = (metric: string) => ofEach(metric).reduce((all, value) => all + value, 0);
  return {
    sum,
    /** The value of the pod that had the most. */
    most: (metric: string): number => Math.max(0, ...ofEach(metric)),
    /** The mean of a histogram of seconds; 0 when nothing was observed. */
    meanMs: (histogram: string): number => {
      const count = sum(`${histogram}_count`);
      return count === 0 ? 0 : (1000 * sum(`${histogram}_sum`)) / count;
    },
  };
}
