/** `inlet admin dashboard link`: a link that signs in to the dashboard of an account. */
import type { Environment } from '../../core/resource/environment.ts';
import type { Permission } from '../../core/token/permission.ts';
import { dashboardUrl } from '../../core/member/session.ts';
import { createDashboardLink } from '../../platform/session/dashboard-link.ts';
import { usageFault } from '../terminal/failure.ts';
import { existingAccount } from './accounts.ts';
import type { Database } from './database.ts';

export async function linkToDashboard(
  database: Database,
  options: {
    account: string;
    environment: Environment;
    permissions: Permission[];
    origin?: string;
  },
): Promise<{ url: string; expires_at: Date }> {
  const publicUrl = options.origin ?? database.env.PUBLIC_API_URL;
  if (!publicUrl || !URL.canParse(publicUrl))
    throw usageFault('give --origin, the URL of the API, or set PUBLIC_API_URL');
  const { id: accountId } = await existingAccount(database, options.account);
  const { environment, permissions } = options;
  const { code, expiresAt } = await createDashboardLink(database.stores.links)(
    { accountId, environment, permissions },
    new Date(),
  );
  return { url: dashboardUrl(new URL(publicUrl).origin, code), expires_at: expiresAt };
}
