/**
 * Events (events.k8s.io/v1), which `kubectl describe` shows: one for each change of a resource's
 * condition.
 */
import { randomBytes } from 'node:crypto';

import type { Kube } from '../../adapters/kube/client.ts';
import type { Log } from '../../adapters/process/log.ts';
import type { ResourceEvent } from '../../core/kube/condition.ts';
import { API_VERSION, type KindName } from '../../core/kube/custom-resource.ts';
import { RESOURCES } from './permissions.ts';
import type { CustomResource } from './resource.ts';

/** Never throws: an event that cannot be written is only logged. */
export type RecordEvent = (
  kind: KindName,
  object: CustomResource,
  event: ResourceEvent,
) => Promise<void>;

const NOTE_MAX_CHARS = 1024; // events.k8s.io/v1
const NAME_MAX_CHARS = 230;

export function createRecordEvent(
  kube: Pick<Kube, 'create'>,
  identity: string,
  clock: () => Date,
  log: Log,
): RecordEvent {
  return async function recordEvent(
    kind,
    { metadata: { namespace, name, uid } },
    { isWarning, reason, message },
  ) {
    const event = {
      apiVersion: 'events.k8s.io/v1',
      kind: 'Event',
      metadata: {
        namespace,
        name: `${name.slice(0, NAME_MAX_CHARS)}.${randomBytes(8).toString('hex')}`,
      },
      eventTime: clock().toISOString().replace('Z', '000Z'),
      type: isWarning ? 'Warning' : 'Normal',
      reason,
      note: message.slice(0, NOTE_MAX_CHARS),
      action: 'Reconcile',
      regarding: { apiVersion: API_VERSION, kind, namespace, name, uid },
      reportingController: 'inlet.email/operator',
      reportingInstance: identity.slice(0, 128),
    };
    await kube
      .create(RESOURCES.Event, event)
      .catch((error: unknown) => log.debug('event.not_recorded', { reason, error }));
  };
}
