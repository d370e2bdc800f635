/** The receivers of an address: list, add, edit, test, and their secrets. The first one is part of it. */
import { useState } from 'preact/hooks';

import { call } from '../../client/api.ts';
import type {
  Address,
  Receiver,
  ReceiverWithSecret,
} from '../../../core/api/api-types.generated.ts';
import { type Resource, useResource } from '../../client/resource.ts';
import { may } from '../../session/session.ts';
import { confirm } from '../../parts/confirm.tsx';
import { Copyable } from '../../parts/copy.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { Icon } from '../../parts/icon.tsx';
import { plain } from '../../parts/plain-text.ts';
import { Status } from '../../parts/status.tsx';
import { Time } from '../../parts/time.tsx';
import { reporting, toast } from '../../parts/toast.tsx';
import { ManagedNotice } from '../../parts/resource/managed-notice.tsx';
import { addressText } from '../../strings/addresses.ts';
import { receiverText } from '../../strings/receivers.ts';
import { authSummary } from './auth-fields.tsx';
import { ReceiverForm } from './receiver-form.tsx';

/** The most further receivers of one address. The API refuses more. */
const MOST = 10;
const ONE = '/addresses/{address_id}/receivers/{receiver_id}';

type Open = { form: Receiver | 'new' } | Shown | undefined;
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
      <h2 id="receivers">{receiverText.title}</h2>
      <p class="hint">{receiverText.hint}</p>
      {receivers.length > 0 && (
        <ul class="receivers">
          {receivers.map((receiver) => (
            <Row key={receiver.id} {...{ receiver, setOpen, mayWrite }} reload={list.reload} />
          ))}
        </ul>
      )}
      {mayWrite && !isFull && (
        <button type="button" onClick={() => setOpen({ form: 'new' })}>
          <Icon name="plus" /> {receiverText.add}
        </button>
      )}
      {isFull && <p class="hint">{receiverText.full(MOST)}</p>}
      {open && 'form' in open && (
        <Dialog
          label={open.form === 'new' ? receiverText.add : receiverText.editTitle}
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
    <div class="buttons">
      <button type="button" class="primary" onClick={close}>
        {receiverText.done}
      </button>
    </div>
  </Dialog>
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
    <p>
      <strong>{nameOf(receiver)}</strong>{' '}
      <Status
        tone={receiver.is_enabled ? 'good' : 'plain'}
        text={receiver.is_enabled ? receiverText.enabled : receiverText.disabled}
      />{' '}
      {receiver.is_failing && <Status tone="bad" text={receiverText.failing} />}
    </p>
    {isFirst(receiver) && <p class="hint">{receiverText.first}</p>}
    {receiver.description && !isFirst(receiver) && (
      <p class="soft" dir="auto">
        {plain(receiver.description)}
      </p>
    )}
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
    {receiver.auth && (
      <p class="soft">
        {receiverText.authenticates} {plain(authSummary(receiver.auth))}
      </p>
    )}
    {receiver.failing_since && (
      <p class="soft">
        {receiver.failing_reason && `${addressText.failingReason[receiver.failing_reason]} `}
        {receiverText.failingSince} <Time at={receiver.failing_since} as="relative" />
      </p>
    )}
    <ManagedNotice manager={receiver.managed_by} isHint />
    <Actions {...{ receiver, setOpen, reload, mayWrite }} />
  </li>
);

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
    if (!(await confirm({ title, text, action }))) return;
    await reporting(async () => {
      setOpen(shown(await call(`POST ${ONE}/rotate-secret`, { params })));
      reload();
    });
  };
  const test = () =>
    reporting(async () => {
      const { outcome } = await call(`POST ${ONE}/test`, { params });
      toast(receiverText.tested(addressText.outcome[outcome]));
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
  const hasSecretCard = isFirst(receiver) && public_key === null; // on the same page
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
      {!hasSecretCard &&
        (public_key !== null || may('secrets:read')) &&
        button(texts.show, showKey)}
      {!hasSecretCard && mayChange && button(texts.rotate, rotate)}
      {mayChange && !isFirst(receiver) && button(receiverText.remove, remove)}
    </div>
  );
}
