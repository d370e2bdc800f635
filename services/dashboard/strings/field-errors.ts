/** What is wrong with a field of a form, and what to do about it. */
type Fault = { message: string; code: string | undefined };

const LISTEN =
  'For a program on your computer, run “inlet listen --forward http://localhost:3000/hook” instead: ' +
  'it needs no public URL.';
const URL_FAULTS: Record<string, string> = {
  not_https: `Use a URL that begins with https://. ${LISTEN}`,
  not_public: `Inlet cannot reach this host from the internet. ${LISTEN}`,
};
const FIELD_FAULTS: Record<string, string> = {
  domain: 'This is not a domain. One looks like in.example.com, without http:// and without an @.',
  local_part:
    'Use small letters, digits, dots, hyphens and underscores: the part before the @, such as orders.',
  senders: 'This is not a sender. One looks like ann@example.com, or @example.com for a domain.',
  email: 'This is not an email address. One looks like ann@example.com.',
};
/** By field and rule. */
const FAULTS: Record<string, string> = { 'types too_small': 'Choose at least one event.' };
const RULE_FAULTS: Record<string, string> = {
  required: 'Fill this in.',
  invalid_type: 'This does not have the right form.',
  too_small: 'This is too small.',
  too_big: 'This is too large.',
  too_long: 'This is too long.',
  invalid_value: 'This value is not allowed.',
};

/** The field, and what is at fault within it: `team` of the labels, `0` of a list. */
type FieldPath = { path: string; inner: string };

/**
 * @param path as the API names the field, such as `webhook_url` or `payload.storage`. The
 *   message begins with the path of what is at fault.
 */
export function messageFor({ path, inner }: FieldPath, { message, code = '' }: Fault): string {
  const [, named = '', rest] = /^(\S+) (.*)$/.exec(message) ?? [];
  if (rest === undefined || !`.${named}`.endsWith(`.${path}${inner && `.${inner}`}`))
    return message;
  const sentence = sentenceFor(path.split('.').at(-1) ?? '', rest, code);
  if (inner === '') return sentence;
  return `${/^\d+$/.test(inner) ? ENTRY(Number(inner) + 1) : inner}: ${sentence}`;
}

const ENTRY = (number: number) => `Entry ${number}`;

function sentenceFor(field: string, rest: string, code: string): string {
  if (/(^|_)url$/.test(field) && URL_FAULTS[code] !== undefined) return URL_FAULTS[code];
  const known = FAULTS[`${field} ${code}`] ?? (code === 'invalid_value' && FIELD_FAULTS[field]);
  if (known) return known;
  return rest.startsWith('must ') ? `This ${rest}.` : (RULE_FAULTS[code] ?? `This ${rest}.`);
}
