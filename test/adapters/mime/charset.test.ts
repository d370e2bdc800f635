/**
 * Emails that name no charset, or a wrong one, are decoded by what people send rather than by what
 * the RFCs allow.
 */
import iconv from 'iconv-lite';
import { describe, expect, test } from 'vitest';

import { parseMail } from '../../../services/adapters/mime/parse.ts';

const read = async (...parts: (string | Buffer)[]) =>
  parseMail(
    Buffer.concat(parts.map((part) => (typeof part === 'string' ? Buffer.from(part) : part))),
  );
const latin1 = (text: string) => Buffer.from(text, 'latin1');
const word = (charset: string, bytes: Buffer) => `=?${charset}?B?${bytes.toString('base64')}?=`;
const koi = (text: string) => iconv.encode(text, 'koi8-r');
/** "テスト" in ISO-2022-JP (RFC 1468). */
const JIS = Buffer.from('\x1b$B%F%9%H\x1b(B', 'latin1');

/** A character that is guessed or replaced has a warning; escape sequences say what they are. */
const doubtsIn = (title: string) =>
  title.startsWith('ISO-2022')
    ? []
    : /without a name|called ASCII|unknown/.test(title)
      ? [{ code: 'guessed_charset' }]
      : /called UTF-8|broken/.test(title)
        ? [{ code: 'wrong_charset' }]
        : [];

