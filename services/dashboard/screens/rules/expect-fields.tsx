/** The email that an address expects, so that its absence is noticed. */
import type { Address } from '../../../core/api/api-types.generated.ts';
import { TextField } from '../../parts/form-fields.tsx';
import type { Form } from '../../parts/use-form.ts';
import { addressText } from '../../strings/addresses.ts';

type Values = ReturnType<typeof expectValues>;

export const expectValues = (expect: Address['expect']) => ({
  expectEvery: expect?.every ?? '',
  expectGrace: expect?.grace ?? '1h',
  expectWhen: expect?.when ?? '',
});

export const expectIn = ({ expectEvery, expectGrace, expectWhen }: Values): Address['expect'] =>
  expectEvery.trim() === ''
    ? null
    : {
        every: expectEvery.trim(),
        grace: expectGrace.trim(),
        when: expectWhen.trim() === '' ? null : expectWhen,
      };

export const ExpectFields = <V extends Values>({ form }: { form: Form<V> }) => (
  <>
    <div class="field-row">
      <TextField
        form={form}
        name="expectEvery"
        label={addressText.expectEvery}
        hint={addressText.expectEveryHint}
        spellcheck={false}
      />
      <TextField
        form={form}
        name="expectGrace"
        label={addressText.expectGrace}
        hint={addressText.expectGraceHint}
        spellcheck={false}
      />
    </div>
    <TextField
      form={form}
      name="expectWhen"
      label={addressText.expectWhen}
      hint={addressText.expectWhenHint}
      spellcheck={false}
    />
  </>
);
