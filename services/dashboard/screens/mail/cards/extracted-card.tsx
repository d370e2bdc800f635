/** What Inlet read from the email, if its receiver asks for it. Links lead nowhere: they are hostile. */
import type { Extracted } from '../../../../core/api/api-types.generated.ts';
import { CopyButton } from '../../../parts/copy.tsx';
import { plain } from '../../../parts/plain-text.ts';
import { extractedText as texts } from '../../../strings/mail/extracted.ts';

const LINKS_SHOWN = 10;

/** Only what was found has a heading. */
export function ExtractedCard({ extracted }: { extracted: Extracted }) {
  const { codes, links, markdown, hidden_text: hidden } = extracted;
  const { invitation, bounce, report, forwarded } = extracted;
  const { e_invoice: invoice, further_e_invoices: further = [] } = extracted;
  const missing = [
    codes?.length === 0 && texts.codes,
    links?.length === 0 && texts.links,
    hidden === null && texts.hidden,
    invitation === null && texts.invitation,
    bounce === null && texts.bounce,
    report === null && texts.report,
    forwarded === null && texts.forwarded,
    invoice === null && texts.invoice,
  ].filter((name) => typeof name === 'string');
  return (
    <section class="card" aria-labelledby="extracted-title">
      <h2 id="extracted-title">{texts.title}</h2>
      <div class="checks">
        {codes && codes.length > 0 && (
          <div>
            <h3>{texts.codes}</h3>
            {codes.map(({ value }) => (
              <p key={value} class="copied-line">
                <strong>{plain(value)}</strong> <CopyButton text={value} what={texts.code} />
              </p>
            ))}
          </div>
        )}
        {links && links.length > 0 && <Links links={links} />}
        {hidden && (
          <div>
            <h3>{texts.hidden}</h3>
            <p dir="auto">{plain(hidden.sample)}</p>
          </div>
        )}
        {invitation && <Invited invitation={invitation} />}
        {bounce && <Bounced bounce={bounce} />}
        {report && <Reported report={report} />}
        {forwarded && <ForwardedBy forwarded={forwarded} />}
        {invoice && <Invoices invoices={[invoice, ...further]} />}
        {markdown !== undefined && markdown !== '' && (
          <details>
            <summary>{texts.markdown}</summary>
            <pre class="excerpt" dir="auto" tabIndex={0}>
              {plain(markdown)}
            </pre>
          </details>
        )}
        {missing.length > 0 && <p class="hint">{texts.notFound(missing.join(', '))}</p>}
      </div>
    </section>
  );
}

const Links = ({ links }: { links: NonNullable<Extracted['links']> }) => (
  <div>
    <h3>{texts.links}</h3>
    {links.slice(0, LINKS_SHOWN).map(({ url, text, shows_other_host: isOther }) => (
      <p key={url} class="copied-line">
        <span>
          {text !== null && text !== url && <bdi>{plain(text)}: </bdi>}
          <span class="hint">{plain(url)}</span>{' '}
          {isOther && <strong class="unbroken">{texts.otherHost}</strong>}
        </span>
        <CopyButton text={url} what={texts.link} />
      </p>
    ))}
    {links.length > LINKS_SHOWN && (
      <p class="hint">{texts.moreLinks(String(links.length - LINKS_SHOWN))}</p>
    )}
  </div>
);

function Invited({ invitation }: { invitation: NonNullable<Extracted['invitation']> }) {
  const { method, summary, start, organizer } = invitation;
  return (
    <div>
      <h3>{texts.invitation}</h3>
      <p dir="auto">
        {method} {plain(summary ?? texts.untitled)}
      </p>
      <p class="hint">
        {start && `${texts.begins} ${start.local.replace('T', ' ')} ${start.time_zone ?? ''} `}
        {organizer && `${texts.by} ${plain(organizer.address)} `}
      </p>
    </div>
  );
}

const RECIPIENTS_SHOWN = 5;

const Bounced = ({ bounce }: { bounce: NonNullable<Extracted['bounce']> }) => (
  <div>
    <h3>{texts.bounce}</h3>
    {bounce.recipients.slice(0, RECIPIENTS_SHOWN).map(({ address, action, status, ...one }) => (
      <p key={address} title={plain(one.diagnostic ?? '')}>
        <span dir="auto">{plain(address)}</span>{' '}
        <span class="hint">
          {action} {one.is_permanent ? texts.permanent : texts.temporary} {status}
        </span>
      </p>
    ))}
  </div>
);

const Reported = ({ report }: { report: NonNullable<Extracted['report']> }) => (
  <div>
    <h3>{texts.report}</h3>
    <p>
      {texts.reports[report.kind]} {texts.about} {plain(report.domain ?? '?')}{' '}
      <span class="hint">
        {texts.from} {plain(report.organization ?? '?')}
      </span>
    </p>
  </div>
);

const ForwardedBy = ({ forwarded }: { forwarded: NonNullable<Extracted['forwarded']> }) => (
  <div>
    <h3>{texts.forwarded}</h3>
    <p>
      <span dir="auto">{plain(forwarded.original.subject ?? texts.untitled)}</span>{' '}
      <span class="hint">
        {texts.from} {plain(forwarded.original.from ?? '?')}
      </span>
    </p>
  </div>
);

const Invoices = ({ invoices }: { invoices: readonly NonNullable<Extracted['e_invoice']>[] }) => (
  <div>
    <h3>{texts.invoice}</h3>
    {invoices.map(({ number, total, currency, seller, issued }, at) => (
      <p key={at}>
        <span dir="auto">{plain(number ?? '?')}</span>{' '}
        {total !== null && <strong>{plain(`${total} ${currency ?? ''}`)}</strong>}{' '}
        <span class="hint" dir="auto">
          {texts.from} {plain(seller ?? '?')} {issued}
        </span>
      </p>
    ))}
  </div>
);
