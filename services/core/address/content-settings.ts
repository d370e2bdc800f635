/**
 * How long the content of a delivered email is stored, and which of its fields stay out of records
 * and events (D44): settings of an address, or of its account.
 */
import { z } from 'zod';

const RETENTION_MAX_HOURS = 8760;

/** null leaves the choice to the account, and then to the installation. */
export const RetentionHours = z.int().min(0).max(RETENTION_MAX_HOURS).nullable();

const REDACTABLE = ['subject', 'from'] as const;
export type Redactable = (typeof REDACTABLE)[number];
export const Redact = z.array(z.enum(REDACTABLE)).max(REDACTABLE.length);

/** The settings of an address, or of its account. */
type ContentSettings = {
  retention_hours?: number | null | undefined;
  redact?: readonly Redactable[] | null | undefined;
};

/**
 * Receivers download linked files after the delivery. So an address with links cannot ask for 0
 * hours, and from its account it inherits at least one.
 */
const LINKED_MIN_HOURS = 1;

type Payload = { attachments?: string | undefined; raw?: boolean | undefined };
/** Also for a payload that was not validated, such as null. */
export const hasLinks = (payload: Payload | null | undefined): boolean =>
  payload?.attachments === 'url' || payload?.raw === true;

export const retentionContradicts = (
  retention_hours: number | null | undefined,
  payload: Payload | null | undefined,
): boolean => retention_hours === 0 && hasLinks(payload);

type Links = { retention_hours?: number | null | undefined; payload?: Payload | undefined };
export const contradictsAfter = (address: Links, change: Links): boolean =>
  retentionContradicts(
    change.retention_hours === undefined ? address.retention_hours : change.retention_hours,
    { ...address.payload, ...change.payload },
  );

/** Undefined when only the retention of the installation applies. */
export function retentionOf(
  address: ContentSettings & { payload?: Payload | undefined },
  account: ContentSettings | undefined,
): number | undefined {
  const hours = address.retention_hours ?? account?.retention_hours ?? undefined;
  return hours !== undefined && hasLinks(address.payload)
    ? Math.max(hours, LINKED_MIN_HOURS)
    : hours;
}

export const redactedFields = (
  address: ContentSettings,
  account: ContentSettings | undefined,
): readonly Redactable[] => address.redact ?? account?.redact ?? [];
