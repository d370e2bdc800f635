/** One address: to whom its email goes, what happens on the way, its keys and settings, and code. */
import { call } from '../../client/api.ts';
import type { Address } from '../../../core/api/api-types.generated.ts';
import { useLive } from '../../session/live.ts';
import { useResource } from '../../client/resource.ts';
import { go, screenUrl, type ScreenProps } from '../../browser/router.ts';
import { may } from '../../session/session.ts';
import { confirm } from '../../parts/confirm.tsx';
import { formatCount } from '../../parts/format.ts';
import { Link } from '../../parts/link.tsx';
import { PageHead } from '../../parts/page-head.tsx';
import { Loaded } from '../../parts/states.tsx';
import { Status } from '../../parts/status.tsx';
import { Time } from '../../parts/time.tsx';
import { reporting, toast } from '../../parts/toast.tsx';
import { ManagedNotice } from '../../parts/resource/managed-notice.tsx';
import { addressText } from '../../strings/addresses.ts';
import { AddressSettings } from './address-settings.tsx';
import { EmailPath } from './email-path.tsx';
import { FailingNotice } from './failing-notice.tsx';
import { ReplyKey } from './reply-key.tsx';
import { RefusedLine } from '../refusals/refused-line.tsx';
import { ReceiverCode } from './receiver-code.tsx';
import { ReceiversCard } from './receivers-card.tsx';

const BACK = { to: '/addresses', label: addressText.title };

export function AddressDetailScreen({ params: { address_id: id = '' } }: ScreenProps) {
  const resource = useResource(id, (signal) =>
    call('GET /addresses/{address_id}', { params: { address_id: id }, signal }),
  );
  useLive((event) => {
    if (event.type === 'address.deleted' && event.address_id === id) leave(id);
    else if (event.type === 'stream.gap' || event.address_id === id) resource.reload();
  });
  return (
    <Loaded resource={resource} head={{ title: addressText.one, back: BACK }}>
      {(address) => <Detail address={address} show={(changed) => resource.change(() => changed)} />}
    </Loaded>
  );
}

/** The address is deleted, by this page or elsewhere. The second of two reports does nothing. */
function leave(id: string): void {
  if (screenUrl.value.path !== `/addresses/${id}`) return;
  toast(addressText.removed);
  go('/addresses');
}

type Props = { address: Address; show: (changed: Address) => void };

function Detail({ address, show }: Props) {
  const mayWrite = may('addresses:write') && address.managed_by === null;
  return (
    <>
      <PageHead
        title={address.address}
        copied={addressText.columns.address}
        back={BACK}
        facts={<Facts address={address} />}
      >
        {may('deliveries:read') && (
          <Link to={`/mail?address_id=${address.id}`} class="button">
            {addressText.showMail}
          </Link>
        )}
        {mayWrite && <Actions address={address} show={show} />}
      </PageHead>
      <ManagedNotice manager={address.managed_by} />
      {address.failing_since !== null && (
        <FailingNotice
          id={address.id}
          since={address.failing_since}
          isFailing={address.is_failing}
          reason={address.failing_reason}
        />
      )}
      <div class="stack">
        <ReceiversCard address={address} />
        <EmailPath {...{ address, show }} isReadOnly={!mayWrite} />
        {address.reply_addresses && <ReplyKey addressId={address.id} mayRotate={mayWrite} />}
        <AddressSettings {...{ address, show }} isReadOnly={!mayWrite} />
        {address.signing === 'hmac' && (
          <ReceiverCode
            hint={
              may('secrets:read') ? addressText.receiverHint : addressText.receiverHintWithoutSecret
            }
          />
        )}
      </div>
    </>
  );
}

const Facts = ({ address }: { address: Address }) => (
  <>
    <Status
      tone={address.is_enabled ? 'good' : 'plain'}
      text={address.is_enabled ? addressText.enabled : addressText.disabled}
    />
    {address.silent_since !== null && (
      <span>
        <Status tone="bad" text={addressText.silent} />{' '}
        <Time at={address.silent_since} as="relative" />
      </span>
    )}
    <span>
      {addressText.emails}: {formatCount(address.email_count)}
    </span>
    <RefusedLine field="address_id" value={address.id} />
    <span>
      {addressText.createdAt} <Time at={address.created_at} />
    </span>
    {address.expires_at !== null && (
      <span>
        {addressText.expires} <Time at={address.expires_at} as="relative" />
      </span>
    )}
  </>
);

function Actions({ address, show }: Props) {
  const params = { address_id: address.id };
  const setEnabled = async (isEnabled: boolean) => {
    const isConfirmed =
      isEnabled ||
      (await confirm({
        title: addressText.disableTitle,
        text: addressText.disableText,
        action: addressText.disable,
        isDestructive: true,
      }));
    if (!isConfirmed) return;
    await reporting(
      async () =>
        show(
          await call('PATCH /addresses/{address_id}', { params, body: { is_enabled: isEnabled } }),
        ),
      isEnabled ? addressText.enabledNow : addressText.disabledNow,
    );
  };
  const remove = async () => {
    const isConfirmed = await confirm({
      title: addressText.removeTitle,
      text: addressText.removeText(address.address),
      action: addressText.remove,
      isDestructive: true,
    });
    if (!isConfirmed) return;
    const isRemoved = await reporting(() => call('DELETE /addresses/{address_id}', { params }));
    if (isRemoved) leave(address.id);
  };
  return (
    <>
      <button type="button" onClick={() => void setEnabled(!address.is_enabled)}>
        {address.is_enabled ? addressText.disable : addressText.enable}
      </button>
      <button type="button" class="danger" onClick={() => void remove()}>
        {addressText.remove}
      </button>
    </>
  );
}
