/** The new text of a reply ends where the quotation certainly begins; otherwise there is none. */
import { describe, expect, test } from 'vitest';

import { replyText } from '../../../services/core/mail/quotation/reply-text.ts';
import { fc } from '../../support/random.ts';
import { quotations } from './quotations.ts';

const REPLY = [{ name: 'In-Reply-To', value: '<1@x.example>' }];
const reply = (...lines: string[]) => replyText(lines.join('\n'), REPLY);
const QUOTED = ['> Shall we?', '>', '>> Earlier', '> Ann'];

test.each([
  [
    'Gmail, on two lines',
    ['On Mon, 3 May 2026 at 10:11, Ann of the Order Desk <', 'ann@x.example> wrote:'],
  ],
  [
    'Gmail in German, on two lines',
    ['Am Mo., 3. Mai 2026 um 10:11 Uhr schrieb Ann <', 'ann@x.example>:', ''],
  ],
  [
    'Gmail in Norwegian, on two lines',
    ['man. 3. mai 2026 kl. 10:11 skrev Ann Elisabeth Fjeldstad Berg <', 'ann@x.example>:', ''],
  ],
  ['Gmail in Turkish', ['Ann <ann@x.example>, 3 May 2026 Pzt, 10:11 tarihinde şunu yazdı:', '']],
  ['Gmail in Korean', ['2026년 5월 3일 (월) 오전 10:11, Ann <ann@x.example>님이 작성:', '']],
  ['Domino', ['"Ann" <ann@x.example> wrote on 03/05/2026 10:11:12:', '']],
  [
    'iOS, which marks the attribution too',
    ['> On 3 May 2026, at 10:11, Ann <ann@x.example> wrote:', '> '],
  ],
  [
    'iOS in German, on two lines',
    ['> Am 03.05.2026 um 10:11 schrieb Ann of the Order Desk', '> <ann@x.example>:', '> '],
  ],
])('%s', (_, attribution) => {
  expect(reply('Yes, do it.', '', 'Thanks', '', ...attribution, ...QUOTED)).toBe(
    'Yes, do it.\n\nThanks',
  );
});

test.each(quotations())('$client, $language', ({ lines }) => {
  expect(reply('Yes, do it.', '', 'Thanks', '', ...lines)).toBe('Yes, do it.\n\nThanks');
});

describe('lines that the author wrote', () => {
  const LISTS = [
    [
      'English',
      ['From: Berlin', 'To: Lisbon', 'Date: 12 May 2026, 10:30', 'Subject: team offsite'],
    ],
    ['German', ['Von: Berlin', 'An: Lissabon', 'Datum: 12.05.2026, 10:30', 'Betreff: Ausflug']],
    ['French', ['De: Paris', 'À: Lyon', 'Date: 12 mai 2026 10:30', 'Objet: réunion']],
    ['Chinese', ['从: 北京', '到: 上海', '日期: 2026年5月12日 10:30', '主题: 会议']],
    ['Spanish', ['De: Madrid', 'Para: Lisboa', 'Fecha: 12/05/2026 10:30', 'Asunto: viaje']],
  ] as const;
  test.each(LISTS)('a journey in %s', (_, lines) => {
    const text = ['Here is the plan:', '', ...lines, '', 'See you there.'];
    expect(reply(...text)).toBe(text.join('\n'));
    expect(reply(...text, '', 'On 4 May 2026, at 10:11, Ann <a@x.example> wrote:', ...QUOTED)).toBe(
      text.join('\n'),
    );
  });

  test('with the time of sending, it may be a quotation: no reply text', () => {
    expect(
      reply('Fine.', '', 'From: Ann Reed', 'Sent: 4 May 2026 10:11', 'To: Bob', 'Subject: Order'),
    ).toBeNull();
  });

  test('a name to which the reply is sent', () => {
    const lines = [
      'Fine.',
      '',
      'From: Ann Reed',
      'Date: 4 May 2026',
      'To: Bob',
      'Subject: Order',
      '',
    ];
    const headers = [...REPLY, { name: 'To', value: '"Ann Reed" <ann@x.example>' }];
    expect(replyText(lines.join('\n'), headers)).toBe('Fine.');
  });
});

