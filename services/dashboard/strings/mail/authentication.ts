/** Texts about what authentication and Inlet’s own spam rules found about an email. */
import type { Authentication } from '../../../core/api/api-types.generated.ts';

type Spf = Authentication['spf'];
type Dkim = Authentication['dkim'][number];
type Dmarc = Authentication['dmarc'];
type Iprev = Authentication['iprev'];

/** What each result means, in a sentence. */
export const authenticationText = {
  spf: ({ result, domain }: Spf, ip: string): string => {
    const name = domain ?? 'the sender';
    const sentences: Record<Spf['result'], string> = {
      pass: `${name} allows ${ip} to send its mail.`,
      fail: `${name} does not allow ${ip} to send its mail.`,
      softfail: `${name} says that ${ip} probably may not send its mail.`,
      neutral: `${name} says nothing about ${ip}.`,
      none: `${name} does not say who may send its mail.`,
      temperror: `The record of ${name} could not be looked up.`,
      permerror: `The record of ${name} is not valid.`,
    };
    return sentences[result];
  },
  noDkim: 'The email has no signature.',
  dkim: ({ result, domain, aligned }: Dkim): string => {
    const sentences: Record<Dkim['result'], string> = {
      pass: `Signed by ${domain}, and unchanged since.`,
      fail: `The signature of ${domain} does not match the email.`,
      policy: `The signature of ${domain} is not accepted.`,
      neutral: `The signature of ${domain} cannot be checked.`,
      temperror: `The key of ${domain} could not be looked up.`,
      permerror: `The key or signature of ${domain} is not valid.`,
    };
    const isOther = result === 'pass' && !aligned;
    return `${sentences[result]}${isOther ? ' This is not the domain in From.' : ''}`;
  },
  dmarc: ({ result, domain, policy, alignment, override }: Dmarc): string => {
    const name = domain ?? 'the domain in From';
    const by = [alignment.spf && 'SPF', alignment.dkim && 'DKIM'].filter(Boolean).join(' and ');
    const asks = {
      none: 'asks for nothing',
      quarantine: 'asks to distrust it',
      reject: 'asks to refuse it',
    };
    const sentences: Record<Dmarc['result'], string> = {
      pass: `${by || 'A check'} confirms that the email is from ${name}.`,
      fail: `Nothing confirms that the email is from ${name}${policy ? `, which ${asks[policy]}` : ''}.`,
      none: `${name} has no DMARC policy.`,
      temperror: `The policy of ${name} could not be looked up.`,
      permerror: `The policy of ${name} is not valid.`,
    };
    return `${sentences[result]}${override ? ` ${override.sealer}, which you trust, forwarded it.` : ''}`;
  },
  iprev: ({ result, name }: Iprev, ip: string): string => {
    const sentences: Record<Iprev['result'], string> = {
      pass: `${ip} is ${name ?? 'named'}.`,
      fail: `The name of ${ip} does not lead back to it.`,
      temperror: `The name of ${ip} could not be looked up.`,
      permerror: `${ip} has no name.`,
    };
    return sentences[result];
  },
};

/** The rules of Inlet's own score. rspamd's symbols are shown as they are. */
export const spamRuleText: Record<string, string> = {
  dmarc_fail_reject: 'DMARC fails, and the domain asks to refuse',
  dmarc_fail_quarantine: 'DMARC fails, and the domain asks to distrust',
  dmarc_fail_none: 'DMARC fails',
  dmarc_permerror: 'The DMARC policy is not valid',
  spf_fail: 'SPF fails',
  spf_softfail: 'SPF probably fails',
  spf_permerror: 'The SPF record is not valid',
  dkim_fail: 'No DKIM signature matches',
  nothing_vouches: 'Neither SPF nor DKIM confirms the sender',
  no_reverse_dns: 'The server has no name in DNS',
  no_from: 'No From header',
  no_date: 'No Date header',
  no_message_id: 'No Message-ID header',
};
