// An Inlet payload as the message of a notification that Amazon SES publishes when it receives email
// (an SNS action). raw is the email itself, for handlers that parse it: turn on "raw" in the payload
// settings of the address, and read content.raw_url.
//   handler(toSes(payload, await (await fetch(payload.content.raw_url)).text()))
import { addressesIn, headersOf } from './addresses.mjs';

const VERDICTS = { pass: 'PASS', fail: 'FAIL', temperror: 'PROCESSING_FAILED', permerror: 'FAIL' };

export function toSes(email, raw) {
  const { headers, envelope, authentication, virus, metadata } = email;
  const verdict = (result) => ({ status: VERDICTS[result] ?? 'GRAY' });
  const texts = (header) =>
    addressesIn(header).map(({ name, email: address }) =>
      name ? `${name} <${address}>` : address,
    );
  const dkim = authentication?.dkim ?? [];
  return {
    notificationType: 'Received',
    mail: {
      timestamp: metadata.received_at,
      source: envelope.mail_from,
      messageId: email.event_id,
      destination: envelope.rcpt_to,
      headersTruncated: false,
      headers: headersOf(email),
      commonHeaders: {
        returnPath: envelope.mail_from,
        from: texts(headers.from),
        to: texts(headers.to),
        ...(headers.cc !== null && { cc: texts(headers.cc) }),
        ...(headers.reply_to !== null && { replyTo: texts(headers.reply_to) }),
        ...(headers.date !== null && { date: new Date(headers.date).toUTCString() }),
        ...(headers.message_id !== null && { messageId: headers.message_id }),
        subject: headers.subject ?? '',
      },
    },
    receipt: {
      timestamp: metadata.received_at,
      processingTimeMillis: metadata.processing_time_ms,
      recipients: envelope.rcpt_to,
      spamVerdict: { status: email.spam.verdict === 'spam' ? 'FAIL' : 'PASS' },
      virusVerdict: { status: { clean: 'PASS', infected: 'FAIL' }[virus?.verdict] ?? 'GRAY' },
      spfVerdict: verdict(authentication?.spf.result),
      dkimVerdict: verdict(dkim.find(({ result }) => result === 'pass')?.result ?? dkim[0]?.result),
      dmarcVerdict: verdict(authentication?.dmarc.result),
      action: { type: 'SNS', encoding: 'UTF-8' },
    },
    ...(raw !== undefined && { content: raw }),
  };
}
