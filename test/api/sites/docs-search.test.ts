/** The search of the docs: what people ask most finds its page, with words that no section has together. */
import { join } from 'node:path';

import { expect, test } from 'vitest';

import { renderDocsSite } from '../../../services/api/sites/docs-pages.ts';

type Section = { href: string; page: string; section: string; text: string };
type IndexedPage = { path: string; title: string; sections: [string, string, string][] };

const DOCS = join(import.meta.dirname, '..', '..', '..', 'docs');
const RANKING = '../../../services/api/sites/browser/ranking.mjs'; // without declarations
const SHOWN_FIRST = 3;

const { rank } = (await import(RANKING)) as {
  rank: (requested: string, sections: readonly Section[]) => { hits: Section[] };
};

const { files } = await renderDocsSite(DOCS);
const pages = JSON.parse(String(files.get('search.json')?.body)) as IndexedPage[];
const sections = pages.flatMap(({ path, title, sections: all }) =>
  all.map(([id, section, text]) => ({ href: `/docs/${path}#${id}`, page: title, section, text })),
);
const firstHits = (requested: string): string[] =>
  rank(requested, sections)
    .hits.slice(0, SHOWN_FIRST)
    .map(({ href }) => href.replace('/docs/', '').replace(/#$/, ''));

test.each([
  ['how do I verify the signature of a webhook?', 'receiving-webhooks'],
  ['which statuses are retried', 'receiving-webhooks#outcomes-and-retries'],
  ['duplicate webhooks', 'receiving-webhooks#duplicates'],
  ['replay failed emails', 'faq'],
  ['hold unauthenticated senders', 'rules#unauthenticated-senders'],
  ['limit who may send to an address', 'addresses-and-domains#limits-of-an-address'],
  ['my own domain, MX record', 'addresses-and-domains#your-own-domain'],
  ['two receivers for one address', 'addresses-and-domains#several-receivers'],
  ['OAuth for my receiver', 'addresses-and-domains#oauth-20'],
  ['attachments in my own S3 bucket', 'attachments-to-a-bucket'],
  ['Playwright test with email', 'testing-with-email#playwright'],
  ['move from Postmark', 'moving'],
  ['reply address for a ticket', 'reply-addresses'],
  ['how long are emails stored', 'retention#what-is-stored-and-how-long'],
  ['delete an email, GDPR', 'retention'],
  ['is port 25 blocked?', 'port-25'],
  ['install on Kubernetes', 'install'],
  ['run on one server without Kubernetes', 'faq'],
  ['invite a colleague', 'people#invite-a-person'],
  ['sign in with SSO', 'single-sign-on'],
  ['rotate the webhook secret', 'receiving-webhooks#secrets'],
  ['maximum email size', 'faq#what-is-the-maximum-size-of-an-email'],
  ['upgrade to a new version', 'upgrade'],
  ['Claude agent', 'mcp'],
  ['spam score threshold', 'spam-and-authentication'],
])('“%s” finds %s', (requested, page) => {
  expect(firstHits(requested)).toContainEqual(expect.stringMatching(new RegExp(`^${page}(#|$)`)));
});

test('no word is required, and a word of nowhere finds nothing', () => {
  expect(firstHits('xylophone replay')).not.toEqual([]);
  expect(rank('xylophone', sections).hits).toEqual([]);
  expect(rank('how do I', sections).hits.length).toBeGreaterThan(0);
  expect(rank('   ', sections).hits).toEqual([]);
});
