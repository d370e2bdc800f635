/** Codes in emails: a labelled set with its precision and recall, and cases that others get wrong. */
import { describe, expect, test } from 'vitest';

import { extract } from '../../../services/core/extract/extract.ts';
import { heldOutEmails, labelledEmails, quality } from './labelled-emails.ts';

type Mail = {
  subject?: string | null;
  text?: string | null;
  html?: string | null;
};
const codesIn = ({ subject = null, text = null, html = null }: Mail) =>
  extract(new Set(['codes']), { headers: { subject, all: [] }, text, html })?.codes ?? [];
const valuesIn = (mail: Mail): string[] => codesIn(mail).map(({ value }) => value);

test.each([
  ['labelled emails', labelledEmails(), 336],
  ['emails with phrases that were held out', heldOutEmails(), 147],
])('of %s: precision at least 0.99, recall at least 0.95', (_, set, count) => {
  const { emails, precision, recall, faults } = quality(set, valuesIn);
  process.stdout.write(
    `codes of ${emails} emails: precision ${precision.toFixed(3)}, recall ${recall.toFixed(3)}\n`,
  );
  expect(emails).toBe(count);
  if (precision < 0.99 || recall < 0.95) throw new Error(faults.join('\n'));
});

test('a code has its kind, its place and the text near it', () => {
  const text = 'Hello,\n\nYour sign-in code:\n\n482 913\n\nBye';
  expect(codesIn({ text })).toEqual([
    {
      value: '482913',
      kind: 'digits',
      source: 'text',
      near: 'Your sign-in code: 482 913',
    },
  ]);
});

test('the best is first, and the same code in text, HTML and subject is one', () => {
  const text = 'Your verification code is 482913. Your old PIN 7741 is no longer valid.';
  const found = codesIn({
    subject: '482913 is your code',
    text,
    html: `<p>${text}</p>`,
  });
  expect(found.map(({ value }) => value)).toEqual(['482913', '7741']);
});

test('a subject that is nothing but a code', () => {
  const text = 'Use the verification code in the subject to sign in.';
  expect(valuesIn({ subject: '482913', text })).toEqual(['482913']);
  expect(valuesIn({ subject: '482913', text: 'Lunch?' })).toEqual([]);
});

