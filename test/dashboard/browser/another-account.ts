/** A second account of the whole system, which has no data. */
import { randomUUID } from 'node:crypto';

import { createAccounts } from '../../../services/adapters/mongo/account/accounts.ts';
import { connectMongo } from '../../../services/adapters/mongo/database/connection.ts';
import { createDashboardLinks } from '../../../services/adapters/mongo/session/dashboard-links.ts';
import { createLog } from '../../../services/adapters/process/log.ts';
import { dashboardUrl } from '../../../services/core/member/session.ts';
import { createDashboardLink } from '../../../services/platform/session/dashboard-link.ts';
import type { DashboardTest } from './dashboard.ts';

/** To a new account with the name "Another". */
export async function linkToAnotherAccount({ whole, origin }: DashboardTest): Promise<string> {
  await using mongo = await connectMongo(whole.standalone.state().mongodb_uri, createLog('silent'));
  const accounts = createAccounts(mongo.db);
  const { id: accountId } = await accounts.create({
    email: `${randomUUID()}@example.com`,
    name: 'Another',
  });
  const link = createDashboardLink(createDashboardLinks(mongo.db));
  const { code } = await link({ accountId, environment: 'live' }, new Date());
  return dashboardUrl(origin, code);
}
