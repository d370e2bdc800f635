/**
 * Creates the missing Secrets of an installation, and missing entries in them, before an install or
 * upgrade. Never changes an entry.
 */
import { randomBytes } from 'node:crypto';
import { z } from 'zod';

import { makeCertificate } from '../../adapters/tls/certificates.ts';
import { createClusterSecrets } from '../../adapters/kube/secrets.ts';
import { chooseSocketDefaults } from '../../adapters/dns/sockets.ts';
import { readConfig } from '../../adapters/process/config.ts';
import { createLog } from '../../adapters/process/log.ts';
import { lacksCertificate, missingEntries, SecretRecipe } from '../../core/kube/secret-recipe.ts';

chooseSocketDefaults();
const parsedJson = (text: string): unknown => JSON.parse(text);

const { NAMESPACE, RECIPES, LABELS } = readConfig(
  z.object({
    NAMESPACE: z.string().describe('namespace of the Secrets'),
    RECIPES: z
      .string()
      .transform(parsedJson)
      .pipe(z.array(SecretRecipe))
      .describe('the Secrets and their entries: JSON'),
    LABELS: z
      .string()
      .default('{}')
      .transform(parsedJson)
      .pipe(z.record(z.string(), z.string()))
      .describe('labels of new Secrets: JSON'),
  }),
  process.env,
);
const log = createLog('info', { service: 'secrets' });
const secrets = createClusterSecrets(NAMESPACE);
for (const recipe of RECIPES) {
  const held = await secrets.entriesOf(recipe.name);
  const entries = missingEntries(recipe, held ?? [], randomBytes);
  if (lacksCertificate(recipe, held ?? [])) {
    const { ca, cert, key } = await makeCertificate(recipe.certificate_names, {
      isForClients: recipe.certificate_of_clients,
    });
    Object.assign(entries, { 'ca.crt': ca, 'tls.crt': cert, 'tls.key': key });
  }
  if (Object.keys(entries).length > 0) await secrets.add(recipe.name, entries, LABELS);
  log.info('secret.checked', { name: recipe.name, made: Object.keys(entries) });
}
