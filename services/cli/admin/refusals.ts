/** `inlet admin refusals`: what an account would see. */
import { searchedTerms } from '../../core/delivery/search-terms.ts';
import type { Environment } from '../../core/resource/environment.ts';
import { refusalView } from '../../core/refusal/refusal.ts';
import type { RefusalView } from '../../core/refusal/refusal-view.ts';
import { existingAccount } from './accounts.ts';
import type { Database } from './database.ts';

type Asked = {
  account: string;
  environment: Environment;
  sender?: string;
  recipient?: string;
  subject?: string;
  limit: number;
};

export async function listRefusals(
  database: Database,
  { account, environment, limit, ...search }: Asked,
): Promise<RefusalView[]> {
  await existingAccount(database, account);
  const scope = { account_id: account, environment, address_ids: null };
  const filter = { terms: searchedTerms(search) };
  const { items } = await database.stores.refusals.page(scope, filter, { limit, offset: 0 });
  return items.map(refusalView);
}
