/**
 * Emails of companies in fifteen languages, with the codes that they contain. Every email is
 * generated from phrases.ts and a seed, so the set is the same on every machine.
 */
import { HELD_OUT_PHRASES, type HeldOutPhrases } from '../../fixtures/emails/held-out-phrases.ts';
import { PHRASES, type Phrases } from '../../fixtures/emails/phrases.ts';

export type LabelledEmail = {
  name: string;
  subject: string;
  text: string | null;
  html: string | null;
  codes: string[];
};

type Chance = {
  digits(length: number): string;
  mixed(length: number): string;
  one<T>(of: readonly T[]): T;
};

const LETTERS = Array.from('ABCDEFGHJKLMNPQRSTUVWXYZ');
const FOOTER = 'Acme Inc., 12345 Harbour Street, Suite 2041, Oakland, CA 94607 · © 2019–2026 Acme';
const STYLE =
  '<style>body{background:#202123;color:#333333}.code{color:#482193;font-size:32px}#a1b2c3{color:#123456}</style>';

/** Linear congruential generator (Numerical Recipes). */
function chanceOf(seed: number): Chance {
  let state = seed >>> 0;
  const below = (limit: number): number => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * limit);
  };
  const one = <T>(of: readonly T[]): T => of[below(of.length)] as T;
  const digits = (length: number) =>
    Array.from({ length }, (_, at) => String(at === 0 ? 3 + below(6) : below(10))).join('');
  const mixed = (length: number) =>
    Array.from({ length }, (_, at) => (at % 2 === 0 ? one(LETTERS) : digits(1))).join('');
  return { digits, mixed, one };
}

const paragraphs = (...lines: string[]): string => lines.join('\n\n');
const page = (...blocks: string[]): string =>
  `<html><head>${STYLE}</head><body style="background:#f4f4f7"><table><tr><td>${blocks
    .map((block) => `<p style="color:#333333">${block}</p>`)
    .join('\n')}</td></tr></table><p style="color:#999999">${FOOTER}</p></body></html>`;
const boxes = (code: string): string =>
  `<table><tr>${Array.from(code, (digit) => `<td bgcolor="#cccccc">${digit}</td>`).join('')}</tr></table>`;
const fill = (phrase: string, n: string, m = ''): string =>
  phrase.replace('{n}', n).replace('{m}', m);

type Make<Words = Phrases> = (phrases: Words, chance: Chance) => Omit<LabelledEmail, 'name'>;

const POSITIVE: Readonly<Record<string, Make>> = {
  'a sentence with a code': (say, chance) => {
    const code = chance.digits(chance.one([4, 6, 6, 6, 8]));
    const text = paragraphs(fill(say.login, code), say.expiry, say.ignore, FOOTER);
    return { subject: 'Acme', text, html: null, codes: [code] };
  },
  'a code in a line of its own': (say, chance) => {
    const code = chance.digits(6);
    const html = page(say.label, `<span class="code">${code}</span>`, say.expiry, say.ignore);
    return { subject: 'Acme', text: null, html, codes: [code] };
  },
  'a code in boxes': (say, chance) => {
    const code = chance.digits(6);
    const html = page(say.label, boxes(code), say.expiry);
    return { subject: 'Acme', text: null, html, codes: [code] };
  },
  'a code in groups': (say, chance) => {
    const [a, b] = [chance.digits(3), chance.digits(3)];
    const text = paragraphs(
      `${say.reset}:`,
      `${a}${chance.one([' ', '-'])}${b}`,
      say.expiry,
      FOOTER,
    );
    return { subject: 'Acme', text, html: null, codes: [`${a}${b}`] };
  },
  'a code in the subject': (say, chance) => {
    const code = chance.digits(chance.one([5, 6, 7]));
    const text = paragraphs(say.expiry, say.ignore, FOOTER);
    return {
      subject: fill(say.subject, code),
      text,
      html: page(say.expiry),
      codes: [code],
    };
  },
  'a code with letters': (say, chance) => {
    const code = chance.one([
      chance.mixed(6),
      chance.mixed(8),
      `${chance.mixed(4)}-${chance.mixed(4)}`,
    ]);
    const text = paragraphs(fill(say.device, '', code), say.expiry, FOOTER);
    return { subject: 'Acme', text, html: null, codes: [code] };
  },
  'a code among other numbers': (say, chance) => {
    const code = chance.digits(6);
    const html = page(
      say.label,
      `<b>${code}</b>`,
      say.expiry,
      fill(say.ticket, chance.digits(8)),
      '+49 30 4821930 · 0800 4821930',
    );
    return { subject: 'Acme', text: null, html, codes: [code] };
  },
};

