/** What a pod of Inlet tells about itself, by a script that its own Node runs. */
import type { Kubectl } from '../cluster/kubectl.ts';
import type { Probe } from './facts.ts';

/** Between the two readings of the counters. */
const SECONDS = 5;

/**
 * Arguments: seconds between the readings, and the inbound domain. DNS has 3 s for each of two
 * tries, so the script ends within 25 s whatever fails.
 */
const SCRIPT = `
const [, seconds, domain] = process.argv;
const { Resolver } = require('node:dns/promises');
const dns = new Resolver({ timeout: 3000, tries: 2 });
const read = (path) =>
  fetch('http://127.0.0.1:' + (process.env.METRICS_PORT || 9090) + path, { signal: AbortSignal.timeout(8000) });
const codeOf = (error) => error.code || error.message;
const missing = (error) => error.code === 'ENODATA' || error.code === 'ENOTFOUND';
async function mail() {
  if (!domain) return null;
  try {
    const records = (await dns.resolveMx(domain)).slice(0, 5);
    let fault = null;
    const hosts = await Promise.all(records.map(async ({ exchange }) => {
      const found = await Promise.allSettled([dns.resolve4(exchange), dns.resolve6(exchange)]);
      const failed = found.find((one) => one.status === 'rejected' && !missing(one.reason));
      if (failed) fault = codeOf(failed.reason);
      return { name: exchange, addresses: found.flatMap((one) => one.value || []) };
    }));
    return { hosts, fault };
  } catch (error) {
    return { hosts: [], fault: codeOf(error) };
  }
}
(async () => {
  const known = mail();
  const before = await (await read('/metrics')).text();
  await new Promise((resolve) => setTimeout(resolve, seconds * 1000));
  const metrics = await (await read('/metrics')).text();
  const isReady = (await read('/readyz')).ok;
  process.stdout.write(JSON.stringify({ isReady, before, metrics, seconds: Number(seconds), mail: await known }));
})();
`;

/** @throws Failure when the pod cannot run it, or does not respond on its metrics port */
export async function probePod(
  kubectl: Kubectl,
  { pod, component }: { pod: string; component: string },
  domain: string | undefined,
): Promise<Probe> {
  const command = ['node', '-e', SCRIPT, String(SECONDS), domain ?? ''];
  return JSON.parse(await kubectl.run('exec', pod, '-c', component, '--', ...command)) as Probe;
}
