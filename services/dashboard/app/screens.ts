/** Every screen with its path, its entry in the navigation, and the permission that it needs. */
import type { ComponentType } from 'preact';

import type { Permission } from '../../core/api/api-types.generated.ts';
import type { ScreenProps } from '../browser/router.ts';
import type { IconName } from '../parts/icon.tsx';
import { EmailScreen } from '../screens/mail/email.tsx';
import { AccountScreen } from '../screens/account/account.tsx';
import { ActivityScreen } from '../screens/activity/activity.tsx';
import { AddressCreateScreen } from '../screens/addresses/address-create.tsx';
import { AddressDetailScreen } from '../screens/addresses/address-detail.tsx';
import { AddressListScreen } from '../screens/addresses/address-list.tsx';
import { DomainDetailScreen } from '../screens/domains/domain-detail.tsx';
import { DomainListScreen } from '../screens/domains/domain-list.tsx';
import { ListDetailScreen } from '../screens/lists/list-detail.tsx';
import { ListsScreen } from '../screens/lists/lists.tsx';
import { MailListScreen } from '../screens/mail/mail-list.tsx';
import { OverviewScreen } from '../screens/overview/overview.tsx';
import { AccountRulesScreen } from '../screens/rules/account-rules.tsx';
import { AddressRulesScreen } from '../screens/rules/address-rules.tsx';
import { TokenListScreen } from '../screens/tokens/token-list.tsx';
import { UsageScreen } from '../screens/usage/usage.tsx';
import { accountText } from '../strings/account.ts';
import { activityText } from '../strings/activity.ts';
import { addressText } from '../strings/addresses.ts';
import { domainText } from '../strings/domains.ts';
import { emailText } from '../strings/mail/email.ts';
import { listText } from '../strings/lists.ts';
import { mailText } from '../strings/mail/mail.ts';
import { overviewText } from '../strings/overview.ts';
import { ruleText } from '../strings/rules.ts';
import { tokenText } from '../strings/tokens.ts';
import { usageText } from '../strings/usage.ts';

export type Screen = {
  path: string;
  title: string;
  show: ComponentType<ScreenProps>;
  needs: Permission | undefined;
  /** A session of a limited token does not reach it, although it has the permission. */
  isOfAccount?: true;
  /** Absent for screens that another screen leads to. */
  navigation?: { icon: IconName; key: string };
};

export const SCREENS: readonly Screen[] = [
  {
    path: '/overview',
    title: overviewText.title,
    show: OverviewScreen,
    needs: undefined,
    navigation: { icon: 'overview', key: 'o' },
  },
  {
    path: '/mail',
    title: mailText.title,
    show: MailListScreen,
    needs: 'deliveries:read',
    navigation: { icon: 'mail', key: 'm' },
  },
  {
    path: '/mail/{event_id}',
    title: emailText.title,
    show: EmailScreen,
    needs: 'deliveries:read',
  },
  {
    path: '/addresses',
    title: addressText.title,
    show: AddressListScreen,
    needs: 'addresses:read',
    navigation: { icon: 'address', key: 'a' },
  },
  {
    path: '/addresses/new',
    title: addressText.create,
    show: AddressCreateScreen,
    needs: 'addresses:write',
  },
  {
    path: '/addresses/{address_id}',
    title: addressText.one,
    show: AddressDetailScreen,
    needs: 'addresses:read',
  },
  {
    path: '/addresses/{address_id}/rules',
    title: ruleText.ofAddress,
    show: AddressRulesScreen,
    needs: 'addresses:read',
  },
  {
    path: '/rules',
    title: ruleText.title,
    show: AccountRulesScreen,
    needs: 'account:read',
    navigation: { icon: 'rules', key: 'r' },
  },
  {
    path: '/lists',
    title: listText.title,
    show: ListsScreen,
    needs: 'addresses:read',
    isOfAccount: true,
    navigation: { icon: 'list', key: 'l' },
  },
  {
    path: '/lists/{list_id}',
    title: listText.one,
    show: ListDetailScreen,
    needs: 'addresses:read',
    isOfAccount: true,
  },
  {
    path: '/domains',
    title: domainText.title,
    show: DomainListScreen,
    needs: 'domains:read',
    navigation: { icon: 'domain', key: 'd' },
  },
  {
    path: '/domains/{domain_id}',
    title: domainText.one,
    show: DomainDetailScreen,
    needs: 'domains:read',
  },
  {
    path: '/tokens',
    title: tokenText.title,
    show: TokenListScreen,
    needs: 'tokens:read',
    navigation: { icon: 'token', key: 't' },
  },
  {
    path: '/usage',
    title: usageText.title,
    show: UsageScreen,
    needs: 'usage:read',
    navigation: { icon: 'usage', key: 'u' },
  },
  {
    path: '/activity',
    title: activityText.title,
    show: ActivityScreen,
    needs: 'usage:read',
    navigation: { icon: 'activity', key: 'y' },
  },
  {
    path: '/account',
    title: accountText.title,
    show: AccountScreen,
    needs: undefined, // everyone may see and end the own session
    navigation: { icon: 'account', key: 'c' },
  },
];
