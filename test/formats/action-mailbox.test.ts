/** Rails' Action Mailbox, of Debian packages, takes webhooks with the email itself: its relay ingress. */
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';

import { expect, test } from 'vitest';

import { attemptBody, bodyBytes } from '../../services/core/webhook/formats/attempt-body.ts';
import { findWhereAptIs, unpackedPackages } from '../support/debian-packages.ts';
import { seed } from '../support/random.ts';
import { atMost } from '../support/slowdown.ts';
import { readByProgram } from './read-by-program.ts';
import { type StoredMail, variedEmails } from './varied-emails.ts';

type Taken = {
  exception?: string;
  status: number;
  processed: { recipients: string[]; subject: string | null }[];
  source: string | null;
  count: number;
};

const findRails = () =>
  findWhereAptIs('Rails', async () => {
    const packages = ['ruby', 'ruby-actionmailbox', 'ruby-railties', 'ruby-sqlite3'];
    const root = await unpackedPackages(packages, 'usr/bin/ruby');
    const lib = join(root, 'usr/lib');
    const machine = (await readdir(lib)).find((name) => name.endsWith('-linux-gnu')) ?? '';
    const [version = ''] = (await readdir(join(lib, 'ruby'))).filter((name) => /^\d/.test(name));
    const folders = [
      join(lib, 'ruby/vendor_ruby'),
      join(lib, 'ruby', version),
      join(lib, machine, 'ruby', version),
      join(lib, machine, 'ruby/vendor_ruby', version),
    ];
    const gems = [
      join(root, 'usr/share/rubygems-integration/all'),
      join(root, 'usr/share/rubygems-integration', version),
      join(lib, machine, 'rubygems-integration', version),
      join(lib, 'ruby/gems', version),
    ];
    return {
      command: join(root, 'usr/bin/ruby'),
      env: {
        LD_LIBRARY_PATH: join(lib, machine),
        RUBYLIB: folders.join(':'),
        GEM_PATH: gems.join(':'),
      },
    };
  });

const PASSWORD = 'secret';
const basic = (password: string) =>
  `Basic ${Buffer.from(`actionmailbox:${password}`).toString('base64')}`;

const webhookOf = ({ raw, payload: { recipient } }: StoredMail, password = PASSWORD) => {
  const facts = { format: 'raw', attempt: { retryCount: 0 }, keys: [], now: new Date() } as const;
  const written = attemptBody([raw], { ...facts, recipient });
  return {
    contentType: written.contentType,
    authorization: basic(password),
    body: bodyBytes(written).toString('base64'),
  };
};

test(
  `Action Mailbox stores 300 varied emails, each for its recipient, and each once (seed ${seed})`,
  { timeout: atMost(300_000) },
  async ({ skip }) => {
    const { command, env } = (await findRails()) ?? skip();
    const emails = variedEmails(300);
    const [first] = emails as [StoredMail];
    const webhooks = [
      ...emails.map((one) => webhookOf(one)),
      webhookOf(first),
      webhookOf(first, 'wrong'),
    ];
    const program = join(import.meta.dirname, 'action_mailbox_reader.rb');
    const all = await readByProgram<Taken>(command, [program], webhooks, env);
    expect(all.flatMap(({ exception }) => exception ?? [])).toEqual([]);
    const [refused, repeated] = [all.pop(), all.pop()];
    expect(refused).toMatchObject({ status: 401, processed: [], count: 300 });
    expect(repeated).toMatchObject({ status: 204, processed: [], count: 300 });
    for (const [at, { status, processed, source, count }] of all.entries()) {
      expect([status, processed.length, count]).toEqual([204, 1, at + 1]);
      expect(processed[0]?.recipients).toContain(emails[at]?.payload.recipient);
      expect(source).toBe(webhooks[at]?.body);
    }
  },
);
