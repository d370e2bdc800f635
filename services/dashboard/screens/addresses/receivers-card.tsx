/** The receivers of an address: list, add, edit, test, and their secrets. The first one is part of it. */
import { useState } from 'preact/hooks';

import { call } from '../../client/api.ts';
import type {
  Address,
  Receiver,
  ReceiverWithSecret,
  WebhookTest,
} from '../../../core/api/api-types.generated.ts';
import { type Resource, useResource } from '../../client/resource.ts';
import { may } from '../../session/session.ts';
import { confirm } from '../../parts/confirm.tsx';
import { Copyable } from '../../parts/copy.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { Icon } from '../../parts/icon.tsx';
import { plain } from '../../parts/plain-text.ts';
import { Status } from '../../parts/status.tsx';
import { now, Time } from '../../parts/time.tsx';
import { reporting } from '../../parts/toast.tsx';
import { ManagedNotice } from '../../parts/resource/managed-notice.tsx';
import { addressText } from '../../strings/addresses.ts';
import { receiverText } from '../../strings/receivers.ts';
import { authSummary } from './auth-fields.tsx';
import { ReceiverForm } from './receiver-form.tsx';
import { TestResult } from './receiver-test.tsx';

/** The most further receivers of one address. The API refuses more. */
const MOST = 10;
const ONE = '/addresses/{address_id}/receivers/{receiver_id}';

type Open = { form: Receiver | 'new' } | Shown | WebhookTest | undefined;
type List = Resource<{ data: Receiver[] }>;

export function ReceiversCard({ address }: { address: Address }) {
  const { id: addressId, updated_at } = address;
  const list: List = useResource(`receivers of ${addressId} ${updated_at}`, (signal) =>
    call('GET /addresses/{address_id}/receivers', { params: { address_id: addressId }, signal }),
  );
  const [open, setOpen] = useState<Open>();
  const receivers = list.data?.data ?? [];
  const isFull = receivers.length > MOST;
  const mayWrite = may('addresses:write');
  const close = () => setOpen(undefined);
  return (
    <section class="card" aria-labelledby="receivers">
      <div class="card-head">
        <h2 id="receivers">{receiverText.title}</h2>
        {mayWrite && !isFull && (
          <button type="button" onClick={() => setOpen({ form: 'new' })}>
            <Icon name="plus" /> {receiverText.add}
          </button>
        )}
      </div>
      {receivers.length > 0 && (
        <ul class="receivers">
          {receivers.map((receiver) => (
            <Row key={receiver.id} {...{ receiver, setOpen, mayWrite }} reload={list.reload} />
          ))}
        </ul>
      )}
      {isFull && <p class="hint">{receiverText.full(MOST)}</p>}
      {open && 'form' in open && (
        <Dialog
          label={open.form === 'new' ? receiverText.add : receiverText.editTitle}
          class="dialog-wide"
          onClose={close}
        >
          <ReceiverForm
            addressId={addressId}
            receiver={open.form === 'new' ? undefined : open.form}
            close={close}
            saved={(made) => {
              list.reload();
              setOpen(made && shown(made));
            }}
          />
        </Dialog>
      )}
      {open && 'text' in open && <ShownKey {...open} close={close} />}
      {open && 'outcome' in open && (
        <Dialog label={receiverText.tested} onClose={close}>
          <h2>{receiverText.tested}</h2>
          <TestResult result={open} />
          <Done close={close} />
        </Dialog>
      )}
    </section>
  );
}

/** What the receiver verifies webhooks with. */
type Shown = { text: string; isPublic: boolean };

const shown = ({ webhook_secret, public_key }: Verifying): Shown => ({
  text: public_key ?? webhook_secret ?? '',
  isPublic: public_key !== null,
});
type Verifying = Pick<ReceiverWithSecret, 'public_key' | 'webhook_secret'>;

const ShownKey = ({ text, isPublic, close }: Shown & { close: () => void }) => (
  <Dialog label={isPublic ? receiverText.publicKey : receiverText.secret} onClose={close}>
    <h2>{isPublic ? receiverText.publicKey : receiverText.secret}</h2>
    <p>{isPublic ? receiverText.publicKeyText : receiverText.secretText}</p>
    <Copyable text={text} what={isPublic ? receiverText.publicKey : receiverText.secret} />
    <Done close={close} />
  </Dialog>
);

const Done = ({ close }: { close: () => void }) => (
  <div class="buttons">
    <button type="button" class="primary" onClick={close}>
      {receiverText.done}
    </button>
  </div>
);

/** It is a part of the address: it cannot be deleted, and needs no URL. */
const isFirst = ({ id, address_id }: Pick<Receiver, 'id' | 'address_id'>): boolean =>
  id === address_id;

/** Where its emails go. */
const nameOf = ({ mode, url }: Pick<Receiver, 'mode' | 'url'>): string => {
  if (mode === 'pull') return receiverText.asks;
  return url === null ? addressText.noUrl : plain(url);
};

type RowProps = {
  receiver: Receiver;
  setOpen: (open: Open) => void;
  reload: () => void;
  mayWrite: boolean;
};

