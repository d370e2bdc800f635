/**
 * Which receivers `npm start` trusts: its own demo receiver, and those that the user's settings
 * add.
 */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

import { writeWhole } from './state/whole-file.ts';

type Own = {
  /** CIDR ranges, separated by commas. */
  networks: string;
  caFile: string;
  dataDir: string;
};

type WebhookTrust = { WEBHOOK_ALLOWED_NETWORKS: string; WEBHOOK_CA_FILE: string };

/**
 * Settings of the services. The user's WEBHOOK_ALLOWED_NETWORKS and WEBHOOK_CA_FILE are added to
 * our own and never replace them: the demo receiver must stay reachable.
 * @throws if the user's file cannot be read
 */
export async function webhookTrust(env: NodeJS.ProcessEnv, own: Own): Promise<WebhookTrust> {
  return {
    WEBHOOK_ALLOWED_NETWORKS: [own.networks, env.WEBHOOK_ALLOWED_NETWORKS]
      .filter((networks) => networks !== undefined && networks.trim() !== '')
      .join(','),
    WEBHOOK_CA_FILE: env.WEBHOOK_CA_FILE
      ? await joinedCaFile(own, env.WEBHOOK_CA_FILE)
      : own.caFile,
  };
}

/** A PEM file may hold several certificates. */
async function joinedCaFile({ caFile, dataDir }: Own, userFile: string): Promise<string> {
  const ownCa = await readFile(caFile, 'utf8');
  const userCa = await readFile(userFile, 'utf8').catch((cause: unknown) => {
    throw new Error(`cannot read WEBHOOK_CA_FILE ${userFile}`, { cause });
  });
  const joined = join(dataDir, 'tls', 'webhook-ca.pem');
  await writeWhole(joined, `${ownCa.trimEnd()}\n${userCa}`);
  return joined;
}
