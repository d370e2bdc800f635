/** Says that a Kubernetes resource owns what is shown, so that it is changed there. */
import type { Bucket } from '../../../core/api/api-types.generated.ts';
import { partsText } from '../../strings/parts.ts';

type Props = {
  /** null: nothing is said. */
  manager: Bucket['managed_by'];
  isHint?: true;
};

export const ManagedNotice = ({ manager, isHint }: Props) =>
  manager && (
    <p class={isHint ? 'hint' : 'notice'}>
      {partsText.managedBy(manager.kind, manager.namespace, manager.name)}
    </p>
  );
