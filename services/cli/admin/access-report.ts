/** `inlet admin access-report`: who read the emails of a sender (docs/retention.md). */
import { actorOf } from '../../core/account/actor.ts';
import { searchedTerms } from '../../core/delivery/search-terms.ts';
import { Environment } from '../../core/resource/environment.ts';
import type { UsageEvent } from '../../core/event/usage-event.ts';
import { timestamp } from '../../core/time/timestamp.ts';
import { usageFault } from '../terminal/failure.ts';
import { existingAccount } from './accounts.ts';
import type { Database } from './database.ts';

type Options = {
  about: string;
  account?: string;
  /** How far back, in milliseconds. */
  since?: number;
};

/** Views in one report. */
const VIEWS_MAX = 10_000;

type View = {
  at: string;
  account_id: string;
  environment: string;
  event_id: unknown;
  part: unknown;
  way: unknown;
  actor: string | undefined;
  user: string | undefined;
  member_id: string | undefined;
  token_id: string | undefined;
  source_ip: string | undefined;
};

/** @throws Failure for a sender that is neither an address nor a domain */
export async function accessReport(
  database: Database,
  { about, account, since }: Options,
): Promise<{ about: string; accounts_without_record: string[]; views: View[]; is_cut: boolean }> {
  const terms = searchedTerms({ sender: about });
  if (terms === undefined || !terms.every((term) => term.includes('@')))
    throw usageFault('--about needs an email address or a domain, such as ann@partner.example');
  const { stores } = database;
  const accounts = account
    ? [await existingAccount(database, account)]
    : await stores.accounts.list();
  const from = since === undefined ? new Date(0) : new Date(Date.now() - since);
  const views: View[] = [];
  const found = async function* viewsOfAll(of: readonly string[]) {
    for (const { id: account_id } of accounts)
      for (const environment of Environment.options)
        yield* stores.emailViews.about({ account_id, environment }, of, from);
  };
  for await (const event of found(terms)) if (views.push(viewOf(event)) > VIEWS_MAX) break;
  return {
    about,
    accounts_without_record: accounts
      .filter(({ settings }) => !settings.record_views)
      .map(({ id }) => id),
    views: views.slice(0, VIEWS_MAX),
    is_cut: views.length > VIEWS_MAX,
  };
}

function viewOf(event: UsageEvent): View {
  const { account_id, environment, data, user, member_id, token_id, source_ip } = event;
  const { event_id, part, way } = data;
  const who = { actor: actorOf(event), user, member_id, token_id, source_ip };
  return { at: timestamp(event.timestamp), account_id, environment, event_id, part, way, ...who };
}
