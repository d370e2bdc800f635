/** The deciding hook of an address or of the account, and the form that changes it. */
import { useState } from 'preact/hooks';

import type { Hook } from '../../../core/api/api-types.generated.ts';
import { confirm } from '../../parts/confirm.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import {
  NumberField,
  SelectField,
  SubmitButton,
  TextField,
} from '../../parts/forms/form-fields.tsx';
import { Icon } from '../../parts/icon.tsx';
import { plain } from '../../parts/plain-text.ts';
import { reporting, toast } from '../../parts/toast.tsx';
import { useForm } from '../../parts/forms/use-form.ts';
import { hookText } from '../../strings/hooks.ts';
import { ConditionField } from './condition-field.tsx';

type Props = {
  hook: Hook | null;
  change: (hook: Hook | null) => Promise<void>;
  isReadOnly: boolean;
  /** Asked about email to addresses without their own. */
  isOfAccount?: boolean;
};

const TIMEOUT_MS = 5_000;
const ON_ERRORS = Object.entries(hookText.onErrors) as [Hook['on_error'], string][];

export function HookCard({ hook, change, isReadOnly, isOfAccount = false }: Props) {
  const [isOpen, setOpen] = useState(false);
  const remove = async () => {
    const isConfirmed = await confirm({
      title: hookText.removeTitle,
      text: isOfAccount ? hookText.removeFromAccountText : hookText.removeText,
      action: hookText.remove,
      isDestructive: true,
    });
    if (isConfirmed) await reporting(() => change(null), hookText.removed);
  };
  return (
    <section class="card" aria-labelledby="hook">
      <h2 id="hook">{hookText.title}</h2>
      <p class="hint">{isOfAccount ? hookText.ofAccountHint : hookText.hint}</p>
      {hook ? (
        <HookFacts hook={hook} />
      ) : (
        <p>{isOfAccount ? hookText.noneOfAccount : hookText.none}</p>
      )}
      {!isReadOnly && (
        <div class="buttons">
          <button type="button" onClick={() => setOpen(true)}>
            {hook ? (
              hookText.edit
            ) : (
              <>
                <Icon name="plus" /> {hookText.add}
              </>
            )}
          </button>
          {hook && (
            <button type="button" class="danger" onClick={() => void remove()}>
              {hookText.remove}
            </button>
          )}
        </div>
      )}
      {isOpen && (
        <Dialog
          label={hook ? hookText.edit : hookText.add}
          class="dialog-wide"
          onClose={() => setOpen(false)}
        >
          <HookForm
            hook={hook}
            close={() => setOpen(false)}
            save={async (changed) => {
              await change(changed);
              toast(hookText.saved);
              setOpen(false);
            }}
          />
        </Dialog>
      )}
    </section>
  );
}

const HookFacts = ({
  hook: { url, when, timeout_ms: timeoutMs, on_error: onError },
}: {
  hook: Hook;
}) => (
  <>
    <p class="hook-url">{plain(url)}</p>
    <p class="hint">
      {when === null ? hookText.all : hookText.some} {when !== null && <code>{plain(when)}</code>}
    </p>
    <p class="hint">
      {hookText.within(timeoutMs)}, {hookText.otherwise[onError]}
    </p>
  </>
);

type FormProps = { hook: Hook | null; save: (hook: Hook) => Promise<void>; close: () => void };

function HookForm({ hook, save, close }: FormProps) {
  const form = useForm(
    {
      url: hook?.url ?? '',
      when: hook?.when ?? '',
      timeout_ms: String(hook?.timeout_ms ?? TIMEOUT_MS),
      on_error: hook?.on_error ?? 'defer',
    },
    ({ url, when, timeout_ms: timeout, on_error }) =>
      save({
        url: url.trim(),
        when: when.trim() || null,
        timeout_ms: Number(timeout),
        on_error,
      }),
  );
  return (
    <form class="form" onSubmit={form.onSubmit}>
      <h2>{hook ? hookText.edit : hookText.add}</h2>
      <TextField
        form={form}
        name="url"
        label={hookText.url}
        hint={hookText.urlHint}
        type="url"
        required
        autoFocus
        placeholder={hookText.urlPlaceholder}
      />
      <ConditionField form={form} label={hookText.when} whenNone="" />
      <NumberField
        form={form}
        name="timeout_ms"
        label={hookText.timeout}
        hint={hookText.timeoutHint}
        min={100}
        max={10_000}
        required
      />
      <SelectField form={form} name="on_error" label={hookText.onError} options={ON_ERRORS} />
      <SubmitButton form={form} label={hookText.submit} close={close} />
    </form>
  );
}
