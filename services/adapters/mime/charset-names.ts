/** The names that emails have for charsets: those of browsers (WHATWG), of Python and of old programs. */
import iconv from 'iconv-lite';

/** Names without meaning, which programs write when they do not know the charset. */
const MEANINGLESS =
  /^(unknown|x-unknown|unknown-8bit|x-user-defined|8bit|7bit|binary|default|none|us-ascii|utf-8|)$/;
export const isMeaningless = (label: string): boolean => MEANINGLESS.test(nameOf(label));
/** No charset, or none that anybody knows. */
export const isUnnamed = (label: string): boolean =>
  isMeaningless(label) ||
  !(isUtf16(nameOf(label)) || nameOf(label) === 'utf-7' || isKnown(nameOf(label)));

/** Either order, or the one that the name says. */
export const isUtf16 = (name: string): boolean => /^utf-16(be|le)?$/.test(name);

const ALIASES: Readonly<Record<string, string>> = {
  gb2312: 'gb18030',
  gbk: 'gb18030',
  'x-gbk': 'gb18030',
  ascii: 'us-ascii',
  'ansi_x3.4-1968': 'us-ascii',
  'utf-16': 'utf-16',
};

/** By letters and digits alone. */
const COMPACT: readonly [names: RegExp, charset: string][] = [
  [/^(?:us)?ascii$|^646$|^iso646(?:us|irv)?(?:19\d\d)?$|^ansix34(?:19\d\d)?$|^cp367$/, 'us-ascii'],
  [/^(?:x?unicode(?:1120|11|20)?)?utf8?(?:n|mb[34]|ucs[24]|sig|bom)?$|^u8$|^cp65001$/, 'utf-8'],
  [/^(?:u|utf)16$|^(?:cs|x|iso10646)?(?:unicode|ucs2)$|^unicode11$/, 'utf-16'],
  [/^(?:utf|u|ucs2|unicode)(?:16)?(?:be|big(?:unmarked)?)$|^unicodefffe$/, 'utf-16be'],
  [/^(?:utf|u|ucs2|unicode)(?:16)?(?:le|little(?:unmarked)?)$|^unicodefeff$/, 'utf-16le'],
  [/^(?:u|utf)32$|^(?:iso10646)?ucs4$/, 'utf-32'],
  [/^(?:unicode11|u|x)?(?:utf)?7$/, 'utf-7'],
  [/^(?:cs)?iso2022jp(?:1|2|3|2004|ext|ms)?$|^cp5022[012]$/, 'iso-2022-jp'],
  [/^(?:cs)?iso2022kr$/, 'iso-2022-kr'],
  [/^hz(?:gb)?(?:2312)?$/, 'hz-gb-2312'],
  [
    /^(?:x)?gb(?:k|18030|2312)?(?:19\d\d|20\d\d)?(?:80)?$|^(?:x)?euccn$|^eucgb2312(?:cn)?$/,
    'gb18030',
  ],
  [/^(?:cp|ms|windows)936$|^54936$|^xmacsimpchinese$|^chinese$/, 'gb18030'],
  [
    /^(?:x)?big5(?:tw|hkscs(?:\d{4})?|eten)?$|^hkscs$|^(?:cp|ms|windows)?950$|^xmactradchinese$/,
    'big5',
  ],
  [
    /^(?:x)?s(?:hift)?jis(?:2004|x0213)?$|^(?:cp|ms|windows)?932$|^mskanji$|^xmacjapanese$/,
    'shift_jis',
  ],
  [/^(?:x)?eucj(?:p|is)?(?:2004|x0213)?$|^ujis$|^jisx0213$/, 'euc-jp'],
  [
    /^(?:x)?euckr$|^ksx?c?(?:5601|1001)(?:19\d\d)?$|^korean$|^x?(?:cp|ms|windows)?949$|^uhc$|^xmackorean$/,
    'euc-kr',
  ],
  [/^tis620(?:2529)?\d?$|^(?:cp|windows)?874$/, 'windows-874'],
  [/^(?:iso)?8859$|^latin$|^l1$|^cp819$/, 'iso-8859-1'],
  [/^cpis$/, 'cp861'],
  [/^cp866u$|^ruscii$/, 'cp866'],
  [/^maccentral(?:europe|europa)$|^maclatin2$/, 'maccenteuro'],
  [/^cp1051$/, 'hproman8'],
  [/^x?mac$|^macintosh$/, 'macintosh'],
];
const ISO_8859 = /^(?:cs)?(?:x)?(?:iso|isoir)?8859(\d{1,2}?)(?:19\d\d|20\d\d)?[ei]?$/;
const CODE_PAGE = /^(?:x)?(?:cs)?(?:cp|ibm|dos|ms|windows|win|ansi)(?:cp)?(\d{3,5})$/;
const LABEL_MAX_CHARS = 60;

const REMEMBERED_MAX = 500;

/** Emails have few names, but a stranger can write one into each word, and an unknown one is dear. */
function remembered<Fact>(of: (label: string) => Fact): (label: string) => Fact {
  const facts = new Map<string, Fact>();
  return (label) => {
    const key = label.slice(0, LABEL_MAX_CHARS);
    const found = facts.get(key);
    if (found !== undefined) return found;
    if (facts.size >= REMEMBERED_MAX) facts.clear();
    const fact = of(key);
    facts.set(key, fact);
    return fact;
  };
}

/** One spelling for a name; the name itself, in lower case, when it is unknown. */
export const nameOf = remembered(findName);

function findName(label: string): string {
  const plain =
    label
      .replace(/["'`]/g, '')
      .trim()
      .toLowerCase()
      .split(/[\s;,]/)[0] ?? '';
  const alias = ALIASES[plain];
  if (alias !== undefined) return alias;
  const compact = plain.replace(/[^a-z0-9]/g, '');
  const listed = COMPACT.find(([names]) => names.test(compact))?.[1];
  if (listed !== undefined) return listed;
  const [, part] = ISO_8859.exec(compact) ?? [];
  if (part !== undefined && isKnown(`iso-8859-${part}`)) return `iso-8859-${part}`;
  if (isKnown(plain)) return plain;
  const [, page = ''] = CODE_PAGE.exec(compact) ?? [];
  return [`windows-${page}`, `cp${page}`].find((name) => page !== '' && isKnown(name)) ?? plain;
}

export const isKnown = remembered((name) => {
  try {
    return new TextDecoder(name).encoding !== '';
  } catch {
    return iconv.encodingExists(name);
  }
});

/** One name for all names of a charset. */
export function canonicalName(label: string): string {
  const name = nameOf(label);
  try {
    return new TextDecoder(name).encoding;
  } catch {
    return name;
  }
}
