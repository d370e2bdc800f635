/** Emails with files and pictures, as mail programs write their parts. */
export type ProgramMail = {
  name: string;
  raw: Buffer;
  /** Names of the files that a person attached. */
  files: string[];
  /** Names of the pictures in the text. */
  pictures: string[];
};

const BYTES = Buffer.from('some bytes of a file');

const multipart = (type: string, boundary: string, ...parts: string[]): string =>
  `Content-Type: multipart/${type}; boundary="${boundary}"\r\n\r\n` +
  parts.map((part) => `--${boundary}\r\n${part}\r\n`).join('') +
  `--${boundary}--\r\n`;
const plain = 'Content-Type: text/plain; charset="UTF-8"\r\n\r\nHello,\r\n';
const html = (...ids: string[]): string =>
  `Content-Type: text/html; charset="UTF-8"\r\n\r\n<p>Hello</p>${ids
    .map((id) => `<img src="cid:${id}" alt="x">`)
    .join('')}\r\n`;
const alternative = (...ids: string[]): string =>
  multipart('alternative', '=_alt', plain, html(...ids));
const part = (...lines: string[]): string =>
  [...lines, 'Content-Transfer-Encoding: base64', '', BYTES.toString('base64')].join('\r\n');
const email = (name: string, content: string, files: string[], pictures: string[]): ProgramMail => {
  const head = `From: Ann <ann@sender.example>\r\nTo: in@x.example\r\nSubject: ${name}\r\n`;
  return { name, raw: Buffer.from(`${head}MIME-Version: 1.0\r\n${content}`), files, pictures };
};

