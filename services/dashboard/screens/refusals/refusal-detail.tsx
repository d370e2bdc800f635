/** One refusal: everything that is known of it, and what can be done about the next one. */
import { call } from '../../client/api.ts';
import type {
  Address,
  Refusal,
  UpdateAddressRequest,
} from '../../../core/api/api-types.generated.ts';
import { ALLOWABLE_REASONS, allowSender, holdInstead } from '../../../core/api/refusal-steps.ts';
import type { ScreenProps } from '../../browser/router.ts';
import { useResource } from '../../client/resource.ts';
import { confirm } from '../../parts/confirm.tsx';
import { formatCount } from '../../parts/format.ts';
import { Link } from '../../parts/link.tsx';
import { PageHead } from '../../parts/page-head.tsx';
import { plain } from '../../parts/plain-text.ts';
import { RemoveButton } from '../../parts/resource/remove-button.tsx';
import { Loaded } from '../../parts/states.tsx';
import { Status } from '../../parts/status.tsx';
import { Time } from '../../parts/time.tsx';
import { reporting } from '../../parts/toast.tsx';
import { may } from '../../session/session.ts';
import { refusalText } from '../../strings/refusals.ts';
import { senderOf } from './refusal-list.tsx';

const BACK = { to: '/mail/refused', label: refusalText.title };

type Shown = { refusal: Refusal; address: Address | undefined };

export function RefusalDetailScreen({ params: { refusal_id = '' } }: ScreenProps) {
  const resource = useResource<Shown>(refusal_id, async (signal) => {
    const refusal = await call('GET /refusals/{refusal_id}', { params: { refusal_id }, signal });
    return { refusal, address: await addressOf(refusal, signal) };
  });
  return (
    <Loaded resource={resource} rows={3} head={{ title: refusalText.one, back: BACK }}>
      {({ refusal, address }) => <Detail {...{ refusal, address }} reload={resource.reload} />}
    </Loaded>
  );
}

/** Undefined for a mailbox without one, and when it is deleted. */
async function addressOf({ address_id }: Refusal, signal: AbortSignal) {
  if (address_id === null || !may('addresses:read')) return undefined;
  const query = { ids: address_id };
  if ((await call('GET /addresses', { query, signal })).data.length === 0) return undefined;
  return call('GET /addresses/{address_id}', { params: { address_id }, signal });
}

function Detail({ refusal, address, reload }: Shown & { reload: () => void }) {
  const { reason, command, last_at } = refusal;
  return (
    <>
      <PageHead
        title={senderOf(refusal)}
        back={BACK}
        facts={
          <>
            <Status tone="bad" text={refusalText.reasonOf(reason)} />
            <Time at={last_at} as="full" />
          </>
        }
      >
        {may('deliveries:erase') && (
          <RemoveButton
            texts={refusalText}
            text={refusalText.removeText}
            remove={() =>
              call('DELETE /refusals/{refusal_id}', { params: { refusal_id: refusal.id } })
            }
            back={BACK.to}
          />
        )}
      </PageHead>
      {command === 'data' && (
        <p class="notice">
          {refusalText.notKept} {address && <Hold {...{ refusal, address, reload }} />}
        </p>
      )}
      <section class="card">
        <dl class="pairs">
          {rowsOf({ refusal, address }).map(([name, value]) => (
            <div key={name}>
              <dt>{name}</dt>
              <dd>{value}</dd>
            </div>
          ))}
        </dl>
        {address && ALLOWABLE_REASONS.includes(reason) && (
          <Allow {...{ refusal, address, reload }} />
        )}
      </section>
    </>
  );
}

const text = (value: string | null) => value && <span dir="auto">{plain(value)}</span>;

function rowsOf({ refusal, address }: Shown) {
  const { fields } = refusalText;
  const { authentication, decided_by: by, reply, remote_name } = refusal;
  const words = authentication && Object.entries(authentication);
  const rows = [
    [fields.mailbox, text(refusal.mailbox)],
    [
      fields.address,
      address ? (
        <Link to={`/addresses/${address.id}`}>{address.address}</Link>
      ) : (
        (refusal.address_id ?? refusalText.unknownMailbox)
      ),
    ],
    [fields.from, text(refusal.from)],
    [fields.mailFrom, text(refusal.mail_from)],
    [fields.subject, text(refusal.subject)],
    [fields.messageId, text(refusal.message_id)],
    [fields.count, formatCount(refusal.count)],
    [fields.first, <Time key="first" at={refusal.first_at} as="full" />],
    [fields.client, text([refusal.remote_ip, remote_name ?? refusal.helo_domain].join(' '))],
    [fields.authentication, words && words.map(([check, word]) => `${check}=${word}`).join(' ')],
    [fields.decidedBy, by && text(`${refusalText.decidedBy[by.kind]} ${by.name}`)],
    [fields.reply, `${reply.code} ${reply.enhanced_code} ${reply.text}`],
  ] as const;
  return rows.filter(([, value]) => value !== null && value !== '');
}

type StepProps = { refusal: Refusal; address: Address; reload: () => void };

/** Changes the address, after a question. */
const stepOf =
  (
    { address, reload }: StepProps,
    body: UpdateAddressRequest,
    done: string,
    question: { title: string; text: string; action: string },
  ) =>
  async () => {
    if (!(await confirm(question))) return;
    const params = { address_id: address.id };
    const change = () => call('PATCH /addresses/{address_id}', { params, body });
    if (await reporting(change, done)) reload();
  };

const mayChange = ({ managed_by }: Address) => may('addresses:write') && managed_by === null;

function Allow(props: StepProps) {
  const { refusal, address } = props;
  if (!mayChange(address)) return null;
  const allowed = allowSender(refusal, address);
  if (typeof allowed === 'string') return <p class="hint">{refusalText.whyNot[allowed]}</p>;
  const { sender, isProven, change } = allowed;
  const ask = stepOf(props, change, refusalText.allowed, {
    title: refusalText.allowTitle,
    text: isProven ? refusalText.allowText(sender) : refusalText.allowUnproven(sender),
    action: refusalText.allow,
  });
  return (
    <button type="button" class="primary" onClick={() => void ask()}>
      {refusalText.allow}
    </button>
  );
}

/** Holds such email; a link to the rules where no single change does. */
function Hold(props: StepProps) {
  const { refusal, address } = props;
  const change = mayChange(address) ? holdInstead(refusal, address) : undefined;
  if (!change) return <Link to={`/addresses/${address.id}/rules`}>{refusalText.rules}</Link>;
  const { held, holdTitle, holdText, hold: action } = refusalText;
  const ask = stepOf(props, change, held, { title: holdTitle, text: holdText, action });
  return (
    <button type="button" onClick={() => void ask()}>
      {action}
    </button>
  );
}