test.each([
  [
    'Outlook in Portuguese',
    [
      'De: Ann <ann@x.example>',
      'Enviada em: segunda-feira, 3 de maio de 2026 10:11',
      'Para: Bob',
      'Assunto: Pedido',
      '',
      'Vamos?',
    ],
  ],
  [
    'Outlook in Korean',
    [
      '보낸 사람: Ann',
      '보낸 날짜: 2026년 5월 3일 월요일 오전 10:11',
      '받는 사람: Bob',
      '제목: 주문',
      '',
      '할까요?',
    ],
  ],
  [
    'Outlook, to many',
    [
      'From: Ann <ann@x.example>',
      'Sent: Monday, 3 May 2026 10:11',
      ...Array.from({ length: 12 }, (_, i) => `  Bob ${i} <b${i}@x.example>;`),
      'Subject: Order',
      '',
      'Shall we?',
    ],
  ],
  [
    'Domino',
    [
      '',
      'From:   Ann/Acme',
      'To:     Bob/Acme@Acme',
      'Date:   03.05.2026 10:11',
      'Subject:        Order',
      '',
      'Shall we?',
    ],
  ],
  [
    'Yahoo',
    [
      '    On Monday, May 3, 2026 at 10:11:00 AM GMT+2, Ann <ann@x.example> wrote:  ',
      ' ',
      ' Shall we?',
    ],
  ],
  [
    'a phone',
    [
      '-------- Original message --------',
      'From: Ann <ann@x.example>',
      'Date: 5/3/26 10:11 AM (GMT+01:00)',
      'Subject: Re: Order',
      '',
      'Shall we?',
    ],
  ],
])('%s, which does not mark quoted lines', (_, quotation) => {
  expect(reply('Yes, do it.', '', ...quotation)).toBe('Yes, do it.');
});

describe('an email that quotes nothing is the reply', () => {
  test.each([
    [
      'a list of places with From and To',
      ['From: Berlin', 'To: Munich', 'Date: 3 May', '', 'Please book it.'],
    ],
    [
      'a form with field names',
      ['Please book it:', 'From: Berlin', 'Date: 3 May', 'Subject: trip', 'Thanks'],
    ],
    ['a day and a colon', ['On Monday 3 May he wrote:', '', 'a long letter']],
    ['two lines', ['Just this.', '', 'And that.']],
    ['a rule', ['above', '----------', 'below']],
    ['contact details', ['Yes.', 'Tel: 030 1234', 'Mail: bob@x.example', 'Open: 9:00 to 17:00']],
    ['a signed text', ['-----BEGIN PGP SIGNED MESSAGE-----', 'Hash: SHA256', '', 'Yes, do it.']],
  ])('%s', (_, lines) => {
    expect(reply(...lines)).toBe(lines.join('\n'));
  });
});

describe('null when it is uncertain where the quotation begins', () => {
  test.each([
    ['lines that end with a colon', ['The sum of 3 items:', '> 100 EUR', '> 20 EUR']],
    ['a quotation without an introduction', ['As you said', '> Shall we?']],
    [
      'a quotation after a line with a number',
      ['Hello', 'On item 3 the customer said:', '> no refund'],
    ],
    [
      'a quotation after a line with an address',
      ['Hello', 'as you wrote to support@x.example:', '> no refund'],
    ],
    [
      'an attribution in an unknown language',
      ['Jah.', '', '3. mai 2026 10:11 kirjutas Ann', '> Kas teeme?'],
    ],
    [
      'an attribution in an unknown language above lines without marks',
      ['Jah.', '', 'Ann <ann@x.example> kirjutas 3. mai 2026 kell 10:11:', '', 'Kas teeme?'],
    ],
    [
      'headers in an unknown language',
      [
        'Taip.',
        '',
        'Nuo: Ann <ann@x.example>',
        'Išsiųsta: 2026 m. gegužės 3 d. 10:11',
        'Kam: Bob',
        'Tema: Order',
        '',
        'Ar darom?',
      ],
    ],
    [
      'headers below a title in an unknown language',
      ['Taip.', '', '-----Pradinis laiškas-----', 'Nuo: Ann', 'Tema: Order', '', 'Ar darom?'],
    ],
    ...[
      ['On Mon, 6 Apr 2026 at 09:00, Ann of the Order Desk <ann@x.example>', 'wrote:'],
      ['On 6 Apr 2026, at 09:00, Ann <ann@x.example<', 'mailto:ann@x.example>> wrote:'],
      ['Em 6 de abril de 2026 às 09:00:35, Ann Lake (', 'ann@x.example) escreveu:'],
      ['pe 6. huhtikuuta 2026 klo 9.00 Ann Lake', '(ann@x.example) kirjoitti:'],
      ['---- On Mon, 06 Apr 2026 09:00:00 +0200 ann@x.example wrote ----'],
      ['On Mon, 06 Apr 2026 09:00:00 +0200 Ann <ann@x.example> wrote'],
      ['----- Original Message -----'],
      ['-----Alkuperäinen viesti-----'],
      ['On 6 Apr 2026 you wrote:'],
      ['Get Outlook for Android<https://aka.ms/ghei36>'],
    ].map((lines): [string, string[]] => [
      `nothing marks what is below: ${lines.join(' ')}`,
      ['Yes, do it.', '', ...lines, '', 'Shall we?'],
    ]),
    [
      'a sentence of the author with a date and a mailbox',
      [
        'Hello,',
        '',
        'On 6 April 2026 at 9:00 we met Ann <ann@x.example> and agreed:',
        '',
        'to deliver.',
      ],
    ],
    [
      'a forwarded email in a quotation',
      [
        'Hello',
        '',
        'Begin forwarded message:',
        '',
        '> From: Ann <ann@x.example>',
        '> Date: 3 May 2026 at 10:11',
        '> Subject: Order',
        '>',
        '> Shall we?',
      ],
    ],
  ])('%s', (_, lines) => {
    expect(reply(...lines)).toBeNull();
  });
});

