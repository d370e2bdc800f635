/** DMARC aggregate reports (RFC 7489 appendix C, RFC 9990): who sends in the name of a domain. */
import type { Report } from './report.ts';
import { countOf, textOrNull, timeOf } from './values.ts';
import { childOf, childrenOf, readXml, type XmlElement } from './xml.ts';

type DmarcRow = NonNullable<Report['rows']>[number];

const MAX_ROWS = 500;
const MAX_RESULTS = 20;
/** Where text has none, it is other XML. */
const ROOT = 'feedback';
const ROOT_MAX_CHARS = 64 * 1024;
const END = /<\/(?:[\w-]{1,50}:)?feedback\s*>\s*$/;
const END_MAX_CHARS = 200;

/** Whether it looks like a report, before it is read. */
export const mayBeDmarc = (xml: string): boolean =>
  /^\s*</.test(xml) && xml.slice(0, ROOT_MAX_CHARS).includes(ROOT);

/** Undefined when it is another document or incomplete. */
export function dmarcReport(xml: string): Report | undefined {
  if (!END.test(xml.slice(-END_MAX_CHARS))) return undefined;
  const root = readXml(xml);
  const [metadata, policy] = [childOf(root, 'report_metadata'), childOf(root, 'policy_published')];
  if (root?.name !== ROOT || metadata === undefined || policy === undefined) return undefined;
  const range = childOf(metadata, 'date_range');
  const records = childrenOf(root, 'record');
  const rows = records.slice(0, MAX_ROWS);
  return {
    kind: 'dmarc',
    organization: valueOf(metadata, 'org_name'),
    report_id: valueOf(metadata, 'report_id'),
    domain: valueOf(policy, 'domain'),
    from: timeOf(valueOf(range, 'begin')),
    to: timeOf(valueOf(range, 'end')),
    policy: {
      p: valueOf(policy, 'p'),
      sp: valueOf(policy, 'sp'),
      np: valueOf(policy, 'np'),
      adkim: valueOf(policy, 'adkim'),
      aspf: valueOf(policy, 'aspf'),
      pct: valueOf(policy, 'pct'),
      testing: valueOf(policy, 'testing'),
      fo: valueOf(policy, 'fo'),
    },
    rows: rows.map(rowOf),
    rows_left_out: (records.length > MAX_ROWS ? countRecords(xml) : records.length) - rows.length,
  };
}

const valueOf = (element: XmlElement | undefined, name: string): string | null =>
  textOrNull(childOf(element, name)?.text);

/** Counts the records that were read: of a very large report, that is only the beginning. */
const countRecords = (xml: string): number =>
  xml.match(/<(?:[\w-]{1,50}:)?record(?=[\s>])/g)?.length ?? 0;

function rowOf(record: XmlElement): DmarcRow {
  const [row, names, results] = [
    childOf(record, 'row'),
    childOf(record, 'identifiers') ?? childOf(record, 'identities'),
    childOf(record, 'auth_results'),
  ];
  const evaluated = childOf(row, 'policy_evaluated');
  return {
    source_ip: valueOf(row, 'source_ip'),
    count: countOf(childOf(row, 'count')?.text),
    disposition: valueOf(evaluated, 'disposition'),
    dkim: valueOf(evaluated, 'dkim'),
    spf: valueOf(evaluated, 'spf'),
    reasons: childrenOf(evaluated, 'reason')
      .slice(0, MAX_RESULTS)
      .map((reason) => ({ type: valueOf(reason, 'type'), comment: valueOf(reason, 'comment') })),
    header_from: valueOf(names, 'header_from'),
    envelope_from: valueOf(names, 'envelope_from'),
    envelope_to: valueOf(names, 'envelope_to'),
    dkim_results: resultsOf(results, 'dkim'),
    spf_results: resultsOf(results, 'spf'),
  };
}

const resultsOf = (results: XmlElement | undefined, name: string): DmarcRow['dkim_results'] =>
  childrenOf(results, name)
    .slice(0, MAX_RESULTS)
    .map((result) => ({
      domain: valueOf(result, 'domain'),
      selector: valueOf(result, 'selector'),
      scope: valueOf(result, 'scope'),
      result: valueOf(result, 'result'),
    }));
