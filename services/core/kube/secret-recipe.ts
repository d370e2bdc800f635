/** What a Kubernetes Secret that Inlet makes once shall hold. Entries that are there already are never changed: data is sealed with them, servers know them. */
import { z } from 'zod';

const Ingredient = z
  .enum(['key', 'password', 'keyfile'])
  .describe(
    'key: base64 of 32 bytes; password: 40 letters and digits; keyfile: 756 base64 characters, as members of a MongoDB replica set share',
  );
type Ingredient = z.output<typeof Ingredient>;

export const SecretRecipe = z.object({
  name: z.string().min(1),
  entries: z.record(z.string(), Ingredient).default({}).describe('what to make for each entry'),
  certificate_names: z
    .array(z.string())
    .default([])
    .describe('DNS names of a certificate: makes ca.crt, tls.crt and tls.key; none when empty'),
});
export type SecretRecipe = z.output<typeof SecretRecipe>;

const BYTES: Record<Ingredient, number> = { key: 32, password: 20, keyfile: 567 };
export const CERTIFICATE_ENTRIES = ['ca.crt', 'tls.crt', 'tls.key'] as const;

type RandomBytes = (count: number) => Buffer;

/** The entries of a recipe that a Secret does not hold yet, made from random bytes. */
export function missingEntries(
  { entries }: SecretRecipe,
  held: readonly string[],
  random: RandomBytes,
): Record<string, string> {
  const missing = Object.entries(entries).filter(([entry]) => !held.includes(entry));
  return Object.fromEntries(
    missing.map(([entry, ingredient]) => [entry, made(ingredient, random)]),
  );
}

export const lacksCertificate = (
  { certificate_names }: SecretRecipe,
  held: readonly string[],
): boolean =>
  certificate_names.length > 0 && !CERTIFICATE_ENTRIES.every((entry) => held.includes(entry));

/** A password is hex after a letter: it needs quoting neither in URLs nor in the files of nats-server, which take other words for numbers. */
function made(ingredient: Ingredient, random: RandomBytes): string {
  const bytes = random(BYTES[ingredient]);
  return ingredient === 'password'
    ? `p${bytes.toString('hex').slice(1)}`
    : bytes.toString('base64');
}