const Row = ({ receiver, setOpen, reload, mayWrite }: RowProps) => (
  <li>
    <div class="receiver">
      <p>
        <strong>{nameOf(receiver)}</strong> <ReceiverStatus of={receiver} />
      </p>
      <p class="soft" dir="auto">
        {[
          isFirst(receiver) ? receiverText.first : plain(receiver.description ?? ''),
          receiver.format !== 'inlet' && receiverText.formats[receiver.format],
          receiver.auth && `${receiverText.authenticates} ${plain(authSummary(receiver.auth))}`,
        ]
          .filter(Boolean)
          .join(' · ')}
      </p>
      {receiver.mode === 'pull' && (
        <p class="soft">
          {receiver.last_pulled_at ? (
            <>
              {receiverText.lastPulled} <Time at={receiver.last_pulled_at} as="relative" />
            </>
          ) : (
            receiverText.neverPulled
          )}
        </p>
      )}
      {receiver.when !== null && (
        <p class="soft">
          {receiverText.onlyWhen} <code>{plain(receiver.when)}</code>
        </p>
      )}
      {receiver.failing_since && (
        <p class="soft">
          {receiver.failing_reason && `${addressText.failingReason[receiver.failing_reason]} `}
          {receiverText.failingSince} <Time at={receiver.failing_since} as="full" />
        </p>
      )}
      <Overlap until={receiver.former_secrets_valid_until} />
      <ManagedNotice manager={receiver.managed_by} isHint />
    </div>
    <Actions {...{ receiver, setOpen, reload, mayWrite }} />
  </li>
);

/** Counts down to the end of the last rotation's overlap. */
const Overlap = ({ until }: { until: string | null }) =>
  until !== null &&
  new Date(until) > now.value && (
    <p class="soft">
      {receiverText.overlap} <Time at={until} as="relative" />.
    </p>
  );

/** Whether it works. */
function ReceiverStatus({ of: receiver }: { of: Receiver }) {
  const { is_enabled, is_failing, failing_since, mode, url } = receiver;
  if (!is_enabled) return <Status tone="plain" text={receiverText.disabled} />;
  if (is_failing) return <Status tone="bad" text={receiverText.failing} />;
  if (failing_since) return <Status tone="wait" text={addressText.hasFailed} />;
  return url === null && mode === 'push' ? null : (
    <Status tone="good" text={receiverText.enabled} />
  );
}

function Actions({ receiver, setOpen, reload, mayWrite }: RowProps) {
  const params = { address_id: receiver.address_id, receiver_id: receiver.id };
  const { public_key } = receiver;
  const texts = public_key === null ? receiverText.ofSecret : receiverText.ofKey;
  const showKey = () =>
    reporting(async () => {
      const secret = public_key === null && (await call(`GET ${ONE}/secret`, { params }));
      setOpen(shown({ public_key, webhook_secret: secret ? secret.webhook_secret : null }));
    });
  const rotate = async () => {
    const { rotateTitle: title, rotateText: text, rotate: action } = texts;
    if (!(await confirm({ title, text, action, isDestructive: true }))) return;
    await reporting(async () => {
      setOpen(shown(await call(`POST ${ONE}/rotate-secret`, { params })));
      reload();
    });
  };
  const test = () =>
    reporting(async () => {
      setOpen(await call(`POST ${ONE}/test`, { params }));
    });
  const setEnabled = async (is_enabled: boolean) => {
    const done = is_enabled ? receiverText.enabledNow : receiverText.disabledNow;
    await reporting(() => call(`PATCH ${ONE}`, { params, body: { is_enabled } }), done);
    reload();
  };
  const remove = async () => {
    const isConfirmed = await confirm({
      title: receiverText.removeTitle,
      text: receiverText.removeText(nameOf(receiver)),
      action: receiverText.remove,
      isDestructive: true,
    });
    if (!isConfirmed) return;
    if (await reporting(() => call(`DELETE ${ONE}`, { params }), receiverText.removed)) reload();
  };
  const sendsNowhere = receiver.mode === 'push' && receiver.url === null;
  const button = (label: string, action: () => unknown) => (
    <button type="button" onClick={() => void action()}>
      {label}{' '}
      <span class="visually-hidden">{sendsNowhere ? receiverText.first : nameOf(receiver)}</span>
    </button>
  );
  const mayChange = mayWrite && receiver.managed_by === null;
  return (
    <div class="buttons">
      {mayChange && button(receiverText.edit, () => setOpen({ form: receiver }))}
      {mayWrite &&
        receiver.mode === 'push' &&
        receiver.url !== null &&
        button(receiverText.test, test)}
      {mayChange &&
        button(receiver.is_enabled ? receiverText.disable : receiverText.enable, () =>
          setEnabled(!receiver.is_enabled),
        )}
      {(public_key !== null || may('secrets:read')) && button(texts.show, showKey)}
      {mayChange && button(texts.rotate, rotate)}
      {mayChange && !isFirst(receiver) && button(receiverText.remove, remove)}
    </div>
  );
}
