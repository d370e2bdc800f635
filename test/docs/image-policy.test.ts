/** The policy of docs/production-checklist.md accepts what docs/project/releasing.md verifies, and nothing else. */
import { expect, test } from 'vitest';
import { parseAllDocuments } from 'yaml';

import { codeBlocks, readPage } from './pages.ts';

type Policy = {
  spec: {
    authorities: { keyless?: { identities: { issuer: string; subjectRegExp: string }[] } }[];
  };
};

const PAGE = 'docs/production-checklist.md';

test('the identity of a release is the one that the policy admits', async () => {
  const page = await readPage(PAGE);
  const found = codeBlocks(page).find(({ code }) => code.includes('kind: ClusterImagePolicy'));
  const [policy] = parseAllDocuments(found?.code ?? '').map((one) => one.toJS() as Policy);
  const [identity] = policy?.spec.authorities[0]?.keyless?.identities ?? [];
  const { text: releasing } = await readPage('docs/project/releasing.md');
  const [, issuer] = /^ISSUER=(\S+)$/m.exec(releasing) ?? [];
  const [, subject = ''] = /^IDENTITY="(\S+)\$VERSION"$/m.exec(releasing) ?? [];
  expect(identity?.issuer).toBe(issuer);
  const admits = (text: string) => new RegExp(identity?.subjectRegExp ?? '').test(text);
  expect(subject).toContain('@refs/tags/v');
  expect(admits(`${subject}1.0.0`)).toBe(true);
  expect(admits(subject.replace('refs/tags/v', 'refs/heads/main'))).toBe(false);
  expect(admits(`${subject.replace('inlet-email', 'another')}1.0.0`)).toBe(false);
  expect(admits(`${subject.replace('release.yml', 'ci.yml')}1.0.0`)).toBe(false);
});
