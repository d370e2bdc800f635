/** The indexes of everything that reconcilers read and write. */
import { INDEXES } from '../../adapters/mongo/stores.ts';

const { accounts, addresses, buckets, domains, events } = INDEXES;
const { knownAuthors, members, notifications, receivers, senderLists, tokens, usage } = INDEXES;

export const RECONCILED_INDEXES = [
  accounts,
  addresses,
  buckets,
  domains,
  events,
  knownAuthors,
  members,
  notifications,
  receivers,
  senderLists,
  tokens,
  usage,
];
