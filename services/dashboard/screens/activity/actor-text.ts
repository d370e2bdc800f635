/** Who caused an event. */
import type { UsageEvent } from '../../../core/api/api-types.generated.ts';
import { plain } from '../../parts/plain-text.ts';
import { activityText } from '../../strings/activity.ts';

/** Addresses and tokens, by their ids. */
export type Names = ReadonlyMap<string, string>;

type ActorText = { text: string; title?: string };

/** Ids are long: the end tells them apart. */
const END_CHARS = 6;
const short = (kind: string, id: string): ActorText => ({
  text: `${kind} …${id.slice(-END_CHARS)}`,
  title: id,
});

/**
 * The user of a session where a provider names one, else the session or token of a change, or its
 * Kubernetes resource. Inlet itself for everything else.
 */
export function actorText(
  { user, session_id, token_id, resource }: UsageEvent['data'],
  names?: Names,
): ActorText {
  if (user !== undefined) return { text: plain(user) };
  if (session_id !== undefined) return short(activityText.session, session_id);
  const name = names?.get(token_id ?? '');
  if (name !== undefined) return { text: `${activityText.token} ${plain(name)}` };
  if (token_id !== undefined) return short(activityText.token, token_id);
  return { text: resource ?? activityText.inlet };
}
