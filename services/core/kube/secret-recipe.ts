/**
 * The content of a Kubernetes Secret that the chart's install job creates. Existing entries never
 * change: data is encrypted with them, and servers use them.
 */
import { z } from 'zod';

const Ingredient = z
  .enum(['key', 'password', 'keyfile'])
  .describe(
    'key: base64 of 32 bytes; password: 40 letters and digits; keyfile: 756 base64 ' +
      'characters, which the members of a MongoDB replica set share',
  );
type Ingredient = z.output<typeof Ingredient>;

export const SecretRecipe = z.object({
  name: z.string().min(1),
  entries: z
    .record(z.string(), Ingredient)
    .default({})
    .describe('the kind of random value for each entry'),
  certificate_names: z
    .array(z.string())
    .default([])
    .describe('DNS names of a certificate (ca.crt, tls.crt, tls.key); no certificate when empty'),
  certificate_of_clients: z
    .boolean()
    .default(false)
    .describe('whether the certificate is also valid for clients'),
});
export type SecretRecipe = z.output<typeof SecretRecipe>;

const BYTES: Record<Ingredient, number> = { key: 32, password: 20, keyfile: 567 };
const CERTIFICATE_ENTRIES = ['ca.crt', 'tls.crt', 'tls.key'] as const;

type RandomBytes = (count: number) => Buffer;

/** New values for the entries of a recipe that a Secret does not hold yet. */
export function missingEntries(
  { entries }: SecretRecipe,
  present: readonly string[],
  random: RandomBytes,
): Record<string, string> {
  const missing = Object.entries(entries).filter(([entry]) => !present.includes(entry));
  return Object.fromEntries(
    missing.map(([entry, ingredient]) => [entry, randomValue(ingredient, random)]),
  );
}

export const lacksCertificate = (
  { certificate_names }: SecretRecipe,
  present: readonly string[],
): boolean =>
  certificate_names.length > 0 && !CERTIFICATE_ENTRIES.every((entry) => present.includes(entry));

/**
 * A password is a letter and hex digits, so it needs no quotes in URLs, nor in nats-server's
 * configuration, which reads some words as numbers.
 */
function randomValue(ingredient: Ingredient, random: RandomBytes): string {
  const bytes = random(BYTES[ingredient]);
  return ingredient === 'password'
    ? `p${bytes.toString('hex').slice(1)}`
    : bytes.toString('base64');
}