const NEGATIVE: Readonly<Record<string, Make>> = {
  'a receipt': (say, chance) => {
    const text = paragraphs(fill(say.order, chance.digits(8)), say.total, say.card, FOOTER);
    return { subject: 'Acme', text, html: null, codes: [] };
  },
  'a receipt with a table': (say, chance) => {
    const order = fill(say.order, chance.digits(6));
    return {
      subject: order,
      text: null,
      html: page(order, say.total),
      codes: [],
    };
  },
  'a shipment': (say, chance) => {
    const text = paragraphs(fill(say.parcel, chance.digits(8), chance.mixed(10)), FOOTER);
    return { subject: 'Acme', text, html: page(text), codes: [] };
  },
  'a newsletter': (say, chance) => {
    const html = page(
      fill(say.promotion, '', chance.mixed(8)),
      '1500 · 2500 · 100000',
      say.appointment,
    );
    return { subject: 'Acme 2026', text: null, html, codes: [] };
  },
  'an appointment': (say) => {
    const text = paragraphs(say.appointment, FOOTER);
    return { subject: 'Acme', text, html: null, codes: [] };
  },
  'a magic link': (say, chance) => {
    const url = `https://acme.example/login?code=${chance.digits(6)}&token=${chance.mixed(12)}`;
    const text = paragraphs(say.magic, url, say.ignore, FOOTER);
    const html = page(say.magic, `<a href="${url}">Acme</a>`, say.ignore);
    return { subject: 'Acme', text, html, codes: [] };
  },
  'a ticket': (say, chance) => {
    const ticket = fill(say.ticket, chance.digits(6));
    return {
      subject: `[#${chance.digits(6)}] Acme`,
      text: paragraphs(ticket, FOOTER),
      html: null,
      codes: [],
    };
  },
  'a payment': (say) => {
    return {
      subject: 'Acme',
      text: paragraphs(say.card, say.total, FOOTER),
      html: page(say.card),
      codes: [],
    };
  },
  'a booking': (say, chance) => {
    const text = paragraphs(fill(say.booking, '', chance.mixed(6)), say.total, FOOTER);
    return { subject: 'Acme', text, html: null, codes: [] };
  },
};

const HELD_OUT: Readonly<Record<string, Make<HeldOutPhrases>>> = {
  'a sentence that begins with a code': (say, chance) => {
    const code = chance.digits(6);
    return { subject: 'Globex', text: fill(say.login, code), html: null, codes: [code] };
  },
  'a label and a code': (say, chance) => {
    const code = chance.digits(chance.one([4, 6, 8]));
    const html = page(say.label, `<h1>${code}</h1>`, 'Globex');
    return { subject: 'Globex', text: null, html, codes: [code] };
  },
  'a subject with a code': (say, chance) => {
    const code = chance.digits(6);
    return { subject: fill(say.subject, code), text: FOOTER, html: null, codes: [code] };
  },
  'a sentence with letters': (say, chance) => {
    const code = chance.mixed(8);
    return { subject: 'Globex', text: fill(say.device, '', code), html: null, codes: [code] };
  },
  'an invoice': (say, chance) => {
    const text = paragraphs(fill(say.order, chance.digits(5)), FOOTER);
    return { subject: 'Globex', text, html: null, codes: [] };
  },
  'a promotion': (say, chance) => {
    const html = page(fill(say.promotion, '', chance.mixed(8)));
    return { subject: 'Globex', text: null, html, codes: [] };
  },
  'a notice of a login': (say, chance) => {
    const text = paragraphs(fill(say.notice, chance.digits(7)), FOOTER);
    return { subject: 'Globex', text, html: page(text), codes: [] };
  },
};

export const labelledEmails = (): LabelledEmail[] =>
  emailsOf(PHRASES, { ...POSITIVE, ...NEGATIVE });

/** With phrases that were not known when the words of the search were chosen. */
export const heldOutEmails = (): LabelledEmail[] => emailsOf(HELD_OUT_PHRASES, HELD_OUT);

function emailsOf<Words>(
  phrasesOf: Readonly<Record<string, Words>>,
  kinds: Readonly<Record<string, Make<Words>>>,
): LabelledEmail[] {
  return Object.entries(phrasesOf).flatMap(([language, phrases], at) =>
    Object.entries(kinds).map(([kind, make], index) => ({
      name: `${language}: ${kind}`,
      ...make(phrases, chanceOf(1_000 * at + index)),
    })),
  );
}

/** Of what was found and what is in the emails. */
export function quality(
  emails: readonly LabelledEmail[],
  find: (email: LabelledEmail) => string[],
) {
  let hits = 0;
  let found = 0;
  let labelled = 0;
  const faults: string[] = [];
  for (const email of emails) {
    const codes = find(email);
    const right = codes.filter((code) => email.codes.includes(code)).length;
    hits += right;
    found += codes.length;
    labelled += email.codes.length;
    if (right !== codes.length || right !== email.codes.length)
      faults.push(`${email.name}: found ${codes.join(' ')}, has ${email.codes.join(' ')}`);
  }
  return {
    emails: emails.length,
    precision: hits / found,
    recall: hits / labelled,
    faults,
  };
}
