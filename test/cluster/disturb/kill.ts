/**
 * SIGKILL for the process of a container. A process cannot send it to process 1 of its own pod, so
 * this looks for the container on this machine, where a development cluster runs. On any other
 * node, the pod is deleted by force instead.
 */
import { readdir, readFile } from 'node:fs/promises';

import type { Namespace } from '../kubectl.ts';

/** @returns the pod that was hit */
export async function killOne(namespace: Namespace, component: string): Promise<string> {
  const selector = `app.kubernetes.io/component=${component}`;
  const running = ['get', 'pods', '-l', selector, '--field-selector=status.phase=Running'];
  const found = await namespace.run(
    ...running,
    '-o',
    'jsonpath={range .items[0]}{.metadata.name} {.metadata.uid} {.status.containerStatuses[0].containerID}{end}',
  );
  const [name = '', uid = '', containerId = ''] = found.split(' ');
  const pids = await processesOf(uid, containerId.replace(/^.*\/\//, ''));
  if (pids.length === 0) await namespace.run('delete', 'pod', name, '--grace-period=0', '--force');
  for (const pid of pids) process.kill(pid, 'SIGKILL');
  return name;
}

/** Processes in the control group of a container. Only root may read those of others. */
async function processesOf(podUid: string, containerId: string): Promise<number[]> {
  if (podUid === '' || containerId === '') return [];
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const groups = await Promise.all(
    pids.map(async (pid) => [pid, await readFile(`/proc/${pid}/cgroup`, 'utf8').catch(() => '')]),
  );
  return groups
    .filter(([, group = '']) => group.includes(podUid) && group.includes(containerId))
    .map(([pid]) => Number(pid));
}
