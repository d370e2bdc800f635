/** An entry of the audit trail (spec 2.3, 6.3, D15). */
import type { Environment } from './address.ts';

export type UsageEventType = 'address.failing' | 'address.updated';

export type UsageEvent = {
  id: string;
  account_id: string;
  environment: Environment;
  type: UsageEventType;
  address_id: string;
  timestamp: Date;
  /** What is to be known beside; its fields depend on the type. */
  data: Record<string, unknown>;
};
