/** A state as a colored word: the word carries the meaning, the color only helps. */
export type Tone = 'good' | 'wait' | 'bad' | 'plain';

export const Status = ({ tone, text }: { tone: Tone; text: string }) => (
  <span class={`status status-${tone}`}>{text}</span>
);
