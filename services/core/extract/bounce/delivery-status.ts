/**
 * The standard form of a bounce: the part message/delivery-status (RFC 3464), and
 * message/global-delivery-status for addresses in Unicode (RFC 6533).
 */
import {
  reportedAddress,
  type FieldGroup,
  fieldGroups,
  fieldOf,
  withoutType,
} from './report-fields.ts';
import { type BouncedRecipient, recipientOf } from './bounced-recipient.ts';

type DeliveryStatus = { recipients: BouncedRecipient[]; originalRecipient: string | undefined };

/** No recipients for text of another form. */
export function deliveryStatus(text: string): DeliveryStatus {
  const groups = fieldGroups(text).filter(
    (group) => group.has('final-recipient') || group.has('action'),
  );
  return {
    recipients: groups.flatMap((group) => reportedRecipient(group) ?? []),
    originalRecipient: groups
      .map((group) => addressIn(group, 'original-recipient'))
      .find((address) => address !== undefined),
  };
}

const ACTIONS = ['failed', 'delayed', 'delivered', 'relayed', 'expanded'] as const;

function reportedRecipient(group: FieldGroup): BouncedRecipient | undefined {
  const address = addressIn(group, 'final-recipient') ?? addressIn(group, 'original-recipient');
  if (address === undefined) return undefined;
  const named = fieldOf(group, 'action')?.toLowerCase() ?? '';
  return recipientOf({
    address,
    action: ACTIONS.find((action) => named.startsWith(action)),
    status: fieldOf(group, 'status'),
    diagnostic: withoutType(fieldOf(group, 'diagnostic-code') ?? ''),
  });
}

function addressIn(group: FieldGroup, name: string): string | undefined {
  const value = fieldOf(group, name);
  if (value === undefined) return undefined;
  const type = value
    .slice(0, Math.max(0, value.indexOf(';')))
    .trim()
    .toLowerCase();
  const text = withoutType(value);
  if (type === 'utf-8') return reportedAddress(withoutUnitext(text));
  return reportedAddress(name === 'original-recipient' ? withoutXtext(text) : text);
}

/** RFC 3461 §4: a byte as `+2B`. Programs write some other `+` as they are. */
const withoutXtext = (text: string): string =>
  text.replace(/\+([0-9A-F]{2})/g, (_, hex: string) =>
    String.fromCharCode(Number.parseInt(hex, 16)),
  );

/** RFC 6533 §3: a character as `\x{C3}`. */
const withoutUnitext = (text: string): string =>
  text.replace(/\\x\{([0-9A-F]{2,6})\}/gi, (whole, hex: string) => {
    const code = Number.parseInt(hex, 16);
    return code <= 0x10ffff ? String.fromCodePoint(code) : whole;
  });
