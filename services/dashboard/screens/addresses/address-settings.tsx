/** What a user can change about an address. */
import { useState } from 'preact/hooks';

import { call } from '../../client/api.ts';
import type { Address } from '../../../core/api/api-types.generated.ts';
import { Field } from '../../parts/field.tsx';
import { toast } from '../../parts/toast.tsx';
import { useForm } from '../../parts/use-form.ts';
import { addressText } from '../../strings/addresses.ts';
import { AttachmentMode } from './attachment-mode.tsx';
import { type Content, ContentFields } from './content-fields.tsx';

type Props = { address: Address; show: (changed: Address) => void; isReadOnly: boolean };

export function AddressSettings({ address, show, isReadOnly }: Props) {
  const [webhookUrl, setWebhookUrl] = useState(address.webhook_url);
  const [description, setDescription] = useState(address.description ?? '');
  const [spamLimit, setSpamLimit] = useState(String(address.spam_refuse_above ?? ''));
  const [payload, setPayload] = useState(address.payload);
  const [content, setContent] = useState<Content>({
    retention_hours: address.retention_hours,
    redact: address.redact,
  });
  const { errorOf, isBusy, onSubmit } = useForm(
    ['webhook_url', 'description', 'spam_refuse_above', 'retention_hours', 'redact'],
    async () => {
      const changed = await call('PATCH /addresses/{address_id}', {
        params: { address_id: address.id },
        body: {
          webhook_url: webhookUrl.trim(),
          description: description.trim() === '' ? null : description.trim(),
          spam_refuse_above: spamLimit.trim() === '' ? null : Number(spamLimit),
          payload,
          ...content,
        },
      });
      toast(addressText.saved);
      show(changed);
    },
  );
  return (
    <form class="card form" aria-labelledby="address-settings" onSubmit={onSubmit}>
      <h2 id="address-settings">{addressText.facts}</h2>
      <Field label={addressText.webhookUrl} error={errorOf('webhook_url')}>
        <input
          type="url"
          name="webhook_url"
          required
          readOnly={isReadOnly}
          value={webhookUrl}
          onInput={({ currentTarget }) => setWebhookUrl(currentTarget.value)}
        />
      </Field>
      <Field label={addressText.description} error={errorOf('description')}>
        <input
          name="description"
          dir="auto"
          readOnly={isReadOnly}
          value={description}
          onInput={({ currentTarget }) => setDescription(currentTarget.value)}
        />
      </Field>
      <AttachmentMode payload={payload} change={setPayload} isReadOnly={isReadOnly} />
      <ContentFields
        content={content}
        change={setContent}
        errorOf={errorOf}
        isReadOnly={isReadOnly}
      />
      <Field
        label={addressText.spamRefuse}
        hint={addressText.spamRefuseHint}
        error={errorOf('spam_refuse_above')}
      >
        <input
          type="number"
          step="0.1"
          name="spam_refuse_above"
          readOnly={isReadOnly}
          value={spamLimit}
          onInput={({ currentTarget }) => setSpamLimit(currentTarget.value)}
        />
      </Field>
      {!isReadOnly && (
        <div class="buttons">
          <button type="submit" class="primary" disabled={isBusy}>
            {addressText.save}
          </button>
        </div>
      )}
    </form>
  );
}
