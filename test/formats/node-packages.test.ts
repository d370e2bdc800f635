/** Packages for Node of the services themselves: types of Postmark and CloudMailin, SendGrid's parser. */
import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

import { expect, test } from 'vitest';

import type { OtherBody } from '../../services/core/receiver/webhook-format-names.ts';
import { attemptBody, bodyBytes } from '../../services/core/webhook/formats/attempt-body.ts';
import { INBOUND_PACKAGES, installFromNpm } from '../contract/tools.ts';
import { CHECKOUT } from '../docs/pages.ts';
import { seed } from '../support/random.ts';
import { atMost } from '../support/slowdown.ts';
import { readByProgram } from './read-by-program.ts';
import { storedMail, type StoredMail, variedEmails } from './varied-emails.ts';
import { fullMail } from '../fixtures/full-mail.ts';

const run = promisify(execFile);
const TIMEOUT_MS = 300_000;

const written = (format: OtherBody, { stored }: StoredMail) => {
  const body = attemptBody(stored, {
    format,
    attempt: { retryCount: 0 },
    keys: [],
    now: new Date(),
  });
  return { contentType: body.contentType, body: bodyBytes(body).toString('base64') };
};

const json = (format: OtherBody): string =>
  Buffer.from(written(format, storedMail(fullMail, 3)).body, 'base64').toString();

test(
  'the types of Postmark and CloudMailin hold for the bodies, and not without a member',
  { timeout: atMost(TIMEOUT_MS) },
  async ({ skip }) => {
    const folder = (await installFromNpm('inbound', INBOUND_PACKAGES)) ?? skip();
    const check = async (name: string, postmark: string, cloudmailin: string): Promise<string> => {
      await writeFile(
        join(folder, `${name}.ts`),
        `import type { InboundWebhook } from 'postmark/dist/client/models/webhooks/payload/InboundWebhook.js';
import type { IncomingMail } from 'cloudmailin/dist/models/IncomingMail.js';
const postmark = ${postmark};
const cloudmailin = ${cloudmailin};
export const checked: [InboundWebhook, IncomingMail] = [postmark, cloudmailin];
`,
      );
      const tsc = join(CHECKOUT, 'node_modules', '.bin', 'tsc');
      const options = [
        '--ignoreConfig',
        '--noEmit',
        '--strict',
        '--skipLibCheck',
        '--module',
        'nodenext',
      ];
      return run(tsc, [...options, '--target', 'es2022', '--types', '', `${name}.ts`], {
        cwd: folder,
      }).then(
        () => '',
        ({ stdout }: { stdout: string }) => stdout,
      );
    };
    expect(await check('whole', json('postmark'), json('cloudmailin'))).toBe('');
    const partly = json('postmark').replace('"OriginalRecipient"', '"Original"');
    expect(await check('partly', partly, json('cloudmailin'))).toContain('OriginalRecipient');
    const without = json('cloudmailin').replace('"helo_domain"', '"helo"');
    expect(await check('without', json('postmark'), without)).toContain('helo_domain');
  },
);

type Parsed = {
  exception?: string;
  to?: string;
  from?: string;
  subject?: string;
  text?: string;
  html?: string;
  envelope: string;
  files: { filename: string; type: string; content: string }[];
};

test(
  `SendGrid's parser reads 300 varied emails as Inlet does (seed ${seed})`,
  { timeout: atMost(TIMEOUT_MS) },
  async ({ skip }) => {
    const folder = (await installFromNpm('inbound', INBOUND_PACKAGES)) ?? skip();
    const emails = variedEmails(300);
    const program = join(import.meta.dirname, 'sendgrid_reader.mjs');
    const sent = emails.map((email) => written('sendgrid', email));
    const all = await readByProgram<Parsed>(process.execPath, [program, folder], sent);
    expect(all.flatMap(({ exception }) => exception ?? [])).toEqual([]);
    expect(all).toHaveLength(300);
    for (const [at, read] of all.entries()) {
      const { payload } = emails[at] as StoredMail;
      const { headers, content, envelope, recipient, attachments } = payload;
      expect([read.from ?? '', read.to ?? '']).toEqual([headers.from ?? '', headers.to ?? '']);
      expect(read.subject ?? '').toBe(headers.subject ?? '');
      expect([read.text ?? '', read.html ?? '']).toEqual([content.text ?? '', content.html ?? '']);
      expect(JSON.parse(read.envelope)).toEqual({ to: [recipient], from: envelope.mail_from });
      expect(read.files.map(({ content: bytes }) => bytes)).toEqual(
        attachments.map(({ content: bytes }) => bytes),
      );
      expect(read.files.map(({ filename }) => filename.length > 0)).not.toContain(false);
    }
  },
);
