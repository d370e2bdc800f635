/** The email that an address expects, so that its absence is noticed. Its controls have the paths of the API. */
import type { Address } from '../../../core/api/api-types.generated.ts';
import { TextField } from '../../parts/forms/form-fields.tsx';
import type { Form } from '../../parts/forms/use-form.ts';
import { addressText } from '../../strings/addresses.ts';

type Values = ReturnType<typeof expectValues>;

export const expectValues = (expect: Address['expect']) => ({
  'expect.every': expect?.every ?? '',
  'expect.grace': expect?.grace ?? '1h',
  'expect.when': expect?.when ?? '',
});

export const expectIn = ({
  'expect.every': every,
  'expect.grace': grace,
  'expect.when': when,
}: Values): Address['expect'] =>
  every.trim() === ''
    ? null
    : { every: every.trim(), grace: grace.trim(), when: when.trim() === '' ? null : when };

export const ExpectFields = ({ form }: { form: Form<Values> }) => (
  <>
    <div class="field-row">
      <TextField
        form={form}
        name="expect.every"
        label={addressText.expectEvery}
        hint={addressText.expectEveryHint}
        spellcheck={false}
      />
      <TextField
        form={form}
        name="expect.grace"
        label={addressText.expectGrace}
        hint={addressText.expectGraceHint}
        spellcheck={false}
      />
    </div>
    <TextField
      form={form}
      name="expect.when"
      label={addressText.expectWhen}
      hint={addressText.expectWhenHint}
      spellcheck={false}
    />
  </>
);
