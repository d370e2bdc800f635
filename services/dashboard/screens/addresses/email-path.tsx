/** What happens with email to an address, in the order in which it happens. */
import type { ComponentChildren } from 'preact';

import { call } from '../../client/api.ts';
import type { Address } from '../../../core/api/api-types.generated.ts';
import { useResource } from '../../client/resource.ts';
import { may } from '../../session/session.ts';
import { formatCount, formatSize } from '../../parts/format.ts';
import { Link } from '../../parts/link.tsx';
import { addressText } from '../../strings/addresses.ts';
import { ruleText } from '../../strings/rules.ts';
import { HookCard } from '../rules/hook-card.tsx';
import { RuleFacts } from '../rules/rule-list.tsx';

type Props = { address: Address; show: (changed: Address) => void; isReadOnly: boolean };

const { path: text } = addressText;

export function EmailPath({ address, show, isReadOnly }: Props) {
  const { id, rules, hook, spam_refuse_above: spam } = address;
  const params = { address_id: id };
  const { data: ofAccount } = useResource('rules before those of an address', async (signal) =>
    may('account:read') ? (await call('GET /account', { signal })).settings.rules.length : 0,
  );
  const refusals = refusalsOf(address);
  return (
    <section class="card" aria-labelledby="email-path">
      <h2 id="email-path">{text.title}</h2>
      <ol class="email-path">
        <Step title={text.refused}>
          {refusals.length === 0 ? (
            <p class="soft">{text.everybody}</p>
          ) : (
            refusals.map((one) => <p key={one}>{one}</p>)
          )}
          <a href="#address-settings">{text.settings}</a>
        </Step>
        <Step title={ruleText.title}>
          {ofAccount !== undefined && ofAccount > 0 && (
            <p>
              <Link to="/rules">{text.rulesOfAccount(formatCount(ofAccount))}</Link>
            </p>
          )}
          {rules.length > 0 && (
            <ol class="rule-list">
              {rules.map((rule, at) => (
                <li key={at}>
                  <RuleFacts rule={rule} />
                </li>
              ))}
            </ol>
          )}
          {spam !== null && <p>{text.spam(String(spam))}</p>}
          <p>
            <Link to={`/addresses/${id}/rules`}>{isReadOnly ? ruleText.show : ruleText.edit}</Link>
          </p>
        </Step>
        <li>
          <HookCard
            hook={hook}
            change={async (changed) =>
              show(await call('PATCH /addresses/{address_id}', { params, body: { hook: changed } }))
            }
            isReadOnly={isReadOnly}
          />
        </li>
        <Step title={text.receivers}>
          <p class="soft">{text.receiversText}</p>
        </Step>
      </ol>
    </section>
  );
}

const Step = ({ title, children }: { title: string; children: ComponentChildren }) => (
  <li>
    <h3>{title}</h3>
    {children}
  </li>
);

/** What its settings refuse, before the rules. */
const refusalsOf = (address: Address): string[] =>
  [
    address.max_per_hour !== null && text.perHour(formatCount(address.max_per_hour)),
    address.reply_only && addressText.replyModes.only,
    address.allowed_senders && text.senders(address.allowed_senders.senders.join(', ')),
    address.refuse_infected === true && text.infected,
    address.allowed_attachments?.types?.length === 0 && addressText.noAttachments,
    address.allowed_attachments?.types?.length &&
      text.types(address.allowed_attachments.types.join(', ')),
    address.allowed_attachments?.max_bytes &&
      text.size(formatSize(address.allowed_attachments.max_bytes)),
  ].filter((one): one is string => Boolean(one));
