/** How long an address, or the account for all of them, stores emails and what records show. */
import type { Address } from '../../../core/api/api-types.generated.ts';
import { NumberField, SelectField } from '../../parts/forms/form-fields.tsx';
import type { Form } from '../../parts/forms/use-form.ts';
import { addressText } from '../../strings/addresses.ts';

type Content = Pick<Address, 'retention_hours' | 'redact'>;
type Redaction = keyof typeof addressText.redactions;
type ContentValues = { retention_hours: string; redact: Redaction };

const REDACTIONS: Record<Redaction, Content['redact']> = {
  account: null,
  nothing: [],
  subject: ['subject'],
  from: ['from'],
  both: ['subject', 'from'],
};
const CHOICES = Object.entries(addressText.redactions) as [Redaction, string][];

const keyOf = (redact: Content['redact']): string => redact?.toSorted().join() ?? 'account';

export const contentValues = ({ retention_hours, redact }: Content): ContentValues => ({
  retention_hours: String(retention_hours ?? ''),
  redact: CHOICES.find(([choice]) => keyOf(REDACTIONS[choice]) === keyOf(redact))?.[0] ?? 'both',
});

export const contentOf = ({ retention_hours, redact }: ContentValues): Content => ({
  retention_hours: retention_hours === '' ? null : Number(retention_hours),
  redact: REDACTIONS[redact],
});

/** @param isAccount the account's own values, which leave nothing to an account */
export const ContentFields = ({
  form,
  isAccount = false,
}: {
  form: Form<ContentValues>;
  isAccount?: boolean;
}) => (
  <div class="field-row">
    <NumberField
      form={form}
      name="retention_hours"
      label={addressText.retention}
      hint={isAccount ? addressText.retentionOfAccountHint : addressText.retentionHint}
      min={0}
    />
    <SelectField
      form={form}
      name="redact"
      label={addressText.redact}
      options={CHOICES.filter(([choice]) => !isAccount || choice !== 'account')}
    />
  </div>
);
