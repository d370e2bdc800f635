/** What is known of an email: about its sender, its content, and what its receivers ask for. */
import { readsOtherAuthor } from '../../adapters/mime/mailparser.ts';
import { parseMail, rescueMail } from '../../adapters/mime/parse.ts';
import { type ContentFacts, createContentFacts } from '../../core/expression/content-facts.ts';
import type { TextWords } from '../../core/mail/text-words.ts';
import type { AllExtracted } from '../../core/extract/extraction.ts';
import { hasBareLineEnds } from '../../core/mail/raw-mail.ts';
import { judgedAuthor, UNCLEAR_AUTHOR } from '../../core/mail/author.ts';
import { type Spam, spamOf } from '../../core/mail/spam.ts';
import type { ParseWarning } from '../../core/webhook/parse-warning.ts';
import { type ParsedMail, withWarning } from '../../core/webhook/payload.ts';
import type { GatewayMetrics } from '../process/metrics.ts';
import type { CheckSender, CheckSenderMetrics, SenderFacts } from './check-sender.ts';
import { extractFrom } from './extract-from.ts';
import type { ReceivedMail } from './received-mail.ts';
import { recordedNames } from './recorded-facts.ts';
import { inStage } from '../process/stage.ts';
import { textWordsOf } from './text-words.ts';
import type { VirusScan, VirusScanMetrics } from './virus-scan.ts';

export type KnownEmail = {
  mail: ParsedMail;
  /** Each is read when an expression names it. */
  contentFacts: ContentFacts;
  /** Undefined when no receiver asks for anything. */
  extracted: AllExtracted | undefined;
  /** Undefined unless the text is searched. */
  textWords: TextWords | undefined;
  sender: SenderFacts;
  spam: Spam;
  /** A CR or LF of the email is not part of a CRLF. */
  bareLineEnds: boolean;
};

export type ReadEmailIO = {
  checkSender: CheckSender;
  /** Names the infected files; undefined without clamd. */
  virusScan: Pick<VirusScan, 'withFiles'> | undefined;
  /** Lowest score with the verdict spam. */
  spamThreshold: number;
  /** How long the text of an email is searched, in milliseconds; 0 for never. */
  textSearchedMs: number;
  metrics: CheckSenderMetrics &
    VirusScanMetrics &
    Pick<GatewayMetrics, 'parsed' | 'judged' | 'virusJudged'>;
};

export type ReadEmail = {
  /** Waits for DNS servers and scanners. */
  checkSender: (received: ReceivedMail) => Promise<SenderFacts>;
  /** Takes memory. */
  readContent: (received: ReceivedMail, sender: SenderFacts) => Promise<KnownEmail>;
};

const QUEUE_ID_BYTES = 8; // names the email in the log of rspamd

const BARE_LINE_ENDS: ParseWarning = {
  code: 'bare_line_ends',
  message: 'A CR or LF is not part of a CRLF: other programs may see other lines in this email',
};

/** @param random returns random bytes */
export function createReadEmail(
  { checkSender: check, virusScan, spamThreshold, textSearchedMs, metrics }: ReadEmailIO,
  random: (bytes: number) => Uint8Array,
): ReadEmail {
  const checkSender = async ({ raw, envelope, recipients, skipped, fixed }: ReceivedMail) =>
    fixed?.sender ??
    (await inStage('sender', () =>
      check(
        raw,
        {
          envelope,
          recipients: recipients.flatMap(recordedNames),
          queueId: Buffer.from(random(QUEUE_ID_BYTES)).toString('hex'),
        },
        skipped?.sender,
      ),
    ));

  const parse = (received: ReceivedMail) => {
    const { raw, withReceived, skipped } = received;
    const startedAt = performance.now();
    const bareLineEnds = hasBareLineEnds(raw);
    const mail = skipped?.content
      ? rescueMail(withReceived, skipped.content)
      : parseMail(withReceived);
    const { extracted, fault } = skipped?.content ? {} : extractFrom(mail, received);
    const textWords = textWordsOf(mail, received, textSearchedMs);
    metrics.parsed(performance.now() - startedAt);
    const added = [bareLineEnds ? BARE_LINE_ENDS : [], fault ?? [], skipped?.rules ?? []].flat();
    return { mail: added.reduce(withWarning, mail), extracted, textWords, bareLineEnds };
  };

  const readContent = async (received: ReceivedMail, sender: SenderFacts): Promise<KnownEmail> => {
    const read = inStage('content', () => parse(received));
    const { headers, attachments } = read.mail;
    const { authentication, isUnclear } = judgedAuthor(sender.authentication, headers.from);
    const isDoubtful = isUnclear || (await readsOtherAuthor(received.raw, headers.from));
    const mail = isDoubtful ? withWarning(read.mail, UNCLEAR_AUTHOR) : read.mail;
    const found = { ...sender, authentication };
    const { fixed } = received;
    const spam = fixed?.spam ?? spamOf({ ...found, headers }, found.rspamd, spamThreshold);
    metrics.judged(spam);
    const virus =
      found.virus &&
      (fixed
        ? found.virus
        : ((await virusScan?.withFiles(found.virus, attachments)) ?? found.virus));
    if (virus) metrics.virusJudged(virus);
    const contentFacts = createContentFacts({
      ...mail,
      mailFrom: received.envelope.mailFrom,
      contentTypes: attachments.map(({ contentType }) => contentType),
    });
    return { ...read, mail, contentFacts, sender: { ...found, virus }, spam };
  };

  return { checkSender, readContent };
}