describe('null', () => {
  test('for an email that is not a reply', () => {
    expect(replyText('Hello', [{ name: 'Subject', value: 'Re-opening: hours' }])).toBeNull();
  });

  test.each(['Fwd: Order', 'FW: Order', 'WG: Auftrag', 'TR : Commande', 'Videresend: Ordre'])(
    'for an email that is forwarded within a conversation: %s',
    (subject) => {
      expect(
        replyText(
          'See below.\n\nFrom: Ann <ann@x.example>\nSent: Monday 10:11\nSubject: Order\n\nall that matters',
          [...REPLY, { name: 'Subject', value: subject }],
        ),
      ).toBeNull();
    },
  );

  test('where a forwarded email follows', () => {
    expect(
      reply(
        'See below.',
        '',
        '---------- Forwarded message ---------',
        'From: Ann <ann@x.example>',
        'Date: Mon, 3 May 2026 at 10:11',
        'Subject: Order',
        '',
        'all that matters',
      ),
    ).toBeNull();
  });

  test('where answers and quotations alternate', () => {
    expect(
      reply('On 3 May 2026, Ann <ann@x.example> wrote:', '> one?', 'Yes.', '> two?', 'No.'),
    ).toBeNull();
  });

  test('where the answer is below', () => {
    expect(reply('On 3 May 2026, Ann <ann@x.example> wrote:', '> one?', '', 'Yes.')).toBeNull();
  });

  test('where nothing is new', () => {
    expect(reply('On 3 May 2026, Ann <ann@x.example> wrote:', '> one?')).toBeNull();
  });
});

test('the subject alone identifies a reply', () => {
  expect(replyText('Yes', [{ name: 'subject', value: 'AW: Order' }])).toBe('Yes');
});

test('a signature is not part of it, even below the quotation', () => {
  expect(
    reply(
      'Yes',
      '-- ',
      'Bob',
      '',
      'On 3 May 2026, Ann <ann@x.example> wrote:',
      '> one?',
      '-- ',
      'list footer',
    ),
  ).toBe('Yes');
});

test('the footer of a mailing list below the quotation is not an answer', () => {
  expect(
    reply(
      'Yes',
      '',
      'On 3 May 2026, Ann <ann@x.example> wrote:',
      '> one?',
      '',
      '_______________________________________________',
      'Order mailing list',
      'https://x.example',
    ),
  ).toBe('Yes');
});

test('it is always the beginning of the text', () => {
  const line = fc.constantFrom(
    'On 3 May 2026, Ann <a@x.example> wrote:',
    '> a',
    '',
    'From: a',
    'Sent: b',
    'Subject: c',
    '-- ',
    '----- Original Message -----',
    'text',
    '____________',
  );
  fc.assert(
    fc.property(fc.array(fc.oneof(line, fc.string()), { maxLength: 12 }), (lines) => {
      const text = lines.join('\n');
      const found = replyText(text, REPLY);
      expect(
        found === null ||
          text.replaceAll('\r\n', '\n').trimStart().startsWith(found) ||
          text.includes('\r'),
      ).toBe(true);
    }),
  );
});
