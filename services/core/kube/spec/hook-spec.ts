/** A deciding hook in a resource: `hook` of an InboundAddress, and of the settings of an Account. */
import type { z } from 'zod';

import { Hook } from '../../hook/hook.ts';
import { settingsOf, WebhookUrl } from './spec-fields.ts';

export const HookSpec = settingsOf(Hook).extend({
  url: WebhookUrl.describe('publicly reachable HTTPS URL that is asked'),
});
export type HookSpec = z.infer<typeof HookSpec>;
