/** The payload options of an address: how attachments arrive, and the link to the raw email. */
import type { PayloadSettings } from '../../../core/api/api-types.generated.ts';
import { Field } from '../../parts/field.tsx';
import { addressText } from '../../strings/addresses.ts';

type Props = {
  payload: PayloadSettings;
  change: (payload: PayloadSettings) => void;
  isReadOnly?: boolean;
};

const MODES = Object.entries(addressText.attachmentModes);

export const AttachmentMode = ({ payload, change, isReadOnly = false }: Props) => (
  <>
    <Field label={addressText.attachments}>
      <select
        name="attachments"
        value={payload.attachments}
        disabled={isReadOnly}
        onChange={({ currentTarget }) =>
          change({
            ...payload,
            attachments: currentTarget.value as PayloadSettings['attachments'],
          })
        }
      >
        {MODES.map(([mode, label]) => (
          <option key={mode} value={mode}>
            {label}
          </option>
        ))}
      </select>
    </Field>
    <label class="check">
      <input
        type="checkbox"
        name="raw"
        checked={payload.raw}
        disabled={isReadOnly}
        onChange={({ currentTarget }) => change({ ...payload, raw: currentTarget.checked })}
      />
      {addressText.raw}
    </label>
  </>
);
