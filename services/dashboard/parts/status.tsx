/** A state as a colored word: the word carries the meaning, the color only helps. */
export type Tone = 'good' | 'wait' | 'held' | 'bad' | 'plain';

/** By what a rule does. */
export const RULE_TONES = { refuse: 'bad', drop: 'plain', hold: 'held', tag: 'good' } as const;

export const Status = ({ tone, text }: { tone: Tone; text: string }) => (
  <span class={`status status-${tone}`}>{text}</span>
);
