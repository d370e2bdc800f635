/** Emails that a real rspamd scores, and what becomes of them without it. */
import { expect, test } from 'vitest';

import { startTestDns } from '../../support/dns-server.ts';
import { findRspamd, RSPAMD_PASSWORD, startRspamd } from '../../support/rspamd.ts';
import { plainMail } from '../../support/signed-mail.ts';
import { startAuthenticating, storedPayload } from '../authenticating-gateway.ts';

const rspamdRoot = await findRspamd();

const GTUBE = 'XJS*C4JDBQADN1.NSBN3*2IDNEN*GTUBE-STANDARD-ANTI-UBE-TEST-EMAIL*C.34X\r\n';

test.skipIf(rspamdRoot === undefined)(
  'GTUBE is spam and refused, an ordinary email is not; without rspamd our own score counts',
  async () => {
    await using dns = await startTestDns();
    await using rspamd = await startRspamd(rspamdRoot ?? '/', dns.address);
    await using scored = await startAuthenticating(dns, { RSPAMD_URL: rspamd.url });
    const gtube = (await storedPayload(scored, plainMail({ body: GTUBE }))).spam;
    expect(gtube).toMatchObject({ score: 10, verdict: 'spam', scored_by: 'rspamd' });
    expect(gtube.rules.map(({ name }) => name)).toContain('GTUBE');
    const decent = (await storedPayload(scored, plainMail())).spam;
    expect(decent).toMatchObject({ verdict: 'not_spam', scored_by: 'rspamd' });
    expect(decent.rules.length).toBeGreaterThan(3);
    const { address } = await scored.address('/never', { spam_refuse_above: 9 });
    await expect(
      scored.mailer.sendMail({
        envelope: { from: 'ann@sender.test', to: [address] },
        raw: plainMail({ body: GTUBE }),
      }),
    ).rejects.toThrow('550 5.7.1');
    for (const [password, by] of [
      [RSPAMD_PASSWORD, 'rspamd'],
      ['wrong', 'inlet'],
    ] as const) {
      await using guarded = await startAuthenticating(dns, {
        RSPAMD_URL: rspamd.guardedUrl,
        RSPAMD_PASSWORD: password,
      });
      expect((await storedPayload(guarded, plainMail({ body: GTUBE }))).spam.scored_by).toBe(by);
    }
    await rspamd.kill();
    expect((await storedPayload(scored, plainMail({ body: GTUBE }))).spam).toMatchObject({
      verdict: 'not_spam',
      scored_by: 'inlet',
    });
    expect(await (await fetch(scored.metricsUrls.gateway)).text()).toMatch(
      /^inlet_rspamd_seconds_count\{component="gateway",outcome="failed"\} 1/m,
    );
  },
);
