/**
 * The headers that mail programs write above an email that they quote or forward, in the languages of
 * these programs: `From:`, `Sent:`, `To:`, `Subject:`, each on a line.
 */
type QuotedField = 'from' | 'sent' | 'date' | 'to' | 'cc' | 'subject';

const LINE_READ_CHARS = 1_000;
const HEAD_MAX_LINES = 40; // many recipients take several lines

const labels = (names: string): RegExp =>
  new RegExp(String.raw`^\*?(?:${names})\s?\*?[:：]\*?\s*`, 'i');

/** `Sent` is a word of mail programs, `Date` is also one of people. */
const LABELS: Readonly<Record<QuotedField, RegExp>> = {
  from: labels(
    'from|von|de|da|van|från|fra|od|lähettäjä|kimden|gönderen|от|від|보낸 ?사람|发件人|寄件者|寄件人|' +
      '差出人|送信者|feladó|de la|από|מאת|من|از|จาก|từ|dari|dari|प्रेषक',
  ),
  sent: labels(
    'sent|gesendet|envoyé(?: le)?|enviad[oa](?: el| em)?|inviato|verzonden|skickat|sendt|wysłano|odesláno|' +
      'lähetetty|gönderil(?:di|en)|gönderim|отправлено|надіслано|відправлено|odoslané|보낸 ?날짜|发送时间|發送時間|寄件日期|送信日時|' +
      'elküldve|trimis|στάλθηκε|נשלח|تم الإرسال|ارسال شده|ส่งเมื่อ|đã gửi|dikirim|terkirim',
  ),
  date: labels(
    'date|datum|fecha|data|dato|päivämäärä|tarih|дата|날짜|日期|日付|日時|dátum|dată|ημερομηνία|תאריך|التاريخ|' +
      'تاریخ|วันที่|ngày|tanggal|दिनांक',
  ),
  to: labels(
    'to|an|à|a|para|aan|till|til|do|komu|vastaanottaja|kime|alıcı|кому|받는 ?사람|收件人|收件者|宛先|címzett|' +
      'către|προς|אל|إلى|به|ถึง|đến|tới|kepada|untuk|प्रति',
  ),
  cc: labels(
    'cc|kopie|copie|copia|kopia|dw|kopi|kopio|bilgi|копия|копія|참조|抄送|副本|cópia|κοιν|עותק|نسخة',
  ),
  subject: labels(
    'subject|betreff|objet|asunto|assunto|oggetto|onderwerp|ämne|emne|temat|předmět|aihe|konu|' +
      'тема|predmet|sujet|제목|主题|主題|主旨|件名|tárgy|subiect|θέμα|נושא|الموضوع|موضوع|เรื่อง|chủ đề|subjek|perihal|विषय',
  ),
};
const FIELDS = Object.keys(LABELS) as QuotedField[];

const MAY_BE_LABEL = /^[^:：]{1,40}[:：]/;
const ADDRESS = /[^\s<>@]@[^\s<>@]/;
const TIME = /\d[:.h]\d\d/i;
/** Labels that only a mail program writes: in these languages they name a person. */
const SENDER_LABEL = /^\*?(?:보낸 ?사람|发件人|寄件者|寄件人|差出人|送信者|lähettäjä|feladó|מאת)/i;

const read = (line: string | undefined): string => (line ?? '').slice(0, LINE_READ_CHARS).trim();

export type QuotedHead = {
  /** Values as they are written. */
  fields: Partial<Record<QuotedField, string>>;
  /** The line after the last one of the head. */
  end: number;
  /** Whether an address, or a label of mail programs, shows that it is not a list of the author. */
  hasProof: boolean;
  hasTime: boolean;
};

export type QuotedHeads = {
  /** Which header a line is. */
  fieldAt(at: number): QuotedField | undefined;
  /** A head that begins with this line: From, a day and a subject, in one block. */
  headAt(at: number): QuotedHead | undefined;
  /** The same in any language, by what the lines hold: only below words of a mail program. */
  markedHeadAt(at: number): QuotedHead | undefined;
};

/** Each line is read once, however many heads it could belong to. */
export function quotedHeads(lines: readonly string[]): QuotedHeads {
  const known: (QuotedField | null | undefined)[] = [];
  /** `De` is From in one language and nothing in another, so the first field counts. */
  const fieldAt = (at: number): QuotedField | undefined => {
    if (known[at] === undefined) {
      const text = read(lines[at]);
      const hasLabel = MAY_BE_LABEL.test(text);
      known[at] = (hasLabel && FIELDS.find((field) => LABELS[field].test(text))) || null;
    }
    return known[at] ?? undefined;
  };
  return {
    fieldAt,
    headAt: (start) => headAt(lines, start, fieldAt),
    markedHeadAt: (start) => markedHeadAt(lines, start, fieldAt),
  };
}

