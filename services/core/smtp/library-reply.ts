/** The refusals that smtp-server chooses itself, by their codes. */
import {
  badParameters,
  badSequence,
  messageTooBig,
  needsTls,
  timedOut,
  tooManyRecipients,
  tryLater,
  unknownCommand,
  type SmtpReply,
} from './smtp-reply.ts';

const LIBRARY_REPLIES: readonly SmtpReply[] = [
  unknownCommand,
  badParameters,
  badSequence,
  timedOut,
  tooManyRecipients,
  needsTls,
  messageTooBig,
];

/** The reply under which a refusal that smtp-server chose itself is counted. */
export const libraryReply = (code: number): SmtpReply =>
  LIBRARY_REPLIES.find((reply) => reply.code === code) ?? tryLater;
