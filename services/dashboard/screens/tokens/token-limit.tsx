/** Which addresses a token reaches: the fields of the form, and the words of the list. */
import type { CreateTokenRequest, Token } from '../../../core/api/api-types.generated.ts';
import { SelectField, TextField } from '../../parts/forms/form-fields.tsx';
import { labelsIn, labelsText, wordsIn } from '../../parts/labels.ts';
import type { Form } from '../../parts/forms/use-form.ts';
import { tokenText } from '../../strings/tokens.ts';

type Kind = 'none' | 'address_ids' | 'labels';
type LimitValues = { limit: Kind; address_ids: string; labels: string };

export const NO_LIMIT: LimitValues = { limit: 'none', address_ids: '', labels: '' };

/** As the request has them: the API checks each. */
export const limitFields = ({
  limit,
  address_ids,
  labels,
}: LimitValues): Pick<CreateTokenRequest, 'address_ids' | 'labels'> => {
  if (limit === 'address_ids') return { address_ids: wordsIn(address_ids) };
  return limit === 'labels' ? { labels: labelsIn(labels) } : {};
};

export const limitText = ({ address_ids, labels }: Pick<Token, 'address_ids' | 'labels'>): string =>
  address_ids?.join(', ') ?? (labels ? labelsText(labels) : tokenText.unlimited);

export function LimitFields<V extends LimitValues>({ form }: { form: Form<V> }) {
  const kind = form.values.limit;
  return (
    <div class="field-row">
      <SelectField
        form={form}
        name="limit"
        label={tokenText.limit}
        options={[
          ['none', tokenText.limits.none],
          ['address_ids', tokenText.limits.address_ids],
          ['labels', tokenText.limits.labels],
        ]}
      />
      {kind !== 'none' && (
        <TextField
          form={form}
          name={kind}
          label={tokenText.limitValues[kind]}
          placeholder={tokenText.limitPlaceholders[kind]}
          hint={tokenText.limitHint}
          required
        />
      )}
    </div>
  );
}
