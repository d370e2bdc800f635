/** The screens that are not loaded with the page (see lazy.tsx), by the names of their titles. */
import { AccountScreen } from '../screens/account/account.tsx';
import { ActivityScreen } from '../screens/activity/activity.tsx';
import { AddressDetailScreen } from '../screens/addresses/address-detail.tsx';
import { AddressListScreen } from '../screens/addresses/address-list.tsx';
import { BucketDetailScreen, BucketListScreen } from '../screens/buckets/buckets.tsx';
import { DomainDetailScreen } from '../screens/domains/domain-detail.tsx';
import { DomainListScreen } from '../screens/domains/domain-list.tsx';
import { ListDetailScreen, ListsScreen } from '../screens/lists/lists.tsx';
import {
  NotificationDetailScreen,
  NotificationListScreen,
} from '../screens/notifications/notifications.tsx';
import { PeopleScreen } from '../screens/people/people.tsx';
import { RefusalDetailScreen } from '../screens/refusals/refusal-detail.tsx';
import { RefusalListScreen } from '../screens/refusals/refusal-list.tsx';
import { AccountRulesScreen } from '../screens/rules/account-rules.tsx';
import { AddressRulesScreen } from '../screens/rules/address-rules.tsx';
import { TokenListScreen } from '../screens/tokens/token-list.tsx';
import { UsageScreen } from '../screens/usage/usage.tsx';

export const FURTHER_SCREENS = {
  account: AccountScreen,
  activity: ActivityScreen,
  address: AddressDetailScreen,
  addresses: AddressListScreen,
  bucket: BucketDetailScreen,
  buckets: BucketListScreen,
  domain: DomainDetailScreen,
  domains: DomainListScreen,
  list: ListDetailScreen,
  lists: ListsScreen,
  rules: AccountRulesScreen,
  addressRules: AddressRulesScreen,
  notification: NotificationDetailScreen,
  notifications: NotificationListScreen,
  people: PeopleScreen,
  refusal: RefusalDetailScreen,
  refused: RefusalListScreen,
  tokens: TokenListScreen,
  usage: UsageScreen,
};
export type FurtherScreens = typeof FURTHER_SCREENS;
