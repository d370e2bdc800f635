/** Texts of the command palette. */
import type { Permission } from '../../core/api/api-types.generated.ts';
import { screenTitles } from './screens.ts';

type Action = { label: string; words: string; to: string; needs: Permission };

export const paletteText = {
  placeholder: 'Search actions, screens, addresses and docs',
  docs: 'Docs',
  address: 'Address',
  mail: 'Mail',
  searchMail: (text: string) => `Search mail for ${text}`,
  reference: 'API reference',
  schemeWords: 'theme mode appearance dark light',
  actions: [
    {
      label: screenTitles.addressCreate,
      words: 'create add',
      to: '/addresses?new=1',
      needs: 'addresses:write',
    },
    {
      label: 'New token',
      words: 'create add api key',
      to: '/tokens?new=1',
      needs: 'tokens:write',
    },
    {
      label: 'Add a domain',
      words: 'new create dns mx',
      to: '/domains',
      needs: 'domains:write',
    },
    {
      label: 'New notification',
      words: 'create add alert',
      to: '/notifications?new=1',
      needs: 'account:write',
    },
    {
      label: 'Failed emails',
      words: 'errors problems',
      to: '/mail?status=failed',
      needs: 'deliveries:read',
    },
    {
      label: 'Receivers that fail',
      words: 'errors problems addresses',
      to: '/addresses?has_failed=true',
      needs: 'addresses:read',
    },
    {
      label: 'Settings of the account',
      words: 'name company time zone retries retention malware',
      to: '/account',
      needs: 'account:write',
    },
    {
      label: 'Invoices',
      words: 'billing plan costs',
      to: '/usage',
      needs: 'usage:read',
    },
  ] satisfies Action[],
};
