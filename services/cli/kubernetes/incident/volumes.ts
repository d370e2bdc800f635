/** How full the volumes of pods are, as the kubelet of each node measures them. */
import type { KubeObject } from '../cluster/installation.ts';
import type { Kubectl } from '../cluster/kubectl.ts';
import type { Facts } from './facts.ts';

/** A part of `/stats/summary` of a kubelet. */
type Summary = {
  pods?: {
    volume?: {
      pvcRef?: { name: string; namespace: string };
      usedBytes?: number;
      capacityBytes?: number;
    }[];
  }[];
};

/** @throws Failure when kubectl may not read `nodes/proxy` */
export async function volumesOf(
  kubectl: Kubectl,
  namespace: string,
  pods: readonly KubeObject[],
): Promise<Facts['volumes']> {
  const nodes = new Set(
    pods
      .filter(({ spec }) => JSON.stringify(spec.volumes ?? []).includes('persistentVolumeClaim'))
      .flatMap(({ spec }) => (typeof spec.nodeName === 'string' ? [spec.nodeName] : [])),
  );
  const volumes: Facts['volumes'] = [];
  for (const node of nodes) {
    const text = await kubectl.run('get', '--raw', `/api/v1/nodes/${node}/proxy/stats/summary`);
    for (const { volume = [] } of (JSON.parse(text) as Summary).pods ?? [])
      for (const { pvcRef, usedBytes = 0, capacityBytes = 0 } of volume)
        if (pvcRef?.namespace === namespace && capacityBytes > 0)
          volumes.push({ claim: pvcRef.name, used: usedBytes, capacity: capacityBytes });
  }
  return volumes;
}
