/** Which files of an email Inlet stores in a bucket of the account. */
import type { PayloadSettings, StorageSettings } from '../../../core/api/api-types.generated.ts';
import { call } from '../../client/api.ts';
import { useResource } from '../../client/resource.ts';
import { Field } from '../../parts/field.tsx';
import { Link } from '../../parts/link.tsx';
import type { Form } from '../../parts/forms/use-form.ts';
import { may } from '../../session/session.ts';
import { storageText } from '../../strings/buckets/storage.ts';

const FILES = Object.entries(storageText.what) as [StorageSettings['what'][number], string][];

/** Null when no file is chosen: nothing would be stored. */
export const storageOf = (storage: PayloadSettings['storage']): PayloadSettings['storage'] =>
  storage && storage.what.length > 0 ? storage : null;

export function StorageFields({ form }: { form: Form<Pick<PayloadSettings, 'storage'>> }) {
  const { storage } = form.values;
  const buckets = useResource('buckets', async (signal) =>
    may('account:read') ? (await call('GET /account/buckets', { signal })).data : [],
  );
  const names = new Set(buckets.data?.map(({ name }) => name));
  if (storage) names.add(storage.bucket); // also one that is removed, or that is not shown
  const choose = (bucket: string) =>
    form.set(
      'storage',
      bucket === '' ? null : { what: ['attachments'], link_hours: null, ...storage, bucket },
    );
  const change = (changes: Partial<StorageSettings>) =>
    form.set('storage', { ...storage, ...changes });
  return (
    <>
      {names.size === 0 && buckets.data !== undefined && (
        <p class="hint">
          {storageText.noBuckets}{' '}
          {may('account:write') && <Link to="/buckets?new=1">{storageText.addOne}</Link>}
        </p>
      )}
      {names.size > 0 && (
        <Field label={storageText.title} error={form.errorOf('storage')}>
          <select
            name="storage"
            disabled={form.isReadOnly}
            value={storage?.bucket ?? ''}
            onChange={({ currentTarget }) => choose(currentTarget.value)}
          >
            <option value="">{storageText.none}</option>
            {[...names].toSorted().map((name) => (
              <option key={name} value={name}>
                {name}
              </option>
            ))}
          </select>
        </Field>
      )}
      {storage && <StoredFiles storage={storage} change={change} isReadOnly={form.isReadOnly} />}
    </>
  );
}

type StoredProps = {
  storage: StorageSettings;
  change: (changes: Partial<StorageSettings>) => void;
  isReadOnly: boolean;
};

const StoredFiles = ({ storage: { what, link_hours }, change, isReadOnly }: StoredProps) => (
  <>
    <fieldset>
      <legend>{storageText.stored}</legend>
      <div class="check-grid">
        {FILES.map(([file, label]) => (
          <label key={file} class="check">
            <input
              type="checkbox"
              disabled={isReadOnly}
              checked={what.includes(file)}
              onChange={({ currentTarget }) =>
                change({
                  what: [
                    ...what.filter((one) => one !== file),
                    ...(currentTarget.checked ? [file] : []),
                  ],
                })
              }
            />
            {label}
          </label>
        ))}
      </div>
    </fieldset>
    <Field label={storageText.linkHours} hint={storageText.linkHoursHint}>
      <input
        type="number"
        min={1}
        max={168}
        readOnly={isReadOnly}
        value={link_hours ?? ''}
        onInput={({ currentTarget: { value } }) =>
          change({ link_hours: value === '' ? null : Number(value) })
        }
      />
    </Field>
  </>
);
