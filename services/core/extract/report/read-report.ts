/** Finds the report among the attachments of an email. */
import { partText } from '../bounce/report-fields.ts';
import { feedbackReport, microsoftComplaint } from './arf.ts';
import { dmarcReport, mayBeDmarc } from './dmarc.ts';
import type { Report } from './report.ts';
import { mayBeTlsReport, tlsReport } from './tls-rpt.ts';

type Header = { name: string; value: string };
type Attachment = { filename: string | null; contentType: string; content: Uint8Array };

/**
 * The text of a file, taken out of gzip and zip; undefined when it cannot be read or would be longer
 * than `maxBytes`.
 */
export type Unpack = (
  content: Uint8Array,
  maxBytes: number,
  decoding?: Decoding,
) => string | undefined;

export type Decoding = {
  /** Named by the email; without one, the bytes decide. */
  charset?: string | null | undefined;
  /** Changes the bytes before they become text. */
  prepare?: (bytes: Buffer) => Buffer;
};

/** `isUnreadable`: a file says that it is a report, but it is damaged, incomplete or too large. */
type FoundReport = { report: Report | null; isUnreadable: boolean };

const MAX_UNPACKED_BYTES = 8 * 1024 * 1024;
/** Reports come alone. */
const MAX_FILES = 5;
const FILES =
  /^(application\/((x-)?gzip|(x-)?zip(-compressed)?|xml|json|tlsrpt\+(gzip|json))|text\/xml)$/;
const FILE_NAMES = /\.(xml|json|gz|zip)$/i;
/** `receiver!domain!begin!end` (RFC 7489 §7.2.1.1, RFC 8460 §5.1). */
const REPORT_NAME = /^[^!]+![^!]+!\d+!\d+/;

/** The first report of an email. */
export function reportOf(
  { headers, attachments }: { headers: readonly Header[]; attachments: readonly Attachment[] },
  unpack: Unpack,
): FoundReport {
  const feedback = attachments.find(({ contentType }) => contentType === 'message/feedback-report');
  const returned = attachments.find(({ contentType }) => /rfc822|global/.test(contentType));
  const original = returned ? partText(returned.content) : '';
  if (feedback) {
    const report = feedbackReport(partText(feedback.content), original);
    return { report: report ?? null, isUnreadable: report === undefined };
  }
  const complaint = microsoftComplaint(headers, original);
  if (complaint) return { report: complaint, isUnreadable: false };
  let isUnreadable = false;
  for (const file of attachments.filter(mayBeReport).slice(0, MAX_FILES)) {
    const text = unpack(file.content, MAX_UNPACKED_BYTES);
    const report = text && readReport(text);
    if (report) return { report, isUnreadable: false };
    isUnreadable ||= report === null || saysReport(file);
  }
  return { report: null, isUnreadable };
}

const mayBeReport = ({ contentType, filename }: Attachment): boolean =>
  FILES.test(contentType) || FILE_NAMES.test(filename ?? '');

const saysReport = ({ contentType, filename }: Attachment): boolean =>
  contentType.startsWith('application/tlsrpt') || REPORT_NAME.test(filename ?? '');

/** Undefined for another document, null for a report that cannot be read. */
function readReport(text: string): Report | null | undefined {
  if (mayBeDmarc(text)) return dmarcReport(text) ?? (isDmarcRoot(text) ? null : undefined);
  if (mayBeTlsReport(text)) return tlsReport(text) ?? null;
  return undefined;
}

const isDmarcRoot = (xml: string): boolean => /<(\w{1,50}:)?feedback[\s>]/.test(xml.slice(0, 4096));
