/**
 * The SPF test suite of openspf.org for RFC 7208, which pyspf contains. It is downloaded once; its
 * license (BSD) is next to it.
 */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { parseAllDocuments } from 'yaml';

import { absoluteDnsName } from '../../../services/core/network/dns-name.ts';
import { type Dns, DnsError, type RecordType } from '../../../services/adapters/dns/resolver.ts';
import { createAuthenticate } from '../../../services/adapters/mailauth/authenticate.ts';
import { downloadPythonSources } from '../../contract/tools.ts';

const PYSPF = [
  '2.0.14',
  '57a7ef01bda090173aafb6af0106251686ed73f03db4e911fcd34c57fc347186',
] as const;
const CASES = 203;
const ALIASES_MAX = 8; // one case has a loop

/** Cases whose records ask for texts that are no names (D110); the suite expects a pass. */
const NOT_NAMES: ReadonlySet<string> = new Set([
  'a-colon-domain',
  'a-colon-domain-ip4mapped',
  'mx-colon-domain',
  'mx-colon-domain-ip4mapped',
  'macro-mania-in-domain',
]);

type Case = { helo: string; host: string; mailfrom: string; result: string | string[] };
/** The records of a name; TIMEOUT for a name whose lookup fails. */
type Zone = Record<string, ('TIMEOUT' | Record<string, unknown>)[]>;
type Scenario = { tests: Record<string, Case>; zonedata: Zone };

const folder = await downloadPythonSources('pyspf', ...PYSPF);

const scenarios =
  folder === undefined
    ? []
    : parseAllDocuments(await readFile(join(folder, 'test', 'rfc7208-tests.yml'), 'latin1'))
        .map((document) => document.toJS() as Scenario | null)
        .filter((scenario) => scenario !== null);
const cases = scenarios.flatMap(({ tests, zonedata }) =>
  Object.entries(tests).map(([name, one]) => ({ name, zonedata, ...one })),
);

/** A record of type SPF is a TXT record, too, unless the name has others (as the suite demands). */
function dnsOf(zonedata: Zone): Dns {
  const zone = new Map(Object.entries(zonedata).map(([name, all]) => [name.toLowerCase(), all]));
  const resolve = async (name: string, type: RecordType, aliases = 0): Promise<never> => {
    const fail = (code: string): never => {
      throw new DnsError(code, type, name);
    };
    const requested = absoluteDnsName(name);
    if (requested === undefined) return fail('EBADNAME');
    const all = zone.get(requested);
    if (all === undefined) return fail('ENOTFOUND');
    const records = all.filter((record) => record !== 'TIMEOUT');
    const valuesOf = (wanted: string) =>
      records.filter((record) => wanted in record).map((record) => record[wanted]);
    const alias = valuesOf('CNAME')[0];
    if (aliases > ALIASES_MAX) return fail('ESERVFAIL');
    if (typeof alias === 'string') return resolve(alias, type, aliases + 1);
    const found = valuesOf(type === 'TXT' && valuesOf('TXT').length === 0 ? 'SPF' : type);
    const shown = found.filter((value) => value !== 'NONE').map((value) => shownAs(type, value));
    if (shown.length > 0) return shown as never;
    return fail(all.includes('TIMEOUT') ? 'ETIMEOUT' : 'ENODATA');
  };
  return {
    resolve: (name, type) => resolve(name, type),
    find: (name, type) => resolve(name, type),
    namesOf: () => resolve('', 'PTR'),
    [Symbol.dispose]: () => {},
  };
}

function shownAs(type: RecordType, value: unknown): unknown {
  if (type === 'TXT') return [value].flat();
  if (type !== 'MX') return value;
  const [priority, exchange] = value as [number, string];
  return { priority, exchange };
}

describe.skipIf(folder === undefined)('the SPF suite of openspf.org (RFC 7208)', () => {
  test('has all its cases', () => {
    expect(cases).toHaveLength(CASES);
  });

  test.each(cases)('$name', async ({ name, zonedata, helo, host, mailfrom, result }) => {
    const authenticate = createAuthenticate(dnsOf(zonedata), {
      hostname: 'mx.in.example',
      budgetMs: 10_000,
      trustedSealers: [],
    });
    const envelope = { mailFrom: mailfrom, heloDomain: helo, remoteIp: host };
    const { spf } = await authenticate(Buffer.from('Subject: x\r\n\r\n'), envelope);
    expect(NOT_NAMES.has(name) ? ['permerror'] : [result].flat()).toContain(spf.result);
  });
});
