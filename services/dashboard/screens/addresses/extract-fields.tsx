/** What Inlet reads from the emails of an address or receiver, in addition to their parts. */
import type { PayloadSettings } from '../../../core/api/api-types.generated.ts';
import { FieldError } from '../../parts/field.tsx';
import type { Form } from '../../parts/forms/use-form.ts';
import { addressText } from '../../strings/addresses.ts';

type Extraction = PayloadSettings['extract'][number];

const CHOICES = Object.entries(addressText.extractions) as [Extraction, string][];

export function ExtractFields({ form }: { form: Form<Pick<PayloadSettings, 'extract'>> }) {
  const { extract } = form.values;
  const choose = (name: Extraction, isAsked: boolean) => {
    const others = extract.filter((one) => one !== name);
    form.set('extract', isAsked ? [...others, name] : others);
  };
  return (
    <fieldset name="extract">
      <legend>{addressText.extract}</legend>
      <div class="check-grid">
        {CHOICES.map(([name, label]) => (
          <label key={name} class="check">
            <input
              type="checkbox"
              disabled={form.isReadOnly}
              checked={extract.includes(name)}
              onChange={({ currentTarget }) => choose(name, currentTarget.checked)}
            />
            {label}
          </label>
        ))}
      </div>
      <FieldError error={form.errorOf('extract')} />
    </fieldset>
  );
}
