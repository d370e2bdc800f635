/** The deciding hook of an address or of the account, and the form that changes it. */
import { useState } from 'preact/hooks';

import type { Hook } from '../../../core/api/api-types.generated.ts';
import { confirm } from '../../parts/confirm.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import {
  type FormField,
  nullableText,
  optionField,
  requiredNumber,
  textField,
} from '../../parts/forms/form-table.tsx';
import { TableForm } from '../../parts/forms/table-form.tsx';
import { Icon } from '../../parts/icon.tsx';
import { plain } from '../../parts/plain-text.ts';
import { reporting } from '../../parts/toast.tsx';
import type { Form } from '../../parts/forms/use-form.ts';
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

const FIELDS = {
  url: textField(
    'url',
    { label: hookText.url, hint: hookText.urlHint },
    { type: 'url', required: true, autoFocus: true, placeholder: hookText.urlPlaceholder },
  ),
  when: {
    ...nullableText('when', { label: hookText.when }),
    Fields: ({ form }: { form: Form<{ when: string }> }) => (
      <ConditionField form={form} label={hookText.when} whenNone="" />
    ),
  },
  timeout_ms: {
    ...requiredNumber(
      'timeout_ms',
      { label: hookText.timeout, hint: hookText.timeoutHint },
      { min: 100, max: 10_000 },
    ),
    isNarrow: false,
  },
  on_error: optionField('on_error', hookText.onError, hookText.onErrors, 'defer'),
} satisfies { [Name in keyof Hook]: FormField<Hook[Name], Hook> };

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
          <TableForm
            table={FIELDS}
            record={hook ?? { timeout_ms: TIMEOUT_MS }}
            title={hook ? hookText.edit : hookText.add}
            submit={hookText.submit}
            saved={hookText.saved}
            isInDialog
            close={() => setOpen(false)}
            send={change}
            show={() => setOpen(false)}
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
