/** Every screen with its path, its entry in the navigation, and the permission that it needs. */
import type { ComponentType } from 'preact';

import type { Permission } from '../../core/api/api-types.generated.ts';
import type { ScreenProps } from '../browser/router.ts';
import type { IconName } from '../parts/icon.tsx';
import type { FurtherScreens } from './further-screens.ts';
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

/** The screens that are loaded with the page. */
const FIRST = { overview: OverviewScreen, mail: MailListScreen, email: EmailScreen };

type Name = keyof typeof FIRST | keyof FurtherScreens;

const isFirst = (name: Name): name is keyof typeof FIRST => name in FIRST;

const ENTRIES: Readonly<Record<Name, Omit<Screen, 'title' | 'show'>>> = {
  overview: {
    path: '/overview',
    needs: undefined,
    navigation: { icon: 'overview', group: 'email', key: 'o', isTab: true },
  },
  mail: {
    path: '/mail',
    needs: 'deliveries:read',
    navigation: { icon: 'mail', group: 'email', key: 'm', isTab: true },
  },
  refused: { path: '/mail/refused', needs: 'deliveries:read' },
  refusal: { path: '/mail/refused/{refusal_id}', needs: 'deliveries:read' },
  email: { path: '/mail/{event_id}', needs: 'deliveries:read' },
  activity: {
    path: '/activity',
    needs: 'usage:read',
    navigation: { icon: 'activity', group: 'email', key: 'y', isTab: true },
  },
  addresses: {
    path: '/addresses',
    needs: 'addresses:read',
    navigation: { icon: 'address', group: 'receiving', key: 'a', isTab: true },
  },
  address: { path: '/addresses/{address_id}', needs: 'addresses:read' },
  addressRules: { path: '/addresses/{address_id}/rules', needs: 'addresses:read' },
  rules: {
    path: '/rules',
    needs: 'account:read',
    navigation: { icon: 'rules', group: 'receiving', key: 'r' },
  },
  lists: {
    path: '/lists',
    needs: 'addresses:read',
    isOfAccount: true,
    navigation: { icon: 'list', group: 'receiving', key: 'l' },
  },
  list: { path: '/lists/{list_id}', needs: 'addresses:read', isOfAccount: true },
  domains: {
    path: '/domains',
    needs: 'domains:read',
    navigation: { icon: 'domain', group: 'receiving', key: 'd' },
  },
  domain: { path: '/domains/{domain_id}', needs: 'domains:read' },
  buckets: {
    path: '/buckets',
    needs: 'account:read',
    isOfAccount: true,
    navigation: { icon: 'bucket', group: 'receiving', key: 'b' },
  },
  bucket: { path: '/buckets/{bucket_id}', needs: 'account:read', isOfAccount: true },
  notifications: {
    path: '/notifications',
    needs: 'account:read',
    isOfAccount: true,
    navigation: { icon: 'bell', group: 'account', key: 'n' },
  },
  notification: {
    path: '/notifications/{notification_id}',
    needs: 'account:read',
    isOfAccount: true,
  },
  tokens: {
    path: '/tokens',
    needs: 'tokens:read',
    isOpenToMembers: true,
    navigation: { icon: 'token', group: 'account', key: 't' },
  },
  people: {
    path: '/people',
    needs: 'tokens:read',
    isOfAccount: true,
    navigation: { icon: 'people', group: 'account', key: 'p' },
  },
  usage: {
    path: '/usage',
    needs: 'usage:read',
    navigation: { icon: 'usage', group: 'account', key: 'u' },
  },
  account: {
    path: '/account',
    needs: undefined, // everyone may see and end the own session
    navigation: { icon: 'account', group: 'account', key: 'c' },
  },
};

/** In the order of the navigation. */
export const SCREENS: readonly Screen[] = (Object.keys(ENTRIES) as Name[]).map((name) => ({
  title: screenTitles[name],
  show: isFirst(name) ? FIRST[name] : lazy(name),
  ...ENTRIES[name],
}));
