/** What Inlet read from the email, if its receiver asks for it. Links lead nowhere: they are hostile. */
import type { Extracted } from '../../../../core/api/api-types.generated.ts';
import { CopyButton } from '../../../parts/copy.tsx';
import { plain } from '../../../parts/plain-text.ts';
import { extractedText as texts } from '../../../strings/mail/extracted.ts';

const LINKS_SHOWN = 10;

export function ExtractedCard({ extracted }: { extracted: Extracted }) {
  const { codes, links, hidden_text: hidden, invitation, bounce, report, forwarded } = extracted;
  const { e_invoice: invoice, further_e_invoices: further = [] } = extracted;
  return (
    <section class="card" aria-labelledby="extracted-title">
      <h2 id="extracted-title">{texts.title}</h2>
      <div class="checks">
        {codes && (
          <div>
            <h3>{texts.codes}</h3>
            {codes.length === 0 && <p class="hint">{texts.noCodes}</p>}
            {codes.map(({ value }) => (
              <p key={value}>
                <strong>{plain(value)}</strong> <CopyButton text={value} what={texts.code} />
              </p>
            ))}
          </div>
        )}
        {links && <Links links={links} />}
        {hidden !== undefined && (
          <div>
            <h3>{texts.hidden}</h3>
            <p dir="auto">{hidden === null ? texts.nothing : plain(hidden.sample)}</p>
          </div>
        )}
        {invitation !== undefined && <Invited invitation={invitation} />}
        {bounce !== undefined && <Bounced bounce={bounce} />}
        {report !== undefined && <Reported report={report} />}
        {forwarded !== undefined && <ForwardedBy forwarded={forwarded} />}
        {invoice !== undefined && (
          <Invoices invoices={invoice === null ? [] : [invoice, ...further]} />
        )}
      </div>
    </section>
  );
}

const Links = ({ links }: { links: NonNullable<Extracted['links']> }) => (
  <div>
    <h3>{texts.links}</h3>
    {links.length === 0 && <p class="hint">{texts.noLinks}</p>}
    {links.slice(0, LINKS_SHOWN).map(({ url, text, host, shows_other_host: isOther }) => (
      <p key={url} title={plain(url)}>
        {text !== null && <span dir="auto">{plain(text)}: </span>}
        <span class="hint">{host}</span> {isOther && <strong>{texts.otherHost}</strong>}{' '}
        <CopyButton text={url} what={texts.link} />
      </p>
    ))}
    {links.length > LINKS_SHOWN && (
      <p class="hint">{texts.moreLinks(String(links.length - LINKS_SHOWN))}</p>
    )}
  </div>
);

function Invited({ invitation }: { invitation: Extracted['invitation'] | null }) {
  const start = invitation?.start;
  return (
    <div>
      <h3>{texts.invitation}</h3>
      {invitation ? (
        <>
          <p dir="auto">
            {invitation.method} {plain(invitation.summary ?? texts.untitled)}
          </p>
          <p class="hint">
            {start && `${texts.begins} ${start.local.replace('T', ' ')} ${start.time_zone ?? ''} `}
            {invitation.organizer && `${texts.by} ${plain(invitation.organizer.address)} `}
          </p>
        </>
      ) : (
        <p class="hint">{texts.nothing}</p>
      )}
    </div>
  );
}

const RECIPIENTS_SHOWN = 5;

const Bounced = ({ bounce }: { bounce: Extracted['bounce'] | null }) => (
  <div>
    <h3>{texts.bounce}</h3>
    {bounce ? (
      bounce.recipients.slice(0, RECIPIENTS_SHOWN).map(({ address, action, status, ...one }) => (
        <p key={address} title={plain(one.diagnostic ?? '')}>
          <span dir="auto">{plain(address)}</span>{' '}
          <span class="hint">
            {action} {one.is_permanent ? texts.permanent : texts.temporary} {status}
          </span>
        </p>
      ))
    ) : (
      <p class="hint">{texts.nothing}</p>
    )}
  </div>
);

const Reported = ({ report }: { report: Extracted['report'] | null }) => (
  <div>
    <h3>{texts.report}</h3>
    {report ? (
      <p>
        {texts.reports[report.kind]} {texts.about} {plain(report.domain ?? '?')}{' '}
        <span class="hint">
          {texts.from} {plain(report.organization ?? '?')}
        </span>
      </p>
    ) : (
      <p class="hint">{texts.nothing}</p>
    )}
  </div>
);

const ForwardedBy = ({ forwarded }: { forwarded: Extracted['forwarded'] | null }) => (
  <div>
    <h3>{texts.forwarded}</h3>
    {forwarded ? (
      <p>
        <span dir="auto">{plain(forwarded.original.subject ?? texts.untitled)}</span>{' '}
        <span class="hint">
          {texts.from} {plain(forwarded.original.from ?? '?')}
        </span>
      </p>
    ) : (
      <p class="hint">{texts.nothing}</p>
    )}
  </div>
);

const Invoices = ({ invoices }: { invoices: readonly NonNullable<Extracted['e_invoice']>[] }) => (
  <div>
    <h3>{texts.invoice}</h3>
    {invoices.length === 0 && <p class="hint">{texts.nothing}</p>}
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