describe('found', () => {
  test.each([
    ['G-482913 is your Google verification code.', '482913'],
    ['Your one-time password (OTP) is: 4829', '4829'],
    ['Use 482913 to verify your account', '482913'],
    ['Enter 482-913 when prompted to sign in.', '482913'],
    ['Verification code:482913', '482913'],
    ['Verification code\n\n**482913**\n\nValid for 1440 minutes', '482913'],
    ['482913\nVerification code', '482913'],
    ['Enter this code in the app to confirm your phone number: 482913', '482913'],
    ['Your security code for the card ending in 1234 is 482913.', '482913'],
    ['Your code is 2048. © 2026 Acme', undefined],
    ['Your verification code is 2048', '2048'],
    ['Device code: WDJB-MJHT', 'WDJB-MJHT'],
    ['Sign-in code\n\nxkQ7m2Pa', 'xkQ7m2Pa'],
    ['Your confirmation code is ABC-DEF', 'ABC-DEF'],
    ['رمز التحقق: ٤٨٢٩١٣', '482913'],
    ['認証コード：４８２９１３', '482913'],
    ['您的验证码：482913，5分钟内有效', '482913'],
    ['482913 is the OTP for your purchase with the card ending 1234.', '482913'],
    ['OTP for transaction of Rs. 1500 on your card ending 1234 is 482913', '482913'],
    ['Your OTP for the transaction on card XX1234 is 482913.', '482913'],
    ['Your code for card **1234 is 482913', '482913'],
    ['OTP for transaction\n\nCard: **** 1234\n\n482913', '482913'],
    ['Verification code for account 12345678 is 482913', '482913'],
    ['Your code: *482913*', '482913'],
    [
      'Your confirmation code is 482913. Enter it to sign in.\n\nAcme, the best hotel and flight deals',
      '482913',
    ],
    ['Thanks a lot for signing up! Your confirmation code is 482913.', '482913'],
    ['Contre le vol de votre compte : votre code de confirmation est 482913', '482913'],
    ['Din bekræftelseskode er 482913. Den er gyldig i 10 minutter.', '482913'],
    ['Brug koden 482913 for at logge ind på din konto.', '482913'],
    ['Engangskoden din er 482913', '482913'],
    ['Vahvistuskoodisi on 482913. Koodi on voimassa 10 minuuttia.', '482913'],
    ['Kirjaudu sisään koodilla\n\n482913', '482913'],
    ['Váš ověřovací kód je 482913. Platí 10 minut.', '482913'],
    ['Pro přihlášení zadejte kód 482913', '482913'],
    ['Az ellenőrző kódod: 482913. A kód 10 percig érvényes.', '482913'],
    ['A bejelentkezéshez add meg ezt a kódot: 482913', '482913'],
    ['आपका सत्यापन कोड 482913 है। यह 10 मिनट तक मान्य है।', '482913'],
    ['482913 आपका ओटीपी है। इसे किसी के साथ साझा न करें।', '482913'],
    ['OTP for XXXXXX (XX1245) is 811739', '811739'],
    ['Your code is 48-29-13', '482913'],
    ['Your verification code: 482 - 913', '482913'],
    ['Your code: 48 29 13', '482913'],
    ['Enter 482913 on the page that asks for it', '482913'],
    ['Your security code is QGFDAE', 'QGFDAE'],
    ['Your login code:\n\nHGVKB', 'HGVKB'],
    ['קוד האימות שלך: 482913', '482913'],
    ['کد تأیید شما: ۴۸۲۹۱۳', '482913'],
    ['รหัสยืนยันของคุณคือ482913', '482913'],
    ['Mã xác thực của bạn là 482913', '482913'],
    ['Kode OTP Anda: 482913. Jangan berikan kepada siapa pun.', '482913'],
    ['Ο κωδικός επαλήθευσης είναι 482913', '482913'],
    ['Your Uber code: 4829. Never share this code. Reply STOP to +1 555 010 2030', '4829'],
  ])('%s', (text, code) => {
    expect(valuesIn({ text })).toEqual(code === undefined ? [] : [code]);
  });
});

