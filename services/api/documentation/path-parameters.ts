/** The path parameters of all operations, by name. */
import { EXAMPLE } from '../../core/resource/api-reference.ts';

const idOf = (what: string, example: string) => ({ description: `id of the ${what}`, example });

export const PATH_PARAMETERS: Readonly<Record<string, { description: string; example: string }>> = {
  address_id: idOf('address', EXAMPLE.address_id),
  domain_id: idOf('domain', EXAMPLE.domain_id),
  event_id: {
    description: 'event_id of the payload of an email or a notification',
    example: EXAMPLE.event_id,
  },
  index: { description: 'position in `attachments` of the payload, from 0', example: '0' },
  invoice_id: idOf('invoice', EXAMPLE.invoice_id),
  notification_id: idOf('notification', EXAMPLE.notification_id),
  member_id: idOf('member', EXAMPLE.member_id),
  list_id: idOf('sender list', EXAMPLE.list_id),
  bucket_id: idOf('bucket', EXAMPLE.bucket_id),
  receiver_id: {
    description: 'id of the further receiver; the id of the address for its own',
    example: EXAMPLE.receiver_id,
  },
  refusal_id: idOf('refusal', EXAMPLE.refusal_id),
  session_id: idOf('session', EXAMPLE.session_id),
  token_id: idOf('token', EXAMPLE.token_id),
};
