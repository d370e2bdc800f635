/** Creates an address. Receiver code stands next to the form. */
import { useState } from 'preact/hooks';

import { allPages } from '../../client/all-pages.ts';
import { call } from '../../client/api.ts';
import type {
  CreateAddressRequest,
  PayloadSettings,
} from '../../../core/api/api-types.generated.ts';
import { useResource } from '../../client/resource.ts';
import { go } from '../../browser/router.ts';
import { may } from '../../session/session.ts';
import { Field } from '../../parts/field.tsx';
import { PageHead } from '../../parts/page-head.tsx';
import { toast } from '../../parts/toast.tsx';
import { useForm } from '../../parts/use-form.ts';
import { addressText } from '../../strings/addresses.ts';
import { AttachmentMode } from './attachment-mode.tsx';
import { type Content, ContentFields } from './content-fields.tsx';
import { ReceiverCode } from './receiver-code.tsx';

const FIELDS = [
  'local_part',
  'domain',
  'webhook_url',
  'description',
  'ttl_hours',
  'spam_refuse_above',
  'retention_hours',
  'redact',
];
const DEFAULT_TTL_HOURS = '24';

export function AddressCreateScreen() {
  return (
    <>
      <PageHead title={addressText.create} back={{ to: '/addresses', label: addressText.title }} />
      <div class="columns">
        <CreateForm />
        <ReceiverCode />
      </div>
    </>
  );
}

function CreateForm() {
  const [localPart, setLocalPart] = useState('');
  const [domain, setDomain] = useState('');
  const [webhookUrl, setWebhookUrl] = useState('');
  const [description, setDescription] = useState('');
  const [isPermanent, setIsPermanent] = useState(true);
  const [ttlHours, setTtlHours] = useState(DEFAULT_TTL_HOURS);
  const [spamLimit, setSpamLimit] = useState('');
  const [payload, setPayload] = useState<PayloadSettings>({ attachments: 'inline', raw: false });

  const [content, setContent] = useState<Content>({ retention_hours: null, redact: null });

  const { errorOf, isBusy, onSubmit } = useForm(FIELDS, async () => {
    const body: CreateAddressRequest = {
      webhook_url: webhookUrl.trim(),
      payload,
      ...content,
      ...(localPart.trim() !== '' && { local_part: localPart.trim() }),
      ...(domain !== '' && { domain }),
      ...(description.trim() !== '' && { description: description.trim() }),
      ...(isPermanent
        ? { is_permanent: true }
        : { is_permanent: false, ttl_hours: Number(ttlHours) }),
      ...(spamLimit.trim() !== '' && { spam_refuse_above: Number(spamLimit) }),
    };
    const { id } = await call('POST /addresses', { body });
    toast(addressText.created);
    go(`/addresses/${id}`);
  });

  return (
    <form class="card form" onSubmit={onSubmit}>
      <Field
        label={addressText.webhookUrl}
        hint={addressText.webhookUrlHint}
        error={errorOf('webhook_url')}
      >
        <input
          type="url"
          name="webhook_url"
          required
          autoFocus
          placeholder={addressText.webhookUrlPlaceholder}
          value={webhookUrl}
          onInput={({ currentTarget }) => setWebhookUrl(currentTarget.value)}
        />
      </Field>
      <div class="field-row">
        <Field
          label={addressText.localPart}
          hint={addressText.localPartHint}
          error={errorOf('local_part')}
        >
          <input
            name="local_part"
            autoComplete="off"
            spellcheck={false}
            value={localPart}
            onInput={({ currentTarget }) => setLocalPart(currentTarget.value)}
          />
        </Field>
        <DomainField chosen={domain} choose={setDomain} error={errorOf('domain')} />
      </div>
      <Field label={addressText.description} error={errorOf('description')}>
        <input
          name="description"
          value={description}
          onInput={({ currentTarget }) => setDescription(currentTarget.value)}
        />
      </Field>
      <div class="field-row">
        <Field label={addressText.lifetime}>
          <select
            name="lifetime"
            value={isPermanent ? 'permanent' : 'expiring'}
            onChange={({ currentTarget }) => setIsPermanent(currentTarget.value === 'permanent')}
          >
            <option value="permanent">{addressText.permanent}</option>
            <option value="expiring">{addressText.expiring}</option>
          </select>
        </Field>
        {!isPermanent && (
          <Field
            label={`${addressText.expiresAfter} (${addressText.hours})`}
            error={errorOf('ttl_hours')}
          >
            <input
              type="number"
              name="ttl_hours"
              min={1}
              required
              value={ttlHours}
              onInput={({ currentTarget }) => setTtlHours(currentTarget.value)}
            />
          </Field>
        )}
      </div>
      <AttachmentMode payload={payload} change={setPayload} />
      <ContentFields content={content} change={setContent} errorOf={errorOf} />
      <Field
        label={addressText.spamRefuse}
        hint={addressText.spamRefuseHint}
        error={errorOf('spam_refuse_above')}
      >
        <input
          type="number"
          step="0.1"
          name="spam_refuse_above"
          value={spamLimit}
          onInput={({ currentTarget }) => setSpamLimit(currentTarget.value)}
        />
      </Field>
      <div class="buttons">
        <button type="submit" class="primary" disabled={isBusy}>
          {addressText.submit}
        </button>
      </div>
    </form>
  );
}

type DomainProps = { chosen: string; choose: (domain: string) => void; error: string | undefined };

/** The shared domain and the account's own verified ones. */
function DomainField({ chosen, choose, error }: DomainProps) {
  const { data } = useResource('domains for an address', async (signal) =>
    may('domains:read')
      ? allPages((page) => call('GET /domains', { query: { status: 'verified', ...page }, signal }))
      : [],
  );
  return (
    <Field label={addressText.domain} error={error}>
      <select
        name="domain"
        value={chosen}
        onChange={({ currentTarget }) => choose(currentTarget.value)}
      >
        <option value="">{addressText.sharedDomain}</option>
        {data?.map(({ id, domain, unicode_domain: shown }) => (
          <option key={id} value={domain}>
            {shown}
          </option>
        ))}
      </select>
    </Field>
  );
}