describe('texts', () => {
  test.each([
    ['ISO-2022-JP, named', 'iso-2022-jp', JIS, 'テスト'],
    ['ISO-2022-JP, named as Outlook does', 'iso-2022-jp-ms', JIS, 'テスト'],
    ['ISO-2022-JP without a name', undefined, JIS, 'テスト'],
    ['ISO-2022-JP that is called UTF-8', 'utf-8', JIS, 'テスト'],
    ['GBK that is called GB 2312', 'gb2312', iconv.encode('朱镕基', 'gbk'), '朱镕基'],
    ['GB 18030', 'gb18030', iconv.encode('测试𠮷', 'gb18030'), '测试𠮷'],
    ['Windows-1252 that is called Latin-1', 'iso-8859-1', Buffer.from([0x80, 0x93, 0xfc]), '€“ü'],
    ['Windows-1252 that is called ASCII', 'us-ascii', Buffer.from('f\xfcr', 'latin1'), 'für'],
    [
      'Windows-1252 that is called UTF-8',
      'utf-8',
      Buffer.from('f\xfcr gr\xf6\xdfer', 'latin1'),
      'für größer',
    ],
    [
      'UTF-8 with one broken character',
      'utf-8',
      Buffer.concat([Buffer.from('Grüße für ältere Öfen'), Buffer.from([0xff])]),
      'Grüße für ältere Öfen\ufffd',
    ],
    ['an unknown charset', 'x-nobody', Buffer.from('f\xfcr', 'latin1'), 'für'],
    [
      'UTF-16 with a byte order mark',
      'utf-16',
      Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from('a\r\nü', 'utf16le')]),
      'a\nü',
    ],
    ['UTF-7', 'utf-7', Buffer.from('Gr+APwA3w-e'), 'Grüße'],
    ['KS C 5601', 'ks_c_5601-1987', iconv.encode('안녕', 'cp949'), '안녕'],
    ['code page 850', 'cp850', iconv.encode('Größe', 'cp850'), 'Größe'],
  ])('%s', async (title, charset, bytes, text) => {
    const type = charset === undefined ? '' : `Content-Type: text/plain; charset="${charset}"\r\n`;
    expect(await read(type, '\r\n', bytes)).toMatchObject({ text, warnings: doubtsIn(title) });
    expect(
      await read(type, 'Content-Transfer-Encoding: base64\r\n\r\n', bytes.toString('base64')),
    ).toMatchObject({ text });
  });

  test.each([
    [
      'ISO-2022-KR',
      'iso-2022-kr',
      Buffer.from('\x1b$)Ca\x0e>H3g\x0fb\n\x0e>H3g', 'latin1'),
      'a안녕b\n안녕',
    ],
    ['HZ', 'hz-gb-2312', Buffer.from('a~~~{2bJT~}~\nb'), 'a~测试b'],
  ])('%s is decoded', async (_, charset, bytes, text) => {
    expect(await read(`Content-Type: text/plain; charset=${charset}\r\n\r\n`, bytes)).toMatchObject(
      { text, warnings: [] },
    );
  });

  test.each([
    ['UTF-8 that is called ISO-2022-JP', 'iso-2022-jp', 'utf-8', '配信できませんでした'],
    ['UTF-8 that is called GB 2312', 'gb2312', 'utf-8', '您的邮件被退回，请查收'],
    ['UTF-8 that is called GB 2312, as GB 18030 can read it', 'gb2312', 'utf-8', '你好'],
    ['UTF-8 that is called EUC-KR', 'ks_c_5601-1987', 'utf-8', '메일이 반송되었습니다'],
    ['UTF-8 that is called Shift-JIS', 'shift_jis', 'utf-8', 'お送りいただいたメール'],
    ['UTF-8 that is called Big5', 'big5', 'utf-8', '您的郵件被退回'],
    ['UTF-8 that is called ISO-2022-KR', 'iso-2022-kr', 'utf-8', '반송'],
    ['EUC-JP that is called ISO-2022-JP', 'iso-2022-jp', 'euc-jp', '配信できませんでした'],
    ['Shift-JIS that is called ISO-2022-JP', 'iso-2022-jp', 'shift_jis', '配信できませんでした'],
    ['Windows-1252 that is called ISO-2022-JP', 'iso-2022-jp', 'win1252', 'für größer'],
    ['EUC-KR that is called ISO-2022-KR', 'iso-2022-kr', 'euc-kr', '메일이 반송되었습니다'],
    ['EUC-JP that is called EUC-KR', 'euc-kr', 'euc-jp', '配信できませんでした'],
    ['Big5 that is called EUC-KR', 'euc-kr', 'big5', '您好，請查收附件裡的發票'],
  ])('%s: the bytes decide, with a warning', async (_, label, charset, text) => {
    const bytes = iconv.encode(text, charset);
    for (const type of ['plain', 'html'])
      expect(
        await read(`Content-Type: text/${type}; charset=${label}\r\n\r\n`, bytes),
      ).toMatchObject({
        [type === 'html' ? 'html' : 'text']: text,
        warnings: [{ code: 'wrong_charset' }],
      });
    const named = await read(`Subject: ${word(label, bytes)}\r\n\r\nx`);
    expect(named.headers.subject).toBe(text);
  });

  test.each([
    ['gb2312', 'gbk', '中华人民共和国'],
    ['gb2312', 'gbk', '小心'],
    ['shift_jis', 'shift_jis', 'ｶﾀｶﾅ、漢字とかな'],
    ['euc-jp', 'euc-jp', 'ご注文'],
    ['big5', 'big5', '訂單'],
    ['euc-kr', 'euc-kr', '주문'],
    ['euc-kr', 'euc-kr', 'ㅋㅋㅋ 네 ㅠㅠ'],
    ['gb2312', 'gbk', 'お送りします'], // Japanese by a Chinese program
  ])('a right label stays: %s', async (label, charset, text) => {
    const bytes = iconv.encode(text, charset);
    const type = `Content-Type: text/plain; charset=${label}\r\n\r\n`;
    expect(await read(type, bytes)).toMatchObject({ text, warnings: [] });
    const damaged = Buffer.concat([bytes, Buffer.from([0xff])]);
    expect(await read(type, damaged)).toMatchObject({
      text: expect.stringContaining(text) as string,
      warnings: [{ code: 'wrong_charset' }],
    });
  });

  const ORDERS = {
    'utf-16be': (text: string) => Buffer.from(text, 'utf16le').swap16(),
    'utf-16le': (text: string) => Buffer.from(text, 'utf16le'),
  };
  test.each(
    ['Hello ü €', '请查收。谢谢', 'Привет'].flatMap((text) =>
      (['utf-16be', 'utf-16le'] as const).flatMap((order) =>
        ['', '\ufeff'].map((mark) => [text, order, mark] as const),
      ),
    ),
  )('%s in %s, with the mark "%s", named with and without its order', async (text, order, mark) => {
    const bytes = ORDERS[order](`${mark}${text}\r\n`);
    const named = (charset: string) =>
      read(
        `Content-Type: text/plain; charset=${charset}\r\nContent-Transfer-Encoding: base64\r\n\r\n`,
        bytes.toString('base64'),
      );
    expect(await named(order)).toMatchObject({ text: `${text}\n`, warnings: [] });
    for (const charset of ['utf-16', 'UTF16', 'ucs-2', 'iso-10646-ucs-2'])
      expect(await named(charset)).toMatchObject({
        text: `${text}\n`,
        warnings: mark === '' ? [{ code: 'guessed_charset' }] : [],
      });
  });

  test.each([
    ['8859_2', 'ąć', 'iso-8859-2'],
    ['ISO8859-5', 'Привет', 'iso-8859-5'],
    ['iso_8859_2_1987', 'ąć', 'iso-8859-2'],
    ['latin2', 'ąć', 'iso-8859-2'],
    ["'windows-1250'", 'ąć', 'win1250'],
    ['win-1251', 'Привет', 'win1251'],
    ['ansi-1251', 'Привет', 'win1251'],
    ['cp1251', 'Привет', 'win1251'],
    ['ms932', 'ご注文', 'shift_jis'],
    ['ujis', 'ご注文', 'euc-jp'],
    ['x-sjis', 'ご注文', 'shift_jis'],
    ['uhc', '주문', 'cp949'],
    ['x-windows-949', '똠방각하 펲시콜라', 'cp949'], // syllables that KS X 1001 does not have
    ['dos-862', 'שלום עולם', 'cp862'],
    ['ksx1001', '주문', 'euc-kr'],
    ['euccn', '测试', 'gbk'],
    ['gb18030-2000', '测试', 'gb18030'],
    ['big5-hkscs', '訂單', 'big5'],
    ['cp65001', 'ü', 'utf8'],
    ['utf-8-sig', 'ü', 'utf8'],
    ['utf8mb4', 'ü', 'utf8'],
    ['unicode-1-1-utf-8', 'ü', 'utf8'],
    ['ibm850', 'Größe', 'cp850'],
    ['tis620', 'ไทย', 'cp874'],
    ['macintosh', 'ü', 'macroman'],
  ])('the name %s', async (label, text, charset) => {
    expect(
      await read(
        `Content-Type: text/plain; charset="${label}"\r\n\r\n`,
        iconv.encode(text, charset),
      ),
    ).toMatchObject({ text, warnings: [] });
  });

  test('a charset that nobody knows is guessed', async () => {
    const type = 'Content-Type: text/plain; charset=johab\r\n\r\n';
    expect(await read(type, Buffer.from([0xb4, 0xeb, 0xd0, 0x65]))).toMatchObject({
      warnings: [{ code: 'guessed_charset' }],
    });
  });

  describe('one guess for all bytes of an email that name no charset', () => {
    const BODY = 'Привет, это проверка почты. Как дела?';
    const MIXED = 'Content-Type: multipart/mixed; boundary=b\r\n\r\n--b\r\n';
    test.each([
      [
        'the body is longer than the subject',
        ['Subject: ', koi('Тест Тест'), '\r\n\r\n', koi(BODY)],
      ],
      [
        'the name of a sender, in HTML',
        ['Subject: ', koi('Тест'), '\r\nContent-Type: text/html\r\n\r\n<p class=a>', koi(BODY)],
      ],
      [
        'an encoded word',
        [
          'Subject: =?unknown-8bit?B?',
          koi('Тест Тест').toString('base64'),
          '?=\r\n\r\n',
          koi(BODY),
        ],
      ],
      [
        'a word of an unknown charset, cut within',
        ['Subject: =?x-nobody?Q?=F4=C5?=\r\n =?x-nobody?Q?=D3=D4?=\r\n\r\n', koi(BODY)],
      ],
      [
        'another part',
        ['Subject: ', koi('Тест'), '\r\n', MIXED, '\r\nx\r\n--b\r\n\r\n', koi(BODY), '\r\n--b--'],
      ],
    ])('%s', async (_, pieces) => {
      const { headers, text, html, warnings } = await read(...pieces);
      expect(headers.subject).toMatch(/^Тест/);
      expect(text ?? html).toContain(BODY);
      expect(warnings).toMatchObject([{ code: 'guessed_charset' }]);
    });

    test('bytes that cannot be in it are guessed by themselves', async () => {
      const first = iconv.encode('您好，请查收附件里的发票', 'gbk');
      const parts = [MIXED, '\r\n', first, '\r\n--b\r\n\r\n', latin1('für \xfc'), '\r\n--b--'];
      expect((await read(...parts)).text).toBe('您好，请查收附件里的发票\nfür ü');
    });
  });

  test('CESU-8 is UTF-8 with halves of characters, in texts and headers', async () => {
    const smile = Buffer.from('eda0bdedb880', 'hex');
    const head = 'Content-Type: text/plain; charset=utf-8\r\n\r\n';
    expect(await read('Subject: a ', smile, `\r\n${head}`, Buffer.from('ü'), smile)).toMatchObject({
      headers: { subject: 'a 😀' },
      text: 'ü😀',
      warnings: [{ code: 'wrong_charset' }],
    });
  });

  test('HTML that names its own charset', async () => {
    const html = '<meta http-equiv="Content-Type" content="text/html; charset=windows-1251"><p>Ы';
    expect(
      await read('Content-Type: text/html\r\n\r\n', iconv.encode(html, 'win1251')),
    ).toMatchObject({ html });
  });
});

