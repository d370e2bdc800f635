/** The key of reply addresses. */
import { call } from '../../client/api.ts';
import { addressText } from '../../strings/addresses.ts';
import { SecretCard } from './secret-card.tsx';

export function ReplyKey({ addressId, mayRotate }: { addressId: string; mayRotate: boolean }) {
  const params = { address_id: addressId };
  return (
    <SecretCard
      id="reply-key"
      text={addressText.replyKey}
      mayRotate={mayRotate}
      read={async () => (await call('GET /addresses/{address_id}/reply-key', { params })).reply_key}
      rotate={async () => {
        const request = { params, body: {} };
        return (await call('POST /addresses/{address_id}/rotate-reply-key', request)).reply_key;
      }}
    />
  );
}
