/** Which rule of a request the API rejected, and why. */
import { ApiError } from '../../client/api.ts';
import { ruleText } from '../../strings/rules.ts';

export type RuleFault = { at: number; text: string };

/** A field is `rules.0.when`, and a message begins with the field. */
const FIELD = /rules\.(\d+)\.(\w+)/;
const BEGINNING = /^[\w.]*rules\.\d+\S*:? /;

/** Undefined for any other error. */
export function ruleFault(error: unknown): RuleFault | undefined {
  const [, at, field = ''] = (error instanceof ApiError && FIELD.exec(error.field ?? '')) || [];
  if (at === undefined) return undefined;
  const reason = (error as ApiError).message.replace(BEGINNING, '');
  return { at: Number(at), text: `${ruleText.fields[field] ?? field}: ${reason}` };
}
