/** How long an address, or the account for all of them, stores emails and what records show. */
import type { Address } from '../../../core/api/api-types.generated.ts';
import { Field } from '../../parts/field.tsx';
import { addressText } from '../../strings/addresses.ts';

export type Content = Pick<Address, 'retention_hours' | 'redact'>;

type Props = {
  content: Content;
  change: (content: Content) => void;
  errorOf: (field: string) => string | undefined;
  isReadOnly?: boolean;
  /** The account's own values, which leave nothing to an account. */
  isAccount?: boolean;
};

const REDACTIONS: Record<keyof typeof addressText.redactions, Content['redact']> = {
  account: null,
  nothing: [],
  subject: ['subject'],
  from: ['from'],
  both: ['subject', 'from'],
};
type Redaction = keyof typeof REDACTIONS;
const CHOICES = Object.entries(addressText.redactions) as [Redaction, string][];

const keyOf = (redact: Content['redact']): string => redact?.toSorted().join() ?? 'account';
const redactionOf = (redact: Content['redact']): Redaction =>
  CHOICES.find(([choice]) => keyOf(REDACTIONS[choice]) === keyOf(redact))?.[0] ?? 'both';

export const ContentFields = ({
  content,
  change,
  errorOf,
  isReadOnly = false,
  isAccount = false,
}: Props) => (
  <div class="field-row">
    <Field
      label={addressText.retention}
      hint={isAccount ? addressText.retentionOfAccountHint : addressText.retentionHint}
      error={errorOf('retention_hours')}
    >
      <input
        type="number"
        name="retention_hours"
        min={0}
        readOnly={isReadOnly}
        value={content.retention_hours ?? ''}
        onInput={({ currentTarget: { value } }) =>
          change({ ...content, retention_hours: value === '' ? null : Number(value) })
        }
      />
    </Field>
    <Field label={addressText.redact} error={errorOf('redact')}>
      <select
        name="redact"
        value={redactionOf(content.redact)}
        disabled={isReadOnly}
        onChange={({ currentTarget }) =>
          change({ ...content, redact: REDACTIONS[currentTarget.value as Redaction] })
        }
      >
        {CHOICES.filter(([choice]) => !isAccount || choice !== 'account').map(([choice, label]) => (
          <option key={choice} value={choice}>
            {label}
          </option>
        ))}
      </select>
    </Field>
  </div>
);