describe('no code', () => {
  test.each([
    ['a color', 'Your brand color code is #202123 and #482913'],
    ['a color in a style sheet', '', '<style>.code{color:#482913}</style><p>Your code expired</p>'],
    ['hidden text', '', '<p>Your code:</p><p style="display:none">482913</p>'],
    ['a URL', 'Your code: https://a.example/482913 or a.example/verify?code=482913'],
    ['a mailbox', 'Send your code to 482913@qq.example'],
    ['prices', 'Your code saved you $4829 and 4829 EUR and €4829 and 4,829.00'],
    ['dates', 'Your code was sent on 2026-05-12, 12.05.2026, 05/12/2026, May 12, 2026'],
    ['a phone', 'Lost your code? Call 0800 482913, (555) 482-9130 or +4948291300'],
    ['an order', 'Your code to track the order: see order 482913'],
    ['an order above', 'Order number\n\n482913'],
    ['a ZIP code', 'ZIP code: 94607'],
    ['an error', 'The server answered with error code 5003 and status code 4042'],
    ['a promotion', 'Use code SUMMER26 for 20% off'],
    ['a referral', 'Share your referral code ANN4829 and get a gift'],
    ['letters without a keyword', 'A1B2C3\n\nWDJB-MJHT'],
    ['digits without a keyword', '482913'],
    ['a commit', '4f2a9c1 Fix the refresh of a token'],
    ['a version', 'Security: the login code was rewritten in version 20481'],
    ['a name before the word', "it's in the x2apic code's path"],
    ['a longer number', 'Your code: 4829130482913048'],
    ['bytes', 'Your access code is stored in 4096 MB'],
    [
      'an address',
      'Did not ask for a verification code? Ignore this.\nAcme, 12345 Main St, CA 94607',
    ],
    ['a booking with digits', 'Hotel booked\nConfirmation code\n482913\nLog in to change it'],
    ['below an order', 'Use this code to track your order\nOrder 48291\n12345'],
    ['a booking', 'Your hotel reservation is confirmed. Confirmation code: HM4XYZ99'],
    [
      'an order in Danish',
      'Tak for din bestilling. Ordrenummer 482913, i alt 1299 kr, postnummer 2100',
    ],
    ['an order in Finnish', 'Kiitos tilauksesta. Tilausnumero 482913. Lähetystunnus: JJFI4829130'],
    ['an order in Czech', 'Objednávka č. 482913 byla odeslána. Číslo zásilky 48291304, PSČ 11000'],
    ['a promotion in Hungarian', 'Rendelésszám: 482913. Kuponkód: NYAR26, 20% kedvezmény'],
    ['an order in Hindi', 'आपका ऑर्डर 482913 भेज दिया गया है। कुल राशि 1299 रुपये, पिन कोड 110001'],
    ['a card terminal', 'MERCHANT COPY\nTerminal 0042\nSale approved\nAuth code 004512'],
    ['a module', 'Release notes: fixed a crash in module code 7731 and 48213'],
    ['a competition', 'Win with code WIN2026!'],
    ['a product key', 'Your activation code: ABCD1-EFGH2-IJKL3-MNOP4-QRST5'],
    ['masked text', 'Your code XXXXXX was sent to XXXXXXXX'],
    ['a date with hyphens', 'Your code was sent on 12-05-26'],
    ['a license key', 'License key\n\n48291304'],
    ['a course', 'You are enrolled. Course code: 4829'],
    ['a range of years', 'Code of conduct 2019 - 2026'],
    [
      'words in capitals below a code',
      'Verification code\n\nSTRENGTHS\n\nMONTHS\n\nNEXT ADJUST QUICK JAZZY',
    ],
    ['an order in Hebrew', 'תודה על ההזמנה. מספר הזמנה 482913, סכום 1299 ₪, מיקוד 9460701'],
    ['an order in Thai', 'หมายเลขคำสั่งซื้อ 482913 ยอดรวม 1299 บาท รหัสไปรษณีย์ 10110'],
    ['an order in Vietnamese', 'Mã đơn hàng 482913. Mã giảm giá HE2026. Tổng 129900 ₫'],
    ['an order in Indonesian', 'Nomor pesanan 482913. Kode pos 10110. Kode promo HEMAT26'],
    ['an order in Greek', 'Αριθμός παραγγελίας 482913. Ταχυδρομικός κώδικας 10110'],
    ['words in capitals', 'Verification code\n\nCONFIRM\n\nEXPIRED'],
  ])('%s', (_, text, html?: string) => {
    expect(valuesIn({ text, html: html ?? null })).toEqual([]);
  });
});

test('none in a bounce or a report: their numbers are statuses and ids', () => {
  const text = 'Your verification code is 482913';
  const codesOf = (...all: { name: string; value: string }[]) =>
    extract(new Set(['codes']), { headers: { subject: 'x', all }, text, html: null })?.codes;
  expect(codesOf()).toHaveLength(1);
  expect(codesOf({ name: 'From', value: 'MAILER-DAEMON@x.example' })).toEqual([]);
  expect(codesOf({ name: 'Content-Type', value: 'multipart/report; boundary=a' })).toEqual([]);
});

test.each([
  'Vahvista kirjautuminen syöttämällä 482913. Koodi on voimassa 10 minuuttia.',
  'Voer 482913 in om uw aanmelding te bevestigen.',
  'Introduceți 482913 pentru a confirma autentificarea.',
])('what is typed, without the word for a code: %s', (text) => {
  const headers = { subject: null, all: [] };
  const codes = extract(new Set(['codes']), { headers, text, html: null })?.codes;
  expect(codes?.map(({ value }) => value)).toEqual(['482913']);
});