export const PROGRAM_MAILS: readonly ProgramMail[] = [
  email(
    'Gmail: each part has an id',
    multipart(
      'mixed',
      '0000a1',
      multipart(
        'related',
        '0000a2',
        alternative('ii_mhx2'),
        part(
          'Content-Type: image/png; name="image.png"',
          'Content-Disposition: inline; filename="image.png"',
          'X-Attachment-Id: ii_mhx2',
          'Content-ID: <ii_mhx2>',
        ),
      ),
      part(
        'Content-Type: application/pdf; name="Invoice-77.pdf"',
        'Content-Disposition: attachment; filename="Invoice-77.pdf"',
        'Content-ID: <f_mhx1abcd0>',
        'X-Attachment-Id: f_mhx1abcd0',
      ),
      part(
        'Content-Type: image/jpeg; name="photo.jpg"',
        'Content-Disposition: attachment; filename="photo.jpg"',
        'Content-ID: <f_mhx1abcd1>',
        'X-Attachment-Id: f_mhx1abcd1',
      ),
    ),
    ['Invoice-77.pdf', 'photo.jpg'],
    ['image.png'],
  ),
  email(
    'Outlook on a desktop: pictures have no disposition',
    multipart(
      'mixed',
      '----=_NextPart_000_0001',
      multipart(
        'related',
        '----=_NextPart_001_0002',
        alternative('image001.png@01DC0A2B.7F3E1D00'),
        part(
          'Content-Type: image/png;\r\n\tname="image001.png"',
          'Content-ID: <image001.png@01DC0A2B.7F3E1D00>',
        ),
      ),
      part(
        'Content-Type: application/vnd.ms-excel;\r\n\tname="plan.xls"',
        'Content-Disposition: attachment;\r\n\tfilename="plan.xls"',
      ),
    ),
    ['plan.xls'],
    ['image001.png'],
  ),
  email(
    'Outlook on the web and Exchange: files have ids, too',
    multipart(
      'mixed',
      '_005_AM0PR01_',
      multipart(
        'related',
        '_004_AM0PR01_',
        alternative('3f1c2a7e-0b11-4c6e-9d2f-1e5a6b7c8d9e'),
        part(
          'Content-Type: image/png; name="image.png"',
          'Content-Description: image.png',
          'Content-Disposition: inline; filename="image.png"; size=20',
          'Content-ID: <3f1c2a7e-0b11-4c6e-9d2f-1e5a6b7c8d9e>',
        ),
      ),
      part(
        'Content-Type: application/pdf; name="contract.pdf"',
        'Content-Description: contract.pdf',
        'Content-Disposition: attachment; filename="contract.pdf"; size=20',
        'Content-ID: <9C1B2D3E4F5A6B7C8D9E0F1A2B3C4D5E@eurprd01.prod.outlook.com>',
      ),
    ),
    ['contract.pdf'],
    ['image.png'],
  ),
  email(
    'Apple Mail: a PDF is inline, between pieces of HTML',
    multipart(
      'alternative',
      'Apple-Mail=_A1',
      plain,
      multipart(
        'mixed',
        'Apple-Mail=_A2',
        html('8A1C@home'),
        part(
          'Content-Disposition: inline;\r\n\tfilename=picture.png',
          'Content-Type: image/png;\r\n\tx-unix-mode=0644;\r\n\tname="picture.png"',
          'Content-Id: <8A1C@home>',
        ),
        part(
          'Content-Disposition: inline;\r\n\tfilename=offer.pdf',
          'Content-Type: application/pdf;\r\n\tx-unix-mode=0644;\r\n\tname="offer.pdf"',
          'Content-Id: <9B2D@home>',
        ),
        html(),
      ),
    ),
    ['offer.pdf'],
    ['picture.png'],
  ),
  email(
    'iPhone: a photo in a plain text',
    multipart(
      'mixed',
      'Apple-Mail-3C',
      plain,
      part(
        'Content-Type: image/jpeg; name=IMG_1234.jpeg; x-apple-part-url=7F21',
        'Content-Disposition: inline; filename=IMG_1234.jpeg',
        'Content-Id: <7F21>',
      ),
    ),
    [],
    ['IMG_1234.jpeg'],
  ),
  email(
    'Thunderbird: only pictures have ids',
    multipart(
      'mixed',
      '------------x1',
      multipart(
        'related',
        '------------x2',
        html('part1.k9Xw.Qe7@sender.example'),
        part(
          'Content-Type: image/png; name="chart.png"',
          'Content-Disposition: inline; filename="chart.png"',
          'Content-Id: <part1.k9Xw.Qe7@sender.example>',
        ),
      ),
      part(
        'Content-Type: application/pdf; name="minutes.pdf"',
        'Content-Disposition: attachment; filename="minutes.pdf"',
      ),
    ),
    ['minutes.pdf'],
    ['chart.png'],
  ),
  email(
    'Yahoo: files have ids, and the id in a URL is encoded',
    multipart(
      'mixed',
      '----=_Part_1',
      multipart(
        'related',
        '----=_Part_2',
        alternative('5d1e%2Bf2%40yahoo.com'),
        part(
          'Content-Type: image/jpeg; name="1732.jpeg"',
          'Content-Disposition: inline; filename="1732.jpeg"',
          'Content-ID: <5d1e+f2@yahoo.com>',
        ),
      ),
      part(
        'Content-Type: application/zip; name="scans.zip"',
        'Content-Disposition: attachment; filename="scans.zip"',
        'Content-ID: <b6f0a1c2-3d4e@yahoo.com>',
      ),
    ),
    ['scans.zip'],
    ['1732.jpeg'],
  ),
  email(
    'an ERP in Java: the logo of the HTML is an attachment',
    multipart(
      'mixed',
      '----=_Part_77',
      multipart(
        'related',
        '----=_Part_78',
        html('logo'),
        part(
          'Content-Type: image/gif; name=logo.gif',
          'Content-Disposition: attachment; filename=logo.gif',
          'Content-ID: <logo>',
        ),
      ),
      part(
        'Content-Type: application/pdf; name=4711.pdf',
        'Content-Disposition: attachment; filename=4711.pdf',
        'Content-ID: <4711.pdf>',
      ),
    ),
    ['4711.pdf'],
    ['logo.gif'],
  ),
  email(
    'an ERP with a document without disposition, and an id for it',
    multipart(
      'mixed',
      'SAP_1',
      plain,
      part(
        'Content-Type: application/pdf; name="order.pdf"',
        'Content-ID: <0050568D1EDFA1@sap.example>',
        'Content-Description: order.pdf',
      ),
    ),
    ['order.pdf'],
    [],
  ),
  email(
    'an ERP with a background of a style sheet',
    multipart(
      'related',
      'odoo_1',
      'Content-Type: text/html\r\n\r\n<style>body { background: url(CID:Bg.1@erp) }</style><p>x</p>\r\n',
      part('Content-Type: image/png; name="bg.png"', 'Content-ID: <bg.1@erp>'),
      part(
        'Content-Type: text/calendar; name="visit.ics"',
        'Content-Disposition: attachment; filename="visit.ics"',
        'Content-ID: <visit>',
      ),
    ),
    ['visit.ics'],
    ['bg.png'],
  ),
];