const FIRST_FIELDS: readonly (QuotedField | undefined)[] = ['from', 'sent', 'date', 'subject'];

function headAt(
  lines: readonly string[],
  start: number,
  fieldAt: (at: number) => QuotedField | undefined,
): QuotedHead | undefined {
  if (!FIRST_FIELDS.includes(fieldAt(start))) return undefined;
  const seen: Partial<Record<QuotedField, number>> = {};
  let at = start;
  for (; at < lines.length && at < start + HEAD_MAX_LINES; at++) {
    const line = lines[at] ?? '';
    if (line.trim() === '') break;
    const field = fieldAt(at);
    if (field !== undefined) seen[field] ??= at;
    else if (seen.subject === at - 1) break; // the text may follow immediately
  }
  if (seen.from === undefined || seen.subject === undefined) return undefined;
  if (seen.sent === undefined && seen.date === undefined) return undefined;
  return described(lines, seen, { start, end: at });
}

function described(
  lines: readonly string[],
  seen: Readonly<Partial<Record<QuotedField, number>>>,
  { start, end }: { start: number; end: number },
): QuotedHead {
  const starts = new Set(Object.values(seen));
  const fields: Partial<Record<QuotedField, string>> = {};
  for (const [name, first] of Object.entries(seen) as [QuotedField, number][]) {
    const own = read(lines[first]).replace(LABELS[name], '');
    const more: string[] = []; // recipients on further lines
    for (let at = first + 1; at < end && !starts.has(at) && isList(name); at++)
      more.push(read(lines[at]));
    fields[name] = [own, ...more].join(' ').trim();
  }
  return {
    fields,
    end,
    hasProof:
      lines.slice(start, end).some((line) => ADDRESS.test(read(line))) ||
      SENDER_LABEL.test(read(lines[seen.from ?? start])),
    hasTime: TIME.test(fields.sent ?? fields.date ?? ''),
  };
}

const LABELLED = /^\*?[^\s:：<>@][^:：<>@]{0,30}[:：]\*?\s*(?=\S)/;
const LABELLED_MIN_LINES = 3;
const DAY = /\b(19|20)\d\d\b|\d[./-]\d{1,2}[./-]\d/;

/** Labels only name the fields: a line with an address is From, the next one To. */
function markedHeadAt(
  lines: readonly string[],
  start: number,
  fieldAt: (at: number) => QuotedField | undefined,
): QuotedHead | undefined {
  const fields: QuotedHead['fields'] = {};
  let at = start;
  for (; at < lines.length && at < start + HEAD_MAX_LINES; at++) {
    const line = read(lines[at]);
    const label = LABELLED.exec(line)?.[0];
    if (label === undefined) break;
    const value = line.slice(label.length);
    const missing = (...names: QuotedField[]) => names.find((name) => fields[name] === undefined);
    const name =
      fieldAt(at) ??
      (ADDRESS.test(value)
        ? missing('from', 'to', 'cc')
        : TIME.test(value) && DAY.test(value)
          ? missing('date')
          : missing('subject'));
    if (name !== undefined) fields[name] ??= value;
  }
  const { from = '', sent, date = sent ?? '', subject } = fields;
  if (at - start < LABELLED_MIN_LINES || subject === undefined) return undefined;
  if (!ADDRESS.test(from) || !DAY.test(date)) return undefined;
  return { fields, end: at, hasProof: true, hasTime: TIME.test(date) };
}

const LABEL_WITHIN = new RegExp(
  String.raw`(?<=\S)(?:${FIELDS.map((field) => LABELS[field].source.replace(/^\^\\\*\?/, '')).join('|')})`,
  'giu',
);

/**
 * Yahoo's head on one line, as lines: it breaks before the labels, which begin with a capital
 * letter. A line without one is returned as it is.
 */
export function brokenHead(line: string): string[] {
  const [, mark, head] = /^\s*(-{3,} ?[^-]{1,100}? ?-{3,})\s+([^\s-].*)$/.exec(line) ?? [];
  if (mark === undefined || !head?.includes('@', 1)) return [line];
  const broken = head.replace(LABEL_WITHIN, (label) =>
    /^\p{Ll}/u.test(label) ? label : `\n${label}`,
  );
  return [mark, ...broken.split('\n')];
}

const isList = (name: QuotedField): boolean => name === 'to' || name === 'cc';
