/** How mail programs introduce what they quote, by program and language. */

/** Above lines with `>`. `{A}` is the author with the address, `{N}` the name alone. */
const ATTRIBUTIONS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  Gmail: {
    en: 'On Mon, May 4, 2026 at 10:11 AM {A} wrote:',
    de: 'Am Mo., 4. Mai 2026 um 10:11 Uhr schrieb {A}:',
    fr: 'Le lun. 4 mai 2026 à 10:11, {A} a écrit :',
    es: 'El lun, 4 may 2026 a las 10:11, {N} (<ann@x.example>) escribió:',
    it: 'Il giorno lun 4 mag 2026 alle ore 10:11 {A} ha scritto:',
    pt: 'Em seg., 4 de mai. de 2026 às 10:11, {A} escreveu:',
    nl: 'Op ma 4 mei 2026 om 10:11 schreef {A}:',
    sv: 'Den mån 4 maj 2026 kl 10:11 skrev {A}:',
    pl: 'pon., 4 maj 2026 o 10:11 {A} napisał(a):',
    ru: 'пн, 4 мая 2026 г. в 10:11, {A}:',
    ja: '2026年5月4日(月) 10:11 {A}:',
    zh: '{A} 于2026年5月4日周一 10:11写道：',
  },
  'Apple Mail': {
    en: 'On 4 May 2026, at 10:11, {A} wrote:',
    de: 'Am 04.05.2026 um 10:11 schrieb {A}:',
    fr: 'Le 4 mai 2026 à 10:11, {A} a écrit :',
    es: 'El 4 may 2026, a las 10:11, {A} escribió:',
    it: 'Il giorno 4 mag 2026, alle ore 10:11, {A} ha scritto:',
    pt: 'No dia 4 de mai. de 2026, às 10:11, {A} escreveu:',
    nl: 'Op 4 mei 2026, om 10:11 heeft {A} het volgende geschreven:',
    sv: '4 maj 2026 kl. 10:11 skrev {A}:',
    pl: 'Wiadomość napisana przez {A} w dniu 4 maj 2026, o godz. 10:11:',
    ru: '4 мая 2026 г., в 10:11, {A} написал(а):',
    ja: '2026/05/04 10:11、{A}のメール:',
    zh: '在 2026年5月4日，10:11，{A} 写道：',
  },
  Thunderbird: {
    en: 'On 5/4/26 10:11, {N} wrote:',
    de: 'Am 04.05.26 um 10:11 schrieb {N}:',
    fr: 'Le 04/05/2026 à 10:11, {N} a écrit :',
    es: 'El 4/5/26 a las 10:11, {N} escribió:',
    it: 'Il 04/05/26 10:11, {N} ha scritto:',
    pt: 'Em 04/05/2026 10:11, {N} escreveu:',
    nl: 'Op 04-05-2026 om 10:11 schreef {N}:',
    sv: 'Den 2026-05-04 kl. 10:11, skrev {N}:',
    pl: 'W dniu 4.05.2026 o 10:11, {N} pisze:',
    ru: '04.05.2026 10:11, {N} пишет:',
    ja: '2026/05/04 10:11, {N} wrote:',
    zh: '在 2026/5/4 10:11, {N} 写道:',
  },
};

type Head = Record<'from' | 'sent' | 'date' | 'to' | 'subject' | 'original', string>;
const headOf = (labels: string): Head => {
  const [from = '', sent = '', date = '', to = '', subject = '', original = ''] = labels.split('|');
  return { from, sent, date, to, subject, original };
};
export const HEADS: Readonly<Record<string, Head>> = {
  en: headOf('From|Sent|Date|To|Subject|Original Message'),
  de: headOf('Von|Gesendet|Datum|An|Betreff|Ursprüngliche Nachricht'),
  fr: headOf("De|Envoyé|Date|À|Objet|Message d'origine"),
  es: headOf('De|Enviado|Fecha|Para|Asunto|Mensaje original'),
  it: headOf('Da|Inviato|Data|A|Oggetto|Messaggio originale'),
  pt: headOf('De|Enviado|Data|Para|Assunto|Mensagem original'),
  nl: headOf('Van|Verzonden|Datum|Aan|Onderwerp|Oorspronkelijk bericht'),
  sv: headOf('Från|Skickat|Datum|Till|Ämne|Originalmeddelande'),
  pl: headOf('Od|Wysłano|Data|Do|Temat|Oryginalna wiadomość'),
  ru: headOf('От|Отправлено|Дата|Кому|Тема|Исходное сообщение'),
  ja: headOf('差出人|送信日時|日付|宛先|件名|元のメッセージ'),
  zh: headOf('发件人|发送时间|日期|收件人|主题|原始邮件'),
};

const AUTHOR = 'Ann Reed <ann@x.example>';
const QUOTED = ['> Shall we?', '>', '>> Earlier'];

type Quotation = { client: string; language: string; lines: string[] };

/** Of heads without `>` below them. */
const BLOCKS: Readonly<Record<string, (head: Head) => string[]>> = {
  'Outlook, with an address': (head) => block(head, AUTHOR, 'sent'),
  'Outlook, with a line above': (head) => [
    '________________________________',
    ...block(head, 'Ann Reed', 'sent'),
  ],
  'Outlook, bold': (head) =>
    block(head, AUTHOR, 'sent').map((line) => line.replace(/^([^:]+):/, '*$1:*')),
  'Outlook Express': (head) => [`-----${head.original}-----`, ...block(head, 'Ann Reed', 'sent')],
  'Samsung Mail': (head) => [`-------- ${head.original} --------`, ...block(head, AUTHOR, 'date')],
  'QQ Mail': (head) => [
    `------------------ ${head.original} ------------------`,
    ...block(head, '"Ann Reed" <ann@x.example>;', 'sent'),
  ],
  'GMX, the day first': (head) => {
    const [from = '', sent = '', ...rest] = block(head, AUTHOR, 'sent');
    return [sent, from, ...rest];
  },
};

const block = (head: Head, author: string, day: 'sent' | 'date'): string[] => [
  `${head.from}: ${author}`,
  `${head[day]}: 2026-05-04 10:11`,
  `${head.to}: Bob Stone`,
  `${head.subject}: Order`,
];

export function quotations(): Quotation[] {
  const attributed = Object.entries(ATTRIBUTIONS).flatMap(([client, byLanguage]) =>
    Object.entries(byLanguage).map(([language, text]) => {
      const line = text.replace('{A}', AUTHOR).replace('{N}', 'Ann Reed');
      return { client, language, lines: [line, ...QUOTED] };
    }),
  );
  const blocks = Object.entries(BLOCKS).flatMap(([client, linesOf]) =>
    Object.entries(HEADS).map(([language, head]) => ({
      client,
      language,
      lines: [...linesOf(head), '', 'Shall we?', '', 'Ann'],
    })),
  );
  return [...attributed, ...blocks];
}