test.each([
  ['gbk', '测试邮件主题'],
  ['big5', '測試郵件主旨'],
  ['shift_jis', '件名のテスト'],
  ['euc-kr', '안녕하세요 주문 확인입니다'],
  ['windows-1251', 'Ваш счёт за ноябрь'],
  ['koi8-r', 'Привет, как дела сегодня'],
  ['koi8-u', 'Підтвердження замовлення'],
  ['windows-1252', 'À bientôt, Hélène'],
  ['windows-1253', 'Επιβεβαίωση παραγγελίας'],
  ['windows-1254', 'Görüşmemiz yarın öğleden sonra'],
  ['windows-1255', 'הודעת משלוח'],
  ['windows-1256', 'مرحبا بالعالم'],
  ['iso-8859-2', 'Potwierdzenie zamówienia'],
])('%s without a name: %s', async (charset, text) => {
  const bytes = iconv.encode(text, charset);
  const warnings = [{ code: 'guessed_charset' }];
  expect(await read('\r\n', bytes)).toMatchObject({ text, warnings });
  expect((await read('Subject: ', bytes, '\r\n\r\nx')).headers.subject).toBe(text);
  const name = ['\r\nContent-Type: application/x; name="', bytes, '"'];
  const mail = await read('From: "', bytes, '" <a@x.example>', ...name, '\r\n\r\nx');
  expect(mail).toMatchObject({
    headers: { from: `"${text}" <a@x.example>` },
    attachments: [{ filename: text }],
    warnings,
  });
});

