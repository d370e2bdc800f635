/** Rules for a usual purpose, as the dashboard and the command line add them. */

/**
 * `agents`: a program that acts on email, such as a language model, gets only email of proven and
 * listed authors without text that a person would not see. One rule for each reason, so that the trace
 * of a held email says why.
 * @param list the name of a list of senders
 */
export const agentRules = (list: string) => [
  { name: 'agents: not proven', when: 'sender == ""', action: 'hold' as const },
  { name: 'agents: not listed', when: `!(sender in lists.${list})`, action: 'hold' as const },
  { name: 'agents: hidden text', when: 'hidden_text.present', action: 'hold' as const },
];

/** The rules, then those of a preset. Earlier rules with the same names are replaced. */
export function withPreset<Rule extends { name: string }>(
  rules: readonly Rule[],
  preset: readonly Rule[],
): Rule[] {
  const names = new Set(preset.map(({ name }) => name));
  return [...rules.filter(({ name }) => !names.has(name)), ...preset];
}
