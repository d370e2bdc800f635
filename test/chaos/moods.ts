/**
 * Receivers like those on the internet: some accept, others fail, hang, ask to retry later or close
 * the connection. Two never accept. The emails for one are stored as files, too, and those for another
 * are pulled (consumer.ts).
 */
import type { Address } from '../../services/core/address/address.ts';
import type { Answer, Receiver } from '../support/receiver.ts';
import type { Chance } from './chance.ts';

const OFTEN = 0.4;
const AT_TIMES = 0.2;

export const MOODS = {
  good: () => 200,
  linked: () => 200,
  fails: (chance) => (chance.next() < OFTEN ? 500 : 200),
  hangs: (chance) => (chance.next() < AT_TIMES ? () => undefined : 200),
  busy: (chance) =>
    chance.next() < OFTEN ? { status: 429, headers: { 'retry-after': '1' } } : 200,
  drops: (chance) => (chance.next() < OFTEN ? (response) => void response.destroy() : 200),
  broken: () => 503,
  refuses: () => 410,
  pulled: () => 200,
} as const satisfies Record<string, (chance: Chance) => Answer>;
export type Mood = keyof typeof MOODS;
export const MOOD_NAMES = Object.keys(MOODS) as Mood[];

/** Settings of the address of a receiver. */
export function addressOf(mood: Mood): Partial<Address> {
  if (mood === 'linked')
    return { payload: { attachments: 'url', raw: true, extract: [], storage: null } };
  return mood === PULLED ? { webhook_url: null, mode: 'pull' } : {};
}

export const PULLED: Mood = 'pulled';

export const pathOf = (mood: Mood) => `/${mood}`;

export function scriptMoods(receiver: Receiver, chance: Chance): void {
  for (const mood of MOOD_NAMES) {
    const own = chance.fork(mood);
    receiver.answer(pathOf(mood), () => MOODS[mood](own));
  }
}
