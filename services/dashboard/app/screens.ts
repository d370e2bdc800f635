/** Every screen with its path, its entry in the navigation, and the permission that it needs. */
import type { ComponentType } from 'preact';

import type { Permission } from '../../core/api/api-types.generated.ts';
import type { ScreenProps } from '../browser/router.ts';
import type { IconName } from '../parts/icon.tsx';
import { lazy } from './lazy.tsx';
import { EmailScreen } from '../screens/mail/email.tsx';
import { MailListScreen } from '../screens/mail/mail-list.tsx';
import { OverviewScreen } from '../screens/overview/overview.tsx';
import { screenTitles } from '../strings/screens.ts';
import { shellText } from '../strings/shell.ts';

export type Screen = {
  path: string;
  title: string;
  show: ComponentType<ScreenProps>;
  needs: Permission | undefined;
  /** A session of a limited token does not reach it, although it has the permission. */
  isOfAccount?: true;
  /** A member reaches it without the permission, for what is their own. */
  isOpenToMembers?: true;
  /** Absent for screens that another screen leads to. */
  navigation?: {
    icon: IconName;
    group: keyof typeof shellText.groups;
    key: string;
    /** In the bar of phones. */
    isTab?: true;
  };
};

export const SCREENS: readonly Screen[] = [
  {
    path: '/overview',
    title: screenTitles.overview,
    show: OverviewScreen,
    needs: undefined,
    navigation: { icon: 'overview', group: 'email', key: 'o', isTab: true },
  },
  {
    path: '/mail',
    title: screenTitles.mail,
    show: MailListScreen,
    needs: 'deliveries:read',
    navigation: { icon: 'mail', group: 'email', key: 'm', isTab: true },
  },
  {
    path: '/mail/refused',
    title: screenTitles.refused,
    show: lazy('refusalList'),
    needs: 'deliveries:read',
  },
  {
    path: '/mail/refused/{refusal_id}',
    title: screenTitles.refusal,
    show: lazy('refusalDetail'),
    needs: 'deliveries:read',
  },
  {
    path: '/mail/{event_id}',
    title: screenTitles.email,
    show: EmailScreen,
    needs: 'deliveries:read',
  },
  {
    path: '/activity',
    title: screenTitles.activity,
    show: lazy('activity'),
    needs: 'usage:read',
    navigation: { icon: 'activity', group: 'email', key: 'y', isTab: true },
  },
  {
    path: '/addresses',
    title: screenTitles.addresses,
    show: lazy('addressList'),
    needs: 'addresses:read',
    navigation: { icon: 'address', group: 'receiving', key: 'a', isTab: true },
  },
  {
    path: '/addresses/{address_id}',
    title: screenTitles.address,
    show: lazy('addressDetail'),
    needs: 'addresses:read',
  },
  {
    path: '/addresses/{address_id}/rules',
    title: screenTitles.addressRules,
    show: lazy('addressRules'),
    needs: 'addresses:read',
  },
  {
    path: '/rules',
    title: screenTitles.rules,
    show: lazy('accountRules'),
    needs: 'account:read',
    navigation: { icon: 'rules', group: 'receiving', key: 'r' },
  },
  {
    path: '/lists',
    title: screenTitles.lists,
    show: lazy('lists'),
    needs: 'addresses:read',
    isOfAccount: true,
    navigation: { icon: 'list', group: 'receiving', key: 'l' },
  },
  {
    path: '/lists/{list_id}',
    title: screenTitles.list,
    show: lazy('listDetail'),
    needs: 'addresses:read',
    isOfAccount: true,
  },
  {
    path: '/domains',
    title: screenTitles.domains,
    show: lazy('domainList'),
    needs: 'domains:read',
    navigation: { icon: 'domain', group: 'receiving', key: 'd' },
  },
  {
    path: '/domains/{domain_id}',
    title: screenTitles.domain,
    show: lazy('domainDetail'),
    needs: 'domains:read',
  },
  {
    path: '/buckets',
    title: screenTitles.buckets,
    show: lazy('bucketList'),
    needs: 'account:read',
    isOfAccount: true,
    navigation: { icon: 'bucket', group: 'receiving', key: 'b' },
  },
  {
    path: '/buckets/{bucket_id}',
    title: screenTitles.bucket,
    show: lazy('bucketDetail'),
    needs: 'account:read',
    isOfAccount: true,
  },
  {
    path: '/notifications',
    title: screenTitles.notifications,
    show: lazy('notificationList'),
    needs: 'account:read',
    isOfAccount: true,
    navigation: { icon: 'bell', group: 'account', key: 'n' },
  },
  {
    path: '/notifications/{notification_id}',
    title: screenTitles.notification,
    show: lazy('notificationDetail'),
    needs: 'account:read',
    isOfAccount: true,
  },
  {
    path: '/tokens',
    title: screenTitles.tokens,
    show: lazy('tokenList'),
    needs: 'tokens:read',
    isOpenToMembers: true,
    navigation: { icon: 'token', group: 'account', key: 't' },
  },
  {
    path: '/people',
    title: screenTitles.people,
    show: lazy('people'),
    needs: 'tokens:read',
    isOfAccount: true,
    navigation: { icon: 'people', group: 'account', key: 'p' },
  },
  {
    path: '/usage',
    title: screenTitles.usage,
    show: lazy('usage'),
    needs: 'usage:read',
    navigation: { icon: 'usage', group: 'account', key: 'u' },
  },
  {
    path: '/account',
    title: screenTitles.account,
    show: lazy('account'),
    needs: undefined, // everyone may see and end the own session
    navigation: { icon: 'account', group: 'account', key: 'c' },
  },
];
