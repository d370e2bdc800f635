/** Every screen with its path, its entry in the navigation, and the permission that it needs. */
import type { ComponentType } from 'preact';

import type { Permission } from './api-types.golden.ts';
import type { ScreenProps } from './router.ts';
import type { IconName } from '../parts/icon.tsx';
import { EmailScreen } from '../screens/mail/email.tsx';
import { MailListScreen } from '../screens/mail/mail-list.tsx';
import { OverviewScreen } from '../screens/overview/overview.tsx';

export type Screen = {
  path: string;
  title: string;
  show: ComponentType<ScreenProps>;
  needs: Permission | undefined;
  /** Absent for screens that another screen leads to. */
  navigation?: { icon: IconName; key: string };
};

export const SCREENS: readonly Screen[] = [
  {
    path: '/overview',
    title: 'Overview',
    show: OverviewScreen,
    needs: undefined,
    navigation: { icon: 'overview', key: 'o' },
  },
  {
    path: '/mail',
    title: 'Mail',
    show: MailListScreen,
    needs: 'deliveries:read',
    navigation: { icon: 'mail', key: 'm' },
  },
  { path: '/mail/{event_id}', title: 'Email', show: EmailScreen, needs: 'deliveries:read' },
];