describe('headers', () => {
  test('a short header is decoded like the text below it', async () => {
    const mail = await read(
      'Subject: ',
      iconv.encode('테스트', 'euc-kr'),
      '\r\nContent-Type: text/plain; charset=euc-kr\r\n\r\n',
      iconv.encode('안녕', 'euc-kr'),
    );
    expect(mail).toMatchObject({ headers: { subject: '테스트' }, text: '안녕' });
  });

  test('raw ISO-2022-JP', async () => {
    expect(
      await read('Subject: ', JIS, '\r\nFrom: ', JIS, ' <a@x.example>\r\n\r\nx'),
    ).toMatchObject({ headers: { subject: 'テスト', from: '"テスト" <a@x.example>' } });
  });

  test('a header is one line, and adds no other header, whatever its bytes decode to', async () => {
    const mail = await read('Subject: \x1b$B%F%9%H\r\n\x1b$B\r\nFrom: a@x.example\r\n\r\nx');
    expect(mail).toMatchObject({ headers: { subject: 'テスト', from: 'a@x.example' }, text: 'x' });
    const wide = await read(
      'Subject: ',
      Buffer.from('f\xfcr', 'latin1'),
      '\r\nFrom: a@x.example\r\nContent-Type: text/plain; charset=utf-16le\r\n\r\n',
      Buffer.from('x', 'utf16le'),
    );
    expect(wide).toMatchObject({ headers: { subject: 'für', from: 'a@x.example' }, text: 'x' });
  });

  test('the same words are decoded in names of people and files', async () => {
    for (const [value, shown] of [
      ['=?utf-8?Q?=C3?=\r\n =?utf-8?B?vA==?=', 'ü'],
      [word('iso-2022-jp-ms', JIS), 'テスト'],
      ['=?unknown-8bit?q?f=FCr?=', 'für'],
      ['=?utf-8?q?M=C3=BCller=2C_J?=', 'Müller, J'],
    ]) {
      const { headers, attachments } = await read(
        `From: ${value} <a@x.example>\r\nTo: "${value}" <b@x.example>\r\n` +
          `Content-Type: application/x; name="${value}"\r\n\r\nx`,
      );
      expect({ from: headers.from, to: headers.to, name: attachments[0]?.filename }).toEqual({
        from: `"${shown}" <a@x.example>`,
        to: `"${shown}" <b@x.example>`,
        name: shown,
      });
    }
  });

  test.each([
    ["name*=gbk''%B2%E2.txt", '测.txt'],
    ["name*0*=gbk''%B2; name*1*=%E2.txt", '测.txt'],
    ["name*=iso-2022-jp''%1B$B%25F%25%39%25H%1B(B.txt", 'テスト.txt'],
    ['name*0*=utf-8\'\'%e2%82; name*1*=%ac; name*2=" rates.txt"', '€ rates.txt'],
    [
      `name="${word('gb2312', iconv.encode('测', 'gbk'))} ${word('gb2312', iconv.encode('试', 'gbk'))}"`,
      '测试',
    ],
    ['name==?utf-8?q?=C3=BC_a.pdf?=', 'ü a.pdf'],
  ])('RFC 2231, and what is sent instead: %s', async (parameter, filename) => {
    expect(
      (await read(`Content-Type: application/x; ${parameter}\r\n\r\nx`)).attachments,
    ).toMatchObject([{ filename, contentType: 'application/x' }]);
  });
});

