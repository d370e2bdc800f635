/**
 * Which receivers `npm start` trusts: its own demo receiver, and those that the user's settings
 * add.
 */

type Own = {
  /** CIDR ranges, separated by commas. */
  networks: string;
  caFile: string;
};

/**
 * Settings of the services. The user's WEBHOOK_ALLOWED_NETWORKS and WEBHOOK_CA_FILE are added to
 * our own and never replace them: the demo receiver must stay reachable.
 */
export const webhookTrust = (env: NodeJS.ProcessEnv, { networks, caFile }: Own) => ({
  WEBHOOK_ALLOWED_NETWORKS: joined(networks, env.WEBHOOK_ALLOWED_NETWORKS),
  WEBHOOK_CA_FILE: joined(caFile, env.WEBHOOK_CA_FILE),
});

const joined = (...lists: (string | undefined)[]): string =>
  lists.filter((list) => list !== undefined && list.trim() !== '').join(',');
