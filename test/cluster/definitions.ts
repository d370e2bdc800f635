/**
 * Global setup: definitions that an earlier release left in the cluster say in their status that
 * objects of a removed version may be stored, and the API server then refuses the current ones. No
 * object is left of earlier runs, so the status is put right, as docs/upgrade.md describes.
 */
import { GROUP, VERSION } from '../../services/core/kube/custom-resource.ts';
import { kubectl } from './kubectl.ts';

type Definitions = {
  items: { metadata: { name: string }; status?: { storedVersions?: string[] } }[];
};

export default async function setup(): Promise<void> {
  const { items } = JSON.parse(await kubectl(['get', 'crd', '-o', 'json'])) as Definitions;
  for (const { metadata, status } of items) {
    const { name } = metadata;
    if (!name.endsWith(`.${GROUP}`) || status?.storedVersions?.every((one) => one === VERSION))
      continue;
    const objects = await kubectl(['get', name, '--all-namespaces', '-o', 'name']);
    if (objects !== '')
      throw new Error(`the cluster has objects of an earlier release: ${objects}`);
    const stored = JSON.stringify({ status: { storedVersions: [VERSION] } });
    await kubectl(['patch', 'crd', name, '--subresource=status', '--type=merge', '-p', stored]);
  }
}