describe('a character that was guessed or replaced in a header has a warning', () => {
  const file = 'Content-Type: application/x\r\nContent-Disposition: attachment; filename';

  test.each([
    ['bytes in a subject', latin1('Subject: f\xfcr\r\n\r\nx'), ['guessed_charset']],
    ['bytes in a name', latin1('From: J\xfcrg <a@b.example>\r\n\r\nx'), ['guessed_charset']],
    ['bytes in a file name', latin1(`${file}="f\xfcr.txt"\r\n\r\nx`), ['guessed_charset']],
    [
      'bytes in the file name of a part',
      latin1(
        `Content-Type: multipart/mixed; boundary=b\r\n\r\n--b\r\n${file}="f\xfcr.txt"\r\n\r\nx\r\n--b--\r\n`,
      ),
      ['guessed_charset'],
    ],
    [
      'a word of an unknown charset',
      latin1('Subject: =?x?q?f=FCr?=\r\n\r\nx'),
      ['guessed_charset'],
    ],
    [
      'a word with a broken character',
      latin1('Subject: =?utf-8?q?a=C3?=\r\n\r\nx'),
      ['wrong_charset'],
    ],
    [
      'a name in another charset',
      latin1('To: =?utf-8?q?J=FCrg?= <a@b>\r\n\r\nx'),
      ['wrong_charset'],
    ],
    ['a word in a file name', latin1(`${file}="=?utf-8?q?f=FCr?="\r\n\r\nx`), ['wrong_charset']],
    ['RFC 2231, another charset', latin1(`${file}*=utf-8''f%FCr\r\n\r\nx`), ['wrong_charset']],
    ['the same again, remembered', latin1(`${file}*=utf-8''f%FCr\r\n\r\nx`), ['wrong_charset']],
    ['RFC 2231 without a charset', latin1(`${file}*=''f%FCr\r\n\r\nx`), ['guessed_charset']],
    ['UTF-8', Buffer.from(`Subject: für\r\n${file}="für"\r\n\r\nx`), []],
    ['words as they should be', latin1('Subject: =?iso-8859-1?q?f=FCr?=\r\n\r\nx'), []],
    ['ISO-2022-JP', Buffer.concat([latin1('Subject: '), JIS, latin1('\r\n\r\nx')]), []],
  ])('%s', (_, raw, codes) => {
    expect(parseMail(raw).warnings.map(({ code }) => code)).toEqual(codes);
  });
});
