/** Removes secrets and personal data from the texts of a report. */

const HIDDEN = '[redacted]';
const SECRET_MIN_CHARS = 8;
/** A variable with such a name has a secret value, also when it is not in a Secret. */
const SECRET_NAME = /secret|token|password|passwd|credential|private|api_?key|_key$|_uri$|dsn/i;
const PATTERNS: readonly [pattern: RegExp, replacement: string][] = [
  [/-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*?-----END [A-Z ]*PRIVATE KEY-----/g, HIDDEN],
  [/\bwhsec_[\w+/=-]+/g, HIDDEN],
  [/\bsvc_(?:live|test)_[\w-]+/g, HIDDEN],
  [/\beyJ[\w-]+\.[\w-]+\.[\w-]+/g, HIDDEN], // a JSON web token
  [/\b(Bearer|Basic) [\w+/=.~-]+/gi, `$1 ${HIDDEN}`],
  [/(\w:\/\/)[^/\s"@]+@/g, `$1${HIDDEN}@`],
  // the URL of an InboundAddress or AccountNotification may have a token in its path or query
  [/("(?:webhookUrl|webhook_url|url)": ?"https?:\/\/[^/?#"]+)[^"]*"/g, `$1/${HIDDEN}"`],
  // email addresses: customers and senders
  [/[\p{L}\p{M}\p{N}_.!#$%&'*+/=?^`{|}~-]+@(?=[\p{L}\p{M}\p{N}-]+\.[\p{L}\p{N}])/gu, `${HIDDEN}@`],
];

/**
 * @param secrets the values of all Secrets of the release; each line of a value is hidden, too
 */
export function createRedaction(secrets: readonly string[]): (text: string) => string {
  const values = new Set(
    secrets
      .flatMap((secret) => [secret, ...secret.split('\n')])
      .map((value) => value.trim())
      .filter((value) => value.length >= SECRET_MIN_CHARS),
  );
  // A value may contain another one.
  const longestFirst = [...values].toSorted((one, other) => other.length - one.length);
  const forms = longestFirst.flatMap((value) => [
    value,
    JSON.stringify(value).slice(1, -1),
    Buffer.from(value).toString('base64').replace(/=+$/, ''),
    encodeURIComponent(value),
  ]);
  return function redact(text) {
    const known = forms.reduce((rest, form) => rest.replaceAll(form, HIDDEN), text);
    return PATTERNS.reduce((rest, [from, to]) => rest.replaceAll(from, to), known);
  };
}

/** Kubernetes objects without fields for machines, and without the values of secret variables. */
export function withoutSecrets(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutSecrets);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).filter(
    ([key]) =>
      key !== 'managedFields' && key !== 'kubectl.kubernetes.io/last-applied-configuration',
  );
  const { name, value: text } = value as { name?: unknown; value?: unknown };
  const isSecret = typeof name === 'string' && typeof text === 'string' && SECRET_NAME.test(name);
  return Object.fromEntries(
    entries.map(([key, one]) => [key, isSecret && key === 'value' ? HIDDEN : withoutSecrets(one)]),
  );
}
